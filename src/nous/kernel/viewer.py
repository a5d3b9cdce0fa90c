"""Who looks: an argument of everything that reads for somebody, down into SQL; never the state of a shared object."""

from __future__ import annotations

import msgspec

from nous.kernel.access import Bearer
from nous.kernel.sharing import is_circle


class Viewer(msgspec.Struct, frozen=True):
    """Whoever an answer is for: their name, and the projects and teams they may see. None means all of them."""

    person: str = ""
    projects: frozenset[str] | None = None
    teams: frozenset[str] | None = None

    def sees(self, place: str) -> bool:
        """Whether a project, a team or the organisation is one they may see."""
        allowed = self.teams if is_circle(place) else self.projects
        return allowed is None or place in allowed

    @property
    def places(self) -> list[str] | None:
        """Every project and team they may see, sorted; None when that is all of them."""
        if self.projects is None or self.teams is None:
            return None
        return sorted(self.projects | self.teams)


OWNER_VIEW = Viewer()  # whoever works on this machine: hooks, commands, the daemon


def viewer_of_bearer(bearer: Bearer) -> Viewer:
    """Whoever comes with a token, as somebody who looks."""
    if bearer.projects is None:
        return Viewer(bearer.name)
    teams = frozenset(place for place in bearer.projects if is_circle(place))
    return Viewer(bearer.name, bearer.projects - teams, teams)
