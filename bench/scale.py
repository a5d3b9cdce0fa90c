"""Many tenants on one PostgreSQL server: sizes by Zipf's law, concurrent clients, and nobody sees another's rows.

Memories go in as they do in use (event log, read models, text index, vectors, with every index live). Then clients,
each a process of its own, ask tenants at random; every memory that comes back must carry its tenant's mark. What the
vector index finds is compared with an exact scan.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from bench.machine import profile, promises
from bench.postgres import APP, PostgresServer, running
from nous.app import Nous
from nous.config import load_settings
from nous.kernel.log.events import Event, Extracted
from nous.kernel.memory.projection import catch_up
from nous.kernel.recall.embedding import embed_waiting
from nous.kernel.stores import Stores, open_stores
from nous.providers import open_embedder

NOW = "2026-11-10T12:00:00.000Z"
SIZES = ((1_000_000, 1_000, 32), (5_000, 40, 4))  # memories, tenants, clients: full and usual
CLASSES = ((100, "under 100"), (1_000, "100 to 1,000"), (10_000, "1,000 to 10,000"), (10**9, "10,000 and more"))
SKEW = 1.1
AT_ONCE = 500
PER_CLIENT = 40
NEAREST = 10
COLUMNS = ("size", "tenants", "ingest_per_second", "questions", "p50_ms", "p95_ms", "recall_at_10")
SUBJECTS = "invoice webhook migration cache parser session retry queue token schema upload search report worker"
VERBS = "fails needs keeps drops reads writes waits retries expires locks skips renames validates loads"
OBJECTS = "twice nightly staging production timezone index header budget fixture lockfile proxy branch region"


class Tenant(NamedTuple):
    """A tenant and how many memories it has."""

    name: str
    size: int


class Filled(NamedTuple):
    """A tenant whose memories are in: how long that took, and what of a processor, here and on the server."""

    size: int
    seconds: float
    client: float
    server: float


class Asked(NamedTuple):
    """One question: the size of its tenant, how long it took, how many memories came, how many were another's."""

    size: int
    ms: float
    found: int
    foreign: int


def run(full: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Fill a server, ask it, compare; then a long log through a hub, and very many devices."""
    from bench import hub

    memories, tenants, clients = SIZES[0 if full else 1]
    devices, seconds, events = (1_000, 300, 100_000) if full else (50, 15, 2_000)
    with running(("-c", "max_connections=200")) as server:
        on_a_server = hub.many(devices, seconds, say, server.url("nous", APP))
    return {
        "tenants": measure(memories, tenants, clients, say),
        "cost": cost(10_000 if full else 1_000, 200, say),
        "sync": hub.sync(events, say),
        "hub": hub.many(devices, seconds, say),
        "hub-on-a-server": on_a_server,
    }


def measure(
    memories: int,
    tenants: int,
    clients: int,
    say: Callable[[str], None],
    note: Callable[[dict[str, Any]], None] = lambda found: None,
) -> dict[str, Any]:
    """The same with any sizes. What is known so far is noted again and again, for a run that is stopped."""
    every = sizes(memories, tenants)
    filled: list[Filled] = []
    asked: list[Asked] = []
    exact: list[tuple[int, float]] = []

    def found() -> dict[str, Any]:
        return _found(every, clients, filled, asked, exact, _bytes(server.url("nous")))

    with running(("-c", "max_connections=200", "-c", "maintenance_work_mem=512MB")) as server:
        url = server.url("nous", APP)
        holding = open_stores(url, tenant=every[0].name)  # tenants share the pool of a process, which stays open
        for at, tenant in enumerate(every):
            filled.append(_timed(server, tenant))
            if at < 5 or at % 50 == 0:
                took = sum(one.seconds for one in filled)
                say(f"{tenant.name}: {tenant.size} memories; {sum(one.size for one in filled)} in {took:.0f} s")
                note(found())
        holding.close()
        note(found())
        say("asking")
        asked += _ask(url, every, clients)
        note(found())
        exact += _exactness(url, every)
        return found()


def _timed(server: PostgresServer, tenant: Tenant) -> Filled:
    postmaster = int((server.data / "postmaster.pid").read_text().split()[0])
    before, begun = _spent(postmaster), time.perf_counter()
    _fill(server.url("nous", APP), tenant)
    after = _spent(postmaster)
    return Filled(tenant.size, time.perf_counter() - begun, after[0] - before[0], after[1] - before[1])


def sizes(memories: int, tenants: int) -> list[Tenant]:
    """Tenants by Zipf's law, the largest first; each has at least ten memories."""
    weights = [1 / rank**SKEW for rank in range(1, tenants + 1)]
    return [Tenant(f"t{n:04}", max(10, round(memories * w / sum(weights)))) for n, w in enumerate(weights)]


def _one(chance: random.Random, words: str) -> str:
    return chance.choice(words.split())


def _sentence(chance: random.Random, tenant: str, nth: int) -> str:
    said = f"{_one(chance, SUBJECTS)} {_one(chance, VERBS)} {_one(chance, OBJECTS)} {_one(chance, SUBJECTS)}"
    return f"The {said} in module{chance.randrange(2000)} of mark{tenant}, case {nth}."


def _fill(url: str, tenant: Tenant) -> None:
    stores = open_stores(url, tenant=tenant.name)
    chance = random.Random(tenant.name)
    embedder = open_embedder("builtin", {})
    assert embedder is not None
    for start in range(0, tenant.size, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, tenant.size))
        stores.events.append([_event(tenant.name, n, _sentence(chance, tenant.name, n)) for n in numbers], NOW)
        catch_up(stores, NOW)
        embed_waiting(stores.embeddings, stores.vectors, embedder)
    stores.close()


