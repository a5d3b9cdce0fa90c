"""`nous debug dossier`: a project on one page."""

from __future__ import annotations

import click

from nous import files
from nous.shells.cli.common import FORCE, OUT_FILE, CommandScope, common, emit, open_memory


@click.command()
@click.option("--output", metavar="FILE", type=OUT_FILE, help="Write it to this new file instead.")
@FORCE
@common
def dossier(scope: CommandScope, output: str | None, force: bool) -> None:
    """Show the project on one page of Markdown; every line cites its memory."""
    if output:
        files.check_new(output, overwrite=force)
    with open_memory() as nous:
        made = nous.dossier(project=scope.project)
    if output:
        files.create(output, made.text.encode(), overwrite=force)
    emit(scope, made._asdict(), lambda: iter([f"written to {output}"] if output else made.text.splitlines()))
