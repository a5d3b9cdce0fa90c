"""Teams and the organisation: which projects each has, and whether this device may write for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from nous.kernel.db.store import Store
from nous.kernel.sharing import EVERY_PROJECT, ORGANISATION, is_circle
from nous.kernel.viewer import OWNER_VIEW, Viewer

Members = dict[str, frozenset[str]]


class Circles(Store):
    """What stands above projects."""

    def list_known(self) -> Members:
        """Every circle with its projects."""
        found: dict[str, set[str]] = {}
        for circle, member, _ in self.db.each("circles.listing"):
            found.setdefault(circle, set()).add(member)
        return {circle: frozenset(members) for circle, members in found.items()}

    def list_writable(self) -> set[str]:
        """The circles that this device may write for."""
        return {circle for circle, _, writes in self.db.each("circles.listing") if writes}

    def of_project(self, project_id: str | None, viewer: Viewer = OWNER_VIEW) -> list[str]:
        """The circles whose memories hold in a project, as far as whoever looks may see them."""
        if project_id is None:
            return []
        teams = None if viewer.teams is None else msgspec.json.encode(sorted(viewer.teams)).decode()
        return [circle for (circle,) in self.db.each("circles.of_project", project_id=project_id, teams=teams)]

    def add(self, circle: str, members: Collection[str]) -> None:
        """Let a circle have projects; with the first team comes the organisation, which has all of them."""
        with self.db.transaction():
            for name, member in [(ORGANISATION, EVERY_PROJECT), *((circle, member) for member in members)]:
                self.db.run("circles.add", circle=name, member=member, writes=1)

    def remove(self, circle: str, member: str | None = None) -> int: ...

    def replace(self, told: Mapping[str, Collection[str]], written: Collection[str]) -> None:
        """Hold what a hub tells, and nothing else."""
        now = {(circle, member, int(circle in written)) for circle, members in told.items() for member in members}
        if now == {(circle, member, writes) for circle, member, writes in self.db.each("circles.listing")}:
            return
        with self.db.transaction():
            self.db.run("circles.clear")
            for circle, member, writes in sorted(now):
                self.db.run("circles.add", circle=circle, member=member, writes=writes)

    def widen(self, given: Collection[str]) -> frozenset[str]:
        """What whoever was given projects and teams sees: the teams' projects too, and with a team the organisation."""
        known = self.list_known()
        teams = [name for name in given if is_circle(name)]
        inside = {member for name in teams for member in known.get(name, ()) if member != EVERY_PROJECT}
        return frozenset({*given, *inside, *([ORGANISATION] if teams else [])})
