"""Named things over many memories: resolving a name, and an entity's page."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.machine import promises
from bench.material import WORDS
from nous.features.entities.profiles import profile
from nous.kernel.log.events import Event, Extracted
from nous.kernel.log.extraction import Triple
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores, open_stores
from nous.moments import later

NOW = "2026-11-10T12:00:00.000Z"
SIZE, FULL_SIZE = 5_000, 100_000
NAMED = 3  # names in one memory
ASKED = 2_000
PAGES = 200


class Watch:
    """How long something takes: on the clock, and of the processor's time, which a busy machine does not stretch."""

    def __init__(self) -> None:
        self.begun = time.perf_counter(), time.process_time()

    def seconds(self) -> tuple[float, float]:
        """Both, so far."""
        return time.perf_counter() - self.begun[0], time.process_time() - self.begun[1]


def run(full: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Milliseconds a name and a page."""
    size = FULL_SIZE if full else SIZE
    with tempfile.TemporaryDirectory() as folder:
        stores = open_stores(str(Path(folder) / "cortex.db"))
        say(f"filling {size} memories with {size // 2} names")
        begun = time.perf_counter()
        _fill(stores, size)
        filled = time.perf_counter() - begun
        say("resolving")
        found = {"memories": size, "entities": size // 2, "fill_s": round(filled, 1)} | _names(stores, size)
        stores.close()
    limits = (
        ("milliseconds of CPU to resolve a mention", "at most", 0.2, found["resolve_cpu_ms"]),
        ("milliseconds of CPU for an entity page", "at most", 50.0, found["page_p95_cpu_ms"]),
    )
    return found | {"targets": promises(limits)}


def _name(number: int) -> str:
    word = WORDS[number % len(WORDS)]
    return f"{word.capitalize()}-{number} service" if number % 3 else f"src/{word}/{word}_{number}.py"


def _born(chance: random.Random, number: int, names: int) -> Event:
    chosen = [_name(min(int(chance.expovariate(4 / names)), names - 1)) for _ in range(NAMED)]
    said = Extracted(
        content=f"The {chosen[0]} needs {chosen[1]} and {chosen[2]} to {' '.join(chance.choices(WORDS, k=5))}",
        extractor_version="bench-1",
        type="fact",
        concepts=tuple(chance.sample(WORDS, 4)),
        edges=(),
        entities=tuple(chosen),
        relations=(Triple(chosen[0], "depends_on", chosen[1]),) if chosen[0] != chosen[1] else (),
    )
    return Event(
        learning_id=f"l{number}",
        event_type="LearningExtracted",
        idempotency_key=f"l{number}",
        payload=said,
        session_id=f"s{number % 200}",
        project_id="p",
        source="fs_watch",
        valid_from=later(NOW, -chance.uniform(0, 1e7)),
    )


def _fill(stores: Stores, size: int, first: int = 0) -> None:
    chance = random.Random(7 + first)
    names = max(10, (first or size) // 2)
    for start in range(first, first + size, 5000):
        with stores.db.transaction():
            numbers = range(start, min(first + size, start + 5000))
            stores.events.append([_born(chance, number, names) for number in numbers], NOW)
            catch_up(stores, NOW)


def _names(stores: Stores, size: int) -> dict[str, Any]:
    chance = random.Random(3)
    asked = [_name(chance.randrange(size // 2)) for _ in range(ASKED)]
    watch = Watch()
    known = [stores.entities.resolve("p", name) for name in asked]
    resolve = [seconds / len(asked) * 1000 for seconds in watch.seconds()]
    pages = []
    for entity in [entity for entity in known if entity][:PAGES]:
        watch = Watch()
        profile(stores, entity, "p", NOW)
        pages.append([seconds * 1000 for seconds in watch.seconds()])
    wall, cpu = (sorted(column) for column in zip(*pages, strict=True))
    often = stores.entities.resolve("p", _name(0))
    watch = Watch()
    busiest = profile(stores, often, "p", NOW).entity.mentions if often else 0
    return {
        "resolve_ms": round(resolve[0], 4),
        "resolve_cpu_ms": round(resolve[1], 4),
        "page_p50_ms": round(wall[len(wall) // 2], 2),
        "page_p95_ms": round(wall[int(len(wall) * 0.95)], 2),
        "page_p95_cpu_ms": round(cpu[int(len(cpu) * 0.95)], 2),
        "busiest_mentions": busiest,
        "busiest_page_ms": round(watch.seconds()[0] * 1000, 2),
    }


def table(found: dict[str, Any]) -> list[str]:
    """Rows for a person."""
    page = (
        f"a page takes {found['page_p50_ms']} ms (95 %: {found['page_p95_ms']} ms, {found['page_p95_cpu_ms']} of CPU)"
    )
    busiest = f"the busiest, named in {found['busiest_mentions']} memories, {found['busiest_page_ms']} ms"
    return [
        f"{found['memories']} memories, {found['entities']} names, filled in {found['fill_s']} s",
        f"a name is resolved in {found['resolve_ms']} ms ({found['resolve_cpu_ms']} ms of CPU)",
        f"{page}; {busiest}",
    ]
