"""Commands that say why: explain, why-not, traverse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args

import click
import msgspec

from nous.app import MARKS
from nous.core.extraction import RULE, RelationName
from nous.shells.cli.common import (
    MEMORY_ID,
    CommandScope,
    common,
    emit,
    memory_fields,
    memory_line,
    opened,
    quoted,
    session_name,
)
from nous.shells.cli.receipts import shown

if TYPE_CHECKING:
    from nous.recall.explain import Explanation, Reached, WhyNot


@click.command()
@click.argument("memory_id", metavar="ID", type=MEMORY_ID)
@common
def explain(scope: CommandScope, memory_id: int) -> None:
    """Say where memory ID comes from, what became of it and what it hangs together with."""
    with opened() as nous:
        found = nous.explain(memory_id)
    emit(scope, _explanation_fields(found), lambda: _explanation_lines(found))


def _explanation_fields(found: Explanation) -> dict[str, Any]:
    rest: dict[str, Any] = {
        name: msgspec.to_builtins(getattr(found, name)) for name in found.__struct_fields__ if name != "memory"
    }
    return memory_fields(found.memory) | rest


def _why(reasons: Sequence[str]) -> str:
    """Whether the reader's weights kept it, and what they saw, or a rule without asking them."""
    rules = [one.removeprefix(RULE) for one in reasons if one.startswith(RULE)]
    return f"kept by a rule: {'; '.join(rules)}" if rules else f"kept because of: {', '.join(reasons)}"


def _explanation_lines(found: Explanation) -> Iterator[str]:
    memory = found.memory
    yield memory_line(memory)
    yield from quoted(found.said)
    yield f"  learned by {memory.extractor or 'somebody'} in {session_name(memory)}"
    if found.reasons:
        yield f"  {_why(found.reasons)}"
    if found.asked:
        yield f"  answers: {found.asked}"
    for trace in found.code:
        yield f"  speaks of {trace.line()}" + (": held back" if trace.is_gone else "")
    yield from _standing(found)
    for change in found.changes:
        moment = change.at[:19].replace("T", " ")
        yield f"  {moment}  {change.event_type}" + (f": {change.reason}" if change.reason else "")
    if found.replaces:
        yield "  replaces " + ", ".join(f"#{number}" for number in found.replaces)
    if found.replaced_by:
        yield "  replaced by " + ", ".join(f"#{number}" for number in found.replaced_by)
    for said in memory.relations:
        yield f"  says: {said.subject} {said.predicate.replace('_', ' ')} {said.object}"
    for one in found.causes:
        yield f"  because: {one.cause} → {one.effect}"
    for link in found.links:
        arrow = "->" if link.direction == "out" else "<-"
        where = f"#{link.memory_id} {link.content}" if link.memory_id else "a memory that is gone"
        where += f" [{MARKS[link.standing]}]" if link.standing else ""
        yield f"  {arrow} {link.relation} ({link.status}, {link.weight:.2f}) {where}"
    if found.effect.get("injected"):
        yield f"  {shown(found.effect)}"
    if found.embedded_by:
        yield "  embedded by " + ", ".join(found.embedded_by)


def _standing(found: Explanation) -> Iterator[str]:
    """Strength and confidence, each with where it comes from."""
    memory, fading = found.memory, found.fading
    yield f"  strength {memory.strength:.2f}: how useful it has proved; only events change it"
    pace = f"half-life {fading.half_life:g} days since {fading.since[:10]}" if fading.half_life else "it does not fade"
    yield f"  confidence {fading.confidence:.2f}: {memory.confidence:.2f} said, {fading.kept:.0%} left ({pace})"
    yield from (f"    {reason}" for reason in fading.reasons)
    if found.use.accesses:
        yield f"  asked for or cited {found.use.accesses} times, last {(found.use.last_at or '')[:10]}"
    yield f"  a session needs it with a likelihood of {found.need.likelihood:.1%} (shares in log-odds)"
    for part, share in sorted(found.need.shares.items(), key=lambda pair: -abs(pair[1])):
        yield f"    {part:<18} {share:+.2f}"
    yield f"  not shown at a session's start: {found.need.refused}" if found.need.refused else "  may be shown at start"


@click.command("why-not")
@click.argument("query")
@click.argument("memory_id", metavar="ID", type=MEMORY_ID)
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many hits, as for `nous recall`."
)
@common
def why_not(scope: CommandScope, query: str, memory_id: int, limit: int) -> None:
    """Say why QUERY does not bring memory ID up."""
    with opened() as nous:
        found = nous.why_not(query, memory_id, limit=limit, project=scope.project, all_projects=scope.all_projects)
    emit(scope, {"id": memory_id} | msgspec.to_builtins(found), lambda: _why_not_lines(memory_id, found))


def _why_not_lines(memory_id: int, found: WhyNot) -> Iterator[str]:
    yield f"#{memory_id}: {found.reason}"
    if found.rank is not None:
        yield f"  rank {found.rank}, score {found.score:.3f}; the last one returned has {found.needed:.3f}"
    if found.matched:
        yield f"  words that match: {', '.join(found.matched)}"
    if found.missing:
        yield f"  words it lacks: {', '.join(found.missing)}"
    for part, share in sorted(found.shares.items(), key=lambda pair: -abs(pair[1])):
        yield f"  {part:<12} {share:+.3f}"


@click.command()
@click.argument("memory_id", metavar="ID", type=MEMORY_ID)
@click.option("--depth", type=click.IntRange(1, 5), default=2, show_default=True, help="How many hops.")
@click.option(
    "--type",
    "relations",
    multiple=True,
    type=click.Choice(get_args(RelationName)),
    help="Only this relation (repeatable).",
)
@click.option("--direction", type=click.Choice(["out", "in", "both"]), default="both", show_default=True)
@click.option("--min-strength", type=click.FloatRange(0, 1), default=0.0, help="Leave out what is further away.")
@click.option("--suggested", is_flag=True, help="Follow relations that nobody accepted yet, too.")
@common
def traverse(scope: CommandScope, memory_id: int, **options: Any) -> None:
    """Show the memories around memory ID, by its relations."""
    with opened() as nous:
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
