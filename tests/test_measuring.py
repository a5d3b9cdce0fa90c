"""The bootstrap that says whether a change of the reader is real."""

from __future__ import annotations

from collections import Counter

from bench.realtalk import RATIOS, compared, shares


def played(found: int) -> dict[str, dict[str, Counter[str]]]:
    """Six projects of eight sessions, each with ten facts of which some are found."""
    return {
        f"project {number}": {f"session {at}": Counter(facts=10, found=found + (at + number) % 3) for at in range(8)}
        for number in range(6)
    }


def test_a_gain_everywhere_is_real_and_one_by_luck_is_not() -> None:
    said = {line.split()[0]: line for line in compared(played(4), played(6), draws=200)}
    assert said["found"].endswith(": real")
    assert said["found"].split()[1] == "+20.0"
    assert all(line.endswith("may be chance") for name, line in said.items() if name != "found")

    lucky = played(4)
    lucky["project 0"]["session 0"]["found"] += 5
    said = {line.split()[0]: line for line in compared(played(4), lucky, draws=200)}
    assert said["found"].endswith("may be chance")


def test_a_share_of_nothing_is_nothing() -> None:
    assert shares({}) == dict.fromkeys(RATIOS, 0.0)
