"""What later words do to what was learned before: values change, choices are taken back, and neighbours stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from nous.features.rules_reader.extractor import extract
from nous.kernel.capture.transcript import Turn
from nous.kernel.learn.relearn import judge
from nous.kernel.log.extraction import Learning
from nous.kernel.memory.memory import Memory
from nous.kernel.types import TYPES
from nous.providers.words import word_likeness

DATA = Path(__file__).parents[2] / "data" / "learning"


def pairs(name: str) -> list[tuple[str, str]]:
    lines = (DATA / name).read_text("utf-8").splitlines()
    rows = [line.split(" => ") for line in lines if line and not line.startswith("#")]
    return [(old, new) for old, new in rows]


def learned(said: str) -> list[Learning]:
    """What one prompt teaches, noted by the assistant and followed by another."""
    words = [
        ("prompt", "please continue with the task"),
        ("reply", "Done."),
        ("prompt", said),
        ("reply", "Understood."),
        ("prompt", "next"),
        ("reply", "Ok."),
    ]
    turns = [
        Turn(uuid=f"u{at}", kind=kind, at="2026-01-05T10:00:00Z", session_id="s", text=text)  # type: ignore[arg-type]
        for at, (kind, text) in enumerate(words)
    ]
    return [one for one in extract(turns) if isinstance(one, Learning)]


def known(learnings: list[Learning]) -> list[Memory]:
    return [
        Memory(
            id=number,
            learning_id=str(number),
            project_id="p",
            session_id="s",
            type=one.type,
            kind=TYPES[one.type].kind,
            content=one.content,
            created_at="2026-01-01T00:00:00Z",
            version=1,
            slot=one.slot,
            files=one.files,
            tags=one.tags,
            temporal_confidence=one.temporal_confidence,
        )
        for number, one in enumerate(learnings, 1)
    ]


def outcomes(old: str, new: str) -> tuple[set[int], set[int]]:
    """What ends, and what a person is asked about."""
    before = known(learned(old))
    found = [judge(one, "2026-02-01T00:00:00Z", before, word_likeness, by_user=True) for one in learned(new)]
    return {one for each in found for one in each.supersedes}, {one for each in found for one in each.asks}


def test_what_changed_takes_the_place_of_what_was() -> None:
    """Wherever both are learned, a changed statement takes the place of the first."""
    asked = [(f"Remember: {old}", f"Remember: {new}") for old, new in pairs("changes.txt")]
    told = [(old, new) for old, new in asked if learned(old) and learned(new)]
    assert len(told) >= 0.65 * len(asked)
    found = [outcomes(old, new) for old, new in told]
    assert sum(bool(ended or asked) for ended, asked in found) >= 0.8 * len(told)
    assert sum(bool(ended) for ended, _ in found) >= 0.5 * len(told)


@pytest.mark.parametrize(("old", "new"), pairs("apart.txt"))
def test_neighbours_stay(old: str, new: str) -> None:
    assert outcomes(old, new)[0] == set()