def _event(tenant: str, nth: int, text: str) -> Event:
    said = Extracted(content=text, type="fact", concepts=(), edges=(), extractor_version="bench")
    key = f"{tenant}-{nth}"
    return Event(
        learning_id=key,
        event_type="LearningExtracted",
        idempotency_key=key,
        payload=said,
        source="historical_backfill",
        project_id=f"p{nth % 3}",
        session_id="bench",
        valid_from=NOW,
    )


def _ask(url: str, every: list[Tenant], clients: int) -> list[Asked]:
    with multiprocessing.get_context("spawn").Pool(clients) as pool:
        found = pool.starmap(_client, [(url, every, seed) for seed in range(clients)])
    return [one for answers in found for one in answers]


def _client(url: str, every: list[Tenant], seed: int) -> list[Asked]:
    """One process that asks tenants of all sizes in turn, through the same door as everybody."""
    chance = random.Random(seed)
    by_size = [[one for one in every if _class(one.size) == name] for _, name in CLASSES]
    held = [tenants for tenants in by_size if tenants]
    settings = load_settings({"HOME": "/nowhere", "NOUS_DATA_DIR": "/nowhere"})
    found = []
    for nth in range(PER_CLIENT):
        tenant = chance.choice(held[nth % len(held)])
        nous = Nous(open_stores(url, tenant=tenant.name), settings)
        nous.embedder  # noqa: B018 (opened before the clock runs)
        text = f"which {_one(chance, SUBJECTS)} {_one(chance, VERBS)} {_one(chance, OBJECTS)}?"
        begun = time.perf_counter()
        hits = nous.recall(text, all_projects=True, records="memories")
        ms = (time.perf_counter() - begun) * 1000
        foreign = sum(f"mark{tenant.name}" not in hit.content for hit in hits)
        found.append(Asked(tenant.size, ms, len(hits), foreign))
        nous.stores.close()
    return found[len(held) :]  # the first of each size open connections and load tables


def _exactness(url: str, every: list[Tenant]) -> Iterator[tuple[int, float]]:
    """Of the ten nearest by an exact scan, how many the store finds; for tenants of every size."""
    chance = random.Random(7)
    embedder = open_embedder("builtin", {})
    assert embedder is not None
    for _, name in CLASSES:
        held = [one for one in every if _class(one.size) == name]
        for tenant in held[:3]:
            stores = open_stores(url, tenant=tenant.name)
            model = stores.vectors.known_model(embedder.model)
            assert model is not None
            for _ in range(10):
                text = _sentence(chance, tenant.name, chance.randrange(tenant.size))
                vector = embedder.query(text, {})
                near = [number for number, _ in stores.vectors.nearest(model, vector, NEAREST, None)]
                exact = _scan(stores, model, vector)
                yield tenant.size, len({*near} & {*exact}) / max(1, len(exact))
            stores.close()


