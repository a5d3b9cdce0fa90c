"""Every command and option, found by walking the parser, with words that nobody meant: one sentence, nothing lost."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import click
import pytest

from factories import sized
from nous.shells import cli
from shells.test_faults import data as data
from shells.test_faults import run

STAYING = {"up", "serve", "watch", "worker", "hub", "mcp", "restart", "panel", "hook", "init", "logs"}
ODD = (
    "", " ", "0", "-1", "1", "99", "9" * 24, "9" * 5000, "1.5", "nan", "1e309", "x", "--", "\ud800", "\udcff", "a\nb",
    "a'b", '"', "%s", "..", ".", "~", "é" * 300, "a" * 5000, "1d", "-5d", "99999999d", "0001-01-01", "9999-12-31",
    "9999-12-31T23:59:59.999Z", "2026-13-45", "now", "{}", "[", "(", "\\", "\u202e", "NULL", "*", "a:b", "sqlite:///x",
    "postgres://u:p@127.0.0.1:1/x", "http://127.0.0.1:1", "select 1", "drop table memories", "pnpm", "1,2", "#1", "٣",
    "²", "-", "--json", "=", "all", "main", "s1", "FILE", "FOLDER", "EMPTY", "RANDOM", "DATABASE", "LOG",
)  # fmt: skip


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that ends by itself, with the words that lead to it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        if name not in STAYING:
            command = group.get_command(context, name)
            if isinstance(command, click.Group):
                yield from commands(command, (*path, name))
            elif command:
                yield (*path, name), command


def made_up(chance: random.Random, path: tuple[str, ...], command: click.Command) -> list[str]:
    """A command with some of its options and about as many words as it takes."""
    words = [*path, *(["--yes"] if chance.random() < 0.2 else [])]
    for param in command.params:
        if not isinstance(param, click.Option):
            usual = param.nargs if param.nargs > 0 else chance.randrange(3)
            words += [_word(chance, param) for _ in range(max(0, usual + chance.choice((0, 0, 0, 0, 0, -1, 1))))]
        elif param.required or chance.random() < min(0.35, 2 / len(command.params)):
            words.append(chance.choice(param.opts))
            words += [] if param.is_flag or param.count else [_word(chance, param) for _ in range(param.nargs)]
    return words


def _word(chance: random.Random, param: click.Parameter) -> str:
    if isinstance(param.type, click.Choice) and chance.random() < 0.6:
        return str(chance.choice(list(param.type.choices)))
    return chance.choice(ODD)


def health(path: Path) -> tuple[object, int]:
    """What the database says of itself, and how many events it has."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        count = connection.execute("SELECT COUNT(*) FROM learning_events").get
        return connection.pragma("integrity_check"), int(str(count))
    finally:
        connection.close()


def test_every_command_takes_odd_words_with_one_sentence(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, capfd, "backfill")[0] == 0
    files = {
        "FILE": tmp_path / "said.txt",
        "FOLDER": tmp_path / "folder",
        "EMPTY": tmp_path / "empty",
        "RANDOM": tmp_path / "random",
        "DATABASE": data / "cortex.db",
        "LOG": data / "cortex.db-wal",
    }
    files["FOLDER"].mkdir()
    files["EMPTY"].touch()
    files["RANDOM"].write_bytes(random.Random(1).randbytes(5000))
    chance = random.Random(189)
    known = list(commands(cli.nous))
    assert len(known) > 60
    events, tried = health(files["DATABASE"])[1], 0
    for _ in range(sized(2, 40)):
        for path, command in known:
            files["FILE"].write_text("We use pnpm here.")
            words = [str(files.get(word, word)) for word in made_up(chance, path, command)]
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(chance.choice((b"", b"n\n", b"\xff\x00")))))
            try:
                status, said = run(monkeypatch, capfd, *words)
            except BaseException as problem:
                raise AssertionError(f"{words} raised {problem!r}") from problem
            tried += 1
            assert status in (0, 1, 2) and "error: unexpected" not in said and "Traceback" not in said, (words, said)
            assert status != 2 or "rror: " in said, (words, said)
            if path[-1] == "uninstall" and not files["DATABASE"].exists():
                assert run(monkeypatch, capfd, "remember", "We use pnpm here.")[0] == 0
                events = 0
            fine, later = health(files["DATABASE"])
            assert fine == "ok" and later >= events, f"{words}: {fine}, {later} of {events} events"
            events = later
    assert tried >= 2 * len(known)


@pytest.mark.parametrize("command", [["export"], ["backup", "--force"]])
@pytest.mark.parametrize("end", ["", "-wal"])
@pytest.mark.parametrize("is_elsewhere", [False, True], ids=["usual", "elsewhere"])
def test_no_file_of_the_memory_is_written_over(
    command: list[str],
    end: str,
    is_elsewhere: bool,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    memory = tmp_path / "mine.db" if is_elsewhere else data / "cortex.db"
    if is_elsewhere:
        monkeypatch.setenv("NOUS_DB_PATH", str(memory))
    assert run(monkeypatch, capsys, "backfill")[0] == 0
    Path(f"{memory}-wal").touch()
    status, said = run(monkeypatch, capsys, *command, f"{memory}{end}")
    assert status in (1, 2) and ("belongs to Nous" in said or "the database itself" in said)
    assert health(memory)[0] == "ok"


def test_what_is_written_to_a_pipe_goes_through_it(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, capsys, "remember", "We use pnpm here.")[0] == 0
    os.mkfifo(tmp_path / "pipe")
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append((tmp_path / "pipe").read_text()))
    reader.start()
    assert run(monkeypatch, capsys, "export", str(tmp_path / "pipe"))[0] == 0
    reader.join(30)
    assert "We use pnpm here." in heard[0] and not os.path.isfile(tmp_path / "pipe")


def test_what_a_terminal_cannot_show_is_not_called_bad_input(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, capsys, "remember", "Arrows \u2192 lead to the gate.")[0] == 0
    told = subprocess.run(
        [sys.executable, "-m", "nous", "list"],
        env=os.environ | {"PYTHONIOENCODING": "cp1252"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert told.returncode == 1 and "cannot show this" in told.stderr
