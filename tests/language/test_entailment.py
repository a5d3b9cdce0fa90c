"""The built-in judge: what it must get right, how often it is right, and the laws it keeps."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories import sized
from nous.language.compare.judge import ACTS_ALONE, Judgement, judge

DATA = Path(__file__).parent.parent / "data"


class Pair(msgspec.Struct):
    a: str
    b: str
    label: str


def pairs(half: str) -> list[Pair]:
    lines = (DATA / f"fact-pairs-{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [msgspec.json.decode(line, type=Pair) for line in lines]


PAIRS = [(pair.a, pair.b) for half in ("dev", "test") for pair in pairs(half)]
SENTENCES = sorted({sentence for pair in PAIRS for sentence in pair})


@pytest.mark.parametrize(("half", "precision", "recall"), [("dev", 0.95, 0.85), ("test", 0.9, 0.78)])
def test_it_finds_most_contradictions_and_few_that_are_none(half: str, precision: float, recall: float) -> None:
    said = [(pair.label == "contradicts", judge(pair.a, pair.b).label == "contradiction") for pair in pairs(half)]
    both = sum(true and found for true, found in said)
    assert both / sum(found for _, found in said) >= precision
    assert both / sum(true for true, _ in said) >= recall


@pytest.mark.parametrize(("half", "right"), [("dev", 0.9), ("test", 0.84)])
def test_it_tells_the_four_relations_apart(half: str, right: float) -> None:
    found = [pair.label == judge(pair.a, pair.b).relation for pair in pairs(half)]
    assert len(found) > 200
    assert sum(found) / len(found) >= right


@pytest.mark.parametrize("half", ["dev", "test"])
def test_where_it_acts_alone_nine_in_ten_are_right(half: str) -> None:
    alone = [
        pair.label == "contradicts"
        for pair in pairs(half)
        if (found := judge(pair.a, pair.b)).label == "contradiction" and found.confidence >= ACTS_ALONE
    ]
    assert len(alone) > 50
    assert sum(alone) / len(alone) >= 0.9


@pytest.mark.parametrize(
    ("a", "b", "relation"),
    [
        ("The dev server runs on port 3000.", "The dev server runs on port 8080.", "contradicts"),
        ("Feature branches start from main.", "Feature branches start from develop.", "contradicts"),
        ("Components are written as classes.", "Components are written as functions.", "contradicts"),
        ("The cache TTL is 5 minutes.", "The cache TTL is 300 seconds.", "same"),
        ("Use black for formatting.", "Use black for formatting, except in generated code.", "refines"),
        ("In production the log level is info.", "In tests the log level is debug.", "unrelated"),
        ("We used to deploy with Jenkins.", "We deploy with GitLab.", "unrelated"),
        ("The importer supports CSV.", "The importer supports XML.", "unrelated"),
        ("Never edit files under generated/.", "Never edit files under vendor/.", "unrelated"),
        ("The dev server runs on port 3000.", "The mock server runs on port 3001.", "unrelated"),
    ],
)
def test_structure_comes_before_words(a: str, b: str, relation: str) -> None:
    assert judge(a, b).relation == relation


def test_two_values_in_one_slot_stand_against_each_other_however_they_are_worded() -> None:
    pair = "Builds happen on Ada's box.", "The thing compiles at hetzner-7."
    assert judge(*pair).label == "neutral"
    assert judge(*pair, same_slot=True).label == "contradiction"


def test_the_more_exact_sentence_implies_the_other_and_not_the_reverse() -> None:
    less, more = "Use black for formatting.", "Use black for formatting with a line length of 100."
    assert judge(more, less).label == "entailment"
    assert judge(less, more).label == "neutral"


def test_a_judgement_says_why() -> None:
    assert judge("Redis runs on 6379.", "Redis runs on 6380.").reasons == ("two values: 6379/6380",)


@settings(max_examples=sized(30, 300), deadline=None)
@given(st.one_of(st.sampled_from(PAIRS), st.tuples(*[st.sampled_from(SENTENCES) | st.text(max_size=60)] * 2)))
def test_a_contradiction_is_the_same_from_both_sides(pair: tuple[str, str]) -> None:
    there, back = judge(*pair), judge(*reversed(pair))
    assert (there.label == "contradiction") == (back.label == "contradiction")
    assert there.relation == back.relation
    if there.label == "contradiction":
        assert there == back


@settings(max_examples=sized(30, 200), deadline=None)
@given(st.sampled_from(SENTENCES) | st.text(max_size=80))
def test_nothing_contradicts_itself(sentence: str) -> None:
    found: Judgement = judge(sentence, sentence)
    assert found.label != "contradiction"
    assert 0.0 <= found.confidence <= 1.0
