"""The page of a project in Markdown, as its last tidying wrote it: every line cites its memories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from nous.errors import NotFound
from nous.kernel.db.database import EVERY
from nous.kernel.hooks.packing import neutral
from nous.kernel.memory.memory import Memory

if TYPE_CHECKING:
    from nous.app import Nous
    from nous.features.tidy.store import StoredTidying


class Dossier(NamedTuple):
    """A page about a project, the event up to which it knows, and the memories it cites."""

    project_id: str
    event_id: int
    made_at: str
    text: str
    memories: tuple[int, ...]


def dossier(nous: Nous, *, project: str | None = None) -> Dossier:
    """The project on one page: a line falls when something it rests on no longer holds."""
    where = nous.project(project).id
    tidied = nous.stores.tidyings.of_project(where)
    if tidied is None:
        hint = "`nous tidy` has the model you chose write one; `nous list` names what is known"
        raise NotFound("no tidying has written a page of this project", hint=hint)
    told = nous.stores.memories.listing(where, status="active", limit=EVERY, with_global=False)
    event_id, now = nous.stores.events.last_id(), nous.clock()
    head = ("---", f"project: {neutral(where)}", f"made_from_event: {event_id}", f"made_at: {now}")
    lines = [*head, f"made_by: {tidied.reader}", "---", "", f"# {neutral(where)}", *_page_lines(tidied, told)]
    return Dossier(where, event_id, now, "\n".join(lines) + "\n", tuple(sorted(one.id for one in told)))


def _page_lines(tidied: StoredTidying, told: Sequence[Memory]) -> Iterator[str]:
    """What the tidying wrote, as far as all that a line rests on still holds, and the groups."""
    held = {one.learning_id: one.id for one in told if not (one.tainted or one.disputed)}
    fallen = 0
    for section in tidied.page:
        lines = [line for line in section.lines if all(one in held for one in line.sources)]
        fallen += len(section.lines) - len(lines)
        if lines:
            yield from ("", f"## {neutral(section.heading)}", "")
            yield from (f"- {neutral(one.text)} {_cite(held[name] for name in one.sources)}" for one in lines)
    if fallen:
        yield from ("", f"{fallen} lines fell because something they rest on changed; `nous tidy` writes them anew.")
    groups = [(group, [held[one] for one in group.members if one in held]) for group in tidied.groups]
    if any(members for _, members in groups):
        yield from ("", "## Subjects", "")
    for group, members in groups:
        about = f": {neutral(group.about)}" if group.about else ""
        if members:
            yield f"- **{neutral(group.label)}**{about} {_cite(members)}"


def _cite(numbers: Iterable[int]) -> str:
    return " ".join(f"[Memory #{number}]" for number in numbers)
