"""The whole product with its memory on a server: the same as with a file, and no hook ever asks the network."""

from __future__ import annotations

import json
import shutil
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench.postgres import APP, PostgresServer
from click.testing import CliRunner

from factories import Home
from nous.app import Nous
from nous.config import load_settings
from nous.errors import Misuse, StoreError
from nous.features.memories.finding import Recalled
from nous.kernel.hooks.hookcache import HookCache
from nous.kernel.memory.memories import KEYS
from nous.kernel.stores import open_stores
from nous.shells.cli import nous as command
from nous.shells.daemon.engine import Engine
from nous.teams.postgres.engine import Postgres

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples" / "transcripts" / "projects"
LATER = "2026-11-12T08:00:00.000Z"
ASKED = ("Redis or Postgres for the delayed jobs?", "how do I run the tests", "getUserById", "carrier DHL local time")


@pytest.fixture
def server(postgres: PostgresServer) -> str:
    """The URL of a tenant of its own."""
    return postgres.url("nous", APP, tenant=uuid.uuid4().hex)


@pytest.fixture
def away(home: Home, server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A home whose memory is on the server, with sessions to read, at one moment for everybody."""
    home.environ |= {"NOUS_DB_PATH": server, "NOUS_QUIET_SECONDS": "0"}
    for name, value in home.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(Nous.__init__, "__defaults__", (lambda: LATER,))
    shutil.copytree(SAMPLES, home.transcripts, dirs_exist_ok=True)
    yield home
    monkeypatch.undo()


def run(*args: str) -> str:
    done = CliRunner().invoke(command, args, catch_exceptions=False)
    assert done.exit_code == 0, (args, done.output)
    return done.output


def learned() -> dict[str, Any]:
    """Everything that projection made, and what questions find, of the memory that is open to this environment."""
    with Nous.open() as nous:
        rows = {table: [row for _, row in nous.stores.memories.rows_of(table)] for table in KEYS}
        found = {text: [hit.id for hit in nous.recall(text, all_projects=True)] for text in ASKED}
        exchanges = {text: [hit.id for hit in nous.recall(text, all_projects=True) if hit.exchange] for text in ASKED}
        sure = [(row.stream_id, row.event_type, row.payload_json) for row in nous.stores.events.each_row()]
        return {"rows": rows, "found": found, "exchanges": exchanges, "events": sure}


def test_both_engines_learn_and_find_the_same(away: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    run("backfill")
    there = learned()
    monkeypatch.setenv("NOUS_DB_PATH", str(away.data / "cortex.db"))
    run("backfill")
    here = learned()
    assert len(there["events"]) > 20 and there["events"] == here["events"]
    for table in KEYS:
        assert there["rows"][table] == here["rows"][table], table
    assert there["found"] == here["found"] and any(there["found"].values())
    assert there["exchanges"] == here["exchanges"]


def test_every_day_with_a_memory_on_a_server(away: Home) -> None:
    project = away.project()
    where = ("--project", str(project))
    assert "remembered as #1" in run("remember", "Use pnpm for every install here.", *where)
    assert int(run("backfill").partition("learned ")[2].partition(",")[0]) > 10
    assert "pnpm" in run("recall", "which package manager do we install with", *where)
    assert "pnpm" in run("get", "1") and "#1" in run("list", *where) and "#1" in run("log", *where)
    assert "is now #" in run("correct", "1", "Use bun for every install here.", *where)
    assert "now #1" in run("undo", *where)
    assert json.loads(run("status", *where, "--json"))["database"]["path"].startswith("postgresql://nous_login@/nous")
    run("review", *where)
    assert "every hash fits" in run("verify")
    assert "equal a replay" in run("replay", "--verify")
    assert "replayed" in run("replay") and "equal a replay" in run("replay", "--verify")
    assert "done" in run("maintain")
    assert "erased 1 memory" in run("purge", "--match", "pnpm", "--yes")
    assert "pnpm" not in run("log", *where) and "every hash fits" in run("verify")
    assert "equal a replay" in run("replay", "--verify")


def test_hooks_answer_from_a_local_file_while_the_server_is_down(away: Home) -> None:
    project = away.project()
    run("remember", "Use pnpm for every install here.", "--project", str(project), "--pin")
    said = json.dumps({"session_id": "s1", "cwd": str(project), "hook_event_name": "SessionStart", "source": "startup"})
    nowhere = {"NOUS_DB_PATH": "postgresql://nobody@127.0.0.1:1/nothing"}
    answer = away.nous("hook", "SessionStart", stdin=said, cwd=project, **nowhere)
    assert "pnpm" in json.loads(answer.stdout)["hookSpecificOutput"]["additionalContext"]
    with Nous.open() as nous:
        assert nous.stores.injections.recent() == []
        nous.work.prepare_hooks()
        [receipt] = nous.stores.injections.recent()
        assert receipt["session_id"] == "s1" and [row["memory_id"] for row in receipt["memories"]] == [1]
        nous.work.prepare_hooks()  # nothing goes up twice
        assert len(nous.stores.injections.recent()) == 1
    run("purge", "--match", "pnpm", "--yes")
    assert all(b"pnpm" not in file.read_bytes() for file in away.data.rglob("*") if file.is_file())
    assert away.nous("hook", "SessionStart", stdin=said, cwd=project, **nowhere).stdout == ""


@pytest.mark.parametrize(
    "how",
    [("forget", "1"), ("dispute", "1"), ("correct", "1", "Use yarn."), ("undo", "1", "--yes"), ("purge", "1", "--yes")],
)
def test_what_no_longer_holds_leaves_the_hooks_file_with_the_command(away: Home, how: tuple[str, ...]) -> None:
    project = str(away.project())
    run("remember", "Use pnpm for every install here.", "--project", project, "--pin")
    run("remember", "Deploys go out on Fridays.", "--project", project, "--pin")

    def packets() -> str:
        cache = HookCache(str(away.data))
        try:
            return "".join(raw for _, raw in cache.db.each("hookcache.contents"))
        finally:
            cache.close()

    assert "pnpm" in packets()
    run(*how)
    assert "pnpm" not in packets()
    run("maintain")
    assert "pnpm" not in packets() and "Fridays" in packets()


def test_a_round_of_the_daemon_reads_learns_and_prepares(away: Home) -> None:
    engine = Engine(load_settings(away.environ), lambda: LATER)
    engine._receive = lambda *_: engine.stopping.set()  # type: ignore[method-assign]
    engine.run()
    with Nous.open() as nous:
        assert isinstance(nous.stores.db, Postgres) and nous.stores.memories.visible("/home/dev/parcel-api")
        assert nous.work.hook_cache.db.all("hookcache.packets")
    assert (away.data / "hooks.db").exists() and not (away.data / "cortex.db").exists()


def test_the_daemon_hears_of_what_another_device_wrote(away: Home) -> None:
    """Without being told it would look again after five seconds, or after the whole time that is set for looking."""
    heard = threading.Event()
    stopping = threading.Event()
    with Nous.open() as nous, Nous.open() as other:
        nous.work.listen(heard.set, stopping)
        while not heard.wait(0.2):
            other.remember("Said on another device.", project="shop")
    stopping.set()


# -- there and back -------------------------------------------------------------------------------------------------


def _ranked(hits: list[Recalled]) -> list[int]:
    """The best memory, leading its exchange or below it: the engines weigh words alike to a hundredth."""
    found = [(-round(hit.score, 2), memory.id) for hit in hits if (memory := hit.memory or hit.distilled)]
    return [number for _, number in sorted(found)][:1]


def every(environ: dict[str, str]) -> dict[str, Any]:
    """Whatever there is of a memory that is not made again, and every read model."""
    with Nous.open(settings=load_settings(environ)) as nous:
        rows = {table: [row for _, row in nous.stores.memories.rows_of(table)] for table in KEYS}
        kept = {table: sorted(map(repr, nous.stores.db.table_rows(table)[1])) for table in ("sessions", "outcomes")}
        talk = [list(nous.stores.transcripts.turns(one["session_id"])) for one in nous.stores.transcripts.sessions()]
        found = {text: _ranked(nous.recall(text, all_projects=True)) for text in ASKED}
        return rows | kept | {"log": list(nous.stores.events.each_row()), "talk": talk, "found": found}


def test_a_memory_moves_to_a_server_and_back_and_is_the_same(
    away: Home, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOUS_DB_PATH")
    environ = {name: value for name, value in away.environ.items() if name != "NOUS_DB_PATH"}
    run("backfill")
    run("remember", "Keep this one.", "--project", str(away.project()), "--pin")
    file = away.data / "cortex.db"
    before = every(environ)
    bytes_before = file.read_bytes()
    said = run("migrate-to", server)
    assert f"{len(before['log'])} events" in said and "Nous uses it from now on" in said
    assert file.read_bytes() == bytes_before
    assert load_settings(environ).db_path == server and (away.data / "hooks.db").exists()
    there = every(environ)
    assert there == before
    run("remember", "Said on the server.", "--project", str(away.home / "code" / "app"))
    after = every(environ)
    run("migrate-to", f"sqlite:///{away.data / 'back.db'}")
    assert load_settings(environ).db_path == str(away.data / "back.db") and not (away.data / "hooks.db").exists()
    assert every(environ) == after and len(after["log"]) == len(before["log"]) + 1
    assert "every hash fits" in run("verify") and "equal a replay" in run("replay", "--verify")


def test_a_backup_of_a_server_is_a_file_and_comes_back_there(
    away: Home, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("backfill")
    where = ("--project", str(away.project()))
    run("remember", "Keep this one.", *where, "--pin")
    before = every(away.environ)
    file = tmp_path / "copy.db"
    assert f"{len(before['log'])} events" in run("backup", str(file)) and oct(file.stat().st_mode & 0o777) == "0o600"
    run("remember", "Said after the backup.", *where)
    done = json.loads(run("restore-backup", str(file), "--json"))
    assert every(away.environ) == before and "every hash fits" in run("verify")
    assert "equal a replay" in run("replay", "--verify")
    run("remember", "Under a new name of the device.", *where)
    assert "every hash fits" in run("verify")
    run("restore-backup", done["kept"])  # what was there before is a file as well
    assert "Said after the backup." in run("list", *where)
    assert "erased 1 memory" in run("purge", "--match", "after the backup", "--yes")
    assert not list((away.data / "checkpoints").glob("*.db"))
    elsewhere = str(tmp_path / "elsewhere.db")  # the same file in the place of a file, and asked in SQL
    monkeypatch.setenv("NOUS_DB_PATH", elsewhere)
    run("restore-backup", str(file))
    assert every(away.environ | {"NOUS_DB_PATH": elsewhere}) == before
    assert "Keep this one." in run("sql", "SELECT content FROM memories WHERE pinned", "--all-projects")


def test_a_backup_that_cannot_be_put_back_on_a_server_changes_nothing(
    away: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("remember", "Stays.", "--project", str(away.project()))
    run("backup", str(tmp_path / "copy.db"))
    before = every(away.environ)
    (tmp_path / "no.db").write_text("no database")
    for file in ("nowhere.db", "no.db"):
        refused = CliRunner().invoke(command, ["restore-backup", str(tmp_path / file)])
        assert isinstance(refused.exception, StoreError)
    monkeypatch.setattr(
        "nous.features.backup.moving._compare", lambda *_: (_ for _ in ()).throw(StoreError("not the same"))
    )
    refused = CliRunner().invoke(command, ["restore-backup", str(tmp_path / "copy.db")])
    assert "not the same" in str(refused.exception)
    assert every(away.environ) == before


@pytest.mark.parametrize(
    ("args", "instead"),
    [
        (("sql", "SELECT 1"), "nous admin backup copy.db"),
        (("archive", "--before", "90d"), "nous admin backup FILE"),
        (("restore", "--archive", "cortex-archive-2020.db.zst"), "nous admin backup FILE"),
    ],
)
def test_what_needs_a_file_says_what_to_use_instead(away: Home, args: tuple[str, ...], instead: str) -> None:
    run("remember", "Stays.", "--project", str(away.project()))
    refused = CliRunner().invoke(command, args)
    assert isinstance(refused.exception, Misuse) and "database that is a file" in str(refused.exception)
    assert instead in str(refused.exception.hint)


def test_moving_refuses_what_would_mix_or_lose(away: Home, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run("remember", "On the server.", "--project", str(away.project()))
    monkeypatch.setenv("NOUS_DB_PATH", str(away.data / "cortex.db"))
    run("remember", "In the file.", "--project", str(away.home / "code" / "app"))
    for url, reason in (
        (server, "the new database is not empty"),
        (f"sqlite:///{away.data / 'cortex.db'}", "this is already the database in use"),
        ("postgresql://nobody@127.0.0.1:1/nothing", "cannot be reached"),
        ("mysql://host/db", "there is no store for mysql"),
    ):
        refused = CliRunner().invoke(command, ["migrate-to", url])
        assert reason in str(refused.exception), url
    with Nous.open() as nous:
        assert nous.stores.events.count() == 1
        assert nous.settings.db_path == str(away.data / "cortex.db")


def test_what_differs_is_not_kept(away: Home, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of a read model that no replay gives: the new database stays empty."""
    monkeypatch.setenv("NOUS_DB_PATH", str(away.data / "cortex.db"))
    run("remember", "In the file.", "--project", str(away.project()))
    with Nous.open() as nous:
        nous.stores.db.run("memories.add_concepts", memory_id=1, concept="nowhere", version=1)
        with pytest.raises(StoreError, match="concepts is not the same"):
            nous.migrate_to(server)
        there = open_stores(server)
        assert there.events.count() == 0 and there.memories.get(1) is None
        there.close()
