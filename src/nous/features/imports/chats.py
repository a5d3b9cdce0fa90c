"""Conversations that other clients keep, as turns: exports of Claude.ai and ChatGPT, session logs of Codex.

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
from nous.features.imports.drafts import Skipped, moment, whole
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


def read_chats(format_: str, text: str) -> list[Chat | Skipped]:
    """Every conversation of a file."""
    match format_:
        case "claude-ai":
            return list(_conversations(text, _claude))
        case "chatgpt":
            return list(_conversations(text, _chatgpt))
        case _:
            return list(_codex(text))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _conversations(text: str, one: Any) -> Rows:
    value = whole(text)
    if isinstance(value, dict):
        value = value.get("conversations", [value])
    if not isinstance(value, list):
        raise NousError("there is no list of conversations in the file")
    for number, item in enumerate(value, 1):
        found = one(item) if isinstance(item, dict) else None
        if found is None or not found.turns:
            yield Skipped(f"conversation {number}", "nothing is said in it")
        else:
            yield found


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


def _thread(parents: dict[str, str], last: str) -> list[str]:
    """The messages that lead to the last one: what was edited away or generated anew is not among them."""
    path: dict[str, None] = {}
    while last in parents and last not in path:
        path[last] = None
        last = parents[last]
    return list(reversed(path))


# -- Claude.ai ------------------------------------------------------------------------------------------------------

_INSIDE = frozenset({"artifacts", "repl", "analysis"})


def _claude(item: dict[str, Any]) -> Chat | None:
    session = _text(item.get("uuid"))
    messages = {_text(one.get("uuid")): one for one in _dicts(item.get("chat_messages")) if _text(one.get("uuid"))}
    if not session or not messages:
        return None
    parents = {uuid: _text(one.get("parent_message_uuid")) for uuid, one in messages.items()}
    linked = any(parent in messages for parent in parents.values())
    writer = Talk(session, version="claude.ai")
    for uuid in _thread(parents, list(messages)[-1]) if linked else messages:
        _claude_message(writer, uuid, messages[uuid], moment(item.get("created_at")) or "")
    return Chat(session, writer.turns)


def _claude_message(writer: Talk, uuid: str, message: dict[str, Any], begun: str) -> None:
    at = moment(message.get("created_at")) or begun
    blocks = _dicts(message.get("content"))
    said = "\n".join(_text(block.get("text")) for block in blocks if block.get("type") == "text")
    if message.get("sender") == "human":
        # Attached files are no words of the user; they stay out.
        writer.add(uuid, at, "prompt", said or _text(message.get("text")))
        return
    for block in blocks:
        if block.get("type") in ("tool_use", "tool_result"):
            _claude_tool(writer, uuid, at, block)
    writer.add(uuid, at, "reply", said or _text(message.get("text")))


def _claude_tool(writer: Talk, uuid: str, at: str, block: dict[str, Any]) -> None:
    name = _text(block.get("name"))
    if block["type"] == "tool_use":
        tool = name if name in _INSIDE or name.startswith("web_") else f"mcp__{name}"
        writer.add(uuid, at, "tool_call", tool=tool, tool_id=_text(block.get("id")))
        return
    content = block.get("content")
    text = content if isinstance(content, str) else "\n".join(_text(part.get("text")) for part in _dicts(content))
    failed = block.get("is_error") is True
    writer.add(uuid, at, "tool_result", text, MAX_RESULT, tool_id=_text(block.get("tool_use_id")), failed=failed)


# -- ChatGPT --------------------------------------------------------------------------------------------------------

_BROWSES = re.compile(r"brows|web|search|retriev|file|plugin|api|http|connector", re.I)


def _chatgpt(item: dict[str, Any]) -> Chat | None:
    session = _text(item.get("conversation_id")) or _text(item.get("id"))
    nodes = {key: _dict(node) for key, node in _dict(item.get("mapping")).items()}
    if not session or not nodes:
        return None
    parents = {key: _text(node.get("parent")) for key, node in nodes.items()}
    last = _text(item.get("current_node"))
    writer = Talk(session, version="chatgpt")
    begun = moment(item.get("create_time")) or ""
    for key in _thread(parents, last if last in nodes else _latest(nodes)):
        _chatgpt_message(writer, key, _dict(nodes[key].get("message")), begun)
    return Chat(session, writer.turns)


def _latest(nodes: dict[str, dict[str, Any]]) -> str:
    """The newest message, where the export does not say which one is current."""
    times = {key: moment(_dict(node.get("message")).get("create_time")) or "" for key, node in nodes.items()}
    return max(times, key=lambda key: times[key])


def _chatgpt_message(writer: Talk, key: str, message: dict[str, Any], begun: str) -> None:
    author, metadata = _dict(message.get("author")), _dict(message.get("metadata"))
    if metadata.get("is_visually_hidden_from_conversation") is True:
        return
    uuid, at = _text(message.get("id")) or key, moment(message.get("create_time")) or begun
    text = _parts(_dict(message.get("content")))
    match author.get("role"):
        case "user":
            writer.add(uuid, at, "prompt", text)
        case "assistant" if message.get("recipient", "all") == "all":
            if _dict(message.get("content")).get("content_type", "text") in ("text", "multimodal_text"):
                writer.add(uuid, at, "reply", text)
        case "tool":
            name = _text(author.get("name"))
            tool = "web_search" if _BROWSES.search(name) or not name else name
            writer.add(uuid, at, "tool_call", tool=tool, tool_id=uuid)
            writer.add(uuid, at, "tool_result", text, MAX_RESULT, tool_id=uuid)


def _parts(content: dict[str, Any]) -> str:
    parts = content.get("parts")
    if isinstance(parts, list):
        return "\n".join(part if isinstance(part, str) else _text(_dict(part).get("text")) for part in parts)
    return _text(content.get("text")) or _text(content.get("result"))


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
