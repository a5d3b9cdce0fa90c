"""What is purged is gone: from every table and from the raw bytes of every file."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import psycopg
import pytest
from bench.postgres import APP, PostgresServer
from msgspec.structs import replace

from factories import NOW, extracted, sized
from flows.leaks import every_byte
from nous.errors import NotFound, StoreError
from nous.features.backup.backup import backup, checkpoint, checkpoints
from nous.features.erasure.purge import FINISH, Erasure, Selection, erase, finish, plan, purge, search
from nous.kernel.capture.queue import Artifact
from nous.kernel.capture.transcript import Turn
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.log.events import Reinforced
from nous.kernel.log.integrity import verify
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import open_stores
from nous.language.text import Wanted
from nous.moments import later
from nous.shells.cli.operations import _erasure_lines

# A word that no stemmer changes and no other text shares a beginning with.
WORD = "qzxvkanary"
SECRET = f"The {WORD} door opens with {WORD}77"


class Place:
    """A data directory in which one memory speaks of the secret, and everything that could keep it does."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.db = str(folder / "cortex.db")
        self.copies = str(folder / "checkpoints")
        self.stores = open_stores(self.db)
        self.fill()

    def fill(self) -> None:
        birth = extracted(
            "l1", SECRET, project_id="p", session_id="s1", evidence=("r1",), concepts=(WORD,), files=(f"{WORD}.py",)
        )
        others = [
            extracted(f"o{n}", f"Plain fact number {n}", project_id="q", session_id="s2", evidence=(f"r{n + 10}",))
            for n in range(40)
        ]
        again = Reinforced(reinforcement_delta=0.1, evidence=("r2",), reason=f"said {WORD} again")
        more = replace(birth, event_type="LearningReinforced", payload=again, idempotency_key="again")
        self.stores.events.append([birth, *others, more], NOW)
        catch_up(self.stores, NOW)
        self.stores.cache.put("p@", "p", "", f'{{"lines":["{SECRET}"]}}', 1, NOW)
        self.stores.cache.see_project("p", "/code/p", None, NOW)
        self.queue("s1", 1, [("r1", SECRET), ("r2", f"so {WORD} it is"), ("r3", "something else")])
        self.queue("s2", 2, [("r20", "plain"), ("r21", f"somebody quotes: {SECRET}")])
        self.stores.records.quarantine("/t/s1.jsonl", "1", 7, 9, "broken", NOW)

    def queue(self, session: str, inode: int, turns: list[tuple[str, str]]) -> None:
        said = [
            {"uuid": uuid, "kind": "prompt", "at": NOW, "session_id": session, "text": text} for uuid, text in turns
        ]
        turned = msgspec.convert(said, list[Turn])
        self.stores.transcripts.see_session("p" if session == "s1" else "q", f"/t/{session}.jsonl", turned)
        self.stores.queue.enqueue(
            Artifact(
                source="fs_watch",
                project_id="p" if session == "s1" else "q",
                session_id=session,
                transcript_path=f"/t/{session}.jsonl",
                file_inode=str(inode),
                file_offset=0,
                end_offset=9,
                payload=msgspec.json.encode(said).decode(),
                idempotency_key=f"{session}:{inode}",
            ),
            NOW,
        )

    def purge(self, **selection: Any) -> Erasure:
        return purge(
            self.stores, Selection(**selection), catch_up, self.copies, str(self.folder), "asked for", later(NOW, 60)
        )

    def files_with(self, word: str) -> list[str]:
        """Files whose raw bytes hold a word, upper or lower case."""
        needle = re.compile(re.escape(word.encode()), re.IGNORECASE)
        paths = [path for path in self.folder.rglob("*") if path.is_file()]
        return sorted(path.name for path in paths if needle.search(path.read_bytes()))

    def keep(self) -> None:
        """Both units are learned: what they say moves to the kept transcripts."""
        while item := self.stores.queue.claim("w", later(NOW, 9)):
            turns = msgspec.json.decode(item.payload, type=list[Turn])
            self.stores.transcripts.keep(item, turns)
            self.stores.erasures.rewrite([(item.ingest_id, "[]")])
            self.stores.queue.ack(item, "w", later(NOW, 9))

    def kept(self) -> list[str]:
        return [turn["uuid"] for raw in self.stores.erasures.each_kept() for turn in msgspec.json.decode(raw)]

    def turns(self) -> list[str]:
        return [turn["uuid"] for _, payload in self.stores.erasures.texts() for turn in msgspec.json.decode(payload)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.stores.close()


def test_before_a_purge_the_word_is_all_over_the_place(place: Place) -> None:
    backup(place.db, str(place.folder / "mine.db"))
    assert place.files_with(WORD) == ["cortex.db-wal", "mine.db"]
    assert place.stores.memories.search_text(Wanted((WORD,)), 9)


@pytest.mark.parametrize("selection", [{"ids": (1,)}, {"match": WORD.upper()}, {"session": "s1"}, {"project": "p"}])
def test_after_a_purge_no_file_holds_it(place: Place, selection: dict[str, Any]) -> None:
    checkpoint(place.db, place.copies, "earlier", NOW)
    backup(place.db, str(place.folder / "mine.db"))
    done = place.purge(**selection)
    assert done.memories == [1] and done.events == [1, 42]
    if "ids" in selection or "match" in selection:
        assert place.files_with(WORD) == [] == done.remaining
    else:  # the other session's quotation is not part of what was asked for
        assert place.files_with(WORD) == ["cortex.db"]
        assert place.turns() == ["r20", "r21"]
    assert {os.path.basename(path) for path in done.copies} >= {"mine.db"}
    assert verify(place.stores).ok
    assert compare_with_replay(place.stores.events, place.stores.memories, NOW).differences == []
    assert place.stores.memories.search_text(Wanted((WORD,)), 9) == []
    place.stores.memories.check_text()


def test_a_purge_leaves_everything_else_as_it_was(place: Place) -> None:
    before = place.stores.memories.listing("q", limit=99)
    place.purge(ids=(1,))
    assert place.stores.memories.listing("q", limit=99) == before
    assert place.turns() == ["r3", "r20"]
    assert len(place.stores.memories.search_text(Wanted(("plain",)), 99)) == 40


def test_the_past_does_not_remember_it_either(place: Place) -> None:
    assert place.stores.memories.by_id([1], 41)
    place.purge(ids=(1,))
    assert all(place.stores.memories.by_id([1], number) == [] for number in range(43))
    assert all(memory.id != 1 for memory in place.stores.memories.listing(None, status=None, as_of=42, limit=99))


def test_the_log_keeps_that_there_was_something(place: Place) -> None:
    hashes = [event.event_hash for event in place.stores.events.each_row()]
    place.purge(ids=(1,))
    assert [event.event_hash for event in place.stores.events.each_row()][:42] == hashes
    erased = place.stores.events.get(43)
    assert erased is not None and erased.event_type == "LearningErased" and erased.parent_event_id == 1
    memory = place.stores.memories.get(1)
    assert memory is not None and (memory.status, memory.content) == ("erased", "")


def test_a_session_is_emptied_from_the_queue_whether_learned_or_not(place: Place) -> None:
    done = place.purge(session="s1")
    assert (done.items, done.turns) == (1, 3)
    assert place.turns() == ["r20", "r21"]
    assert place.stores.records.quarantine_count() == 0
    item = place.stores.queue.claim("w", NOW)
    assert item is not None and item.payload == "[]", "the unit is still there to be passed over"


@pytest.mark.parametrize(
    ("selection", "left"),
    [
        ({"ids": (1,)}, ["r3", "r20"]),
        ({"match": WORD.upper()}, ["r3", "r20"]),
        ({"session": "s1"}, ["r20", "r21"]),
        ({"project": "p"}, ["r20", "r21"]),
    ],
)
def test_kept_transcripts_lose_it_too(place: Place, selection: dict[str, Any], left: list[str]) -> None:
    place.keep()
    assert sorted(place.kept()) == sorted(["r1", "r2", "r3", "r20", "r21"])
    planned = plan(place.stores, Selection(**selection))
    done = place.purge(**selection)
    assert done.turns == planned.said.turns == 3
    assert place.kept() == left
    said = "".join(place.stores.erasures.each_kept())
    assert (WORD in said) == ("r21" in left)
    assert (place.stores.transcripts.session("s1") is None) == ("session" in selection or "project" in selection)


def test_a_project_is_forgotten_with_its_name(place: Place) -> None:
    place.purge(project="p")
    assert [row["project_id"] for row in place.stores.cache.projects()] == []
    assert place.stores.cache.get("p@") is None


def test_a_plan_changes_nothing(place: Place) -> None:
    before = list(place.stores.events.each_row()), place.turns()
    planned = plan(place.stores, Selection(match=WORD))
    assert [memory.id for memory in planned.memories] == [1]
    assert (list(planned.events), planned.said.turns) == ([1, 42], 3)
    assert (list(place.stores.events.each_row()), place.turns()) == before
    assert not (place.folder / "checkpoints").exists()


def test_neighbours_that_quote_an_erased_episode_forget_it(place: Place) -> None:
    told = [f"Then we asked about {WORD}?", "Yes, on Friday", "And the day after"]
    episodes = [
        extracted(f"e{n}", words, type="episode", project_id="p", session_id="s3", evidence=(f"e{n}",))
        for n, words in enumerate(told)
    ]
    numbers = place.stores.events.append(episodes, NOW)
    catch_up(place.stores, NOW)
    assert len(place.stores.memories.search_text(Wanted((WORD,)), 9)) > 2, (
        "a neighbour is found by what was said before it"
    )
    place.purge(ids=(1, numbers[0] or 0))
    assert place.files_with(WORD) == []
    assert compare_with_replay(place.stores.events, place.stores.memories, NOW).differences == []


def test_what_is_not_there_cannot_be_purged(place: Place) -> None:
    with pytest.raises(NotFound, match="no memory #999"):
        place.purge(ids=(999,))
    place.purge(ids=(1,))
    with pytest.raises(NotFound, match="no memory #1"):
        place.purge(ids=(1,))


def test_a_purge_of_nothing_erases_nothing(place: Place) -> None:
    assert place.purge(match="no such words").memories == []
    assert verify(place.stores).events == 42


def test_no_copy_is_left(place: Place) -> None:
    checkpoint(place.db, place.copies, "earlier", NOW)
    place.purge(ids=(1,))
    place.purge(match="no such words")
    assert checkpoints(place.copies) == []


def test_traces_that_a_crash_left_are_wiped_later(place: Place) -> None:
    with place.stores.db.transaction():
        chosen = plan(place.stores, Selection(ids=(1,)))
        erase(place.stores, Selection(ids=(1,)), chosen, catch_up, "asked for", NOW)
    assert place.files_with(WORD), "the write-ahead log still holds it"
    assert [problem.kind for problem in verify(place.stores).problems] == ["unfinished"]
    finish(place.stores.events, place.stores.erasures, place.copies, str(place.folder), NOW)
    assert place.files_with(WORD) == []
    assert verify(place.stores).ok


def test_a_reader_that_does_not_let_go_is_reported(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nous.kernel.db.file_copies.PATIENCE", 0.1)
    reader = open_stores(place.db)
    assert isinstance(place.stores.db, Sqlite)
    place.stores.db.connection.set_busy_timeout(50)
    with reader.db.snapshot():
        reader.events.count()
        with pytest.raises(StoreError, match="another process reads") as said:
            place.purge(ids=(1,))
    assert said.value.hint and "--finish" in said.value.hint
    finish(place.stores.events, place.stores.erasures, place.copies, str(place.folder), NOW)
    assert place.files_with(WORD) == []
    reader.close()


def test_words_left_in_any_file_are_reported(place: Place) -> None:
    (place.folder / "daemon.log").write_text(f"error: {SECRET}\n")
    assert [Path(path).name for path in place.purge(ids=(1,)).remaining] == ["daemon.log"]


def test_words_across_the_border_of_two_blocks_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nous.features.erasure.purge.BLOCK", 16)
    for offset in range(20):
        (tmp_path / "file").write_bytes(b"." * offset + WORD.encode() + b"." * 20)
        assert search(str(tmp_path), str(tmp_path / "none.db"), [WORD]).found == [str(tmp_path / "file")]


# -- the attack: every byte of every file, unpacked, and every copy put back ---------------------------------------


def _told(place: Place, session: str, text: str) -> None:
    """A session that taught nothing and is kept, compressed."""
    place.queue(session, 77, [(f"{session}-1", text), (f"{session}-2", "ok, go on please")])
    place.keep()


def everywhere(folder: Path, word: str) -> list[str]:
    return sorted(name for name, raw in every_byte(folder) if re.search(re.escape(word.encode()), raw, re.IGNORECASE))


@pytest.mark.parametrize("selection", [{"session": "s9"}, {"match": "Wolpertinger"}])
def test_what_taught_nothing_is_purged_from_every_copy(place: Place, selection: dict[str, Any]) -> None:
    _told(place, "s9", "the wolpertinger lives behind the third door on the left")
    checkpoint(place.db, place.copies, "earlier", NOW)
    backup(place.db, str(place.folder / "mine.db"))
    (place.folder / "deep").mkdir()
    backup(place.db, str(place.folder / "deep" / "other.db"))
    assert everywhere(place.folder, "wolpertinger"), "it is there, packed"
    done = place.purge(**selection)
    assert done.memories == [] and done.turns
    assert everywhere(place.folder, "wolpertinger") == [] == done.remaining
    assert done.files >= 1 and done.unpacked >= 1


def test_the_same_sentence_in_other_turns_goes_with_its_memory(place: Place) -> None:
    place.queue("s7", 7, [("r70", f"As I said: the {WORD} door -- opens, with {WORD}77!"), ("r71", "something else")])
    place.keep()
    done = place.purge(ids=(1,))
    assert everywhere(place.folder, WORD) == [] == done.remaining
    assert "r71" in place.kept()


def test_words_that_stay_in_packed_transcripts_are_reported(place: Place) -> None:
    place.keep()
    found = search(str(place.folder), place.db, [SECRET])
    assert any("kept transcripts" in name for name in found.found)
    assert found.unpacked


def test_a_damaged_copy_goes_too(place: Place) -> None:
    checkpoint(place.db, place.copies, "earlier", NOW)
    damaged = Path(place.copies) / "20260101T000000.000Z-damaged.db"
    damaged.write_bytes(b"SQLite format 3\x00" + b"\x00" * 200 + SECRET.encode())
    place.purge(ids=(1,))
    assert everywhere(place.folder, WORD) == []


def test_searching_drops_no_lock_of_the_database(place: Place) -> None:
    """A file that SQLite has open, opened and closed beside it, loses the locks of the process."""
    held = _locks(place.db)
    assert held
    search(str(place.folder), place.db, [WORD])
    assert _locks(place.db) == held


def _locks(path: str) -> list[str]:
    if not os.path.exists("/proc/locks"):
        pytest.skip("locks are listed on Linux only")
    nodes = {str(os.stat(path + end).st_ino) for end in ("", "-shm")}
    rows = (line.split() for line in Path("/proc/locks").read_text().splitlines())
    owned = [row for row in rows if len(row) > 5 and row[4] == str(os.getpid())]
    mine = [row for row in owned if row[5].rpartition(":")[2] in nodes]
    return sorted(" ".join(row[1:]) for row in mine)


@pytest.mark.slow
def test_many_purges_beside_readers_and_writers_end_well(tmp_path: Path) -> None:
    """Processes that come and go: the last one that leaves cleans up, and must not think so too early."""
    place = Place(tmp_path)
    place.stores.close()
    beside = [
        subprocess.Popen([sys.executable, "-c", BESIDE, place.db, str(number)], env=os.environ | {"PYTHONPATH": SOURCE})
        for number in range(3)
    ]
    ends = []
    try:
        for number in range(PURGES):
            command = [sys.executable, "-c", PURGE, place.db, place.copies, str(tmp_path), str(number)]
            done = subprocess.run(command, env=os.environ | {"PYTHONPATH": SOURCE}, timeout=120, check=False)
            ends.append(done.returncode)
    finally:
        for process in beside:
            process.terminate()
            process.wait()
    assert ends == [0] * PURGES
    stores = open_stores(place.db)
    assert verify(stores).ok
    stores.close()


PURGES = sized(16, 80)
SOURCE = os.pathsep.join(path for path in sys.path if path.endswith("src"))
BESIDE = """
import sys, time, random
from nous.shells.cli.operations import _erasure_lines
from nous.kernel.stores import open_stores
chance = random.Random(sys.argv[2])
while True:
    stores = open_stores(sys.argv[1])
    for _ in range(chance.randrange(1, 4)):
        stores.events.count(); stores.erasures.texts()
        with stores.db.transaction():
            stores.cache.put(f"x{chance.random()}", "x", "", "[]", 1, "2026-11-10T12:00:00.000Z")
        time.sleep(chance.random() * 0.01)
    stores.close()
"""
PURGE = """
import sys
from nous.moments import later
from nous.kernel.memory.projection import catch_up
from nous.shells.cli.operations import _erasure_lines
from nous.kernel.stores import open_stores
from nous.features.erasure.purge import Selection, purge
db, copies, folder, number = sys.argv[1:]
stores = open_stores(db)
for one in range(3):
    now = later("2026-11-10T12:00:00.000Z", int(number) * 9 + one)
    purge(stores, Selection(match=f"fact number {number}"), catch_up, copies, folder, "x", now)
stores.close()
"""


def test_several_sessions_go_at_once(place: Place) -> None:
    place.keep()
    place.purge(sessions=("s1", "s2"))
    assert place.kept() == [] and place.turns() == []
    assert place.files_with(WORD) == [] and place.files_with("plain") == []


def test_by_its_number_goes_what_the_assistant_repeated_in_that_session(place: Place) -> None:
    said = [("a1", "Noted: the door of qzxvkanary opens by qzxvkanary77, I will use it."), ("a2", "Ready.")]
    place.queue("s1", 3, said)
    place.queue("s3", 4, [("b1", "was it that the qzxvkanary door opens again with qzxvkanary77?")])
    planned = plan(place.stores, Selection(ids=(1,)))
    assert planned.said.elsewhere == 1  # another session says it in other words: named, not erased
    done = place.purge(ids=(1,))
    assert done.elsewhere == 1
    left = place.turns()
    assert "a1" not in left and "a2" in left and "b1" in left


@pytest.mark.parametrize(
    "echo",
    [
        "Understood: the door will open with {0}77.",
        "Always {0}77 for the {0} door, got it.",
        "Done, {0}77 opens the door now.",
        "Verstanden: Tür immer mit {0}77.",
        "Noted. The {0} door is opened by {0}77 from now on, in src/door.py too.",
    ],
)
def test_by_its_number_goes_what_the_assistant_said_of_it_in_other_words(place: Place, echo: str) -> None:
    place.queue("s1", 3, [("a1", echo.format(WORD)), ("a2", "Ready.")])
    done = place.purge(ids=(1,))
    assert "a1" not in place.turns() and "a2" in place.turns()
    assert done.names == tuple(name for name in (WORD, f"{WORD}77") if place.files_with(name))


def test_a_name_that_still_stands_in_the_bytes_is_said(place: Place) -> None:
    long = f"While we wait for the review of the gateway I read {WORD} beside the notes on tickets, prices and maps"
    place.queue("s1", 3, [("a1", long)])
    done = place.purge(ids=(1,))
    assert WORD in done.names and place.files_with(WORD)
    assert any(WORD in line and "--match" in line for line in _erasure_lines(done))


def test_what_killed_processes_left_among_temporary_files_goes_too(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "temporary"
    (scratch / "nous-replay-abc").mkdir(parents=True)
    (scratch / "nous-replay-abc" / "scratch.db").write_text(SECRET)
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    place.purge(match=WORD)
    assert list(scratch.iterdir()) == []


def test_on_a_server_a_purge_says_what_is_left_there_and_how_to_finish(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """What the message says is true: table files hold the words until an administrator writes them anew."""
    word = f"quillfax{uuid4().hex}"
    stores = open_stores(postgres.url("nous", APP, tenant=uuid4().hex))
    stores.events.append([extracted("l1", f"The {word} door.")], NOW)
    catch_up(stores, NOW)

    def administer(command: str) -> None:
        with psycopg.connect(postgres.url("nous"), autocommit=True) as connection:
            for one in command.rstrip(";").split(";"):
                connection.execute(one)

    administer("CHECKPOINT")
    assert _tables_with(postgres, word)
    done = purge(stores, Selection(match=word), catch_up, str(tmp_path / "c"), str(tmp_path), "asked for", NOW)
    told = "\n".join(_erasure_lines(done))
    assert "none of those sentences in the files of this machine" in told and FINISH in told
    assert done._asdict()["finish_on_server"] == FINISH
    administer(done.finish_on_server)
    assert _tables_with(postgres, word) == []
    stores.close()


def _tables_with(server: PostgresServer, word: str) -> list[str]:
    files = [path for path in (server.data / "base").rglob("*") if path.is_file()]
    return [path.name for path in files if word.encode() in path.read_bytes()]
