"""Packets stay in budget, say nothing twice, and say the same for the same."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from factories import NOW, memory
from nous.core.moments import later
from nous.core.packing import HARD_LIMIT_UTF16, MAX_LINES, Entry, estimate_tokens, pack
from nous.core.types import TYPES
from nous.core.worth import entries, entry, is_injectable, line, worth

SHOWN = sorted(name for name, kind in TYPES.items() if kind.surface)
said = st.builds(
    lambda word, times: "- " + word * times, st.sampled_from(["word ", "ключ ", "設定", "🙂", "x"]), st.integers(0, 90)
)
kinds = st.tuples(st.sampled_from(SHOWN), said, st.floats(0, 2))


def numbered(rows: list[tuple[str, str, float]]) -> list[Entry]:
    """Entries as they may wait in a cache."""
    return [
        Entry(n, type_, line, estimate_tokens(line), trust, [], []) for n, (type_, line, trust) in enumerate(rows, 1)
    ]


def pools() -> st.SearchStrategy[list[Entry]]:
    return st.lists(kinds, max_size=60).map(numbered)


@given(pools(), st.integers(50, 3000))
def test_a_packet_never_exceeds_its_limits(pool: list[Entry], budget: int) -> None:
    packet = pack(pool, budget)
    assert estimate_tokens(packet.text) <= max(budget, 0)
    assert len(packet.text.encode("utf-16-le")) // 2 <= HARD_LIMIT_UTF16
    assert len(packet.memory_ids) <= MAX_LINES
    assert len(set(packet.memory_ids)) == len(packet.memory_ids)


@given(pools(), st.integers(0, 10_000))
def test_the_order_of_entries_does_not_matter(pool: list[Entry], seed: int) -> None:
    shuffled = list(pool)
    random.Random(seed).shuffle(shuffled)
    assert pack(pool, 800) == pack(shuffled, 800)


@given(pools(), st.sets(st.integers(1, 60)))
def test_what_was_seen_is_not_shown(pool: list[Entry], seen: set[int]) -> None:
    assert not seen & set(pack(pool, 1500, seen=seen).memory_ids)


def test_what_fits_the_session_comes_before_what_is_merely_good() -> None:
    pool = [entry(memory(n, f"Module {n} uses table_{n}."), NOW) for n in range(1, 100)]
    odd = entry(memory(500, "Loyalty points are rounded down.", confidence=0.3, files=("src/loyalty/points.py",)), NOW)
    assert 500 not in pack([*pool, odd], 300).memory_ids
    assert 500 in pack([*pool, odd], 300, focus={"loyalty"}).memory_ids


def test_nothing_to_say_is_an_empty_text() -> None:
    assert pack([], 1500).text == ""


def test_a_line_cites_its_memory() -> None:
    assert line(memory(7, "Use pnpm.")) == "- Use pnpm. [Memory #7: 2026-11-10]"


def test_the_same_thing_said_twice_is_said_once() -> None:
    twice = [memory(1, "Tests run with make check."), memory(2, "Tests run with make check", strength=0.9)]
    assert [one.id for one in entries(twice, NOW, "", 10)] == [2]


def test_worth_never_rises_with_age() -> None:
    ages = [worth(memory(), later(NOW, 86400.0 * days)) for days in (0, 1, 10, 100, 1000)]
    assert ages == sorted(ages, reverse=True)


def test_a_pinned_memory_does_not_fade() -> None:
    assert worth(memory(pinned=True), NOW) == worth(memory(pinned=True), later(NOW, 86400.0 * 900))


def test_only_what_is_true_here_and_now_is_shown() -> None:
    assert is_injectable(memory(), NOW, "main")
    for wrong in (
        memory(status="superseded"),
        memory(status="archived"),
        memory(tainted=True),
        memory(disputed=True),
        memory(valid_until=NOW),
        memory(type="work_state", branch="feature/x"),
    ):
        assert not is_injectable(wrong, NOW, "main")
    assert is_injectable(memory(type="work_state", branch="main"), NOW, "main")


def test_recent_work_is_recent() -> None:
    left_off = memory(type="work_state", branch="main")
    assert is_injectable(left_off, later(NOW, 86400.0 * 20), "main")
    assert not is_injectable(left_off, later(NOW, 86400.0 * 40), "main")
