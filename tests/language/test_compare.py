"""One question in one place: how a newer saying stands to an older one. Every row's own examples run here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories import sized
from nous.kernel.learn.relate import ENDS, TOLD, is_identical, is_same_slot, says_it_is_over
from nous.kernel.log.extraction import Learning
from nous.language.compare import weights
from nous.language.compare.change import ROWS, VETOES, Clue, SayingPair, Veto, chance, is_change, saying, words
from nous.language.compare.words import word_tables

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data" / "ending-pairs.jsonl").read_text(encoding="utf-8").splitlines()
]


def said(content: str, **fields: str | None) -> Learning:
    return Learning(content=content, type="fact", evidence=("u",), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("veto", VETOES, ids=lambda veto: veto.name)
def test_a_veto_holds_in_its_example_and_not_in_the_other(veto: Veto) -> None:
    assert veto.holds(SayingPair(*veto.fits))
    assert not veto.holds(SayingPair(*veto.unlike))
    assert chance(*veto.fits).ends == 0.0


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_sees_more_in_its_example_than_in_the_other(row: Clue) -> None:
    assert 0.0 <= row.see(SayingPair(*row.unlike)) < row.see(SayingPair(*row.fits)) <= 1.0


@pytest.mark.parametrize("least", [TOLD, ENDS])
def test_what_is_hardly_likely_is_found_without_the_dear_questions(least: float) -> None:
    told = [texts for row in (*ROWS, *VETOES) for texts in (row.fits, row.unlike)]
    exact = {(new, old): chance(new, old).ends for new, _ in told for _, old in told}
    short = {texts: chance(*texts, least=least).ends for texts in exact}
    assert sum(one >= least for one in exact.values()) > 10
    assert all(short[texts] == ends if ends >= least else short[texts] < least for texts, ends in exact.items())


def test_every_row_has_a_weight() -> None:
    assert len(weights.ROWS) == len(ROWS)


def ended(row: dict[str, str]) -> bool:
    replaces = row.get("replaces")
    return chance(row["new"], row["old"], replaces).ends >= (TOLD if replaces else ENDS)


def test_of_the_written_endings_most_are_found() -> None:
    found = [ended(row) for row in PAIRS if row["ends"]]
    assert sum(found) / len(found) >= 0.7


@pytest.mark.parametrize("row", [row for row in PAIRS if not row["ends"]], ids=lambda row: row["new"])
def test_of_what_stays_nothing_is_ended(row: dict[str, str]) -> None:
    assert not ended(row)


@pytest.mark.parametrize(
    ("new", "old", "replaces"),
    [
        ("I renamed the repository but never renamed the folder here", "Here is the game folder, look in there.", "x"),
        ("can we cancel the commit I just made", "I don't want a git commit after each change.", None),
    ],
    ids=("spared", "a word of every project"),
)
def test_what_only_sounds_like_an_end_ends_nothing(new: str, old: str, replaces: str | None) -> None:
    assert chance(new, old, replaces).ends < TOLD


@pytest.mark.parametrize("new", ["We didn't just drop Redis, we dropped Postgres too", "We not only dropped redis"])
def test_what_is_said_to_be_more_than_an_end_is_one(new: str) -> None:
    assert saying(new).over


def test_who_left_is_gone_and_what_is_on_the_left_is_there() -> None:
    for gone in ("Mira left the team", "Mira left today", "Mira left to join Stripe", "Mira left Oracle"):
        assert [over.what for over in saying(gone).over] == [words("Mira")], gone
    assert saying("the labels left aligned").over == saying("the labels go to the left").over == []


def test_commands_that_work_stand_side_by_side_unless_one_takes_the_place_of_the_other() -> None:
    def works(command: str) -> Learning:
        slot = "known install|command"
        return Learning(content=f"Install with `{command}`", type="procedure", evidence=("u",), slot=slot)

    npm = works("npm install")
    assert not is_same_slot(works("pip install -r requirements.txt"), npm)
    assert is_same_slot(works("pnpm install"), npm)
    assert is_same_slot(works("./install.sh"), npm)
    assert is_same_slot(works("npm ci"), npm)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("17/65 tests now pass", "Coverage must stay above 85 %."),
        ("we just migrated the database to scale: 4", "4. Sunday"),
        ("phase 14 is next", "Phase 13 added file versioning."),
        ("I fixed 3 of the 12 issues", "The retry limit is 3."),
    ],
)
def test_numbers_alone_end_nothing(new: str, old: str) -> None:
    assert not says_it_is_over(said(new, replaces=""), said(old))


def test_the_reason_is_the_row_that_says_most() -> None:
    assert says_it_is_over(said("we dropped solr", replaces="solr"), said("Search runs on solr."))
    assert chance("we dropped solr", "Search runs on solr.", "solr").reason in {row.name for row in ROWS}
    assert chance("management may drop redis some day", "Sessions live in redis.").reason == "supposed"


def test_a_change_is_told_from_a_question_about_one() -> None:
    assert is_change("we moved to nx")
    assert not is_change("should we move to nx?")


def test_no_word_of_a_caption_is_known() -> None:
    words = word_tables().alternatives.keys() | word_tables().opposites.keys()
    assert not {"pelican", "dinosaur", "guitar", "beach"} & words


@settings(max_examples=sized(60, 200), deadline=None)
@given(st.sampled_from([row["old"] for row in PAIRS]) | st.text(max_size=80))
def test_nothing_ends_itself(text: str) -> None:
    assert is_identical(said(text), said(text))
    assert 0.0 <= chance(text, text).ends < ENDS
