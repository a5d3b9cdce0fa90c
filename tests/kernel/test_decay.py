"""How memories fade: never more sure without use, by halves, and not at all where a person said so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from factories import NOW, memory
from nous.kernel.memory.decay import DAY, Use, fading, half_life, is_faded, share_left
from nous.kernel.types import NEVER, TYPES
from nous.moments import later

ages = st.floats(0, 3000)


def after(days: float) -> str:
    return later(NOW, days * DAY)


@given(st.sampled_from(sorted(TYPES)), st.floats(0, 1), ages, ages, st.booleans(), st.booleans())
def test_nothing_grows_surer_without_use(
    type_: str, confidence: float, one: float, other: float, pinned: bool, is_used: bool
) -> None:
    held = memory(type=type_, confidence=confidence, pinned=pinned)
    use = Use(20, after(3)) if is_used else Use()
    early, late = sorted((one, other))
    assert fading(held, after(late), use).confidence <= fading(held, after(early), use).confidence
    assert is_faded(held, after(late), use) >= is_faded(held, after(early), use)


@pytest.mark.parametrize("type_", [name for name, row in TYPES.items() if row.half_life < NEVER])
def test_half_is_left_after_the_half_life_of_its_type(type_: str) -> None:
    held = memory(type=type_, confidence=0.8)
    assert fading(held, after(TYPES[type_].half_life)).confidence == pytest.approx(0.4)


def test_the_share_that_is_left() -> None:
    assert share_left(10, 60) == pytest.approx(0.891, abs=0.001)
    assert share_left(140, 60) == pytest.approx(0.198, abs=0.001)


@pytest.mark.parametrize("mark", ["pinned", "confirmed"])
def test_what_a_person_vouched_for_does_not_fade(mark: str) -> None:
    held = replace(memory(type="progress", confidence=0.2), **{mark: True})
    assert (fading(held, after(900)).kept, half_life(held), is_faded(held, after(900))) == (1.0, None, False)


@pytest.mark.parametrize("type_", ["decision", "architecture", "code", "code_description"])
def test_decisions_do_not_fade(type_: str) -> None:
    assert fading(memory(type=type_), after(2000)).kept == 1.0


@pytest.mark.parametrize(
    ("use", "factor"),
    [(Use(10), 1), (Use(11), 2), (Use(0, None, 0.5), 1), (Use(0, None, 0.51), 2), (Use(11, None, 0.9), 4)],
)
def test_what_is_used_often_and_what_others_hang_on_fades_half_as_fast(use: Use, factor: int) -> None:
    assert half_life(memory(type="gotcha"), use) == TYPES["gotcha"].half_life * factor


def test_use_and_repetition_begin_it_anew() -> None:
    held = memory(type="gotcha")
    assert fading(held, after(60), Use(1, after(60))).kept == 1.0
    assert fading(replace(held, last_said_at=after(50)), after(60)).since == after(50)


def test_a_memory_is_archived_after_two_weeks_below_the_threshold_and_not_before() -> None:
    held = memory(type="progress", confidence=0.6)  # half a life later, after seven days, it is at 0.3
    assert not is_faded(held, after(20.9))
    assert is_faded(held, after(21.1))
    assert not is_faded(held, after(21.1), Use(1, after(10)))
    assert not is_faded(held, after(900), Use(0, None, 0.6)), "a hub is never archived by itself"
