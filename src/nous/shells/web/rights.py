"""What whoever asks may see and do: the right that a route needs, and the projects that a token was given.

A route says what its request is about; one that says nothing is about everything, and closed to a token for single
projects. A new route is therefore closed until somebody thought about it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, get_args

import msgspec
from msgspec.structs import replace

from nous.app import Nous
from nous.errors import Forbidden, Misuse, NotFound
from nous.features.brief.operations import OfProject
from nous.features.memories.operations import Appending, Many, Telling
from nous.features.memories.writes import choose_memories
from nous.features.review import review
from nous.features.review.operations import Deciding, Undo
from nous.features.service.operations import Ingesting
from nous.features.sessions.operations import session_found
from nous.kernel import gate
from nous.kernel.access import EVERYWHERE, OWNER, Bearer, Right
from nous.kernel.asking import number_of
from nous.kernel.gate import EVENT_ACTIONS, HERE, Target
from nous.kernel.log.events import Recorded
from nous.kernel.log.wire import WireEvent
from nous.kernel.memory.memory import Memory
from nous.kernel.operations import About
from nous.kernel.sharing import CONTESTED, WRITES, is_no_name, scope_of
from nous.kernel.speaker import Speaker, speaker_of_bearer
from nous.kernel.types import Scope
from nous.kernel.viewer import viewer_of_bearer


def require(bearer: Bearer, right: Right) -> None:
    """Refuse whoever lacks a right."""
    if not bearer.may(right):
        raise Forbidden(f"this token may not {right}", hint="`nous admin token create` makes one that may")


def confine(nous: Nous | None, about: About, asked: Any, bearer: Bearer) -> tuple[Any, frozenset[str]]:
    """A request as far as a token's projects let it go, and the projects it is about."""
    return _CONFINED[about](nous, asked, bearer)  # type: ignore[arg-type]  # what is about everything needs no memory


def check_write(nous: Nous, action: str, asked: Any, speaker: Speaker) -> None:
    """Refuse what whoever asks may not write: for every memory, project and scope that the request would touch."""
    if speaker.kind == "person":
        return
    if speaker.kind == "agent":
        raise Forbidden("an agent writes with its tools or `nous remember`, not with the token of this machine")
    if nous.settings.serve_hub and not speaker.may("steward") and _is_unnamed(asked):
        raise Forbidden("what is not named is a steward's to decide", hint="name it: `ids`, or `events`")
    if is_no_name(named := getattr(asked, "project", None) or "") or (
        nous.settings.serve_hub and named.startswith("/")
    ):
        raise Misuse("a project is not called so: its name is a path or has control characters")
    for does, target in _list_wishes(nous, action, asked, speaker):
        gate.require(speaker, does, target)


def _is_unnamed(asked: Any) -> bool:
    return (isinstance(asked, Many) and asked.filter is not None) or (isinstance(asked, Undo) and not asked.events)


def _list_wishes(nous: Nous, action: str, asked: Any, speaker: Speaker) -> Iterator[tuple[str, Target]]:
    """Everything that a request would do, and to what."""
    match asked:
        case Telling():
            project = nous.project(asked.project).id
            yield action, Target(project, asked.scope)
            if asked.pin:
                yield "pin", Target(project, is_others=nous.settings.serve_hub)
        case OfProject():
            yield action, Target(nous.project(asked.project).id)
        case Ingesting():
            yield from ((action, Target(nous.project(asked.project).id, scope)) for scope in _scopes_in(asked.summary))
        case Appending():
            yield from _weigh_event(nous, asked)
        case Undo():
            for event in _undone(nous, asked):
                yield EVENT_ACTIONS[event.event_type], Target(event.project_id)
                yield from _about(nous, action, nous.stores.memories.by_learning([event.learning_id]).values())
        case Many():
            found = choose_memories(nous, viewer_of_bearer(speaker.bearer), asked)
            yield from _about(nous, "pin" if asked.action == "unpin" else asked.action, found)
        case Deciding():
            item = review.find(nous.stores, asked.item, nous.clock())
            yield from _about(nous, action, _find_questioned(nous, asked.item))
            if item.kind == "scope" and asked.action not in ("reject", "later"):
                yield action, Target(item.memory.project_id, "global")
        case _ if hasattr(asked, "id") or hasattr(asked, "memory_id"):
            number = number_of(nous, getattr(asked, "id", None) or asked.memory_id)
            yield from _about(nous, action, nous.stores.memories.by_id([number]))
        case _:
            yield action, HERE


