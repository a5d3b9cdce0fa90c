"""Exchanges as they grow: how large the index is, how fast it is built, asked, and asked by a first prompt.

Sessions are made up of words with a natural distribution; each has a few prompts, long replies, commands and errors
(three tenths of the text are spoken, as in eight real projects), and two memories of as many sentences. The largest
store holds short sessions of one exchange. CPU time is told beside wall time, since the machine may be busy. How much
slower a backfill is by the index is measured on transcripts that are really read, learned from and indexed.
"""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.machine import promises
from bench.recall import fact
from nous import Nous
from nous.app.pipeline import Pipeline
from nous.config import load_settings
from nous.features.exchanges.indexing import index_waiting
from nous.features.exchanges.passages import passages
from nous.features.exchanges.search import embed_exchanges, search
from nous.kernel.capture.queue import Item
from nous.kernel.capture.transcript import Turn
from nous.kernel.recall.retrievers.vectors import prepare
from nous.kernel.recall.search import Query
from nous.kernel.stores import Stores
from nous.providers import open_embedder

SIZES = (100, 1_000)
FULL_SIZES = (1_000, 10_000)
SHORT_SIZES = (100_000,)  # of short sessions
MEMORIES = 2  # of a session
AT_ONCE = 1_000  # memories that are told together
READ_AGAIN = 40  # sessions of a real backfill
ROOM = 520  # tokens for what a first prompt is told of an earlier session
QUESTIONS = 40
PROJECTS = 10
NOW = "2026-11-01T00:00:00.000Z"
VOCABULARY = 30_000


def words(chance: random.Random, count: int) -> str:
    """So many words; the n-th of the language is n times as rare as the first."""
    return " ".join(_word(int(VOCABULARY ** chance.random())) for _ in range(count))


def _word(rank: int) -> str:
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    name = ""
    while rank or not name:
        rank, at = divmod(rank, 26)
        name += letters[at]
    return f"w{name}"


def session(chance: random.Random, number: int, *, short: bool = False) -> list[Turn]:
    """A session of some six exchanges with what they did; a short one has a single exchange and few words."""
    turns: list[Turn] = []

    def say(kind: str, text: str = "", **more: Any) -> None:
        uuid = f"{number:06x}-{len(turns):04x}-{chance.getrandbits(32):08x}"
        at = (
            f"2026-{1 + number % 9:02}-{1 + number % 28:02}T{8 + len(turns) // 60 % 12:02}:{len(turns) % 60:02}:00.000Z"
        )
        turns.append(
            Turn(uuid=uuid, kind=kind, at=at, session_id=f"s{number}", cwd="/w", branch="main", text=text, **more)  # type: ignore[arg-type]
        )

    for _ in range(1 if short else chance.randint(3, 9)):
        say("prompt", words(chance, chance.randint(5, 20 if short else 80)))
        for _call in range(1 if short else chance.randint(1, 4)):
            name = f"t{len(turns)}"
            say("tool_call", tool="Bash", tool_id=name, input={"command": f"make {words(chance, 1)}"})
            failed = chance.random() < 0.2
            error = f"ValueError: {words(chance, 6)}\n" if failed else ""
            say("tool_result", error + words(chance, 40 if short else 180), tool_id=name, failed=failed)
        say("reply", words(chance, chance.randint(10, 40) if short else chance.randint(40, 260)))
    return turns


def fill(stores: Stores, chance: random.Random, start: int, end: int, *, short: bool = False) -> None:
    """Keep so many sessions, as the learner does."""
    with stores.db.transaction():
        for number in range(start, end):
            turns = session(chance, number, short=short)
            path, project = f"/t/{number}.jsonl", f"p{number % PROJECTS}"
            item = Item(
                source="historical_backfill",
                project_id=project,
                session_id=f"s{number}",
                transcript_path=path,
                file_inode=str(number),
                file_offset=0,
                end_offset=1,
                payload="",
                idempotency_key=path,
                ingest_id=number,
                retry_count=0,
            )
            stores.transcripts.see_session(project, path, turns)
            stores.transcripts.keep(item, turns)
            stores.exchanges.see(path, f"s{number}", "", project)


