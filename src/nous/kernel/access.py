"""Who may do what over the network: rights, the roles that bundle them, and the one who bears a token."""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Literal, get_args

import msgspec

Right = Literal["read", "write", "sync", "steward", "admin"]
TeamRole = Literal["reader", "device", "member", "steward", "admin"]
RIGHTS: tuple[Right, ...] = get_args(Right)
ROLES: dict[TeamRole, tuple[Right, ...]] = {
    "reader": ("read",),
    "device": ("sync",),
    "member": ("read", "write", "sync"),
    "steward": ("read", "write", "sync", "steward"),
    "admin": RIGHTS,
}
EVERYWHERE = ""  # in the place of a project: all of them
_OPAQUE = re.compile(r"nous_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


class Bearer(msgspec.Struct, frozen=True):
    """Whoever asks with a token: a name, what it may do, and in which projects (None: in all of them)."""

    name: str
    rights: frozenset[str]
    projects: frozenset[str] | None = None
    token_id: str = ""
    ends: float = float("inf")

    def may(self, right: Right) -> bool:
        """Whether it has a right; an admin has every one."""
        return right in self.rights or "admin" in self.rights

    def sees(self, project_id: str) -> bool:
        """Whether a project is among those it was given."""
        return self.projects is None or project_id in self.projects


OWNER = Bearer("owner", frozenset({"admin"}))  # whoever can read the data directory


def opaque(token_id: str, secret: str) -> str:
    """A token as it is handed out; only a hash of it is kept."""
    return f"nous_{token_id}_{secret}"


def opaque_id(token: str) -> str | None:
    """The id in a token of this shape; None in any other text."""
    found = _OPAQUE.fullmatch(token)
    return found[1] if found else None


def token_hash(token: str) -> str:
    """What is kept of a token. It holds 256 random bits, so nothing slower than SHA-256 is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def is_token(token: str, kept: str) -> bool:
    """Whether a token is the one of which a hash was kept, without telling how much of it was right."""
    return hmac.compare_digest(token_hash(token), kept)
