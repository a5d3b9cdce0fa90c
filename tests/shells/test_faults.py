"""Whatever is wrong with the disk or the database, every command says it in one sentence."""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from factories import NOW
from kernel.test_capture import lines, record
from nous.errors import StoreUnavailable
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.stores import open_stores
from nous.shells import cli

COMMANDS = """
status, doctor, list, recall pnpm, get 1, log, diff --from 1d, verify, replay, replay --verify, queue, queue list,
queue --quarantine, cost, review, maintain, backfill, remember x, forget 1, correct 1 x, pin 1, confirm 1, dispute 1,
explain 1, why-not pnpm 1, receipts, rejections, scan, session,
project, surface status, undo, feedback 1 useful, read, backup COPY, restore-backup SAMPLE, purge 1 --yes,
import SAMPLE, ingest SAMPLE, plugin status, service status, logs, down, init --yes --no-measure, uninstall --yes
"""
FREE = {"plugin", "service", "logs", "down", "init", "uninstall", "doctor", "restore-backup", "backup", "import"}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own with something learned."""
    home, data = tmp_path / "home", tmp_path / "data"
    (home / ".claude" / "projects" / "p").mkdir(parents=True)
    said = ("We use pnpm, not npm.", "Always run make check.", "We use Postgres.")
    (home / ".claude" / "projects" / "p" / "s1.jsonl").write_bytes(lines(*(record(one) for one in said)))
    for name in [name for name in os.environ if name.startswith(("NOUS_", "CLAUDE"))]:
        monkeypatch.delenv(name)
    for name, value in {"HOME": home, "CLAUDE_CONFIG_DIR": home / ".claude", "NOUS_DATA_DIR": data}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("NOUS_NO_AUTOSTART", "1")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.chdir(home)
    monkeypatch.setattr("nous.shells.daemon.control.start", lambda *_, **__: 1)
    return data


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *command: str) -> tuple[int, str]:
    """A command in this process: its status, and what it said of errors. An exception would be a traceback."""
    monkeypatch.setattr(sys, "argv", ["nous", *command])
    status = cli.main()
    return status, capsys.readouterr().err


def header(path: Path) -> None:
    path.write_bytes(b"This is no database at all." * 100 + path.read_bytes()[2700:])


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flipped(path: Path) -> None:
    pages = bytearray(path.read_bytes())
    chance = random.Random(7)
    for _ in range(len(pages) // 100):
        pages[chance.randrange(100, len(pages))] ^= 1 << chance.randrange(8)
    path.write_bytes(pages)


def nonsense(path: Path) -> None:
    path.write_bytes(random.Random(3).randbytes(50_000))


def directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [header, truncated, flipped, nonsense, directory, empty])
def test_every_command_says_what_is_wrong_with_the_database(
    damage: Callable[[Path], None],
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(monkeypatch, capsys, "backfill")[0] == 0
    path = data / "cortex.db"
    for end in ("-wal", "-shm"):
        (data / f"cortex.db{end}").unlink(missing_ok=True)
    damage(path)
    sample = tmp_path / "sample.txt"
    whole = path.read_bytes() if path.is_file() else None
    for name in COMMANDS.split(","):
        command = name.split()
        if whole is not None:
            if path.is_dir():
                shutil.rmtree(path)
            path.write_bytes(whole)
        sample.write_text("We use pnpm here.")
        given = [{"COPY": str(tmp_path / "copy.db"), "SAMPLE": str(sample)}.get(word, word) for word in command]
        try:
            status, said = run(monkeypatch, capsys, *given)
        except BaseException as problem:
            raise AssertionError(f"{name} on {damage.__name__}: {problem!r}") from problem
        assert status in (0, 1, 2), name
        if status == 1 and command[0] != "doctor":
            assert said.startswith(("error: ", "stopped")) and len(said.splitlines()) <= 3, (name, said)
            assert "unexpected" not in said, (name, said)
        if damage in (header, nonsense, directory) and command[0] not in FREE:
            assert status == 1, (name, said)
        if damage is directory and not path.is_dir():
            directory(path) if path.exists() else path.mkdir()


def test_doctor_says_which_check_failed_and_goes_on(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, capsys, "backfill")
    header(data / "cortex.db")
    monkeypatch.setattr(sys, "argv", ["nous", "doctor"])
    assert cli.main() == 1
    said = capsys.readouterr().out
    assert "FAIL database" in said and "not a healthy database" in said
    assert "restore-backup" in said and "ok   python" in said and "daemon" in said


@pytest.mark.parametrize("command", ["init --yes", "status", "backfill", "remember x", "doctor"])
def test_a_home_that_cannot_be_written_is_named(
    command: str, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Root may write anywhere, so a file stands where a directory is needed: that stops everybody.
    data.write_text("")
    status, said = run(monkeypatch, capsys, *command.split())
    assert status == 1
    if command != "doctor":
        assert said.startswith("error: ") and "unexpected" not in said and len(said.splitlines()) <= 3


@pytest.mark.parametrize("name", ["a?b", "a#b", "a%20b", "a b", "100%", "?mode=ro", "file:x"])
def test_any_path_will_do(
    name: str, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from nous.shells import hooks

    folder = tmp_path / name
    monkeypatch.setenv("NOUS_DATA_DIR", str(folder))
    assert run(monkeypatch, capsys, "remember", "We use pnpm here.")[0] == 0
    assert (folder / "cortex.db").stat().st_size > 0
    assert run(monkeypatch, capsys, "admin", "backup", str(tmp_path / f"{name} copy.db")) == (0, "")
    body = b'{"session_id": "x", "hook_event_name": "SessionStart", "source": "startup", "cwd": "%b"}'
    said = hooks._from_database("SessionStart", body % os.fsencode(os.getcwd()), os.environ)
    assert b"pnpm" in said


def test_a_full_disk_is_called_full(tmp_path: Path) -> None:
    stores = open_stores(str(tmp_path / "full.db"))
    assert isinstance(stores.db, Sqlite)
    pages = stores.db.connection.pragma("page_count")
    stores.db.connection.pragma("max_page_count", pages)
    with pytest.raises(StoreUnavailable, match="the disk is full"):
        stores.cache.put("k", "p", "", "x" * 500_000, 1, NOW)
    stores.close()


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_a_full_disk_is_called_full_by_commands(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_room(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "/x/y")

    monkeypatch.setattr("nous.shells.cli.health._status", no_room)
    assert run(monkeypatch, capsys, "status") == (1, "error: the disk is full: /x/y was not written\n")


def test_files_are_nobody_elses_business(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from nous.shells import hooks

    before = os.umask(0o022)
    try:
        data.mkdir(mode=0o755)
        for name in ("cortex.db", "cortex.db-wal", "hook.log"):
            (data / name).write_bytes(b"")
        assert run(monkeypatch, capsys, "backfill")[0] == 0
        hooks.note(os.environ, "Stop", ValueError("x"))
        shown = {path.name: oct(path.stat().st_mode & 0o077) for path in data.rglob("*") if path.is_file()}
        assert set(shown.values()) == {"0o0"}, shown
    finally:
        os.umask(before)


class NoRoom(NamedTuple):
    """What a full disk says of itself."""

    f_bavail: int = 0
    f_frsize: int = 4096


def test_on_a_full_disk_commands_and_starts_still_answer(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from nous.shells import hooks

    assert run(monkeypatch, capsys, "remember", "Always use pnpm here.", "--pin") == (0, "")
    (data / "cortex.db-shm").mkdir()  # a connection that needs its shared memory cannot be opened, as on a full disk
    monkeypatch.setattr("os.statvfs", lambda _: NoRoom())
    for words in (["list"], ["recall", "pnpm"], ["get", "1"], ["status"], ["log"], ["explain", "1"], ["preview"]):
        assert run(monkeypatch, capsys, *words)[0] == 0, words
    status, said = run(monkeypatch, capsys, "remember", "Never use npm.")
    assert status == 1 and "the disk is full; nothing was written" in said
    body = b'{"session_id": "x", "hook_event_name": "SessionStart", "source": "startup", "cwd": "%b"}'
    told = hooks._from_database("SessionStart", body % os.fsencode(os.getcwd()), os.environ)
    assert b"pnpm" in told
    (data / "cortex.db-wal").write_bytes(b"x" * 32)  # something waits in the log that such a connection would not read
    assert run(monkeypatch, capsys, "list")[0] == 1
