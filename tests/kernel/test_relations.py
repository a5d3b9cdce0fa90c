"""The measure of a hub."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nous.kernel.memory.graph import centrality


@given(st.integers(0, 10**6))
def test_centrality_grows_and_stays_below_one(degree: int) -> None:
    assert 0 <= centrality(degree) < centrality(degree + 1) < 1
    assert (centrality(degree) > 0.5) == (degree > 4)
