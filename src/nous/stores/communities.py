"""Which memories hang together: a cache over the read models, with what is needed to find it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, groupby
from typing import NamedTuple

import msgspec

from nous.stores.database import Database

FEW = 6  # memories that may share a name before the name says nothing about what hangs together
BY_NAME = 0.5  # what a name shared by two weighs; by more, less


class Tie(NamedTuple):
    """Two memories that have to do with each other, and how much."""

    one: int
    other: int
    weight: float


class Community(NamedTuple):
    """Memories that hang together: their number, the terms that name them, and how many they are."""

    project_id: str
    community: int
    label: str
    size: int


class Terms(NamedTuple):
    """The terms of memories, and in how many memories each stands."""

    of: dict[int, list[str]]
    frequency: Counter[str]


class Communities:
    """The communities of memories."""

    def __init__(self, db: Database):
        self.db = db

    # the graph
    def graph(self, project_id: str) -> tuple[list[int], list[Tie]]:
        """The active memories of a project and what ties them."""
        numbers = [number for (number,) in self.db.each("communities.numbers", project_id=project_id)]
        ties = [Tie(*row) for row in self.db.each("communities.edges", project_id=project_id)]
        ties += [Tie(*row) for row in self.db.each("communities.likenesses", project_id=project_id)]
        return numbers, [*ties, *self._by_name(project_id)]

    def _by_name(self, project_id: str) -> Iterator[Tie]:
        rows = self.db.each("communities.shared", project_id=project_id)
        for _, group in groupby(rows, key=lambda row: row[0]):
            numbers = [number for _, number in group]
            if 1 < len(numbers) <= FEW:
                weight = BY_NAME / (len(numbers) - 1)
                yield from (Tie(one, other, weight) for one, other in combinations(numbers, 2))

    def towards(self, project_id: str, memory_id: int) -> list[tuple[int, float]]:
        """The communities that a memory is tied to, each tie with its weight."""
        asked = {"project_id": project_id, "memory_id": memory_id, "most": FEW}
        return [(community, weight) for community, weight in self.db.each("communities.towards", **asked)]

    # what was found
    def known(self, project_id: str) -> int:
        """How many memories have a community."""
        row = self.db.one("communities.known", project_id=project_id)
        return int(row["known"]) if row else 0

    def unplaced(self, project_id: str) -> list[int]:
        """The memories that came since."""
        return [number for (number,) in self.db.each("communities.unplaced", project_id=project_id)]

    def next_number(self, project_id: str) -> int:
        """The number of a new community."""
        row = self.db.one("communities.next_number", project_id=project_id)
        return int(row["number"]) if row else 0

    def place(self, project_id: str, memory_id: int, community: int) -> None:
        """Put one memory into a community, which keeps its name until all are found again."""
        self.db.run("communities.put", memory_id=memory_id, project_id=project_id, community=community)
        self.db.run("communities.grow", project_id=project_id, community=community)

    def put(self, project_id: str, rows: Iterable[tuple[int, int]]) -> None:
        """Put memories into communities."""
        self.db.many("communities.put", ((number, project_id, community) for number, community in rows))

    def by_memory(self, memory_ids: Sequence[int]) -> dict[int, int]:
        """The community of each of some memories."""
        return dict(self.db.each("communities.of", ids=msgspec.json.encode(list(memory_ids)).decode()))

    def members(self, project_id: str) -> Iterator[tuple[int, list[int]]]:
        """Communities with their memories."""
        rows = list(self.db.each("communities.members", project_id=project_id))
        for community, group in groupby(rows, key=lambda row: row[0]):
            yield community, [number for _, number in group]

    def terms(self, project_id: str) -> Terms:
        """The concepts of a project's memories."""
        found: dict[int, list[str]] = {}
        frequency: Counter[str] = Counter()
        for number, term in self.db.each("communities.terms", project_id=project_id):
            found.setdefault(number, []).append(term)
            frequency[term] += 1
        return Terms(found, frequency)

    def label(self, community: Community) -> None:
        """Say what a community is called and how large it is."""
        self.db.run("communities.label", **community._asdict())

    def listing(self, project_id: str | None) -> list[Community]:
        """The communities of a project, or of all, the largest first."""
        return [Community(*row) for row in self.db.each("communities.listing", project_id=project_id)]

    # forgetting
    def forget(self, memory_id: int) -> None:
        """Drop what is known of an erased memory, and the names that its words may have given."""
        self.db.run("communities.forget_labels", memory_id=memory_id)
        self.db.run("communities.forget", memory_id=memory_id)

    def forget_ended(self, project_id: str) -> None:
        """Drop memories that are no longer in use."""
        self.db.run("communities.forget_ended", project_id=project_id)

    def clear(self, project_id: str) -> None:
        """Forget the communities of a project."""
        self.db.run("communities.clear", project_id=project_id)
        self.db.run("communities.clear_labels", project_id=project_id)
