"""The bundled samples through the real command: what must be learned is learned, and nothing else."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import factories
from nous.kernel.types import TYPES

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples" / "transcripts" / "projects"
PROJECT = "/home/dev/parcel-api"
SECRETS = (
    "sk_live_51FAKEfakeFAKEfakeFAKE0000",
    "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "hunter2-not-real",
    "Mara leaves operations",
)
FIRST = "2297dc1e-647b-4b36-984d-f0d9280aee94"  # in it a decision was made that a later one reversed
NOISE = {
    "a question": "answer 202",
    "a hypothetical": "raw payload",
    "a one-off request": "9999",
    "a comment in a file": "import settings",
    "a reminder in code": "check the zone",
    "talk": "lunch",
    "the client's own prompt": "absolute path",
    "text that a memory hook had injected": "linter twice",
    "a request for a look": "the diff",
    "an order for the moment": "thinking aloud",
}


class Home:
    """A user's home with the sample transcripts in it, and the `nous` command running there."""

    def __init__(self, root: Path):
        self.root = root
        self.user = factories.Home(root)
        self.data, self.environ, self.transcripts = self.user.data, self.user.environ, self.user.transcripts
        shutil.copytree(SAMPLES, self.transcripts, dirs_exist_ok=True)

    def nous(self, *arguments: str, stdin: str = "") -> str:
        done = self.user.nous(*arguments, stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(self, *arguments: str) -> Any:
        return json.loads(self.nous(*arguments, "--json"))

    def memories(self) -> list[dict[str, Any]]:
        """Every memory the read model holds, whatever its status."""
        with sqlite3.connect(f"file:{self.data / 'cortex.db'}?mode=ro", uri=True) as db:
            db.row_factory = sqlite3.Row
            rows = [dict(row) for row in db.execute("SELECT * FROM memories ORDER BY id")]
        db.close()
        return rows

    def events(self) -> int:
        with sqlite3.connect(f"file:{self.data / 'cortex.db'}?mode=ro", uri=True) as db:
            (count,) = db.execute("SELECT count(*) FROM learning_events").fetchone()
        db.close()
        return int(count)

    def packet(self, cwd: str = PROJECT) -> str:
        payload = {
            "session_id": "00000000-0000-4000-8000-000000000001",
            "transcript_path": str(self.root / "new.jsonl"),
            "cwd": cwd,
            "hook_event_name": "SessionStart",
            "source": "startup",
        }
        answer = self.nous("hook", "SessionStart", stdin=json.dumps(payload))
        return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]) if answer.strip() else ""

    def written(self) -> list[Path]:
        """Every file that was not there before: all but the transcripts."""
        return [path for path in self.root.rglob("*") if path.is_file() and ".claude" not in path.parts]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    made = Home(tmp_path_factory.mktemp("home").resolve())
    made.nous("backfill", "--json")
    return made


def contents(home: Home, type_: str | None = None) -> list[str]:
    return [row["content"] for row in home.memories() if type_ in (None, row["type"])]


def test_preview_shows_exactly_what_the_hook_gives_and_why(home: Home) -> None:
    found = home.ask("preview", "the ETA of DHL parcels is wrong", "--project", PROJECT)
    assert [f"- {line['text']}" for line in found["start"]] == home.packet().splitlines()[1:]
    assert all(line["ids"] and line["why"] for line in found["start"])
    named = [line for line in found["prompt"] if "dhl.py" in line["text"]]
    assert len(named) == 1 and named[0]["why"]


def test_of_a_reversed_decision_the_newer_one_is_recalled_and_told(home: Home) -> None:
    hits = home.ask("recall", "where do delayed jobs live", "--project", PROJECT)["hits"]
    assert "SKIP LOCKED" in hits[0]["content"] and not hits[0].get("standing")
    told = [line for line in home.packet().splitlines() if re.search(r"\bRQ\b|Redis", line)]
    assert all("SKIP LOCKED" in line for line in told)
    assert "SKIP LOCKED" in home.packet()


def test_the_decision_that_was_reversed_keeps_its_window(home: Home) -> None:
    old = [row for row in home.memories() if row["type"] == "decision" and "SKIP LOCKED" not in row["content"]]
    assert [row["status"] for row in old] == ["superseded"]
    assert old[0]["valid_from"].startswith("2026-11-02") and old[0]["valid_until"].startswith("2026-11-09")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how do I run the tests", "make check"),
        ("install a package", "uv add"),
        ("DHL arrival times are wrong", "app/carriers/dhl.py"),
        ("commit message style", "one-line commit messages"),
        ("deploy to staging", "release branch"),
        ("make migrate: connection refused", "docker compose up -d --wait db"),
    ],
)
def test_a_question_finds_what_was_said(home: Home, question: str, answer: str) -> None:
    hits = home.ask("recall", question, "--project", PROJECT, "--limit", "3")["hits"]
    assert any(answer in hit["content"] for hit in hits), [hit["content"] for hit in hits]


def test_the_packet_holds_rules_traps_and_the_open_work(home: Home) -> None:
    packet = home.packet()
    for words in ("make check", "uv add", "release branch", "/admin/retries"):
        assert words in packet, f"{words!r} is not in:\n{packet}"
    assert re.search(r"\[Memory #\d+", packet)


@pytest.mark.parametrize("words", NOISE.values(), ids=NOISE.keys())
def test_noise_is_not_learned(home: Home, words: str) -> None:
    known = [row["content"] for row in home.memories() if TYPES[row["type"]].kind != "episodic"]
    assert [content for content in known if words.lower() in content.lower()] == []


