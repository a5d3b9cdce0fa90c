"""Tokens for a server: made, listed, revoked, and recognised when somebody comes with one."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from nous.errors import Misuse, NotFound
from nous.kernel.access import RIGHTS, Bearer, is_token, opaque, opaque_id, token_hash
from nous.moments import later, seconds_of
from nous.teams.signing import Signer, open_signer
from nous.teams.token_store import AccessToken, AccessTokens

if TYPE_CHECKING:
    from nous.kernel.stores import Circles

DAY = 86400
LONGEST_DAYS = 3650
__all__ = ["AccessToken", "Signer", "make", "open_signer", "recognise_token", "revoke"]


def make(
    tokens: AccessTokens,
    name: str,
    rights: Iterable[str],
    now: str,
    *,
    projects: Iterable[str] | None = None,
    days: float = 90,
    signer: Signer | None = None,
) -> tuple[AccessToken, str]:
    """A new token and the text of it, which is told once and kept nowhere. With a signer it is a signed one."""
    chosen = tuple(right for right in RIGHTS if right in set(rights))
    if not name.strip() or len(name) > 100:
        raise Misuse("a token needs the name of whoever uses it, of at most 100 characters")
    if not chosen:
        raise Misuse("a token that may do nothing is of no use", hint=f"rights are {', '.join(RIGHTS)}")
    if not 0 < days <= LONGEST_DAYS:
        raise Misuse(f"a token ends after at most {LONGEST_DAYS} days")
    only = tuple(sorted(set(projects))) if projects is not None else None
    token_id = secrets.token_hex(6)
    text = "" if signer else opaque(token_id, secrets.token_urlsafe(32))
    made = AccessToken(
        token_id=token_id,
        name=name.strip(),
        token_hash=token_hash(text) if text else None,
        rights=chosen,
        projects=only,
        created_at=now,
        expires_at=later(now, days * DAY),
    )
    tokens.add(made)
    return made, text or (signer.sign(_claims(made)) if signer else "")


def _claims(token: AccessToken) -> dict[str, Any]:
    times = {"iat": int(seconds_of(token.created_at)), "exp": int(seconds_of(token.expires_at))}
    return {"sub": token.name, "jti": token.token_id, "rights": token.rights, "projects": token.projects} | times


def revoke(tokens: AccessTokens, named: str, now: str) -> list[AccessToken]:
    """End the token with this id, or every token of this name; those that ended now."""
    found = [one for one in tokens.listing() if named in (one.token_id, one.name)]
    if not found:
        raise NotFound(f"there is no token {named!r}", hint="`nous admin token list` shows them")
    return [one for one in found if tokens.revoke(one.token_id, now)]


def recognise_token(
    circles: Circles, tokens: AccessTokens, given: str, now: str, signer: Callable[[], Signer | None]
) -> Bearer | None:
    """Who comes with a token; None when it is none of ours, has ended or was revoked.

    What a signed token says counts only as far as the token of that id was given it: a row that was taken away, or
    given less, is the last word.
    """
    token_id = opaque_id(given)
    if token_id is None:
        key = signer() if given.count(".") == 2 else None
        said = key.read(given) if key else None
        known = tokens.get(str(said["jti"])) if said else None
        if known is None or known.token_hash is not None or _claims(known) != _list_claims(said or {}):
            return None
    else:
        known = tokens.get(token_id)
        if known is None or known.token_hash is None or not is_token(given, known.token_hash):
            return None
    return known.bearer(circles.widen) if known.state(now) == "good" else None


def _list_claims(said: dict[str, Any]) -> dict[str, Any]:
    """The claims that we make, with lists as they were before they became JSON."""
    kept = {name: value for name, value in said.items() if name not in ("iss", "aud")}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()}
