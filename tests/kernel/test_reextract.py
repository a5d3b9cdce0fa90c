"""Reading again: the old reading stays in the log, the new one follows from it, and nothing happens by itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from factories import Home, joined
from kernel.test_capture import lines, record
from kernel.test_learn import Clock
from nous.config import load_settings
from nous.features.rules_reader import extractor
from nous.kernel.capture.intake import take_in
from nous.kernel.capture.transcript import Turn
from nous.kernel.learn.learn import learn_all
from nous.kernel.learn.reextract import Rereading, RuleReader, after_upgrade, family, reextract
from nous.kernel.log.events import Archived, Event, Payload
from nous.kernel.log.extraction import Learning, Rejection
from nous.kernel.log.history import story
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import Stores

RULE = "We use pnpm, not npm."
PORT = "The dev server runs on port 4000."


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Reading:
    """An extractor that reads what a test says, each text from one record of the session."""

    def __init__(self, version: str, *said: tuple[int, str], **fields: Any):
        self.version = version
        self.said = said
        self.fields = fields

    def read(self, session_id: str, project_id: str, turns: Sequence[Turn]) -> list[Learning | Rejection]:
        made = {"type": "preference", "valid_from": "2026-11-09T10:00:00.000Z"} | self.fields
        return [Learning(content=text, evidence=(turns[at].uuid,), **made) for at, text in self.said]


def session(stores: Stores, folder: Path, clock: Clock, *words: str, version: str = "rules-0", **fields: Any) -> None:
    """A session, learned by an older version of the rules."""
    file = folder / f"{len(list(folder.iterdir()))}.jsonl"
    file.write_bytes(lines(*(record(word, sessionId=file.stem, **fields) for word in words)))
    take_in(stores, str(file), "fs_watch", clock)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(extractor, "EXTRACTOR_VERSION", version)
        learn_all(stores, "w", clock)


def memories(stores: Stores) -> dict[str, Memory]:
    return {memory.content: memory for memory in stores.memories.listing(None, status=None)}


def again(stores: Stores, reader: Any, clock: Clock, **given: Any) -> Rereading:
    report = reextract(stores, reader, clock, **given)
    assert compare_with_replay(stores, clock()).differences == []
    return report


def mark(stores: Stores, memory: Memory, kind: Any, clock: Clock) -> None:
    event = Event(
        learning_id=memory.learning_id,
        event_type=kind,
        idempotency_key=f"test:{kind}",
        payload=Archived(reason="forgotten by the user") if kind == "LearningArchived" else Payload(),
        session_id="t",
        project_id=memory.project_id,
        source="user_review",
    )
    stores.events.append([event], clock())
    catch_up(stores, clock())


def test_another_wording_supersedes_the_old_one_with_its_lineage(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE)
    [old] = memories(stores).values()
    new_words = "Packages are managed by pnpm here; npm is not used because of its lock file."
    report = again(stores, Reading("rules-9", (0, new_words)), clock)
    assert [change.kind for change in report.changes] == ["replaced"]
    known = memories(stores)
    new = known[new_words]
    assert (new.status, new.extractor) == ("active", "rules-9")
    assert (known[old.content].status, known[old.content].superseded_by) == ("superseded", new.learning_id)
    told = [
        (entry.depth, entry.event.event_type, entry.memory_id)
        for entry in story(stores.events, stores.memories, new.id)
    ]
    assert told == [
        (0, "LearningExtracted", old.id),
        (1, "LearningExtracted", new.id),
        (2, "LearningSuperseded", old.id),
    ]


def test_what_is_no_longer_found_grows_weaker(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE)
    [old] = memories(stores).values()
    report = again(stores, Reading("rules-9"), clock)
    assert report.count("weakened") == 1
    [now] = memories(stores).values()
    assert now.status == "active"
    assert now.strength == pytest.approx(old.strength - 0.2)
    last = stores.events.of_learning(old.learning_id)[-1]
    assert (last.event_type, last.parent_event_id) == ("LearningWeakened", old.id)
    assert last.payload.reason == "rules-9 no longer finds it"


def test_the_same_reading_changes_nothing(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE, PORT)
    before = stores.events.count()
    report = again(stores, RuleReader(), clock)
    assert {change.kind for change in report.changes} == {"same"}
    assert stores.events.count() == before


def test_what_was_told_to_every_project_goes_back_to_its_own(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, "In all my projects: we use pnpm, not npm.")
    [old] = memories(stores).values()
    assert old.scope == "global"
    reader = Reading("rules-9", (0, old.content), scope="project")
    assert [change.kind for change in again(stores, reader, clock).changes] == ["replaced"]
    standing = {memory.scope: memory.status for memory in stores.memories.listing(None, status=None)}
    assert standing == {"global": "superseded", "project": "active"}
    before = stores.events.count()
    again(stores, reader, clock)
    assert stores.events.count() == before


def test_what_is_found_for_the_first_time_is_added(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE, "Nothing much.")
    [old] = memories(stores)
    report = again(stores, Reading("rules-9", (0, old), (1, "Nothing much is said about the weather.")), clock)
    assert (report.count("new"), report.count("same")) == (1, 1)
    assert memories(stores)["Nothing much is said about the weather."].extractor == "rules-9"


def test_twice_is_once(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE, PORT)
    reader = Reading(
        "rules-9", (0, "Only pnpm manages packages; npm breaks the lock file."), (0, "A fresh idea altogether.")
    )
    first = again(stores, reader, clock)
    assert first.count("replaced") == 1 and first.count("weakened") == 1 and first.count("new") == 1
    before = stores.events.count()
    second = again(stores, reader, clock)
    assert {change.kind for change in second.changes} <= {"same", "kept"}
    assert stores.events.count() == before


def test_what_became_part_of_a_whole_is_not_said_to_be_new(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE, "Commits must always be signed.")
    one, other = stores.memories.listing(None, status=None)
    joined(stores, one, other, at=clock())
    report = again(stores, Reading("rules-9", (0, one.content), (1, other.content)), clock)
    assert report.count("new") == 0


def test_a_dry_run_says_it_and_does_nothing(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE)
    before = stores.events.count()
    report = again(stores, Reading("rules-9"), clock, dry_run=True)
    assert report.count("weakened") == 1
    assert report.versions == {"rules-0": 1}
    assert stores.events.count() == before


@pytest.mark.parametrize("kind", ["LearningPinned", "LearningConfirmed", "LearningArchived"])
def test_what_the_user_decided_stays(stores: Stores, tmp_path: Path, clock: Clock, kind: str) -> None:
    session(stores, tmp_path, clock, RULE)
    [old] = memories(stores).values()
    mark(stores, old, kind, clock)
    [decided] = memories(stores).values()
    again(stores, Reading("rules-9", (0, "Packages are managed by pnpm here, npm is out.")), clock)
    again(stores, Reading("rules-10"), clock)
    [now] = memories(stores).values()
    assert msgspec.structs.replace(now, version=decided.version) == decided


def test_only_the_named_version_and_only_its_family_are_touched(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE, version="rules-0")
    session(stores, tmp_path, clock, PORT, version="extract@abc/claude:haiku")
    assert again(stores, Reading("rules-9"), clock, dry_run=True).count("weakened") == 1
    assert again(stores, Reading("rules-9"), clock, from_version="extract@abc", dry_run=True).count("weakened") == 1
    assert again(stores, Reading("rules-9"), clock, from_version="rules-7", dry_run=True).count("weakened") == 0
    session(stores, tmp_path, clock, "We always squash before merging.", version="rules-12")
    assert again(stores, Reading("rules-20"), clock, from_version="rules-1", dry_run=True).count("weakened") == 0
    assert again(stores, Reading("rules-20"), clock, from_version="rules-12", dry_run=True).count("weakened") == 1
    assert (family("rules-1"), family("extract@1a2b/claude:haiku")) == ("rules", "extract")


def test_since_and_project_choose_sessions(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE, timestamp="2026-10-01T10:00:00.000Z")
    session(stores, tmp_path, clock, PORT, cwd="/nowhere/other")
    assert again(stores, Reading("rules-9"), clock, since="2026-11-01", dry_run=True).sessions == 1
    assert again(stores, Reading("rules-9"), clock, project_id="/nowhere/app", dry_run=True).sessions == 1


def test_a_session_that_is_not_kept_is_counted(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE)
    stores.transcripts.expire("9999")
    report = again(stores, Reading("rules-9"), clock)
    assert (report.sessions, report.unread, report.changes) == (0, 1, [])


def test_an_upgrade_alone_reads_nothing_again(home: Home, stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE)
    settings = load_settings(home.environ)
    assert after_upgrade(stores, settings, clock) is None
    wished = load_settings(home.environ | {"NOUS_REEXTRACT_ON_VERSION_CHANGE": "true"})
    report = after_upgrade(stores, wished, clock)
    assert report is not None and report.sessions == 1
