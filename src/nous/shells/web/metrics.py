"""Figures for Prometheus, in its text format: what is remembered, what waits, how hooks and requests are answered."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nous import __version__
from nous.app import Nous
from nous.features.status.operations import size

Samples = Iterable[tuple[Mapping[str, str], float]]


def family(name: str, kind: str, says: str, samples: Samples | float) -> Iterator[str]:
    """One metric with its help, its type and its values, or its only value."""
    yield f"# HELP {name} {says}"
    yield f"# TYPE {name} {kind}"
    for labels, value in [({}, samples)] if isinstance(samples, int | float) else samples:
        inside = ",".join(f'{key}="{_escape(text)}"' for key, text in labels.items())
        yield f"{name}{'{' + inside + '}' if inside else ''} {value:.15g}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def of_memory(nous: Nous) -> Iterator[str]:
    """What the database tells."""
    stores, totals = nous.stores, Counter[tuple[str, str]]()
    for row in stores.memories.counts():
        totals[row["type"], row["status"]] += row["memories"]
    memories = [({"type": kind, "status": status}, value) for (kind, status), value in sorted(totals.items())]
    queue = [({"state": state}, items) for state, items in sorted(stores.queue.counts().items())]
    last, kept = stores.events.last_id(), stores.transcripts.size()
    yield from family("nous_memories", "gauge", "Memories by type and status.", memories)
    yield from family("nous_events_total", "counter", "Events in the log.", last)
    behind = last - stores.memories.checkpoint("memories")
    yield from family("nous_events_behind", "gauge", "Events not projected yet.", behind)
    yield from family("nous_queue_items", "gauge", "Queue items by state.", queue)
    yield from family("nous_quarantined_lines", "gauge", "Unreadable lines.", stores.records.quarantine_count())
    yield from family("nous_sessions_kept", "gauge", "Sessions with a stored transcript.", kept["sessions"])
    yield from family("nous_transcript_bytes", "gauge", "Bytes of stored transcripts.", kept["bytes"])
    yield from family("nous_database_bytes", "gauge", "Bytes of the database.", size(nous.settings.db_path))
    for name, says, column, unit in _HOOKS:
        rows = [({"hook": row["hook"]}, row[column] / unit) for row in stores.browse.list_answered()]
        yield from family(name, "counter", says, rows)


_HOOKS = (
    ("nous_hook_answers_total", "Hook answers that put something in front of the model.", "answers", 1),
    ("nous_hook_seconds_total", "Time those answers took.", "ms", 1000),
    ("nous_memories_shown_total", "Memories in them.", "memories", 1),
    ("nous_memories_cited_total", "Memories of them that the model cited.", "cited", 1),
)
_PROCESS = (
    ("process_resident_memory_bytes", "gauge", "Resident memory.", "rss_bytes"),
    ("process_cpu_seconds_total", "counter", "CPU time.", "cpu_seconds"),
    ("nous_learned_total", "counter", "Memories learned since the start.", "learned"),
    ("nous_engine_up", "gauge", "Whether the learning thread runs.", "engine"),
)


def of_process(told: Mapping[str, Any], began: float) -> Iterator[str]:
    """What the process tells."""
    yield from family("nous_info", "gauge", "The running version.", [({"version": __version__}, 1)])
    yield from family("nous_up_seconds", "gauge", "Seconds since the start.", round(time.time() - began, 1))
    daemon = told.get("daemon", {})
    if "rss_bytes" in daemon:
        for name, kind, says, key in _PROCESS:
            yield from family(name, kind, says, float(daemon[key]))
    faults = [({"part": one["part"]}, one["times"]) for one in told.get("faults", ())]
    yield from family("nous_faults", "gauge", "Failures of the last days by part.", faults)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    yield from family("nous_machine_load1", "gauge", "Load of the machine.", round(load, 2))


def of_requests(counts: Mapping[tuple[str, str, int], int], seconds: Mapping[tuple[str, str], float]) -> Iterator[str]:
    """How requests were answered."""
    requests = [({"method": m, "route": r, "status": str(s)}, n) for (m, r, s), n in sorted(counts.items())]
    took = [({"method": m, "route": r}, round(spent, 6)) for (m, r), spent in sorted(seconds.items())]
    yield from family("nous_http_requests_total", "counter", "Requests by route and status.", requests)
    yield from family("nous_http_seconds_total", "counter", "Time they took.", took)
