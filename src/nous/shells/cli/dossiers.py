"""`nous dossier`: what is known of something on one page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from nous import files
from nous.shells.cli.common import OUT_FILE, CommandScope, common, emit, opened

if TYPE_CHECKING:
    from nous.stores.dossiers import DossierRow


@click.command()
@click.argument("name", nargs=-1)
@click.option("--list", "is_list", is_flag=True, help="List the dossiers that were asked for, and which are stale.")
@click.option("--output", type=OUT_FILE, help="Write it to this file instead.")
@common
def dossier(scope: CommandScope, name: tuple[str, ...], is_list: bool, output: str | None) -> None:
    """Put what is known of NAME on one page of Markdown: a named thing, a file or directory; without NAME the project.

    Every line cites its memory, and the header names the event up to which the page knows. Once asked for, it is made
    anew in maintenance when later events touch it. It is kept in the database; only --output writes a file.
    """
    with opened() as nous:
        if is_list:
            rows = nous.dossiers(project=scope.project, all_projects=scope.all_projects)
            emit(scope, {"dossiers": [_fields(row) | {"stale": old} for row, old in rows]}, lambda: _listed(rows))
            return
        made = nous.dossier(" ".join(name), project=scope.project)
    if output:
        files.write(output, made.text.encode())
    data = {
        name: getattr(made, name)
        for name in ("subject", "name", "project_id", "event_id", "made_at", "memories", "text")
    }
    emit(scope, data, lambda: iter([f"written to {output}"] if output else made.text.splitlines()))


def _fields(row: DossierRow) -> dict[str, Any]:
    return {"name": row.name, "project_id": row.project_id, "event_id": row.event_id, "made_at": row.made_at}


def _listed(rows: Sequence[tuple[DossierRow, bool]]) -> Iterator[str]:
    if not rows:
        yield "nobody asked for a dossier yet"
    for row, is_old in rows:
        mark = "  [stale]" if is_old else ""
        yield f"{row.made_at[:10]}  event {row.event_id:>6}  {row.name or 'the project'}{mark}"
