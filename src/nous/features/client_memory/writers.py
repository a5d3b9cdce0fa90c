"""Who wrote a file of the client's memory: the transcripts of the sessions that ran then are the witness.

The model keeps a memory with the client's own Write and Edit. What a command put there may have come from anywhere, so
while a session ran a file's text is the agent's word only if these calls alone make it, letter by letter, and nothing
that was read before them went in. With no session at that time it was a person, or a session whose transcript is gone.
"""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from nous.features.client_memory.files import FOLDER, MOST_READ, MemoryFile, raw_text
from nous.kernel.learn.witness import read_session

CLOCK_SECONDS = 60  # a transcript is written a little after what it tells
NOT_WRITTEN = "text that came into the client's memory by no call of the client's own tools"
_TOOLS = frozenset({"Write", "Edit", "MultiEdit"})
_HEAD = 50  # lines in which a transcript says when it began


class _Call(NamedTuple):
    """A call that writes to a file, in the order of time."""

    at: str
    transcript: str
    tool_id: str
    path: str
    given: Mapping[str, Any]


class Writers:
    """The transcripts below a projects' folder, each read at most once."""

    def __init__(self, projects: str):
        self.projects = projects
        self._calls: dict[str, list[_Call]] = {}
        self._began: dict[str, float] = {}

    def doubt(self, file: MemoryFile, said: str) -> str:
        """Whose words a file may hold; nothing when it was written by the agent alone, or by nobody in a session."""
        running = [path for path, ended in self._transcripts.items() if self._ran(path, ended, file.modified)]
        if not running:
            return ""
        own = os.path.join(self.projects, file.slug, "")
        paths = sorted({*running, *(path for path in self._transcripts if path.startswith(own))})
        calls = sorted(
            call for path in paths for call in self._writes(path) if call.path == os.path.realpath(file.path)
        )
        text: str | None = None
        wrote: list[_Call] = []
        for call in calls:
            begins = "content" in call.given or not call.given.get("old_string", "edits")
            text, wrote = _after(text, call.given), [call] if begins else [*wrote, call]
        made = (text or "").encode()[:MOST_READ].decode(errors="ignore")
        if made.strip() != raw_text(file.path).strip():
            return NOT_WRITTEN
        return next(filter(None, (self._taint(call, said) for call in wrote)), "")

    def _taint(self, call: _Call, said: str) -> str:
        story = read_session(call.transcript)
        at = next((at for at, turn in enumerate(story.turns) if turn.tool_id == call.tool_id), len(story.turns))
        return story.taint(at, said)

    @cached_property
    def _transcripts(self) -> dict[str, float]:
        """Each transcript and when it was last written to."""
        root = glob.escape(self.projects)
        found = (*glob.glob(f"{root}/*/*.jsonl"), *glob.glob(f"{root}/*/*/subagents/*.jsonl"))
        return {path: os.path.getmtime(path) for path in found if os.path.isfile(path)}

    def _ran(self, path: str, ended: float, at: float) -> bool:
        if ended < at - CLOCK_SECONDS:
            return False
        if path not in self._began:
            self._began[path] = _beginning(path)
        return self._began[path] <= at + CLOCK_SECONDS

    def _writes(self, path: str) -> list[_Call]:
        if path not in self._calls:
            self._calls[path] = list(_calls(path))
        return self._calls[path]


def _beginning(path: str) -> float:
    """When a session began; the beginning of time where its transcript does not say it."""
    with open(path, "rb") as file:
        for line, _ in zip(file, range(_HEAD), strict=False):
            if isinstance(at := _record(line).get("timestamp"), str):
                try:
                    return datetime.fromisoformat(at).timestamp()
                except ValueError:
                    return 0.0
    return 0.0


def _calls(path: str) -> Iterator[_Call]:
    """The calls of a transcript that wrote to a file of the client's memory."""
    found: list[_Call] = []
    failed: set[str] = set()
    with open(path, "rb") as file:
        for line in file:
            if (b"tool_use" in line and FOLDER.encode() in line) or b"is_error" in line:
                record = _record(line)
                for block in _blocks(record):
                    given = block.get("input")
                    if block.get("is_error"):
                        failed.add(str(block.get("tool_use_id")))
                    elif block.get("name") in _TOOLS and isinstance(given, dict):
                        target = os.path.realpath(str(given.get("file_path")))
                        found.append(_Call(str(record.get("timestamp")), path, str(block.get("id")), target, given))
    return (call for call in found if call.tool_id not in failed)


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _blocks(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _after(text: str | None, given: Mapping[str, Any]) -> str | None:
    """What a file says after a call; None when that is not known."""
    if "content" in given:
        return str(given["content"])
    edits = given.get("edits") if isinstance(given.get("edits"), list) else [given]
    for edit in edits or ():
        old, new = (str(edit.get(key, "")) if isinstance(edit, dict) else "" for key in ("old_string", "new_string"))
        if not old:
            text = new
        elif text is None or old not in text:
            return None
        else:
            text = text.replace(old, new) if edit.get("replace_all") else text.replace(old, new, 1)
    return text