def _about(nous: Nous, action: str, memories: Collection[Memory]) -> Iterator[tuple[str, Target]]:
    others = {
        one.id
        for one in memories
        if nous.settings.serve_hub and nous.authors([one]).get(one.learning_id, OWNER.name) != nous.author
    }
    return ((action, Target(one.project_id, one.scope, CONTESTED in one.tags, one.id in others)) for one in memories)


def _scopes_in(summary: dict[str, Any] | None) -> set[Scope]:
    """The scopes that the points of a work summary ask for; what is none is refused when it is read."""
    points = (summary or {}).get("learnings", ())
    given = [point.get("scope") for point in points if isinstance(point, dict)] if isinstance(points, list) else []
    return {scope for scope in get_args(Scope) if scope in given} | {"project"}


def _weigh_event(nous: Nous, asked: Appending) -> Iterator[tuple[str, Target]]:
    """What an event of the log does: in the project it names, and in that of the memory it happens to."""
    action = EVENT_ACTIONS[asked.event_type]
    known = nous.stores.memories.by_learning([asked.learning_id]).values()
    scope: Scope = next((one for one in get_args(Scope) if one == asked.payload.get("scope")), "project")
    is_new = not known and action != "remember"  # what nobody told is nobody's to decide about
    project = asked.project or next((one.project_id for one in known), "")
    yield action, Target(project, scope, is_others=is_new and nous.settings.serve_hub)
    yield from _about(nous, action, known)
    if asked.payload.get("pinned"):
        yield "pin", Target(asked.project or "", is_others=nous.settings.serve_hub)


def _undone(nous: Nous, asked: Undo) -> Sequence[Recorded]:
    return nous.undoable(asked.events, last=asked.last, project=asked.project, all_projects=asked.project is None)


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
    return asked, frozenset(_project_of(nous, memory.id, bearer) for memory in _find_questioned(nous, asked.item))


def _find_questioned(nous: Nous, item_id: str) -> list[Memory]:
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
        raise NotFound("this is no hub", hint="`nous admin hub serve` serves one")
    _may_tell(nous, getattr(asked, "events", ()), bearer)
    said: dict[str, Any] = {
        "owner": bearer.name if bearer.token_id else "",
        "seen": None if bearer.projects is None else tuple(sorted(bearer.projects)),
        "writes": tuple(scope for scope, right in WRITES.items() if bearer.may(right)),
    }
    known = {name: value for name, value in said.items() if name in asked.__struct_fields__}
    return replace(asked, **known), bearer.projects if bearer.projects is not None else frozenset({EVERYWHERE})


def _may_tell(nous: Nous, events: Iterable[WireEvent], bearer: Bearer) -> None:
    """Refuse events of projects that whoever sends them does not see, and what only others may say for a team."""
    speaker = speaker_of_bearer(bearer)
    homes = nous.stores.devices.homes(event.stream_id for event in events)
    for event in events:
        for project in {event.project_id, homes.get(event.stream_id, event.project_id)}:
            if not bearer.sees(project):
                raise Forbidden("this token is for other projects", hint=f"{project} is not among them")
            if event.event_type != "LearningContested":
                gate.require(speaker, "sync", Target(project))


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


def prune(data: Any, bearer: Bearer) -> Any:
    """An answer without anything of another project: what confining a request overlooked does not leave either."""
    if bearer.projects is None:
        return data
    if isinstance(data, msgspec.Struct):
        data = msgspec.to_builtins(data)
    if isinstance(data, dict):
        return {name: prune(value, bearer) for name, value in data.items() if not _is_foreign(value, bearer)}
    if isinstance(data, list | tuple):
        return [prune(value, bearer) for value in data if not _is_foreign(value, bearer)]
    return data


def _is_foreign(value: Any, bearer: Bearer) -> bool:
    if not isinstance(value, dict) or not isinstance(project := value.get("project_id"), str):
        return False
    return not bearer.sees(project) and value.get("scope") != "global"
