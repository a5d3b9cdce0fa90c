"""What becomes of memories that sessions were shown: only what was used is rewarded, and once."""

from __future__ import annotations

from typing import Any

import pytest

from factories import NOW, extracted, memory
from nous.kernel.capture.queue import Item
from nous.kernel.capture.transcript import Turn
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.learn.outcome import decide, modifier
from nous.kernel.learn.reinforce import settle, settle_due, trust_by_use
from nous.kernel.log.events import Event, Weakened
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import Stores
from nous.moments import later


def turn(kind: Any, text: str = "", **fields: Any) -> Turn:
    return Turn(
        uuid=f"u{abs(hash((kind, text, str(fields))))}", kind=kind, at=NOW, session_id="s1", text=text, **fields
    )


def bash(command: str, tool_id: str = "t1") -> Turn:
    return turn("tool_call", tool="Bash", tool_id=tool_id, input={"command": command})


def edit(path: str, text: str) -> Turn:
    return turn("tool_call", tool="Edit", input={"file_path": path, "new_string": text})


@pytest.mark.parametrize(
    ("fields", "turns", "signal"),
    [
        ({"content": "Use pnpm, not npm"}, [bash("cd web && pnpm install")], "useful"),
        ({"content": "Use pnpm, not npm"}, [bash("npm install")], "ignored"),
        ({"content": "Never use npm here"}, [bash("npm install")], "ignored"),
        ({"content": "Use pnpm, not npm"}, [], "ignored"),
        ({"content": "Use pnpm"}, [turn("reply", "As [Memory #1: 2026-11-10] says, pnpm it is")], "useful"),
        ({"content": "Use pnpm"}, [turn("reply", "As [Memory #11: 2026-11-10] says")], "ignored"),
        ({"content": "Use pnpm"}, [turn("injection", "Memory #1")], "ignored"),
        ({"content": "Tests run with `make check FAST=1`"}, [bash("time make  check FAST=1")], "useful"),
        (
            {"content": "Tests run with `make check FAST=1`"},
            [bash("make check FAST=1"), turn("tool_result", tool_id="t1", failed=True)],
            "ignored",
        ),
        (
            {"content": "Close it with `pool.drain()`", "files": ("src/db.ts",)},
            [edit("/app/src/db.ts", "await pool.drain()")],
            "useful",
        ),
        (
            {"content": "Close it with `pool.drain()`", "files": ("src/db.ts",)},
            [edit("/app/src/db.ts", "x")],
            "ignored",
        ),
    ],
)
def test_used_is_what_left_a_trace(fields: dict[str, Any], turns: list[Turn], signal: str) -> None:
    assert decide(memory(**fields), turns, is_corrected=False).signal == signal


def test_a_correction_outweighs_any_use() -> None:
    assert decide(memory(content="Use pnpm"), [bash("pnpm i")], is_corrected=True).signal == "corrected"


@pytest.mark.parametrize(
    ("sessions", "useful", "shown", "expected"),
    [(2, 5, 5, 0), (3, 2, 3, 0.15), (3, 0, 5, -0.15), (3, 2, 5, 0), (9, 0, 2, 0)],
)
def test_what_recurs_is_weighed_by_its_effect(sessions: int, useful: int, shown: int, expected: float) -> None:
    assert modifier(sessions, useful, shown) == expected


@pytest.fixture
def shown(stores: Stores) -> Stores:
    """Three memories that session s1 was shown; it ran pnpm, and corrected the third."""
    born = [
        extracted("a", "Use pnpm, not npm"),
        extracted("b", "The API is written in Go"),
        extracted("c", "Port 4000"),
    ]
    stores.events.append(born, NOW)
    weaker = Weakened(reinforcement_delta=-0.2, reason="the user corrected it")
    against = Event(
        learning_id="c",
        event_type="LearningWeakened",
        idempotency_key="w",
        payload=weaker,
        session_id="s1",
        project_id="p",
        source="fs_watch",
    )
    stores.events.append([against], NOW)
    catch_up(stores, NOW)
    assert isinstance(stores.db, Sqlite)
    run = stores.db.connection.execute
    run(
        "INSERT INTO injections (injection_id, session_id, project_id, hook, trigger, context_key, characters,"
        " latency_ms, created_at) VALUES (1, 's1', 'p', 'SessionStart', '', '', 9, 1.0, ?)",
        (NOW,),
    ).fetchall()
    for number in (1, 2, 3):
        run("INSERT INTO injected_memories (injection_id, memory_id) VALUES (1, ?)", (number,)).fetchall()
    item = Item(
        ingest_id=1,
        source="fs_watch",
        project_id="p",
        session_id="s1",
        transcript_path="t",
        file_inode="1",
        file_offset=0,
        end_offset=9,
        payload="",
        retry_count=0,
        idempotency_key="k",
    )
    stores.transcripts.see_session("p", "t", [bash("pnpm install")])
    stores.transcripts.keep(item, [bash("pnpm install")])
    return stores


def strengths(stores: Stores) -> list[float]:
    return [round(memory.strength, 3) for memory in stores.memories.by_id([1, 2, 3])]


def test_a_session_is_settled_once_and_only_when_it_is_over(shown: Stores) -> None:
    assert not settle_due(shown, later(NOW, 60))
    assert settle_due(shown, later(NOW, 3600)) == {"useful": 1, "ignored": 1, "corrected": 1}
    assert strengths(shown) == [0.6, 0.5, 0.3], "the session itself had taken 0.2 off the third"
    before = shown.events.last_id()
    assert not settle_due(shown, later(NOW, 7200)) and not settle(shown, "s1", later(NOW, 7200))
    assert shown.events.last_id() == before


def test_nothing_is_gained_by_being_shown(shown: Stores) -> None:
    settle(shown, "s1", NOW)
    assert [event.event_type for event in shown.events.of_learning("b")] == ["LearningExtracted"]


def test_what_is_asked_for_often_and_never_objected_to_counts_a_little_more_once(shown: Stores) -> None:
    used, seldom, doubted = (one.id for one in shown.memories.by_id([1, 2, 3]))
    before = strengths(shown)
    shown.accesses.note([used, doubted] * 5 + [seldom] * 4, NOW)
    assert [trust_by_use(shown, NOW) for _ in range(2)] == [1, 0]
    assert strengths(shown) == [before[0] + 0.05, *before[1:]], "the session had objected to the third"
    assert compare_with_replay(shown.events, shown.memories, NOW).differences == []
