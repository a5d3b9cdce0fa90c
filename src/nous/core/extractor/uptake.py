"""How the assistant took a sentence: whether its next words or changes take up what the user stated."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nous.core.compare.change import is_change
from nous.core.extractor import cues, names
from nous.core.extractor.sentences import Sentence, spoken
from nous.core.extractor.shapes import changes
from nous.core.likeness import tokens
from nous.core.session import Change, Story
from nous.core.transcript import Turn

REACH = 30  # turns after a prompt that can still answer it
BRIEF = 220  # characters of a reply that answers what was said and does not think aloud
SHORT = 8  # content words of a reply that does little but repeat what it was told
_FIGURES = re.compile(r"\d{2,}")
# A figure with or without its unit, or a name of several parts: 16:30, 18mo, gh.readings.v1.
_VALUES = re.compile(r"(?<![\w.])(?:\d+(?:[.:]\d+)*|[A-Za-z]\w*(?:[./-]\w+)+)")
_NAMED = re.compile(r"\d|[^\W\d_]{4,}")


def taken_up(story: Story, at: int, one: Sentence) -> int:
    """Where a reply or a change before the next prompt first uses what this sentence states; -1 if nowhere."""
    words = {word for word in tokens(one.text) if _NAMED.search(word)} | set(_FIGURES.findall(one.text))
    for place, turn in _following(story, at):
        if turn.kind == "reply" and _repeats(turn.text, words):
            return place
        if turn.kind == "tool_call" and words & _brought(turn):
            return place
    return -1


def _following(story: Story, at: int) -> Iterator[tuple[int, Turn]]:
    for place in range(at + 1, min(at + REACH, len(story.turns))):
        turn = story.turns[place]
        if turn.kind in ("prompt", "compaction"):
            return
        yield place, turn


def _repeats(reply: str, words: set[str]) -> bool:
    """Whether a reply restates a sentence: several of its words, or one in a reply of a few."""
    if len(reply) > BRIEF:
        return False
    said = set(tokens(reply))
    shared = words & said
    return len(shared) >= 2 or (bool(shared) and len(said) <= SHORT)


def _brought(turn: Turn) -> set[str]:
    """The words that an edit brings into a file and that were not there before."""
    new, old = turn.input.get("new_string"), turn.input.get("old_string")
    if not isinstance(new, str) or not isinstance(old, str) or len(new) > 2000:
        return set()
    return _pieces(new) - _pieces(old)


def _pieces(text: str) -> set[str]:
    return set(tokens(re.sub(r"[_\W]+|(?<=[a-z])(?=[A-Z])", " ", text)))


def old_value(story: Story, at: int, one: Sentence) -> str:
    """The value that the next edit takes out for one of the same shape that this sentence names, or nothing."""
    named: set[str] = set(_VALUES.findall(one.text))
    for change in _changes_after(story, at) if named else ():
        new, old = (list(dict.fromkeys(_VALUES.findall(text))) for text in (change.new, change.old))
        gone: list[str] = [value for value in old if value not in new]
        if len(gone) == 1 and named & set(new):
            return gone[0]
    return ""


def disowned(story: Story, at: int) -> str:
    """Names and figures of what the assistant had just said, when the user answers that it is no longer so."""
    answer, reply = story.turns[at].text, story.last_reply(at)
    if not reply or not (changes.NO_LONGER_SO.search(answer) or _corrects_recital(reply, answer)):
        return ""
    said = spoken(reply)[0].text
    found = (*names.files(said, story.turns[at].cwd), *names.entities(said), *_FIGURES.findall(said))
    return " ".join(dict.fromkeys(name for name in found if name.lower() not in answer.lower()))[:120]


def recited(story: Story, at: int, *, is_changed: bool = False) -> str:
    """What the assistant had just told from memory, when the user answers that it is wrong or over; else nothing."""
    reply = story.last_reply(at)
    if not reply or not (is_changed or _corrects_recital(reply, story.turns[at].text)):
        return ""
    return " ".join(one.text for one in spoken(reply) if cues.RECALLED.search(one.masked) and not one.asks)[:400]


def _corrects_recital(reply: str, answer: str) -> bool:
    """Whether the assistant told what it remembers, and the user that it is wrong or has changed."""
    if not cues.RECALLED.search(reply):
        return False
    said = [one for one in spoken(answer) if not one.asks]
    return any(is_change(one.text) or changes.NO_LONGER_SO.search(one.text) for one in said) or any(
        cues.CORRECTION.search(one.masked) for one in said[:1]
    )


def _changes_after(story: Story, at: int) -> Iterator[Change]:
    end = story.next_prompt(at)
    return (change for change in story.changes if change.at > at and (end == at or change.at < end))
