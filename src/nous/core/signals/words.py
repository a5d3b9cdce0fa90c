"""Signals of what an agent says about its own mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nous.core.language.sentences import sentences
from nous.core.session import Story
from nous.core.sighting import Sighting
from nous.core.signals.phrases import DEAD_ENDS, SELF_CORRECTIONS, Phrase
from nous.core.signals.seen import MOST, short
from nous.core.text import STOP_WORDS, plain_words

LONG = 40  # characters of a correction that says what is so
_SOON = re.compile(r"\b(?:let me|let's|I'll|I will|I need to|now I|next)\b", re.I)
# Most replies have none of these, and no more than the lines around one are read.
_HINTS = (
    *("i was wrong ", "i was mistaken ", "let me re", "let me think again", "let me try ", "actually", "wait,"),
    *("correction:", "i initially ", "i first ", "i wrongly ", "i mistakenly ", " approach ", "to abandon "),
    "available in ",
)
_STEP = {"itself": 0, "after": 1, "before": -1}


def self_correction(story: Story) -> Iterator[Sighting]:
    """A sentence in which the agent takes back what it believed and says what is so."""
    found = 0
    for turn in story.turns:
        if turn.kind != "reply" or found >= MOST:
            continue
        for text in dict.fromkeys(said_by(turn.text, (*SELF_CORRECTIONS, *DEAD_ENDS))):
            if found < MOST:
                found += 1
                yield Sighting("self_correction", _key(text), short(text), (turn.uuid,))


def said_by(reply: str, phrases: Sequence[Phrase]) -> Iterator[str]:
    """The sentences of a reply that say what is so, where one of some phrases announces them."""
    lines = reply.splitlines()
    hinted = [at for at, line in enumerate(lines) if has_hint(line)] if has_hint(reply) else []
    said = sentences("\n".join(lines[at] for at in _around(hinted, len(lines)))) if hinted else []
    for at, one in enumerate(said):
        for phrase in phrases:
            place = at + _STEP[phrase.tells]
            if phrase.pattern.search(one.text) and 0 <= place < len(said):
                told = said[place]
                if len(told.text) >= LONG and not told.asks and not _SOON.search(told.text):
                    yield told.text


def has_hint(text: str) -> bool:
    """Whether a text may hold one of the phrases."""
    text = text.lower()
    return any(hint in text for hint in _HINTS)


def _around(places: Sequence[int], end: int) -> list[int]:
    """Places with two neighbours before and after each: a blank line may stand between two that belong together."""
    return sorted({near for at in places for near in range(max(0, at - 2), min(end, at + 3))})


def _key(text: str) -> str:
    words = [word for word in plain_words(text) if word not in STOP_WORDS]
    return " ".join(sorted(set(words))[:12])
