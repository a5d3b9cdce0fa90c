"""What happens in sessions enters the log, adds up, becomes memories, and is gone when it is purged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factories import NOW
from nous.features.erasure.purge import Selection, erase, plan
from nous.features.signals.observe import Observed, observe_due
from nous.features.signals.scratchpad import HEADLESS, MOST_SIGHTINGS, observe_session
from nous.kernel.capture.intake import Intake
from nous.kernel.capture.transcript import Turn
from nous.kernel.learn.learn import WorkerOptions, learn_all
from nous.kernel.log.events import SessionObserved
from nous.kernel.memory.projection import catch_up, compare_with_replay, replay
from nous.kernel.stores import Stores
from nous.language.text import Wanted

FAILS = "error: unrecognized subcommand 'bun'"


def entry(kind: str, session: str, number: int, content: Any, day: int, **more: Any) -> dict[str, Any]:
    return {
        "type": kind, "uuid": f"{session}-{number}", "sessionId": session, "cwd": "/nowhere/app", "gitBranch": "main",
        "timestamp": f"2026-11-{day:02}T10:00:{number:02}.000Z", "message": {"role": kind, "content": content},
    } | more  # fmt: skip


def session(
    stores: Stores,
    folder: Path,
    name: str,
    commands: list[tuple[str, str, bool]],
    day: int,
    agent: str = "",
    **fields: Any,
) -> None:
    """A session in which some commands are run, by itself or by a subagent; learned."""
    more = {"isSidechain": True, "agentId": agent} | fields if agent else fields
    lines = [entry("user", name, 0, "run the checks", day, **more)]
    for at, (command, output, failed) in enumerate(commands):
        use = {"type": "tool_use", "id": f"{name}t{at}{agent}", "name": "Bash", "input": {"command": command}}
        result = {"type": "tool_result", "tool_use_id": use["id"], "content": output, "is_error": failed}
        lines += [entry("assistant", name, 2 * at + 1, [use], day, **more)]
        lines += [entry("user", name, 2 * at + 2, [result], day, **more)]
    for line in lines if agent else ():
        line["uuid"] += agent
    take_in(stores, folder / f"{name}{agent}.jsonl", lines)


def take_in(stores: Stores, file: Path, lines: list[dict[str, Any]]) -> None:
    """Write a transcript and learn it."""
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    Intake(stores, lambda: NOW).take_in(str(file), "fs_watch")
    learn_all(stores, "w", lambda: NOW, WorkerOptions())


def observe(stores: Stores) -> Observed:
    return observe_due(stores, lambda: NOW)


def observed_sessions(stores: Stores) -> list[dict[str, Any]]:
    """What is kept of each session, oldest first."""
    rows = [dict(row) for row in stores.db.all("memories.rows_observed")]
    return sorted(rows, key=lambda row: (row["started_at"], row["session_id"]))


def told(stores: Stores, days: int, folder: Path) -> None:
    for day in range(1, days + 1):
        session(stores, folder, f"s{day}", [("rtk bun run test", FAILS, True), ("bun run test", "12 pass", False)], day)
        observe(stores)


def says(stores: Stores) -> list[Any]:
    numbers = [number for number, _ in stores.memories.search_text(Wanted(("rtk",)), 50)]
    return [one for one in stores.memories.by_id(numbers) if "rtk" in one.content and one.status == "active"]


def test_another_command_that_works_is_known_after_two_sessions(stores: Stores, tmp_path: Path) -> None:
    told(stores, 1, tmp_path)
    first = [one for one in says(stores) if "observer-1" in one.extractor_version]
    assert first == []
    told(stores, 3, tmp_path)
    found = [one for one in says(stores) if one.evidence]
    assert found and any("run plain `bun run test`" in one.content for one in found)
    assert max(one.strength for one in found) > 0.5, "the third session is the second sign"


PLAIN_WAY = [("rtk bun run test", FAILS, True), ("bun run test", "12 pass", False)]


def test_what_two_subagents_see_needs_no_second_session(stores: Stores, tmp_path: Path) -> None:
    session(stores, tmp_path, "s1", [], 1)
    for agent in ("a1", "a2"):
        session(stores, tmp_path, "s1", PLAIN_WAY, 1, agent)
    observe(stores)
    [memory] = [one for one in says(stores) if one.extractor == "observer-1"]
    assert "run plain `bun run test`" in memory.content and memory.confidence < 0.5, "no start shows it yet"
    [event] = [one for batch in stores.events.replay() for one in batch if isinstance(one.payload, SessionObserved)]
    assert isinstance(event.payload, SessionObserved)
    assert {one.agents for one in event.payload.sightings if one.signal == "other_command"} == {2}
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []


@pytest.mark.parametrize("agents", [("",), ("a1",), ("", "a1")])
def test_one_subagent_beside_its_session_is_no_quorum(stores: Stores, tmp_path: Path, agents: tuple[str, ...]) -> None:
    for agent in agents:
        session(stores, tmp_path, "s1", PLAIN_WAY, 1, agent)
    observe(stores)
    assert not [one for one in says(stores) if one.extractor == "observer-1"]


def test_what_one_agent_ran_does_not_explain_what_failed_for_another(stores: Stores, tmp_path: Path) -> None:
    session(stores, tmp_path, "s1", [], 1)
    for agent, command in (("a1", PLAIN_WAY[0]), ("a2", PLAIN_WAY[1])):
        session(stores, tmp_path, "s1", [command], 1, agent)
    observe(stores)
    [event] = [one for batch in stores.events.replay() for one in batch if isinstance(one.payload, SessionObserved)]
    assert isinstance(event.payload, SessionObserved)
    assert "other_command" not in {one.signal for one in event.payload.sightings}


def test_observations_are_events_and_replay_gives_the_same_rows(stores: Stores, tmp_path: Path) -> None:
    told(stores, 3, tmp_path)
    events = [one for batch in stores.events.replay() for one in batch if isinstance(one.payload, SessionObserved)]
    assert [one.session_id for one in events] == ["s1", "s2", "s3"]
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []
    before = observed_sessions(stores)
    stores.transcripts.purge(["s1", "s2", "s3"])
    replay(stores, NOW)
    assert observed_sessions(stores) == before, "what was observed outlives the transcripts"


def test_a_purge_of_a_session_reaches_what_was_observed_in_it(stores: Stores, tmp_path: Path) -> None:
    told(stores, 3, tmp_path)
    selection = Selection(session="s2")
    erase(stores, selection, plan(stores, selection), catch_up, "test", NOW)
    assert [row["session_id"] for row in observed_sessions(stores)] == ["s1", "s3"]
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []


def test_a_purge_of_words_reaches_the_sightings_that_hold_them(stores: Stores, tmp_path: Path) -> None:
    told(stores, 2, tmp_path)
    selection = Selection(match="rtk bun")
    erase(stores, selection, plan(stores, selection), catch_up, "test", NOW)
    left = [one for batch in stores.events.replay() for one in batch if isinstance(one.payload, SessionObserved)]
    assert left == [] and observed_sessions(stores) == []


def test_a_purge_of_a_memory_reaches_the_observations_it_rests_on(stores: Stores, tmp_path: Path) -> None:
    told(stores, 3, tmp_path)
    selection = Selection(ids=tuple(one.id for one in says(stores)))
    erase(stores, selection, plan(stores, selection), catch_up, "test", NOW)
    assert not any("rtk" in str(row) for row in stores.db.each("memories.rows_observed_sightings"))


def test_hundreds_of_subagents_and_clocks_that_jump_are_one_session_within_its_bounds(stores: Stores) -> None:
    turns = [Turn(uuid="p", kind="prompt", text="look at everything", session_id="s", cwd="/w", at=NOW)]
    for agent in range(300):
        at = f"20{70 - agent % 60:02}-01-01T00:00:00.000Z"
        common: dict[str, Any] = {"session_id": "s", "cwd": "/w", "agent_id": f"a{agent}", "at": at}
        call, name = {"file_path": f"/w/lib/{agent}.py"}, f"t{agent}"
        turns += [
            Turn(uuid=f"c{agent}", kind="tool_call", tool="Read", tool_id=name, input=call, **common),
            Turn(uuid=f"r{agent}", kind="tool_result", tool_id=name, text="x", **common),
        ]
    seen = observe_session(turns)
    assert seen.started_at <= seen.ended_at
    assert len(seen.sightings) <= MOST_SIGHTINGS


def test_hundreds_of_subagents_in_one_session_make_one_memory_and_one_bounded_event(
    stores: Stores, tmp_path: Path
) -> None:
    lines = [entry("user", "s1", 0, "look at everything", 1)]
    for agent in range(200):
        who = {"isSidechain": True, "agentId": f"a{agent}"}
        for at, (command, output, failed) in enumerate(PLAIN_WAY):
            use = {"type": "tool_use", "id": f"t{agent}-{at}", "name": "Bash", "input": {"command": command}}
            result = {"type": "tool_result", "tool_use_id": use["id"], "content": output, "is_error": failed}
            for kind, said in (("assistant", use), ("user", result)):
                lines.append(entry(kind, "s1", at, [said], 1, **who) | {"uuid": f"{agent}-{at}-{kind}"})
    take_in(stores, tmp_path / "s1.jsonl", lines)
    observe(stores)
    [event] = [one for batch in stores.events.replay() for one in batch if isinstance(one.payload, SessionObserved)]
    assert isinstance(event.payload, SessionObserved)
    assert max(one.agents for one in event.payload.sightings) == 200 and len(event.payload.sightings) <= MOST_SIGHTINGS
    assert len([one for one in says(stores) if one.extractor == "observer-1"]) == 1


@pytest.mark.parametrize("program", ["sdk-cli", "sdk-py"])
def test_what_runs_headless_teaches_nothing_however_often(stores: Stores, tmp_path: Path, program: str) -> None:
    for day in range(1, 6):
        session(stores, tmp_path, f"s{day}", PLAIN_WAY, day, entrypoint=program)
    observe(stores)
    assert not [one for one in says(stores) if one.extractor == "observer-1"]


def test_a_command_that_is_only_spoken_of_teaches_nothing(stores: Stores, tmp_path: Path) -> None:
    for day in (1, 2, 3):
        name, told = f"s{day}", [{"type": "text", "text": "Done. Run the tests with `pnpm test` before you push."}]
        lines = [entry("user", name, 0, "what next?", day), entry("assistant", name, 1, told, day)]
        take_in(stores, tmp_path / f"{name}.jsonl", lines)
    observe(stores)
    found = stores.memories.by_id([number for number, _ in stores.memories.search_text(Wanted(("pnpm",)), 9)])
    assert [one.content for one in found if one.extractor == "observer-1"] == []


@pytest.mark.parametrize("kind", ["prompt", "reply", "interrupt", "tool_result"])
def test_a_session_of_one_record_shows_nothing_and_breaks_nothing(kind: Any) -> None:
    seen = observe_session([Turn(uuid="u", kind=kind, text="hello", session_id="s", at="")])
    assert (seen.sightings, seen.ended_at) == ((), "")


def test_a_robots_session_makes_no_memories() -> None:
    script: list[Turn] = [Turn(uuid="p", kind="prompt", text="run it", headless=True, session_id="s", cwd="/w", at=NOW)]
    common: dict[str, Any] = {"session_id": "s", "cwd": "/w", "at": NOW}
    for at, (command, failed) in enumerate((("rtk bun run test", True), ("bun run test", False))):
        given = {"command": command}
        script += [
            Turn(uuid=f"c{at}", kind="tool_call", tool="Bash", tool_id=f"t{at}", input=given, **common),
            Turn(uuid=f"r{at}", kind="tool_result", tool_id=f"t{at}", text=FAILS, failed=failed, **common),
        ]
    seen = observe_session(script)
    assert seen.kind == HEADLESS
