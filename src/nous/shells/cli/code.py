"""Commands about the code of a project: reading it, and what hangs on a piece of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import click

from nous.app import system_clock
from nous.config import load_settings
from nous.features.code.codebase import Codebase, Indexed
from nous.shells.cli.common import CommandScope, common, emit, many


def _codebase() -> Codebase:
    return Codebase(load_settings(os.environ), system_clock)


@click.command()
@click.argument("path", required=False, type=click.Path(file_okay=False))
@click.option("--anew", is_flag=True, help="Index every file again, not only changed ones.")
@click.option("--forget", is_flag=True, help="Delete the index, and stop updating it.")
@common
def index(scope: CommandScope, path: str | None, anew: bool, forget: bool) -> None:
    """Index the code of the repository at PATH. The daemon then keeps the index up to date."""
    code = _codebase()
    place = path or scope.project
    if forget:
        there = code.forget(place)
        said = "what was known of the code is gone" if there else "nothing was known of this code"
        emit(scope, {"forgotten": there}, lambda: iter([said]))
        return
    done, sizes = code.index(place, progress=_show if sys.stderr.isatty() else lambda done, all: None, anew=anew)
    emit(scope, done._asdict() | sizes, lambda: _index_lines(done, sizes))


def _show(done: int, all: int) -> None:
    click.echo(f"\rreading code: {done} of {all} files", nl=done >= all, err=True)


def _index_lines(done: Indexed, sizes: dict[str, int]) -> Iterator[str]:
    yield f"{many(done.looked_at, 'file', 'files')} looked at, {done.read} read, {done.gone} gone" + (
        f", {done.refused} refused (no text, too large, or unreadable)" if done.refused else ""
    )
    calls = f"{sizes['proven']} proven and {sizes['possible']} possible calls"
    yield f"{sizes['symbols']} symbols, {sizes['imports']} imports, {calls}"
    if sizes["broken"]:
        yield f"{sizes['broken']} files have syntax errors; what could be read of them is known"
