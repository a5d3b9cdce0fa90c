"""What arrives from other devices is checked whole, one event at a time, on the hub and on the device that receives it.

An event that does not fit is no reason to stop: it keeps its place in its chain, so that what follows is heard, and
does not count. What a later Nous wrote, or what belongs to a project that is not shared here, is kept and looked at
again when that changes; the rest is refused without its words.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec

from nous.errors import BadEvent
from nous.kernel.log import clocks
from nous.kernel.log.device_events import Devices
from nous.kernel.log.events import (
    ERASURES,
    PAYLOADS,
    SCHEMA_VERSION,
    STREAMS,
    Contested,
    Contradicted,
    Edge,
    EntityMerged,
    EntitySplit,
    Extracted,
    Payload,
    Reinforced,
    Reviewed,
    Superseded,
    TeamStanding,
    Weakened,
    decode_payload,
    happens_to,
)
from nous.kernel.log.wire import Hold, WireEvent
from nous.kernel.memory.memory import Memory
from nous.kernel.sharing import CONTESTED, EVERY_PROJECT, PRIVATE, is_no_name
from nous.kernel.stores import Stores
from nous.kernel.types import TYPES
from nous.language.naming import entity_id, normal

LARGEST = 2_000_000  # characters of one payload
LONGEST = 1_000  # characters of a name
LARGEST_STEP = 10.0  # what one event may strengthen or weaken; honest ones stay below one
# Of one person, told to nobody else.
OBSERVED = frozenset(
    {"ProjectTrusted", "SessionObserved", "SessionRead", "BriefWritten", "ProjectTidied", "InterventionNoted"}
    | {name for name in PAYLOADS if name.startswith("BriefLine")}
)
_is_moment = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z").fullmatch
_is_id = re.compile(r"[0-9a-f-]{36}").fullmatch
_is_word = re.compile(r"[A-Za-z_]{1,60}").fullmatch


class Sender(NamedTuple):
    """From whom events come: one's own devices, a team's hub, or a member or steward who pushes to this hub.

    `projects` are those that both share, None being all. `author` is the name of whoever pushes; `authors` are the
    names that a hub gives, by chain.
    """

    kind: Literal["own", "hub", "member", "steward"] = "own"
    projects: frozenset[str] | None = None
    author: str = ""
    authors: Mapping[str, str] = {}

    def author_of(self, event: WireEvent) -> str:
        """Who says it, as far as that is known."""
        return self.author or self.authors.get(event.device, "")

    def standing(self, event: WireEvent) -> TeamStanding:
        """As whose word an event counts here: one's own device's, a teammate's or a steward's."""
        if self.kind == "own":
            return event.standing
        if self.kind == "hub":
            return "steward" if event.standing == "steward" else "member"
        return self.kind

    def shares(self, project_id: str) -> bool:
        """Whether a project is one that both have."""
        return self.projects is None or EVERY_PROJECT in self.projects or project_id in self.projects

    def stamp(self) -> str:
        """What a decision about events rests on: what this Nous knows, and what is shared."""
        if self.kind == "own" or self.projects is None:
            return KNOWN
        return _digest(KNOWN, *sorted(self.projects))


OWN = Sender()


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


KNOWN = _digest(str(SCHEMA_VERSION), *sorted(PAYLOADS), *sorted(TYPES))


class Scene(NamedTuple):
    """What is here of the things that some events speak of: their projects, and the memories among them."""

    places: Mapping[str, Collection[str]]
    kinds: Mapping[str, Collection[str]]
    memories: Mapping[str, Memory]
    authors: Mapping[str, str]

    @classmethod
    def of(cls, stores: Stores, sender: Sender, events: Sequence[WireEvent]) -> Scene:
        """Looked up once for all of them. One's own devices may do everything, and need none of it."""
        if sender.kind == "own":
            return cls({}, {}, {}, {})
        said = {name for event in events for name in (event.stream_id, *_named_in(event))}
        named = {name for name in said if "\0" not in name}  # no server looks for one
        places: dict[str, set[str]] = {}
        kinds: dict[str, set[str]] = {}
        for stream, project, kind in stores.devices.places(named):
            places.setdefault(stream, set()).add(project)
            kinds.setdefault(stream, set()).add(kind)
        memories = stores.memories.by_learning({event.stream_id for event in events} & named)
        return cls(places, kinds, memories, _authors(stores.devices, memories))


