"""What whoever asks may see and do: the right that a route needs, and the projects that a token was given.

A route says what its request is about; one that says nothing is about everything, and closed to a token for single
projects. A new route is therefore closed until somebody thought about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from msgspec.structs import replace

from nous.api.decide import Telling
from nous.api.memories import number_of
from nous.api.sessions import session_found
from nous.app import Nous, review
from nous.core.access import EVERYWHERE, Bearer, Right
from nous.core.carried import Carried
from nous.core.memory import Memory
from nous.core.sharing import CONTESTED, WRITES, scope_of
from nous.errors import Forbidden, Misuse, NotFound

About = Literal[
    "everything", "nothing", "project", "packet", "memory", "many", "session", "question", "decisions", "devices"
]


def require(bearer: Bearer, right: Right) -> None:
    """Refuse whoever lacks a right."""
    if not bearer.may(right):
        raise Forbidden(f"this token may not {right}", hint="`nous token create` makes one that may")


def confined(nous: Nous | None, about: About, asked: Any, bearer: Bearer) -> tuple[Any, frozenset[str]]:
    """A request as far as a token's projects let it go, and the projects it is about."""
    if nous is not None:
        nous.stores.circles.seen = bearer.projects
    return _CONFINED[about](nous, asked, bearer)  # type: ignore[arg-type]  # what is about everything needs no memory


DISCUSSING = frozenset({"memories", "dispute", "feedback"})  # what settles nothing, by the path's end


def require_steward(nous: Nous, path: str, asked: Any, bearer: Bearer) -> None:
    """Refuse whoever is no steward and would settle on a hub what a team discusses, by whatever way."""
    if not nous.settings.serve_hub:
        return
    is_remark = path.rpartition("/")[2] in ("dispute", "feedback")
    if isinstance(asked, Telling):
        _may_write(asked.project or "", False, bearer)
    for memory in _touched(nous, asked):
        _may_write(memory.project_id, is_remark, bearer)
    if bearer.may("steward") or path.rpartition("/")[2] in DISCUSSING:
        return
    if getattr(asked, "filter", None) is not None or getattr(asked, "events", None) == ():
        raise Forbidden("what is not named is a steward's to decide", hint="name it: `ids`, or `events`")
    if any(CONTESTED in memory.tags for memory in _touched(nous, asked)):
        raise Forbidden("a team discusses this; a steward settles it", hint="`dispute` adds a remark")


def _touched(nous: Nous, asked: Any) -> Iterator[Memory]:
    """The memories that a request would change."""
    if hasattr(asked, "id"):
        yield from nous.stores.memories.by_id([number_of(nous, asked.id)])
    if hasattr(asked, "item"):
        yield from _questioned(nous, asked.item)
    yield from nous.stores.memories.by_id(list(getattr(asked, "ids", ())))
    streams = {event.stream_id for event in nous.stores.events.by_id(getattr(asked, "events", ()))}
    yield from nous.stores.memories.by_learning({*streams, getattr(asked, "learning_id", "")}).values()


def _everything(nous: Nous, asked: Any, bearer: Bearer) -> tuple[Any, frozenset[str]]:
    if bearer.projects is not None:
        raise Forbidden("this token is for single projects", hint="what you ask for is about all of them")
    project = getattr(asked, "project", None)
    return asked, frozenset({project if project and not getattr(asked, "all_projects", False) else EVERYWHERE})


def _nothing(nous: Nous, asked: Any, bearer: Bearer) -> tuple[Any, frozenset[str]]:
    return asked, frozenset()


def _project(nous: Nous, asked: Any, bearer: Bearer) -> tuple[Any, frozenset[str]]:
    """What names a project: one of the token's, by its id. A token for one project need not name it."""
    if bearer.projects is None:
        return _everything(nous, asked, bearer)
    only = next(iter(bearer.projects)) if len(bearer.projects) == 1 else None
    chosen = asked.project or only
    if getattr(asked, "all_projects", False) or getattr(asked, "cwd", None) or chosen not in bearer.projects:
        raise Forbidden("this token is for other projects", hint=f"say `project`: {', '.join(sorted(bearer.projects))}")
    if isinstance(asked, Telling) and asked.scope not in ("project", scope_of(chosen)):
        raise Forbidden("this token writes for its projects alone")
    return replace(asked, project=chosen), frozenset({chosen})


def _packet(nous: Nous, asked: Any, bearer: Bearer) -> tuple[Any, frozenset[str]]:
    """A text that was made for whoever sees everything that holds in a project."""
    held, projects = _project(nous, asked, bearer)
    nous.stores.circles.seen = None
    if any(not bearer.sees(circle) for project in projects for circle in nous.stores.circles.of_project(project)):
        raise Forbidden("what a session is told here is also a team's, and this token is not of that team")
    return held, projects


def _memory(nous: Nous, asked: Any, bearer: Bearer) -> tuple[Any, frozenset[str]]:
    number = number_of(nous, getattr(asked, "id", None) or asked.memory_id)
    project = _project_of(nous, number, bearer)
    if bearer.projects is not None and getattr(asked, "project", None) not in (None, *bearer.projects):
        raise Forbidden("this token is for other projects")
    return asked, frozenset({project})


