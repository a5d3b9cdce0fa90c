"""One line of a Claude Code transcript becomes the turns a learner can read."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

TurnKind = Literal[
    "prompt",  # the user's own words, typed at the prompt or while the model worked
    "answer",  # the user's answers to questions the assistant asked
    "denial",  # the user refused a tool call; text holds their words, if any
    "interrupt",  # the user stopped the assistant
    "reply",  # the assistant's words
    "thinking",
    "tool_call",
    "tool_result",
    "compaction",  # the context was summarised here
    "report",  # a subagent's final report, or the notification that carries it
    "error",  # the model API failed
]


class Turn(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One thing that was said or done. `uuid` is the record it stands in; several turns may share a record."""

    uuid: str
    kind: TurnKind
    at: str
    session_id: str
    text: str = ""
    cwd: str = ""
    branch: str = ""
    version: str = ""
    agent_id: str = ""
    tool: str = ""
    tool_id: str = ""
    input: dict[str, Any] = {}
    failed: bool = False
    injected: bool = False
