"""Old events may lie in compressed files: nothing that the log can answer changes by that, and a purge reaches them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from factories import Home, extracted
from flows.leaks import every_byte
from nous import zstd
from nous.errors import NotFound, StoreError
from nous.features.archive.tiers import archive_events, restore_events
from nous.features.backup.backup import backup
from nous.features.erasure.purge import Selection, purge
from nous.kernel.log.archive_payloads import files_in
from nous.kernel.log.events import Reinforced
from nous.kernel.log.integrity import verify
from nous.kernel.memory.projection import catch_up, compare_with_replay, replay
from nous.kernel.stores import Stores, open_stores

OLD, NEWER, NOW = "2024-03-01T10:00:00.000Z", "2025-07-01T10:00:00.000Z", "2026-11-01T10:00:00.000Z"
CUT = "2026-01-01T00:00:00.000Z"
WORD = "qzxvkanary"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A data directory with events of three years, one of which says a word that nothing else says."""
    stores = open_stores(str(tmp_path / "cortex.db"))
    stores.events.append([extracted(f"a{n}", f"Fact {n} of the first year") for n in range(20)], OLD)
    stores.events.append([extracted("secret", f"The {WORD} opens the door", session_id="s9")], OLD)
    stores.events.append([extracted(f"b{n}", f"Fact {n} of the second year") for n in range(20)], NEWER)
    again = Reinforced(reinforcement_delta=0.1)
    stores.events.append([replace(extracted("a1", key="again"), event_type="LearningReinforced", payload=again)], NOW)
    catch_up(stores, NOW)
    stores.close()
    return tmp_path


def _opened(place: Path) -> Stores:
    return open_stores(str(place / "cortex.db"))


def _archive(place: Path, before: str = CUT) -> list[str]:
    stores = _opened(place)
    done = archive_events(stores.events, before, str(place / "archive"), NOW)
    paths = [stores.events.cold.path(segment) for segment in done.segments]
    stores.close()
    return paths


def test_a_file_for_each_year_holds_what_old_events_say(place: Path) -> None:
    paths = _archive(place)
    assert [os.path.basename(path) for path in paths] == ["cortex-archive-2024.db.zst", "cortex-archive-2025.db.zst"]
    assert all(os.stat(path).st_mode & 0o077 == 0 for path in paths)
    stores = _opened(place)
    assert stores.events.cold.due(CUT) == {}
    assert [segment.event_count for segment in stores.events.cold.segments()] == [21, 20]
    stores.close()


def test_the_log_answers_as_before(place: Path) -> None:
    before = _answers(place)
    _archive(place)
    assert _answers(place) == before


def _answers(place: Path) -> tuple[object, ...]:
    stores = _opened(place)
    try:
        events = [event for batch in stores.events.replay() for event in batch]
        report = verify(stores)
        assert report.ok, report.problems
        assert compare_with_replay(stores.events, stores.memories, NOW).differences == []
        carried = list(stores.devices.list_written({}))
        mentioned = stores.events.mentioning(WORD)
        return events, report.head, carried, mentioned, stores.events.of_learning("a1"), stores.events.as_of(NEWER)
    finally:
        stores.close()


def test_replay_reads_archives_where_they_lie(place: Path) -> None:
    _archive(place)
    stores = _opened(place)
    assert replay(stores, NOW) == 42
    assert len(stores.memories.by_id(range(1, 43))) == 41
    stores.close()


def test_what_is_archived_again_goes_into_another_file(place: Path) -> None:
    first = _archive(place, "2024-12-31T00:00:00.000Z")
    second = _archive(place)
    assert first != second and len(files_in(str(place / "archive"))) == 2
    stores = _opened(place)
    stores.events.append([extracted("late", "Said later")], NOW)
    stores.close()
    third = _archive(place, "2027-01-01T00:00:00.000Z")
    assert [os.path.basename(path) for path in third] == ["cortex-archive-2026.db.zst"]


def test_an_archive_comes_back(place: Path) -> None:
    before = _answers(place)
    [first, second] = _archive(place)
    stores = _opened(place)
    segment, events = restore_events(stores.events, first, NOW)
    assert events == 21 and segment.archive_path == os.path.join("archive", "cortex-archive-2024.db.zst")
    os.unlink(first)  # what was restored is no longer needed
    stores.close()
    assert _answers(place) == before
    stores = _opened(place)
    with pytest.raises(StoreError, match="already"):
        restore_events(stores.events, first, NOW)
    with pytest.raises(NotFound, match="no archive"):
        restore_events(stores.events, str(place / "cortex.db"), NOW)
    stores.close()
    assert os.path.exists(second)


