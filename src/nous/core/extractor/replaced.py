"""What a sentence puts an end to: the words it names for it, or the command the user refused."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nous.core.extractor import cues
from nous.core.extractor.sentences import Sentence, mask, shorten
from nous.core.extractor.shapes import changes
from nous.core.extractor.slots import PRODUCTS
from nous.core.likeness import STOP_WORDS
from nous.core.session import Story


def replaced_words(text: str, said: Sequence[Sentence], place: int) -> str | None:
    """The words for what this sentence says is no longer so, or None."""
    around = said[place - 1].text + " " + text if place else text
    matches = (*changes.REPLACES.finditer(text), *changes.OLD_FIRST.finditer(around), *changes.LEFT.finditer(around))
    found = [next((group for group in match.groups() if group), "") for match in matches]
    olds = [old.strip("`.,") for old in found if _is_name(old.lower())]
    if not olds and place and changes.CHANGED.search(text):  # "they killed the contract. flags live in our table now"
        olds = [old for old in [replaced_words(said[place - 1].text, said[:1], 0)] if old]
    if olds:
        return " ".join(dict.fromkeys(olds))[:120]
    if changes.CHANGED.search(text) or changes.TURNED.search(text) or cues.CORRECTION.search(mask(around)):
        return ""
    return None


def _is_name(old: str) -> bool:
    return old in PRODUCTS or (old not in STOP_WORDS and not changes.NO_NAME.match(old))


def new_words(before: str, after: str) -> set[str]:
    """The names in a command that the one before did not have, without options and numbers."""
    words = [set(re.findall(r"[a-z][\w.+-]+", command.lower())) for command in (before, after)]
    return {word for word in words[1] - words[0] if word not in STOP_WORDS}


def refused_command(story: Story, at: int) -> str:
    """The command that the user refused or stopped right before these words."""
    turn = story.turns[at]
    if turn.kind == "denial":
        calls = [
            one for one in story.turns[max(0, at - 12) : at] if one.kind == "tool_call" and one.tool_id == turn.tool_id
        ]
        return _call_text(calls[-1].input) if calls else ""
    if not story.was_stopped(at):
        return ""
    calls = [one for one in story.turns[max(0, at - 4) : at] if one.kind == "tool_call"]
    return _call_text(calls[-1].input) if calls else ""


def _call_text(given: dict[str, object]) -> str:
    command = given.get("command")
    return shorten(command.splitlines()[0], 80) if isinstance(command, str) and command.strip() else ""


def names_it(core: str, refused: str) -> bool:
    """Whether a sentence names the program of a refused command."""
    return refused.split()[0].lower() in core.lower()
