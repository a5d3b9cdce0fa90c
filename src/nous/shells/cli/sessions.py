"""The command about sessions: which there were, and what was said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
import msgspec

from nous.app import Nous
from nous.core.transcript import Turn
from nous.errors import NotFound, NousError
from nous.shells.cli.common import Scope, common, emit, opened, unknown_here

SPEAKERS = {"prompt": "user", "answer": "user", "denial": "user", "reply": "assistant", "report": "agent"}


@click.command()
@click.argument("action", type=click.Choice(["list", "show"]), default="list")
@click.argument("session_id", metavar="[ID]", default="")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many sessions, the latest.")
@click.option("--all", "everything", is_flag=True, help="With `show`: tool calls, results and thinking too.")
@common
def session(scope: Scope, action: str, session_id: str, limit: int, everything: bool) -> None:
    """List sessions, or show what was said in one, even when the client has deleted it. ID may be its beginning."""
    if action == "show" and not session_id:
        raise click.UsageError("which session? `nous session show ID`; the beginning of its id is enough")
    with opened() as nous:
        if action == "list":
            project = None if scope.all_projects else nous.project(scope.project).id
            rows = nous.stores.transcripts.sessions(project, limit)
            nothing = [] if rows else list(unknown_here(nous, scope, "no sessions"))
            emit(scope, {"sessions": rows}, lambda: _listed(rows) if rows else iter(nothing))
            return
        data = _session(nous, session_id)
    emit(scope, data, lambda: _shown(data, everything))


def _session(nous: Nous, beginning: str) -> dict[str, Any]:
    found = nous.stores.transcripts.find(beginning) if beginning else []
    if not found:
        raise NotFound(f"there is no session {beginning!r}", hint="`nous session list --all-projects` names them")
    if len(found) > 1 and beginning not in found:
        raise NousError(f"several sessions begin with {beginning!r}", hint="give more of the id")
    chosen = beginning if beginning in found else found[0]
    turns = [msgspec.to_builtins(turn) for turn in nous.stores.transcripts.turns(chosen)]
    return (nous.stores.transcripts.session(chosen) or {}) | {"said": turns}


def _listed(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        agents = f", {row['agents']} agents" if row["agents"] else ""
        yield (
            f"{row['last_at'][:16].replace('T', ' ')}  {row['session_id'][:13]:<13} {row['prompts']:>4} prompts, "
            f"{row['turns']:>5} turns{agents}, {row['bytes'] / 1000:.1f} kB  {row['branch'] or '-'}  {row['cwd']}"
        )


def _shown(data: dict[str, Any], everything: bool) -> Iterator[str]:
    yield f"session {data['session_id']} in {data['project_id']}"
    yield f"{data['first_at']} to {data['last_at']}, {data['client']} {data['client_version']}, branch {data['branch']}"
    if not data["said"]:
        yield "what was said is not kept (any more)"
    for said in data["said"]:
        turn = msgspec.convert(said, Turn)
        if everything or turn.kind in SPEAKERS:
            yield from _turn(turn)


def _turn(turn: Turn) -> Iterator[str]:
    who = f"{SPEAKERS.get(turn.kind, turn.kind)}{' of ' + turn.agent_id if turn.agent_id else ''}"
    what = turn.text or (f"{turn.tool} {msgspec.json.encode(turn.input).decode()[:300]}" if turn.tool else "")
    yield ""
    yield f"[{turn.at[:19].replace('T', ' ')}] {who}  ({turn.uuid})"
    yield from (f"  {line}" for line in what.splitlines())
