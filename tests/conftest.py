"""Fixtures that every test may use."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from bench.postgres import PostgresServer, running
from hypothesis import HealthCheck, settings

from factories import THOROUGH, Home, sized
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.speaker import AGENT_VARIABLES
from nous.kernel.stores import Stores, open_stores
from nous.shells.daemon.control import holder

# Machines are busy and slow in turns: how long an example takes says nothing. A run repeats the one before; only
# `make thorough` looks for new examples.
settings.register_profile(
    "nous",
    deadline=None,
    max_examples=sized(25, 200),
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not THOROUGH,
)
settings.load_profile("nous")

# Tests speak as a person, also when an agent runs them: the look for one among the ancestors ends at pytest by itself.
for _mark in AGENT_VARIABLES:
    os.environ.pop(_mark, None)

SLOW = frozenset((Path(__file__).parent / "slow.txt").read_text(encoding="utf-8").split())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cpu", metavar="FILE", help="write the CPU seconds of every test, its processes included")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long stands in `slow.txt`, measured and not guessed; `make quick` leaves it out."""
    for item in items:
        if item.nodeid.partition("[")[0] in SLOW:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    before = os.times()
    try:
        return (yield)
    finally:
        if path := item.config.getoption("--cpu"):
            took = sum(os.times()[:4]) - sum(before[:4])
            with open(path, "a", encoding="utf-8") as file:
                file.write(f"{took:.2f}\t{item.nodeid}\n")


@pytest.fixture(scope="session")
def migrated() -> bytes:
    """A new database with every migration: to run them all takes ten times as long as to copy what they make."""
    opened = open_stores(":memory:")
    assert isinstance(opened.db, Sqlite)
    made = opened.db.connection.serialize("main")
    opened.close()
    return made


@pytest.fixture
def stores(migrated: bytes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stores]:
    """Empty stores that vanish."""
    with monkeypatch.context() as patched:
        patched.setattr(Sqlite, "_migrate", lambda db, readonly: db.connection.deserialize("main", migrated))
        opened = open_stores(":memory:")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real server with the schema of Nous in its database `nous`; every test there is a tenant of its own."""
    with running() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A fresh home; a daemon that a test left behind is stopped."""
    made = Home(tmp_path)
    yield made
    if holder(str(made.data)) is not None:
        made.nous("down")
