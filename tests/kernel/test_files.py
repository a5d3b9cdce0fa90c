"""Recognising files: grown, cut, rewritten, moved, gone; and sessions that are read as they happen."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories import NOW, sized
from kernel.test_capture import claimed, lines, record
from nous.kernel.capture import intake as capture
from nous.kernel.capture.files import File
from nous.kernel.capture.intake import CaptureRules, Intake, Taken
from nous.kernel.capture.sessions import cut
from nous.kernel.capture.tail import Line, read_new
from nous.kernel.stores import Stores, open_stores
from nous.moments import later


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> str:
        return self.now


def take(stores: Stores, path: Path, *, deep: bool = False) -> Taken:
    return Intake(stores, lambda: NOW).take_in(str(path), "fs_watch", deep=deep)


def said(stores: Stores) -> list[str]:
    return [turn["text"] for item in claimed(stores) for turn in json.loads(item.payload)]


def test_an_unchanged_tree_costs_only_a_look(stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_bytes(lines(record(name, sessionId=name)))
    intake, pattern = Intake(stores, lambda: NOW), str(tmp_path / "**" / "*.jsonl")
    assert intake.reconcile(pattern).turns == 2
    opened: list[str] = []

    def note(path: str, offset: int) -> Iterator[Line]:
        opened.append(path)
        return iter(())

    monkeypatch.setattr(capture, "read_new", note)
    assert intake.reconcile(pattern) == Taken() and opened == []
    with (tmp_path / "a.jsonl").open("ab") as more:
        more.write(b"x")
    intake.reconcile(pattern)
    assert set(opened) == {str(tmp_path / "a.jsonl")}, "once for what is new, once for secrets that were said before"


def test_a_long_history_is_taken_in_piece_by_piece_and_the_last_used_project_first(
    stores: Stores, tmp_path: Path
) -> None:
    for number in range(6):
        file = tmp_path / f"p{number % 2}" / f"s{number}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(lines(record(f"turn {number}", sessionId=f"s{number}")))
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
    intake, pattern, size = Intake(stores, lambda: NOW), str(tmp_path / "**" / "*.jsonl"), file.stat().st_size
    looks = [intake.reconcile(pattern, most=2 * size) for _ in range(4)]
    assert [one.turns for one in looks] == [2, 2, 2, 0]
    assert said(stores) == [f"turn {number}" for number in (3, 5, 2, 4, 1, 0)]
    assert not [row for row in stores.files.fingerprints().values() if row[2] < 0], "what was not looked at is not gone"


def test_a_file_that_was_cut_and_grew_beyond_where_it_was_read_is_read_again(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    one = record("one")
    file.write_bytes(lines(one, record("two")))
    take(stores, file)
    file.write_bytes(lines(one, record("three " * 50), record("four")))
    take(stores, file)
    assert [text.split()[0] for text in said(stores)] == ["one", "two", "three", "four"]


def test_a_file_rewritten_under_the_same_size_and_time_is_found_by_a_deep_look(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    file.write_bytes(lines(record("one")))
    before = file.stat()
    take(stores, file)
    file.write_bytes(lines(record("two")))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert take(stores, file) == Taken()
    assert take(stores, file, deep=True).turns == 1
    assert said(stores) == ["one", "two"]


def test_a_moved_file_is_read_on_from_where_it_was(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    file.write_bytes(lines(record("one"), record("two")))
    take(stores, file)
    size = file.stat().st_size
    moved = file.rename(tmp_path / "moved.jsonl")
    with moved.open("ab") as more:
        more.write(lines(record("three")))
    assert take(stores, moved).lines == 1, "the lines before are not read again"
    assert said(stores) == ["one", "two", "three"]
    assert stores.cursors.get(str(moved), str(moved.stat().st_ino)) > size
    assert stores.files.get(str(file)) is None


def test_a_file_that_is_gone_and_comes_back_teaches_nothing_new(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    content = lines(record("one"))
    file.write_bytes(content)
    intake, pattern = Intake(stores, lambda: NOW), str(tmp_path / "**" / "*.jsonl")
    intake.reconcile(pattern)
    file.unlink()
    intake.reconcile(pattern)
    assert stores.files.fingerprints()[str(file)][2] == -1
    file.write_bytes(content)
    assert intake.reconcile(pattern).turns == 0
    assert said(stores) == ["one"]
    assert stores.files.forget(later(NOW, 1)) == 0, "it is there again"


def test_a_record_that_stands_twice_in_one_file_counts_once(stores: Stores, tmp_path: Path) -> None:
    file, one = tmp_path / "s1.jsonl", record("one")
    file.write_bytes(lines(one, one, record("two"), one))
    assert take(stores, file).turns == 2
    assert said(stores) == ["one", "two"]


def test_sessions_of_nous_itself_are_never_read(stores: Stores, tmp_path: Path) -> None:
    data = tmp_path / "data"
    intake = Intake(stores, lambda: NOW, CaptureRules(str(data)))
    own, beside = tmp_path / "own.jsonl", tmp_path / "beside.jsonl"
    own.write_bytes(lines(record("You extract memories.", cwd=str(data / "worker"))))
    beside.write_bytes(lines(record("mine", cwd=f"{data}-of-mine", sessionId="s2")))
    assert intake.take_in(str(own), "fs_watch") == Taken()
    with own.open("ab") as more:
        more.write(lines(record("more", cwd="/elsewhere")))
    assert intake.take_in(str(own), "fs_watch") == Taken()
    assert intake.take_in(str(beside), "fs_watch").turns == 1
    assert said(stores) == ["mine"] and stores.transcripts.session("s1") is None


def test_a_reader_that_is_late_takes_nothing_back(tmp_path: Path) -> None:
    """The daemon and a backfill read one file at once; the slower one saw less of it."""
    file, database = tmp_path / "s1.jsonl", str(tmp_path / "cortex.db")
    fast, slow = open_stores(database), open_stores(database)
    file.write_bytes(lines(record("one")))
    intake = Intake(slow, lambda: NOW, CaptureRules(quiet_seconds=5))
    [early] = cut(read_new(str(file), 0), 0)
    with file.open("ab") as more:
        more.write(lines(record("two")))
    Intake(fast, lambda: NOW, CaptureRules(quiet_seconds=5)).take_in(str(file), "fs_watch")
    stat = file.stat()
    late = File(path=str(file), device=stat.st_dev, inode=stat.st_ino, read_offset=early.end)
    assert intake._enqueue(late, early, "fs_watch").turns == 0
    intake.take_in(str(file), "fs_reconcile")
    [item] = slow.queue.listing()
    assert item["end_offset"] == stat.st_size
    fast.close()
    slow.close()


# sessions as they happen
def test_later_lines_join_the_unit_that_waits(stores: Stores, tmp_path: Path) -> None:
    clock, file = Clock(), tmp_path / "s1.jsonl"
    intake = Intake(stores, clock, CaptureRules(quiet_seconds=2))
    for number in range(3):
        with file.open("ab") as more:
            more.write(lines(record(f"line {number}")))
        intake.take_in(str(file), "fs_watch")
        assert stores.queue.counts() == {"pending": 1}
        assert stores.queue.claim("w", clock.now) is None, "the session still talks"
        clock.now = later(clock.now, 1)
    clock.now = later(clock.now, 2)
    item = stores.queue.claim("w", clock.now)
    assert item and [turn["text"] for turn in json.loads(item.payload)] == ["line 0", "line 1", "line 2"]
    assert item.end_offset == file.stat().st_size
    with file.open("ab") as more:
        more.write(lines(record("late")))
    intake.take_in(str(file), "fs_watch")
    assert stores.queue.counts() == {"pending": 1, "processing": 1}, "what a worker holds does not change any more"


def test_a_session_that_never_pauses_is_learned_all_the_same(stores: Stores, tmp_path: Path) -> None:
    clock, file = Clock(), tmp_path / "s1.jsonl"
    intake = Intake(stores, clock, CaptureRules(quiet_seconds=2))
    for _ in range(20):
        with file.open("ab") as more:
            more.write(lines(record("on and on")))
        intake.take_in(str(file), "fs_watch")
        clock.now = later(clock.now, 1)
    assert stores.queue.claim("w", clock.now) is not None


def test_a_compaction_is_not_waited_for(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    boundary = record("") | {"type": "system", "subtype": "compact_boundary"}
    file.write_bytes(lines(record("one"), boundary))
    Intake(stores, lambda: NOW, CaptureRules(quiet_seconds=60)).take_in(str(file), "fs_watch")
    assert stores.queue.claim("w", NOW) is not None


# anything at all
def test_a_line_of_fifty_megabytes_is_read_and_blocks_nothing(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    file.write_bytes(lines(record("one"), record("x" * 50_000_000), record("three")))
    assert take(stores, file).turns == 3
    texts = said(stores)
    assert (texts[0], texts[2]) == ("one", "three") and len(texts[1]) < 100_000


@settings(max_examples=sized(20, 60), deadline=None)
@given(st.lists(st.binary(max_size=60), max_size=12), st.integers(0, 2**32))
def test_no_bytes_between_the_lines_lose_or_repeat_one(junk: list[bytes], seed: int) -> None:
    """However a file is cut into looks, each record comes once and in order."""
    chance = random.Random(seed)
    pieces = [lines(record(f"r{number}")) for number in range(len(junk) + 1)]
    noise = [piece.replace(b"\n", b"") + b"\n" for piece in junk]
    whole = b"".join(piece for pair in zip(pieces, [*noise, b""], strict=True) for piece in pair)
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"nous-fuzz-{os.getpid()}.jsonl"
    stores = open_stores(":memory:")
    try:
        path.write_bytes(b"")
        at = 0
        while at < len(whole):
            step = chance.randrange(1, len(whole) + 1)
            with path.open("ab") as file:
                file.write(whole[at : at + step])
            at += step
            take(stores, path)
        assert said(stores) == [f"r{number}" for number in range(len(pieces))]
    finally:
        stores.close()
        path.unlink()
