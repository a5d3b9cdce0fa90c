"""The stores of every engine. A second engine joins by one more entry in `ENGINES` and passes the suites unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nous.stores import Stores, open_stores

Open = Callable[[Path], Stores]
ENGINES: dict[str, Open] = {"sqlite": lambda folder: open_stores(str(folder / "cortex.db"))}


@pytest.fixture(params=sorted(ENGINES))
def open_again(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Stores]]:
    """Opens the same database once more, as another process would."""
    made: list[Stores] = []

    def again() -> Stores:
        made.append(ENGINES[request.param](tmp_path))
        return made[-1]

    yield again
    for stores in made:
        stores.close()


@pytest.fixture
def stores(open_again: Callable[[], Stores]) -> Stores:
    """Empty stores."""
    return open_again()
