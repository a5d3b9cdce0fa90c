"""The command that shows the memories around one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, get_args

import click

from nous.kernel.log.extraction import RelationName
from nous.shells.cli.common import MEMORY_ID, CommandScope, common, emit, memory_fields, memory_line, open_memory

if TYPE_CHECKING:
    from nous.features.memories.explain import Reached


@click.command()
@click.argument("memory_id", metavar="ID", type=MEMORY_ID)
@click.option("--depth", type=click.IntRange(1, 5), default=2, show_default=True, help="How many steps away.")
@click.option(
    "--type",
    "relations",
    multiple=True,
    type=click.Choice(get_args(RelationName)),
    help="Only this relation (repeatable).",
)
@click.option("--direction", type=click.Choice(["out", "in", "both"]), default="both", show_default=True)
@click.option("--min-strength", type=click.FloatRange(0, 1), default=0.0, help="Leave out weaker relations.")
@click.option("--suggested", is_flag=True, help="Include relations that nobody has accepted yet.")
@common
def traverse(scope: CommandScope, memory_id: int, **options: Any) -> None:
    """Show the memories related to memory ID."""
    with open_memory() as nous:
        found = nous.traverse(memory_id, **options)
    emit(scope, {"reached": [_reached_fields(one) for one in found]}, lambda: _reached_lines(found))


def _reached_fields(one: Reached) -> dict[str, Any]:
    return {
        "depth": one.depth,
        "nearness": round(one.nearness, 4),
        "relation": one.relation,
        "outward": one.outward,
        "from_id": one.from_id,
        "memory": memory_fields(one.memory),
    }


def _reached_lines(found: list[Reached]) -> Iterator[str]:
    if not found:
        yield "nothing is related to it"
    for one in found:
        arrow = "->" if one.outward else "<-"
        yield f"{'  ' * one.depth}{arrow} {one.relation} {one.nearness:.2f}  {memory_line(one.memory)}"
