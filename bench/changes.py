"""What becomes of a known fact when somebody says later that it changed: does the old one end, and only then?

python -m bench.changes [FILE] [--odd | --even] [--show]

Every line of FILE is a pair: `old` is said in one session, `new` in a later one; `ends` says whether the old one is
over then. `old_marks` and `new_marks` are patterns by which a memory of either is known.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec

from nous.kernel.capture.intake import take_in
from nous.kernel.learn.learn import learn_all
from nous.kernel.learn.reconcile import reconcile
from nous.kernel.memory.memory import Memory
from nous.kernel.stores import open_stores

NOW = "2026-11-01T00:00:00.000Z"
CORPUS = Path(__file__).parent / "corpus" / "changes.jsonl"
REPLIES = ("Got it.", "Okay, noted.", "Understood.", "Will do.")


class Pair(msgspec.Struct, frozen=True):
    """Something said, something said later, and whether the first is over then."""

    id: str
    old: str
    new: str
    ends: bool
    old_marks: tuple[str, ...]
    new_marks: tuple[str, ...]


class Found(NamedTuple):
    """What became of a pair: what was known after the first session, what is active and what has ended."""

    pair: Pair
    known: Sequence[Memory]
    active: Sequence[Memory]
    ended: Sequence[Memory]

    @property
    def outcome(self) -> str:
        """The one word for it: right, stale, ended, or which side was not learned."""
        if not any(_has(one, self.pair.old_marks) for one in self.known):
            return "old not learned"
        stays = [one for one in self.active if _has(one, self.pair.old_marks) and not _has(one, self.pair.new_marks)]
        if self.pair.ends:
            return "stale" if stays else "right" if self.is_learned else "new not learned"
        return "right" if stays else "wrongly ended"

    @property
    def is_learned(self) -> bool:
        """Whether the new one is known and holds."""
        return any(_has(one, self.pair.new_marks) for one in self.active)


def _has(memory: Memory, marks: Sequence[str]) -> bool:
    return any(re.search(mark, memory.content, re.I) for mark in marks)


def play(pair: Pair) -> Found:
    """Learn both sessions of a pair as they would be captured, and let reconciliation look at the result."""
    stores = open_stores(":memory:")
    with TemporaryDirectory() as folder:
        told = []
        for day, words in ((1, pair.old), (20, pair.new)):
            file = Path(folder) / f"s{day}.jsonl"
            file.write_bytes(_session(f"s{day}", day, words))
            take_in(stores, str(file), "historical_backfill", lambda: NOW)
            learn_all(stores, "w", lambda: NOW)
            told.append(stores.memories.listing(None))
        reconcile(stores, lambda: NOW)
        active, ended = stores.memories.listing(None), stores.memories.listing(None, status="superseded")
    stores.close()
    return Found(pair, told[0], active, ended)


def _session(name: str, day: int, words: str) -> bytes:
    said = [("user", words), ("assistant", REPLIES[len(words) % 4]), ("user", "thanks"), ("assistant", "Anytime.")]
    records = [_record(name, day, at, role, text) for at, (role, text) in enumerate(said)]
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


def _record(name: str, day: int, at: int, role: str, text: str) -> dict[str, Any]:
    content: Any = text if role == "user" else [{"type": "text", "text": text}]
    return {
        "type": role,
        "uuid": f"{name}-{at}",
        "parentUuid": f"{name}-{at - 1}" if at else None,
        "isSidechain": False,
        "sessionId": name,
        "timestamp": f"2026-10-{day:02}T10:{at:02}:00.000Z",
        "cwd": "/nowhere/app",
        "gitBranch": "main",
        "version": "2.1.325",
        "message": {"role": role, "content": content},
    }


def main() -> None:
    """Play the pairs and print what became of them."""
    asked = argparse.ArgumentParser(prog="bench.changes", description=__doc__)
    asked.add_argument("file", type=Path, nargs="?", default=CORPUS, help="JSON lines of pairs (the bundled ones)")
    half = asked.add_mutually_exclusive_group()
    half.add_argument("--odd", action="store_true", help="only the pairs to develop with")
    half.add_argument("--even", action="store_true", help="only the pairs to measure with: counts, never a text")
    asked.add_argument("--show", action="store_true", help="print every pair that did not go right")
    given = asked.parse_args()
    pairs = [msgspec.json.decode(line, type=Pair) for line in given.file.read_bytes().splitlines() if line.strip()]
    chosen = pairs[0::2] if given.odd else pairs[1::2] if given.even else pairs
    found = [play(pair) for pair in chosen]
    for ends in (True, False):
        counts = Counter(one.outcome for one in found if one.pair.ends == ends)
        print("the old ends:  " if ends else "the old stays: ", dict(counts.most_common()))
    print("new learned:   ", sum(one.is_learned for one in found), "of", len(found))
    for one in found if given.show and not given.even else ():
        if one.outcome != "right":
            print(f"\n{one.pair.id} {one.outcome}\n  old {one.pair.old}\n  new {one.pair.new}")
            for name, memories in (("+", one.active), ("-", one.ended)):
                print(
                    *(
                        f"  {name} {memory.type:12} {memory.slot} {memory.replaces!r} {memory.content}"
                        for memory in memories
                    ),
                    sep="\n",
                )


if __name__ == "__main__":
    main()
