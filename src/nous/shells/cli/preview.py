"""`nous preview`: what the next session would be shown."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click
import msgspec

from nous.identity import Project, identify
from nous.shells.cli.common import CommandScope, common, emit, open_memory
from nous.shells.preview import Preview, PreviewLine
from nous.shells.preview import preview as preview_of


@click.command()
@click.argument("prompt", required=False, default="")
@common
def preview(scope: CommandScope, prompt: str) -> None:
    """Show exactly what a new session of this project would see, and why.

    With PROMPT, also show what that first prompt would add.
    """
    with open_memory() as nous:
        place = identify(scope.project or os.getcwd(), nous.settings.data_dir)
        if scope.project:
            known = nous.project(scope.project)
            place = Project(known.id, nous.stores.cache.root(known.id) or place.root, place.branch)
        found = preview_of(nous, place, prompt)
    emit(scope, msgspec.to_builtins(found), lambda: _lines(found, prompt))


def _lines(found: Preview, prompt: str) -> Iterator[str]:
    yield from _part("Your next session will see:", "Your next session will see nothing yet.", found.start)
    if prompt:
        yield ""
        yield from _part("This prompt will add:", "This prompt will add nothing more.", found.prompt)


def _part(heading: str, nothing: str, lines: tuple[PreviewLine, ...]) -> Iterator[str]:
    yield heading if lines else nothing
    for line in lines:
        yield f"- {line.text}"
        yield f"    {line.why}"
