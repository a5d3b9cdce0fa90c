"""Session logs of Codex, as turns.

Pure: text in, conversations and reasons out. What the user typed is a prompt, what came from the web or a connector is
the result of an outside tool, so that what is learned after it is tainted as it would be in a transcript.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from nous.errors import NousError
from nous.features.imports.drafts import Skipped, moment
from nous.kernel.capture.transcript import (
    MAX_INPUT,
    MAX_RESULT,
    MAX_WORDS,
    Turn,
    TurnKind,
    bound_text,
    keep_text,
    own_words,
)

Rows = Iterator["Chat | Skipped"]


class Chat(NamedTuple):
    """One conversation in its order; `cwd` is empty where the client has no directory."""

    session_id: str
    turns: list[Turn]
    cwd: str = ""


def read_codex(text: str) -> list[Chat | Skipped]:
    """Every conversation of a file."""
    return list(_codex(text))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


_OF_OTHERS = frozenset({"tool_result", "report", "context"})


class Talk:
    """Makes the turns of one conversation; several of one message share its id."""

    def __init__(self, session_id: str, cwd: str = "", branch: str = "", version: str = ""):
        self.session_id = session_id
        self.cwd = cwd
        self.branch = branch
        self.version = version
        self.turns: list[Turn] = []

    def add(self, uuid: str, at: str, kind: TurnKind, text: str = "", limit: int = MAX_WORDS, **fields: Any) -> None:
        """One more turn, unless it says nothing."""
        text = own_words(text) if kind == "prompt" else text.strip()
        if not text and kind in ("prompt", "reply", "thinking"):
            return
        self.turns.append(
            Turn(
                uuid=uuid,
                kind=kind,
                at=at,
                session_id=self.session_id,
                **(keep_text(text, limit) if kind in _OF_OTHERS else {"text": bound_text(text, limit)}),
                cwd=self.cwd,
                branch=self.branch,
                version=self.version,
                **fields,
            )
        )


# -- Codex ----------------------------------------------------------------------------------------------------------

# What stands in a user message of Codex but was written by the client.
_CLIENT = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|permissions|turn_aborted|user_shell_command|skill|INSTRUCTIONS"
    r"|collaboration_mode|subagent_notification)\b|# AGENTS\.md instructions|# Context from my IDE setup)",
    re.I,
)
_SHELLS = frozenset({"shell", "shell_command", "exec_command", "local_shell", "container.exec", "unified_exec"})
_EXIT = re.compile(r"(?:exit(?:ed with)? code:?|\"exit_code\":)\s*(-?\d+)", re.I)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.M)
_WRAPPED = re.compile(r"\A(?:/\S*/)?(?:ba|z)?sh\Z")


class _Line(NamedTuple):
    """One record of a log: its name, its moment, what kind it is and what it holds."""

    uuid: str
    at: str
    kind: str
    payload: dict[str, Any]


def _codex(text: str) -> Rows:
    lines: list[_Line] = []
    for number, raw in enumerate(text.splitlines(), 1):
        if not raw.strip():
            continue
        line = _codex_line(raw)
        if line is None:
            yield Skipped(f"line {number}", "it is no record")
        else:
            lines.append(line)
    if not lines:
        raise NousError("the file is no log of Codex, or nothing of it is there")
    chat = _codex_chat(lines)
    yield chat if chat.turns else Skipped("the session", "nothing is said in it")


def _codex_line(raw: str) -> _Line | None:
    try:
        record = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    wrapped = isinstance(record.get("payload"), dict)
    payload = record["payload"] if wrapped else record
    # The first logs had no envelope: a head without a type, then bare items.
    kind = _text(record.get("type")) if wrapped else "response_item" if "type" in record else "session_meta"
    uuid = "codex-" + hashlib.sha256(raw.strip().encode("utf-8", "replace")).hexdigest()[:24]
    return _Line(uuid, moment(record.get("timestamp")) or "", kind, payload)


def _codex_chat(lines: list[_Line]) -> Chat:
    head = next((line.payload for line in lines if line.kind == "session_meta"), {})
    session = _text(head.get("id")) or lines[0].uuid
    cwd = _text(head.get("cwd"))
    git = _dict(head.get("git"))
    writer = Talk(session, cwd, _text(git.get("branch")), f"codex {_text(head.get('cli_version'))}".strip())
    # What was typed stands twice in newer logs: as an event, and among what the client itself put in.
    typed = any(line.kind == "event_msg" and line.payload.get("type") == "user_message" for line in lines)
    at = ""
    for line in lines:
        at = line.at or at
        line = line._replace(at=at)
        if line.kind == "event_msg":
            _codex_event(writer, line)
        elif line.kind == "compacted":
            writer.add(line.uuid, at, "compaction")
        elif line.kind == "response_item":
            _codex_item(writer, line, typed)
    return Chat(session, writer.turns, cwd)


def _codex_event(writer: Talk, line: _Line) -> None:
    match line.payload.get("type"):
        case "user_message":
            _codex_prompt(writer, line, _text(line.payload.get("message")))
        case "turn_aborted" if line.payload.get("reason", "interrupted") == "interrupted":
            writer.add(line.uuid, line.at, "interrupt")


def _codex_prompt(writer: Talk, line: _Line, said: str) -> None:
    marker = "## My request for Codex:"  # an editor puts what is open before it
    said = said.partition(marker)[2] if marker in said else said
    if not _CLIENT.match(said):
        writer.add(line.uuid, line.at, "prompt", said)


def _codex_item(writer: Talk, line: _Line, typed: bool) -> None:
    item = line.payload
    match item.get("type"):
        case "message" if item.get("role") == "assistant":
            writer.add(line.uuid, line.at, "reply", _join_parts(item))
        case "message" if item.get("role") == "user" and not typed:
            _codex_prompt(writer, line, _join_parts(item))
        case "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call":
            for tool, given in _calls(item):
                writer.add(line.uuid, line.at, "tool_call", tool=tool, tool_id=_text(item.get("call_id")), input=given)
        case "function_call_output" | "custom_tool_call_output":
            text, failed = _output(item.get("output"))
            call = _text(item.get("call_id"))
            writer.add(line.uuid, line.at, "tool_result", text, MAX_RESULT, tool_id=call, failed=failed)


def _join_parts(item: dict[str, Any]) -> str:
    return "\n".join(_text(part.get("text")) for part in _dicts(item.get("content")))


def _calls(item: dict[str, Any]) -> Iterable[tuple[str, dict[str, Any]]]:
    """A call as the tools that extraction knows: commands, edits of files, and what comes from outside."""
    name = _text(item.get("name"))
    if item["type"] == "web_search_call":
        return [("web_search", {})]
    given = _arguments(item)
    patch = _text(item.get("input")) or _text(given.get("input"))
    if name == "apply_patch":
        return [("Edit", {"file_path": path.strip()}) for path in _PATCHED.findall(patch)]
    if name in _SHELLS or item["type"] == "local_shell_call":
        command = _command(given.get("command") or given.get("cmd"))
        if "*** Begin Patch" in command:
            return [("Edit", {"file_path": path.strip()}) for path in _PATCHED.findall(command)]
        return [("Bash", {"command": bound_text(command, MAX_INPUT)})]
    return [(f"mcp__{name}" if "__" in name else name, {})]


def _arguments(item: dict[str, Any]) -> dict[str, Any]:
    given = item.get("arguments") or item.get("action")
    if not isinstance(given, str):
        return _dict(given)
    try:
        return _dict(msgspec.json.decode(given))
    except (msgspec.DecodeError, RecursionError):
        return {}


def _command(given: object) -> str:
    """The line that was run; `bash -lc "..."` is only how."""
    if isinstance(given, str):
        return given
    words = [_text(word) for word in given] if isinstance(given, list) else []
    if len(words) >= 3 and _WRAPPED.match(words[0]) and words[1].startswith("-"):
        return words[2]
    return " ".join(words)


def _output(given: object) -> tuple[str, bool]:
    """What a tool printed and whether it failed; written as text, or as JSON with the exit code beside it."""
    text = given if isinstance(given, str) else ""
    try:
        inner = _dict(msgspec.json.decode(text)) if text.startswith("{") else _dict(given)
    except (msgspec.DecodeError, RecursionError):
        inner = {}
    if inner:
        code = _dict(inner.get("metadata")).get("exit_code")
        text = _text(inner.get("output")) or _text(inner.get("content"))
        return text, code not in (0, None) or inner.get("success") is False
    found = _EXIT.search(text[:400])
    return text.partition("Output:\n")[2] or text, bool(found and found[1] != "0")
