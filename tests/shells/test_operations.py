"""The commands that show the past and look after the log, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw
import pytest
from click.testing import CliRunner

from factories import Home
from nous import app
from nous.errors import Conflict
from nous.kernel.db.sqlite import PAGE_BYTES
from nous.kernel.memory.projection import projectors
from nous.moments import later
from nous.shells.cli import nous
from nous.shells.daemon import control

WORD = "qzxvkanary"
START = "2026-11-02T10:00:00.000Z"


class User:
    """Somebody who types commands in one project, at moments of their own."""

    def __init__(self, home: Home, monkeypatch: pytest.MonkeyPatch):
        self.data = home.data
        self.project = home.project()
        self.moment = START
        for name, value in home.environ.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(self.project)
        monkeypatch.setattr(app.Nous.__init__, "__defaults__", (lambda: self.moment,))

    def says(self, *args: str, code: int = 0) -> str:
        """The output of a command that ends with a certain status."""
        done = CliRunner().invoke(nous, list(args))
        assert done.exit_code == code, (done.output, done.exception)
        return done.stdout

    def json(self, *args: str, code: int = 0) -> Any:
        return json.loads(self.says(*args, "--json", code=code))

    def later(self, days: int) -> None:
        self.moment = later(self.moment, days * 86400)


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    """A week: on the 2nd a port is learned, on the 4th a rule, on the 9th the port is corrected."""
    made = User(Home(tmp_path), monkeypatch)
    made.says("remember", "The dev server listens on port 5173")
    made.later(2)
    made.says("remember", "--type", "preference", "Use pnpm, never npm")
    made.later(5)
    made.says("correct", "1", "The dev server listens on port 4000")
    made.later(1)
    return made


def contents(data: Any) -> list[str]:
    return sorted(memory["content"][-4:] for memory in data["memories"])


def tamper(user: User, statement: str) -> None:
    raw = apsw.Connection(str(user.data / "cortex.db"))
    raw.execute(statement).fetchall()
    raw.close()


# -- time -----------------------------------------------------------------------------------------------------------


def test_list_tells_what_was_known_and_what_was_true(user: User) -> None:
    assert contents(user.json("list")) == [" npm", "4000"]
    assert contents(user.json("list", "--as-of", "2026-11-03")) == ["5173"]
    assert contents(user.json("list", "--as-of", "2026-11-05")) == [" npm", "5173"]
    assert contents(user.json("list", "--as-at", "2026-11-05")) == [" npm", "5173"]
    assert contents(user.json("list", "--as-at", "2026-11-03")) == ["5173"]
    assert contents(user.json("list", "--as-of", "2026-11-03", "--as-at", "2026-11-30")) == ["5173"]


def test_recall_tells_what_was_known_and_what_was_true(user: User) -> None:
    def found(*args: str) -> list[str]:
        return [hit["content"][-4:] for hit in user.json("recall", "dev server port", *args)["hits"]]

    assert found() == ["4000"]
    assert found("--as-of", "2026-11-05") == ["5173"]
    assert found("--as-at", "2026-11-05") == ["5173"]
    assert found("--as-of", "2026-11-01") == []


def test_get_tells_what_was_known_and_what_was_true(user: User) -> None:
    assert user.json("get", "1")["status"] == "superseded"
    assert user.json("get", "1", "--as-of", "2026-11-05")["status"] == "active"
    assert user.json("get", "1", "--as-at", "2026-11-05")["id"] == 1
    assert isinstance(CliRunner().invoke(nous, ["get", "1", "--as-at", "2026-11-09T12:00"]).exception, Exception)
    assert isinstance(CliRunner().invoke(nous, ["get", "3", "--as-of", "2026-11-05"]).exception, Exception)


def test_status_counts_what_was_known_and_what_was_true(user: User) -> None:
    assert user.json("status")["memories"] == 2
    assert user.json("status", "--as-of", "2026-11-03")["memories"] == 1
    assert user.json("status", "--as-of", "2026-11-03")["events"] == 1
    assert user.json("status", "--as-at", "2026-11-05")["memories"] == 2
    assert user.json("status", "--as-of", "2026-11-01")["memories"] == 0


# -- log and diff ---------------------------------------------------------------------------------------------------


def test_the_log_shows_causes_above_effects(user: User) -> None:
    events = user.json("log")["events"]
    assert [(event["event_id"], event["type"], event["depth"]) for event in events] == [
        (1, "LearningExtracted", 0),
        (2, "LearningExtracted", 0),
        (3, "LearningExtracted", 0),
        (4, "LearningSuperseded", 1),
    ]
    lines = user.says("log").splitlines()
    assert "└─ LearningSuperseded #1  by #3 (a newer value: another value for the same thing)" in lines[3]


def test_the_story_of_a_memory_leads_to_what_caused_it(user: User) -> None:
    assert [event["event_id"] for event in user.json("log", "--memory", "1")["events"]] == [1, 3, 4]
    assert [event["event_id"] for event in user.json("log", "--memory", "2")["events"]] == [2]


def test_the_log_can_begin_at_a_moment_and_end_early(user: User) -> None:
    assert [event["event_id"] for event in user.json("log", "--since", "2026-11-04")["events"]] == [2, 3, 4]
    assert [event["event_id"] for event in user.json("log", "--limit", "2")["events"]] == [3, 4]
    assert [event["event_id"] for event in user.json("log", "--as-of", "2026-11-04")["events"]] == [1]
    assert [event["event_id"] for event in user.json("log", "--memory", "1", "--as-of", "2026-11-04")["events"]] == [1]
    user.says("log", "--as-of", "soon", code=1)
    assert user.says("log", "--since", "2026-11-30").startswith("nothing happened: this project (")


def test_a_diff_says_what_changed_and_why(user: User) -> None:
    data = user.json("diff", "--from", "2026-11-05", "--to", "2026-11-30")
    assert [(change["id"], change["change"]) for change in data["changes"]] == [(3, "learned"), (1, "ended")]
    [why] = data["changes"][1]["events"]
    assert (why["reason"], why["parent_event_id"]) == ("a newer value: another value for the same thing", 3)
    assert data["changes"][1]["before"]["status"] == "active"
    text = user.says("diff", "--from", "2026-11-05")
    assert "- #1 ended: The dev server listens on port 5173" in text
    assert "by #3 (a newer value: another value for the same thing)" in text and "because of event 3" in text


def test_a_diff_of_a_quiet_time_is_empty(user: User) -> None:
    assert "nothing changed" in user.says("diff", "--from", "2026-11-05", "--to", "2026-11-06")
    user.says("diff", "--from", "2026-11-06", "--to", "2026-11-05", code=1)


def test_another_project_sees_nothing_of_it(user: User, tmp_path: Path) -> None:
    assert user.json("log", "--project", str(tmp_path))["events"] == []
    assert user.json("diff", "--from", "2026-11-01", "--project", str(tmp_path))["changes"] == []
    assert len(user.json("log", "--project", str(tmp_path), "--all-projects")["events"]) == 4


def test_a_project_goes_by_its_folder_and_an_unknown_one_is_said_to_be_unknown(home: Home) -> None:
    home.nous("remember", "Use pnpm.", cwd=home.project("webshop"))
    assert "Use pnpm." in home.nous("list", "--project", "webshop").stdout
    wrong = home.nous("list", "--project", "webshpo")
    assert not wrong.stdout.count("pnpm") and "did you mean" in wrong.stderr and "webshop" in wrong.stderr
    gone = home.nous("remember", "Use npm.", "--project", "/nowhere/at/all")
    assert "no folder and no known project '/nowhere/at/all'" in gone.stderr
    wrong = home.nous("list", "--limit", "abc")
    assert wrong.returncode == 2 and "is not a whole number" in wrong.stderr
    wrong = home.nous("config", "set", "http_port", "99999")
    assert "http_port must be a whole number from " in wrong.stderr and "Expected" not in wrong.stderr
    assert {"claude", "plugin"} <= {
        line.split()[1] for line in home.nous("doctor").stdout.splitlines() if line[:1] in "oF"
    }


# -- verify and replay ----------------------------------------------------------------------------------------------


def test_verify_is_content_with_what_nobody_touched(user: User) -> None:
    assert user.json("verify")["ok"] is True
    assert user.says("verify").startswith("ok   4 events, every hash fits")


def test_verify_names_a_changed_event_and_fails(user: User) -> None:
    tamper(user, "UPDATE learning_events SET payload_json = replace(payload_json, '5173', '5174') WHERE event_id = 1")
    assert "FAIL payload: the payload of event 1 (LearningExtracted) was changed" in user.says("verify", code=1)
    assert user.json("verify", code=1)["problems"][0]["event_id"] == 1


def test_replay_compares_and_repairs(user: User) -> None:
    assert user.says("replay", "--verify").startswith("ok   the read models equal a replay of 4 events")
    tamper(user, "UPDATE memories SET strength = 0.123 WHERE id = 2")
    assert "memories (2, " in user.says("replay", "--verify", code=1)
    [different] = user.json("replay", "--verify", code=1)["differences"]
    assert different["table"] == "memories" and 0.123 in different["live"] and 0.5 in different["replayed"]
    assert user.json("replay", "--verify", "--projector", "text")["ok"] is True
    assert user.json("replay", "--projector", "memories") == {"events": 4, "projectors": ["memories"]}
    assert user.json("replay", "--verify")["ok"] is True
    assert user.json("replay")["projectors"] == [projector.name for projector in projectors()]


# -- backup ---------------------------------------------------------------------------------------------------------


def test_a_backup_is_restored_and_what_was_there_is_kept(user: User, tmp_path: Path) -> None:
    file = str(tmp_path / "copy.db")
    assert user.json("backup", file)["events"] == 4
    assert isinstance(CliRunner().invoke(nous, ["backup", file]).exception, Exception)
    user.says("remember", "Something new")
    done = user.json("restore-backup", file)
    assert contents(user.json("list")) == [" npm", "4000"]
    assert Path(done["kept"]).parent == user.data / "checkpoints"
    user.says("restore-backup", done["kept"])
    assert contents(user.json("list")) == [" new", " npm", "4000"]


def test_a_backup_with_pages_of_another_size_is_put_back_into_a_database_in_use(user: User, tmp_path: Path) -> None:
    old = str(tmp_path / "old.db")
    user.says("backup", old)
    older = apsw.Connection(old)
    older.execute("PRAGMA page_size = 4096").fetchall()
    older.execute("VACUUM").fetchall()
    assert older.pragma("page_size") == 4096 != PAGE_BYTES
    older.close()
    user.says("remember", "Something new")
    user.says("restore-backup", old)
    assert contents(user.json("list")) == [" npm", "4000"]
    assert user.json("replay", "--verify")["ok"] is True


@pytest.mark.parametrize("part", ["daemon", *control.PROCESSES])
def test_no_backup_is_put_in_place_under_a_process_that_works_there(user: User, tmp_path: Path, part: str) -> None:
    file = str(tmp_path / "copy.db")
    user.says("backup", file)
    user.says("remember", "Something new")
    lock = control.Lock(str(user.data), part)
    refused = CliRunner().invoke(nous, ["restore-backup", file])
    assert isinstance(refused.exception, Conflict) and "at work in the memory" in str(refused.exception)
    assert "Something new" in user.says("list")
    lock.release()
    user.says("restore-backup", file)
    assert "Something new" not in user.says("list")


# -- purge ----------------------------------------------------------------------------------------------------------


def holding(user: User, word: str) -> list[str]:
    return sorted(path.name for path in user.data.rglob("*") if path.is_file() and word.encode() in path.read_bytes())


def test_a_purge_is_only_a_plan_until_it_is_confirmed(user: User) -> None:
    user.says("remember", f"The {WORD} is in the cellar")
    planned = user.json("purge", "--match", WORD)
    assert (planned["dry_run"], planned["memories"], planned["events"]) == (True, [5], [5])
    assert "nothing was erased yet; --yes erases it" in user.says("purge", "5")
    assert holding(user, WORD)


@pytest.mark.parametrize("selection", [["5"], ["--match", WORD]])
def test_after_a_purge_no_file_holds_the_word_and_everything_verifies(user: User, selection: list[str]) -> None:
    user.says("remember", f"The {WORD} is in the cellar")
    user.says("backup", str(user.data / "mine.db"))
    report = user.says("purge", *selection, "--yes")
    assert "erased 1 memory (#5)" in report and "none of those sentences" in report and "mine.db" in report
    assert holding(user, WORD) == []
    assert user.json("verify")["erased"] == 1
    assert user.json("replay", "--verify")["ok"] is True
    assert contents(user.json("list")) == [" npm", "4000"]
    assert "x #5 erased: (erased)" in user.says("diff", "--from", "2026-11-05")


def test_a_whole_project_can_be_purged(user: User) -> None:
    done = user.json("purge", "--project", str(user.project), "--yes")
    assert done["memories"] == [1, 2, 3] and done["remaining"] == []
    assert user.json("list", "--status", "all")["memories"] == []


def test_a_purge_needs_to_know_what(user: User) -> None:
    user.says("purge", code=2)
    user.says("purge", "--yes", code=2)
    user.says("purge", "1", "--match", "x", code=2)
    user.says("purge", "1", "--project", str(user.project), code=2)
    assert "nothing was interrupted" in user.says("purge", "--finish")


def test_an_error_is_one_sentence_for_a_real_process(home: Home) -> None:
    home.data.mkdir()
    (home.data / "cortex.db").write_bytes(b"garbage" * 500)
    done = home.nous("verify")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("error: ") and "is not a healthy database" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("selection", [["5"], ["--match", WORD], ["--project", "."]])
def test_a_rules_file_forgets_what_was_purged_without_a_daemon(user: User, selection: list[str]) -> None:
    user.says("remember", f"The {WORD} is in the cellar")
    user.says("surface", "on")
    [rules] = user.project.rglob("nous.local.md")
    assert WORD in rules.read_text()
    report = user.says("purge", *selection, "--yes")
    assert not rules.exists() or WORD not in rules.read_text()
    assert "none of those sentences" in report
