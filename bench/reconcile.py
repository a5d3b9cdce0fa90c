"""Reconciliation: time and pairs judged as memories grow, and what contradictions cost when a packet is made.

Every session is an island here, the worst case: nearly all memories of a project may contradict each other. One fact in
twenty is said differently by another session.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from msgspec.structs import replace

from nous.kernel.learn.reconcile import reconcile
from nous.kernel.log.events import Event, Extracted
from nous.kernel.memory.projection import catch_up
from nous.kernel.recall.worth import entries
from nous.kernel.stores import Stores, open_stores

NOW = "2026-11-01T00:00:00.000Z"
SIZES = (1_000, 10_000)
FULL = (1_000, 10_000, 100_000)
PROJECTS = 5
PER_SESSION = 20
FAST_MS = 2.0
FOUND = 0.9
GROWTH = 1.6  # seconds per memory at the largest size over those at the smallest; a quadratic one gives 10 and more
_PARTS = """
    worker socket cache index migration queue parser token session release package builder fixture proxy router handler
    cursor batch vector cluster replica shard backup snapshot checkpoint config flag metric importer exporter scheduler
"""
PARTS = _PARTS.split()
SAID: tuple[tuple[str, tuple[str, str]], ...] = (
    ("The {name} {part} listens on port {{}}.", ("4100", "4200")),
    ("The {name} {part} is started with `{{}}`.", ("make run", "npm start")),
    ("The {name} {part} keeps its state in {{}}.", ("Redis", "memcached")),
    ("The {name} {part} needs {{}} GB of memory.", ("2", "8")),
    ("The {name} {part} is {{}} by default.", ("enabled", "disabled")),
    ("The {name} {part} writes to data/{{}}.", ("out/a.log", "logs/b.log")),
)
Say = Callable[[str], None]


class Fact(NamedTuple):
    """Something a session says; `frame` is the sentence without its value."""

    number: int
    project: str
    frame: str
    content: str

    @property
    def session(self) -> str:
        return f"s{self.number // PER_SESSION}"


def facts(count: int, seed: int = 5) -> Iterator[Fact]:
    """So many facts of sessions that know nothing of each other; one in twenty contradicts an earlier one."""
    chance = random.Random(seed)
    said: list[tuple[str, str, str]] = []
    for number in range(count):
        if said and chance.random() < 0.05:
            project, frame, other = said[chance.randrange(len(said))]
            yield Fact(number, project, frame, frame.format(other))
            continue
        pattern, values = SAID[chance.randrange(len(SAID))]
        project, frame = f"p{number % PROJECTS}", pattern.format(name=f"unit{number // 7}", part=chance.choice(PARTS))
        said.append((project, frame, values[1]))
        yield Fact(number, project, frame, frame.format(values[0]))


def planted(made: Sequence[Fact]) -> int:
    """How many pairs of sessions contradict each other."""
    under: dict[tuple[str, str], list[Fact]] = {}
    for fact in made:
        under.setdefault((fact.project, fact.frame), []).append(fact)
    pairs = (pair for same in under.values() for pair in combinations(same, 2))
    return sum(one.content != other.content and one.session != other.session for one, other in pairs)


def _event(fact: Fact) -> Event:
    words = tuple(word.strip("`.").lower() for word in fact.content.split() if len(word) > 3)[:8]
    return Event(
        learning_id=f"l{fact.number}",
        event_type="LearningExtracted",
        idempotency_key=f"k{fact.number}",
        payload=Extracted(content=fact.content, extractor_version="bench", type="fact", concepts=words, edges=()),
        session_id=fact.session,
        project_id=fact.project,
        source="fs_watch",
        valid_from=NOW,
        clock={fact.session: 1 + fact.number % PER_SESSION},
    )


def run(full: bool, say: Say) -> dict[str, Any]:
    """Measurements at 1k and 10k memories, and at 100k when asked."""
    rows = []
    for size in FULL if full else SIZES:
        say(f"{size} memories")
        with tempfile.TemporaryDirectory(prefix="nous-bench-") as folder:
            stores = open_stores(f"{folder}/nous.db")
            rows.append(measure(stores, size))
            stores.close()
    return {"sizes": rows, "targets": targets(rows)}


def measure(stores: Stores, size: int) -> dict[str, Any]:
    """A first run over everything, a run when nothing changed, one new memory, and the cost in packets."""
    made = list(facts(size))
    stores.events.append([_event(fact) for fact in made], NOW)
    catch_up(stores, NOW)
    first, found = _timed(lambda: reconcile(stores, lambda: NOW))
    settling, _ = _timed(lambda: reconcile(stores, lambda: NOW))
    again, _ = _timed(lambda: reconcile(stores, lambda: NOW))
    late = Fact(size + PER_SESSION, "p0", "", "The unit1 worker listens on port 9999.")
    stores.events.append([_event(late)], NOW)
    one, _ = _timed(lambda: reconcile(stores, lambda: NOW))
    return {
        "memories": size,
        "seconds": round(first, 2),
        "ms_per_memory": round(first / size * 1000, 3),
        "pairs": found.pairs,
        "judged": found.judged,
        "planted": planted(made),
        "contradicted": found.contradicted,
        "settling_seconds": round(settling, 3),
        "nothing_changed_ms": round(again * 1000, 2),
        "one_new_ms": round(one * 1000, 2),
        "fast_path_ms": _fast_path(stores),
    }


def _fast_path(stores: Stores) -> float:
    """What contradictions among its memories add to making a packet: the difference of the best of several rounds."""
    memories = stores.memories.visible("p0", 10_000)
    plain = [replace(memory, contradicted_with=()) for memory in memories]
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(15):
        for pool, times in zip((memories, plain), taken, strict=True):
            times.append(_timed(lambda pool=pool: entries(pool, NOW, ""))[0])  # type: ignore[misc]
    return round((min(taken[0]) - min(taken[1])) * 1000, 3)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of processor time, which a busy machine disturbs least, and what came out."""
    begun = time.process_time()
    found = work()
    return time.process_time() - begun, found


def targets(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Whether the fast path is fast and the full path no worse than it has to be."""
    fast = next(row["fast_path_ms"] for row in rows if row["memories"] == SIZES[-1])
    least = min(row["contradicted"] / row["planted"] for row in rows)
    growth = rows[-1]["ms_per_memory"] / rows[0]["ms_per_memory"]
    checked = (
        (f"at {SIZES[-1]} memories a packet takes at most {FAST_MS} ms longer", fast, fast <= FAST_MS),
        (f"{FOUND:.0%} as many contradictions as were planted", least, least >= FOUND),
        (f"time per memory grows at most {GROWTH} times", growth, growth <= GROWTH),
    )
    return [{"target": text, "found": round(number, 3), "kept": kept} for text, number, kept in checked]


def table(found: dict[str, Any]) -> Iterator[str]:
    """The growth table and the targets, for a person."""
    names = ("memories", "seconds", "ms_per_memory", "pairs", "judged", "planted", "contradicted")
    more = ("settling_seconds", "nothing_changed_ms", "one_new_ms", "fast_path_ms")
    yield "  ".join(f"{name:>18}" for name in (*names, *more))
    for row in found["sizes"]:
        yield "  ".join(f"{row[name]:>18}" for name in (*names, *more))
    for target in found["targets"]:
        yield f"{'ok  ' if target['kept'] else 'MISS'} {target['target']}: {target['found']}"
