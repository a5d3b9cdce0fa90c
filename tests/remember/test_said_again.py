"""What users say again is known, with its occasions; what is pasted, printed or said by robots is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factories import NOW
from nous.core.evolve import INITIAL_STRENGTH
from nous.core.occasion import Occasion
from nous.core.recurrence import occasions_of
from nous.core.text import Wanted
from nous.providers import Embeddable, open_embedder
from nous.remember.capture import Intake
from nous.remember.learn import WorkerOptions, learn_all
from nous.remember.observe import Observed, observe_due
from nous.remember.projection import compare_with_replay
from nous.stores import Stores
from nous.stores.sayings import NEAR, Kept
from nous.stores.sqlite import Sqlite
from remember.test_capture import lines, record

RULES = ("Never edit or run the seeds file.", "Please never edit the seeds file and never run it.")


def tell(stores: Stores, folder: Path, session: str, *prompts: str, day: int = 1, **fields: Any) -> None:
    """A session of some prompts that is over, learned."""
    file = folder / f"{session}.jsonl"
    more = {"sessionId": session, "timestamp": f"2026-11-{day:02}T10:00:00.000Z"} | fields
    file.write_bytes(lines(*(record(text, **more) for text in prompts)))
    Intake(stores, lambda: NOW).take_in(str(file), "fs_watch")
    learn_all(stores, "w", lambda: NOW, WorkerOptions())


def observe(stores: Stores) -> Observed:
    embedder = open_embedder()
    assert embedder is not None
    return observe_due(stores, embedder, lambda: NOW)


def about(stores: Stores, word: str) -> list[Any]:
    numbers = [number for number, _ in stores.memories.search_text(Wanted((word,)), 50)]
    return [one for one in stores.memories.by_id(numbers) if one.status == "active"]


def kept(stores: Stores) -> int:
    """How many sentences wait to be said again."""
    assert isinstance(stores.db, Sqlite)
    return len(stores.db.connection.execute("SELECT 1 FROM sayings WHERE chance > 0").fetchall())


def test_what_is_said_in_a_second_session_is_a_sign_for_the_start(stores: Stores, tmp_path: Path) -> None:
    tell(stores, tmp_path, "s1", RULES[0], day=1)
    observe(stores)
    before = max(one.strength for one in about(stores, "seeds"))
    tell(stores, tmp_path, "s2", "Add an export. " + RULES[1], day=2)
    found = observe(stores)
    known = about(stores, "seeds")
    assert found.sessions == 1
    assert max(one.strength for one in known) > before
    assert any(one.strength > INITIAL_STRENGTH for one in known)
    assert any(len(one.evidence) > 1 for one in known), "both occasions are its evidence"


def test_observing_twice_changes_nothing_and_replay_gives_the_same(stores: Stores, tmp_path: Path) -> None:
    for day, rule in enumerate(RULES, 1):
        tell(stores, tmp_path, f"s{day}", rule, day=day)
    observe(stores)
    last = stores.events.last_id()
    assert observe(stores) == Observed()
    assert stores.events.last_id() == last
    assert compare_with_replay(stores, NOW).differences == []


def test_a_session_that_grows_is_observed_to_its_new_end(stores: Stores, tmp_path: Path) -> None:
    tell(stores, tmp_path, "s1", RULES[0], day=1)
    observe(stores)
    with (tmp_path / "s1.jsonl").open("ab") as file:
        file.write(lines(record("Use tabs in the Go files.", sessionId="s1")))
    Intake(stores, lambda: NOW).take_in(str(tmp_path / "s1.jsonl"), "fs_watch")
    learn_all(stores, "w", lambda: NOW, WorkerOptions())
    assert observe(stores).sessions == 1
    assert observe(stores).sessions == 0


def test_a_running_session_is_left_alone_and_one_from_the_future_is_not(stores: Stores, tmp_path: Path) -> None:
    tell(stores, tmp_path, "s1", RULES[0], timestamp="2026-11-10T11:58:00.000Z")
    assert observe(stores).sessions == 0
    tell(stores, tmp_path, "s2", RULES[0], timestamp="2031-01-01T00:00:00.000Z")
    assert observe(stores).sessions == 1


@pytest.mark.parametrize(
    "fields", [{"entrypoint": "sdk-cli"}, {"isMeta": True}, {"isSidechain": True, "agentId": "a1"}]
)
def test_nobody_but_a_person_says_something_again(stores: Stores, tmp_path: Path, fields: dict[str, Any]) -> None:
    for day in (1, 2, 3):
        tell(stores, tmp_path, f"s{day}", RULES[0], day=day, **fields)
    found = observe(stores)
    assert (found.learned, found.strengthened) == (0, 0)


def test_a_daily_template_is_not_a_rule(stores: Stores, tmp_path: Path) -> None:
    template = (
        "Never edit the seeds file.\nAlways run the linter before you finish.\nWrite a summary into notes/today.md."
    )
    for day in range(1, 6):
        tell(stores, tmp_path, f"s{day}", template, day=day)
    observe(stores)
    assert stores.db.all("sayings.due", quiet=NOW, now=NOW, limit=9) == []
    assert kept(stores) == 0


def test_another_projects_words_are_no_occasion(stores: Stores, tmp_path: Path) -> None:
    tell(stores, tmp_path, "s1", RULES[0], day=1, cwd="/nowhere/app")
    tell(stores, tmp_path, "s2", RULES[1], day=2, cwd="/nowhere/other")
    found = observe(stores)
    assert (found.sessions, found.learned, found.strengthened) == (2, 0, 0)


def test_a_session_without_prompts_and_one_without_tool_records(stores: Stores, tmp_path: Path) -> None:
    tell(stores, tmp_path, "s1", "hi", day=1)
    tell(stores, tmp_path, "s2", "hi", day=2)
    assert observe(stores) == Observed(sessions=2)


def test_purge_reaches_what_was_said(stores: Stores, tmp_path: Path) -> None:
    tell(stores, tmp_path, "s1", RULES[0], day=1)
    observe(stores)
    assert kept(stores) == 1
    stores.sayings.forget([], [], ["seeds"])
    assert kept(stores) == 0
    tell(stores, tmp_path, "s2", RULES[0], day=2)
    observe(stores)
    stores.sayings.forget(["s2"], [], [])
    assert stores.db.all("sayings.due", quiet=NOW, now=NOW, limit=9)[0]["session_id"] == "s2"


def test_vectors_in_memory_follow_the_table_and_what_was_erased_is_not_found(stores: Stores, tmp_path: Path) -> None:
    embedder = open_embedder()
    assert embedder is not None
    [asked] = embedder.documents([Embeddable(RULES[0])])
    project = None

    def near() -> list[str]:
        found = stores.sayings.near(str(project), embedder.model, [asked], "other", 0.75)
        return [one.session for one, _ in found[0].latest]

    for day, rule in enumerate(RULES, 1):
        tell(stores, tmp_path, f"s{day}", rule, day=day)
        observe(stores)
        project = about(stores, "seeds")[0].project_id
        assert near() == [f"s{number}" for number in range(1, day + 1)]
    stores.sayings.forget(["s2"], [], [])
    assert near() == ["s1"], "the vector is still held, the sentence is gone"
    tell(stores, tmp_path, "s3", "Never edit or run the seeds file, please.", day=3)
    observe(stores)
    assert near() == ["s1", "s2", "s3"], "transcripts that are kept are read again, under new numbers"


def test_of_what_is_said_every_day_only_the_latest_are_read_and_the_rest_is_counted(stores: Stores) -> None:
    embedder = open_embedder()
    assert embedder is not None
    [vector] = embedder.documents([Embeddable(RULES[0])])
    for number in range(NEAR + 25):
        said = Occasion(f"r{number}", 0, f"2026-01-01T00:00:{number % 60:02}.000Z", RULES[0], 0.5, f"s{number}")
        stores.sayings.put("p", f"s{number}", embedder.model, [Kept(said, vector)])
    [found] = stores.sayings.near("p", embedder.model, [vector], "new", 0.75)
    assert (len(found.latest), found.more) == (NEAR, 25)
    new = Occasion("new", 0, "2026-02-01T00:00:00.000Z", RULES[0], 0.5, "new")
    assert occasions_of(new, found.latest, found.more).sessions == NEAR + 26
