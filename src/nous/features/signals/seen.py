"""What signals are made from: a session's tool calls in order."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from nous.kernel.capture.session import EDITS, Story, core, relative
from nous.kernel.capture.transcript import Turn

MOST = 12  # sightings of one signal in one session
# What every session runs to look around.
PLAIN = re.compile(
    r"^(?:ls|cd|cat|echo|pwd|head|tail|grep|rg|find|wc|sed|awk|which|sleep|ps|true|mkdir|date|rm|cp|mv|kill|pkill|for|if|while)\b"
)
LONGEST = 240  # characters of what a sighting says

CONFIG = re.compile(
    r"(?:^|/)(?:\.?[\w-]*(?:rc|config|conf|settings)(?:\.\w{1,5}){0,2}|\.env[\w.]*|package\.json|pyproject\.toml|Cargo\.toml|go\.mod"
    r"|Dockerfile|[\w-]*compose[\w.-]*\.ya?ml|Makefile|tsconfig[\w.]*\.json|mix\.exs|[\w.-]+\.(?:toml|ini|cfg|ya?ml))$",
    re.I,
)


class Call(NamedTuple):
    """A tool call with its result, and the file it is about, if it is about one."""

    at: int
    turn: Turn
    result: Turn | None
    file: str


def calls(story: Story) -> list[Call]:
    """The tool calls of a session's own transcript and of its agents, in order."""
    return _calls(_Key(story))


class _Key:
    """A story as a key: the same object is asked by many signals in turn."""

    def __init__(self, story: Story):
        self.story = story

    def __hash__(self) -> int:
        return id(self.story)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.story is self.story


@lru_cache(maxsize=2)
def _calls(key: _Key) -> list[Call]:
    story = key.story
    found: list[Call] = []
    for at, turn in enumerate(story.turns):
        if turn.kind == "tool_call":
            place = story.results.get(turn.tool_id, -1)
            found.append(Call(at, turn, story.turns[place] if place > at else None, file_of(turn)))
    return found


def file_of(turn: Turn) -> str:
    """The file that a call reads or changes, from the project on; nothing for one outside of it or for other calls."""
    path = turn.input.get("file_path") or turn.input.get("notebook_path")
    if not isinstance(path, str) or not path or len(path) > 300:
        return ""
    found = relative(path, turn.cwd)
    return "" if found.startswith(("/", "~", "..")) or re.match(r"[A-Za-z]:[\\/]", found) else found


def command_of(turn: Turn) -> str:
    """The command of a shell call without what changes from run to run."""
    command = turn.input.get("command")
    return core(command)[:LONGEST] if turn.tool == "Bash" and isinstance(command, str) else ""


def is_read(call: Call) -> bool:
    """Whether a call read a file and saw it."""
    return call.turn.tool == "Read" and bool(call.file) and call.result is not None and not call.result.failed


def is_edit(call: Call) -> bool:
    """Whether a call changed a file."""
    return call.turn.tool in EDITS and bool(call.file) and not (call.result and call.result.failed)


def short(text: str) -> str:
    """One line of a bounded length."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
