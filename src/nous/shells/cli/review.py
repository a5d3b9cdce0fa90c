"""Going through what a person should decide: on a terminal with one key per decision, or item by item for a program."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, get_args

import click

from nous.app import Nous
from nous.errors import NousError
from nous.features.review import review as reviewing
from nous.features.review.operations import item_fields
from nous.kernel.log import undo
from nous.kernel.log.events import Decision
from nous.kernel.types import MOST_ASKED
from nous.shells.cli.common import CommandScope, common, emit, memory_fields, memory_line, open_memory, say

KEYS: dict[str, Decision] = {
    "k": "keep",
    "e": "edit",
    "m": "merge",
    "s": "supersede",
    "r": "reject",
    "p": "pin",
    "l": "later",
}
MEANINGS: dict[Decision, str] = {
    "keep": "it is right",
    "edit": "reword it",
    "merge": "merge B into A",
    "supersede": "A replaces B",
    "reject": "delete A",
    "pin": "always show A",
    "later": "ask again another day",
}
DECISIONS: tuple[Decision, ...] = get_args(Decision)


@click.command()
@click.argument("words", metavar="[decide ITEM ACTION]", nargs=-1)
@click.option("--kind", type=click.Choice(reviewing.KINDS), help="Only questions of this kind.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=MOST_ASKED,
    show_default=True,
    help="How many, the most important first.",
)
@click.option("--text", help="With edit: the new words.")
@click.option("--swap", is_flag=True, help="Apply the decision to the other memory of the pair.")
@common
def review(
    scope: CommandScope, words: tuple[str, ...], kind: str | None, limit: int, text: str | None, swap: bool
) -> None:
    """Answer the questions that only you can answer, one key each.

    You are asked at most ten, the most important first: memories that contradict each other, text from outside, what
    may be outdated. A script lists them with --json and decides with `nous review decide ITEM ACTION`.
    """
    with open_memory() as nous:
        if words:
            _decide(nous, scope, words, text, swap)
            return
        where: dict[str, Any] = {"project": scope.project, "all_projects": scope.all_projects, "kind": kind}
        items, counts = nous.review(**where, limit=limit), nous.waiting(**where)
        if scope.as_json:
            data = {"items": [item_fields(item) for item in items], "waiting": counts}
            emit(scope, data, lambda: iter(()))
        elif not items:
            click.echo("nothing to decide")
        elif not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise NousError(
                f"{len(items)} {'question waits' if len(items) == 1 else 'questions wait'}: answering needs a terminal",
                hint="`nous review --json` lists them, `nous review decide ITEM ACTION` decides one",
            )
        else:
            _go_through(nous, items, sum(counts.values()) - len(items))


def _decide(nous: Nous, scope: CommandScope, words: tuple[str, ...], text: str | None, swap: bool) -> None:
    if len(words) != 3 or words[0] != "decide":
        raise click.UsageError("say `nous review decide ITEM ACTION`")
    if words[2] not in DECISIONS:
        raise click.UsageError(f"{words[2]!r} is no action: one of {', '.join(DECISIONS)}")
    action = next(one for one in DECISIONS if one == words[2])
    item = nous.decide(words[1], action, text=text, swap=swap)
    mine = nous.stores.events.by_hand(undo.NEWEST, undo.PAGE)  # the daemon may have written something meanwhile
    event_id = next(event.event_id for event in mine if event.event_type == "LearningReviewed")
    data = {
        "item": item.id,
        "action": action,
        "event_id": event_id,
        "memories": [memory_fields(nous.get(memory.id)) for memory in (item.memory, item.other) if memory],
    }
    emit(scope, data, lambda: iter([f"{item.id}: {action}; `nous undo {event_id}` takes it back"]))


# -- on a terminal --------------------------------------------------------------------------------------------------


def _go_through(nous: Nous, items: Sequence[reviewing.ReviewItem], rest: int) -> None:
    """One question after another; q ends, u takes the last decision back."""
    done: Counter[str] = Counter()
    at = 0
    while at < len(items):
        if items[at].subject and (at == 0 or items[at - 1].subject != items[at].subject):
            say(f"About {items[at].subject}\n")
        for line in screen(items[at], at + 1, len(items)):
            say(line)
        answer = _ask(nous, items[at])
        if answer == "quit":
            break
        if answer == "undo":
            if at:
                nous.undo(all_projects=True)
                at -= 1
                done["undone"] += 1
                click.echo("  taken back\n")
            continue
        done[answer] += 1
        at += 1
        say(f"  {answer}\n")
    told = ", ".join(f"{count} {name}" for name, count in done.items())
    say(f"{told or 'nothing decided'}; {len(items) - at} left" + (f", and {rest} more that can wait" if rest else ""))


def screen(item: reviewing.ReviewItem, at: int, total: int) -> Iterator[str]:
    """What is shown of one item."""
    yield f"[{at}/{total}] {item.question}" + (f"  ({item.why})" if item.why else "")
    yield f"  A  {memory_line(item.memory)}"
    if item.other:
        yield f"  B  {memory_line(item.other)}"
    keys = [f"{key} {action} ({_meaning(item, action)})" for key, action in KEYS.items() if action in item.actions]
    swap = ["x swap A and B"] if item.other else []
    yield "  " + " · ".join([*keys, *swap, "u undo", "q quit"])


def _meaning(item: reviewing.ReviewItem, action: Decision) -> str:
    if action == "keep" and item.other:
        return "both are right"
    if action == "reject" and item.kind == "scope":
        return "only in this project"
    return MEANINGS[action]


def _ask(nous: Nous, item: reviewing.ReviewItem, swap: bool = False) -> str:
    """Wait for a key that means something, and do it."""
    while True:
        key = click.getchar().lower()
        if key in ("q", "\x1b", "\x03", "\x04"):
            return "quit"
        if key == "u":
            return "undo"
        if key == "x" and item.other:
            swap = not swap
            say("  swapped: A is now " + memory_line(item.other if swap else item.memory))
        action = KEYS.get(key)
        if action not in item.actions or action is None:
            continue
        text = click.prompt("  new words", default="", show_default=False) if action == "edit" else None
        if action == "edit" and not (text or "").strip():
            click.echo("  nothing changed")
            continue
        nous.decide(item.id, action, text=text, swap=swap)
        return action
