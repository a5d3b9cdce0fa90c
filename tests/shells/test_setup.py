"""`nous init` and `nous uninstall`: everything is set up by one command, and nothing stays after the other."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import Home
from kernel.test_capture import lines, record
from nous.app import Nous
from nous.config import config_file, load_settings
from nous.identity import context_key
from nous.kernel.capture.backfill import Chosen
from nous.shells import setup
from nous.shells.daemon import control, service
from nous.shells.plugin import registration

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "transcripts" / "projects"
CALM = "--no-measure"


def tree(root: Path) -> dict[str, bytes | None]:
    """Every file with its content, and everything that is no file (None)."""
    found = sorted(root.rglob("*"))
    return {str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in found}


def laid_down(root: Path) -> dict[str, bytes | None]:
    """What a set-up wrote: not the database and the logs, which a running daemon goes on writing (at night at once)."""
    own = (*setup.DATABASE, *setup.LOGS)
    return {name: data for name, data in tree(root).items() if Path(name).name not in own}


@pytest.fixture
def clean(home: Home) -> Iterator[Home]:
    """A home where everything is in its default place, with sessions on disk and a client on the PATH."""
    del home.environ["CLAUDE_CONFIG_DIR"], home.environ["NOUS_DATA_DIR"]
    shutil.copytree(SAMPLES, home.transcripts, dirs_exist_ok=True)
    (home.claude / "settings.json").write_text('{"model": "haiku"}')
    put_client(home, home.root / "bin", "2.1.325 (Claude Code)")
    home.environ["PATH"] = f"{home.root / 'bin'}:{home.environ['PATH']}"
    yield home
    home.nous("down")  # its lock is not where `home` looks for one


def put_client(home: Home, folder: Path, says: str) -> Path:
    """A program that says the version of a client, which is all that set-up asks of one."""
    folder.mkdir(parents=True, exist_ok=True)
    client = folder / "claude"
    client.write_text(f"#!/bin/sh\necho '{says}'\n")
    client.chmod(0o755)
    return client


def run(home: Home, *words: str, status: int = 0) -> Any:
    """What a command said as JSON."""
    done = home.nous(*words, "--json")
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout) if status == 0 else done.stderr


def test_init_then_purge_leaves_the_home_as_it_was(clean: Home) -> None:
    before = tree(clean.home)
    said = run(clean, "init", "--yes", CALM)
    assert said["client"]["version"] == "2.1.325" and said["plugin"] == "installed"
    assert said["history"]["sessions"] == 5 and said["learned"] > 10
    assert run(clean, "status")["daemon"]["pid"] == said["pid"]
    assert (clean.home / ".local/share/nous/plugin/nous/hooks/hook.py").is_file()
    run(clean, "uninstall", "--purge", "--yes")
    assert tree(clean.home) == before


def test_uninstalling_keeps_the_memories_and_nothing_else(clean: Home) -> None:
    before = tree(clean.home)
    run(clean, "init", "--yes", CALM)
    known = run(clean, "list", "--all-projects")
    (clean.home / ".local/share/nous/daemon.woken").touch()  # a hook started the daemon at some time
    pid = run(clean, "status")["daemon"]["pid"]
    said = run(clean, "uninstall")
    assert control.is_gone(pid), "who says stopped means it"
    data = ".local/share/nous"
    kept = {f"{data}/{name}" for name in ("cortex.db", "setup.json")}
    assert set(tree(clean.home)) - set(before) == {".local", ".local/share", data, *kept}
    assert {**tree(clean.home), **before} == tree(clean.home)
    assert said["daemon"] and said["kept"] == ["cortex.db", "setup.json"]
    assert run(clean, "list", "--all-projects") == known
    run(clean, "uninstall", "--purge", "--yes")  # what the first left is known to the second
    assert tree(clean.home) == before


def test_a_second_init_changes_nothing(clean: Home) -> None:
    first = run(clean, "init", "--yes", CALM)
    before = laid_down(clean.home)
    second = run(clean, "init", "--yes", CALM)
    assert (second["changed"], second["learned"], second["pid"]) == ([], 0, first["pid"])
    assert laid_down(clean.home) == before


def test_where_nobody_can_be_asked_history_is_left_alone_by_the_daemon_too(clean: Home) -> None:
    for path in clean.transcripts.rglob("*.jsonl"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    assert run(clean, "init", CALM)["learned"] is None
    clean.nous("restart")  # it scans when it starts
    assert run(clean, "list", "--all-projects")["memories"] == []
    assert run(clean, "init", "--no-backfill", CALM)["learned"] is None
    assert run(clean, "init", "--yes", CALM)["learned"] > 10
    assert not Path(config_file(clean.environ)).exists()


@pytest.mark.parametrize(("answer", "is_learned"), [(b"y\n", True), (b"n\n", False)])
def test_a_person_is_asked_before_anything_is_read(clean: Home, answer: bytes, is_learned: bool) -> None:
    clean.environ["OLLAMA_HOST"] = "127.0.0.1:9"
    person, terminal = os.openpty()
    os.write(person, answer + b"n\n")
    command = [sys.executable, "-m", "nous", "init", CALM]
    done = subprocess.run(
        command, stdin=terminal, capture_output=True, text=True, env=clean.environ, timeout=300, check=False
    )
    os.close(person)
    os.close(terminal)
    assert done.returncode == 0 and re.search(r"5 earlier sessions in 1 project \(\d+ kB\)", done.stderr), done.stderr
    assert ("memories in all" in done.stdout) is is_learned
    assert "model     none, so nothing is sent anywhere" in done.stdout


def test_a_model_is_offered_with_its_price_and_chosen_only_by_name(clean: Home) -> None:
    said = run(clean, "init", "--no-backfill", CALM)
    assert said["model"] == "none" and 0 < said["model_usd"] < 0.5
    assert load_settings(clean.environ).llm_provider == "none"
    assert run(clean, "init", "--no-backfill", "--model", "claude", CALM)["model"] == "claude"
    assert run(clean, "init", "--no-backfill", CALM)["model"] == "claude", "what was chosen stays"
    assert run(clean, "init", "--no-backfill", "--model", "none", CALM)["model"] == "none"


def test_hooks_are_measured_and_a_fast_machine_answers_the_first_prompt(clean: Home) -> None:
    said = run(clean, "init", "--no-backfill", "--runs", "2")
    speed = said["speed"]
    assert min(speed["bare"], speed["start"], speed["prompt"]) > 0
    assert speed["passed"] is said["prompts"] is (speed["prompt"] <= setup.SLOW_MS)
    assert load_settings(clean.environ).enable_userpromptsubmit is speed["passed"]
    assert list((clean.root / "tmp").iterdir()) == []


def test_a_line_of_the_users_own_wins(clean: Home) -> None:
    config = Path(config_file(clean.environ))
    config.parent.mkdir(parents=True)
    config.write_text("enable_userpromptsubmit = false # mine\n")
    assert not setup.keep_setting(clean.environ, "enable_userpromptsubmit", True)
    assert config.read_text() == "enable_userpromptsubmit = false # mine\n"


@given(
    st.lists(st.sampled_from(["# a note", "prompt_tokens = 500", "", "[table]", "x = 'é'"]), unique=True, max_size=5),
    st.booleans(),
)
def test_our_line_is_read_back_and_goes_without_a_trace(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], is_ended: bool
) -> None:
    environ = {"NOUS_DATA_DIR": str(tmp_path_factory.mktemp("config"))}
    path = Path(config_file(environ))
    text = "\n".join(lines) + ("\n" if is_ended else "")
    if text:
        path.write_text(text)
    assert setup.keep_setting(environ, "read_since", "2026-11-03")
    assert tomllib.loads(path.read_text())["read_since"] == "2026-11-03"
    assert not setup.keep_setting(environ, "read_since", "2026-11-03")
    assert setup.keep_setting(environ, "read_since", None)
    assert (path.read_text() if path.exists() else "") == text


def test_a_client_is_found_where_installers_put_it(home: Home) -> None:
    home.environ["PATH"] = "/nowhere"
    assert setup.find_client(home.environ) is None or os.access("/usr/local/bin/claude", os.X_OK)
    client = put_client(home, home.home / ".local" / "bin", "2.1.99 (Claude Code)")
    found = setup.find_client({**home.environ, "PATH": "/bin:/usr/bin"})
    assert found == setup.Client(str(client), "2.1.99") and found.is_too_old
    assert not setup.Client("x", "2.1.144").is_too_old and not setup.Client("x", "").is_too_old


def test_nothing_is_deleted_without_a_word(clean: Home) -> None:
    run(clean, "init", "--no-backfill", CALM)
    before = set(tree(clean.home))
    assert "--yes" in run(clean, "uninstall", "--purge", status=1)
    assert set(tree(clean.home)) == before


def test_a_purge_leaves_strangers_in_a_directory_that_was_there_before(clean: Home) -> None:
    shared = clean.home / "shared"
    shared.mkdir()
    (shared / "thesis.txt").write_text("years of work")
    clean.environ["NOUS_DATA_DIR"] = str(shared)
    before = tree(clean.home)
    run(clean, "init", "--no-backfill", CALM)
    assert run(clean, "uninstall", "--purge", "--yes")["kept"] == ["thesis.txt"]
    assert tree(clean.home) == before


def test_every_claude_directory_is_left(clean: Home) -> None:
    second = clean.home / "second"
    run(clean, "init", "--no-backfill", CALM)
    clean.nous("plugin", "install", CLAUDE_CONFIG_DIR=str(second))
    run(clean, "uninstall", "--purge", "--yes")
    assert not second.exists()
    assert (clean.claude / "settings.json").read_text() == '{"model": "haiku"}'


def test_a_service_is_stopped_and_removed(clean: Home) -> None:
    told = clean.root / "told"
    system = clean.root / "bin" / "systemctl"
    system.write_text(f'#!/bin/sh\necho "$@" >> {told}\n')
    system.chmod(0o755)
    unit = Path(service.path_of(clean.environ, "linux"))
    unit.parent.mkdir(parents=True)
    unit.write_text("[Unit]\n")
    assert run(clean, "uninstall")["removed"] == [str(unit)]
    assert "disable --now" in told.read_text() and not unit.exists()


def test_malformed_settings_stop_it_before_anything_is_changed(clean: Home) -> None:
    (clean.claude / "settings.json").write_text("{")
    before = {name for name in tree(clean.home) if ".claude" in name}
    assert "not a valid settings file" in run(clean, "init", "--yes", CALM, status=1)
    assert {name for name in tree(clean.home) if ".claude" in name} == before
    assert registration.status(clean.environ).state == "broken"


def test_the_history_is_read_in_order_and_what_takes_too_long_is_left(home: Home) -> None:
    for name, days in (("old", 3), ("new", 1)):
        folder = home.transcripts / name
        folder.mkdir()
        for number in range(4):
            said = record(f"Always run make check{number} in {name}.", sessionId=f"{name}{number}", cwd=f"/code/{name}")
            (folder / f"{name}{number}.jsonl").write_bytes(lines(said))
            moment = 1_700_000_000 - days * 86400 + number
            os.utime(folder / f"{name}{number}.jsonl", (moment, moment))
    with Nous.open(settings=load_settings(home.environ)) as nous:
        history, _ = setup.unread_history(nous)
        assert (history.sessions, history.projects) == (8, 2)
        ticks = chain([0.0, 1.0, 2.0, 3.0], repeat(30.0))  # the fourth takes half a minute
        learnt = setup.learn_history(nous, history.files, "/code/old", lambda step: None, 20.0, lambda: next(ticks))
        assert (learnt.read, learnt.left) == (4, 4) and learnt.memories == setup.active_memories(nous) > 0
        assert "make check0 in old" in (nous.stores.cache.get(context_key("/code/old", "")) or "")
        rest, _ = setup.unread_history(nous)
        assert sorted(names(rest.files)) == ["new0", "new1", "new2", "new3"]


def names(files: Sequence[Chosen]) -> list[str]:
    return [Path(file.path).stem for file in files]
