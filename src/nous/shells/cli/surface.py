"""`nous admin surface`: the brief as a rules file in a project."""

from __future__ import annotations

from collections.abc import Iterator

import click

from nous.features.brief import surface as files
from nous.shells.cli.common import CommandScope, common, emit, open_memory


@click.group()
def surface() -> None:
    """Write the brief to a rules file in a project."""


@surface.command()
@common
def on(scope: CommandScope) -> None:
    """Write the brief to .claude/rules/nous.local.md and keep it up to date. Git ignores the file."""
    with open_memory() as nous:
        state = nous.work.surface_on(nous.project(scope.project))
    emit(scope, state, lambda: _lines(state))


@surface.command()
@common
def off(scope: CommandScope) -> None:
    """Remove the brief from the file; your own text stays."""
    with open_memory() as nous:
        state = files.switch_off(nous.project(scope.project))
    emit(scope, state, lambda: _lines(state))


@surface.command()
@common
def status(scope: CommandScope) -> None:
    """Show whether this project has the file, and which memories are in it."""
    with open_memory() as nous:
        state = files.status(nous.project(scope.project))
    emit(scope, state, lambda: _lines(state))


def _lines(state: files.SurfaceState) -> Iterator[str]:
    if not state.on:
        yield "surface: off"
        return
    numbers = " ".join(f"#{number}" for number in state.memories) or "none yet"
    yield f"surface: on, in {state.path}" + ("" if state.ignored else " (git does not ignore it)")
    yield f"  memories {numbers}"
