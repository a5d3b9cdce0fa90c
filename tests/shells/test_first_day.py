"""What a new user meets on the first day: every command says what is so, where it comes from, and what to do."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import Home
from kernel.test_capture import lines, record
from nous.app import Nous
from nous.config import load_settings
from nous.shells.cli import ADMIN, COMMANDS, DEBUG, GROUPS, MOVED, Lazy
from nous.shells.cli.printing import fit

SAID = "Deploys always go through ./ship.sh, never by hand."
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-")


@pytest.fixture
def app(home: Home) -> Path:
    return home.project("app")


def learn(home: Home, project: Path, *prompts: str, session: str = "") -> None:
    """Let a session say something, and learn from it."""
    said = [record(prompt, cwd=str(project), sessionId=session or "s-one") for prompt in prompts]
    folder = home.transcripts / project.name
    folder.mkdir(exist_ok=True)
    (folder / f"{session or 's-one'}.jsonl").write_bytes(lines(*said))
    done = home.nous("backfill")
    assert done.returncode == 0, done.stderr


def on_terminal(home: Home, columns: int, *words: str, cwd: Path) -> str:
    """What a command prints on a terminal of some width."""
    ours, theirs = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "nous", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        env={"NO_COLOR": "1"} | home.environ | {"COLUMNS": str(columns), "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    done.wait(60)
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def one_id(home: Home, project: Path) -> str:
    [memory] = json.loads(home.nous("list", "--json", cwd=project).stdout)["memories"]
    return str(memory["id"])


# -- where it comes from --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["get", "explain"])
def test_the_words_that_were_said_are_shown_and_no_bare_uuid(home: Home, app: Path, command: str) -> None:
    learn(home, app, SAID)
    shown = home.nous(command, one_id(home, app), cwd=app)
    assert shown.returncode == 0, shown.stderr
    assert "by you, session s-one" in shown.stdout and f'"{SAID}"' in shown.stdout
    assert not UUID.search(shown.stdout)
    said = json.loads(home.nous(command, one_id(home, app), "--json", cwd=app).stdout)["said"]
    assert [(one["who"], one["text"]) for one in said] == [("you", SAID)]


def test_a_memory_that_rests_on_a_deed_shows_the_deed(home: Home, app: Path) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make ship"}}
    said = [record("deploy it", cwd=str(app), sessionId="s-one"), record("", cwd=str(app), sessionId="s-one")]
    said[1] |= {"type": "assistant", "uuid": "u-deed", "message": {"role": "assistant", "content": [call]}}
    (home.transcripts / "app").mkdir()
    (home.transcripts / "app" / "s-one.jsonl").write_bytes(lines(*said))
    home.nous("backfill")
    with Nous.open(settings=load_settings(home.environ)) as nous:
        number = nous.remember("Deploys go through make ship", project=str(app))
        memory = msgspec.structs.replace(nous.get(number), session_id="s-one", evidence=("u-deed", "u-gone"))
        deed, gone = nous.said(memory)
    assert (deed.who, gone.text) == ("the assistant", "") and "Bash" in deed.text and "make ship" in deed.text


def test_words_that_are_no_longer_kept_are_said_to_be_so(home: Home, app: Path) -> None:
    home.environ["NOUS_KEEP_TRANSCRIPTS"] = "0"
    learn(home, app, SAID)
    assert "which is not kept" in home.nous("get", one_id(home, app), cwd=app).stdout


def test_a_memory_with_an_anchor_is_shown(home: Home, app: Path) -> None:
    (app / "ship.py").write_text("def ship():\n    return 1\n")
    home.nous("remember", "ship() must stay quick", "--file", "ship.py", cwd=app)
    shown = home.nous("get", one_id(home, app), cwd=app)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "anchored to   ship.py" in shown.stdout


# -- undo -----------------------------------------------------------------------------------------------------------


def test_undo_keeps_to_the_project_and_asks_before_it_touches_another(home: Home, app: Path) -> None:
    other = home.project("other")
    home.nous("remember", "The port is 4600.", cwd=app)
    home.nous("remember", "The port is 5000.", cwd=other)
    empty = home.project("third")
    refused = home.nous("undo", cwd=empty)
    assert refused.returncode == 1 and "no decision to undo in this project" in refused.stderr
    done = home.nous("undo", cwd=app)
    assert done.returncode == 0 and "4600" in done.stdout and "5000" not in done.stdout
    assert len(json.loads(home.nous("list", "--json", cwd=other).stdout)["memories"]) == 1
    number = one_id(home, other)
    foreign = home.nous("undo", number, cwd=app)
    assert foreign.returncode == 2 and "another project" in foreign.stderr and "--yes" in foreign.stderr
    assert home.nous("undo", number, "--yes", cwd=app).returncode == 0
    assert json.loads(home.nous("list", "--json", cwd=other).stdout)["memories"] == []


def test_undo_asks_on_a_terminal(home: Home, app: Path) -> None:
    other = home.project("other")
    home.nous("remember", "The port is 5000.", cwd=other)
    number = one_id(home, other)
    script = f"printf 'n\\n' | script -qec '{sys.executable} -m nous undo {number}' /dev/null"
    shown = subprocess.run(script, shell=True, cwd=app, env=home.environ, text=True, capture_output=True, check=False)
    assert "5000" in shown.stdout and "This is another project" in shown.stdout
    assert one_id(home, other) == number


# -- a place that is not known --------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("recall", "deploy"), ("log",), ("session", "list")])
def test_a_first_time_directory_says_what_is_so_and_what_to_do(home: Home, app: Path, words: tuple[str, ...]) -> None:
    fresh = home.nous(*words, cwd=app)
    assert fresh.returncode == 0 and "nothing is learned yet" in fresh.stdout
    learn(home, home.project("shop"), SAID)
    folder = home.transcripts / "app"
    folder.mkdir()
    (folder / "s-two.jsonl").write_bytes(lines(record("hello", cwd=str(app), sessionId="s-two")))
    shown = home.nous(*words, cwd=app).stdout
    assert "never learned from a session in" in shown and str(app) in shown
    assert "1 memory in 1 other project" in shown and "--all-projects" in shown
    assert "1 transcript on disk not read yet: `nous backfill`" in shown
    assert "deploy" not in shown.lower()  # nothing of another project


def test_a_known_project_in_which_nothing_fits_says_how_much_there_is(home: Home, app: Path) -> None:
    learn(home, app, SAID)
    assert "has 1 memory" in home.nous("recall", "zebra crossing", cwd=app).stdout


# -- words, codes, help ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("recall", "x", "--after", "yesterdayish"),
        ("recall", "x", "--as-of", "2026-13-01"),
        ("list", "--before", "99999999999999d"),
        ("log", "--since", "soon"),
        ("diff", "--from", "soon"),
        ("backfill", "--since", "soon", "--dry-run"),
        ("get", "1", "--as-of", "x"),
        ("status", "--as-of", "x"),
    ],
    ids=lambda words: words[0],
)
def test_a_bad_date_is_misuse(home: Home, words: tuple[str, ...]) -> None:
    done = home.nous(*words)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr and done.stdout == ""


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_word_is_broken_on_a_terminal(home: Home, app: Path, columns: int) -> None:
    long = "Migrations of the billing database are always reviewed by two people before they are merged into main. "
    home.nous("remember", long * 2, cwd=app)
    for words in (("list",), ("get", one_id(home, app)), ("recall", "migrations"), ("explain", one_id(home, app))):
        shown = on_terminal(home, columns, *words, cwd=app)
        assert all(len(line) <= columns or " " not in line.strip() for line in shown.splitlines()), shown
        assert {"Migrations", "database", "reviewed", "people"} <= set(re.findall(r"\w+", shown))


@given(st.text("ab cd-  ", max_size=300), st.integers(20, 120))
def test_a_fitted_line_keeps_its_words_and_its_width(line: str, width: int) -> None:
    parts = fit(line, width)
    assert " ".join(" ".join(parts).split()) == " ".join(line.split())
    assert all(len(part) <= width or len(part.split()) == 1 for part in parts)


def test_help_groups_every_command_and_says_what_the_command_says(home: Home) -> None:
    shown = home.nous("--help").stdout
    for title, commands in GROUPS.items():
        assert f"\n{title}:\n" in shown
        assert all(f"  {name} " in shown for name in commands)
    context = click.Context(Lazy("nous"))
    for name in COMMANDS:
        command = Lazy("nous").get_command(context, name)
        assert command is not None and (command.help or "").strip(), name


def test_help_shows_about_twenty_commands_on_one_screen(home: Home) -> None:
    shown = home.nous("--help").stdout
    assert len(shown.splitlines()) <= 50 and sum(len(commands) for commands in GROUPS.values()) <= 25
    assert not any(f"\n  {name} " in shown for name in MOVED)
    for group, rows in (("admin", ADMIN), ("debug", DEBUG)):
        inside = home.nous(group, "--help").stdout
        assert all(f"\n  {name} " in inside for name in rows)


def test_an_old_name_still_works_and_names_the_new_one_on_stderr(home: Home) -> None:
    old, new = home.nous("log", "--json"), home.nous("debug", "log", "--json")
    assert (old.returncode, old.stdout) == (new.returncode, new.stdout) == (0, new.stdout)
    assert old.stderr == "note: `nous log` is now `nous debug log`\n" and new.stderr == ""


def test_help_loads_no_command(home: Home) -> None:
    script = (
        "import sys\nfrom nous.shells.cli import nous\ntry: nous(['--help'])\nexcept SystemExit: pass\n"
        "heavy = ('nous.shells.cli.', 'nous.app', 'nous.kernel.stores', 'nous.kernel.learn', 'msgspec', 'apsw')\n"
        "print([name for name in sys.modules if name.startswith(heavy)], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], env=home.environ, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_a_misspelt_command_is_misuse_and_names_the_nearest(home: Home) -> None:
    done = home.nous("stauts")
    assert done.returncode == 2 and "did you mean `nous status`?" in done.stderr
    gone = home.nous("bench", "hooks")
    assert gone.returncode == 2 and "python -m bench hooks" in gone.stderr


def test_uninstalling_says_of_a_file_that_is_still_there_that_it_is(home: Home) -> None:
    settings = home.claude / "settings.json"
    settings.write_text('{"model": "opus"}\n')
    assert home.nous("init", "--no-backfill", "--no-measure").returncode == 0
    done = home.nous("uninstall")
    assert f"removed {settings}" not in done.stdout
    assert f"removed our entries from {settings}; the rest is unchanged" in done.stdout
    said: dict[str, Any] = json.loads(home.nous("uninstall", "--json").stdout)
    assert said["restored"] == []


def test_colours_are_for_a_terminal_and_for_who_wants_them(home: Home, app: Path) -> None:
    learn(home, app, SAID)
    number = one_id(home, app)
    assert "\x1b" not in home.nous("list", cwd=app).stdout
    assert "\x1b" not in on_terminal(home, 100, "list", cwd=app)
    home.environ["NO_COLOR"] = ""
    assert f"\x1b[1m#{number}\x1b[0m" in on_terminal(home, 100, "list", cwd=app)
    assert "\x1b[31;1merror:\x1b[0m there is no memory" in on_terminal(home, 100, "get", "9999", cwd=app)
