"""Maintenance over growing memories: the first run, the second, which finds nothing new, and a day later."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable
from typing import Any

from bench.material import TYPES, WORDS
from nous.app import Nous
from nous.config import load_settings
from nous.kernel.log.events import Event, Extracted
from nous.kernel.memory.decay import DAY
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores, open_stores
from nous.moments import later

NOW = "2026-11-10T12:00:00.000Z"
SIZES, FULL_SIZES = (1_000, 10_000), (10_000, 100_000)
STEPS = ("archive", "packets", "integrity")


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> str:
        return self.now


def run(full: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Times of one run after another, in seconds, by size. Vectors and verdicts have benchmarks of their own."""
    found = []
    for size in FULL_SIZES if full else SIZES:
        say(f"maintaining {size} memories")
        with tempfile.TemporaryDirectory() as folder:
            found.append(_measure(folder, size))
    return {"sizes": found}


def _measure(folder: str, size: int) -> dict[str, Any]:
    clock = Clock()
    settings = load_settings(
        {"NOUS_DATA_DIR": folder, "HOME": folder, "NOUS_EMBEDDER": "none", "NOUS_ENTAILMENT": "none"}
    )
    stores = open_stores(os.path.join(folder, "cortex.db"))
    fill(stores, size)
    nous = Nous(stores, settings, clock)
    row: dict[str, Any] = {"memories": size}
    for name, days in (("first", 0.0), ("second", 0.0), ("third", 0.0), ("next_day", 1.0)):
        clock.now = later(clock.now, days * DAY)
        begun = time.perf_counter()
        report = nous.maintain()
        row[name] = {
            "seconds": round(time.perf_counter() - begun, 3),
            "events": report.events,
            "steps": {done.step: round(done.seconds, 3) for done in report.steps},
            "said": {done.step: done.said for done in report.steps},
        }
    stores.close()
    return row


def fill(stores: Stores, size: int) -> None:
    """Memories of 200 sessions in ten projects, up to 400 days old."""
    chance = random.Random(7)
    for start in range(0, size, 5000):
        events = [_born(chance, number) for number in range(start, min(size, start + 5000))]
        stores.events.append(events, later(NOW, -30 * DAY))
    catch_up(stores, NOW)
    for number in range(10):
        stores.cache.see_project(f"p{number}", "", None, NOW)


def _born(chance: random.Random, number: int) -> Event:
    words = [f"{word}{chance.randrange(2000)}" for word in chance.choices(WORDS, k=10)]  # as many as a real vocabulary
    said = Extracted(
        content=f"The {words[2]} of {words[3]} needs {' '.join(words[4:])}",
        extractor_version="bench-1",
        type=chance.choice((*TYPES, "progress")),
        concepts=tuple(words[:4]),
        edges=(),
        confidence=0.8,
    )
    session = f"s{number % 200}"
    return Event(
        learning_id=f"l{number}",
        event_type="LearningExtracted",
        idempotency_key=f"l{number}",
        payload=said,
        session_id=session,
        project_id=f"p{number % 10}",
        source="fs_watch",
        valid_from=later(NOW, -chance.uniform(20, 400) * DAY),
        clock={session: number // 200 + 1},
    )


def table(found: dict[str, Any]) -> list[str]:
    """Rows for a person, with how time grows from one size to the next."""
    lines = [f"{'memories':>9} {'first':>8} {'second':>8} {'third':>8} {'day later':>9} {'events':>7}  first run"]
    for row in found["sizes"]:
        first = row["first"]
        steps = ", ".join(f"{name} {first['steps'][name]:.2f}" for name in STEPS)
        times = f"{first['seconds']:>8.2f} {row['second']['seconds']:>8.2f} {row['third']['seconds']:>8.3f}"
        lines.append(f"{row['memories']:>9} {times} {row['next_day']['seconds']:>9.2f} {first['events']:>7}  {steps}")
    small, large = found["sizes"][0], found["sizes"][-1]
    times_more = large["memories"] / small["memories"]
    growth = large["first"]["seconds"] / max(small["first"]["seconds"], 0.001)
    lines.append(f"{times_more:.0f} times the memories take {growth:.1f} times as long")
    return lines
