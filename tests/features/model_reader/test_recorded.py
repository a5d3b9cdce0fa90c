"""The path with a model, played from files: sessions are read in order, and every view shows what the readings say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factories import Home
from kernel.test_capture import lines, record
from nous.errors import ConfigError
from nous.providers.llm import Choice, Declined, open_llm

FIRST, SECOND = "aaaa-first", "bbbb-second"
REPLY = {"role": "assistant", "content": [{"type": "text", "text": "The server now listens on 4001."}]}


def at(hour: int) -> dict[str, str]:
    return {"timestamp": f"2026-11-09T{hour:02}:00:00.000Z"}


@pytest.fixture
def played(home: Home) -> Home:
    """Two sessions of a project, with a recorded reading of each."""
    project = str(home.project())
    folder = home.root / "claude" / "projects" / "-p"
    folder.mkdir(parents=True, exist_ok=True)
    one = record("The dev server listens on port 4000, always.", sessionId=FIRST, cwd=project, **at(8))
    two = record("No, make it port 4001 from now on.", sessionId=SECOND, cwd=project, **at(9))
    three = record("", type="assistant", message=REPLY, sessionId=SECOND, cwd=project, **at(10))
    (folder / f"{FIRST}.jsonl").write_bytes(lines(one))
    (folder / f"{SECOND}.jsonl").write_bytes(lines(two, three))
    readings = home.root / "readings"
    readings.mkdir()
    write(readings, FIRST, "The port of the dev server", "It was set.", one, "The dev server listens on port 4000.")
    write(readings, SECOND, "Another port", "It moved.", two, "The dev server listens on port 4001.", f"{FIRST}#0")
    home.environ["NOUS_LLM_PROVIDER"] = f"recorded:{readings}"
    home.environ["CLAUDE_CONFIG_DIR"] = str(home.root / "claude")
    home.environ["NOUS_NO_AUTOSTART"] = "true"
    return home


def write(folder: Path, session: str, title: str, summary: str, said: Any, text: str, *ends: str) -> None:
    memory = {"text": text, "type": "environment", "by": "user", "evidence": [said["uuid"]], "ends": list(ends)}
    brief = [{"text": text, "from": [f"{session}#0"]}]
    reading = {"session": session, "title": title, "summary": summary, "outcome": "done", "open": ["tell Ana"]}
    (folder / f"{session}.json").write_text(json.dumps(reading | {"memories": [memory], "brief": brief}))


def ask(home: Home, *words: str) -> Any:
    done = home.nous(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_readings_are_replayed_in_order_and_once(played: Home) -> None:
    ask(played, "backfill")
    read = ask(played, "read", "--now", "--since", "2000-01-01", "--limit", "99", "--all-projects")
    assert (read["calls"], read["failed"], read["rejected"]) == (2, 0, 0)
    contents = {one["content"]: one for one in ask(played, "list", "--all-projects")["memories"]}
    assert "The dev server listens on port 4001." in contents
    assert not any("4000" in text for text in contents), "neither the draft of the rules nor what was replaced"
    assert ask(played, "read", "--now", "--since", "2000-01-01", "--all-projects")["calls"] == 0
    assert ask(played, "cost")["today"]["usd"] == 0

    number = contents["The dev server listens on port 4001."]["id"]
    begins = {"session_id": "n", "cwd": str(played.home / "code" / "app"), "source": "startup"}
    start = played.nous("hook", "SessionStart", stdin=json.dumps(begins))
    assert f"- The dev server listens on port 4001. [Memory #{number}: 2026-11]" in start.stdout
    assert "4000" not in start.stdout
    [latest, _] = ask(played, "session", "list", "--all-projects")["sessions"]
    [episode] = latest["episodes"]
    assert (episode["goal"], episode["outcome"], episode["open_ends"]) == ("Another port", "done", ["tell Ana"])


def test_what_four_readings_say_is_one_memory(played: Home) -> None:
    (folder,) = (played.root / "claude" / "projects").iterdir()
    text = "The dev server listens on port 4001."
    for nth in range(3):
        name = f"cccc-{nth}"
        said = record("Port 4001, as I said.", sessionId=name, cwd=str(played.home / "code" / "app"), **at(11 + nth))
        (folder / f"{name}.jsonl").write_bytes(lines(said))
        write(played.root / "readings", name, "The port again", "It was said again.", said, text)
    ask(played, "backfill")
    ask(played, "read", "--now", "--since", "2000-01-01", "--limit", "99", "--all-projects")
    known = [one for one in ask(played, "list", "--all-projects")["memories"] if "4001" in one["content"]]
    assert [one["content"] for one in known] == [text]
    told = ask(played, "explain", str(known[0]["id"]))
    assert all(f"cccc-{nth}" in json.dumps(told) for nth in range(3)), "each session is evidence of it"


def test_one_undo_takes_a_reading_back(played: Home) -> None:
    ask(played, "backfill")
    ask(played, "read", "--now", "--since", "2000-01-01", "--all-projects")
    events = ask(played, "log", "--all-projects", "--limit", "200")["events"]
    newest = max(one["event_id"] for one in events if one["type"] == "SessionRead")
    ask(played, "undo", str(newest), "--all-projects")
    contents = [one["content"] for one in ask(played, "list", "--all-projects")["memories"]]
    assert "The dev server listens on port 4000." in contents
    assert "The dev server listens on port 4001." not in contents


def test_an_ended_and_an_edited_memory_say_what_became_of_them(played: Home) -> None:
    second = played.root / "readings" / f"{SECOND}.json"
    reading = json.loads(second.read_text())
    rule = {"text": "Ports below 4000 are taken.", "type": "rule", "by": "user"}
    first = json.loads((played.root / "readings" / f"{FIRST}.json").read_text())
    first["memories"].append(rule | {"evidence": first["memories"][0]["evidence"]})
    (played.root / "readings" / f"{FIRST}.json").write_text(json.dumps(first))
    edit = {
        "known": f"{FIRST}#1",
        "text": "Ports up to 4000 are taken.",
        "evidence": reading["memories"][0]["evidence"],
    }
    second.write_text(json.dumps(reading | {"edits": [edit]}))
    ask(played, "backfill")
    ask(played, "read", "--now", "--since", "2000-01-01", "--all-projects")
    events = ask(played, "log", "--all-projects", "--limit", "200")["events"]
    born = {one["payload"]["content"]: one["event_id"] for one in events if one["type"] == "LearningExtracted"}
    ended = played.nous("explain", str(born["The dev server listens on port 4000."])).stdout
    assert "a newer value" in ended and f"#{born['The dev server listens on port 4001.']}" in ended
    edited = played.nous("explain", str(born["Ports below 4000 are taken."])).stdout
    assert "said better" in edited and f"#{born['Ports up to 4000 are taken.']}" in edited
    assert f"(session {SECOND[:8]})" in ended and f"(session {SECOND[:8]})" in edited
    now = played.nous("explain", str(born["Ports up to 4000 are taken."])).stdout
    assert now.count("by you, session") == 2 and "which is not kept" not in now, (
        "the words of both sessions stand there"
    )


def test_a_session_without_a_file_is_left_to_the_rules(played: Home) -> None:
    (played.root / "readings" / f"{FIRST}.json").unlink()
    ask(played, "backfill")
    assert ask(played, "read", "--now", "--since", "2000-01-01", "--all-projects")["calls"] == 1


def test_one_session_can_be_named(played: Home) -> None:
    ask(played, "backfill")
    assert ask(played, "read", SECOND[:6])["calls"] == 1
    assert ask(played, "read", SECOND[:6])["calls"] == 0
    assert played.nous("read", "cccc").returncode == 1


def test_recorded_readings_answer_no_questions(tmp_path: Path) -> None:
    def opened(folder: Path) -> Any:
        return open_llm(Choice(f"recorded:{folder}", "", "", "", 1.0, ""), {})

    with pytest.raises(Declined):
        opened(tmp_path).complete("p", "s", {}, 10)
    with pytest.raises(ConfigError, match="no folder"):
        opened(tmp_path / "gone")
    (tmp_path.parent / "outside.json").write_text("{}")
    assert opened(tmp_path).reading("../outside") is None
