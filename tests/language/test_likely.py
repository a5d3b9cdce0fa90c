"""What is only likely: pairs that strangers wrote, with floors, and what may never be taken for the same."""

from __future__ import annotations

import pytest
from bench.pairs import Pair, crossed, outcome, said

from nous.language.compare.differences import difference, settled
from nous.language.compare.likely import is_short, marked_words, stance, telling
from nous.providers.words import word_likeness

PAIRS = said()


def test_most_changes_are_acted_on_and_what_ends_something_is_right() -> None:
    found = [(pair, outcome(pair)) for pair in PAIRS]
    changes = [what for pair, what in found if pair.means == "ends"]
    ended = [pair for pair, what in found if what == "ended"]
    asked = [pair for pair, what in found if what == "asked" and pair.kind == "different"]
    assert sum(what in ("ended", "asked") for what in changes) >= 0.79 * len(changes)
    assert sum(pair.means == "ends" for pair in ended) >= 0.95 * len(ended)
    assert len(asked) <= 0.16 * sum(pair.kind == "different" for pair in PAIRS)


def test_sayings_of_different_pairs_leave_each_other_alone() -> None:
    found = [outcome(pair) for pair in crossed(PAIRS, 400)]
    assert found.count("ended") + found.count("same") <= 0.03 * len(found)
    assert found.count("asked") <= 0.15 * len(found)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("Screenshots go to Imgur.", "Screenshots have moved to our own bucket.", "ended"),
        ("The nightly job may write to the ledger.", "The nightly job must not write to the ledger.", "ended"),
        ("The billing team eats on Mondays.", "The parser sleeps on weekends.", "apart"),
        ("Lamps are bought from Osram.", "The parser is written by hand.", "apart"),
    ],
)
def test_what_becomes_of_a_pair(old: str, new: str, what: str) -> None:
    assert outcome(Pair(old, new, "")) == what


def test_a_saying_means_one_of_many_at_most() -> None:
    new, old = "Backups are uploaded to Backblaze.", ["Backups go to the NAS.", "Backups are taken at night."]
    alone = [difference(new, one, word_likeness) for one in old]
    beside = settled(alone)
    assert all(one.likely for one in alone)
    assert [one.kind for one in settled(alone[:1])] == [alone[0].kind]
    assert settled([alone[0]] * 6)[0].kind == "open"  # six as likely: nobody can tell
    assert sum(one.kind == "unrelated" or one.kind == "open" for one in beside) >= sum(
        one.kind == "unrelated" or one.kind == "open" for one in alone
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Explain what you do step by step.", "Stop explaining every step."),
        ("Keep the old endpoints.", "The old endpoints can go."),
        ("Writing tests is a must.", "You don't have to write tests."),
        ("Always ask before deleting.", "Whenever you like, delete."),
    ],
)
def test_what_is_against_another_is_never_the_same(old: str, new: str) -> None:
    assert difference(new, old, word_likeness).kind != "same"


def test_nothing_without_something_is_no_ban() -> None:
    assert stance("No merge without a review.") == "wants"
    assert stance("Keine Änderung ohne Test.") == "wants"


def test_other_names_are_never_the_same() -> None:
    assert difference("Go files are indented with tabs.", "Use tabs in Ruby files.", word_likeness).kind != "same"
    assert difference("Return at most 50 items from /orders.", "/users returns at most 50 items.").kind != "same"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Mocks are fine.", "allows"),
        ("Mocks are not allowed.", "forbids"),
        ("any está proibido", "forbids"),
        ("Pode usar any no TypeScript.", "allows"),
        ("You can skip the changelog.", "frees"),
        ("Squash before merging.", "wants"),
    ],
)
def test_a_saying_forbids_allows_frees_or_wants(text: str, what: str) -> None:
    assert stance(text) == what


def test_what_stands_out_are_names_figures_and_code() -> None:
    assert {"/users", "7"} <= marked_words("Return /users from `api.ts` with Redis 7")
    assert marked_words("we like what is asked") == frozenset()
    assert [word.said for word in telling("数据库")] == ["数", "据", "库"]
    assert not is_short("word " * 19)
