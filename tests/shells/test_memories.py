"""The commands about memories, as a person and as a script use them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factories import Home

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def run(home: Home, *words: str, cwd: Path | None = None) -> Any:
    """A command's JSON."""
    done = home.nous(*words, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def app(home: Home) -> Path:
    return home.project("app")


def test_what_is_remembered_is_found_shown_and_listed(home: Home, app: Path) -> None:
    kept = run(home, "remember", "The dev server listens on port 4600.", "--tag", "ports", cwd=app)
    assert run(home, "get", str(kept["id"]), cwd=app)["content"] == "The dev server listens on port 4600."
    assert [hit["id"] for hit in run(home, "recall", "which port?", cwd=app)["hits"]] == [kept["id"]]
    assert [memory["id"] for memory in run(home, "list", cwd=app)["memories"]] == [kept["id"]]
    assert "port 4600" in home.nous("recall", "port", cwd=app).stdout


def test_the_same_thing_twice_is_one_stronger_memory(home: Home, app: Path) -> None:
    first = run(home, "remember", "Tests run with make check.", cwd=app)
    second = run(home, "remember", "Tests run with make check", cwd=app)
    assert second["id"] == first["id"]
    assert second["strength"] > first["strength"]


def test_a_project_never_sees_anothers_memories(home: Home, app: Path) -> None:
    other = home.project("other")
    run(home, "remember", "Deploys happen with make ship.", cwd=app)
    run(home, "remember", "No emoji in commit messages.", "--global", cwd=app)
    assert run(home, "recall", "make ship deploy", cwd=other)["hits"] == []
    assert [hit["scope"] for hit in run(home, "recall", "emoji", cwd=other)["hits"]] == ["global"]
    run(home, "remember", "Something of its own.", cwd=other)
    assert len(run(home, "list", cwd=other)["memories"]) == 2
    assert len(run(home, "list", "--all-projects", cwd=other)["memories"]) == 3


def test_a_directory_without_project_lists_everything(home: Home, app: Path) -> None:
    run(home, "remember", "Use pnpm.", cwd=app)
    assert len(run(home, "list", cwd=home.root)["memories"]) == 1


def test_what_is_forgotten_is_out_of_use_but_not_lost(home: Home, app: Path) -> None:
    kept = run(home, "remember", "Use Redis for jobs.", cwd=app)
    assert run(home, "forget", str(kept["id"]), cwd=app) == {"forgotten": [kept["id"]]}
    assert run(home, "recall", "redis", cwd=app)["hits"] == []
    assert run(home, "get", str(kept["id"]), cwd=app)["status"] == "archived"


def test_a_query_can_say_what_to_forget(home: Home, app: Path) -> None:
    kept = run(home, "remember", "Use Redis for jobs.", cwd=app)
    assert home.nous("forget", "--query", "redis", cwd=app).returncode == 1, "without an answer nothing is forgotten"
    assert run(home, "get", str(kept["id"]), cwd=app)["status"] == "active"
    assert home.nous("forget", "--query", "redis", "--yes", cwd=app).returncode == 0
    assert run(home, "get", str(kept["id"]), cwd=app)["status"] == "archived"


def test_a_correction_replaces_and_keeps_the_old_words(home: Home, app: Path) -> None:
    old = run(home, "remember", "The staging host is atlas-1.", cwd=app)
    new = run(home, "correct", str(old["id"]), "The staging host is atlas-2.", cwd=app)
    before = run(home, "get", str(old["id"]), cwd=app)
    assert (before["status"], before["superseded_by"]) == ("superseded", new["learning_id"])
    assert [hit["id"] for hit in run(home, "recall", "staging host", cwd=app)["hits"]] == [new["id"]]


def test_what_is_said_twice_is_told_and_written_once(home: Home, app: Path) -> None:
    number = str(run(home, "remember", "Use Redis for jobs.", cwd=app)["id"])
    assert f"already known as #{number}:" in home.nous("remember", "Use Redis for jobs.", cwd=app).stdout
    assert home.nous("forget", number, cwd=app).stdout.startswith("forgot #")
    events = run(home, "status", cwd=app)["events"]
    assert home.nous("forget", number, cwd=app).stdout.startswith("already forgotten: #")
    assert run(home, "status", cwd=app)["events"] == events
    undone = home.nous("undo", cwd=app).stdout
    assert f", #{number} archived: (forgotten by the user)" in undone
    assert run(home, "get", number, cwd=app)["status"] == "active"


def test_only_what_is_in_use_can_be_pinned(home: Home, app: Path) -> None:
    old = str(run(home, "remember", "Deploys happen with make ship.", cwd=app)["id"])
    new = run(home, "correct", old, "Deploys happen with make release.", cwd=app)["id"]
    refused = home.nous("pin", old, cwd=app)
    assert refused.returncode == 1 and f"#{old} was replaced by #{new}" in refused.stderr
    home.nous("forget", str(new), cwd=app)
    refused = home.nous("pin", str(new), cwd=app)
    assert refused.returncode == 1 and "out of use" in refused.stderr


def test_pinned_and_confirmed_are_marked(home: Home, app: Path) -> None:
    kept = run(home, "remember", "Coordinates are lon,lat.", cwd=app)
    assert run(home, "pin", str(kept["id"]), cwd=app)["pinned"]
    assert run(home, "confirm", str(kept["id"]), cwd=app)["confidence"] == 1.0
    assert "[pinned] [confirmed]" in home.nous("list", cwd=app).stdout


def test_a_secret_is_removed_before_it_is_kept(home: Home, app: Path) -> None:
    kept = run(home, "remember", f"The bot token is {SECRET}, it only reads.", cwd=app)
    assert SECRET not in kept["content"]
    assert (
        "a secret was removed" in home.nous("remember", f"The other bot reads with {SECRET} as well.", cwd=app).stderr
    )
    refused = home.nous("remember", f"The API key is {SECRET}", cwd=app)
    assert refused.returncode == 1 and "a secret and nothing else" in refused.stderr
    assert all(SECRET.encode() not in file.read_bytes() for file in home.data.rglob("*") if file.is_file())


def test_what_is_remembered_is_told_to_the_next_session(home: Home, app: Path) -> None:
    run(home, "remember", "Public functions get type hints.", "--type", "requirement", cwd=app)
    body = json.dumps({"session_id": "s", "cwd": str(app), "hook_event_name": "SessionStart", "source": "startup"})
    said = json.loads(home.nous("hook", "SessionStart", stdin=body, cwd=app).stdout)
    assert "Public functions get type hints." in said["hookSpecificOutput"]["additionalContext"]


def test_a_memory_goes_by_its_number_and_by_its_global_id(home: Home, app: Path) -> None:
    kept = run(home, "remember", "Use pnpm here.", cwd=app)
    for name in (str(kept["id"]), f"#{kept['id']}", kept["global_id"]):
        assert run(home, "get", name, cwd=app)["id"] == kept["id"]
    run(home, "pin", kept["global_id"], cwd=app)
    assert run(home, "explain", kept["global_id"], cwd=app)["pinned"]
    for wrong, said in {
        "nonsense": "neither the number of a memory",
        "0" * 8 + kept["global_id"][8:]: "there is no memory",
    }.items():
        done = home.nous("get", wrong, cwd=app)
        assert done.returncode and said in done.stderr and "Traceback" not in done.stderr