def test_no_secret_and_no_private_word_is_in_any_file_that_was_written(home: Home) -> None:
    home.nous("status", "--json")
    home.packet()
    files = home.written()
    assert home.data / "cortex.db" in files
    for path in files:
        held = path.read_bytes()
        assert [secret for secret in SECRETS if secret.encode() in held] == [], path.name


def test_a_second_backfill_adds_nothing(home: Home) -> None:
    before, memories = home.events(), home.memories()
    assert before > 0
    home.nous("backfill", "--json")
    assert home.events() == before
    assert home.memories() == memories


@pytest.mark.parametrize("newest_first", [False, True])
def test_it_does_not_matter_in_which_order_the_files_are_read(tmp_path: Path, newest_first: bool) -> None:
    home = Home(tmp_path.resolve())
    files = sorted(home.transcripts.rglob("*.jsonl"), key=first_moment, reverse=newest_first)
    for age, path in enumerate(files):
        os.utime(path, (1_790_000_000 + age, 1_790_000_000 + age))
    home.nous("backfill")
    decisions = {row["status"]: row["content"] for row in home.memories() if row["type"] == "decision"}
    assert set(decisions) == {"active", "superseded"}
    assert "SKIP LOCKED" in decisions["active"] and "SKIP LOCKED" not in decisions["superseded"]


def first_moment(path: Path) -> str:
    """The timestamp of a transcript's first record that has one."""
    records = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return str(next(record["timestamp"] for record in records if "timestamp" in record))


def test_a_copied_session_is_not_learned_again(tmp_path: Path) -> None:
    home = Home(tmp_path.resolve())
    home.nous("backfill")
    before = home.events()
    folder = home.transcripts / "-home-dev-parcel-api"
    for path in list(folder.glob("*.jsonl")):
        shutil.copy(path, folder / f"00000000{path.name[8:]}")
    home.nous("backfill")
    assert home.events() == before


def test_another_project_is_told_nothing(home: Home) -> None:
    assert home.packet("/home/dev/other-service") == ""
    assert home.ask("recall", "delayed jobs", "--project", "/home/dev/other-service")["hits"] == []


def test_every_field_the_commands_print_is_documented(home: Home) -> None:
    documented = (ROOT / "docs" / "reference" / "json-fields.md").read_text(encoding="utf-8")
    first = str(home.memories()[0]["id"])
    asked = [
        ("backfill",),
        ("status",),
        ("doctor",),
        ("list",),
        ("recall", "jobs"),
        ("get", first),
        ("plugin", "status"),
    ]
    for words in asked:
        for field in fields(home.ask(*words, "--project", PROJECT) if words[0] != "plugin" else home.ask(*words)):
            assert f"`{field}`" in documented, f"`nous {' '.join(words)} --json` prints {field}"


def fields(value: Any) -> set[str]:
    """Every key of a JSON document, at any depth; names of types and states are data, not keys."""
    if isinstance(value, list):
        return set().union(*(fields(item) for item in value)) if value else set()
    if not isinstance(value, dict):
        return set()
    inner = [fields(item) for key, item in value.items() if key not in ("by_type", "by_status")]
    return set(value).union(*inner)


def test_the_demo_runs_and_leaves_nothing_behind(tmp_path: Path) -> None:
    environ = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "src"),
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, str(ROOT / "samples" / "demo.py")], env=environ, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SKIP LOCKED" in done.stdout and "none is there" in done.stdout
    assert not any(secret in done.stdout for secret in SECRETS)
    assert list(tmp_path.iterdir()) == []


def test_with_recorded_readings_a_session_begins_with_their_brief(tmp_path: Path) -> None:
    home = Home(tmp_path.resolve())
    readings = {path.stem: json.loads(path.read_text("utf-8")) for path in (ROOT / "samples" / "readings").glob("*")}
    assert readings.keys() == {path.stem for path in SAMPLES.glob("*/*.jsonl")}
    home.environ["NOUS_LLM_PROVIDER"] = f"recorded:{ROOT / 'samples' / 'readings'}"
    home.nous("backfill", "--json")
    home.nous("read", "--now", "--since", "2026-01-01", "--limit", "9", "--project", PROJECT)
    last = max(readings.values(), key=lambda one: str(one["at"]))
    told = [re.sub(r" \[Memory.*", "", line) for line in home.packet().splitlines() if line.startswith("- ")]
    *brief, work = told
    of_every_session = [line["text"] for line in last["brief"] if not line["text"].startswith("Delayed jobs:")]
    assert brief == [f"- {text}" for text in of_every_session]
    assert work.startswith("- Last work: Retries of failed notifications (partly). Open: ")
    kept = {row["content"]: row["status"] for row in home.memories()}
    said = {memory["text"] for one in readings.values() for memory in one["memories"]}
    assert {text for text in said if kept[text] != "active"} == {readings[FIRST]["memories"][1]["text"]}
    assert home.ask("debug", "rejections")["rejections"] == []
    assert not [secret for secret in SECRETS for path in home.written() if secret.encode() in path.read_bytes()]


def test_everything_can_be_listed_at_once(home: Home) -> None:
    listed = home.ask("list", "--all-projects", "--limit", "100000")["memories"]
    assert {row["id"] for row in listed} == {row["id"] for row in home.memories() if row["status"] == "active"}
