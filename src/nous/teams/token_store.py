"""Tokens of a server and what was done with them: hashes, rights and ends, and who asked about which project."""

from __future__ import annotations

from collections.abc import Callable, Collection

import msgspec

from nous.kernel.access import Bearer
from nous.kernel.db.database import Row
from nous.kernel.db.store import Store
from nous.moments import seconds_of


class AccessToken(msgspec.Struct, frozen=True, kw_only=True):
    """A token as it is kept. Without a hash it is a signed one, which proves itself."""

    token_id: str
    name: str
    token_hash: str | None
    rights: tuple[str, ...]
    projects: tuple[str, ...] | None
    created_at: str
    expires_at: str
    revoked_at: str | None = None
    used_at: str | None = None

    def state(self, now: str) -> str:
        """`good`, `ended` or `revoked`."""
        if self.revoked_at:
            return "revoked"
        return "good" if self.expires_at > now else "ended"

    def bearer(self, opened: Callable[[Collection[str]], frozenset[str]] = frozenset) -> Bearer:
        """Who comes with it; `opened` says what a team among its projects has."""
        projects = None if self.projects is None else opened(self.projects)
        return Bearer(self.name, frozenset(self.rights), projects, self.token_id, seconds_of(self.expires_at))


class AccessTokens(Store, group="tokens"):
    """The tokens of this server, and the log of their use."""

    def add(self, token: AccessToken) -> None: ...
    def get(self, token_id: str) -> AccessToken | None: ...
    def listing(self) -> list[AccessToken]: ...
    def revoke(self, token_id: str, now: str) -> bool: ...

    # what was done with them
    def note(self, bearer: Bearer, project_id: str, route: str, times: int, first_at: str, last_at: str) -> None:
        """Count that somebody asked about a project."""
        who = {"token_id": bearer.token_id, "name": bearer.name, "project_id": project_id, "route": route}
        self.db.run("tokens.note", day=last_at[:10], **who, times=times, first_at=first_at, last_at=last_at)

    def uses(self, project_id: str | None, since: str, limit: int) -> list[Row]:
        """Who asked about a project, or about any, the latest first."""
        return self.db.all("tokens.uses", project_id=project_id, since=since[:10], limit=limit)

    def drop_project(self, project_id: str) -> None: ...
