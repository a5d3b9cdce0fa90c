"""Fixtures that every test may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from factories import Home
from nous.stores import Stores, open_stores

# Machines are busy and slow in turns: how long an example takes says nothing. Continuous integration repeats itself.
settings.register_profile(
    "nous", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("nous")


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
