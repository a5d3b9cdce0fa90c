"""Bands of nearness and the measure of a hub."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nous.core.relations import Tier, centrality, tier


@pytest.mark.parametrize(
    ("nearness", "expected"),
    [(-1, None), (0.24, None), (0.25, "related"), (0.4, "suggested"), (0.5, "suggested"), (0.51, "duplicate")],
)
def test_nearness_falls_into_a_band(nearness: float, expected: Tier | None) -> None:
    assert tier(nearness) == expected


@given(st.integers(0, 10**6))
def test_centrality_grows_and_stays_below_one(degree: int) -> None:
    assert 0 <= centrality(degree) < centrality(degree + 1) < 1
    assert (centrality(degree) > 0.5) == (degree > 4)
