"""What a model is asked about a session, and how its answer becomes a reading: short labels in the place of ids."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from nous.errors import BadOutput
from nous.features.brief.store import ReadSessions
from nous.features.model_reader.intake import count_read
from nous.features.model_reader.known import known_memories
from nous.features.model_reader.rendering import excerpt
from nous.features.model_reader.sessions import Portion
from nous.features.signals.scratchpad import observe_session
from nous.kernel.learn.reading import CheckedReading, check_reading, find_document
from nous.kernel.stores import Stores
from nous.providers.budget import LEAST_CHARACTERS
from nous.providers.prompts import Prompt, fill
from nous.redact import redact_text

MOST_SIGNALS = 12
NOTHING = "(none)"

_TEXTS = {"type": "array", "items": {"type": "string"}}


def _objects(required: Iterable[str], **fields: Any) -> dict[str, Any]:
    properties = {name: kind if isinstance(kind, dict) else {"type": kind} for name, kind in fields.items()}
    return {"type": "array", "items": {"type": "object", "properties": properties, "required": list(required)}}


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "summary": {"type": "string"},
        "outcome": {"type": "string"},
        "open": _objects(("text",), text="string", who="string", due="string"),
        "done": _TEXTS,
        "topics": _TEXTS,
        "memories": _objects(
            ("text", "type", "by", "evidence"),
            text="string",
            type="string",
            by="string",
            evidence=_TEXTS,
            about=_TEXTS,
            scope="string",
            since="string",
            until="string",
            ends=_TEXTS,
        ),
        "gone": _objects(("known", "why"), known="string", why="string", evidence=_TEXTS),
        "edits": _objects(("known", "text"), known="string", text="string", evidence=_TEXTS),
        "again": _objects(("known", "how", "evidence"), known="string", how="string", evidence=_TEXTS),
        "things": _objects(("name", "kind"), name="string", kind="string", also=_TEXTS, **{"is": "string"}),
        "relations": _objects(("from", "how", "to"), how="string", to="string", memory="string", **{"from": "string"}),
        "because": _objects(("cause", "effect", "evidence"), cause="string", effect="string", evidence=_TEXTS),
        "questions": _objects(("a", "b"), a="string", b="string", ask="string"),
        "brief": _objects(("text", "from"), text="string", **{"from": _TEXTS}),
    },
    "required": ["title", "summary", "outcome", "memories", "brief"],
}


class Request(NamedTuple):
    """A request ready to be sent, and what its labels stand for.

    `is_crowded`: hardly any room was left for the session, so that asking would be a waste.
    """

    text: str
    labels: Mapping[str, str]
    first: int = 0
    is_crowded: bool = False

    def understand(self, answer: object, session_id: str) -> CheckedReading:
        """The reading in an answer, with ids in the place of labels."""
        given, is_partial = find_document(answer) if isinstance(answer, str) else (answer, False)
        if not isinstance(given, dict):
            raise BadOutput("the answer is no reading")
        told = {name: value for name, value in given.items() if not (is_partial and name == "brief")}
        return check_reading(self.stored(told, session_id), session_id)._replace(is_partial=is_partial)

    def stored(self, given: Mapping[str, Any], session_id: str) -> dict[str, Any]:
        """An answer in the stored form: records and memories by their ids. A label that nobody gave stays as it is."""
        found = {name: value for name, value in given.items() if name not in ("session", "at")}
        for name, fields in REFERENCES.items():
            rows = found.get(name)
            if isinstance(rows, list):
                found[name] = [self._row(row, fields, session_id) for row in rows]
        return found | {"done": self._ids(found.get("done") or [], session_id)}

    def _row(self, row: object, fields: Collection[str], session_id: str) -> object:
        if not isinstance(row, dict):
            return row
        ids = {name: self._ids(row[name], session_id) for name in fields if row.get(name) and name != "memory"}
        place = re.search(r"\d{1,3}", str(row.get("memory"))) if "memory" in fields else None
        return row | ids | ({"memory": int(place[0]) if place else None} if "memory" in fields else {})

    def _ids(self, value: Any, session_id: str) -> Any:
        """Ids for labels however they are spelt: "T7", "[t7]", or several in one string."""
        if isinstance(value, list):
            return [self._id(label, session_id) for one in value for label in _labels_in(one)]
        return next((self._id(label, session_id) for label in _labels_in(value)), value)

    def _id(self, label: str, session_id: str) -> str:
        if label[0] == "N" and label[1:].isdecimal():
            return f"{session_id}#{self.first + int(label[1:])}"
        return self.labels.get(label, label)


# Where labels stand in an answer.
REFERENCES: dict[str, tuple[str, ...]] = {
    "memories": ("evidence", "ends"),
    "gone": ("known", "evidence"),
    "edits": ("known", "evidence"),
    "again": ("known", "evidence"),
    "because": ("evidence",),
    "relations": ("memory",),
    "questions": ("a", "b"),
    "brief": ("from",),
}


def _labels_in(given: object) -> list[str]:
    text = str(given).strip()
    found = [f"{kind.upper()}{int(number)}" for kind, number in re.findall(r"(?i)\b([TKON])(\d{1,5})\b", text)]
    return found or [text[:80]] * bool(text)


# -- the text -------------------------------------------------------------------------------------------------------


def build_request(stores: Stores, portion: Portion, room: int, prompt: Prompt, facts: Callable[[str], str]) -> Request:
    """The request for a stretch of a session: cut to size, with what is known, without any secret."""
    project_id = portion.project_id
    known = known_memories(stores, portion.session_id, project_id, portion.so_far)
    blanks = {
        "project": os.path.basename(project_id) if os.path.isabs(project_id) else project_id,
        "git": facts(stores.cache.root(project_id)),
        "before": _before(stores.read_sessions, portion),
        "known": known.lines() or NOTHING,
        "open": known.open_lines() or NOTHING,
        "brief": known.brief_lines() or NOTHING,
        "signals": _signals(portion) or NOTHING,
    }
    blanks = {name: _clean(text) for name, text in blanks.items()}
    used = len(prompt.system) + len(prompt.body) + sum(map(len, blanks.values()))
    space = max(0, room - used)
    shown = excerpt(portion.turns, space, is_cut=portion.is_cut)
    # The queue holds no secrets. Should a rule of today find one in the whole of it, it stays here.
    text, _ = redact_text(fill(prompt.body, transcript=shown.text, **blanks))
    crowded = space < LEAST_CHARACTERS and shown.left_out > 0
    return Request(
        text, shown.labels | known.labels, count_read(stores.events, stores.memories, portion.session_id), crowded
    )


def _clean(text: str) -> str:
    return redact_text(text)[0].replace("</transcript", "")


def _before(read_sessions: ReadSessions, portion: Portion) -> str:
    """What the part of the session before this one was about."""
    row = read_sessions.get(portion.session_id) if portion.earlier else None
    return f"{row['title']}: {row['summary']}" if row else NOTHING


def _signals(portion: Portion) -> str:
    """What rules saw happen, as plain facts: the reader decides what they mean."""
    seen = observe_session(portion.turns).sightings
    return "\n".join(
        f"- {one.signal.replace('_', ' ')}: {' '.join(one.said.split())[:200]}" for one in seen[:MOST_SIGNALS]
    )
