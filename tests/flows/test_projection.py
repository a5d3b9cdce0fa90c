"""Whatever happened, in whatever pieces it was taken in: the read models are what a replay of the log gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from factories import NOW, extracted, sized
from nous.errors import NousError, StoreError
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.feature import Projector
from nous.kernel.log.events import (
    STREAM_OF,
    Archived,
    BriefLine,
    BriefLineDropped,
    BriefLineEdited,
    BriefLineKept,
    BriefLinePinned,
    BriefLinePlaced,
    BriefWritten,
    Contested,
    Contradicted,
    Edge,
    EntityMerged,
    EntityRejected,
    EntityRenamed,
    EntitySplit,
    Erased,
    Event,
    EventType,
    MemoryGroup,
    Payload,
    ProjectTidied,
    ProjectTrusted,
    Reinforced,
    Rescoped,
    Reviewed,
    RulesApplied,
    SessionObserved,
    SessionRead,
    Superseded,
    Undone,
    Validated,
    Weakened,
    is_global_id,
)
from nous.kernel.log.extraction import EdgeProposal, Triple
from nous.kernel.log.integrity import verify
from nous.kernel.memory import projection
from nous.kernel.memory.memories import KEYS
from nous.kernel.memory.projection import catch_up, choose_projectors, clear, compare_with_replay, projectors, replay
from nous.kernel.stores import Stores, open_stores
from nous.language.naming import entity_id, normal
from nous.moments import later

BRIEF_LINES = ("BriefLineKept", "BriefLineEdited", "BriefLineDropped", "BriefLinePinned", "BriefLinePlaced")
NAMES = [f"l{number}" for number in range(5)]
CONCEPTS = ["a", "b", "c"]
THINGS = ["Postgres", "api-server", "Kafka"]


@st.composite
def happenings(draw: st.DrawFn) -> tuple[EventType, str, Payload]:
    """Something that happens to one of a few learnings; `LearningErased` stands for a purge."""
    name, other = draw(st.sampled_from(NAMES)), draw(st.sampled_from(NAMES))
    concepts = tuple(draw(st.lists(st.sampled_from(CONCEPTS), max_size=2, unique=True)))
    edges = (EdgeProposal(target=other, relation="relates_to"),) if draw(st.booleans()) else ()
    thing, other_thing = draw(st.sampled_from(THINGS)), draw(st.sampled_from(THINGS))
    into = entity_id("p", normal(other_thing))
    edge = Edge(target=other, relation="relates_to", weight=draw(st.sampled_from([0.5, 1.0])))
    payloads: dict[EventType, Payload] = {
        "LearningExtracted": extracted(
            name,
            f"About {other} of {name}",
            concepts=concepts,
            edges=edges,
            type=draw(st.sampled_from(["fact", "episode"])),
            entities=tuple(draw(st.lists(st.sampled_from(THINGS), max_size=2, unique=True))),
            relations=(Triple(other_thing, "runs_on", "Postgres"),) if draw(st.booleans()) else (),
        ).payload,
        "LearningValidated": Validated(),
        "LearningReinforced": Reinforced(reinforcement_delta=0.1, concepts=concepts, evidence=(other,)),
        "LearningWeakened": Weakened(reinforcement_delta=-0.2),
        "LearningContradicted": Contradicted(contradicted_with=other, contradiction_multiplier=0.7),
        "LearningSuperseded": Superseded(superseded_by=other),
        "LearningArchived": Archived(reason="old"),
        "LearningRestored": Payload(),
        "LearningPinned": Payload(),
        "LearningUnpinned": Payload(),
        "LearningConfirmed": Payload(),
        "LearningDisputed": Payload(),
        "LearningContested": Contested(reason="is it so?"),
        "LearningErased": Payload(),
        "EdgeProposed": edge,
        "EdgeAccepted": edge,
        "EdgeRejected": edge,
        "LearningReviewed": Reviewed(item=f"weak:{draw(st.integers(1, 3))}:{name}", action="keep"),
        "LearningRescoped": Rescoped(scope=draw(st.sampled_from(["global", "project"]))),
        "EntityMerged": EntityMerged(name=thing, into=into, into_name=other_thing),
        "EntityRenamed": EntityRenamed(name=thing, to=other_thing),
        "EntitySplit": EntitySplit(name=thing, apart=into, apart_name=other_thing, learnings=(name,)),
        "EntityRejected": EntityRejected(name=thing),
        "ProjectTrusted": ProjectTrusted(level=draw(st.sampled_from((1, 2, 3, 4)))),
        "RulesApplied": RulesApplied(version="rules-8"),
        "SessionRead": SessionRead(reader="read", title=other),
        "BriefWritten": BriefWritten(reader="read", lines=(BriefLine(f"About {other}.", (name,)),)),
        "BriefLineKept": BriefLineKept(line=BriefLine(f"About {name}.", (name,)), beside=(other,)),
        "BriefLineEdited": BriefLineEdited(line=BriefLine(f"About {name}.", (name,)), text=f"Of {other}."),
        "BriefLineDropped": BriefLineDropped(line=BriefLine(f"About {name}.", (name,))),
        "BriefLinePinned": BriefLinePinned(line=BriefLine(f"About {name}.", (name,))),
        "BriefLinePlaced": BriefLinePlaced(line=BriefLine(f"About {name}.", (name,)), place=draw(st.integers(1, 9))),
        "ProjectTidied": ProjectTidied(reader="tidy", groups=(MemoryGroup(f"About {other}", "", (name,)),)),
        "EventsUndone": Undone(undone_events=tuple(draw(st.lists(st.integers(1, 25), min_size=1, max_size=8)))),
    }
    weighted = [*payloads, *["LearningExtracted"] * 6, *["LearningReinforced"] * 3, *["EventsUndone"] * 4]
    kind: EventType = draw(st.sampled_from(weighted))
    apart = {
        "SessionRead": "read",
        "BriefWritten": "brief",
        "ProjectTidied": "tidy",
        **dict.fromkeys(BRIEF_LINES, "line"),
    }
    mine = f"{apart[kind]}-{name}" if kind in apart else name  # no memory: its learning is its own
    return kind, mine, payloads[kind]


def event(number: int, kind: EventType, name: str, payload: Payload) -> Event:
    made = extracted(name, key=f"k{number}", project_id="pq"[number % 2], session_id="s")
    if STREAM_OF[kind] == "entity":
        assert isinstance(payload, EntityMerged | EntityRenamed | EntitySplit | EntityRejected)
        mine = entity_id("p", normal(payload.name))
        made = replace(made, learning_id="", stream="entity", stream_id=mine, project_id="p")
    if STREAM_OF[kind] == "project" or name == "p":
        made = replace(made, learning_id="", stream="project", stream_id="p", project_id="p")
    if is_global_id(name):  # an entity, of which something is undone
        made = replace(made, learning_id="", stream="entity", stream_id=name, project_id="p")
    return replace(made, event_type=kind, payload=payload)


def happen(stores: Stores, number: int, kind: EventType, name: str, payload: Payload) -> None:
    """Append one event; an erasure also takes the payloads, as a purge does."""
    moment = later(NOW, number)
    if isinstance(payload, Undone):
        here = tuple(ref for ref in payload.undone_events if isinstance(ref, int) and ref <= stores.events.last_id())
        if not here:
            return
        payload = Undone(undone_events=here)
    if kind != "LearningErased":
        stores.events.append([event(number, kind, name, payload)], moment)
        return
    numbers = [number for number, _, _ in stores.events.payloads([name])]
    if numbers:
        stores.events.erase(numbers)
        said = Erased(reason="asked for", erased_events=tuple(numbers))
        stores.events.append([event(number, kind, name, said)], moment)


def everything(stores: Stores) -> dict[str, list[Any]]:
    return {table: [row for _, row in stores.memories.rows_of(table)] for table in KEYS}


@settings(max_examples=sized(30, 120))
@given(st.lists(happenings(), max_size=25), st.lists(st.booleans(), min_size=25, max_size=25), st.integers(1, 6))
def test_live_projection_in_any_pieces_equals_a_replay(
    history: list[tuple[EventType, str, Payload]], pauses: list[bool], batch: int
) -> None:
    stores = open_stores(":memory:")
    for number, (kind, name, payload) in enumerate(history, 1):
        with stores.db.transaction():
            happen(stores, number, kind, name, payload)
            if pauses[number - 1] or kind == "LearningErased":
                catch_up(stores, NOW, batch=batch)
    catch_up(stores, NOW, batch=batch)
    live = everything(stores)
    assert replay(stores, NOW) == stores.events.count()
    assert everything(stores) == live
    replay(stores, NOW, batch=1)
    assert everything(stores) == live
    assert verify(stores).problems == []
    stores.memories.check_text()
    stores.close()


@settings(max_examples=sized(20, 60))
@given(st.lists(happenings(), min_size=1, max_size=20))
def test_as_of_any_event_is_what_the_projection_was_then(history: list[tuple[EventType, str, Payload]]) -> None:
    stores = open_stores(":memory:")
    then: dict[int, list[Any]] = {}
    for number, (kind, name, payload) in enumerate(history, 1):
        if kind == "LearningErased":
            continue
        happen(stores, number, kind, name, payload)
        catch_up(stores, NOW)
        then[stores.events.last_id()] = stores.memories.listing(None, status=None)
    for number, known in then.items():
        assert stores.memories.listing(None, status=None, as_of=number) == known
        found = stores.memories.by_id([memory.id for memory in known], number)
        assert sorted(found, key=lambda memory: -memory.id) == known
    stores.close()


def now_known(stores: Stores) -> dict[str, list[Any]]:
    """What is known now, by read model; of memories all but the event that changed them last."""
    known = everything(stores)
    memories = [replace(memory, version=0) for memory in stores.memories.listing(None, status=None)]
    return {"memories": memories, "concepts": known["concepts"], "edges": known["edges"], "reviews": known["reviews"]}


@settings(max_examples=sized(30, 120))
@given(st.lists(happenings(), max_size=15), st.lists(happenings(), min_size=1, max_size=10))
def test_undoing_restores_what_was_known_exactly_and_undoing_that_brings_it_back(
    before: list[tuple[EventType, str, Payload]], later_on: list[tuple[EventType, str, Payload]]
) -> None:
    stores = open_stores(":memory:")
    for number, (kind, name, payload) in enumerate(before, 1):
        happen(stores, number, kind, name, payload)
    catch_up(stores, NOW)
    first, last = now_known(stores), stores.events.last_id()
    for number, (kind, name, payload) in enumerate(later_on, 50):
        if kind != "LearningErased":
            happen(stores, number, kind, name, payload)
    catch_up(stores, NOW)
    second, end = now_known(stores), stores.events.last_id()
    then = stores.memories.listing(None, status=None)
    _undo_between(stores, last, end, 100)
    assert now_known(stores) == first
    assert stores.memories.listing(None, status=None, as_of=end) == then
    _undo_between(stores, end, stores.events.last_id(), 200)
    assert now_known(stores) == second
    live = everything(stores)
    replay(stores, NOW)
    assert everything(stores) == live
    stores.close()


def _undo_between(stores: Stores, after: int, until: int, number: int) -> None:
    """Undo everything that happened after one event and up to another, each learning and each entity for itself."""
    by_stream: dict[str, list[int]] = {}
    for happened in stores.events.between(after, until):
        by_stream.setdefault(happened.stream_id, []).append(happened.event_id)
    for at, (name, numbers) in enumerate(by_stream.items(), number):
        happen(stores, at, "EventsUndone", name, Undone(undone_events=tuple(numbers)))
    catch_up(stores, NOW)


def lived(path: Path | str = ":memory:") -> Stores:
    """Stores in which several things happened."""
    stores = open_stores(str(path))
    history: list[tuple[EventType, str, Payload]] = [
        ("LearningExtracted", "l1", extracted("l1", "Use pnpm", concepts=("pnpm",), entities=("pnpm",)).payload),
        ("LearningExtracted", "l2", extracted("l2", "Use npm", concepts=("npm",)).payload),
        ("LearningSuperseded", "l2", Superseded(superseded_by="l1")),
        ("LearningReinforced", "l1", Reinforced(reinforcement_delta=0.1, concepts=("node",))),
        ("EdgeProposed", "l1", Edge(target="l2", relation="refines")),
        ("LearningReviewed", "l1", Reviewed(item="weak:1", action="keep")),
        ("EntityRejected", "l1", EntityRejected(name="pnpm")),
        ("SessionObserved", "s1", SessionObserved(kind="feature", prompts=1)),
        ("ProjectTrusted", "p", ProjectTrusted(level=1)),
        ("RulesApplied", "p", RulesApplied(version="rules-8")),
        ("SessionRead", "r1", SessionRead(reader="read", title="Package managers")),
        ("BriefWritten", "b1", BriefWritten(reader="read", lines=(BriefLine("Use pnpm.", ("l1",)),))),
        ("BriefLinePinned", "b2", BriefLinePinned(line=BriefLine("Use pnpm.", ("l1",)))),
        ("ProjectTidied", "t1", ProjectTidied(reader="tidy", groups=(MemoryGroup("tools", "", ("l1",)),))),
    ]
    for number, (kind, name, payload) in enumerate(history, 1):
        happen(stores, number, kind, name, payload)
    catch_up(stores, NOW)
    return stores


@pytest.mark.parametrize("name", [projector.name for projector in projectors()])
def test_a_read_model_can_be_rebuilt_alone(name: str) -> None:
    stores = lived()
    before = everything(stores)
    [projector] = choose_projectors([name])
    clear(stores, projector)
    assert everything(stores) != before
    assert replay(stores, NOW, [projector]) == 14
    assert everything(stores) == before
    assert set(stores.memories.checkpoints().values()) == {14}


def test_a_projector_that_lags_behind_catches_up_alone() -> None:
    stores = lived()
    before = everything(stores)
    stores.memories.clear("stats")
    stores.memories.set_checkpoints(["stats"], 0, NOW)
    catch_up(stores, NOW)
    assert everything(stores) == before


def test_an_unknown_projector_is_named() -> None:
    with pytest.raises(NousError, match="no projector 'guesses'"):
        choose_projectors(["guesses"])


def test_what_equals_a_replay_has_no_differences(tmp_path: Path) -> None:
    found = compare_with_replay(lived(tmp_path / "cortex.db").events, lived(tmp_path / "cortex.db").memories, NOW)
    assert (found.events, found.differences) == (14, [])
    assert found.rows == {
        "memories": 2,
        "memory_history": 3,
        "concepts": 3,
        "edges": 2,
        "memories_fts": 2,
        "event_stats": 14,
        "reviews": 1,
        "mentions": 1,
        "observations": 0,
        "entity_names": 1,
        "entity_moves": 0,
        "observed": 1,
        "observed_sightings": 0,
        "briefs": 1,
        "brief_lines": 1,
        "read_sessions": 1,
        "tidyings": 1,
    }


@pytest.mark.parametrize(
    ("table", "tampering"),
    [
        ("memories", "UPDATE memories SET strength = 0.99 WHERE id = 1"),
        ("memories", "DELETE FROM memories WHERE id = 2"),
        ("memory_history", "UPDATE memory_history SET until_version = 99"),
        ("concepts", "INSERT INTO concepts VALUES (1, 'forged', 1)"),
        ("edges", "UPDATE edges SET status = 'active'"),
        ("memories_fts", "UPDATE memories_fts SET content = 'Use yarn' WHERE rowid = 1"),
        ("reviews", "UPDATE reviews SET action = 'reject'"),
        ("briefs", "UPDATE briefs SET lines = '[]'"),
        ("read_sessions", "UPDATE read_sessions SET title = 'Forged'"),
        ("tidyings", "UPDATE tidyings SET groups = '[]'"),
        ("event_stats", "UPDATE event_stats SET events = events + 1"),
    ],
)
def test_a_row_that_no_event_made_is_found(tmp_path: Path, table: str, tampering: str) -> None:
    stores = lived(tmp_path / "cortex.db")
    assert isinstance(stores.db, Sqlite)
    stores.db.connection.execute(tampering).fetchall()
    found = compare_with_replay(stores.events, stores.memories, NOW)
    assert found.differences and {difference.table for difference in found.differences} == {table}
    replay(stores, NOW)
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []


def test_a_text_index_that_does_not_fit_its_text_is_found(tmp_path: Path) -> None:
    stores = lived(tmp_path / "cortex.db")
    assert isinstance(stores.db, Sqlite)
    stores.memories.check_text()
    stores.db.connection.execute("UPDATE memories_fts_content SET c0 = 'Use yarn' WHERE id = 1").fetchall()
    with pytest.raises(StoreError):
        stores.memories.check_text()


def test_readers_see_the_old_rows_until_a_replay_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stores = lived(tmp_path / "cortex.db")
    reader = open_stores(str(tmp_path / "cortex.db"))
    seen = []

    def look(_: object) -> None:
        seen.append(len(reader.memories.listing(None, status=None)))

    monkeypatch.setattr("nous.kernel.memory.projectors.look", look, raising=False)
    spying = [projectors()[0], Projector("spy", "nous.kernel.memory.projectors:look", (), (), ())]
    replay(stores, NOW, spying, batch=1)
    assert seen == [2] * 11


def test_a_comparison_that_is_killed_leaves_no_words_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    for name in ("TMPDIR", "SQLITE_TMPDIR"):
        monkeypatch.setenv(name, str(scratch))
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    stores = open_stores(str(tmp_path / "cortex.db"))
    many = [extracted(f"l{number}", f"The quillfax proxy {number}. " + "x" * 2000) for number in range(300)]
    stores.events.append(many, NOW)
    catch_up(stores, NOW)
    seen: list[list[Path]] = []
    compare = projection.compare_rows

    def looked_at(*given: Any) -> Any:
        seen.append(list(scratch.rglob("*")))
        return compare(*given)

    monkeypatch.setattr(projection, "compare_rows", looked_at)
    assert projection.compare_with_replay(stores.events, stores.memories, NOW).differences == [] and seen == [[]]
    stores.close()
