"""`nous brief`: the lines that sessions begin with, a person's hand in them, and what a role needs of a subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from nous.api.briefs import line_fields
from nous.app import Brief, Nous
from nous.core.briefs import NAMES, NEED, ROLES, Role
from nous.errors import Misuse
from nous.shells.cli.common import CommandScope, common, emit, opened

DECISIONS = ("edit", "drop", "pin", "keep", "order")
HEADING, NOTHING = "A session of this project begins with:", "A session of this project begins with nothing yet."


@click.command()
@click.argument("words", nargs=-1, metavar="[edit N TEXT | drop N | pin N | keep N | order N… | SUBJECT]")
@click.option("--role", type=click.Choice(ROLES), help="Add what a planner, a coder or a tester needs of SUBJECT.")
@click.option("--tokens", type=click.IntRange(1, 20_000), default=1500, show_default=True, help="How much for a role.")
@common
def brief(scope: CommandScope, words: tuple[str, ...], role: Role | None, tokens: int) -> None:
    """List what sessions of this project begin with, and change it.

    `edit N TEXT` puts line N into your words, `drop N` takes it out, `pin N` puts it first, `keep N` keeps it as it
    is, `order N…` puts lines in this order. No reader changes what you set; `nous undo` takes it back.
    """
    role, words = _old_way(role, words)
    if role is None and words and words[0] not in DECISIONS:
        raise Misuse(f"{words[0]!r} is not something to do with the brief", hint=f"one of {', '.join(DECISIONS)}")
    with opened() as nous:
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
        return nous.brief_edit(numbers[0], " ".join(given[1:]), project=project)
    if len(given) > 1:
        raise Misuse(f"`nous brief {action}` takes one line at a time")
    decide = {"drop": nous.brief_drop, "pin": nous.brief_pin, "keep": nous.brief_keep}[action]
    return decide(numbers[0], project=project)


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 4:
        raise Misuse(f"{text!r} is no number of a line", hint="`nous brief` lists them")
    return int(text)


def brief_fields(found: Brief) -> dict[str, Any]:
    """A brief as JSON has it."""
    return {
        "lines": [line_fields(one) for one in found.lines],
        "role": found.role,
        "subject": found.subject,
        "about_subject": found.is_about,
        "memories": [{"id": one.id, "type": one.type, "line": one.line} for one in found.entries],
        "files": [one._asdict() for one in found.files],
        "calibration": found.calibration._asdict() if found.calibration else None,
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
    if found.files:
        yield "Files that most sessions here opened:"
        yield from (f"  - {one.path} ({one.share:.0%})" for one in found.files)
    if found.calibration and found.calibration.factor > 1:
        yield f"Plans here took {found.calibration.factor:g} times the usual work ({found.calibration.samples} plans)."
