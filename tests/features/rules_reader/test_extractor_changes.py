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
        )
        for number, one in enumerate(learnings, 1)
    ]


def superseded(old: str, new: str) -> set[int]:
    before = known(learned(old))
    return {number for one in learned(new) for number in judge(one, "2026-02-01T00:00:00Z", before).supersedes}


def test_what_changed_takes_the_place_of_what_was() -> None:
    """Wherever both are learned, a changed statement takes the place of the first."""
    asked = [(f"Remember: {old}", f"Remember: {new}") for old, new in pairs("changes.txt")]
    told = [(old, new) for old, new in asked if learned(old) and learned(new)]
    assert len(told) >= 0.65 * len(asked)
    assert len([(old, new) for old, new in told if not superseded(old, new)]) <= 0.1 * len(told)


@pytest.mark.parametrize(("old", "new"), pairs("apart.txt"))
def test_neighbours_stay(old: str, new: str) -> None:
    assert superseded(old, new) == set()
