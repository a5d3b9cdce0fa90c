"""What two sayings differ in: the pairs of `change_pairs`, with floors, and the hand-made cases."""

from __future__ import annotations

import pytest

from language.change_pairs import Half, SayingPair, change_pairs, look_alikes
from nous.language.compare.claims import claim
from nous.language.compare.differences import Difference, difference, text_difference
from nous.providers.words import word_likeness

MEANS = {"new value": "ends", "opposite": "ends", "same": "same"}
RIGHT = 0.97  # of the pairs it acts on
CHANGES_FOUND = 0.9
KEPT_APART = 0.99  # of look-alikes that are about different things
REPETITIONS_FOUND = 0.88


def found(pair: SayingPair) -> Difference:
    return difference(pair.new, pair.old, word_likeness)


def share(some: list[SayingPair], of: list[SayingPair]) -> float:
    return len(some) / len(of)


@pytest.mark.parametrize("half", ["first", "second"])
def test_a_comparison_that_acts_is_right_and_most_changes_are_acted_on(half: Half) -> None:
    pairs = list(change_pairs(half))
    means = {pair: MEANS.get(found(pair).kind, "stays") for pair in pairs}
    acts = [pair for pair in pairs if means[pair] != "stays"]
    changes, repetitions = ([pair for pair in pairs if pair.expected == kind] for kind in ("ends", "same"))
    assert len(pairs) >= 400
    assert share([pair for pair in acts if means[pair] == pair.expected], acts) >= RIGHT
    assert share([pair for pair in changes if means[pair] == "ends"], changes) >= CHANGES_FOUND
    assert share([pair for pair in repetitions if means[pair] == "same"], repetitions) >= REPETITIONS_FOUND


@pytest.mark.parametrize("half", ["first", "second"])
def test_sayings_about_different_things_stay_apart(half: Half) -> None:
    pairs = list(look_alikes(half))
    assert len(pairs) >= 300
    assert share([pair for pair in pairs if found(pair).kind not in MEANS], pairs) >= KEPT_APART


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("Variable names start with 'm_'.", "Variable names start with 'vr_'.", "new value"),
        ("We deploy with Helm.", "We deploy with Kustomize, not Helm.", "new value"),
        ("Run the tests before the linter.", "Run the linter before the tests.", "opposite"),
        ("Run the tests with `npm test`", "Plain `npm test` hangs.", "opposite"),
        ("Plain `npm test` hangs.", "Run the tests with `npm test`", "opposite"),
        ("Push to main.", "Push to main only if the tests are green.", "narrower"),
        ("Use pnpm.", "Use pnpm, not npm.", "same"),
        ("Pallet 8 belongs to lane 1.", "Pallet 9 belongs to lane 2.", "unrelated"),
        ("Pallet 1 belongs to lane 2.", "Pallet 2 belongs to lane 1.", "unrelated"),
        ("Pallet 8 belongs to lane 1.", "Pallet 8 belongs to lane 2.", "new value"),
        ("Service 7 has port 5007.", "The service has port 5008.", "narrower"),
        ("Tests of billing run with `make test-billing`.", "Tests of auth run with `make test-auth`.", "unrelated"),
        ("Public methods need tests.", "Private methods need tests.", "unrelated"),
        ("Postgres is our database.", "MySQL is our database.", "unsure"),
        ("Retry 3 times after 5 seconds.", "Retry 4 times after 9 seconds.", "unsure"),
        ("Always retry requests 3 times after 5 seconds.", "Always retry requests 4 times after 9 seconds.", "unsure"),
        ("Utilise toujours des tabulations.", "N'utilise jamais de tabulations.", "opposite"),
        ("Всегда пушь в main.", "Никогда не пушь в main.", "opposite"),
        (
            "Requests to eu-west-1 time out after 10 seconds.",
            "Requests to us-east-1 time out after 10 seconds.",
            "unrelated",
        ),
        ("Always squash commits before merging.", "Don't squash commits any more.", "opposite"),
        ("Always squash commits before merging.", "Don't squash commits of others.", "unsure"),
        ("Run `make lint` before pushing.", "Run `make test` before pushing.", "unsure"),
        ("Tests of auth run with `make test-auth`.", "Tests of export run with `make test-export`.", "unrelated"),
        (
            "One of the conventions we follow is to end all function names with '_x'.",
            "Ensure that all function names end with the suffix '_b'.",
            "new value",
        ),
        (
            "In your Python code, start function names with 'a_'.",
            "From now on, start function names with 'b_'.",
            "new value",
        ),
        (
            "In our Go code, start function names with 'a_'.",
            "In our Python code, start function names with 'b_'.",
            "narrower",
        ),
        (
            "In the legacy module, start function names with 'a_'.",
            "From now on, start function names with 'b_'.",
            "narrower",
        ),
        (
            "From now on, when you're writing function arguments, end the variable names with '_i'.",
            "It's important that we stay consistent across our code base, so end function argument names with '_x'.",
            "new value",
        ),
        ("Don't touch anything under vendor/ or third_party/.", "Don't touch vendor/.", "narrower"),
        ("Exports time out after 30 seconds.", "Exports of invoices time out after 90 seconds.", "narrower"),
    ],
)
def test_a_pair(old: str, new: str, kind: str) -> None:
    assert difference(new, old, word_likeness).kind == kind


def test_a_single_letter_names_a_thing() -> None:
    found = difference("Crate B stands at gate 2.", "Crate A stands at gate 1.")
    assert found.reason == "their subjects name two things"
    assert difference("A crate stands at gate 2.", "A crate stands at gate 1.").kind == "new value"


def test_a_synonym_is_known_by_its_vector_and_a_neighbour_is_none() -> None:
    assert word_likeness("delete", "remove") > 0.5 > word_likeness("function", "method")
    assert difference("Delete logs.", "Remove logs.").kind != "same"
    assert difference("Delete logs.", "Remove logs.", word_likeness).kind == "same"


def test_a_text_says_the_same_when_each_of_its_sentences_is_said_there() -> None:
    known = "Never push to main. Names start with 'a_'."
    assert text_difference("Do not push to main.", known) == Difference("same", "each sentence is said there")
    assert text_difference("Names start with 'b_'.", known) is None  # `parts` ends that sentence alone


def test_what_is_refused_belongs_to_no_frame() -> None:
    one = claim("Deploy with Kustomize, not Helm, because Helm broke twice.")
    assert one.frame == claim("Deploy with Kustomize.").frame
    assert one.refused == claim("Helm").frame


def test_signs_of_ours_in_a_text_are_none() -> None:
    """Characters for private use mark values while two texts are compared; a text may have some of its own."""
    assert text_difference("Use \ue005 on port 8080.", "Use pnpm on port \uf123 8081.")
