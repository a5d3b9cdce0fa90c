"""Commands about what was captured, as real processes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from factories import Home
from kernel.test_capture import lines, record
from nous.shells.daemon import service


def say(home: Home, project: Path, *words: str, session: str = "s1") -> Path:
    """A session in a project, learned."""
    file = home.transcripts / "p" / f"{session}.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(lines(*(record(word, cwd=str(project), sessionId=session) for word in words)))
    assert home.nous("backfill").returncode == 0
    return file


def read(home: Home, *args: str, cwd: Path | None = None) -> Any:
    done = home.nous(*args, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_explain_says_which_rule_kept_something(home: Home) -> None:
    project = home.project()
    say(
        home,
        project,
        "Remember: the demo for the board is on Friday.",
        "All dates in the app are shown in UTC, never in local time.",
    )
    why = {
        memory["content"][:12]: home.nous("explain", str(memory["id"]), cwd=project).stdout
        for memory in read(home, "list", cwd=project)["memories"]
    }
    assert "kept by a rule: the user asked for it to be remembered" in why["The demo for"]
    assert "kept by a rule: said with always or never" in why["All dates in"]


def test_a_session_can_be_read_after_the_client_deleted_it(home: Home) -> None:
    project = home.project()
    file = say(home, project, "We use pnpm, not npm.", session="0a1b2c3d-aaaa")
    file.unlink()
    [row] = read(home, "session", cwd=project)["sessions"]
    assert (row["session_id"], row["prompts"], row["branch"]) == ("0a1b2c3d-aaaa", 1, "main")
    shown = home.nous("session", "show", "0a1b", cwd=project).stdout
    assert "We use pnpm, not npm." in shown and "2.1.325" in shown
    assert read(home, "session", "show", "0a1b")["said"][0]["kind"] == "prompt"
    missing = home.nous("session", "show", "zzz")
    assert (missing.returncode, missing.stderr.splitlines()[0]) == (1, "error: there is no session 'zzz'")
    assert read(home, "status", cwd=project)["memories"] >= 1


def test_the_queue_can_be_listed_shown_retried_and_skipped(home: Home) -> None:
    say(home, home.project(), "We use pnpm, not npm.")
    assert read(home, "queue") == {"queue": {"completed": 1}}
    assert read(home, "queue", "list") == {"items": []}
    [item] = read(home, "queue", "list", "--state", "all")["items"]
    assert (item["status"], item["session_id"]) == ("completed", "s1")
    for action in ("retry", "skip"):
        refused = home.nous("queue", action, "99")
        assert (refused.returncode, "Traceback" in refused.stderr) == (1, False)
    assert home.nous("queue", "retry").returncode == 2


def test_a_renamed_repository_keeps_its_memories(home: Home) -> None:
    project = home.project("app")
    say(home, project, "We use pnpm, not npm.")
    renamed = project.rename(project.parent / "app-renamed")
    assert "pnpm" in home.nous("recall", "pnpm", cwd=renamed).stdout
    body = json.dumps({"session_id": "x", "cwd": str(renamed), "hook_event_name": "SessionStart"})
    assert "pnpm" in home.nous("hook", "SessionStart", stdin=body, cwd=renamed).stdout
    home.git(renamed, "remote", "add", "origin", "git@example.com:acme/app.git")
    say(home, renamed, "Please always run make lint before you commit.", session="s2")
    assert "pnpm" in home.nous("recall", "pnpm", cwd=renamed).stdout
    clone = home.project("clone", "https://example.com/acme/app")
    assert "make lint" in home.nous("recall", "lint", cwd=clone).stdout


def test_a_renamed_folder_without_git_keeps_its_memories(home: Home) -> None:
    folder = home.home / "plain"
    folder.mkdir()
    for name in ("notes.md", "todo.md"):
        (folder / name).write_text(name)
    say(home, folder, "We use pnpm, not npm.")
    renamed = folder.rename(home.home / "renamed")
    assert "pnpm" in home.nous("recall", "pnpm", cwd=renamed).stdout
    body = json.dumps({"session_id": "x", "cwd": str(renamed), "hook_event_name": "SessionStart"})
    assert "pnpm" in home.nous("hook", "SessionStart", stdin=body, cwd=renamed).stdout
    copy = home.home / "copy"
    shutil.copytree(renamed, copy)
    assert "pnpm" not in home.nous("recall", "pnpm", cwd=copy).stdout
    say(home, folder, "Please always run make lint before you commit.", session="s2")  # written before the rename
    assert "make lint" in home.nous("recall", "lint", cwd=renamed).stdout


def test_a_copy_of_a_repository_is_another_project(home: Home) -> None:
    project = home.project("app")
    say(home, project, "We use pnpm, not npm.")
    copy = project.parent / "copy"
    shutil.copytree(project, copy)
    assert "pnpm" not in home.nous("recall", "pnpm", cwd=copy).stdout


def test_projects_can_be_named_and_merged(home: Home) -> None:
    one, two = home.project("one"), home.project("two")
    say(home, one, "We use pnpm, not npm.")
    say(home, two, "The dev server runs on port 4000.", session="s2")
    moved = read(home, "project", "merge", str(one), str(two))
    assert moved["moved"] == 1
    for place in (one, two):
        text = home.nous("list", cwd=place).stdout
        assert "pnpm" in text and "4000" in text
    body = json.dumps({"session_id": "x", "cwd": str(one), "hook_event_name": "SessionStart"})
    assert "4000" in home.nous("hook", "SessionStart", stdin=body, cwd=one).stdout
    [project] = [row for row in read(home, "project", "list")["projects"] if row["memories"]]
    assert project["aliases"] == [str(one)]
    read(home, "project", "alias", "the-shop", str(two))
    assert "pnpm" in home.nous("recall", "pnpm", "--project", "the-shop").stdout
    assert home.nous("project", "merge", str(two), str(two)).returncode == 1
    for command, *names in (("merge", str(two), "organisation"), ("alias", "team:shop", str(two))):
        refused = home.nous("project", command, *names)
        assert refused.returncode == 1 and "is no project" in refused.stderr
    assert home.nous("project", "alias", "x").returncode == 2


def test_a_service_is_a_file_that_names_this_interpreter(home: Home) -> None:
    path = Path(service.path_of(home.environ))
    said = read(home, "service", "install", "--no-start")
    assert said["installed"] and said["path"] == str(path)
    text = path.read_text()
    assert "-m" in text and "up" in text and str(home.data) in text
    assert read(home, "service", "status")["installed"]
    assert not read(home, "service", "uninstall", "--no-start")["installed"]
    assert not path.exists()


@pytest.mark.parametrize("words", [("queue", "--state", "nope"), ("queue", "list", "--state", "")])
def test_a_state_that_does_not_exist_is_refused(home: Home, words: tuple[str, ...]) -> None:
    refused = home.nous(*words)
    assert refused.returncode == 2 and "dead_letter" in refused.stderr


def test_both_kinds_of_service_carry_the_environment_escaped() -> None:
    environ = {"HOME": "/home/a", "NOUS_DATA_DIR": '/data/50% & "quoted"'}
    unit = service.text_of(environ, "linux", "/usr/bin/python3")
    assert 'Environment="NOUS_DATA_DIR=/data/50%% & \\"quoted\\""' in unit
    agent = service.text_of(environ, "darwin", "/usr/bin/python3")
    assert '<string>/data/50% &amp; "quoted"</string>' in agent
    assert service.path_of(environ, "darwin").endswith("LaunchAgents/nous.plist")
