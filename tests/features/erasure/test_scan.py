"""Scan: secrets that slipped through are found by today's rules, named by place, and never shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from factories import NOW, Home, extracted
from nous.features.erasure.scan import scan
from nous.kernel.capture.ignoring import Ignored
from nous.kernel.capture.queue import Artifact
from nous.kernel.capture.transcript import Turn
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores, open_stores
from nous.providers.ledger import NOTHING, Read

KEY = "AKIA" + "Q3EXAMPLEKEY7X2Z"
PASSWORD = "hunter2-but-longer"


def queue(stores: Stores, *turns: Turn) -> None:
    artifact = Artifact(
        source="fs_watch",
        project_id="p",
        session_id=turns[0].session_id,
        transcript_path="/t.jsonl",
        file_inode="1",
        file_offset=0,
        end_offset=10,
        payload=msgspec.json.encode(turns).decode(),
        idempotency_key="k",
    )
    stores.queue.enqueue(artifact, NOW)


def turn(text: str = "", **fields: Any) -> Turn:
    return Turn(uuid="u", kind=fields.pop("kind", "prompt"), at=NOW, session_id="s-1", text=text, **fields)


def test_nothing_stored_holds_no_secret(stores: Stores, tmp_path: Path) -> None:
    stores.events.append([extracted(content="Use pnpm here, never npm.")], NOW)
    report = scan(stores, str(tmp_path))
    assert report.findings == []
    assert report.looked == {"event": 1}


@pytest.mark.parametrize(
    ("name", "place"),
    [("event", "1"), ("queue", "1"), ("archive", "s-1"), ("packet", "p@main"), ("file", "daemon.log"), ("ledger", "1")],
)
def test_a_secret_is_found_wherever_it_lies(stores: Stores, tmp_path: Path, name: str, place: str) -> None:
    leak = f"the key is {KEY} now"
    match name:
        case "event":
            stores.events.append([extracted(content=leak)], NOW)
            catch_up(stores, NOW)
        case "queue":
            queue(stores, turn(leak))
        case "archive":
            queue(stores, turn(leak))
            item = stores.queue.claim("w", NOW)
            assert item is not None
            stores.transcripts.see_session("p", "/t.jsonl", [turn(leak)])
            stores.transcripts.keep(item, [turn(leak)])
            assert stores.queue.ack(item, "w", NOW)
            stores.queue.drop_payload(item.ingest_id)
        case "packet":
            stores.cache.see_project("p", "/p", None, NOW)
            stores.cache.put("p@main", "p", "main", json.dumps({"lines": [leak]}), 1, NOW)
        case "file":
            (tmp_path / "daemon.log").write_text(f"all well\n{leak}\n")
        case "ledger":
            number = stores.ledger.begin("extract", "v", "openai", "m", Read("s", "u", NOW), NOTHING, NOW)
            stores.ledger.finish(number, "failed", "m", NOTHING, NOW, error=leak)
    report = scan(stores, str(tmp_path))
    [finding] = report.findings
    assert (finding.where, finding.id.endswith(place)) == (name, True)
    assert sum(finding.kinds.values()) == 1
    assert KEY not in repr(report)


def test_a_value_is_known_by_its_name(stores: Stores, tmp_path: Path) -> None:
    queue(stores, turn(kind="tool_call", tool="Http", input={"password": PASSWORD}))
    [finding] = scan(stores, str(tmp_path)).findings
    assert finding.remedy == "nous admin purge --session s-1"


def test_placeholders_are_no_secrets(stores: Stores, tmp_path: Path) -> None:
    queue(stores, turn("the key is [secret:aws-key], the password [secret:password]"))
    assert scan(stores, str(tmp_path)).findings == []


def test_the_command_ends_with_status_1_names_the_place_and_hides_the_secret(home: Home) -> None:
    home.nous("remember", "Use pnpm here, never npm.")
    clean = home.nous("scan")
    assert (clean.returncode, clean.stdout.startswith("ok ")) == (0, True)
    (home.data / "daemon.log").write_text(f"token {KEY}\n")
    done = home.nous("scan")
    assert done.returncode == 1
    assert "daemon.log" in done.stdout and KEY not in done.stdout + done.stderr
    data = json.loads(home.nous("scan", "--json").stdout)
    assert (data["ok"], data["found"], len(data["findings"])) == (False, 1, 1)


def test_a_purge_makes_it_clean_again(home: Home) -> None:
    home.nous("remember", "Use pnpm here, never npm.")
    stores = open_stores(str(home.data / "cortex.db"))
    stores.events.append([extracted("leaky", f"the key is {KEY} now")], NOW)
    stores.close()
    data = json.loads(home.nous("scan", "--json").stdout)
    [finding] = data["findings"]
    command = finding["remedy"].split()[1:]
    assert home.nous(*command, "--yes").returncode == 0
    assert home.nous("scan").returncode == 0


def test_what_was_stored_before_a_path_was_ignored_is_found(stores: Stores, tmp_path: Path) -> None:
    result = turn("contents", kind="tool_result", cwd="/app", input={"file_path": "/app/a.pem"})
    queue(stores, turn("write to ada@example.org", cwd="/app"), result)
    assert not scan(stores, str(tmp_path)).findings
    (finding,) = scan(stores, str(tmp_path), Ignored(["*.pem"]), contacts=True).findings
    assert finding.kinds == {"email": 1, "ignored-path": 1}