def test_a_changed_archive_is_not_restored(place: Path) -> None:
    [first, second] = _archive(place)
    os.replace(second, first)
    stores = _opened(place)
    with pytest.raises(StoreError, match="not what was written"):
        restore_events(stores.events, first, NOW)
    kinds = {problem.kind for problem in verify(stores).problems}
    assert kinds == {"archive"}
    stores.close()


@pytest.mark.parametrize("damage", ["missing", "truncated", "garbage"])
def test_an_archive_that_cannot_be_read_is_named(place: Path, damage: str) -> None:
    [first, _] = _archive(place)
    match damage:
        case "missing":
            os.unlink(first)
        case "truncated":
            Path(first).write_bytes(Path(first).read_bytes()[:100])
        case _:
            Path(first).write_bytes(b"not an archive")
    stores = _opened(place)
    report = verify(stores)
    assert [problem.kind for problem in report.problems] == ["archive"]
    assert "cortex-archive-2024" in report.problems[0].said
    assert len(stores.memories.by_id(range(1, 43))) == 41  # what is remembered does not need it
    with pytest.raises(StoreError, match="cortex-archive-2024"):
        stores.events.of_learning("a1")
    stores.close()


def test_a_purge_reaches_archives(place: Path) -> None:
    paths = _archive(place)
    stores = _opened(place)
    done = purge(stores, Selection(match=WORD), catch_up, str(place / "checkpoints"), str(place), "test", NOW)
    assert done.memories and done.remaining == []
    assert verify(stores).ok and compare_with_replay(stores.events, stores.memories, NOW).differences == []
    stores.close()
    assert not any(WORD.encode() in data for _, data in every_byte(place))
    assert not any(WORD.encode() in zstd.decompress(Path(path).read_bytes()) for path in paths)


def test_a_backup_stands_without_its_archives(place: Path, tmp_path: Path) -> None:
    _archive(place)
    (tmp_path / "elsewhere").mkdir()
    made = backup(str(place / "cortex.db"), str(tmp_path / "elsewhere" / "copy.db"))
    assert made.events == 42


def test_what_a_killed_run_left_is_swept(place: Path) -> None:
    folder = place / "archive"
    folder.mkdir()
    (folder / "cortex-archive-2023.db.zst.partial").write_bytes(b"half")
    (folder / "cortex-archive-2023.db.zst").write_bytes(b"nobody names it")
    (folder / "mine.txt").write_text("not ours")
    _archive(place)
    assert sorted(os.listdir(folder)) == ["cortex-archive-2024.db.zst", "cortex-archive-2025.db.zst", "mine.txt"]


KILLED = """
import sys
from nous.kernel.stores import open_stores
from nous.features.archive.tiers import archive_events
stores = open_stores(sys.argv[1] + "/cortex.db")
print("ready", flush=True)
archive_events(stores, sys.argv[2], sys.argv[1] + "/archive", "2026-11-01T10:00:00.000Z")
"""


@pytest.mark.slow
def test_a_kill_at_any_point_loses_nothing(place: Path) -> None:
    stores = _opened(place)
    for year in range(2027, 2033):
        said = [extracted(f"k{year}-{n}", f"Fact {n} of {year}") for n in range(40)]
        stores.events.append(said, f"{year}-02-03T10:00:00.000Z")
    catch_up(stores, NOW)
    stores.close()
    before = _answers(place)
    for step in range(6):
        run = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(place), "2040-01-01T00:00:00.000Z"], stdout=subprocess.PIPE
        )
        assert run.stdout is not None
        run.stdout.readline()
        time.sleep(0.008 * step)
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stdout.close()
        assert _answers(place) == before


def test_the_commands(home: Home) -> None:
    home.nous("remember", "The api listens on port 8081.")
    said = home.nous("archive", "--before", "0d", "--dry-run")
    assert "would move" in said.stdout
    said = home.nous("archive", "--before", "0d")
    assert said.returncode == 0 and "cortex-archive-" in said.stdout
    listed = home.nous("archive", "--list")
    path = listed.stdout.split()[0]
    assert "cold" in listed.stdout
    assert "8081" in home.nous("recall", "port of the api").stdout
    assert home.nous("verify").returncode == 0
    assert home.nous("restore", "--archive", path).returncode == 0
    assert "restored" in home.nous("archive", "--list").stdout
    wrong = home.nous("restore", "--archive", "nowhere.zst")
    assert wrong.returncode == 1 and "no archive of this database" in wrong.stderr
    assert home.nous("archive", "--before", "whenever").returncode == 2


def test_the_rest_is_told_of_a_log_with_archives(home: Home) -> None:
    home.nous("remember", "The api listens on port 8081.")
    home.nous("archive", "--before", "0d")
    for words in (("log",), ("review", "--json"), ("sql", "SELECT 1")):
        told = home.nous(*words)
        assert told.returncode == 0, told.stderr
