"""Vector clocks keep the laws that make comparing them meaningful."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nous.kernel.log.clocks import MAX_KEYS, bound_clock, canonical, compare, merge, parse, subsume, tick

SESSIONS = st.sampled_from([f"s{number}" for number in range(6)])
CLOCKS = st.dictionaries(SESSIONS, st.integers(1, 5))
FLIPPED = {"before": "after", "after": "before", "equal": "equal", "concurrent": "concurrent"}


@given(CLOCKS, CLOCKS, CLOCKS)
def test_merging_is_commutative_associative_and_idempotent(
    a: dict[str, int], b: dict[str, int], c: dict[str, int]
) -> None:
    assert merge(a, b) == merge(b, a)
    assert merge(a, merge(b, c)) == merge(merge(a, b), c)
    assert merge(a, a) == a == merge(a, {})


@given(CLOCKS, CLOCKS)
def test_who_has_seen_both_is_behind_neither(a: dict[str, int], b: dict[str, int]) -> None:
    assert compare(merge(a, b), a) in ("after", "equal")
    assert compare(merge(a, b), b) in ("after", "equal")


@given(CLOCKS, CLOCKS)
def test_comparing_the_other_way_round_gives_the_opposite(a: dict[str, int], b: dict[str, int]) -> None:
    assert compare(b, a) == FLIPPED[compare(a, b)]
    assert (compare(a, b) == "equal") == (a == b)


@given(CLOCKS, CLOCKS, CLOCKS)
def test_before_is_transitive(a: dict[str, int], b: dict[str, int], c: dict[str, int]) -> None:
    if compare(a, b) == "before" and compare(b, c) == "before":
        assert compare(a, c) == "before"


@given(CLOCKS, SESSIONS)
def test_a_learning_counts_only_its_own_session_and_comes_after(clock: dict[str, int], session: str) -> None:
    after = tick(clock, session)
    assert compare(clock, after) == "before"
    assert {key: count for key, count in after.items() if key != session} == {
        key: count for key, count in clock.items() if key != session
    }
    assert after[session] == clock.get(session, 0) + 1


@given(CLOCKS, st.lists(CLOCKS, max_size=4), SESSIONS)
def test_a_session_that_was_given_memories_subsumes_their_clocks(
    clock: dict[str, int], given_clocks: list[dict[str, int]], session: str
) -> None:
    next_event = tick(subsume(clock, given_clocks), session)
    assert all(compare(seen, next_event) == "before" for seen in given_clocks)
    assert compare(clock, next_event) == "before"


def test_sessions_that_knew_nothing_of_each_other_are_concurrent() -> None:
    a, b = tick({}, "a"), tick({}, "b")
    assert compare(a, b) == "concurrent"
    assert compare(a, tick(subsume(b, [a]), "b")) == "before"


@given(st.integers(1, 200), st.integers(0, 200))
def test_at_most_64_sessions_are_kept_one_of_them_its_own(peers: int, mine: int) -> None:
    clock = {f"p{number}": 1 for number in range(peers)}
    kept = tick(clock, f"p{mine}")
    assert len(kept) <= MAX_KEYS == 64
    assert f"p{mine}" in kept


def test_those_observed_last_are_kept() -> None:
    clock = {"me": 7} | {f"p{number}": 1 for number in range(100)}
    kept = bound_clock(clock, "me")
    assert set(kept) == {"me"} | {f"p{number}" for number in range(37, 100)}
    seen_again = merge(clock, {"p0": 1})
    assert "p0" in bound_clock(seen_again, "me") and "p37" not in bound_clock(seen_again, "me")


@given(CLOCKS)
def test_the_stored_form_has_sorted_keys_and_reads_back(clock: dict[str, int]) -> None:
    stored = canonical(clock)
    assert parse(stored) == clock
    keys = list(parse(stored))
    assert all(a < b for a, b in pairwise(keys))
    assert canonical(dict(reversed(clock.items()))) == stored


@pytest.mark.parametrize("nothing", [None, "", "{}"])
def test_a_missing_clock_is_empty(nothing: str | None) -> None:
    assert parse(nothing) == {}
    assert compare(parse(nothing), {}) == "equal"
