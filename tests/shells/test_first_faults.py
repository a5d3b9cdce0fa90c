"""Faults that a first day met, each as a class: a sentence and a status that say what is so and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from factories import Home
from kernel.test_capture import lines, record
from nous.config import load_settings
from nous.features.code.treesitter import how_to_install
from nous.shells.web import serving


def said(home: Home, *words: str, **given: Any) -> Any:
    done = home.nous(*words, "--json", **given)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# -- code -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def bare(home: Home) -> Home:
    """A Nous in whose installation nothing reads code."""
    folder = home.root / "without"
    folder.mkdir()
    (folder / "tree_sitter.py").write_text("raise ModuleNotFoundError(name='tree_sitter')\n")
    home.environ["PYTHONPATH"] = f"{folder}:{home.environ['PYTHONPATH']}"
    return home


def test_without_what_reads_code_one_sentence_says_how_to_get_it(bare: Home) -> None:
    app = bare.project("app")
    (app / "a.py").write_text("def a():\n    return 1\n")
    done = bare.nous("index", cwd=app)
    assert done.returncode == 1 and "tree_sitter is not installed" in done.stderr, done.stderr
    assert "install tree-sitter tree-sitter-go" in done.stderr
    assert "Traceback" not in done.stderr and "report" not in done.stderr


def test_the_command_fits_the_installation() -> None:
    assert "pipx inject nous-recall tree-sitter" in how_to_install("/home/x/.local/pipx/venvs/nous-recall")
    assert "uv pip install --python /home/x/.local/share/uv/tools/nous-recall" in how_to_install(
        "/home/x/.local/share/uv/tools/nous-recall"
    )
    assert "`/venv/bin/python -m pip install tree-sitter" in how_to_install("/venv")


# -- damage ---------------------------------------------------------------------------------------------------------


def test_doctor_is_red_when_an_archive_is_missing_or_cut(home: Home) -> None:
    app = home.project("app")
    home.nous("remember", "The port is 4600.", cwd=app)
    [archive] = said(home, "archive", "--before", "2999-01-01")["archives"]
    assert home.nous("doctor").returncode == 0
    path = Path(archive["path"])
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert "has another size" in home.nous("doctor").stdout
    path.unlink()
    done = home.nous("doctor")
    assert done.returncode == 1 and f"{path} is missing" in done.stdout and "from your backups" in done.stdout


@pytest.mark.parametrize("damage", ["{", '{"content": 5}', "\\xff", '["x"]'])
def test_a_damaged_value_is_named_as_one_with_what_to_do(home: Home, damage: str) -> None:
    app = home.project("app")
    home.nous("remember", "The port is 4600.", cwd=app)
    db = apsw.Connection(load_settings(home.environ).db_path)
    for trigger in [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]:
        db.execute(f"DROP TRIGGER {trigger}")
    db.execute("UPDATE memories SET rest = ?", (damage,))
    db.execute("UPDATE learning_events SET payload_json = ?", (damage,))
    db.close()
    every = [home.nous(*words, cwd=app) for words in (("list",), ("replay",), ("log",), ("recall", "port"))]
    failed = [done for done in every if done.returncode]
    assert failed
    for done in failed:
        assert "restore-backup" in done.stderr, done.stderr
        assert "please report" not in done.stderr and "Traceback" not in done.stderr


# -- commands that do a lot -----------------------------------------------------------------------------------------


def test_a_bare_hub_serves_nothing(home: Home) -> None:
    done = home.nous("hub")
    assert done.returncode == 2 and "serve" in done.stderr
    assert home.nous("hub", "--port", "0").returncode == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("maintain",), "running the nightly maintenance"),
        (("archive", "--before", "2999-01-01"), "moving 1 event recorded before 2999-01-01"),
    ],
)
def test_what_changes_the_store_says_so_first(home: Home, words: tuple[str, ...], sentence: str) -> None:
    home.nous("remember", "The port is 4600.", cwd=home.project("app"))
    done = home.nous(*words)
    assert done.returncode == 0 and sentence in done.stderr, done.stderr


# -- places ---------------------------------------------------------------------------------------------------------


def test_a_relative_database_is_the_same_file_from_anywhere(home: Home) -> None:
    app, other = home.project("app"), home.project("other")
    home.data.mkdir()
    (home.data / "config.toml").write_text('db_path = "mine.db"\n')
    home.nous("remember", "The port is 4600.", cwd=app)
    assert (home.data / "mine.db").exists() and not (app / "mine.db").exists()
    assert said(home, "status", "--all-projects", cwd=other)["memories"] == 1
    said(home, "up", cwd=other)
    assert said(home, "status", "--all-projects", cwd=app)["database"]["path"] == str(home.data / "mine.db")


@pytest.mark.parametrize("given", ["here.db", "./here.db", "sqlite:///here.db"])
def test_a_relative_database_in_the_environment_is_the_daemons_too(home: Home, given: str) -> None:
    app = home.project("app")
    home.environ["NOUS_DB_PATH"] = given
    home.nous("remember", "The port is 4600.", cwd=app)
    said(home, "up", cwd=app)
    assert serving.ask(load_settings(home.environ), "GET", "/v1/status")["database"]["path"] == str(app / "here.db")
    home.nous("down", cwd=app)


# -- small things ---------------------------------------------------------------------------------------------------


def test_feedback_takes_the_number_that_memories_gives(home: Home) -> None:
    app = home.project("app")
    home.nous("remember", "The port is 4600.", cwd=app)
    said(home, "up", cwd=app)
    settings = load_settings(home.environ)
    [memory] = serving.ask(settings, "GET", "/v1/memories?all_projects=true")["items"]
    for given in (memory["id"], str(memory["id"])):
        assert serving.ask(settings, "POST", "/v1/feedback", {"memory_id": given, "signal": "useful"})


def test_a_session_that_begins_with_a_slash_command_has_a_prompt(home: Home) -> None:
    app = home.project("app")
    where: dict[str, Any] = {"cwd": str(app), "sessionId": "s-one"}
    command = "<command-message>ship</command-message>\n<command-name>/ship</command-name>"
    command += "\n<command-args>now</command-args>"
    clear = "<command-name>/clear</command-name>\n<command-message>clear</command-message>"
    reply = record("", **where)
    reply |= {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Shipped."}]}}
    (home.transcripts / "app").mkdir()
    (home.transcripts / "app" / "s-one.jsonl").write_bytes(
        lines(record(clear, **where), record(command, **where), reply)
    )
    said(home, "backfill")
    [session] = said(home, "session", "list", cwd=app)["sessions"]
    assert session["prompts"] == 1
    assert said(home, "list", cwd=app)["memories"] == []


def test_up_and_status_name_the_same_process_and_address(home: Home) -> None:
    up, status = said(home, "up"), said(home, "status")
    assert (up["pid"], up["http"]) == (status["daemon"]["pid"], status["daemon"]["http"])
