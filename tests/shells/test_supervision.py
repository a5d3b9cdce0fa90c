"""A daemon that goes on: what fails is counted and shown, the rest is done, and a thread that fell gets up again."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from factories import NOW, Home
from flows.test_bad_records import FIRST, LAST, SHAPES, line
from flows.test_bad_records import prompt as record
from nous.app import system_clock
from nous.config import Settings, load_settings
from nous.kernel.stores import open_stores
from nous.moments import later
from nous.shells.daemon import faults
from nous.shells.daemon.engine import Engine, keep_going
from shells.test_daemon import eventually, status, up


def learned(settings: Settings) -> str:
    stores = open_stores(settings.db_path)
    try:
        return "\n".join(memory.content for memory in stores.memories.listing(None, limit=100))
    finally:
        stores.close()


def test_a_thread_that_fails_is_started_again_until_it_ends() -> None:
    ending, failed, runs = threading.Event(), [], iter(range(10))

    def work() -> None:
        if next(runs) < 2:
            raise KeyError("unthinkable")

    keep_going("a part", work, ending, lambda part, problem: failed.append((part, type(problem))), pause=0.001)
    assert failed == [("a part", KeyError)] * 2
    assert next(runs) == 3


def test_even_a_panic_is_survived() -> None:
    class Panic(BaseException):
        """What extensions raise."""

    ending = threading.Event()

    def work() -> None:
        raise Panic

    def failed(part: str, problem: BaseException) -> None:
        ending.set()

    keep_going("a part", work, ending, failed, pause=0.001)


def test_faults_are_counted_kept_and_forgotten(tmp_path: Path) -> None:
    for said in ("one", "two"):
        faults.note(str(tmp_path), "the engine", ValueError(said), NOW)
    faults.note(str(tmp_path), "watching", OSError("gone"), later(NOW, 5))
    engine, watching = faults.recent(str(tmp_path), later(NOW, 10))
    assert (engine.part, engine.times, engine.said) == ("the engine", 2, "ValueError: two")
    assert "failed once" in watching.line()
    assert os.stat(tmp_path / faults.FILE).st_mode & 0o077 == 0
    assert os.listdir(tmp_path) == [faults.FILE]
    assert faults.recent(str(tmp_path), later(NOW, 8 * 86400)) == []
    (tmp_path / faults.FILE).write_bytes(b"\xff no json")
    assert faults.recent(str(tmp_path), NOW) == []
    faults.note(str(tmp_path), "again", ValueError("x"), NOW)
    assert len(faults.recent(str(tmp_path), NOW)) == 1


@pytest.mark.parametrize(
    "step",
    [
        "app.following.warm_all",
        "features.brief.surface.refresh",
        "kernel.learn.reconcile.reconcile",
        "app.following.embed_waiting",
        "app.following.settle_due",
    ],
)
def test_a_step_that_fails_keeps_nothing_else_from_being_done(
    step: str, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*args: Any, **named: Any) -> None:
        raise ZeroDivisionError("unthinkable")

    monkeypatch.setattr(f"nous.{step}", fails)
    settings = load_settings(home.environ | {"NOUS_QUIET_SECONDS": "0"})
    folder = home.transcripts / "p"
    folder.mkdir()
    (folder / "s1.jsonl").write_bytes(line(record(FIRST, 0)))
    engine = Engine(settings)
    engine.start()
    try:
        eventually(lambda: "pnpm" in learned(settings))
        (folder / "s2.jsonl").write_bytes(line(record(LAST, 9) | {"sessionId": "s2"}))
        engine.changed(str(folder / "s2.jsonl"))
        eventually(lambda: "Postgres" in learned(settings))
        eventually(lambda: faults.recent(settings.data_dir, system_clock()))
    finally:
        engine.stop()
        engine.join(20)
    assert not engine.is_alive()
    assert all("unthinkable" in fault.said for fault in faults.recent(settings.data_dir, system_clock()))


def test_an_engine_that_falls_gets_up_and_learns(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, falls = Engine._live, iter([TypeError("one"), AssertionError("two")])

    def live(engine: Engine) -> None:
        for problem in falls:
            raise problem
        whole(engine)

    monkeypatch.setattr(Engine, "_live", live)
    monkeypatch.setattr("nous.shells.daemon.engine.REST_SECONDS", 0.01)
    settings = load_settings(home.environ | {"NOUS_QUIET_SECONDS": "0"})
    (home.transcripts / "s1.jsonl").write_bytes(line(record(FIRST, 0)))
    learned(settings)  # as in a daemon, the data directory is there before the engine is
    engine = Engine(settings)
    engine.start()
    eventually(lambda: "pnpm" in learned(settings))
    engine.stop()
    engine.join(20)
    [fault] = faults.recent(settings.data_dir, system_clock())
    assert (fault.part, fault.times) == ("the engine", 2)


def test_a_real_daemon_learns_around_every_known_trigger(home: Home) -> None:
    up(home)
    folder = home.transcripts / "p"
    folder.mkdir()
    queued = line(SHAPES["queued"]).replace(b"Go on.", b"Go \xff on.")
    odd = [
        record("Go on.", 1) | {"cwd": "/x\0y"},
        record("a: " * 8000, 2),
        record("cookie: " * 3125, 3),
        record("Go on.", 4) | {"timestamp": "yesterday"},
        record("Go on.", 5) | {"sessionId": ""},
        record("Go on.", 6) | {"sessionId": 7},
    ]
    first, last = line(record(FIRST, 0)), line(record(LAST, 9))
    (folder / "s1.jsonl").write_bytes(b"".join([first, queued, *map(line, odd), last]))
    with open(os.fsencode(folder) + b"/caf\xe9.jsonl", "wb") as file:
        file.write(line(record("Never commit to main directly.", 8) | {"sessionId": "s2"}))
    settings = load_settings(home.environ)

    def all_learned() -> bool:
        known = learned(settings)
        return all(word in known for word in ("pnpm", "Postgres", "commit to main"))

    eventually(all_learned)
    said = json.loads(home.nous("status", "--json").stdout)
    assert (said["quarantined"], said["faults"], said["daemon"]["engine"]) == (1, [], True)


def test_status_and_doctor_tell_what_failed_also_after_a_restart(home: Home) -> None:
    up(home)
    faults.note(str(home.data), "the engine", ValueError("unthinkable"), system_clock())
    for _ in range(2):
        assert status(home)["faults"] == 1
        assert "fault      the engine failed once" in home.nous("status").stdout
        done = home.nous("doctor")
        assert done.returncode == 1
        assert "FAIL faults" in done.stdout and "unthinkable" in done.stdout
        home.nous("restart")


def test_a_stopped_daemon_is_called_stopped(home: Home) -> None:
    pid = up(home)
    os.kill(pid, signal.SIGSTOP)
    try:
        assert f"process {pid} is stopped (`kill -CONT {pid}`" in home.nous("status").stdout
        done = home.nous("doctor")
        assert done.returncode == 1 and f"process {pid} is stopped" in done.stdout
        done = home.nous("up")
        assert (done.returncode, "is stopped" in done.stderr) == (1, True)
        assert "the daemon stopped" in home.nous("down").stdout
    finally:
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass
