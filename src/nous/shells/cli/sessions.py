"""The command about sessions: which there were, and what was said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
import msgspec

from nous.app import Nous
from nous.features.episodes.model import Episode
from nous.features.sessions.operations import TALK, exchange, mark_turns, session_found
from nous.kernel.capture.transcript import Turn
from nous.kernel.types import MARKS, Standing
from nous.shells.cli.common import CommandScope, common, emit, open_memory, unknown_here


@click.command()
@click.argument("action", type=click.Choice(["list", "show"]), default="list")
@click.argument("session_id", metavar="[ID]", default="")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many sessions, newest first.")
@click.option("--at", metavar="UUID", default="", help="With `show`: only the exchange with this record.")
@click.option("--all", "everything", is_flag=True, help="With `show`: also tool calls, results and thinking.")
@common
def session(scope: CommandScope, action: str, session_id: str, limit: int, at: str, everything: bool) -> None:
    """List sessions, or show one, even after the client has deleted it. The first characters of ID are enough."""
    if action == "show" and not session_id:
        raise click.UsageError("which session? `nous session show ID`; the beginning of its id is enough")
    with open_memory() as nous:
        if action == "list":
            project = None if scope.all_projects else nous.project(scope.project).id
            rows = nous.stores.transcripts.sessions(project, limit)
            told = {row["session_id"]: nous.episodes(row["session_id"]) for row in rows}
            nothing = [] if rows else list(unknown_here(nous, scope, "no sessions"))
            listed = [row | {"episodes": msgspec.to_builtins(told[row["session_id"]])} for row in rows]
            emit(scope, {"sessions": listed}, lambda: _list_lines(rows, told) if rows else iter(nothing))
            return
        data = _session(nous, session_id, at)
    emit(scope, data, lambda: _show_lines(data, everything))


def _session(nous: Nous, beginning: str, at: str = "") -> dict[str, Any]:
    chosen = session_found(nous, beginning)
    said = exchange(nous, chosen, at) if at else list(nous.stores.transcripts.turns(chosen))
    return (nous.stores.transcripts.session(chosen) or {}) | {"said": mark_turns(nous, chosen, said)}


def _list_lines(rows: list[dict[str, Any]], told: Mapping[str, Sequence[Episode]]) -> Iterator[str]:
    for row in rows:
        agents = f", {row['agents']} subagent{'s' * (row['agents'] > 1)}" if row["agents"] else ""
        yield (
            f"{row['last_at'][:16].replace('T', ' ')}  {row['session_id'][:13]:<13} {row['prompts']:>4} prompts, "
            f"{row['turns']:>5} turns{agents}, {row['bytes'] / 1000:.1f} kB  {row['branch'] or '-'}  {row['cwd']}"
        )
        for one in told[row["session_id"]]:
            yield from episode_lines(one)


def _show_lines(data: dict[str, Any], everything: bool) -> Iterator[str]:
    yield f"session {data['session_id']} in {data['project_id']}"
    yield f"{data['first_at']} to {data['last_at']}, {data['client']} {data['client_version']}, branch {data['branch']}"
    if not data["said"]:
        yield "what was said is not kept (any more)"
    for said in data["said"]:
        turn = msgspec.convert(said, Turn)
        if everything or turn.kind in TALK:
            yield from _turn(turn, said["tainted"], said["standing"])


def _turn(turn: Turn, is_outside: bool, standing: Standing) -> Iterator[str]:
    who = f"{TALK.get(turn.kind, turn.kind)}{' of ' + turn.agent_id if turn.agent_id else ''}"
    what = turn.text or (f"{turn.tool} {msgspec.json.encode(turn.input).decode()[:300]}" if turn.tool else "")
    yield ""
    doubt = ", after reading text from outside" if is_outside else ""
    doubt += f", {MARKS[standing]}" if standing else ""
    yield f"[{turn.at[:19].replace('T', ' ')}] {who}{doubt}  ({turn.uuid})"
    yield from (f"  {line}" for line in what.splitlines())


def episode_lines(one: Episode) -> Iterator[str]:
    """An episode as a logbook has it: what it was for, what was done, how it ended, what is left."""
    goal, _, done = one.summary.partition(" → ")
    is_read = one.by != "rules"
    yield f"    {goal}" + (f" ({one.outcome})" if is_read and one.outcome else "")
    if done:
        yield f"      → {done}"
    if one.outcome and one.outcome not in done and not is_read:
        yield f"      “{one.outcome}”"
    yield from (f"      {_SETTLED[each.kind]}: {each.text} #{each.memory_id}" for each in one.derived if each.memory_id)
    yield from (f"      open: {end}" for end in one.open_ends)


_SETTLED = {"decision": "decided", "preference_stated": "preferred", "rule_stated": "rule"}
