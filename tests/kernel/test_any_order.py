"""Sessions may be learned in any order: what is believed at the end is the same."""

from __future__ import annotations

from itertools import pairwise, permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories import NOW, sized
from kernel.test_capture import lines, record
from nous.kernel.capture.intake import take_in
from nous.kernel.learn.learn import learn_all
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import compare_with_replay
from nous.kernel.stores import open_stores


def believed(history: list[tuple[int, str]], order: tuple[int, ...]) -> tuple[set[str], set[str]]:
    """What is active and what is superseded after sessions of some days were learned in an order."""
    stores = open_stores(":memory:")
    with TemporaryDirectory() as folder:
        for at in order:
            day, words = history[at]
            said = record(words, sessionId=f"s{at}", uuid=f"u{at}", timestamp=f"2026-10-{day:02}T10:00:00.000Z")
            file = Path(folder) / f"s{at}.jsonl"
            file.write_bytes(lines(said))
            take_in(stores, str(file), "historical_backfill", lambda: NOW)
            assert learn_all(stores, "w", lambda: NOW).failed == 0
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []
    active = {_plain(memory) for memory in stores.memories.listing(None)}
    gone = {_plain(memory) for memory in stores.memories.listing(None, status="superseded")} - active
    stores.close()
    return active, gone


def _plain(memory: Memory) -> str:
    """What it says; of two wordings that are one memory, the first to arrive stays."""
    return memory.content.replace(" now.", ".")


HISTORIES = [
    [
        "Remember: for the job queue we go with RabbitMQ.",
        "Remember: we drop RabbitMQ and use SQS for the job queue instead.",
    ],
    ["For the cache we use memcached.", "We use redis for the cache now, not memcached."],
    ["The dev server runs on port 3000.", "The dev server runs on port 4000 now."],
    [
        "For the cache we use memcached.",
        "We use redis for the cache now, not memcached.",
        "We use valkey for the cache now, not redis.",
    ],
    [
        "The dev server runs on port 3000.",
        "The dev server runs on port 4000 now.",
        "The dev server runs on port 3000 now.",
    ],
    [f"Remember: the default branch is {name}." for name in ("master", "trunk now", "main now")],
    ["We use npm here.", "We use pnpm, not npm.", "We use pnpm, not npm."],
    ["We use npm here.", "We use pnpm, not npm.", "We use npm here."],
    ["Tests run with `make test`.", "From now on run the tests with `just test`.", "Tests run with `make test`."],
    ["Always run the linter before pushing.", "Never push without a ticket number.", "The api runs on port 9000."],
]


@pytest.mark.parametrize("said", HISTORIES, ids=lambda said: said[-1])
def test_the_order_of_learning_does_not_matter(said: list[str]) -> None:
    history = list(enumerate(said, 1))
    found = {order: believed(history, order) for order in permutations(range(len(history)))}
    first = found[tuple(range(len(history)))]
    assert first[0], "something was learned"
    assert all(active == first[0] for active, _ in found.values()), found


def test_what_arrives_late_is_superseded_at_once_by_what_replaced_it() -> None:
    active, gone = believed([(1, HISTORIES[0][0]), (2, HISTORIES[0][1])], (1, 0))
    assert [one for one in active if "SQS" in one] and not [one for one in active if "go with RabbitMQ" in one]
    assert [one for one in gone if "go with RabbitMQ" in one]


TOPICS = [
    ("the cache", ["memcached", "redis", "valkey"]),
    ("the job queue", ["RabbitMQ", "SQS", "NATS"]),
    ("full-text search", ["Solr", "Meilisearch", "Typesense"]),
]
CHANGES = [
    "Remember: we use {new} for {topic} now, not {old}.",
    "Remember: we drop {old} and use {new} for {topic} instead.",
]


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[int, str]]:
    """Two or three sessions about one choice, each of which may change the one before."""
    topic, values = draw(st.sampled_from(TOPICS))
    chosen = draw(st.permutations(values))[: draw(st.integers(2, 3))]
    said = [f"Remember: for {topic} we use {chosen[0]}."]
    for old, new in pairwise(chosen):
        said.append(draw(st.sampled_from(CHANGES)).format(topic=topic, old=old, new=new))
    return list(enumerate(said, 1))


@settings(max_examples=sized(10, 25))
@given(histories(), st.data())
def test_choices_that_change_end_with_the_last_one(history: list[tuple[int, str]], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(history))))
    in_order, _ = believed(history, tuple(range(len(history))))
    assert believed(history, tuple(order))[0] == in_order
    assert len(in_order) == 1
