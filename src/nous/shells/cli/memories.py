"""Commands about memories: remember, recall, get, list, forget, confirm, correct, pin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

import click
import msgspec

from nous.api.fields import answer_fields, hit_fields
from nous.app import LIMIT, RECORDS, Answer, Lead, Nous, Quote, Recalled
from nous.core.events import Recorded
from nous.core.extraction import Anchor
from nous.core.memory import Memory
from nous.core.sharing import ORGANISATION
from nous.core.types import TYPES, Kind, Scope
from nous.errors import NotFound
from nous.shells.cli.common import (
    MEMORY_ID,
    CommandScope,
    common,
    emit,
    exchange_lines,
    memory_fields,
    memory_line,
    opened,
    quoted,
    say,
    session_name,
    unknown_here,
)

A_TYPE = click.Choice(sorted(TYPES))


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--type", "type_", type=A_TYPE, default="fact", help="What kind of memory it is.")
@click.option("--global", "everywhere", is_flag=True, help="True in every project.")
@click.option("--team", metavar="NAME", help="For this team, in all of its projects.")
@click.option("--organisation", is_flag=True, help="For everybody of the hub, in every project.")
@click.option("--pin", is_flag=True, help="Always show it and never let it fade.")
@click.option("--file", "files", multiple=True, help="A file it is about (repeatable).")
@click.option("--tag", "tags", multiple=True, help="A word of your own to find it by (repeatable).")
@common
def remember(
    scope: CommandScope,
    text: tuple[str, ...],
    type_: str,
    everywhere: bool,
    team: str | None,
    organisation: bool,
    pin: bool,
    files: tuple[str, ...],
    tags: tuple[str, ...],
) -> None:
    """Keep TEXT. What is already known grows stronger instead.

    Inside an agent's session it is kept as the agent's word, for this project only, unless you said it there yourself.
    """
    if everywhere + bool(team) + organisation > 1:
        raise click.UsageError("say one of --global, --team and --organisation")
    with opened() as nous:
        where = ORGANISATION if organisation else nous.team(team) if team else scope.project
        number = nous.remember(
            " ".join(text),
            type=type_,
            project=where,
            scope="global" if everywhere else "project",
            pin=pin,
            files=files,
            tags=tags,
        )
        memory = nous.get(number)
    if memory.source == "agent":
        doubt = ", and shown to sessions once a person keeps it in `nous review`" if memory.tainted else ""
        say(f"note: kept as an agent's word, for this project only{doubt}", err=True)
    emit(scope, memory_fields(memory), lambda: iter([f"remembered as #{memory.id}: {memory.content}"]))


@click.command()
@click.argument("query", nargs=-1)
@click.option("--limit", type=click.IntRange(1, 1000), default=LIMIT, show_default=True)
@click.option("--type", "type_", type=A_TYPE, help="Only this type.")
@click.option("--kind", type=click.Choice(get_args(Kind)), help="Only this kind of knowledge.")
@click.option(
    "--scope",
    "reach",
    type=click.Choice(get_args(Scope)),
    help="Only what holds in a session, a module, a project, a team, the organisation or everywhere.",
)
@click.option("--entity", help="Only memories and exchanges about this name.")
@click.option("--tag", help="Only memories with this tag.")
@click.option("--topic", help="Only what is on this topic; QUERY may be left out then.")
@click.option("--file", help="Only memories about this file.")
@click.option("--module", help="Only memories about files in this folder.")
@click.option("--branch", help="Only this branch, and what belongs to none.")
@click.option("--after", metavar="TIME", help="True since this moment or later (2026-11-03 or 30d).")
@click.option("--before", metavar="TIME", help="True since before this moment.")
@click.option("--min-confidence", type=click.FloatRange(0, 1), help="Only memories of at least this confidence.")
@click.option("--as-of", metavar="TIME", help="What was known then.")
@click.option("--as-at", metavar="TIME", help="What was true then.")
@click.option(
    "--in",
    "records",
    type=click.Choice(RECORDS),
    default="all",
    show_default=True,
    help="Search memories, earlier exchanges, or both.",
)
@click.option("--explain", is_flag=True, help="Say what each score is made of.")
@common
def recall(
    scope: CommandScope,
    query: tuple[str, ...],
    limit: int,
    type_: str | None,
    reach: str | None,
    explain: bool,
    **filters: Any,
) -> None:
    """Find memories and earlier exchanges that answer QUERY."""
    if not query and not filters["topic"]:
        raise click.UsageError("what is asked? `nous recall QUERY`, or `nous recall --topic WORD`")
    with opened() as nous:
        hits = nous.recall(
            " ".join(query),
            limit=limit,
            type=type_,
            scope=reach,
            project=scope.project,
            all_projects=scope.all_projects,
            **filters,
        )
        nothing = [] if hits else list(unknown_here(nous, scope, "nothing found"))
        authors = nous.authors(hit.memory for hit in hits)
    data = {"hits": [hit_fields(hit, explain, authors) for hit in hits]}
    emit(scope, data, lambda: _hit_lines(hits, explain, authors, scope.all_projects) if hits else iter(nothing))


@click.command()
@click.argument("question", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 100), default=LIMIT, show_default=True, help="From how many hits.")
@common
def ask(scope: CommandScope, question: tuple[str, ...], limit: int) -> None:
    """Answer QUESTION in a few sentences from what is remembered, each with what it rests on.

    The chosen model writes them from the best hits alone, and says when they do not answer. Without a model it is the
    list that `nous recall` gives.
    """
    with opened() as nous:
        answer = nous.ask(" ".join(question), limit=limit, project=scope.project, all_projects=scope.all_projects)
        authors = nous.authors(hit.memory for hit in answer.hits)
    emit(scope, answer_fields(answer, authors), lambda: _answer_lines(answer, authors, scope.all_projects))


def _answer_lines(answer: Answer, authors: Mapping[str, str], with_project: bool) -> Iterator[str]:
    """The sentences with their citations, then what they cite; the hits where there are none."""
    for one in answer.sentences:
        yield f"{one.text} {' '.join(f'[{at}]' for at in one.notes)}"
    cited = sorted({at for one in answer.sentences for at in one.notes})
    if cited:
        yield ""
    for at in cited:
        hit = answer.hits[at - 1]
        yield f"[{at}]"
        yield from _hit_lines([hit], False, authors, with_project)
    if not answer.sentences:
        yield f"note: {answer.reason}"
        yield from _hit_lines(list(answer.hits), False, authors, with_project)


def step_line(step: Lead) -> str:
    """A step of a trail on one line: how it hangs together, when, what it was for, and how to read it."""
    return f"{step.how} {step.at[:10]}: {step.text}  `nous session show {step.session_id} --at {step.uuid[:13]}`"


def _hit_lines(
    hits: list[Recalled], explain: bool, authors: Mapping[str, str], with_project: bool = False
) -> Iterator[str]:
    for hit in hits:
        if hit.memory:
            project = f" [{hit.memory.project_id}]" if with_project else ""
            yield memory_line(hit.memory, authors) + project + "".join(f" [{mark}]" for mark in hit.stale)
        if hit.exchange:
            yield from exchange_lines(hit.exchange, with_project=with_project)
        if hit.distilled:
            yield f"         learned from it: {memory_line(hit.distilled, authors)}"
        yield from (f"         {step_line(step)}" for step in hit.trail)
        if explain:
            if hit.exchange and hit.exchange.place.topics:
                yield f"       topics: {', '.join(hit.exchange.place.topics)}"
            shares = sorted(hit.shares.items(), key=lambda pair: -abs(pair[1]))
            yield f"       score {hit.score:.3f}, found by {', '.join(hit.found_by)}"
            yield "       " + ", ".join(f"{part} {share:+.3f}" for part, share in shares)


@click.command()
@click.argument("memory_id", metavar="ID", type=MEMORY_ID)
@click.option("--as-of", metavar="TIME", help="What was known then.")
@click.option("--as-at", metavar="TIME", help="Only if it was true then.")
@common
def get(scope: CommandScope, memory_id: int, as_of: str | None, as_at: str | None) -> None:
    """Show one memory with everything known about it, and the words it was learned from."""
    with opened() as nous:
        memory = nous.get(memory_id, as_of=as_of, as_at=as_at)
        said = nous.said(memory)
        others = nous.stores.memories.by_learning({memory.superseded_by or "", *memory.contradicted_with})
        authors = nous.authors([memory])
    data = memory_fields(memory, authors) | {"said": msgspec.to_builtins(said)}
    emit(scope, data, lambda: _details(memory, said, others, authors))


def _details(
    memory: Memory, said: Sequence[Quote], others: Mapping[str, Memory], authors: Mapping[str, str]
) -> Iterator[str]:
    yield memory_line(memory, authors)
    yield from quoted(said)
    names = {name: f"#{other.id} {other.content}" for name, other in others.items()}
    facts = {
        "kind": f"{memory.kind}, {memory.scope}",
        "trust": f"confidence {memory.confidence:.2f}, strength {memory.strength:.2f}",
        "project": memory.project_id,
        "branch": memory.branch,
        "true from": (memory.valid_from or memory.created_at)[:10],
        "true until": (memory.valid_until or "")[:10],
        "learned": f"{memory.created_at[:10]} by {memory.extractor or memory.source} in {session_name(memory)}",
        "said again": (memory.last_said_at or "")[:10],
        "replaces": memory.replaces,
        "replaced by": names.get(memory.superseded_by or "", ""),
        "contradicts": "; ".join(names.get(name, "a memory that is gone") for name in memory.contradicted_with),
        "files": ", ".join(memory.files),
        "anchored to": ", ".join(_place(anchor) for anchor in memory.anchors),
        "says": "; ".join(f"{one.subject} {one.predicate.replace('_', ' ')} {one.object}" for one in memory.relations),
        "concepts": ", ".join(memory.concepts),
        "entities": ", ".join(memory.entities),
        "tags": ", ".join(memory.tags),
        "slot": memory.slot,
        "ref": memory.ref,
        "archived": memory.archived_reason,
    }
    yield from (f"  {name:<12}  {value}" for name, value in facts.items() if value)


def _place(anchor: Anchor) -> str:
    """A place in the code as a person names it."""
    return (
        anchor.file
        + (f" {anchor.symbol}" if anchor.symbol else "")
        + (f" at {anchor.commit[:8]}" if anchor.commit else "")
    )


@click.command("list")
@click.option("--type", "type_", type=A_TYPE, help="Only this type.")
@click.option(
    "--status", type=click.Choice(["active", "superseded", "archived", "all"]), default="active", show_default=True
)
@click.option("--limit", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--after", metavar="TIME", help="Learned at this moment or later.")
@click.option("--before", metavar="TIME", help="Learned before this moment.")
@click.option("--as-of", metavar="TIME", help="What was known then.")
@click.option("--as-at", metavar="TIME", help="What was true then.")
@common
def list_(scope: CommandScope, type_: str | None, status: str, **filters: Any) -> None:
    """List memories, newest first. In a directory that is no known project, those of all projects."""
    with opened() as nous:
        memories = nous.list(
            project=scope.project,
            all_projects=scope.all_projects or _is_nowhere(nous, scope),
            type=type_,
            status=None if status == "all" else status,
            **filters,
        )
        nothing = [] if memories else list(unknown_here(nous, scope, "no memories"))
        authors = nous.authors(memories)
    data = {"memories": [memory_fields(memory, authors) for memory in memories]}
    emit(scope, data, lambda: (memory_line(one, authors) for one in memories) if memories else iter(nothing))


def _is_nowhere(nous: Nous, scope: CommandScope) -> bool:
    """Whether the current directory belongs to no project that Nous has seen; then there is nothing to narrow to."""
    if scope.project is not None:
        return False
    here = nous.project().id
    unknown = all(row["project_id"] != here for row in nous.stores.cache.projects())
    if unknown and not scope.all_projects:
        click.echo("this directory is no project that Nous knows: listing all projects", err=True)
    return unknown


@click.command()
@click.argument("ids", metavar="[ID]...", type=MEMORY_ID, nargs=-1)
@click.option("--query", help="Forget the best match of a query, after asking.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
def forget(scope: CommandScope, ids: tuple[int, ...], query: str | None, yes: bool) -> None:
    """Take memories out of use. Their history stays."""
    if not ids and not query:
        raise click.UsageError("say which: an ID or --query")
    with opened() as nous:
        chosen = [nous.get(number) for number in ids] or _matching(nous, scope, query or "")
        if query and not yes and not scope.as_json:
            click.confirm(f"forget {memory_line(chosen[0])}?", abort=True)
        for memory in chosen:
            nous.forget(memory.id)
    done = [memory.id for memory in chosen]
    emit(scope, {"forgotten": done}, lambda: (f"forgot {memory_line(memory)}" for memory in chosen))


def _matching(nous: Nous, scope: CommandScope, query: str) -> list[Memory]:
    hits = nous.recall(query, limit=1, project=scope.project, all_projects=scope.all_projects, records="memories")
    if not hits:
        raise NotFound(f"nothing matches {query!r}")
    return [hit.memory for hit in hits if hit.memory]


@click.command()
@click.argument("memory_id", metavar="ID", type=MEMORY_ID)
@common
def confirm(scope: CommandScope, memory_id: int) -> None:
    """Say that a memory is true; it no longer fades."""
    _after(scope, memory_id, "confirm", "confirmed")


@click.command()
@click.argument("memory_id", metavar="ID", type=MEMORY_ID)
@common
def pin(scope: CommandScope, memory_id: int) -> None:
    """Always show a memory, and never let it fade."""
    _after(scope, memory_id, "pin", "pinned")


@click.command()
@click.argument("memory_id", metavar="ID", type=MEMORY_ID)
@click.argument("why", nargs=-1)
@click.option("--thread", is_flag=True, help="Only show what was said about it.")
@common
def dispute(scope: CommandScope, memory_id: int, why: tuple[str, ...], thread: bool) -> None:
    """Say that a memory may be wrong, and why; it is no longer shown unasked until somebody decides.

    With `disputes = "discuss"` it is shown meanwhile, less sure and with a badge, and further remarks join the thread.
    """
    with opened() as nous:
        if thread:
            said = [_remark(event) for event in nous.thread(memory_id)]
            emit(scope, {"thread": said}, lambda: (f"{one['at'][:16]}  {one['author']}: {one['said']}" for one in said))
            return
        nous.dispute(memory_id, " ".join(why) or "disputed by the user")
        memory = nous.get(memory_id)
    emit(scope, memory_fields(memory), lambda: iter([f"disputed {memory_line(memory)}"]))


def _remark(event: Recorded) -> dict[str, str]:
    author = getattr(event.payload, "author", "") or f"device {event.device[:8]}"
    return {"at": event.transaction_time, "author": author, "said": event.payload.reason or ""}


@click.command()
@click.option("--limit", type=click.IntRange(1), default=5, show_default=True)
@common
def onboard(scope: CommandScope, limit: int) -> None:
    """Show what somebody who is new to this project should know first."""
    with opened() as nous:
        found = nous.onboard(project=scope.project, limit=limit)
        authors = nous.authors(memory for memory, _ in found)
    data = {"memories": [memory_fields(memory, authors) | {"score": score} for memory, score in found]}
    nothing = iter(["nothing is known yet"])
    emit(scope, data, lambda: (memory_line(memory, authors) for memory, _ in found) if found else nothing)


@click.command()
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@common
def weak(scope: CommandScope, limit: int) -> None:
    """List the memories of which least is left, weakest first: confirm, correct or forget them."""
    with opened() as nous:
        found = nous.weak(project=scope.project, all_projects=scope.all_projects, limit=limit)
    data = {"memories": [memory_fields(memory) | {"left": round(left, 4)} for memory, left in found]}
    emit(scope, data, lambda: _weak_lines(found))


def _weak_lines(found: Sequence[tuple[Memory, float]]) -> Iterator[str]:
    if not found:
        yield "nothing is weak"
    for memory, left in found:
        yield f"{left:.2f} left of {memory.confidence:.2f}  {memory_line(memory)}"


def _after(scope: CommandScope, memory_id: int, verb: str, done: str) -> None:
    with opened() as nous:
        getattr(nous, verb)(memory_id)
        memory = nous.get(memory_id)
    emit(scope, memory_fields(memory), lambda: iter([f"{done} {memory_line(memory)}"]))


@click.command()
@click.argument("memory_id", metavar="ID", type=MEMORY_ID)
@click.argument("text", nargs=-1, required=True)
@common
def correct(scope: CommandScope, memory_id: int, text: tuple[str, ...]) -> None:
    """Replace what memory ID says by TEXT. The old words stay in its history."""
    with opened() as nous:
        memory = nous.get(nous.correct(memory_id, " ".join(text)))
    emit(scope, memory_fields(memory), lambda: iter([f"#{memory_id} is now {memory_line(memory)}"]))
