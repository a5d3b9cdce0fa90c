"""Figures for Prometheus, in its text format: what is remembered, what waits, how hooks and requests are answered."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nous import __version__
from nous.app import Nous
from nous.features.status.operations import size

Sample = tuple[Mapping[str, str], float]


def family(name: str, kind: str, says: str, samples: Iterable[Sample]) -> Iterator[str]:
    """One metric with its help, its type and its values."""
    yield f"# HELP {name} {says}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        inside = ",".join(f'{key}="{_escape(text)}"' for key, text in labels.items())
        yield f"{name}{'{' + inside + '}' if inside else ''} {value:.15g}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def of_memory(nous: Nous) -> Iterator[str]:
    """What the database tells."""
    stores = nous.stores
    totals: dict[tuple[str, str], float] = {}
    for row in stores.memories.counts():
        key = (row["type"], row["status"])
        totals[key] = totals.get(key, 0) + row["memories"]
    yield from family(
        "nous_memories",
        "gauge",
        "Memories by type and status.",
        (({"type": kind, "status": status}, value) for (kind, status), value in sorted(totals.items())),
    )
    yield from family("nous_events_total", "counter", "Events in the log.", [({}, stores.events.last_id())])
    behind = stores.events.last_id() - stores.memories.checkpoint("memories")
    yield from family("nous_events_behind", "gauge", "Events that no read model knows yet.", [({}, behind)])
    queue = stores.queue.counts()
    yield from family(
        "nous_queue_items",
        "gauge",
        "Items of the queue by state.",
        (({"state": k}, v) for k, v in sorted(queue.items())),
    )
    yield from family(
        "nous_quarantined_lines", "gauge", "Unreadable unreadable lines.", [({}, stores.records.quarantine_count())]
    )
    kept = stores.transcripts.size()
    yield from family("nous_sessions_kept", "gauge", "Sessions whose words are kept.", [({}, kept["sessions"])])
    yield from family("nous_transcript_bytes", "gauge", "Bytes that they take.", [({}, kept["bytes"])])
    path = nous.settings.db_path
    yield from family("nous_database_bytes", "gauge", "Bytes of the database.", [({}, size(path))])
    yield from _hooks(nous)


def _hooks(nous: Nous) -> Iterator[str]:
    found = nous.stores.browse.list_answered()
    labels = [({"hook": row["hook"]}, row) for row in found]
    says = "Answers to hooks that put something before the model."
    yield from family("nous_hook_answers_total", "counter", says, ((label, row["answers"]) for label, row in labels))
    yield from family(
        "nous_hook_seconds_total", "counter", "Time they took.", ((label, row["ms"] / 1000) for label, row in labels)
    )
    yield from family(
        "nous_memories_shown_total", "counter", "Memories in them.", ((label, row["memories"]) for label, row in labels)
    )
    yield from family(
        "nous_memories_cited_total", "counter", "Of these cited.", ((label, row["cited"]) for label, row in labels)
    )


def of_process(told: Mapping[str, Any], began: float) -> Iterator[str]:
    """What the process tells."""
    yield from family("nous_info", "gauge", "The version that runs.", [({"version": __version__}, 1)])
    yield from family("nous_up_seconds", "gauge", "Since when it runs.", [({}, round(time.time() - began, 1))])
    daemon = told.get("daemon", {})
    if "rss_bytes" in daemon:
        yield from family("process_resident_memory_bytes", "gauge", "Memory.", [({}, daemon["rss_bytes"])])
        yield from family("process_cpu_seconds_total", "counter", "Processor time.", [({}, daemon["cpu_seconds"])])
        yield from family("nous_learned_total", "counter", "Learned since it runs.", [({}, daemon["learned"])])
        yield from family("nous_engine_up", "gauge", "Whether it learns.", [({}, float(daemon["engine"]))])
    faults = told.get("faults", ())
    says = "Failures of the last days by part."
    yield from family("nous_faults", "gauge", says, (({"part": one["part"]}, one["times"]) for one in faults))
    with_load = os.getloadavg() if hasattr(os, "getloadavg") else (0.0,)
    yield from family("nous_machine_load1", "gauge", "Load of the machine.", [({}, round(with_load[0], 2))])


def of_requests(counts: Mapping[tuple[str, str, int], int], seconds: Mapping[tuple[str, str], float]) -> Iterator[str]:
    """How requests were answered."""
    yield from family(
        "nous_http_requests_total",
        "counter",
        "Requests by route and status.",
        (({"method": m, "route": r, "status": str(s)}, n) for (m, r, s), n in sorted(counts.items())),
    )
    yield from family(
        "nous_http_seconds_total",
        "counter",
        "Time they took.",
        (({"method": method, "route": route}, round(took, 6)) for (method, route), took in sorted(seconds.items())),
    )
