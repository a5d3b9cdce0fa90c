"""What is said later ends what was known, through capture and learning; a hint that ends nothing leaves no trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.changes import Pair, play

from factories import NOW
from kernel.test_capture import lines, record
from nous.app import Nous
from nous.config import load_settings
from nous.kernel.capture.intake import take_in
from nous.kernel.learn.learn import learn_all
from nous.kernel.log.extraction import STANDING
from nous.kernel.stores import Stores, open_stores
from nous.kernel.views import memory_view
from nous.shells.cli.lines import details


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("never push to main", "you can push to main directly now"),
        ("remember: scheduling is plain cron on the vm", "cron is out, i set up airflow last weekend"),
        ("always ask Petra before you touch the billing module", "no need to ask Petra about billing anymore"),
    ],
)
def test_the_old_ends_and_the_new_is_known(old: str, new: str) -> None:
    found = play(Pair("p", old, new, True, (old[-14:],), (new[:14],)))
    assert found.outcome == "right", found


def test_a_hint_that_ends_nothing_is_not_kept(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    file.write_bytes(lines(record("you can push to main again")))
    take_in(stores, str(file), "historical_backfill", lambda: NOW)
    assert learn_all(stores, "w", lambda: NOW).learned == 0
    assert stores.memories.listing(None) == []


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("always use tabs for indentation", "Forget what I said about tabs: use two spaces.", "Use two spaces"),
        (
            "we always deploy from the release branch",
            "Forget what we said about deploys, deploy from main.",
            "Deploy",
        ),
        (
            "always put docs in the wiki",
            "Ignore what I said about the wiki: docs go into docs/.",
            "Docs go",
        ),
    ],
)
def test_what_is_to_hold_instead_is_kept_as_a_rule(old: str, new: str, kept: str) -> None:
    found = play(Pair("p", old, new, True, (old[-12:],), (f"^{kept}",)))
    assert found.outcome == "right", found
    assert [STANDING in one.tags for one in found.active] == [True]


@pytest.mark.parametrize(
    "then", ["fix the build", "let's look at the tests", "I was wrong", "just this once use spaces"]
)
def test_what_is_to_be_done_after_something_is_taken_back_is_no_rule(then: str) -> None:
    found = play(Pair("p", "always use tabs for indentation", f"Forget what I said about tabs, {then}.", True, (), ()))
    assert not any(STANDING in one.tags and one.content != found.known[0].content for one in found.active)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("never push to production on Fridays", "You can push on Fridays again, the freeze rule is gone."),
        ("never deploy on weekends", "You may deploy on weekends again, that rule is over."),
        ("never merge without Petra", "The review rule is gone, you can merge without Petra now."),
    ],
)
def test_two_halves_that_tell_of_one_change_end_the_rule(old: str, new: str) -> None:
    assert play(Pair("p", old, new, True, (old[-10:],), (new[:7],))).ended


@pytest.mark.parametrize(
    "new",
    [
        "Actually, change of plan: prices are stored as decimals because the bank API sends decimals.",
        "Hm, change of plans, prices are decimals from the bank.",
        "Prices are decimals now, the bank API sends decimals.",
        "ok, I changed my mind: prices are floats because the bank sends floats",
    ],
)
def test_another_word_about_what_a_person_corrected_ends_it_or_is_asked_about(tmp_path: Path, new: str) -> None:
    settings = load_settings({"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)})
    with Nous(open_stores(":memory:"), settings, lambda: "2026-10-01T00:00:00.000Z") as nous:
        first = nous.remember("Prices are floats", project="/nowhere/app")
        corrected = nous.correct(first, "Prices are integer cents")
        file = tmp_path / "s1.jsonl"
        file.write_bytes(lines(record(new, cwd="/nowhere/app")))
        take_in(nous.stores, str(file), "historical_backfill", lambda: NOW)
        assert learn_all(nous.stores, "w", lambda: NOW).learned == 1
        old = nous.get(corrected)
        asked = [row for row in nous.stores.graph.of(old.learning_id) if row["rel_type"] == "contradicts"]
        assert old.status == "superseded" or asked


def test_what_is_taken_back_by_name_is_not_what_was_said_just_before() -> None:
    new = "Always sign your commits. Forget what I said about tabs: use two spaces."
    active = play(Pair("p", "always use tabs for indentation", new, True, ("tabs for",), ("two",))).active
    assert sorted(one.content[:8] for one in active) == ["Always s", "Use two "]


def test_a_memory_is_shown_without_loose_words_of_what_it_took_the_place_of() -> None:
    [memory] = play(Pair("p", "always use npm", "We dropped npm, always use pnpm.", True, ("npm",), ("pnpm",))).active
    assert memory.replaces
    gives = {"memory": memory_view(memory), "said": [], "others": {}, "archived_reason": ""}
    shown = "\n".join(details(None, None, None, gives))  # type: ignore[arg-type]
    assert memory.content in shown and "replaces" not in shown
