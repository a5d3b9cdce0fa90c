"""A prompt as a whole: a command to the client, mere consent, or its opening words."""

from __future__ import annotations

from nous.core.extractor import cues
from nous.core.extractor.sentences import Sentence, sentence, spoken
from nous.core.extractor.shapes import moment


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
