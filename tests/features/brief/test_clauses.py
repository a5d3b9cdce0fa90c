"""A line of a brief is shown as far as its memories may be."""

from __future__ import annotations

import msgspec
import pytest

from factories import NOW, memory
from nous.core.events import BriefLine
from nous.core.memory import Memory
from nous.features.brief.lines import standing_lines

LINE = "Install with pnpm in every package; deploy the shop only from the bastion host of Oslo."


def _known(**second: object) -> dict[str, Memory]:
    first = memory(1, "Install with pnpm in every package.", type="requirement")
    other = msgspec.structs.replace(memory(2, "Deploy the shop only from the bastion host of Oslo."), **second)
    return {"a": msgspec.structs.replace(first, learning_id="a"), "b": msgspec.structs.replace(other, learning_id="b")}


def _shown(known: dict[str, Memory]) -> list[str]:
    return [line.text for line in standing_lines([BriefLine(LINE, ("a", "b"))], known, NOW)]


def test_a_line_whose_memories_all_stand_is_shown_as_it_is() -> None:
    assert _shown(_known()) == [LINE]


def test_the_clause_of_a_memory_that_waits_for_review_is_left_out() -> None:
    assert _shown(_known(tainted=True)) == ["Install with pnpm in every package"]


@pytest.mark.parametrize("end", [{"status": "archived"}, {"status": "superseded"}, {"disputed": True}])
def test_what_was_forgotten_ended_or_disputed_takes_the_line_with_it(end: dict[str, object]) -> None:
    assert _shown(_known(**end)) == []


def test_a_memory_that_is_gone_takes_the_line_with_it() -> None:
    known = _known()
    del known["b"]
    assert _shown(known) == []


def test_what_the_clauses_are_about_stays_before_them() -> None:
    known = _known()
    first = msgspec.structs.replace(known["a"], content="UI: install with pnpm in every package.", tainted=True)
    line = BriefLine(f"UI work: {LINE[0].lower()}{LINE[1:]}", ("a", "b"))
    [shown] = standing_lines([line], known | {"a": first}, NOW)
    assert shown.text == "UI work: deploy the shop only from the bastion host of Oslo."
