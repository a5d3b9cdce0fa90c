"""Looking at named things: which there are, what is known of one, and what it hangs together with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from nous.errors import NotFound
from nous.kernel.asking import PagedNow, Present, make_page, place
from nous.kernel.operations import Command, Operation, Route, Tool
from nous.kernel.viewer import Viewer
from nous.kernel.views import memory_fields

if TYPE_CHECKING:
    from nous.app import Nous

RUN = "nous.features.entities.operations:"


class Names(PagedNow, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Named things."""

    words: Annotated[str | None, Meta(description="part of a name")] = None


class OneName(Present, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One named thing."""

    name: Annotated[
        str,
        Meta(
            min_length=1, description="a service, library, command, host, file, person or team, however it is spelled"
        ),
    ]
    limit: Annotated[int, Meta(ge=1, le=300, description="how many memories")] = 100


def names(nous: Nous, viewer: Viewer, asked: Names) -> dict[str, Any]:
    """Named things, the most named first."""
    part = (asked.words or "").casefold()
    found = [
        entity
        for entity in nous.entities(project=asked.project, all_projects=_every(asked))
        if any(part in name.casefold() for name in (entity.name, *entity.aliases))
    ]
    start = (place(asked.cursor, tuple[int]) or (0,))[0]
    numbered = list(enumerate(found, 1))[start : start + asked.limit + 1]
    page, following = make_page(numbered, asked.limit, lambda pair: (pair[0],))
    return {"items": [msgspec.to_builtins(entity) for _, entity in page], "next": following, "total": len(found)}


def one(nous: Nous, viewer: Viewer, asked: OneName) -> dict[str, Any]:
    """What is known of a named thing: what holds of it, what held before, and what it hangs together with."""
    found = _find_named(nous, asked)
    return {
        "entity": msgspec.to_builtins(found.entity),
        "summary": found.summary,
        "truths": msgspec.to_builtins(found.truths),
        "related": msgspec.to_builtins(found.related),
        "elsewhere": found.elsewhere,
        "memories": [memory_fields(memory) for memory in found.memories[: asked.limit]],
        "timeline": [memory_fields(memory) for memory in found.timeline[: asked.limit]],
    }


class Relations(Present, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Relations between named things."""

    limit: Annotated[int, Meta(ge=1, le=1000, description="how many, the latest")] = 400


def relations(nous: Nous, viewer: Viewer, asked: Relations) -> dict[str, Any]:
    """Relations between named things, each relation once with the latest memory that says it."""
    project = None if _every(asked) else nous.project(asked.project).id
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in nous.stores.entities.relations(project, asked.limit):
        names = (row["project_id"], row["subject"].casefold(), row["predicate"], row["object"].casefold())
        found.setdefault(names, dict(row))
    return {"items": list(found.values()), "next": None}


def _find_named(nous: Nous, asked: OneName) -> Any:
    """The named thing, in the project asked about or in the one that names it most."""
    if not _every(asked):
        return nous.entity(asked.name, project=asked.project)
    wanted = asked.name.casefold()
    everywhere = nous.entities(all_projects=True)
    known = (one for one in everywhere if wanted in {name.casefold() for name in (one.name, *one.aliases)})
    first = next(known, None)
    if first is None:
        raise NotFound(f"nothing is called {asked.name!r}")
    return nous.entity(asked.name, project=first.project_id, all_projects=True)


def _every(asked: Present) -> bool:
    return asked.all_projects or not asked.project


def dossier(nous: Nous, viewer: Viewer, asked: Present) -> dict[str, Any]:
    """The page that the last tidying of a project wrote."""
    found: dict[str, Any] = nous.dossier(project=asked.project)._asdict()
    return found


# fmt: off
OPERATIONS = (
    Operation(
        "entities.list", Names, RUN + "names", "Named things, the most named first", about="project",
        doors=(Route("GET", "/v1/entities"),),
    ),
    Operation(
        "entities.dossier", Present, RUN + "dossier",
        "Show the page that the last tidying of the project wrote; every line cites its memories.", about="project",
        doors=(Command("dossier", lines="nous.shells.cli.lines:dossier"),),
    ),
    Operation(
        "entities.relations", Relations, RUN + "relations", "Relations between named things", about="project",
        doors=(Route("GET", "/v1/relations"),),
    ),
    Operation(
        "entities.get", OneName, RUN + "one", "What is known of a named thing",
        doors=(
            Route("GET", "/v1/entities/{name}"),
            Tool(
                "entity", ("name",),
                "Show what this project's memory knows of one named thing (a service, library, command, host, file, "
                "person or team): what holds of it now, what held before, and what it hangs together with. Use it "
                "when the user asks who or what something is here, or what it uses or runs on. Not for searching by "
                "topic (search_memory).",
                "nous.shells.mcp_texts:entity",
            ),
        ),
    ),
)
# fmt: on
