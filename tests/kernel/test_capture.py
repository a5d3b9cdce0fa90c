"""Capture: every complete line once, whatever happens to its file."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from factories import NOW
from nous.kernel.capture import intake
from nous.kernel.capture.ignoring import Ignored
from nous.kernel.capture.intake import CaptureRules, Taken, find_transcripts, take_in
from nous.kernel.capture.queue import Item
from nous.kernel.capture.tail import Line
from nous.kernel.stores import Stores, open_stores

Write = Callable[..., Path]


def record(text: str, **fields: Any) -> dict[str, Any]:
    """A prompt as the client writes it."""
    return {
        "type": "user",
        "uuid": str(uuid.uuid4()),
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": "s1",
        "timestamp": "2026-11-09T10:00:00.000Z",
        "cwd": "/nowhere/app",
        "gitBranch": "main",
        "version": "2.1.325",
        "message": {"role": "user", "content": text},
    } | fields


def lines(*records: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


def take(stores: Stores, path: Path) -> Taken:
    return take_in(stores, str(path), "historical_backfill", lambda: NOW)


def claimed(stores: Stores) -> list[Item]:
    """Every item, finished as it comes."""
    done = []
    while item := stores.queue.claim("w", NOW):
        assert stores.queue.ack(item, "w", NOW)
        done.append(item)
    return done


def said(stores: Stores) -> list[str]:
    return [turn.get("text", "") for item in claimed(stores) for turn in json.loads(item.payload)]


def test_a_second_look_takes_nothing(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    file.write_bytes(lines(record("one"), record("two")))
    assert take(stores, file).turns == 2
    assert take(stores, file) == Taken()
    assert said(stores) == ["one", "two"]
    assert take(stores, file) == Taken()


def test_appended_lines_are_taken_and_a_partial_one_waits(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    whole = lines(record("one"), record("zwei äöü"))
    cut = len(whole) - 12
    file.write_bytes(whole[:cut])
    assert take(stores, file).turns == 1
    file.write_bytes(whole)
    assert take(stores, file).turns == 1
    assert said(stores) == ["one", "zwei äöü"]


def test_the_cursor_moves_only_when_the_unit_is_finished(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    file.write_bytes(lines(record("one")))
    take(stores, file)
    inode = str(file.stat().st_ino)
    assert stores.cursors.get(str(file), inode) == 0
    claimed(stores)
    assert stores.cursors.get(str(file), inode) == file.stat().st_size


def test_a_forked_session_repeats_nothing(stores: Stores, tmp_path: Path) -> None:
    shared = record("shared")
    (tmp_path / "s1.jsonl").write_bytes(lines(shared))
    (tmp_path / "s2.jsonl").write_bytes(lines(shared | {"sessionId": "s2"}, record("own", sessionId="s2")))
    for name in ("s1", "s2"):
        take(stores, tmp_path / f"{name}.jsonl")
    assert said(stores) == ["shared", "own"]


@pytest.mark.parametrize("how", ["truncated", "replaced", "moved", "copied"])
def test_what_happens_to_a_file_never_teaches_twice(stores: Stores, tmp_path: Path, how: str) -> None:
    file = tmp_path / "s1.jsonl"
    one, two = record("one"), record("two")
    file.write_bytes(lines(one, record("a longer line " * 20)))
    take(stores, file)
    claimed(stores)
    if how == "truncated":
        file.write_bytes(lines(one, two))
    elif how == "replaced":
        fresh = tmp_path / "fresh"
        fresh.write_bytes(lines(one, two))
        os.replace(fresh, file)
    else:
        old, file = file, tmp_path / "elsewhere.jsonl"
        file.write_bytes(old.read_bytes() + lines(two))
        if how == "moved":
            old.unlink()
    take(stores, file)
    assert said(stores) == ["two"]


def test_bad_lines_are_put_aside_and_block_nothing(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    file.write_bytes(lines(record("one")) + b"not json\n\xff\xfe\x00\n[1]\n" + lines(record("two")))
    taken = take(stores, file)
    assert (taken.turns, taken.quarantined) == (2, 3)
    assert [row["reason"] != "" for row in stores.records.list_quarantined()] == [True] * 3
    assert said(stores) == ["one", "two"]


@pytest.mark.parametrize("regrown", [b"", b"longer " * 40])
def test_a_file_that_is_rewritten_while_it_is_read_is_read_anew(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, regrown: bytes
) -> None:
    file = tmp_path / "s1.jsonl"
    one, two, three = record("one"), record("two"), record("three " * 30)
    file.write_bytes(lines(one, two))

    def torn(path: str, offset: int) -> Iterator[Line]:
        """The first line as it was, then bytes out of the middle of a line that took its place."""
        monkeypatch.undo()
        yield Line(lines(one), 0, len(lines(one)))
        file.write_bytes(lines(one | {"message": {"role": "user", "content": regrown.decode()}}, three))
        middle = file.read_bytes()[len(lines(one)) :]
        yield Line(middle[: middle.index(b"\n") + 1], len(lines(one)), len(lines(one)) + middle.index(b"\n") + 1)

    monkeypatch.setattr(intake, "read_new", torn)
    take(stores, file)
    take(stores, file)
    assert stores.records.quarantine_count() == 0
    assert three["message"]["content"].strip() in said(stores)


@pytest.mark.parametrize("content", [b"", b"\n\n\n", b"\x00" * 4096, b'{"type":"mode"}\n'])
def test_files_with_nothing_to_learn_are_harmless(stores: Stores, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "s1.jsonl"
    file.write_bytes(content)
    assert take(stores, file).turns == 0
    assert said(stores) == []
    assert take(stores, file).turns == 0


def test_a_file_that_is_gone_is_harmless(stores: Stores, tmp_path: Path) -> None:
    assert take(stores, tmp_path / "gone.jsonl") == Taken()


def test_secrets_never_reach_the_queue(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    key = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    file.write_bytes(lines(record(f"the key is {key}, keep it"), record("<private>we are bankrupt</private> go on")))
    assert take(stores, file).secrets >= 1
    stored = "".join(item.payload for item in claimed(stores))
    assert key not in stored
    assert "bankrupt" not in stored


def test_a_long_session_is_cut_where_the_user_speaks(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nous.kernel.capture.sessions.UNIT_CHARACTERS", 1000)
    file = tmp_path / "s1.jsonl"
    file.write_bytes(lines(*(record("word " * 60) for _ in range(20))))
    taken = take(stores, file)
    assert taken.units > 3
    assert taken.turns == 20
    assert len(claimed(stores)) == taken.units


def test_links_lead_to_each_file_once_and_loops_end(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "p"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text("")
    (folder / "loop").symlink_to(tmp_path / "projects")
    (folder / "b.jsonl").symlink_to(folder / "a.jsonl")
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "c.jsonl").write_text("")
    (folder / "linked").symlink_to(tmp_path / "far")
    found = find_transcripts(str(tmp_path / "projects" / "**" / "*.jsonl"))
    assert sorted(found) == [str(folder / "a.jsonl"), str(folder / "linked" / "c.jsonl")]


def test_ignored_paths_and_contacts_never_reach_the_queue(stores: Stores, tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat keys/a.pem"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "PEM CONTENTS"}
    file = tmp_path / "s1.jsonl"
    file.write_bytes(
        lines(
            record("mail ada@example.org about it"),
            record("said in private", cwd="/nowhere/private/notes"),
            record("", type="assistant", message={"role": "assistant", "content": [call]}),
            record("", message={"role": "user", "content": [result]}),
        )
    )
    rules = CaptureRules(ignored=Ignored(["/nowhere/private", "*.pem"]), contacts=True)
    taken = take_in(stores, str(file), "historical_backfill", lambda: NOW, rules)
    assert (taken.lines, taken.turns, taken.secrets) == (4, 3, 1)
    assert said(stores) == ["mail [secret:email] about it", "", "[ignored]"]
    assert stores.cursors.get(str(file), str(os.stat(file).st_ino)) == file.stat().st_size


def test_an_ignored_transcript_is_not_even_opened(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "-nowhere-private" / "s1.jsonl"
    file.parent.mkdir()
    file.write_bytes(lines(record("hello")))
    rules = CaptureRules(ignored=Ignored(["-nowhere-private"]))
    assert take_in(stores, str(file), "historical_backfill", lambda: NOW, rules) == Taken()
    assert stores.files.get(str(file)) is None


def test_a_secret_is_still_known_after_a_new_start(stores: Stores, tmp_path: Path) -> None:
    """Every process begins with nothing in memory; the file itself tells what was said in confidence."""
    file = tmp_path / "s1.jsonl"
    word = "Zx9!kranich-Moor"
    asked = {"role": "assistant", "content": [{"type": "text", "text": "What is the database password?"}]}
    used = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"./legacy {word}"}}
    parts = (
        record("", type="assistant", message=asked),
        record(word),
        record("", type="assistant", message={"role": "assistant", "content": [used]}),
    )
    for number in range(1, len(parts) + 1):
        file.write_bytes(lines(*parts[:number]))
        take(stores, file)
    assert word not in "".join(item.payload for item in claimed(stores))


@pytest.mark.parametrize(
    ("command", "printed", "value"),
    [
        ("printenv DEPLOY_KEY", "{}", "gMAPNg2xiF4AcEMxuWQKqh29HY"),
        ("flask generate-secret", "{}", "3221ff6e94d8e279292c9d35bd2a6b3e"),
        ("./tool new", "{}\n", "kWq82nsdLPzx0912mmQa7"),
        ("cat .env", "APP=1\nSOMETHING={}", "uTquvcsQzEMJXPpqYeZgfL"),
    ],
)
def test_what_a_command_printed_is_known_however_the_file_is_read_and_no_byte_of_it_stays(
    tmp_path: Path, command: str, printed: str, value: str
) -> None:
    """The call, its output and the reply that quotes it: each taken in by a process of its own, or all by one."""
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": printed.format(value)}
    quoted = {"type": "text", "text": f"It is {value}, as you see."}
    parts = [
        record("", type="assistant", message={"role": "assistant", "content": [call]}),
        record("", message={"role": "user", "content": [result]}),
        record("", type="assistant", message={"role": "assistant", "content": [quoted]}),
    ]
    for steps in ((3,), (1, 3), (2, 3), (1, 2, 3)):
        folder = tmp_path / "-".join(map(str, steps))
        folder.mkdir()
        stores, file = open_stores(str(folder / "cortex.db")), folder / "s1.jsonl"
        for step in steps:
            file.write_bytes(lines(*parts[:step]))
            take(stores, file)
        assert len(claimed(stores)) >= 1
        stores.close()
        assert value.encode() not in b"".join(each.read_bytes() for each in folder.glob("cortex.db*"))


@pytest.mark.parametrize("is_written_anew", [False, True])
def test_a_session_that_goes_on_after_many_others_is_reminded_again(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_written_anew: bool
) -> None:
    monkeypatch.setattr(intake, "SESSIONS_REMEMBERED", 2)
    word, file = "Zx9!kranich-Moor", tmp_path / "s1.jsonl"
    told, used = record(f"the panel password is {word}"), record(f"look: ./legacy {word}")
    one, goes_on = intake.Intake(stores, lambda: NOW), record("go on")
    file.write_bytes(lines(told))
    one.take_in(str(file), "historical_backfill")
    file.write_bytes(lines(told, goes_on))
    one.take_in(str(file), "historical_backfill")
    for number in range(3):
        other = tmp_path / f"o{number}.jsonl"
        other.write_bytes(lines(record("hello", sessionId=f"o{number}")))
        one.take_in(str(other), "historical_backfill")
    file.write_bytes(lines(told, record("go on") if is_written_anew else goes_on, used))
    one.take_in(str(file), "historical_backfill")
    assert word not in "".join(item.payload for item in claimed(stores))


def test_what_is_emptied_in_the_queue_is_gone_from_the_file(tmp_path: Path) -> None:
    stores, file = open_stores(str(tmp_path / "cortex.db")), tmp_path / "s1.jsonl"
    file.write_bytes(lines(*(record(f"an unusual word: quaxlomir-{number} " * 40) for number in range(300))))
    take(stores, file)
    for item in claimed(stores):
        stores.queue.drop_payload(item.ingest_id)
    stores.close()
    held = (tmp_path / "cortex.db").read_bytes()
    assert b"quaxlomir" not in held


def test_a_secret_of_a_session_is_known_in_its_agents_transcript(stores: Stores, tmp_path: Path) -> None:
    word = "Zx9!kranich-Moor"
    main, agent = tmp_path / "s1.jsonl", tmp_path / "s1" / "subagents" / "agent-a1.jsonl"
    agent.parent.mkdir(parents=True)
    main.write_bytes(lines(record(f"the panel password is {word}")))
    agent.write_bytes(lines(record(f"I logged in with {word} and looked", isSidechain=True, agentId="a1")))
    take(stores, agent)  # a backfill reads the older file first
    take(stores, main)
    assert word not in "".join(item.payload for item in claimed(stores))


def test_what_stands_in_an_ignored_file_is_not_quoted(stores: Stores, tmp_path: Path) -> None:
    salary = "Ada Lovelace earns ninety thousand from March on"
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat $HOME/private/pay.md"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": f"# pay\n{salary}\n"}
    said = {"type": "text", "text": f"The file says: {salary}. Shall I go on?"}
    file = tmp_path / "s1.jsonl"
    file.write_bytes(
        lines(
            record("", type="assistant", message={"role": "assistant", "content": [call]}),
            record("", message={"role": "user", "content": [result]}),
            record("", type="assistant", message={"role": "assistant", "content": [said]}),
            record(f"A report: {salary}", isSidechain=True, agentId="a1"),
        )
    )
    rules = CaptureRules(ignored=Ignored(["/home/dev/private"], home="/home/dev"))
    take_in(stores, str(file), "historical_backfill", lambda: NOW, rules)
    stored = "".join(item.payload for item in claimed(stores))
    assert "ninety" not in stored
    assert "Shall I go on?" in stored