def _scan(stores: Stores, model: int, vector: bytes) -> list[int]:
    asked = {"model_id": model, "vector": vector, "limit": NEAREST, "project_id": None, "any_status": 0}
    return [number for number, _ in stores.db.each("vectors.nearest", **asked)]


def _bytes(url: str) -> dict[str, int]:
    import psycopg

    names = ("memory_words", "vectors", "learning_events", "memories")
    with psycopg.connect(url) as connection:
        rows = [connection.execute("SELECT pg_total_relation_size(%s)", (f"nous.{name}",)).fetchone() for name in names]
        whole = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return {"database": whole[0] if whole else 0} | {name: row[0] for name, row in zip(names, rows, strict=True) if row}


def _class(size: int) -> str:
    return next(name for most, name in CLASSES if size < most)


def _found(
    every: list[Tenant],
    clients: int,
    filled: list[Filled],
    asked: list[Asked],
    exact: list[tuple[int, float]],
    size: dict[str, int],
) -> dict[str, Any]:
    """What is known until now: of tenants that are not filled, or were not asked, nothing."""
    total, classes = sum(one.size for one in filled), [_of_class(name, filled, asked, exact) for _, name in CLASSES]
    classes = [one for one in classes if one["tenants"]]
    foreign = sum(one.foreign for one in asked)
    worst = [one["recall_at_10"] for one in classes if one["recall_at_10"] is not None]
    wanted = [("rows of another tenant", "at most", 0.0, float(foreign))] if asked else []
    wanted += [("recall@10 against exact, worst class of sizes", "at least", 0.95, min(worst))] if worst else []
    return {
        "memories": total,
        "tenants": len(filled),
        "of_tenants": len(every),
        "largest": every[0].size,
        "clients": clients,
        "ingest_per_second": round(total / sum(one.seconds for one in filled)),
        "ingest_cpu_ms": _cpu(filled),
        "classes": classes,
        "rows_checked": sum(one.found for one in asked),
        "foreign_rows": foreign,
        "bytes": size,
        "promises": promises(wanted),
    }


def _cpu(filled: list[Filled]) -> dict[str, float]:
    """Milliseconds of processor for a memory, here and on the server."""
    total = sum(one.size for one in filled) / 1000
    return {
        "client": round(sum(one.client for one in filled) / total, 2),
        "server": round(sum(one.server for one in filled) / total, 2),
    }


def _of_class(name: str, filled: list[Filled], asked: list[Asked], exact: list[tuple[int, float]]) -> dict[str, Any]:
    mine = [one for one in filled if _class(one.size) == name]
    times = sorted(one.ms for one in asked if _class(one.size) == name)
    right = [share for size, share in exact if _class(size) == name]
    return {
        "size": name,
        "tenants": len(mine),
        "memories": sum(one.size for one in mine),
        "ingest_per_second": round(sum(one.size for one in mine) / sum(one.seconds for one in mine)) if mine else None,
        "ingest_cpu_ms": _cpu(mine) if mine else None,
        "questions": len(times),
        "p50_ms": round(statistics.median(times), 1) if times else None,
        "p95_ms": round(times[int(len(times) * 0.95)], 1) if times else None,
        "recall_at_10": round(statistics.mean(right), 4) if right else None,
    }


def table(found: dict[str, Any]) -> list[str]:
    """The figures as tables."""
    synced, hubs, costs = found["sync"], [found["hub"], found["hub-on-a-server"]], found["cost"]
    return [
        *_tenants(found["tenants"]),
        f"ms of processor (client, server): a memory {costs['ingest_cpu_ms']}, a question {costs['recall_cpu_ms']}",
        f"{synced['events']:,} events: {synced['push_per_second']}/s to a hub, {synced['pull_per_second']}/s from it",
        *(
            f"{one['devices']} devices, hub on {one['engine']}: {one['rounds_per_second']} rounds/s, "
            f"p50 {one['round_ms']['p50']} ms, {one['failed']} failed, {one['lost']} lost something"
            for one in hubs
        ),
    ]


