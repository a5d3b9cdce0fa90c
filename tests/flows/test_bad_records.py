"""One bad record never stops learning: every field of every kind of record holds every wrong kind of value in turn,
and what stands around it is learned and shown all the same."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from factories import NOW
from nous.features.brief.packets import warm_all
from nous.identity import context_key
from nous.kernel.capture.backfill import backfill, choose
from nous.kernel.capture.intake import Taken, take_in
from nous.kernel.capture.transcript import Turn
from nous.kernel.learn.learn import Learned, learn_all
from nous.kernel.stores import Stores, open_stores

APP = "/nowhere/app"
FIRST = "Always use pnpm in this repository, never npm."
LAST = "We decided to use Postgres 16 for the orders service."

Record = dict[str, Any]


def base(kind: str, **fields: Any) -> Record:
    """The fields that every record of the client has."""
    return {
        "parentUuid": "p0",
        "isSidechain": False,
        "userType": "external",
        "cwd": APP,
        "sessionId": "s1",
        "version": "2.1.325",
        "gitBranch": "main",
        "type": kind,
        "uuid": "r1",
        "timestamp": "2026-11-09T10:00:05.000Z",
    } | fields


def message(role: str, *content: Record) -> Record:
    usage = {"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 9}
    return {"message": {"id": "m1", "role": role, "content": list(content), "usage": usage}}


QUESTION = {"question": "Which port?", "header": "Port", "options": [{"label": "8080", "description": "usual"}]}
SHAPES: dict[str, Record] = {
    "prompt": base("user", origin={"kind": "human"}, isMeta=False, message={"role": "user", "content": "Go on."}),
    "blocks": base("user", **message("user", {"type": "text", "text": "Look at this."})),
    "result": base(
        "user",
        **message("user", {"type": "tool_result", "tool_use_id": "t1", "content": "2 passed", "is_error": False}),
        toolUseResult={"status": "completed", "agentId": None, "file": {"filePath": "a.py"}, "filenames": ["b"]},
    ),
    "answer": base(
        "user",
        **message("user", {"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "8080"}]}),
        toolUseResult={"questions": [QUESTION], "answers": {"Which port?": "8080"}},
    ),
    "denial": base(
        "user",
        **message("user", {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "No."}),
        toolDenialKind="user-rejected",
    ),
    "reply": base(
        "assistant",
        isApiErrorMessage=False,
        **message(
            "assistant",
            {"type": "thinking", "thinking": "Hm.", "signature": "x"},
            {"type": "text", "text": "Done."},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls -l", "options": ["a", {"b": 1}]}},
        ),
    ),
    "queued": base("attachment", attachment={"type": "queued_command", "commandMode": "prompt", "prompt": "Go on."}),
    "injected": base(
        "attachment", attachment={"type": "hook_additional_context", "content": ["[Memory #3: fact] Use pnpm."]}
    ),
    "compaction": base("system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 1000}),
    "summary": base("user", isCompactSummary=True, message={"role": "user", "content": "This session continues."}),
}


DEEP = "@deep@"  # deeper than anything here could write


def nested(depth: int) -> Any:
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"type": value}
    return value


WRONG: dict[str, Any] = {
    "null": None,
    "true": True,
    "zero": 0,
    "negative": -1,
    "huge number": 10**400,
    "huge float": 1e308,
    "not a number": float("nan"),
    "infinity": float("-inf"),
    "empty": "",
    "space": " ",
    "newlines": "\n\r\n\x85\u2028",
    "nul": "\0",
    "nul within": "/x\0y",
    "escapes": "\x1b[2J\x1b]0;x\x07\x7f",
    "lone surrogate": "a\ud800b",
    "surrogates in disorder": "\udfff\ud800",
    "bytes of a path": "/x/\udcff",
    "replacement": "\ufffd\uffff\U0010ffff",
    "yesterday": "yesterday",
    "month 13": "2026-13-45T25:61:61Z",
    "year 1": "0001-01-01T00:00:00Z",
    "year 9999": "9999-12-31T23:59:59.999Z",
    "without zone": "2026-11-09T10:00:05",
    "date": "2026-11-09",
    "dots": "../" * 2000,
    "colons": "a: " * 8000,
    "cookies": "cookie: " * 3125,
    "tags": "<nous " * 2000,
    "long": "x" * 300_000,
    "quotes": "\"'`" * 5000,
    "brackets": "([{<" * 4000,
    "refusal": "The user doesn't want to proceed with this tool use. the user said:\n",
    "answers": 'User has answered your questions: "a"="b" ' * 50,
    "empty list": [],
    "empty mapping": {},
    "list of nothing": [None],
    "mixed list": [1, "x", {}, [], {"type": "text", "text": 7}, {"type": 7}, None],
    "mapping": {"type": "text", "text": {"x": 1}, "": None},
    "odd keys": {"": 1, "\0": 2, "\ud800": 3, "x" * 5000: 4},
    "deep": nested(90),
    "too deep": DEEP,
}


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to everything that a record holds."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*at, key)
        yield from places(one, (*at, key))


def with_value(value: Any, at: tuple[Any, ...], wrong: Any) -> Any:
    """A copy of a record with something else in one place."""
    if not at:
        return wrong
    copied = value.copy()
    copied[at[0]] = with_value(copied[at[0]], at[1:], wrong)
    return copied


def prompt(text: str, number: int) -> Record:
    return base("user", uuid=f"good-{number}", timestamp=f"2026-11-09T1{number}:00:00.000Z") | {
        "message": {"role": "user", "content": text}
    }


def line(record: Any) -> bytes:
    return json.dumps(record).encode().replace(b'"%b"' % DEEP.encode(), b"[" * 50_000 + b"]" * 50_000) + b"\n"


def mutants(shape: Record, wrong: Any) -> Iterator[bytes]:
    """The record with a wrong value in one place after the other. Names differ, unless they are what is wrong."""
    for number, at in enumerate(places(shape)):
        named = shape if at == ("uuid",) else shape | {"uuid": f"bad-{number}"}
        yield line(with_value(named, at, wrong))


def learn(stores: Stores, path: Path) -> tuple[Taken, Learned]:
    taken = take_in(stores, str(path), "historical_backfill", lambda: NOW)
    outcome = learn_all(stores, "w", lambda: NOW)
    warm_all(stores, NOW)
    return taken, outcome


def shown(stores: Stores, project: str = APP) -> str:
    """The packet of a project."""
    return stores.cache.get(context_key(project, "")) or ""


def assert_learned(stores: Stores) -> None:
    """What was said around the bad records is known, nothing waits, and nothing was given up but single records."""
    packet = shown(stores)
    assert "pnpm" in packet, stores.queue.listing()
    assert "Postgres 16" in packet, stores.queue.listing()
    assert set(stores.queue.counts()) <= {"completed"}, stores.queue.listing()
    assert all(row["reason"] for row in stores.records.list_quarantined())


@pytest.mark.parametrize("shape", SHAPES)
def test_whatever_a_field_holds_the_records_around_are_learned(shape: str, tmp_path: Path) -> None:
    for number, (name, wrong) in enumerate(WRONG.items()):
        bad = list(mutants(SHAPES[shape], wrong))
        first, last = line(prompt(FIRST, 0)), line(prompt(LAST, 9))
        orders = {"between": [first, *bad, last], "before": [*bad, first, last]}
        order = ("between", "before")[number % 2]
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(b"".join(orders[order]))
        stores = open_stores(":memory:")
        try:
            learn(stores, path)
            assert_learned(stores)
        except Exception as problem:
            raise AssertionError(f"{name} {order}: {problem!r}") from problem
        finally:
            stores.close()


@pytest.mark.parametrize("shape", SHAPES)
def test_bytes_that_are_no_text_cost_their_record_alone(shape: str, tmp_path: Path) -> None:
    whole = line(SHAPES[shape])
    broken = [whole[:at] + byte + whole[at:] for at in range(1, len(whole) - 1, 7) for byte in (b"\xff", b"\0", b'"')]
    broken += [whole[:at] + b"\n" for at in range(1, len(whole) - 1, 11)]
    path = tmp_path / "s1.jsonl"
    path.write_bytes(b"".join([line(prompt(FIRST, 0)), *broken, line(prompt(LAST, 9))]))
    stores = open_stores(":memory:")
    taken, _ = learn(stores, path)
    assert_learned(stores)
    assert taken.quarantined > len(broken) // 2
    stores.close()


def test_a_broken_queued_prompt_is_put_aside_with_its_place(stores: Stores, tmp_path: Path) -> None:
    bad = line(SHAPES["queued"]).replace(b"Go on.", b"Go \xff on.")
    path = tmp_path / "s1.jsonl"
    path.write_bytes(line(prompt(FIRST, 0)) + bad + line(prompt(LAST, 9)))
    learn(stores, path)
    assert_learned(stores)
    [row] = stores.records.list_quarantined()
    assert (row["file_offset"], row["length"]) == (len(line(prompt(FIRST, 0))), len(bad))


def test_a_transcript_whose_name_is_no_text_is_read_and_read_on(stores: Stores, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.jsonl"
    try:
        with open(path, "wb") as file:
            file.write(line(prompt(FIRST, 0)))
    except OSError:
        pytest.skip("this file system takes no such name")
    pattern = str(tmp_path / "*.jsonl")
    for text in (FIRST, LAST):
        files = choose(stores.files, pattern)
        assert [one.new > 0 for one in files] == [True]
        for _ in backfill(stores, files, "w", lambda: NOW):
            pass
        if text is FIRST:
            with open(path, "ab") as file:
                file.write(line(prompt(LAST, 9)))
    warm_all(stores, NOW)
    assert_learned(stores)
    assert [one.new for one in choose(stores.files, pattern)] == [0]


def poisoned(words: str) -> Any:
    """An extractor that fails on some turns, as one with a mistake in it would."""
    from nous.features.rules_reader.extractor import extract

    def fails(turns: Any, **options: Any) -> Any:
        if any(words in turn.text for turn in turns):
            raise AssertionError("unthinkable")
        return extract(turns, **options)

    return fails


def test_a_unit_that_cannot_be_learned_loses_only_the_guilty_records(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nous.features.rules_reader.extractor.extract", poisoned("POISON"))
    bad = [prompt("POISON one", 3), prompt("POISON two", 5)]
    records = [prompt(FIRST, 0), bad[0], prompt("Go on.", 4), bad[1], prompt(LAST, 9)]
    path = tmp_path / "s1.jsonl"
    path.write_bytes(b"".join(map(line, records)))
    _, outcome = learn(stores, path)
    assert outcome.failed == 0
    assert_learned(stores)
    offsets = [sum(len(line(one)) for one in records[:place]) for place in (1, 3)]
    rows = sorted((row["file_offset"], row["length"], row["reason"]) for row in stores.records.list_quarantined())
    assert [row[:2] for row in rows] == [(at, len(line(one))) for at, one in zip(offsets, bad, strict=True)]
    assert "unthinkable" in rows[0][2]


def test_a_context_that_cannot_be_read_does_not_stop_what_follows(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_bytes(line(prompt(FIRST, 0)) + line(prompt("POISON", 3)))
    learn(stores, path)
    monkeypatch.setattr("nous.features.rules_reader.extractor.extract", poisoned("POISON"))
    with open(path, "ab") as file:
        file.write(line(prompt(LAST, 9)))
    learn(stores, path)
    assert_learned(stores)
    assert stores.records.list_quarantined() == []


def test_a_record_with_which_capture_fails_is_put_aside_alone(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nous.redact import Discretion

    whole = Discretion.clean

    def fails(discretion: Discretion, turn: Turn, counted: Any) -> Turn:
        if "POISON" in turn.text:
            raise RecursionError("too deep")
        return whole(discretion, turn, counted)

    monkeypatch.setattr(Discretion, "clean", fails)
    records = [prompt(FIRST, 0), prompt("POISON", 3), prompt(LAST, 9)]
    path = tmp_path / "s1.jsonl"
    path.write_bytes(b"".join(map(line, records)))
    taken, _ = learn(stores, path)
    assert (taken.turns, taken.quarantined) == (2, 1)
    assert_learned(stores)
    [row] = stores.records.list_quarantined()
    assert (row["file_offset"], row["length"]) == (len(line(records[0])), len(line(records[1])))
