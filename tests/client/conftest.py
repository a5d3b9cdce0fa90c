"""Fixtures: the client once per run, a world for each test that asks for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from . import runner
from .runner import World


@pytest.fixture(scope="session")
def executable() -> Path:
    """The client, or the reason why these tests cannot run here."""
    try:
        return runner.client()
    except runner.NoClient as reason:
        pytest.skip(f"no Claude Code client: {reason}")


@pytest.fixture(scope="module")
def new_world(executable: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], World]]:
    """A maker of worlds. None of their processes outlives the module."""
    worlds: list[World] = []

    def make() -> World:
        # Resolved: the client names projects by their real path, and macOS keeps its temporary files behind a link.
        worlds.append(World(tmp_path_factory.mktemp("world").resolve() / "w", executable))
        return worlds[-1]

    yield make
    assert [process for world in worlds for process in world.close()] == []


@pytest.fixture
def world(new_world: Callable[[], World]) -> World:
    """A world in which nothing is installed."""
    return new_world()
