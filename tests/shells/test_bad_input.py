"""Bad input gets one clear sentence and a non-zero status, and nothing is lost."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from factories import Home
from nous.kernel.db.sqlite import Sqlite

RULE = "in this repo dependencies are always added with `uv add`, never with pip install"


def record(text: str, **fields: Any) -> bytes:
    """One prompt as the client writes it."""
    said = {
        "type": "user",
        "uuid": str(uuid.uuid4()),
        "sessionId": "5e55105e-0000-4000-8000-000000000001",
        "timestamp": "2026-11-09T10:00:00.000Z",
        "cwd": "/nowhere/app",
        "gitBranch": "main",
        "version": "2.1.325",
        "isSidechain": False,
        "message": {"role": "user", "content": text},
    }
    return json.dumps(said | fields).encode() + b"\n"


def transcript(home: Home, content: bytes, name: str = "one") -> Path:
    folder = home.transcripts / "-nowhere-app"
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_bytes(content)
    return path


def backfill(home: Home) -> dict[str, Any]:
    done = home.nous("backfill", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def known(home: Home) -> list[str]:
    listed = home.nous("list", "--json", "--all-projects")
    return [memory["content"] for memory in json.loads(listed.stdout)["memories"]]


def is_one_sentence(done: subprocess.CompletedProcess[str]) -> bool:
    """An error line, perhaps a hint, no traceback, and status 1."""
    lines = done.stderr.strip().splitlines()
    return done.returncode == 1 and lines[0].startswith("error: ") and len(lines) <= 2 and done.stdout == ""


@pytest.mark.parametrize(
    ("before", "quarantined"),
    [
        (b"", 0),
        (b"\n\n", 0),
        (b"\x00\x01\xff\xfe" * 1000 + b"\n", 1),
        (b'{"type":"user","message":{"role":"user","content":"cut of\n', 1),
        (b'{"type":"martian","uuid":"m","payload":{"deep":[[[[]]]]}}\n', 0),
        (b'{"type":"user"}\n{"type":"assistant","message":7}\n{"type":["user"]}\n', 0),
        (b"[" * 100_000 + b"\n", 1),
        (b'"a string"\n42\nnull\n', 3),
    ],
)
def test_a_damaged_transcript_teaches_what_is_readable(home: Home, before: bytes, quarantined: int) -> None:
    transcript(home, before + record(RULE))
    report = backfill(home)
    assert report["quarantined"] == quarantined
    assert len(known(home)) == 1
    assert "uv add" in known(home)[0]


def test_a_half_written_line_is_learned_when_it_is_complete(home: Home) -> None:
    whole = record("hello there") + record(RULE)
    path = transcript(home, whole[:-20])
    backfill(home)
    assert known(home) == []
    path.write_bytes(whole)
    backfill(home)
    assert len(known(home)) == 1


@pytest.mark.slow
def test_a_huge_transcript_is_read_in_bounded_memory(home: Home) -> None:
    noise = record("x", type="api-request-blob", padding="y" * 200_000)
    path = transcript(home, b"")
    with path.open("wb") as file:
        for number in range(900):
            file.write(noise)
            if number % 300 == 0:
                file.write(record(f"use port {4000 + number} for service{number}, always"))
        file.write(b'{"one line":"' + b"z" * 30_000_000 + b'"}\n')
        file.write(record(RULE))
    assert path.stat().st_size > 200_000_000
    report = backfill(home)
    assert report["bytes"] == path.stat().st_size
    assert any("uv add" in content for content in known(home))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    assert peak < 600, f"{peak:.0f} MB"


def test_a_data_directory_that_cannot_be_made_is_named(home: Home) -> None:
    home.data.write_text("a file, not a directory")
    for command in (("status",), ("backfill",), ("remember", "x"), ("recall", "x"), ("up",)):
        done = home.nous(*command)
        assert is_one_sentence(done), done.stderr
        assert str(home.data) in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_data_directory_is_named(home: Home) -> None:
    home.data.mkdir(mode=0o500)
    assert is_one_sentence(home.nous("status"))


def test_a_database_of_a_later_nous_is_left_alone(home: Home) -> None:
    home.nous("remember", "Use pnpm.")
    path = home.data / "cortex.db"
    database = Sqlite(str(path))
    database.connection.execute("PRAGMA user_version = 999").fetchall()
    database.close()
    before = path.read_bytes()
    done = home.nous("recall", "pnpm")
    assert is_one_sentence(done)
    assert "999" in done.stderr
    assert "update" in done.stderr
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_named_and_kept(home: Home) -> None:
    home.data.mkdir()
    path = home.data / "cortex.db"
    path.write_bytes(b"precious notes, but no database" * 100)
    before = path.read_bytes()
    for command in (("status",), ("backfill",), ("remember", "x")):
        assert is_one_sentence(home.nous(*command))
    assert path.read_bytes() == before
    assert home.nous("doctor").returncode == 1


@pytest.mark.parametrize("kind", ["bytes", "pipe", "folder"])
@pytest.mark.parametrize("command", [("status",), ("list",), ("recall", "x"), ("doctor",), ("config", "list")])
def test_a_config_file_that_is_none_is_named(home: Home, kind: str, command: tuple[str, ...]) -> None:
    file = Path(home.environ["NOUS_DATA_DIR"]) / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    if kind == "bytes":
        file.write_bytes(b"\xff\x00=[[[")
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    done = home.nous(*command)
    assert done.returncode != 0 and "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 2 and "config.toml" in done.stderr


def test_a_pipe_as_hook_log_stops_nobody(home: Home) -> None:
    folder = Path(home.environ["NOUS_DATA_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    os.mkfifo(folder / "hook.log")
    assert "hooks" in home.nous("doctor").stdout


def test_a_malformed_setting_is_named(home: Home) -> None:
    done = home.nous("status", NOUS_SESSION_START_TOKENS="many")
    assert is_one_sentence(done)
    assert "session_start_tokens" in done.stderr
    home.data.mkdir(exist_ok=True)
    (home.data / "config.toml").write_text("colour = 3\n")
    assert "colour" in home.nous("status").stderr


def test_a_config_file_neither_moves_its_own_folder_nor_holds_endless_globs(home: Home) -> None:
    home.data.mkdir()
    for line, told in (('data_dir = "/nowhere/else"', "NOUS_DATA_DIR"), (f'ignore = "{"a:" * 500_000}"', "length")):
        (home.data / "config.toml").write_text(line + "\n")
        done = home.nous("list")
        assert is_one_sentence(done) and told in done.stderr


def test_a_full_disk_loses_nothing(home: Home) -> None:
    assert home.nous("remember", "Use pnpm.").returncode == 0
    script = (
        "import sys; from nous.app import Nous; from nous.errors import NousError\n"
        "n = Nous.open()\n"
        "pages = n.stores.db.connection.pragma('page_count')\n"
        "n.stores.db.connection.pragma('max_page_count', pages)\n"
        "kept = 0\n"
        "try:\n"
        "    for i in range(2000):\n"
        "        n.remember(f'Fact number {i} about module{i}: ' + 'long ' * 60); kept += 1\n"
        "except NousError as problem:\n"
        "    print(kept, problem)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=home.environ, cwd=home.home, check=False
    )
    kept, _, sentence = done.stdout.partition(" ")
    assert "disk is full" in sentence, done.stderr
    assert len(known(home)) == int(kept) + 1
    assert home.nous("doctor").returncode == 0


@pytest.mark.parametrize("words", [["get", "99"], ["forget", "99"]])
def test_what_is_not_there_is_said_in_a_sentence(home: Home, words: list[str]) -> None:
    assert is_one_sentence(home.nous(*words))


@pytest.mark.parametrize(
    "words", [["no-such-command"], ["get"], ["get", "seven"], ["forget"], ["remember", "x", "--type", "y"]]
)
def test_misuse_ends_with_status_two(home: Home, words: list[str]) -> None:
    done = home.nous(*words)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "query", ['"', "a AND (", "NEAR/3", "*", "-", "'; DROP TABLE memories; --", "🙂", "x" * 100_000, " "]
)
def test_any_query_is_only_words(home: Home, query: str) -> None:
    home.nous("remember", "Use pnpm.")
    done = home.nous("recall", query, "--json")
    assert done.returncode == 0, done.stderr
    assert "hits" in json.loads(done.stdout)
