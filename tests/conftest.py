"""Fixtures that every test may use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from factories import Home
from nous.stores import Stores, open_stores


@pytest.fixture
def stores() -> Iterator[Stores]:
    """Empty stores that vanish."""
    opened = open_stores(":memory:")
    yield opened
    opened.close()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A fresh home; a daemon that a test left behind is stopped."""
    made = Home(tmp_path)
    yield made
    made.nous("down")
