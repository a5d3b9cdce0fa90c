"""The stores of every engine: the suites run unchanged on each. On a server every test is a tenant of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from bench.postgres import APP, PostgresServer

from nous.kernel.stores import Stores, open_stores


@pytest.fixture(params=("postgres", "sqlite"))
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database, of each engine."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'cortex.db'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.url("nous", APP, tenant=uuid4().hex)


@pytest.fixture
def open_again(url: str) -> Iterator[Callable[[], Stores]]:
    """Opens the same database once more, as another process would."""
    made: list[Stores] = []

    def again() -> Stores:
        made.append(open_stores(url))
        return made[-1]

    yield again
    for stores in made:
        stores.close()


@pytest.fixture
def stores(open_again: Callable[[], Stores]) -> Stores:
    """Empty stores."""
    return open_again()
