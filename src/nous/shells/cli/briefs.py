"""`nous brief`: the lines that sessions begin with, a person's hand in them, and what a role needs of a subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from nous.app import Nous
from nous.errors import Misuse
from nous.features.brief.briefs import Brief
from nous.features.brief.decide import LineDecision
from nous.features.brief.operations import line_fields
from nous.features.brief.roles import NAMES, NEED, ROLES, Role
from nous.shells.cli.common import CommandScope, common, emit, open_memory, say

DECISIONS = ("edit", "drop", "pin", "unpin", "keep", "order")
DONE: dict[LineDecision, str] = {"drop": "dropped", "pin": "pinned", "unpin": "unpinned, but kept", "keep": "kept"}
HEADING, NOTHING = "Sessions of this project start with:", "Sessions of this project start with nothing yet."


@click.command()
@click.argument("words", nargs=-1, metavar="[edit N TEXT | drop N | pin N | unpin N | keep N | order N… | SUBJECT]")
@click.option("--role", type=click.Choice(ROLES), help="Add what a planner, coder or tester should know about SUBJECT.")
@click.option(
    "--tokens", type=click.IntRange(1, 20_000), default=1500, show_default=True, help="Token limit for the role's part."
)
@common
def brief(scope: CommandScope, words: tuple[str, ...], role: Role | None, tokens: int) -> None:
    """Show the lines that sessions of this project start with, and change them.

    `edit N TEXT` rewrites line N, `drop N` removes it, `pin N` puts it first until `unpin N`, `keep N` freezes its
    text, `order N…` sets the order. What you set is never changed by a model; `nous undo` reverts it.
    """
    role, words = _old_way(role, words)
    if role is None and words and words[0] not in DECISIONS:
        raise Misuse(f"{words[0]!r} is not something to do with the brief", hint=f"one of {', '.join(DECISIONS)}")
    with open_memory() as nous:
        if role is None and words:
            found = _decide(nous, words[0], words[1:], scope.project)
        else:
            found = nous.brief(role, " ".join(words), tokens=tokens, project=scope.project)
    emit(scope, brief_fields(found), lambda: _lines(found))


def _old_way(role: Role | None, words: tuple[str, ...]) -> tuple[Role | None, tuple[str, ...]]:
    """`nous brief ROLE TASK`, as it was called before."""
    named = next((one for one in ROLES if words[:1] == (one,)), None)
    if role or not named:
        return role, words
    click.echo(f"note: `nous brief {named} …` is now `nous brief --role {named} …`", err=True)
    return named, words[1:]


def _decide(nous: Nous, action: str, given: Sequence[str], project: str | None) -> Brief:
    numbers = [_number(one) for one in (given if action == "order" else given[:1])]
    if not numbers:
        raise Misuse("say which line, by its number", hint="`nous brief` lists them")
    if action == "order":
        return nous.brief_order(numbers, project=project)
    if action == "edit":
        return nous.brief_decide("edit", numbers[0], " ".join(given[1:]), project=project)
    if len(given) > 1:
        raise Misuse(f"`nous brief {action}` takes one line at a time")
    decision = next(one for one in DONE if one == action)
    chosen = next((one.text for one in nous.brief(project=project).lines if one.number == numbers[0]), "")
    found = nous.brief_decide(decision, numbers[0], project=project)
    say(f"{DONE[decision]}: {chosen}", err=True)  # numbers change when something is learned
    return found


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 4:
        raise Misuse(f"{text!r} is not a line number", hint="`nous brief` lists them")
    return int(text)


def brief_fields(found: Brief) -> dict[str, Any]:
    """A brief as JSON has it."""
    return {
        "lines": [line_fields(one) for one in found.lines],
        "role": found.role,
        "subject": found.subject,
        "about_subject": found.is_about,
        "memories": [{"id": one.id, "type": one.type, "line": one.line} for one in found.entries],
        "text": found.text(),
    }


def _lines(found: Brief) -> Iterator[str]:
    yield HEADING if found.lines else NOTHING
    for line in found.lines:
        cited = ", ".join(f"#{one}" for one in line.ids)
        yield f"{line.number:>3}. {line.text}"
        yield f"     {cited}: {line.why}"
    if found.role is None:
        return
    yield ""
    if found.entries:
        about = f"about {found.subject!r}" if found.is_about else "the latest of this project"
        missing = f"Nothing is known about {found.subject!r}. " if found.subject and not found.is_about else ""
        yield f"{missing}For a {NAMES[found.role]}: {NEED[found.role]}, {about}:"
        yield from (f"  {one.line}" for one in found.entries)
    else:
        yield f"No further {NEED[found.role]} are known here."
