"""A prompt as a whole: a command to the client, mere consent, its opening words, an answer to a question."""

from __future__ import annotations

from nous.core.extractor import cues
from nous.core.extractor.sentences import Sentence, sentence, spoken
from nous.core.extractor.shapes import answers, moment
from nous.core.session import Story


def is_command(text: str) -> bool:
    """Whether a prompt is a command to the client, such as "/model"."""
    return bool(moment.CLIENT_COMMAND.match(text))


def is_agreement(text: str) -> bool:
    """Whether a prompt is nothing but consent."""
    said = spoken(text)
    return (
        bool(said) and len(text) < 120 and bool(cues.AGREE.match(said[0].masked)) and not any(one.asks for one in said)
    )


def opening(text: str) -> Sentence | None:
    """The first sentence of a prompt, for learners that need the user's aim."""
    said = spoken(text)
    return said[0] if said else sentence(text) if text.strip() else None


def open_question(story: Story, at: int) -> str:
    """What the assistant's last words before a prompt asked for good: "which region do we use?"; or nothing."""
    reply = spoken(story.last_reply(at)) if story.was_asked(at) else ()
    if not reply or not reply[-1].asks or len(reply[-1].text) > 160:
        return ""
    question = reply[-1].text
    return question if answers.OPEN_QUESTION.search(question) and not answers.MOMENTARY.search(question) else ""


def is_no_answer(one: Sentence) -> bool:
    """Whether the words after a question agree, order or doubt instead of answering it."""
    idle = (
        moment.THANKS.match(one.text)
        or cues.SMALLTALK.match(one.masked)
        or cues.AGREE.match(one.masked)
        or answers.PICK.match(one.text)
        or answers.UNDECIDED.search(one.text)
    )
    return bool(
        idle or cues.TASK.match(one.masked) or cues.HYPOTHETICAL.search(one.masked) or cues.ONE_OFF.search(one.masked)
    )