def _authors(devices: Devices, memories: Mapping[str, Memory]) -> dict[str, str]:
    contested = [name for name, memory in memories.items() if CONTESTED in memory.tags]
    return devices.written_by(contested) if contested else {}


def check_arrival(event: WireEvent, sender: Sender, scene: Scene) -> Hold | None:
    """Why an event that came does not count here; None when it does. What cannot be a link of a chain is another
    matter: `check_carried`."""
    if event.is_withheld:
        return Hold("refused", "whoever passed it on refused it")
    if problem := _head_problem(event):
        return Hold("refused", problem)
    if sender.kind != "own" and (found := _place_problem(event, sender, scene)):
        return found
    if found := _unknown(event):
        return found
    if event.is_erased:
        return Hold("refused", "an erasure that says nothing") if event.event_type in ERASURES else None
    try:
        payload = decode_payload(event.event_type, event.payload_json, event.schema_version)
    except (BadEvent, TypeError, RecursionError) as wrong:
        is_newer = "unknown field" in str(wrong)
        return Hold("later" if is_newer else "refused", "its payload does not fit its type")
    if isinstance(payload, Extracted) and payload.type not in TYPES:
        is_newer = _is_word(payload.type) is not None
        return Hold("later" if is_newer else "refused", f"memory type {_name_to_show(payload.type)} is not known here")
    if problem := _payload_problem(event, payload):
        return Hold("refused", problem)
    if sender.kind != "own" and (problem := _reach_problem(event, payload, sender, scene)):
        return Hold("refused", problem)
    return None


def _name_to_show(text: str) -> str:
    """A foreign name as it may stand in a sentence."""
    return ascii(text[:40])


# -- the event itself -----------------------------------------------------------------------------------------------


def _head_problem(event: WireEvent) -> str | None:
    """What is wrong with the names, times and sizes of an event."""
    if not _is_id(event.event_uuid) or not event.stream_id or not event.idempotency_key or not event.source.strip():
        return "a name is missing"
    names = (event.project_id, event.stream_id, event.session_id, event.source)
    if any(len(name) > LONGEST for name in (*names, event.idempotency_key)) or len(event.payload_json) > LARGEST:
        return "it is too large"
    if any(map(is_no_name, names)) or "\0" in event.idempotency_key:
        return "a name is none, but a path or control characters"
    if not _is_time(event.transaction_time) or event.schema_version < 1:
        return f"its time {_name_to_show(event.transaction_time)} is none"
    begins, ends = event.valid_from, event.valid_until
    if any(moment is not None and not _is_time(moment) for moment in (begins, ends)) or (
        begins is not None and ends is not None and ends < begins
    ):
        return "the time in which it holds is none"
    return None if _is_clock(event.vector_clock_json) else "its clock is none"


def _is_time(moment: str) -> bool:
    """Whether a text is a moment as it is stored: text order is time order only there."""
    if not _is_moment(moment):
        return False
    try:
        datetime.fromisoformat(moment)
    except ValueError:
        return False
    return True


def _is_clock(stored: str | None) -> bool:
    if stored is None:
        return True
    try:
        clock = clocks.parse(stored)
    except msgspec.MsgspecError:
        return False
    return len(clock) <= clocks.MAX_KEYS and all(0 < count < 2**53 for count in clock.values())


def _unknown(event: WireEvent) -> Hold | None:
    """Whether this is of a later Nous, or of none."""
    if event.schema_version > SCHEMA_VERSION:
        return Hold("later", f"a later Nous wrote it, in version {min(event.schema_version, 9999)}")
    if event.event_type not in PAYLOADS or event.stream not in STREAMS:
        is_word = _is_word(event.event_type) and _is_word(event.stream)
        return Hold("later" if is_word else "refused", f"events {_name_to_show(event.event_type)} are not known here")
    if not happens_to(event.event_type, event.stream):
        return Hold("refused", f"{event.event_type} does not happen to a {event.stream}")
    return None


def _payload_problem(event: WireEvent, payload: Payload) -> str | None:
    if "\\u0000" in event.payload_json and any(
        "\0" in text for text in _texts(msgspec.json.decode(event.payload_json))
    ):
        return "its text holds what no database takes"
    if isinstance(payload, Reinforced | Weakened) and abs(payload.reinforcement_delta) > LARGEST_STEP:
        return f"{payload.reinforcement_delta:g} is no strength"
    if isinstance(payload, Reviewed) and payload.until is not None and not _is_time(payload.until):
        return "the time until which it was put off is none"
    return None


