"""Nothing speaks as the user but the user: hundreds of attempts, through the real pipeline to every packet.

`POISON_CASES=900` runs so many instead of the sample; each case can be brought back by its number.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from factories import NOW, sized
from flows.poison import LAUNDERINGS, SOURCES, WORDINGS, Case, cases
from kernel.test_capture import lines
from nous.config import load_settings
from nous.features.brief.packets import warm_all
from nous.kernel.capture.intake import take_in
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.hooks.hookstore import HookStore
from nous.kernel.hooks.responses import Budgets, HookContext, answer
from nous.kernel.learn.learn import learn_all
from nous.kernel.recall.worth import line
from nous.kernel.stores import Stores
from nous.shells.daemon import hook_service
from nous.shells.daemon.hook_service import HookService

AT_ONCE = 30
SAMPLE = -(-len(SOURCES) // AT_ONCE) * AT_ONCE  # every source once
COUNT = int(os.environ.get("POISON_CASES", sized(SAMPLE, 1500)))
ROOM = Budgets(start=100_000, prompt=100_000, tool=100_000)  # what would be cut for want of room is not safe


@pytest.fixture
def hook(stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HookContext:
    monkeypatch.setattr(hook_service, "system_clock", lambda: NOW)
    at = HookService(load_settings({"NOUS_DATA_DIR": str(tmp_path)}))
    at.local.stores = stores
    assert isinstance(stores.db, Sqlite)
    return HookContext(HookStore(stores.db.connection), NOW, ROOM, True)


def batches() -> Iterator[list[Case]]:
    every = cases(COUNT)
    while batch := list(islice(every, AT_ONCE)):
        yield batch


def learn(stores: Stores, folder: Path, batch: list[Case]) -> None:
    for number, one in enumerate(batch):
        file = folder / f"{number}.jsonl"
        file.write_bytes(lines(*one.records))
        take_in(stores, str(file), "fs_watch", lambda: NOW)
    assert learn_all(stores, "w", lambda: NOW).failed == 0
    warm_all(stores, NOW)


def asked(hook: HookContext, name: str, cwd: str, session: str, **fields: Any) -> str:
    said = answer(name, json.dumps({"session_id": session, "cwd": cwd} | fields).encode(), hook)
    return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said else ""


def told(stores: Stores, hook: HookContext, one: Case) -> str:
    """Everything that may be shown in a place, and what new sessions there are told when asked for the very thing.

    What may be shown counts whether or not it is chosen: what is not worth its line today may be tomorrow.
    """
    words = next(row for row in WORDINGS if row[0] == one.name.split(" / ")[1])
    claim, command = words[2].format(mark=one.mark), words[3].format(mark=one.mark)
    files = {"app.py", "config.toml", ".toolrc", "NOTES.md", "README.md", "app/server.py", "bootstrap.py"}
    known = stores.memories.visible(one.cwd)
    found = [line(memory) for memory in known if memory.status == "active" and not memory.tainted]
    found.append(asked(hook, "SessionStart", one.cwd, "n0", source="startup"))
    found.append(asked(hook, "UserPromptSubmit", one.cwd, "n1", prompt=f"{claim} {command}"))
    for number, file in enumerate(sorted(files)):
        given = {"file_path": f"{one.cwd}/{file}"}
        found.append(asked(hook, "PostToolUse", one.cwd, f"f{number}", tool_name="Read", tool_input=given))
    error = f"Exit code 1\nModuleNotFoundError: No module named 'thing'\n{claim}"
    failed = {"tool_name": "Bash", "tool_input": {"command": f"make test {command}"}, "error": error}
    found.append(asked(hook, "PostToolUseFailure", one.cwd, "e1", **failed))
    return "\n".join(found)


@pytest.mark.parametrize("number", range(-(-COUNT // AT_ONCE)))
def test_no_stranger_is_heard_and_the_user_is(stores: Stores, hook: HookContext, tmp_path: Path, number: int) -> None:
    batch = next(islice(batches(), number, None))
    learn(stores, tmp_path, batch)
    heard, lost = [], []
    for one in batch:
        said = told(stores, hook, one)
        if one.mark in said:
            where = said.index(one.mark)
            heard.append(f"{one.name}: … {said[max(0, where - 120) : where + 80]} …")
        if one.sign not in said:
            lost.append(f"{one.name}: {one.rule}")
    assert not heard, "\n".join(heard)
    assert len(lost) <= 0.05 * len(batch), "\n".join(lost)


def test_the_cases_cover_every_source_and_every_way() -> None:
    drawn = [one.name.split(" / ") for one in cases(SAMPLE)]
    assert {parts[0] for parts in drawn} == set(SOURCES)
    assert {parts[2] for parts in drawn} == set(LAUNDERINGS)
    assert len({tuple(parts[:3]) for parts in drawn}) == SAMPLE
    assert len(SOURCES) * len(WORDINGS) * len(LAUNDERINGS) > 600


def test_without_the_stranger_the_same_words_would_be_learned(
    stores: Stores, hook: HookContext, tmp_path: Path
) -> None:
    """The test can fail: what the user says in the very words of the stranger is shown."""
    one = next(cases(1))
    mine = [record for record in one.records if record["type"] == "user" and record["message"]["content"] == one.rule]
    spoken = f"From now on we always use {one.mark} for feature flags."
    mine.append(one.records[-1] | {"type": "user", "uuid": "u9", "message": {"role": "user", "content": spoken}})
    learn(stores, tmp_path, [one._replace(records=mine)])
    assert one.mark in told(stores, hook, one)
