"""Two rankings of the same memories: what they have in common, and how strictly a model's choice is read."""

from __future__ import annotations

from typing import Any

import pytest

from nous.core.agreement import agreement, parse_best
from nous.errors import BadOutput

SHOWN = list(range(1, 31))
TEN = list(range(1, 11))


def test_the_same_choice_in_the_same_order_is_full_agreement() -> None:
    found = agreement("p", "m", 40, SHOWN, TEN, SHOWN)
    assert (found.overlap, found.is_tuned, found.shown, found.memories) == (1.0, True, 30, 40)
    assert found.correlation == pytest.approx(1.0)


def test_the_same_in_reverse_has_all_in_common_and_no_order() -> None:
    found = agreement("p", "m", 30, SHOWN, TEN[::-1], SHOWN)
    assert found.overlap == 1.0 and found.correlation == pytest.approx(-1.0)


@pytest.mark.parametrize(("common", "is_tuned"), [(10, True), (9, True), (8, False), (0, False)])
def test_more_than_85_percent_counts_as_tuned(common: int, is_tuned: bool) -> None:
    chosen = [*TEN[:common], *range(21, 31 - common)]
    found = agreement("p", "m", 30, SHOWN, chosen, SHOWN)
    assert (found.overlap, found.is_tuned) == (common / 10, is_tuned)


def test_a_handful_of_memories_tells_nothing() -> None:
    found = agreement("p", "m", 10, TEN, TEN, TEN)
    assert found.overlap == 1.0 and not found.is_telling and not found.is_tuned


def test_what_was_not_shown_does_not_count_and_what_we_did_not_rank_is_last() -> None:
    found = agreement("p", "m", 30, SHOWN, [3, 1, 29, 30], [99, 3, 98, 1])
    assert found.ours == (3, 1) and found.overlap == 0.2
    assert found.correlation == pytest.approx(0.9487, abs=1e-4)  # ranks 0 1 2 3 against 0 1 2.5 2.5
    assert agreement("p", "m", 30, SHOWN, [28, 29, 30], [1]).correlation is None
    assert agreement("p", "m", 30, SHOWN, [1, 2], [1, 2]).correlation is None


@pytest.mark.parametrize("given", ['{"best": [3, 1]}', {"best": [3, 1]}])
def test_a_choice_is_read(given: Any) -> None:
    assert parse_best(given, SHOWN) == (3, 1)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "1, 2",
        "[1]",
        {},
        {"best": []},
        {"best": ["1"]},
        {"best": [1, 1]},
        {"best": [99]},
        {"best": [1.5]},
        {"best": list(range(1, 12))},
        {"best": [1], "why": "x"},
        None,
    ],
)
def test_anything_else_is_refused(given: Any) -> None:
    with pytest.raises(BadOutput):
        parse_best(given, SHOWN)