def _project_of(nous: Nous, number: int, bearer: Bearer) -> str:
    """The project of a memory; one that a token may not see is not there."""
    memory = nous.stores.memories.get(number)
    if memory is None or not bearer.sees(memory.project_id):
        raise NotFound(f"there is no memory #{number}")
    return memory.project_id


def _many(nous: Nous, asked: Any, bearer: Bearer) -> tuple[Any, frozenset[str]]:
    if asked.filter is not None:
        inside, projects = _project(nous, asked.filter, bearer)
        return replace(asked, filter=inside), projects
    if bearer.projects is None:
        return asked, frozenset({EVERYWHERE})
    return asked, frozenset(_project_of(nous, number, bearer) for number in asked.ids)


def _session(nous: Nous, asked: Any, bearer: Bearer) -> tuple[Any, frozenset[str]]:
    chosen = session_found(nous, asked.id)
    known = nous.stores.transcripts.session(chosen)
    project = str(known["project_id"]) if known else EVERYWHERE
    if not bearer.sees(project):
        raise NotFound(f"there is no session {asked.id!r}")
    return asked, frozenset({project})


def _question(nous: Nous, asked: Any, bearer: Bearer) -> tuple[Any, frozenset[str]]:
    """A question of the review is about one memory, or two."""
    return asked, frozenset(_project_of(nous, memory.id, bearer) for memory in _questioned(nous, asked.item))


def _questioned(nous: Nous, item_id: str) -> list[Memory]:
    """The memories that a question of the review is about."""
    item = review.find(nous.stores, item_id, nous.clock())
    return [memory for memory in (item.memory, item.other) if memory]


def _decisions(nous: Nous, asked: Any, bearer: Bearer) -> tuple[Any, frozenset[str]]:
    """Events to take back, or the last decisions in a project."""
    if not asked.events:
        return _project(nous, asked, bearer)
    found = nous.stores.events.by_id(asked.events)
    if not all(bearer.sees(event.project_id) for event in found):
        raise Misuse("there is no such event")
    return asked, frozenset(event.project_id for event in found)


def _devices(nous: Nous, asked: Any, bearer: Bearer) -> tuple[Any, frozenset[str]]:
    """Chains of devices: of the projects that whoever bears the token sees, and what is sealed of theirs."""
    if not nous.settings.serve_hub:
        raise NotFound("this is no hub", hint="`nous hub` serves one")
    _may_tell(nous, getattr(asked, "events", ()), bearer)
    said: dict[str, Any] = {
        "owner": bearer.name if bearer.token_id else "",
        "seen": None if bearer.projects is None else tuple(sorted(bearer.projects)),
        "writes": tuple(scope for scope, right in WRITES.items() if bearer.may(right)),
    }
    known = {name: value for name, value in said.items() if name in asked.__struct_fields__}
    return replace(asked, **known), bearer.projects if bearer.projects is not None else frozenset({EVERYWHERE})


def _may_tell(nous: Nous, events: Iterable[Carried], bearer: Bearer) -> None:
    """Refuse events of projects that whoever sends them does not see, and what only others may say for a team."""
    homes = nous.stores.devices.homes(event.stream_id for event in events)
    for event in events:
        for project in {event.project_id, homes.get(event.stream_id, event.project_id)}:
            if not bearer.sees(project):
                raise Forbidden("this token is for other projects", hint=f"{project} is not among them")
            _may_write(project, event.event_type == "LearningContested", bearer)


def _may_write(project: str, is_remark: bool, bearer: Bearer) -> None:
    """Refuse whoever may not write for a team or the organisation; a remark is everybody's."""
    right = WRITES.get(scope_of(project))
    if right is not None and not is_remark and not bearer.may(right):
        raise Forbidden(f"only who has the right {right} writes for {project}", hint="`dispute` adds a remark")


_CONFINED: dict[About, Callable[[Nous, Any, Bearer], tuple[Any, frozenset[str]]]] = {
    "everything": _everything,
    "nothing": _nothing,
    "project": _project,
    "packet": _packet,
    "memory": _memory,
    "many": _many,
    "session": _session,
    "question": _question,
    "decisions": _decisions,
    "devices": _devices,
}


def pruned(data: Any, bearer: Bearer) -> Any:
    """An answer without anything of another project: what confining a request overlooked does not leave either."""
    if bearer.projects is None:
        return data
    if isinstance(data, dict):
        return {name: pruned(value, bearer) for name, value in data.items() if not _is_foreign(value, bearer)}
    if isinstance(data, list | tuple):
        return [pruned(value, bearer) for value in data if not _is_foreign(value, bearer)]
    return data


def _is_foreign(value: Any, bearer: Bearer) -> bool:
    if not isinstance(value, dict) or not isinstance(project := value.get("project_id"), str):
        return False
    return not bearer.sees(project) and value.get("scope") != "global"
