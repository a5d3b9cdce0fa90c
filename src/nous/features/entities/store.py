"""Named things: where memories name them, what they say of them, and what people decided about their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from nous.features.entities.model import Decided, Naming
from nous.kernel.db.database import Row
from nous.kernel.db.store import Store
from nous.language.naming import entity_id, normal


class MentionRow(NamedTuple):
    """That a memory names an entity, as stored."""

    memory_id: int
    entity_id: str
    form: str
    name: str
    kind: str
    project_id: str
    learning_id: str
    said_at: str
    version: int


class ObservationRow(NamedTuple):
    """What a memory says of an entity, as stored."""

    memory_id: int
    nth: int
    entity_id: str
    subject: str
    predicate: str
    target_id: str | None
    object: str
    project_id: str
    said_at: str
    version: int


class StatedRow(NamedTuple):
    """An observation as it is read."""

    memory_id: int
    entity_id: str
    subject: str
    predicate: str
    target_id: str | None
    object: str
    project_id: str
    said_at: str


class Spelling(NamedTuple):
    """One spelling of an entity in a project: how often it stands in memories, and since when."""

    entity_id: str
    project_id: str
    name: str
    kind: str
    mentions: int
    first_seen: str
    last_seen: str
    own: int = 1  # by the name of the entity itself, not of one that was merged into it


class Entities(Store, group="entities"):
    """The read models of names: mentions, observations, and decisions."""

    # writing, by projectors only
    def add(self, mentions: Iterable[MentionRow], observations: Iterable[ObservationRow]) -> None:
        """Keep what memories name and say."""
        self.db.many("entities.mention", mentions)
        self.db.many("entities.observe", observations)

    def drop(self, memory_id: int) -> None:
        """Forget what one memory names and says (erasure, or before it is said anew)."""
        self.db.run("entities.drop_mentions", memory_id=memory_id)
        self.db.run("entities.drop_observations", memory_id=memory_id)

    def set_decided(self, decided: Decided) -> None:
        """Say what was decided about names, instead of what was said before."""
        self.clear("names", "moves")
        self.db.many("entities.put_name", (msgspec.structs.astuple(row) for row in decided.namings.values()))
        self.db.many("entities.put_move", decided.moves.values())

    def clear(self, *tables: str) -> None:
        """Empty read models before they are built again."""
        for table in tables:
            self.db.run(f"entities.clear_{table}")

    # reading
    def root(self, entity_id: str) -> str:
        """The entity that one is part of."""
        row = self.db.one("entities.root", entity_id=entity_id)
        return row["root_id"] if row else entity_id

    def resolve(self, project_id: str, name: str) -> str | None:
        """The entity that a name stands for in a project; None when no memory names it, or it is none."""
        form = normal(name)
        root = self.root(entity_id(project_id, form)) if form else ""
        if not root or self.is_rejected(root):
            return None
        return root if self.db.one("entities.any_mention", ids=_json(self.members(root))) else None

    def is_rejected(self, root_id: str) -> bool:
        """Whether a person said that this is no entity."""
        return any(naming.rejected for naming in self.namings([root_id]).values())

    def members(self, root_id: str) -> list[str]:
        """An entity with all that were merged into it."""
        return [root_id, *(member for (member,) in self.db.each("entities.members", root_id=root_id))]

    def namings(self, entity_ids: Iterable[str]) -> dict[str, Naming]:
        """What was decided about some entities."""
        rows = self.db.each("entities.naming", ids=_json(entity_ids))
        return {row[0]: Naming(row[0], row[1], row[2], bool(row[3]), row[4]) for row in rows}

    def mentions(self, entity_ids: Sequence[str]) -> list[MentionRow]: ...
    def observations(self, entity_ids: Sequence[str]) -> list[StatedRow]: ...
    def spellings(self, project_id: str | None) -> list[Spelling]: ...
    def relations(self, project_id: str | None, limit: int) -> list[Row]: ...
    def spelt(self, form: str) -> list[tuple[str, str]]: ...
    def beside(
        self, entity_ids: Sequence[str], memory_ids: Sequence[int], limit: int
    ) -> list[tuple[str, str, int]]: ...

    def of_memories(self, memory_ids: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
        """The entities that some memories name, each with its spelling there."""
        found: dict[int, list[tuple[str, str]]] = {}
        for number, entity, name in self.db.each("entities.of_memories", ids=_json(memory_ids)):
            found.setdefault(number, []).append((entity, name))
        return found

    def only_in(self, memory_ids: Sequence[int]) -> list[str]: ...


def _json(values: Iterable[str | int]) -> str:
    return msgspec.json.encode(list(values)).decode()