def _tenants(found: dict[str, Any]) -> list[str]:
    of_all = f"{found['memories']:,} memories, {found['tenants']} tenants (largest {found['largest']:,})"
    rate = f"{found['ingest_per_second']}/s with every index live"
    lines = [
        f"{of_all}, {found['clients']} clients; ingest {rate}, database {found['bytes']['database'] / 1e6:.0f} MB",
        f"{found['rows_checked']} rows that came back were checked: {found['foreign_rows']} of another tenant",
        "| tenant's memories | tenants | ingest/s | questions | recall p50 ms | p95 ms | recall@10 against exact |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in found["classes"]:
        cells = (one[key] for key in COLUMNS)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines


# -- what it costs, on a busy machine too ---------------------------------------------------------------------------


def cost(memories: int, questions: int, say: Callable[[str], None]) -> dict[str, Any]:
    """What of a processor memories and questions take in one tenant, here and on the server."""
    import psycopg

    tenant = Tenant("t0000", memories)
    with running(("-c", "maintenance_work_mem=512MB")) as server:
        url = server.url("nous", APP)
        holding = open_stores(url, tenant=tenant.name)  # a connection of the pool stays, and with it its process
        postmaster = int((server.data / "postmaster.pid").read_text().split()[0])
        begun = _spent(postmaster)
        _fill(url, tenant)
        filled = [after - before for after, before in zip(_spent(postmaster), begun, strict=True)]
        say(f"{memories} memories took {sum(filled):.1f} s of processor")
        with psycopg.connect(server.url("nous"), autocommit=True) as connection:
            connection.execute("ANALYZE")  # as the server's own rounds do, for which a busy machine leaves no time
        nous = Nous(
            open_stores(url, tenant=tenant.name), load_settings({"HOME": "/nowhere", "NOUS_DATA_DIR": "/nowhere"})
        )
        chance = random.Random(3)
        for nth in range(questions + 5):
            if nth == 5:  # the first ones load what is loaded once
                begun = _spent(postmaster)
            text = f"which {_one(chance, SUBJECTS)} {_one(chance, VERBS)} {_one(chance, OBJECTS)}?"
            nous.recall(text, all_projects=True, records="memories")
        asked = [after - before for after, before in zip(_spent(postmaster), begun, strict=True)]
        size = _bytes(server.url("nous"))["database"]
        nous.stores.close()
        holding.close()
    per_memory, per_question = [each * 1000 / memories for each in filled], [each * 1000 / questions for each in asked]
    return {
        "memories": memories,
        "questions": questions,
        "ingest_cpu_ms": {"client": round(per_memory[0], 2), "server": round(per_memory[1], 2)},
        "recall_cpu_ms": {"client": round(per_question[0], 2), "server": round(per_question[1], 2)},
        "bytes_per_memory": round(size / memories),
    }


def _spent(postmaster: int) -> tuple[float, float]:
    """Seconds of processor of this process, and of the server with everything it started, also what has ended."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(") ")[2].split()
            if int(stat.parent.name) == postmaster:
                ticks += sum(int(fields[at]) for at in (11, 12, 13, 14))
            elif int(fields[1]) == postmaster:
                ticks += int(fields[11]) + int(fields[12])
    return time.process_time(), ticks / os.sysconf("SC_CLK_TCK")


# -- parts, measured apart ------------------------------------------------------------------------------------------

RESULT = Path(__file__).parent / "results" / "scale.json"


def keep(part: str, found: dict[str, Any]) -> None:
    """Put what was measured into the result, with the machine and how busy it was, and leave the other parts."""
    known = msgspec.json.decode(RESULT.read_bytes()) if RESULT.exists() else {}
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    known |= {"benchmark": "scale", part: {"at": at, "machine": profile()} | found}
    RESULT.write_bytes(msgspec.json.format(msgspec.json.encode(known), indent=1) + b"\n")


def main(part: str, *amounts: str) -> None:
    """Measure one part: `tenants MEMORIES TENANTS CLIENTS`, `cost MEMORIES QUESTIONS`, `sync EVENTS`, or `hub` and
    `hub-on-a-server` with DEVICES and SECONDS."""
    from bench import hub

    numbers = [int(text) for text in amounts]
    if part == "cost":
        keep(part, cost(numbers[0], numbers[1], print))
    elif part == "tenants":
        keep(part, measure(numbers[0], numbers[1], numbers[2], print, partial(keep, part)))
    elif part == "sync":
        keep(part, hub.sync(numbers[0], print))
    elif part == "hub":
        keep(part, hub.many(numbers[0], numbers[1], print))
    else:
        with running(("-c", "max_connections=200")) as server:
            keep(part, hub.many(numbers[0], numbers[1], print, server.url("nous", APP)))


if __name__ == "__main__":
    main(*sys.argv[1:])
