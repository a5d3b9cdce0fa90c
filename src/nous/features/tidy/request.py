"""What a model is asked about a whole project: all its memories with dates, the last sessions and the brief."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from nous.features.brief.store import ReadSessions
from nous.features.tidy.tidying import CheckedTidying, check_tidying
from nous.kernel.memory.memory import Memory
from nous.kernel.stores import Stores
from nous.providers.prompts import Prompt, fill
from nous.redact import redact_text

ROOM = 60_000  # characters of memories, some 250 of them; the oldest of more are left out
EPISODES = 10
NOTHING = "(none)"
_LABEL = re.compile(r"(?i)\bK(\d{1,5})\b")

_TEXTS = {"type": "array", "items": {"type": "string"}}


def _objects(required: Sequence[str], **fields: Any) -> dict[str, Any]:
    properties = {name: kind if isinstance(kind, dict) else {"type": kind} for name, kind in fields.items()}
    return {"type": "array", "items": {"type": "object", "properties": properties, "required": list(required)}}


_LINES = _objects(("text", "from"), text="string", **{"from": _TEXTS})
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "merges": _objects(("from", "text"), text="string", type="string", **{"from": _TEXTS}),
        "edits": _objects(("known", "text"), known="string", text="string"),
        "gone": _objects(("known", "why"), known="string", why="string"),
        "questions": _objects(("a", "b", "ask"), a="string", b="string", ask="string"),
        "groups": _objects(("label", "about", "members"), label="string", about="string", members=_TEXTS),
        "page": _objects(("heading", "lines"), heading="string", lines=_LINES),
        "brief": _LINES,
    },
    "required": ["groups", "page", "brief"],
}
# Where labels stand in an answer.
REFERENCES = ("from", "known", "members", "a", "b")


class Request(NamedTuple):
    """A request ready to be sent, and what its labels stand for."""

    text: str
    labels: Mapping[str, str]

    def understand(self, answer: object) -> CheckedTidying:
        """A checked tidying from what a model said, with learnings for its labels."""
        checked = check_tidying(answer)
        return checked._replace(tidying=_convert(checked.tidying, self.labels))


def build_request(stores: Stores, project_id: str, prompt: Prompt) -> Request:
    """The request about a project, without any secret and without what waits for a person."""
    known = _fitting(stores.memories.listing(project_id, limit=5000, with_global=False))
    labels = {f"K{nth}": memory.learning_id for nth, memory in enumerate(known, 1)}
    by_learning = {name: label for label, name in labels.items()}
    brief = stores.briefs.of_project(project_id)
    lines = brief.lines if brief else ()
    cited = (", ".join(by_learning[one] for one in line.sources if one in by_learning) for line in lines)
    blanks = {
        "project": os.path.basename(project_id) if os.path.isabs(project_id) else project_id,
        "known": "\n".join(f"[K{nth}] {_standing(one)}: {one.content}" for nth, one in enumerate(known, 1)),
        "episodes": "\n".join(_episodes(stores.read_sessions, project_id)),
        "brief": "\n".join(f"- {line.text} [{names}]" for line, names in zip(lines, cited, strict=True)),
    }
    text = fill(prompt.body, **{name: words or NOTHING for name, words in blanks.items()})
    return Request(redact_text(text)[0], labels)


def _fitting(memories: Sequence[Memory]) -> list[Memory]:
    """The newest memories that fit, oldest first; states of work are of the moment and stay out."""
    room, found = ROOM, []
    for memory in memories:
        room -= len(memory.content) + 60
        if room < 0:
            break
        if not memory.tainted and memory.type != "work_state":
            found.append(memory)
    return found[::-1]


def _standing(memory: Memory) -> str:
    marks = {"pinned": memory.pinned, "confirmed": memory.confirmed, "doubted": memory.disputed}
    day = (memory.last_said_at or memory.valid_from or memory.created_at)[:10]
    parts = (memory.type, day, memory.by, *(name for name, holds in marks.items() if holds))
    return ", ".join(part for part in parts if part)


def _episodes(read_sessions: ReadSessions, project_id: str) -> list[str]:
    rows = read_sessions.of_project(project_id, EPISODES)
    return [f"- {row['at'][:10]} {row['title']} ({row['outcome']}): {row['summary']}" for row in reversed(rows)]


def _convert(tidying: Any, labels: Mapping[str, str]) -> Any:
    """The same document with learnings in the place of labels."""
    return msgspec.convert(_replace_labels(msgspec.to_builtins(tidying), labels), type(tidying))


def _replace_labels(value: Any, labels: Mapping[str, str]) -> Any:
    if isinstance(value, list | tuple):
        return [_replace_labels(one, labels) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _ids(inner, labels) if name in REFERENCES else _replace_labels(inner, labels)
        for name, inner in value.items()
    }


def _ids(value: Any, labels: Mapping[str, str]) -> Any:
    """Learnings for labels however they are spelt: "K7", "[k7]", or several in one string."""
    if isinstance(value, list | tuple):
        return [name for one in value for name in _labels_in(one, labels)]
    return next(iter(_labels_in(value, labels)), value)


def _labels_in(text: object, labels: Mapping[str, str]) -> list[str]:
    named = [f"K{int(number)}" for number in _LABEL.findall(str(text))]
    return [labels.get(one, one) for one in named] or [str(text)[:80]]
