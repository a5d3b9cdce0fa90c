"""An episode in a model's words: what it is asked with, and its answer read strictly."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from nous.core.episodes import Episode
from nous.core.exchanges import Account, excerpt, outcome
from nous.core.likeness import tokens
from nous.core.packing import neutral
from nous.errors import BadOutput

LONGEST_SUMMARY = 400
LONGEST_LABEL = 90
ROOM = 300  # characters of either side of an exchange that a model reads
MOST = 40  # exchanges of an episode that it reads, the last ones

TOLD_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"summary": {"type": "string"}, "labels": {"type": "array", "items": {"type": "string"}}},
    "required": ["summary", "labels"],
    "additionalProperties": False,
}


class EpisodeWords(NamedTuple):
    """What a model says of an episode: a summary, and labels of its exchanges by the record that each begins with."""

    summary: str
    labels: dict[str, str]


class _Answer(msgspec.Struct):
    summary: str
    labels: list[str]


def source(told: Episode) -> str:
    """A mark of everything that an episode is made of: when it grows, what was written of it is no longer true."""
    rules = msgspec.structs.replace(told, by="rules")
    return hashlib.blake2b(msgspec.json.encode(rules), digest_size=8).hexdigest()


def notes(told: Episode, stretch: Sequence[Account]) -> str:
    """An episode as a model reads it: what was done in all, then each exchange with what was wanted and came of it."""
    done = {
        "files changed": told.files,
        "commits": told.commits,
        "passed": told.passed,
        "still failing": told.failing,
        "left open": told.open_ends,
    }
    lines = [f"{name}: {', '.join(values)}" for name, values in done.items() if values]
    for nth, account in enumerate(stretch[-MOST:], 1):
        wanted = excerpt(account.asked.text, "", 0, len(account.asked.text), ROOM)
        lines.append(f"[{nth}] wanted: {wanted or 'nothing was said'}\n    came of it: {outcome(account, ROOM)}")
    return "\n".join(lines)


def parse_told(answer: Any, stretch: Sequence[Account]) -> EpisodeWords:
    """The summary and the labels in an answer; one that says nothing, or has not a label for each, is refused."""
    try:
        read = msgspec.json.decode(answer, type=_Answer) if isinstance(answer, str) else None
        said = read or msgspec.convert(answer, _Answer)
    except (msgspec.ValidationError, msgspec.DecodeError) as wrong:
        raise BadOutput(f"the summary is not what was asked for: {wrong}") from None
    told = list(stretch[-MOST:])
    if not tokens(said.summary) or len(said.labels) != len(told):
        raise BadOutput("the summary says nothing, or not every exchange has a label")
    labels = {
        account.uuid: " ".join(neutral(label).split())[:LONGEST_LABEL]
        for account, label in zip(told, said.labels, strict=True)
        if tokens(label)
    }
    return EpisodeWords(" ".join(neutral(said.summary).split())[:LONGEST_SUMMARY], labels)
