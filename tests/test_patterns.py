"""Every pattern that reads what others wrote takes time in proportion to the text, whatever the text is."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import pytest

from hostile import Found, cost, hostile, patterns
from nous.language.text import calm

SIZES = (50_000, 100_000, 200_000)
FLOOR = 0.03  # seconds for the smallest size; what is faster has no growth to speak of
ENOUGH = 1.0  # seconds for the smallest size after which there is nothing left to prove
GROWTH = 3.0  # twice the text: linear is 2, quadratic is 4

# These read sentences, which come from `calm`: no word and no gap in them is endless.
CALM = (
    "nous.features.rules_reader.extractor.",
    "nous.language.",
    "nous.language.compare.",
)
# And these read a line or a name of bounded length.
BOUNDED = {"registration.py": "the first line of a script"}


class TooLong(BaseException):
    """It takes so long that nobody need wait for the end."""


@lru_cache(maxsize=8192)
def seen(piece: Any, size: int, is_calm: bool) -> Any:
    """A text of a size as a pattern gets to see it."""
    text = (piece * (size // len(piece) + 1))[:size]
    return calm(text) if is_calm else text


def growth(found: Found, piece: Any) -> float:
    """By how much the time grows with twice the text; 0 when it takes too little to speak of growth."""
    is_calm = found.place.startswith(CALM) and isinstance(piece, str)
    try:
        with limited(ENOUGH):
            if cost(found, seen(piece, SIZES[0] // 16, is_calm)) < FLOOR / 256:  # even if it took the square
                return 0.0
            first = cost(found, seen(piece, SIZES[0], is_calm), tries=2)
        if first < FLOOR:
            return 0.0
        with limited(GROWTH**2 * 4 * ENOUGH):
            second = cost(found, seen(piece, SIZES[1], is_calm), tries=2)
            if second / first < GROWTH:
                return second / first
            return min(second / first, cost(found, seen(piece, SIZES[2], is_calm), tries=2) / second)
    except TooLong:
        return 99.0


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """So much time of this process and no more."""
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


@pytest.fixture
def alarm() -> Any:
    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    yield
    signal.signal(signal.SIGVTALRM, before)


def test_the_scan_finds_what_it_should() -> None:
    found = {one.pattern.pattern for one in patterns()}
    from nous.kernel.capture import transcript
    from nous.language import cues
    from nous.language.lexicon import pattern
    from nous.language.text import _WORD
    from nous.redact.rules import RULES

    assert len(found) > 400
    assert {transcript._REMINDER.pattern, transcript._CITATION.pattern, _WORD.pattern} <= found
    assert {rule.pattern.pattern for rule in RULES} <= found
    assert {one.pattern for one in cues.REMEMBER.patterns.values()} <= found
    assert {pattern("slots.port").pattern, pattern("claims.denies").pattern} <= found


@pytest.mark.usefixtures("alarm")
def test_a_slow_pattern_would_be_noticed() -> None:
    import re

    def growths(text: str, piece: str) -> list[float]:  # a busy machine hides a growth once, and never five times
        return [growth(Found("x", re.compile(text), False), piece) for _ in range(5)]

    assert max(growths(r"<nous\b[^>]*>", "<nous ")) >= GROWTH
    assert min(growths(r"<nous\b[^<>]*>", "<nous ")) < GROWTH
    assert max(growths(r"(?:a+)+b", "a")) >= GROWTH


@pytest.mark.slow
@pytest.mark.usefixtures("alarm")
def test_every_pattern_is_linear() -> None:
    slow = {}
    for found in patterns():
        if found.place.partition(":")[0] in BOUNDED:
            continue
        for piece in hostile(found.pattern):
            if (times := growth(found, piece)) >= GROWTH:
                slow[found.place, found.pattern.pattern[:80]] = (round(times, 1), piece[:30])
                break
    assert not slow, "\n".join(f"{place}: {said}" for place, said in slow.items())
