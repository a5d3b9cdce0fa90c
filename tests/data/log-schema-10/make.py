"""Makes the log of schema 10 (commit 31d72c9) that `tests/flows/test_migration.py` opens: every event type is in it.

Run once, with that commit's Nous: `python tests/data/log-schema-10/make.py FOLDER`. It writes `cortex.db.zst` and what
that version printed, `printed.json`, beside itself.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from nous import zstd
from nous.kernel.log.events import EVENT_TYPES, Archived, Contradicted, Edge, Event, Payload, Rescoped, Validated
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import open_stores

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parents[2] / "samples" / "transcripts" / "projects"
PROJECT = "/home/dev/parcel-api"
RULES = """# Notes

- Always run the linter before a commit.
- The staging database is called parcel_stage.
"""
OLDER = [
    {"id": "mem-1", "type": "fact", "content": "The carrier service listens on port 8091.", "confidence": 0.9},
    {"id": "mem-2", "type": "gotcha", "content": "Address lines longer than 35 characters are cut by DHL."},
]


def main(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SAMPLES, folder / ".claude" / "projects")
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "CLAUDE_CONFIG_DIR": str(folder / ".claude"),
        "NOUS_DATA_DIR": str(folder / "data"),
        "NOUS_NO_AUTOSTART": "1",
    }

    def nous(*words: str) -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "nous", *words, "--json", *(() if words[0] == "purge" else ("--project", PROJECT))],
            env=environ, cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"nous {' '.join(words)}: {done.stderr}{done.stdout}")
        return json.loads(done.stdout)

    def kept(*words: str) -> str:
        found = nous("remember", *words)
        return str(found.get("id") or found["memory"]["id"])

    nous("backfill")
    first = kept("The release train leaves on Tuesdays.", "--type", "fact")
    second = kept("Parcels above 30 kg go by freight.", "--pin", "--file", "src/rates.py", "--tag", "rates")
    third = kept("Label PDFs are rendered by the worker pool.")
    fourth = kept("The nightly export writes to the bucket parcel-export.")
    erased = kept("The courier's gate code is three zebras.")
    nous("correct", first, "The release train leaves on Thursdays.")
    nous("confirm", second)
    nous("dispute", third, "nobody has seen it")
    nous("pin", third)
    nous("feedback", fourth, "useful")
    nous("feedback", third, "corrected")
    nous("forget", fourth, "--yes")
    nous("undo")
    nous("forget", third, "--yes")
    (folder / "CLAUDE.md").write_text(RULES)
    nous("import", str(folder / "CLAUDE.md"))
    (folder / "engram.jsonl").write_text("".join(json.dumps(row) + "\n" for row in OLDER))
    nous("import", str(folder / "engram.jsonl"))
    items = nous("review")["items"]
    if items:
        nous("review", "decide", items[0]["id"], "later")
    by_hand(folder / "data" / "cortex.db")
    nous("reconcile", "--anew")
    nous("purge", erased, "--yes")
    nous("replay")
    printed = {
        "list": nous("list", "--status", "all", "--limit", "500"),
        "log": nous("log", "--limit", "1000"),
        "verify": nous("verify"),
        "replay": nous("replay", "--verify"),
        "explain": {str(number): nous("explain", str(number)) for number in (int(first), int(second))},
    }
    stores = open_stores(str(folder / "data" / "cortex.db"))
    seen = {event.event_type for batch in stores.events.replay() for event in batch}
    printed["clocks"] = {event.event_uuid: event.clock for batch in stores.events.replay() for event in batch}
    stores.db.connection.execute("PRAGMA journal_mode = DELETE").fetchall()  # type: ignore[attr-defined]
    stores.close()
    if missing := set(EVENT_TYPES) - seen:
        raise SystemExit(f"not in the log: {missing}")
    packed = zstd.compress((folder / "data" / "cortex.db").read_bytes(), 19)
    (HERE / "cortex.db.zst").write_bytes(packed)
    (HERE / "printed.json").write_text(json.dumps(printed, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def by_hand(path: Path) -> None:
    """The event types that no command above writes."""
    stores = open_stores(str(path))
    one, two, three = stores.memories.listing(None, limit=3)
    now = stores.events.get(stores.events.last_id()).transaction_time  # type: ignore[union-attr]

    def said(memory: Any, kind: Any, payload: Payload, key: str) -> Event:
        return Event(
            learning_id=memory.learning_id, event_type=kind, idempotency_key=f"made:{key}", payload=payload,
            session_id="made", project_id=memory.project_id, source="user_review", clock={"made": 1},
        )  # fmt: skip

    tie = Edge(target=two.learning_id, relation="depends_on")
    off = Edge(target=three.learning_id, relation="causal")
    stores.events.append(
        [
            said(one, "LearningValidated", Validated(), "validated"),
            said(one, "EdgeProposed", tie, "proposed"),
            said(one, "EdgeAccepted", tie, "accepted"),
            said(one, "EdgeRejected", off, "rejected"),
            said(two, "LearningRescoped", Rescoped(scope="global"), "rescoped"),
            said(two, "LearningUnpinned", Payload(), "unpinned"),
            said(two, "LearningArchived", Archived(reason="no longer needed"), "archived"),
            said(two, "LearningRestored", Payload(), "restored"),
            said(one, "LearningContradicted", contradicted(three), "contradicted"),
            said(three, "LearningContradicted", contradicted(one), "contradicted-too"),
        ],
        now,
    )
    catch_up(stores, now)
    stores.close()


def contradicted(other: Any) -> Payload:
    return Contradicted(contradicted_with=other.learning_id, contradiction_multiplier=0.7)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
