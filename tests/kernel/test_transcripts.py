"""The archive: what was said stays, redacted and small, until it is purged."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from factories import NOW
from kernel.test_capture import lines, record
from nous.kernel.capture.intake import CaptureRules, Intake
from nous.kernel.capture.transcript import Turn
from nous.kernel.capture.transcripts import pack, unpack
from nous.kernel.learn.learn import WorkerOptions, learn_all
from nous.kernel.stores import Stores


def clock() -> str:
    return NOW


def take(stores: Stores, file: Path, options: WorkerOptions = WorkerOptions()) -> None:
    Intake(stores, clock).take_in(str(file), "fs_watch")
    learn_all(stores, "w", clock, options)


def said(stores: Stores, session: str = "s1") -> list[str]:
    return [turn.text for turn in stores.transcripts.turns(session)]


def test_a_session_is_kept_and_the_queue_lets_go_of_it(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    file.write_bytes(lines(record("one"), record("the key is " + "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc")))
    take(stores, file)
    with file.open("ab") as more:
        more.write(lines(record("three")))
    take(stores, file)
    file.unlink()
    assert said(stores)[::2] == ["one", "three"]
    assert "4eC39" not in said(stores)[1]
    assert [row["size"] for row in stores.queue.listing("all")] == [2, 2]
    size = stores.transcripts.size()
    assert (size["sessions"], size["bytes"] < size["raw_bytes"]) == (1, True)
    [session] = stores.transcripts.sessions()
    assert (session["turns"], session["prompts"], session["client_version"]) == (3, 3, "2.1.325")
    assert (session["cwd"], session["branch"], session["project_id"]) == ("/nowhere/app", "main", "/nowhere/app")


def test_agents_belong_to_the_session_of_their_parent(stores: Stores, tmp_path: Path) -> None:
    (tmp_path / "s1.jsonl").write_bytes(lines(record("main")))
    (tmp_path / "agent-a1.jsonl").write_bytes(lines(record("side", isSidechain=True, agentId="a1")))
    for name in ("s1", "agent-a1"):
        take(stores, tmp_path / f"{name}.jsonl")
    assert said(stores) == ["main", "side"]
    [session] = stores.transcripts.sessions()
    assert (session["agents"], session["prompts"], session["turns"]) == (1, 1, 2)


@pytest.mark.parametrize("kept", [True, False])
def test_an_extractor_hears_what_was_said_before(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    heard: list[tuple[list[str], int]] = []

    def listen(turns: list[Turn], *, new_from: int = 0) -> list[object]:
        heard.append(([turn.text for turn in turns], new_from))
        return []

    monkeypatch.setattr("nous.features.rules_reader.extractor.extract", listen)
    file = tmp_path / "s1.jsonl"
    for words in ("one", "two", "three"):
        with file.open("ab") as more:
            more.write(lines(record(words)))
        take(stores, file, WorkerOptions(keep_transcripts=kept))
    assert heard[0] == (["one"], 0)
    assert heard[1] == (["one", "two"], 1)
    assert heard[2] == ((["one", "two", "three"], 2) if kept else (["two", "three"], 1))
    assert bool(said(stores)) is kept


def test_purging_reaches_sessions_records_and_what_waits(stores: Stores, tmp_path: Path) -> None:
    secret, other = record("the secret plan"), record("go on")
    (tmp_path / "s1.jsonl").write_bytes(lines(secret, other))
    (tmp_path / "s2.jsonl").write_bytes(lines(record("another session", sessionId="s2")))
    for name in ("s1", "s2"):
        take(stores, tmp_path / f"{name}.jsonl")
    waiting = record("still waits", sessionId="s3")
    (tmp_path / "s3.jsonl").write_bytes(lines(waiting))
    Intake(stores, clock, CaptureRules(quiet_seconds=5)).take_in(str(tmp_path / "s3.jsonl"), "fs_watch")
    assert stores.transcripts.purge(["s2"], [secret["uuid"], waiting["uuid"]]) >= 3
    assert said(stores) == ["go on"]
    assert said(stores, "s2") == [] and stores.transcripts.session("s2") is None
    assert all("waits" not in row["payload_json"] for row in stores.db.all("queue.with_payload"))


def test_old_copies_expire(stores: Stores, tmp_path: Path) -> None:
    (tmp_path / "s1.jsonl").write_bytes(lines(record("old")))
    take(stores, tmp_path / "s1.jsonl")
    assert stores.transcripts.expire("2026-11-01T00:00:00.000Z") == 0
    assert stores.transcripts.expire("2026-11-10T00:00:00.000Z") == 1
    assert said(stores) == [] and stores.transcripts.session("s1") is not None


def test_what_was_kept_without_zstd_is_still_read() -> None:
    text = b"[" + b"x" * 5000 + b"]"
    assert unpack(zlib.compress(text)) == unpack(pack(text)) == text
