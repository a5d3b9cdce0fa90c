"""The learned weights: what they say of sentences nobody wrote a pattern for, and whether they fit their features."""

from __future__ import annotations

import pytest
from bench.keeping import examples, recall_at
from hypothesis import given
from hypothesis import strategies as st

from nous.core.extractor.keeping import chance
from nous.core.extractor.speech import sentences_of


def likely(message: str, sentence: str) -> float:
    said = sentences_of(message)
    return next(chance(said, place) for place, one in enumerate(said) if sentence in one.text)


@pytest.mark.parametrize(
    ("message", "lasting", "passing"),
    [
        ("fix the export. the auditors want semicolons in those files", "semicolons", "fix the export"),
        ("parcels over 30 kg go by pallet. can you look at row 12?", "pallet", "row 12"),
        ("rename this variable. our surgeons read dates as day first", "day first", "rename"),
        ("die Waage meldet in Gramm. schau dir mal Zeile 40 an", "Gramm", "Zeile 40"),
    ],
)
def test_knowledge_told_in_passing_stands_out_from_the_request_beside_it(
    message: str, lasting: str, passing: str
) -> None:
    assert likely(message, lasting) > 2 * likely(message, passing)


@given(st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=4))
def test_any_text_has_a_chance_between_nothing_and_certainty(parts: list[str]) -> None:
    said = sentences_of(". ".join(parts))
    assert all(0.0 <= chance(said, place) <= 1.0 for place in range(len(said)))


def test_the_weights_fit_the_features_they_were_learned_for() -> None:
    some = examples()[::7]
    chances = [chance(one.said, one.place) for one in some]
    assert recall_at([one.kept for one in some], chances, 0.9) > 0.75, (
        "learn the weights anew: python -m bench.keeping --write"
    )
