"""Commands about tokens: who may ask a server of Nous, and who did."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from nous import moments
from nous.errors import NousError
from nous.kernel.access import RIGHTS, ROLES, TeamRole
from nous.shells.cli.common import CommandScope, common, emit, open_memory
from nous.teams import tokens

MOST_USES = 200


@click.group()
def token() -> None:
    """Manage access tokens."""


@token.command()
@click.argument("name")
@click.option("--role", type=click.Choice(list(ROLES)), default="member", help="The token's role.")
@click.option("--can", type=click.Choice(RIGHTS), multiple=True, help="Single rights instead of a role.")
@click.option("--for-project", "projects", metavar="ID", multiple=True, help="Only in this project (repeatable).")
@click.option("--team", "teams", metavar="NAME", multiple=True, help="A member of this team (repeatable).")
@click.option("--days", type=float, default=90, show_default=True, help="Days until it expires.")
@click.option("--signed", is_flag=True, help="A signed token (EdDSA), which services can verify themselves.")
@common
def create(
    scope: CommandScope,
    name: str,
    role: TeamRole,
    can: tuple[str, ...],
    projects: tuple[str, ...],
    teams: tuple[str, ...],
    days: float,
    signed: bool,
) -> None:
    """Create a token for NAME and print it. It is shown once; only its hash is stored."""
    with open_memory() as nous:
        only = [nous.project(one).id for one in projects] + [nous.team(one) for one in teams]
        signer = tokens.open_signer(nous.settings.data_dir, make=True) if signed else None
        rights, now = can or ROLES[role], nous.clock()
        made, text = tokens.make(nous.stores.tokens, name, rights, now, projects=only or None, days=days, signer=signer)
    emit(scope, _fields(made, made.created_at) | {"token": text}, lambda: iter([text]))
    if not scope.as_json:
        said = f"for {made.name}, until {made.expires_at[:10]}; `nous admin token revoke {made.token_id}` ends it"
        click.echo(f"{said}. It is shown only now.", err=True)


@token.command("list")
@common
def list_(scope: CommandScope) -> None:
    """List tokens: owner, rights, expiry and last use."""
    with open_memory(readonly=True) as nous:
        found = [_fields(one, nous.clock()) for one in nous.stores.tokens.listing()]
    emit(scope, {"tokens": found}, lambda: _lines(found))


@token.command()
@click.argument("named", metavar="ID|NAME")
@common
def revoke(scope: CommandScope, named: str) -> None:
    """Revoke a token by id, or all tokens of a name."""
    with open_memory() as nous:
        ended = tokens.revoke(nous.stores.tokens, named, nous.clock())
    said = f"{len(ended)} tokens ended" if ended else "it had been revoked before"
    emit(scope, {"revoked": [one.token_id for one in ended]}, lambda: iter([said]))


@token.command()
@click.option("--since", default="30d", show_default=True, metavar="WHEN", help="A date, or an age (30d).")
@common
def uses(scope: CommandScope, since: str) -> None:
    """Show who used which project, by day and kind of request."""
    with open_memory(readonly=True) as nous:
        project = nous.project(scope.project).id if scope.project else None
        rows = nous.stores.tokens.uses(project, moments.parse(since, nous.clock()), MOST_USES)
    emit(scope, {"uses": rows}, lambda: _use_line(rows))


@token.command()
@common
def key(scope: CommandScope) -> None:
    """Print the public key that verifies signed tokens."""
    signer = tokens.open_signer(_data_dir())
    if signer is None:
        raise NousError("no token was ever signed here", hint="`nous admin token create NAME --signed` makes the key")
    data = {"public_key": signer.public_key, "audience": signer.audience, "algorithm": "EdDSA"}
    emit(scope, data, lambda: iter([signer.public_key.strip(), f"audience {signer.audience}"]))


def _data_dir() -> str:
    from nous.config import load_settings

    return load_settings(os.environ).data_dir


def _fields(one: tokens.AccessToken, now: str) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(one)
    is_signed = fields.pop("token_hash") is None
    return fields | {"state": one.state(now), "signed": is_signed}


def _lines(found: list[dict[str, Any]]) -> Iterator[str]:
    if not found:
        yield "no tokens; `nous admin token create NAME` makes one"
    for one in found:
        where = ", ".join(one["projects"]) if one["projects"] is not None else "every project"
        used = f"used {one['used_at'][:10]}" if one["used_at"] else "never used"
        until = f"{one['state']} until {one['expires_at'][:10]}" if one["state"] == "good" else one["state"]
        yield f"{one['token_id']}  {one['name']}  {'+'.join(one['rights'])}  {where}  {until}, {used}"


def _use_line(rows: list[dict[str, Any]]) -> Iterator[str]:
    if not rows:
        yield "nobody asked with a token"
    for row in rows:
        yield f"{row['day']}  {row['name']}  {row['project_id'] or 'every project'}  {row['route']}  {row['times']}×"
