"""The terms under which a sentence is found: its own words first, and nothing invented."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nous.kernel.learn.names import concepts
from nous.kernel.log.extraction import MAX_CONCEPTS, MIN_CONCEPTS, Learning, check


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("We use PEP 621.", {"pep 621"}),
        ("Let's switch to `uv`.", {"uv"}),
        ("We have no acceptance test yet.", {"acceptance test"}),
        ("Fixtures belong into specs/apple_books.", {"specs/apple_books", "apple_books"}),
        ("That test name isn't BDD.", {"bdd", "test name"}),
    ],
)
def test_a_terse_sentence_gives_its_names_and_terms_too(said: str, wanted: set[str]) -> None:
    assert wanted <= set(concepts(said))


def test_a_sentence_with_enough_words_needs_nothing_from_around_it() -> None:
    said = "The billing worker keeps stale database connections after every deployment."
    assert concepts(said, "kafka kafka docker docker") == concepts(said)
    assert len(concepts(said)) >= MIN_CONCEPTS


def test_what_the_talk_keeps_coming_back_to_fills_up_and_passing_words_do_not() -> None:
    around = "The migration fails in the pipeline. Which migration? The nginx one, in every pipeline."
    found = concepts("Do not rush.", around)
    assert {"migration", "pipeline"} <= set(found)
    assert "nginx" not in found


def test_vague_words_and_halves_of_contractions_do_not_crowd_out_others() -> None:
    found = concepts("I wouldn't start with a good look, the scheduler drops cron jobs silently.")
    assert not {"wouldn", "good", "look", "start"} & set(found)


@given(st.text(max_size=200), st.text(max_size=200))
@example("see .venv/bin/ and ./ and `` ` `", "")
@example("İİİ ǅǅǅ ßẞ", "İİİ")
def test_concepts_of_any_text_keep_the_contract(said: str, around: str) -> None:
    found = concepts(said, around)
    assert len(found) <= MAX_CONCEPTS
    learning = Learning(content="x", type="fact", evidence=("u",), concepts=found)
    assert check(learning) is learning