def _texts(plain: Any) -> Iterator[str]:
    if isinstance(plain, str):
        yield plain
    elif isinstance(plain, dict):
        for name, value in plain.items():
            yield name
            yield from _texts(value)
    elif isinstance(plain, list):
        for value in plain:
            yield from _texts(value)


# -- what a teammate may do -----------------------------------------------------------------------------------------


def _place_problem(event: WireEvent, sender: Sender, scene: Scene) -> Hold | None:
    """Whether an event is about something that a teammate has no business with."""
    if event.event_type in OBSERVED or event.stream not in ("memory", "entity"):
        return Hold("refused", f"{_name_to_show(event.event_type)} is a person's own")
    if not sender.shares(event.project_id):
        return Hold("later", f"project {_name_to_show(event.project_id)} is not shared here")
    if {*scene.kinds.get(event.stream_id, ())} - {event.stream} or not _is_shared(event.stream_id, sender, scene):
        return Hold("refused", "it is about something of another project")
    memory = scene.memories.get(event.stream_id)
    if memory is None:
        return None
    if PRIVATE in memory.tags:
        return Hold("refused", "it is about something private")
    is_whole = event.event_type in ("LearningExtracted", "LearningErased")
    if is_whole and CONTESTED in memory.tags and sender.standing(event) == "member":
        author = scene.authors.get(event.stream_id)
        if author is None or author != sender.author_of(event):
            return Hold("refused", "a team discusses this memory, and a steward settles it")
    return None


def _reach_problem(event: WireEvent, payload: Payload, sender: Sender, scene: Scene) -> str | None:
    """Whether an event speaks for somebody else, or reaches through what it names for something of another project."""
    says = payload.author if isinstance(payload, Contested) and sender.standing(event) == "member" else ""
    if says not in ("", sender.author_of(event)):
        return "it speaks in the name of somebody else"
    if isinstance(payload, EntityMerged) and payload.into_project and not sender.shares(payload.into_project):
        return "it names another project"
    if event.stream == "entity" and not all(_is_known(*one, scene) for one in _things(event, payload)):
        return "it is about a name that nobody uses here"
    if all(_is_shared(name, sender, scene) for name in _names(payload)):
        return None
    return "it names something of another project"


def _things(event: WireEvent, payload: Payload) -> list[tuple[str, str]]:
    """The named things that an event is about, each with the id that its name has in a project that is shared."""

    def thing_named(project_id: str, name: str) -> str:
        return entity_id(project_id, normal(name))

    mine = (event.stream_id, thing_named(event.project_id, getattr(payload, "name", "")))
    if isinstance(payload, EntityMerged):
        return [mine, (payload.into, thing_named(payload.into_project or event.project_id, payload.into_name))]
    if isinstance(payload, EntitySplit):
        return [mine, (payload.apart, thing_named(event.project_id, payload.apart_name))]
    return [mine]


def _is_known(thing: str, named: str, scene: Scene) -> bool:
    """Whether a thing is known here, or is what its name says: ids are made from a project and a name, so that
    somebody could speak of a thing of another project before anybody there does."""
    return thing == named or thing in scene.places


def _is_shared(name: str, sender: Sender, scene: Scene) -> bool:
    return all(sender.shares(project) for project in scene.places.get(name, ()))


def _named_in(event: WireEvent) -> tuple[str, ...]:
    """What an event names beside what it happens to, where it can be read."""
    try:
        return _names(decode_payload(event.event_type, event.payload_json, event.schema_version))
    except (BadEvent, TypeError, RecursionError):
        return ()


def _names(payload: Payload) -> tuple[str, ...]:
    match payload:
        case Extracted(edges=edges):
            return tuple(edge.target for edge in edges)
        case Superseded(superseded_by=other) | Contradicted(contradicted_with=other) | Edge(target=other):
            return (other,)
        case Reviewed(item=item):
            return tuple(item.split(":")[1:])
        case EntityMerged(into=into):
            return (into,)
        case EntitySplit(apart=apart, learnings=learnings):
            return (apart, *learnings)
        case _:
            return ()
