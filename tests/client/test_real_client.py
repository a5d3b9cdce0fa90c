"""The proof in the real client: what is said in one session is in front of the model in the next.

The client is Claude Code itself, from npm; only the API behind it is a stub. What counts is what the API was sent.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from .runner import REPO, VERSION, Session, World, wait_until
from .stub import Reply, strings

pytestmark = pytest.mark.client

RULE = "Always run the migrations with `make migrate-safe` in this repo, never with alembic directly."
MARK = "make migrate-safe"
# Two models, since the client hands injected text over in two ways: as a system message, or inside the user's.
MODELS = ["claude-opus-5-5", "claude-haiku-4-5"]


class Told(msgspec.Struct, frozen=True):
    """A world with the plugin, in whose first session a rule was told and learned."""

    world: World
    project: Path
    first: Session
    learned: Any


@pytest.fixture(scope="module")
def told(new_world: Callable[[], World]) -> Told:
    world = new_world()
    project = world.project("shop")
    world.nous("plugin", "install")
    first = world.claude(RULE, project, script=[Reply("Understood.")])
    return Told(world, project, first, world.nous("backfill"))


def memories(world: World) -> list[Any]:
    """Everything that Nous holds, of every project."""
    with world.memory() as nous:
        return msgspec.to_builtins(nous.list(all_projects=True, limit=1000))  # type: ignore[no-any-return]


def test_the_first_session_knows_nothing_yet(told: Told) -> None:
    assert (told.first.exit_code, told.first.said) == (0, "Understood.")
    assert "[Memory #" not in told.first.heard


def test_the_rule_is_learned_from_the_real_transcript(told: Told) -> None:
    hits = told.world.nous("recall", "how do I run migrations?", cwd=told.project)["hits"]
    assert MARK in hits[0]["content"]


@pytest.mark.parametrize("model", MODELS)
def test_the_next_session_sends_the_rule_to_the_model(told: Told, model: str) -> None:
    session = told.world.claude("Add a column to the orders table.", told.project, "--model", model)
    assert (session.exit_code, session.said) == (0, "Done.")
    assert MARK in session.requests[0].text, told.world.hook_log
    assert "[Memory #" in session.requests[0].text
    assert session.complaints == ""


def test_a_session_in_another_project_does_not_get_it(told: Told) -> None:
    session = told.world.claude("Add a column to the orders table.", told.world.project("blog"))
    assert session.exit_code == 0 and session.requests
    assert MARK not in session.heard


def test_what_was_injected_is_not_learned_again(told: Told) -> None:
    before = [(each["id"], each["content"], each["evidence"]) for each in memories(told.world)]
    silent = told.world.claude("What is in the README?", told.project)
    line = next(line for line in silent.heard.splitlines() if "[Memory #" in line)
    told.world.claude("Which rule did you get?", told.project, script=[Reply(f"This one:\n{line}")])
    told.world.nous("backfill")
    after = [(each["id"], each["content"], each["evidence"]) for each in memories(told.world)]
    # Not even as evidence for what it came from: a memory must not grow stronger by being shown.
    assert after == before != []
    assert all("[Memory #" not in content for _, content, _ in after)


def test_a_skill_searches_the_memory_without_asking_for_permission(told: Told) -> None:
    search = Reply(tool="Bash", arguments={"command": "nous recall 'run migrations'", "description": "Search"})
    session = told.world.claude("/nous:recall how to run migrations", told.project, script=[search])
    for skill in ("recall", "remember", "forget", "why", "status"):
        assert f"nous:{skill}" in session.requests[0].text
    answer = session.requests[-1].body["messages"]
    results = [block for each in answer for block in each["content"] if is_result(block)]
    assert len(results) == 1 and MARK in json.dumps(results) and not results[0].get("is_error")


def test_a_tool_of_the_plugin_searches_the_memory_and_keeps_what_the_user_asks_for(told: Told) -> None:
    search = Reply(tool=f"{TOOLS}search_memory", arguments={"query": "run migrations"})
    keep = Reply(tool=f"{TOOLS}remember", arguments={"text": "The staging host is called heron.", "type": "fact"})
    free = "--dangerously-skip-permissions"
    session = told.world.claude("Look it up, then keep it.", told.project, free, script=[search, keep])
    answer = session.requests[-1].body["messages"]
    found, kept = [block for each in answer for block in each["content"] if is_result(block)]
    assert MARK in json.dumps(found) and not found.get("is_error"), found
    assert "Remembered" in json.dumps(kept) and not kept.get("is_error"), kept
    assert [each for each in memories(told.world) if "heron" in each["content"] and each["type"] == "fact"]
    before = memories(told.world)
    told.world.nous("backfill")
    assert memories(told.world) == before


def test_the_model_searches_in_single_lines_and_then_reads_one_hit_whole(told: Told) -> None:
    """The compact search, then the rest: a line with an id and a date, and what that id gives."""
    [number] = [each["id"] for each in memories(told.world) if MARK in each["content"]]
    search = Reply(tool=f"{TOOLS}search_memory", arguments={"query": "how do we run the migrations?"})
    read = Reply(tool=f"{TOOLS}get_memory", arguments={"ids": [f"#{number}"]})
    free = "--dangerously-skip-permissions"
    session = told.world.claude("How do we run the migrations?", told.project, free, script=[search, read])
    answer = session.requests[-1].body["messages"]
    found, whole = ("\n".join(strings(block)) for each in answer for block in each["content"] if is_result(block))
    [line] = [line for line in found.splitlines() if line.startswith(f"#{number} ")]
    assert re.match(r"#\d+ \d{4}-\d\d-\d\d \(\w+", line) and MARK in line
    assert f"[Memory #{number}:" in whole and "[Exchange " in whole, "with the words it was learned from"


TOOLS = "mcp__plugin_nous_memory__"


def is_result(block: object) -> bool:
    """Whether a block of a message is what a tool gave back."""
    return isinstance(block, dict) and block.get("type") == "tool_result"


@pytest.mark.parametrize("folder", ["plugin", "."])
def test_the_client_finds_nothing_wrong_with_the_plugin(told: Told, folder: str) -> None:
    done = told.world.plugin_command("validate", "--strict", str(REPO / folder))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_client_finds_nothing_wrong_with_the_installed_copy(told: Told) -> None:
    copy = told.world.root / "data" / "plugin"
    for folder in (copy, copy / "nous"):
        done = told.world.plugin_command("validate", "--strict", str(folder))
        assert done.returncode == 0, done.stdout + done.stderr
    listed = json.loads(told.world.plugin_command("list", "--json").stdout)
    assert [(each["id"], each["enabled"]) for each in listed] == [("nous@nous-local", True)]


def remember_the_rule(world: World, project: Path) -> None:
    with world.memory() as nous:
        nous.remember(RULE, project=str(project))


def test_after_uninstalling_a_session_has_no_plugin(world: World) -> None:
    project = world.project("shop")
    settings = '{"model":"claude-haiku-4-5"\n}'
    world.settings.write_text(settings)
    remember_the_rule(world, project)
    world.environ["PATH"] = f"{world.executable.parent}:{world.environ['PATH']}"

    assert MARK not in world.claude("Hello.", project).heard
    done = world.nous("init", "--no-backfill", "--no-measure")
    assert done["client"]["version"] == VERSION and done["plugin"] == "installed"
    assert MARK in world.claude("Hello.", project).heard, world.hook_log
    assert set(world.nous("uninstall")["kept"]) <= {"cortex.db", "project-names.tsv"}

    after = world.claude("Hello.", project)
    assert MARK not in after.heard and "nous:recall" not in after.heard and after.complaints == ""
    assert world.settings.read_text() == settings
    assert json.loads(world.plugin_command("list", "--json").stdout) == []


def test_the_plugin_works_from_the_repository_as_a_marketplace(world: World) -> None:
    project = world.project("shop")
    remember_the_rule(world, project)
    command = world.root / "bin" / "nous"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m nous "$@"\n')
    command.chmod(0o755)
    world.environ["PATH"] = f"{command.parent}:{Path(sys.executable).parent}:{world.environ['PATH']}"

    for words in (["marketplace", "add", str(REPO)], ["install", "nous@nous"]):
        done = world.plugin_command(*words)
        assert done.returncode == 0, done.stdout + done.stderr
    assert MARK in world.claude("Hello.", project).heard, world.hook_log


BREAKAGES: dict[str, Callable[[World], None]] = {
    "a garbage database": lambda world: spoil(world.root / "data" / "cortex.db"),
    "a data directory that is a file": lambda world: world.environ.update(NOUS_DATA_DIR=str(world.settings)),
    "no hook": lambda world: installed_hook(world).unlink(),
    "a hook that may not be run": lambda world: installed_hook(world).chmod(0o644),
    "no interpreter": lambda world: edit_hook(world, r"#!.*", "#!/nowhere/python3"),
    "no package": lambda world: edit_hook(world, r"PACKAGE = .*", "PACKAGE = '/nowhere'"),
}


def spoil(file: Path) -> None:
    file.write_bytes(b"not a database\0" * 1000)
    for beside in file.parent.glob(f"{file.name}-*"):
        beside.unlink()


def installed_hook(world: World) -> Path:
    return world.root / "data" / "plugin" / "nous" / "hooks" / "hook.py"


def edit_hook(world: World, line: str, new: str) -> None:
    hook = installed_hook(world)
    hook.write_text(re.sub(f"^{line}$", new, hook.read_text(), count=1, flags=re.MULTILINE))


@pytest.mark.parametrize("breakage", BREAKAGES.values(), ids=BREAKAGES.keys())
def test_a_broken_memory_never_breaks_the_session(world: World, breakage: Callable[[World], None]) -> None:
    project = world.project("shop")
    remember_the_rule(world, project)
    world.nous("plugin", "install")
    breakage(world)
    read = Reply(tool="Read", arguments={"file_path": str(project / "README.md")})
    session = world.claude("Hello.", project, script=[read, Reply("Hello to you.")])
    assert (session.exit_code, session.said) == (0, "Hello to you.")
    assert MARK not in session.heard and "blocking error" not in session.heard


@pytest.mark.parametrize("start", ["by hand", "by the first session"])
def test_with_the_daemon_nobody_has_to_ask(world: World, start: str) -> None:
    project = world.project("shop")
    world.nous("plugin", "install")
    if start == "by hand":
        world.nous("up")
    else:
        del world.environ["NOUS_NO_AUTOSTART"]

    world.claude(RULE, project)

    def is_learned() -> bool:
        return any(MARK in hit["content"] for hit in world.nous("recall", "run migrations", cwd=project)["hits"])

    assert wait_until(is_learned, seconds=20)
    assert MARK in world.claude("Add a column to the orders table.", project).heard, world.hook_log
    assert world.close() == []
