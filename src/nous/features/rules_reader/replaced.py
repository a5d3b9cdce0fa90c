"""What a sentence puts an end to: the words it names for it, the command that was refused, what was recited."""

from __future__ import annotations

from collections.abc import Sequence

from nous.kernel.capture.session import Story
from nous.kernel.learn.compose import shorten
from nous.language import cues
from nous.language.lexicon import folded_pattern, pattern, words
from nous.language.likeness import STOP_WORDS
from nous.language.sentences import Sentence, sentences


def replaced_words(text: str, said: Sequence[Sentence], place: int) -> str | None:
    """The words for what this sentence says is no longer so, or None."""
    around = said[place - 1].text + " " + text if place else text
    ways = (("over.replaces", text), ("over.old_first", around), ("over.left", around))
    matches = (match for name, part in ways for match in folded_pattern(name).finditer(part))
    found = [next((group for group in match.groups() if group), "") for match in matches]
    olds = [old.strip("`.,") for old in found if _is_name(old.lower())]
    if not olds and place and cues.CHANGED.search(text):  # "they killed the contract. flags live in our table now"
        olds = [old for old in [replaced_words(said[place - 1].text, said[:1], 0)] if old]
    if olds:
        return " ".join(dict.fromkeys(olds))[:120]
    if cues.CHANGED.search(text) or folded_pattern("over.turned").search(text) or cues.CORRECTION.search(around):
        return ""
    return None


def _is_name(old: str) -> bool:
    return old in words("slots.products") or (old not in STOP_WORDS and not pattern("over.no_name").match(old))


def refused_command(story: Story, at: int) -> str:
    """The command that the user refused or stopped right before these words."""
    turn = story.turns[at]
    is_denial = turn.kind == "denial"
    before = (one for one in story.turns[max(0, at - (12 if is_denial else 4)) : at] if one.kind == "tool_call")
    calls = [one for one in before if (one.tool_id == turn.tool_id if is_denial else story.was_stopped(at))]
    command = calls[-1].input.get("command") if calls else None
    return shorten(command.splitlines()[0], 80) if isinstance(command, str) and command.strip() else ""


def recited_text(story: Story, at: int, *, is_changed: bool = False) -> str:
    """What the assistant had just told from memory, when the user answers that it is wrong or over; else nothing."""
    reply = story.last_reply(at)
    if not cues.RECALLED.search(reply) or not (is_changed or _corrects(story.turns[at].text)):
        return ""
    told = (one.text for one in sentences(reply) if cues.RECALLED.search(one.text) and not one.asks)
    return " ".join(told)[:400]


def _corrects(answer: str) -> bool:
    """Whether somebody says that what was told from memory is wrong or has changed."""
    said = [one.text for one in sentences(answer) if not one.asks]
    return any(map(cues.NO_LONGER_SO.search, said)) or any(map(cues.CORRECTION.search, said[:1]))
