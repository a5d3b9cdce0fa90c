"""Copies: complete or not at all, checked, and what was there before is kept."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import apsw
import pytest

from factories import NOW, extracted
from nous.errors import NousError, SchemaTooNew, StoreError
from nous.features.backup.backup import KEPT, backup, checkpoint, checkpoints, inspect, restore, sweep
from nous.kernel.db import file_copies
from nous.kernel.log.integrity import verify
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores, open_stores
from nous.moments import later


def out(folder: Path) -> Path:
    (folder / "out").mkdir(exist_ok=True)
    return folder / "out"


def filled(path: Path, count: int = 3) -> Stores:
    stores = open_stores(str(path))
    learn(stores, *range(count))
    return stores


def learn(stores: Stores, *numbers: int) -> None:
    stores.events.append([extracted(f"l{n}", f"Fact {n}", project_id="p", session_id="s") for n in numbers], NOW)
    catch_up(stores, NOW)


def test_a_backup_of_a_database_in_use_is_one_file_that_verifies(tmp_path: Path) -> None:
    stores = filled(tmp_path / "cortex.db")
    with stores.db.snapshot():
        stores.events.count()
        made = backup(str(tmp_path / "cortex.db"), str(out(tmp_path) / "copy.db"))
    assert (made.events, made.head) == (3, verify(stores).head)
    assert os.listdir(tmp_path / "out") == ["copy.db"]
    assert oct((tmp_path / "out" / "copy.db").stat().st_mode & 0o777) == "0o600"
    learn(stores, 7)
    assert inspect(made.path).events == 3
    stores.close()


def test_a_backup_sees_what_is_still_in_the_write_ahead_log(tmp_path: Path) -> None:
    stores = filled(tmp_path / "cortex.db")
    assert (tmp_path / "cortex.db-wal").stat().st_size > 0
    assert backup(str(tmp_path / "cortex.db"), str(tmp_path / "copy.db")).events == 3
    stores.close()


def test_a_copy_that_somebody_reads_while_it_is_made_is_still_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a purge of another process does, that looks for what it erased."""
    stores = filled(tmp_path / "cortex.db")
    pour = file_copies._pour
    held: list[threading.Timer] = []

    def poured(source: apsw.Connection, target: apsw.Connection) -> None:
        pour(source, target)
        reader = apsw.Connection(target.filename, flags=apsw.SQLITE_OPEN_READONLY)
        rows = reader.execute("SELECT event_id FROM learning_events")
        assert next(rows)
        held.append(threading.Timer(0.3, reader.close, [True]))
        held[-1].start()

    monkeypatch.setattr(file_copies, "_pour", poured)
    assert backup(str(tmp_path / "cortex.db"), str(out(tmp_path) / "copy.db")).events == 3
    for timer in held:
        timer.join()
    assert os.listdir(tmp_path / "out") == ["copy.db"]
    stores.close()


def test_an_existing_file_is_not_overwritten_unasked(tmp_path: Path) -> None:
    filled(tmp_path / "cortex.db").close()
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(NousError, match="exists already"):
        backup(str(tmp_path / "cortex.db"), str(tmp_path / "mine.txt"))
    assert (tmp_path / "mine.txt").read_text() == "precious"
    assert backup(str(tmp_path / "cortex.db"), str(tmp_path / "mine.txt"), overwrite=True).events == 3


def test_the_database_is_not_its_own_backup(tmp_path: Path) -> None:
    filled(tmp_path / "cortex.db").close()
    with pytest.raises(StoreError, match="is the database itself"):
        backup(str(tmp_path / "cortex.db"), str(tmp_path / "cortex.db"), overwrite=True)


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    filled(tmp_path / "cortex.db").close()
    (tmp_path / "file").write_text("")
    with pytest.raises(NousError, match="there is no folder"):
        backup(str(tmp_path / "cortex.db"), str(tmp_path / "file" / "copy.db"))


def test_restoring_brings_back_what_was_and_keeps_what_is(tmp_path: Path) -> None:
    db, copied, folder = (str(tmp_path / name) for name in ("cortex.db", "copy.db", "checkpoints"))
    stores = filled(tmp_path / "cortex.db")
    backup(db, copied)
    learn(stores, 7, 8)
    done = restore(db, copied, folder, NOW)
    assert done.events == 3
    assert stores.events.count() == 3, "a process that has it open sees the restored content"
    assert inspect(done.kept).events == 5
    learn(stores, 9)
    assert verify(stores).ok and stores.events.count() == 4
    restore(db, done.kept, folder, later(NOW, 1))
    assert stores.events.count() == 5
    stores.close()


def test_restoring_where_there_is_nothing_yet(tmp_path: Path) -> None:
    filled(tmp_path / "cortex.db").close()
    backup(str(tmp_path / "cortex.db"), str(tmp_path / "copy.db"))
    done = restore(str(tmp_path / "new" / "cortex.db"), str(tmp_path / "copy.db"), str(tmp_path / "c"), NOW)
    assert (done.events, done.kept) == (3, "")
    assert inspect(str(tmp_path / "new" / "cortex.db")).events == 3


def test_a_database_that_cannot_be_read_any_more_is_replaced_and_kept(tmp_path: Path) -> None:
    filled(tmp_path / "cortex.db").close()
    backup(str(tmp_path / "cortex.db"), str(tmp_path / "copy.db"))
    (tmp_path / "cortex.db").write_bytes(b"garbage" * 1000)
    done = restore(str(tmp_path / "cortex.db"), str(tmp_path / "copy.db"), str(tmp_path / "c"), NOW)
    assert inspect(str(tmp_path / "cortex.db")).events == 3
    assert Path(done.kept).read_bytes() == b"garbage" * 1000


