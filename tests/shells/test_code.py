"""The commands about code, the watcher, and the tool for a model."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from factories import sized
from nous.app import Nous, system_clock
from nous.config import load_settings
from nous.errors import NotFound
from nous.features.code.codebase import Codebase, CodeWatcher
from nous.features.code.store import INDEXING, STATE, code_file, open_code
from nous.identity import context_key
from nous.shells import mcp
from nous.shells.cli import nous
from nous.shells.daemon.hook_service import HookService

Run = Callable[..., Result]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "work"
    (root / "app").mkdir(parents=True)
    (root / "app" / "retries.py").write_text("def retry_policy(times):\n    return times\n")
    (root / "app" / "client.py").write_text(
        "from app.retries import retry_policy\n\n\ndef send():\n    retry_policy(3)\n\n\ndef loop():\n    send()\n"
    )
    monkeypatch.setenv("NOUS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(root)
    return root


def run(*words: str) -> Result:
    return CliRunner().invoke(nous, words, catch_exceptions=False, standalone_mode=False)


def test_index_then_impact_then_symbols(tree: Path) -> None:
    assert "2 files looked at, 2 read" in run("index").output
    said = run("impact", "app/retries.py:retry_policy").output
    assert "2 reached for certain" in said
    assert "app/client.py:4  send calls retry_policy" in said
    assert "app/client.py:8  loop calls send" in said
    found = json.loads(run("impact", "retry_policy", "--depth", "1", "--json").output)
    assert [one["symbol"] for one in found["proven"]] == ["send"]
    assert found["note"] == ""


def test_a_graph_that_is_being_made_says_so(tree: Path, tmp_path: Path) -> None:
    run("index")
    code = open_code(str(tmp_path / "data"), str(tree))
    assert code
    code.say(**{STATE: INDEXING})
    code.close()
    assert run("impact", "retry_policy").output.startswith("(indexing, may be incomplete)")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["impact", "app/retries.py"], "is not indexed"),
        (["index", "/nonexistent/place"], "there is no directory"),
    ],
)
def test_misuse_is_one_sentence(tree: Path, words: list[str], said: str) -> None:
    with pytest.raises(Exception, match=said):
        run(*words)


def test_what_is_not_in_the_index_is_named(tree: Path) -> None:
    run("index")
    for target, said in (
        ("nowhere.py:x", "nowhere.py is not in the index"),
        ("app/client.py:x", "app/client.py defines no x"),
        ("no_such_symbol", "there is no file and no symbol no_such_symbol"),
    ):
        with pytest.raises(Exception, match=said):
            run("impact", target)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """A file after a full disk, a bad disk or a stranger."""
    at = chance.randrange(len(data))
    match chance.randrange(4):
        case 0:
            return b"no database" * 1000
        case 1:
            return data[:at]
        case 2:
            return data[:at] + bytes(len(data) - at)
        case _:
            return data[:at] + chance.randbytes(min(5000, len(data) - at)) + data[at + 5000 :]


def test_a_damaged_graph_is_made_again_and_no_memory_waits_for_it(tree: Path, tmp_path: Path) -> None:
    run("index")
    run("remember", "retry_policy in app/retries.py doubles the pause.")
    with Nous.open() as opened:
        project = opened.project(str(tree)).id
        opened.stores.cache.see_project(project, str(tree), "", opened.clock())
    file = Path(code_file(str(tmp_path / "data"), str(tree)))
    healthy = file.read_bytes()
    for seed in range(sized(40, 400)):
        for end in ("-wal", "-shm"):
            Path(f"{file}{end}").unlink(missing_ok=True)
        file.write_bytes(damaged(healthy, random.Random(seed)))
        with Nous.open() as opened:
            opened.stores.cache.clear()
            opened.work.warm([project])
            assert "doubles the pause" in (opened.stores.cache.get(context_key(project, "")) or ""), seed
        with suppress(NotFound):  # it was damaged and is gone
            run("impact", "retry_policy")
        with Nous.open() as opened:
            opened.code.follow(str(tree), ["app/retries.py"])
        run("index")
        assert "retry_policy" in run("impact", "retry_policy").output, seed
    assert run("index", "--forget").output == "what was known of the code is gone\n"
    assert not os.listdir(tmp_path / "data" / "code")


def test_the_home_directory_is_no_project(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="is no project"):
        run("index", str(tmp_path))


def test_purging_a_project_takes_its_code_along(tree: Path, tmp_path: Path) -> None:
    run("index")
    run("remember", "The retry policy doubles the pause.")
    with Nous.open() as opened:
        project = opened.project(str(tree)).id
    run("purge", "--project", project, "--yes")
    assert not list((tmp_path / "data" / "code").glob("*.db"))


def test_the_watcher_follows_an_edit(tree: Path) -> None:
    run("index")
    code = Codebase(load_settings(os.environ), system_clock)
    problems: list[BaseException] = []
    watcher = CodeWatcher(code, problems.append)
    watcher.start()
    try:
        time.sleep(0.8)
        (tree / "app" / "more.py").write_text("from app.client import loop\n\n\ndef many():\n    loop()\n")
        deadline = time.monotonic() + 20
        found: list[str] = []
        while time.monotonic() < deadline and found != ["many"]:
            time.sleep(0.05)
            found = [one.symbol for one in code.impact("loop").proven]
        assert found == ["many"]
        assert problems == []
    finally:
        watcher.stop()
        watcher.join(timeout=10)


def test_a_model_may_ask_for_the_impact(tree: Path) -> None:
    run("index")
    with Nous.open() as opened:
        said = mcp.answer_tool(opened, mcp.TOOLS["impact"], str(tree), {"target": "app/retries.py:retry_policy"})
    assert "app/client.py:4  send calls retry_policy" in said


# -- what a search is told ------------------------------------------------------------------------------------------


@pytest.fixture
def search(tree: Path) -> Callable[..., str]:
    """Let a session search; what it is told, by a reception as the daemon has it."""
    (tree / ".git").mkdir()
    (tree / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    run("index")
    reception = HookService(load_settings(os.environ))

    def ask(pattern: str, tool: str = "Grep", answered: object = "", session: str = "s1", **given: str) -> str:
        body = {"session_id": session, "cwd": str(tree), "tool_name": tool, "tool_response": answered}
        payload = json.dumps(body | {"tool_input": {"pattern": pattern} | given}).encode()
        said = reception.respond("PostToolUse", payload)
        return json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""

    return ask


def test_a_search_for_a_name_is_told_where_it_is_once(search: Callable[..., str]) -> None:
    many = "app/client.py\napp/retries.py\ndocs/notes.md"
    assert search("retry_policy", answered=many) == "Nous: `retry_policy` is defined in app/retries.py:1."
    assert search("retry_policy", answered=many) == ""
    assert search(r"def retry_policy\(", answered="No files found", session="s2").startswith(
        "Nous: `retry_policy` is defined"
    )


@pytest.mark.parametrize(
    ("pattern", "answered"),
    [
        ("retry_policy", "app/retries.py:1:def retry_policy(times):"),  # it was just shown
        ("retry", "app/client.py\napp/retries.py"),
        ("no_such_name", "No files found"),
        ("send|loop|retry_policy", "x"),
        ("retry.*policy", "x"),
    ],
)
def test_a_search_that_is_answered_or_not_sure_is_told_nothing(
    search: Callable[..., str], pattern: str, answered: str
) -> None:
    assert search(pattern, answered=answered) == ""


def test_a_glob_for_a_file_that_lies_elsewhere_is_told_where(search: Callable[..., str]) -> None:
    assert search("src/**/retries.py", "Glob", "No files found") == "Nous: `retries.py` is app/retries.py."
    assert search("**/client.py", "Glob", ["app/client.py"]) == ""
    assert search("**/*.py", "Glob", "") == ""


def test_a_name_of_two_files_is_nobodys(tree: Path, search: Callable[..., str]) -> None:
    (tree / "app" / "other.py").write_text("def retry_policy():\n    pass\n")
    run("index")
    assert search("retry_policy", answered="a.py\nb.py") == ""


def test_a_memory_about_the_name_comes_along(tree: Path, search: Callable[..., str]) -> None:
    run("remember", "retry_policy must not retry payments.", "--type", "gotcha")
    search("unrelated_name")  # lets the word index be made
    deadline = time.monotonic() + 10
    said = ""
    while time.monotonic() < deadline and "Memory #" not in said:
        said = search("retry_policy", answered="a.py\nb.py", session=f"s{time.monotonic()}")
        time.sleep(0.05)
    assert said.startswith("`retry_policy` is defined in app/retries.py:1. Nous remembers about it:")
    assert "must not retry payments" in said


def test_whoever_changes_a_file_hears_about_those_who_use_it(tree: Path, search: Callable[..., str]) -> None:
    note = "app/client.py must stay importable without a network."
    run("remember", note, "--type", "gotcha", "--file", "app/client.py")
    said = search("", "Edit", file_path=str(tree / "app" / "retries.py"))
    assert said.startswith("Nous remembers about code that uses this file:")
    assert "importable without a network" in said
    assert search("", "Read", file_path=str(tree / "app" / "retries.py"), session="s9") == ""