def measured(run: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU milliseconds of something."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def _spread(questions: list[Callable[[], object]]) -> dict[str, float]:
    """How long it takes to ask; each is asked three times and the quickest counts, since the machine may be busy."""
    times = [min((measured(one) for _ in range(3)), key=lambda time: time[1]) for one in questions]
    cpu = sorted(one for _, one in times)
    wall = sorted(one for one, _ in times)
    last = max(0, int(len(cpu) * 0.95) - 1)
    return {"p50_cpu_ms": round(statistics.median(cpu), 1), "p95_cpu_ms": round(cpu[last], 1)} | {
        "p50_ms": round(statistics.median(wall), 1),
        "p95_ms": round(wall[last], 1),
    }


def _remember(nous: Nous, chance: random.Random, start: int, end: int) -> None:
    """The memories of so many sessions."""
    for project in range(PROJECTS):
        count = MEMORIES * sum(number % PROJECTS == project for number in range(start, end))
        for first in range(0, count, AT_ONCE):
            texts = [{"text": words(chance, 16)} for _ in range(min(AT_ONCE, count - first))]
            nous.remember_many(texts, project=f"p{project}")
    nous.embed()


def asked(nous: Nous, chance: random.Random) -> dict[str, dict[str, float]]:
    """How long recall of memories, of both kinds and of exchanges takes, and what a first prompt is told."""
    embedder, stores = open_embedder("builtin"), nous.stores
    assert embedder is not None
    model = prepare(stores.embeddings, stores.vectors, embedder)
    questions = [words(chance, chance.randint(4, 9)) for _ in range(QUESTIONS)]
    queries = [Query(text=text, project_id="p1", now=NOW, check_files=False) for text in questions]
    prompts = [words(chance, 60) for _ in range(QUESTIONS)]
    for text in questions:  # both are asked warm
        nous.recall(text, project="p1")
    return {
        "memories": _spread([partial(nous.recall, text, project="p1", records="memories") for text in questions]),
        "both": _spread([partial(nous.recall, text, project="p1") for text in questions]),
        "exchanges_alone": _spread([partial(search, stores, one, model) for one in queries]),
        "prompt": _spread([partial(passages, stores, text, "p1", ROOM) for text in prompts]),
    }


def _sizes(nous: Nous, chance: random.Random, sizes: tuple[int, ...], short: bool) -> Iterator[dict[str, Any]]:
    embedder, stores = open_embedder("builtin"), nous.stores
    assert embedder is not None
    done = 0
    for size in sizes:
        fill(stores, chance, done, size, short=short)
        _remember(nous, chance, done, size)
        _, indexed = measured(lambda: index_waiting(stores))
        _, embedded = measured(lambda: embed_exchanges(stores, embedder))
        text = stores.transcripts.size()["raw_bytes"]
        yield {
            "sessions": size,
            "short": short,
            "exchanges": stores.exchanges.size(),
            "text_mb": round(text / 1e6, 1),
            "index_share": round(stores.exchanges.bytes() / text, 3),
            "index_ms_per_session": round(indexed / (size - done), 2),
            "embed_ms_per_session": round(embedded / (size - done), 2),
        } | asked(nous, chance)
        done = size


def transcript(chance: random.Random, number: int) -> str:
    """A session as the client writes it, in sentences that can be learned from."""
    records: list[dict[str, Any]] = []

    def add(kind: str, content: object) -> None:
        head = {"type": kind, "sessionId": f"r{number}", "cwd": "/w", "gitBranch": "main", "version": "2"}
        stamp = f"2026-09-{1 + number % 28:02}T10:{len(records) // 60 % 60:02}:{len(records) % 60:02}.000Z"
        records.append(
            head | {"uuid": f"r{number:05}-{len(records):05}", "timestamp": stamp, "message": {"content": content}}
        )

    for _ in range(chance.randint(3, 9)):
        wish = "Always remember that " if chance.random() < 0.3 else ""
        add("user", wish + " ".join(fact(chance, chance.randrange(10**6)) for _ in range(chance.randint(1, 4))))
        for _call in range(chance.randint(1, 4)):
            name = f"t{number}-{len(records)}"
            add("assistant", [{"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "make check"}}])
            said = " ".join(fact(chance, chance.randrange(10**6)) for _ in range(6))
            add("user", [{"type": "tool_result", "tool_use_id": name, "content": said, "is_error": False}])
        said = " ".join(fact(chance, chance.randrange(10**6)) for _ in range(chance.randint(3, 12)))
        add("assistant", [{"type": "text", "text": said}])
    return "".join(json.dumps(record) + "\n" for record in records)


def slowed(chance: random.Random, sessions: int) -> float:
    """By how much the index slows a backfill down: its CPU time, its vectors' included, as a share of all the rest."""
    spent = 0.0

    def timed(do: Callable[..., int]) -> Callable[..., int]:
        def run(*given: Any) -> int:
            nonlocal spent
            begun = time.process_time()
            done = do(*given)
            spent += time.process_time() - begun
            return done

        return run

    with tempfile.TemporaryDirectory() as folder:
        places = {"HOME": folder, "NOUS_DATA_DIR": f"{folder}/data", "CLAUDE_CONFIG_DIR": f"{folder}/claude"}
        projects = Path(folder, "claude", "projects", "w")
        projects.mkdir(parents=True)
        for number in range(sessions):
            (projects / f"r{number}.jsonl").write_text(transcript(chance, number), "utf-8")
        work = Pipeline.open(load_settings(places), lambda: NOW)
        with (
            patch("nous.app.following.index_waiting", timed(index_waiting)),
            patch("nous.app.following.embed_exchanges", timed(embed_exchanges)),
        ):
            begun = time.process_time()
            for _ in work.backfill(work.transcripts()):
                pass
            work.after_learning(0)
            whole = time.process_time() - begun
        work.close()
    return spent / (whole - spent)


def grown(say: Callable[[str], None], sizes: tuple[int, ...], *, short: bool = False) -> list[dict[str, Any]]:
    """One store, measured at each size."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"NOUS_DATA_DIR": folder, "HOME": folder})
        with Nous.open(str(Path(folder) / "memory.db"), settings=settings) as nous:
            for row in _sizes(nous, random.Random(16), sizes, short):
                say(f"{row['sessions']} sessions: {row}")
                rows.append(row)
    return rows


def run(full: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Grow a store of sessions as they are, and a larger one of short ones."""
    share = slowed(random.Random(16), READ_AGAIN)
    usual = grown(say, FULL_SIZES if full else SIZES)
    return told(share, usual, grown(say, SHORT_SIZES, short=True) if full else [])


def told(share: float, usual: list[dict[str, Any]], large: list[dict[str, Any]]) -> dict[str, Any]:
    """What was measured, beside what is promised."""
    rows, last = usual + large, usual[-1]
    kept = [
        ("index as a share of the redacted text", "at most", 0.4, last["index_share"]),
        ("first prompt, p95 CPU ms", "at most", 60.0, last["prompt"]["p95_cpu_ms"]),
        ("recall of both kinds, p95 CPU, times memories alone", "at most", 2.0, max(map(_times, rows))),
        ("CPU of a backfill that the index adds", "at most", 0.15, round(share, 3)),
    ]
    return {"sizes": rows, "backfill_slowed": round(share, 3), "targets": promises(kept)}


def _times(row: dict[str, Any]) -> float:
    return round(float(row["both"]["p95_cpu_ms"] / row["memories"]["p95_cpu_ms"]), 2)


def table(found: dict[str, Any]) -> list[str]:
    """The sizes as a table."""
    names = ("sessions", "exchanges", "text MB", "index", "CPU ms per session: index, vectors")
    lines = [f"| {' | '.join(names)} | memories p50/p95 | both p50/p95 | both/memories | first prompt p50/p95 |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in found["sizes"]:
        alone, both, prompt = (
            f"{row[name]['p50_ms']} / {row[name]['p95_ms']} (CPU {row[name]['p50_cpu_ms']} / {row[name]['p95_cpu_ms']})"
            for name in ("memories", "both", "prompt")
        )
        times = f"{alone} | {both} | {_times(row)} | {prompt}"
        lines.append(
            f"| {row['sessions']}{' short' if row['short'] else ''} | {row['exchanges']} | {row['text_mb']} "
            f"| {100 * row['index_share']:.0f} % "
            f"| {row['index_ms_per_session']}, {row['embed_ms_per_session']} | {times} |"
        )
    return [*lines, "", f"A backfill takes {100 * found['backfill_slowed']:.0f} % more CPU with the index."]