def test_a_bad_backup_changes_nothing(tmp_path: Path) -> None:
    stores = filled(tmp_path / "cortex.db")
    db, copied = str(tmp_path / "cortex.db"), tmp_path / "copy.db"
    for content, sentence in ((None, "there is no file"), (b"garbage" * 500, "is no backup of Nous")):
        if content:
            copied.write_bytes(content)
        with pytest.raises(StoreError, match=sentence):
            restore(db, str(copied), str(tmp_path / "c"), NOW)
    backup(db, str(copied), overwrite=True)
    raw = apsw.Connection(str(copied))
    raw.execute("UPDATE learning_events SET session_id = 'forged' WHERE event_id = 2").fetchall()
    raw.close()
    with pytest.raises(StoreError, match=r"is not what it was: event 2 .* was changed"):
        restore(db, str(copied), str(tmp_path / "c"), NOW)
    raw = apsw.Connection(str(copied))
    raw.execute("PRAGMA user_version = 999").fetchall()
    raw.close()
    with pytest.raises(SchemaTooNew):
        restore(db, str(copied), str(tmp_path / "c"), NOW)
    assert stores.events.count() == 3 and not (tmp_path / "c").exists()
    stores.close()


def test_what_is_no_backup_of_nous_is_refused_before_anything_moves(tmp_path: Path) -> None:
    stores = filled(tmp_path / "cortex.db")
    db, copied, foreign = str(tmp_path / "cortex.db"), tmp_path / "copy.db", tmp_path / "foreign.db"
    whole = Path(backup(db, str(tmp_path / "whole.db")).path).read_bytes()
    other = apsw.Connection(str(foreign))
    other.execute("CREATE TABLE notes (text)").fetchall()
    other.close()
    cuts = [whole[: len(whole) * part // 16] for part in range(16)] + [whole[:1], whole[:15], whole[:-1]]
    others = (b"{", b"\n", b'{"events": []}', b"[" * 9000, foreign.read_bytes(), whole[:100] + bytes(8092))
    for content in (*cuts, *others):
        copied.write_bytes(content)
        with pytest.raises(StoreError, match=r"is no backup of Nous|is not a healthy database|is damaged"):
            restore(db, str(copied), str(tmp_path / "c"), NOW)
    assert stores.events.count() == 3 and not (tmp_path / "c").exists()
    stores.close()


def test_a_copy_replaces_no_pipe_and_no_device_even_when_it_may_write_over_files(tmp_path: Path) -> None:
    filled(tmp_path / "cortex.db").close()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link"):
        for overwrite in (False, True):
            with pytest.raises(NousError, match=r"is no regular file|exists already"):
                backup(str(tmp_path / "cortex.db"), str(tmp_path / name), overwrite=overwrite)
    assert (tmp_path / "pipe").is_fifo() and (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("version", [0, 1, 83, 999])
def test_the_database_of_another_program_is_not_adopted(tmp_path: Path, version: int) -> None:
    path = tmp_path / "foreign.db"
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE notes (text)").fetchall()
    other.execute(f"PRAGMA user_version = {version}").fetchall()
    other.close()
    path.chmod(0o644)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is the database of another program"):
        open_stores(str(path))
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (before, 0o644)
    assert sorted(os.listdir(tmp_path)) == ["foreign.db"]


def test_the_last_few_checkpoints_are_kept(tmp_path: Path) -> None:
    filled(tmp_path / "cortex.db").close()
    made = [
        checkpoint(str(tmp_path / "cortex.db"), str(tmp_path / "c"), "test", later(NOW, number))
        for number in range(KEPT + 3)
    ]
    assert checkpoints(str(tmp_path / "c")) == made[-KEPT:]
    assert checkpoints(str(tmp_path / "nowhere")) == []


def test_what_a_killed_backup_left_is_gone_after_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    path = str(tmp_path / "cortex.db")
    open_stores(path).close()
    dead = subprocess.Popen(["true"])
    dead.wait()
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    left = [
        tmp_path / f"older.db.{dead.pid}.nous.partial",
        tmp_path / f"older.db.{dead.pid}.nous.partial-journal",
        folder / f"x.db.{dead.pid}.nous.partial",
        temporary / f"nous-backup-abc.{dead.pid}" / "copy.db",
    ]
    kept = [
        tmp_path / f"theirs.{dead.pid}.partial",
        tmp_path / f"running.db.{os.getppid()}.nous.partial",
        temporary / f"nous-backup-abc.{os.getppid()}" / "copy.db",
    ]
    for file in (*left, *kept):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"words")
    backup(path, str(tmp_path / "new.db"))
    assert [file.exists() for file in left] == [False, False, True, False]
    assert sweep(str(tmp_path)) == 1
    assert [file.exists() for file in left] == [False] * 4
    assert [file.exists() for file in kept] == [True] * 3


def test_a_restored_database_goes_on_under_a_name_of_its_own(tmp_path: Path) -> None:
    path, saved = str(tmp_path / "cortex.db"), str(tmp_path / "saved.db")
    stores = open_stores(path)
    stores.events.append([extracted("a")], NOW)
    before = stores.events.own_device()
    backup(path, saved)
    stores.events.append([extracted("b")], NOW)
    restore(path, saved, str(tmp_path / "copies"), NOW)
    assert stores.events.own_device() != before  # whoever has it open writes as the new one
    stores.events.append([extracted("c")], NOW)
    assert [event.device_seq for event in stores.events.read(0, 10)] == [1, 1]
    assert verify(stores).ok
    stores.close()
