"""How long one new rule takes to be compared with what is known, in a small and in a large project.

python -m bench.comparing [--small N] [--large N] [--json OUT]

Memories go into the log and the read models as in use. Then new rules, some of which change a known one, are taken up
one by one; what is measured is the CPU time of each, the median of them. The promise: 100,000 memories take at most
three times as long as 1,000.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nous.kernel.learn.introduce import Origin
from nous.kernel.learn.learn import take_up
from nous.kernel.log.events import Event, Extracted
from nous.kernel.log.extraction import STANDING, Learning
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores, open_stores

NOW, PROJECT = "2026-11-10T12:00:00.000Z", "p"
PROMISED = 3.0
RULES = 40  # that are compared
AT_ONCE = 2_000
THINGS = [
    "handler",
    "parser",
    "exporter",
    "importer",
    "worker",
    "scheduler",
    "renderer",
    "tokenizer",
    "resolver",
    "adapter",
    "gateway",
    "ledger",
]
PARTS = [
    "name",
    "prefix",
    "timeout",
    "retry",
    "buffer",
    "header",
    "index",
    "schema",
    "token",
    "batch",
    "window",
    "offset",
]
PLACES = [
    "billing",
    "search",
    "upload",
    "report",
    "session",
    "invoice",
    "webhook",
    "catalog",
    "profile",
    "archive",
    "mailer",
    "billing",
]


def sentences(count: int, seed: int) -> Iterator[str]:
    """So many different rules."""
    chosen = random.Random(seed)
    for number in range(count):
        thing, part, place = chosen.choice(THINGS), chosen.choice(PARTS), chosen.choice(PLACES)
        yield f"The {part} of {thing} {number % 997} in {place} is always '{part[:2]}{number}'."


def fill(stores: Stores, count: int) -> None:
    """A project with so many memories."""
    rows = list(sentences(count, 1))
    for start in range(0, count, AT_ONCE):
        events = [_born(start + at, text) for at, text in enumerate(rows[start : start + AT_ONCE])]
        stores.events.append(events, NOW)
    catch_up(stores, NOW)


def _born(number: int, text: str) -> Event:
    payload = Extracted(
        content=text, extractor_version="rules-8", type="requirement", evidence=(f"e{number}",),
        concepts=tuple(text.split()[1:7:2]), edges=(), confidence=0.9, scope="project", tags=(STANDING,),
        temporal_confidence="high",
    )  # fmt: skip
    return Event(
        learning_id=f"known-{number}", event_type="LearningExtracted", idempotency_key=f"known-{number}",
        payload=payload, session_id="s", project_id=PROJECT, source="fs_watch", valid_from=NOW,
    )  # fmt: skip


def median_ms(count: int) -> float:
    """The median CPU milliseconds of one comparison in a project of so many memories."""
    with TemporaryDirectory() as folder:
        stores = open_stores(str(Path(folder) / "nous.db"))
        fill(stores, count)
        took = [_compared(stores, number, text) for number, text in enumerate(sentences(RULES, 2))]
        stores.close()
    return round(statistics.median(took), 2)


def _compared(stores: Stores, number: int, text: str) -> float:
    learning = Learning(
        content=text, type="requirement", evidence=(f"n{number}",), tags=(STANDING,), temporal_confidence="high"
    )
    origin = Origin(PROJECT, f"new-{number}", "fs_watch", "2026-11-11T00:00:00.000Z", "rules-8", by_user=True)
    begun = time.process_time()
    with stores.db.transaction():
        take_up(stores, learning, origin, f"new-{number}", NOW)
    return (time.process_time() - begun) * 1000


def run(small: int, large: int) -> dict[str, Any]:
    """Both sizes, and their ratio."""
    found = {size: median_ms(size) for size in (small, large)}
    ratio = round(found[large] / found[small], 2)
    return {"ms": found, "ratio": ratio, "promised": PROMISED, "kept": ratio <= PROMISED}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=int, default=1_000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    found = run(args.small, args.large)
    print(found)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
