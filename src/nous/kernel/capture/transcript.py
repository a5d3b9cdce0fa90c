"""One line of a Claude Code transcript becomes the turns a learner can read.

Who only asks what a turn is does not load what redacts: functions that redact import it themselves.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal

import msgspec

from nous import moments
from nous.kernel.log.extraction import Rejection

TurnKind = Literal[
    "prompt",  # the user's own words, typed at the prompt or while the model worked
    "answer",  # the user's answers to questions the assistant asked; `input` maps question to answer
    "denial",  # the user refused a tool call; text holds their words, if any
    "interrupt",  # the user stopped the assistant
    "reply",  # the assistant's words
    "thinking",
    "tool_call",
    "tool_result",
    "compaction",  # the context was summarised here; `text` is the summary, where the record holds it
    "report",  # a subagent's final report, or the notification that carries it
    "error",  # the model API failed
    "injection",  # what a memory hook put in; only the numbers of the memories it cites are kept, if it cites any
    "context",  # what the client put in front of the model and nobody typed; `input` says where it came from
]

USER_KINDS = frozenset({"prompt", "answer", "denial", "interrupt"})
MAX_WORDS = 16_000  # characters kept of a prompt or a reply
MAX_RESULT = 4_000  # characters kept of a tool's output
MAX_INPUT = 2_000  # characters kept of one string in a tool's input
MAX_ITEMS = 60  # entries kept of one list or mapping in a tool's input
MAX_DEPTH = 6
MAX_FILES = 200  # names kept of the files that a search found
MAX_NAME = 200  # characters of a record's, a session's name
MAX_PATH = 4096


class Usage(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The tokens of one message of the model. The records that share a `message` each carry the count of the whole."""

    message: str = ""
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class Turn(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One thing that was said or done. `uuid` is the record it stands in; several turns may share a record.

    `usage` is what the model's message cost that the turn is a part of. `headless`: a program started the session, so
    its prompts need not be a person's. `left_out`: what is known of a long text of which only a part was kept.
    `inherited`: another transcript told it first; here it only says what the session had read of others' texts.
    """

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
    headless: bool = False
    usage: Usage | None = None
    left_out: bytes = b""
    inherited: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        """The files that a search found, as the client lists them."""
        found = self.input.get("files")
        return tuple(found) if self.kind == "tool_result" and isinstance(found, list | tuple) else ()


class _Block(msgspec.Struct):
    """A piece of a message: words, a tool call or a tool's result."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: dict[str, Any] | None = None
    tool_use_id: str | None = None
    content: str | list[Any] | None = None
    is_error: bool | None = None


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Message(msgspec.Struct):
    id: str | None = None
    content: str | list[_Block] | None = None
    usage: _Usage | None = None


class _File(msgspec.Struct):
    filePath: str | None = None


class _Details(msgspec.Struct):
    """The client's own account of a tool's result."""

    status: str | None = None
    agentId: str | None = None
    toolsUsed: list[Any] | None = None
    content: str | list[Any] | None = None
    answers: dict[str, Any] | None = None
    questions: list[Any] | None = None
    filePath: str | None = None
    file: _File | None = None
    filenames: list[Any] | None = None


class _Record(msgspec.Struct):
    """The fields of a record that matter; what nobody asks for is not even decoded."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    sessionId: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    version: str | None = None
    isSidechain: bool | None = None
    agentId: str | None = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    isApiErrorMessage: bool | None = None
    toolDenialKind: str | None = None
    origin: Any = None
    promptSource: str | None = None
    entrypoint: str | None = None
    turnOrigin: str | None = None
    message: _Message | None = None
    toolUseResult: _Details | str | list[Any] | None = None
    attachment: msgspec.Raw = msgspec.Raw()


_decode_record = msgspec.json.Decoder(_Record).decode
_decode = msgspec.json.Decoder().decode
_NUL = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")
_LONE = re.compile("[\ud800-\udfff]")
_ABSOLUTE = re.compile(r"/|\\\\|[A-Za-z]:[\\/]")
_NO_NAME = re.compile(r"[\x00-\x1f\x7f\ufffd]")

_CHANNELS = ("<channel", "<teammate-message", "<cross-session-message", "<agent-message")
_BOOKKEEPING = ("<command-name>", "<command-message>", "<command-args>", "<bash-input>", "Caveat: The messages below")
# What stands in a user record but was written by the client: local commands and their output, skills, notices.
_CLIENT_WORDS = (
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<user-prompt-submit-hook>",
    *_CHANNELS,
    "Caveat: The messages below were generated by the user while running local commands",
)
COMMAND = "command"  # where a slash command comes from
# A command that the model is to carry out; one of the client's own (`/clear`) begins with its name.
_SLASH_COMMAND = re.compile(
    r"<command-message>[^<]{0,200}</command-message>\s{0,20}<command-name>(/[^<\s]{1,200})</command-name>"
    r"(?:\s{0,20}<command-args>([^<]{0,4000}))?"
)
_ARGUMENTS = re.compile(r"<command-args>(.{0,4000}?)</command-args>", re.S)
SENTENCE = 4  # words from which on what stands behind a slash command is the user's request and no option
_SUMMARY = "This session is being continued from a previous conversation"
_MEMORY_INPUT = re.compile(r"\A\s*<user-memory-input>(.*?)(?:</user-memory-input>|\Z)", re.S)
_BASH_INPUT = re.compile(r"\s*<bash-input>(.*?)</bash-input>\s*\Z", re.S)
_MADE = r"system[-_]reminder|ide_opened_file|ide_selection|ide_diagnostics|user-prompt-submit-hook|nous"
_MADE_BLOCK = re.compile(rf"\s*<(?:{_MADE})\b", re.I)
_REMINDER = re.compile(rf"<(/?)({_MADE})\b[^<>]*>", re.I)
_MEMORY_LINE = re.compile(r"^.*\[Memory #?\w+:.*$\n?", re.M)
_CITATION = re.compile(rb"\[Memory #(\d+):")
_TASK = re.compile(r"<task-id>([\w-]{1,80})</task-id>")
_RESULT = re.compile(r"<result>(.*?)(?:</result>|\Z)", re.S)
_REASON = re.compile(r"the user said:\s*\n?(.*)", re.S)
_REFUSED = "The user doesn't want to proceed with this tool use"
_REJECTED_BEFORE = "User rejected tool use"


def parse_line(line: bytes) -> list[Turn] | Rejection:
    """The turns that one line of a transcript holds, or why it is not a record at all."""
    record = _read_record(line)
    if isinstance(record, Rejection):
        return record
    try:
        match record.type:
            case "user":
                return _user(record, line)
            case "assistant":
                return _assistant(record, line)
            case "attachment":
                return _attachment(record, line)
            case "system" if record.subtype == "compact_boundary":
                return [_turn(record, line, "compaction")]
            case _:
                return []
    except Exception as problem:  # whatever a record holds, it is refused alone
        return _unreadable(line, problem)


def _unreadable(line: bytes, problem: Exception) -> Rejection:
    reason = " ".join(str(problem).split())[:120] or type(problem).__name__
    return Rejection(f"not a record: {reason}", f"{len(line)} bytes")


def _read_record(line: bytes) -> _Record | Rejection:
    line = line.replace(b"\0", b"")  # what a crash left of a page that was not written
    if b"\\u0000" in line:  # no database, no path and no terminal takes it
        line = _NUL.sub(rb"\1\\ufffd", line)
    try:
        return _decode_record(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        first = problem
    # A field may have an unexpected type, and the client may write half of a surrogate pair, which strict readers
    # refuse. Both are rare, so the slow way is fine.
    try:
        plain = _decode(_LONE.sub("\ufffd", json.dumps(json.loads(line, strict=False), ensure_ascii=False)).encode())
        if isinstance(plain, dict):
            return _decode_record(msgspec.json.encode(_fitting(plain, _Record)))
    except (ValueError, RecursionError, msgspec.DecodeError):
        pass
    return _unreadable(line, first)


_MACHINE = re.compile(r"notification|system|hook|cron|sched|channel|peer|teammate|coordinator|agent|monitor|loop|tick")
_INNER: dict[str, type[msgspec.Struct]] = {
    "message": _Message,
    "toolUseResult": _Details,
    "file": _File,
    "usage": _Usage,
}


def _fitting(value: dict[str, Any], kind: type[msgspec.Struct]) -> dict[str, Any]:
    """As much of a mapping as has the types it should have."""
    kept: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        given = value.get(field.name)
        if field.type is msgspec.Raw or _is(given, field.type):
            kept[field.name] = given
        elif isinstance(given, dict) and field.name in _INNER:
            kept[field.name] = _fitting(given, _INNER[field.name])
        elif isinstance(given, list) and field.name == "content" and kind is _Message:
            kept[field.name] = [_fitting(one, _Block) for one in given if isinstance(one, dict)]
    return kept


def _is(value: object, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _turn(record: _Record, line: bytes, kind: TurnKind, text: str = "", **fields: Any) -> Turn:
    return Turn(
        uuid=_id(record.uuid) or "line-" + hashlib.sha256(line).hexdigest()[:24],
        kind=kind,
        at=_moment(record.timestamp),
        session_id=_name(record.sessionId),
        text=text,
        cwd=_directory(record.cwd),
        branch=_name(record.gitBranch),
        version=_name(record.version),
        agent_id=_name(record.agentId) or ("sidechain" if record.isSidechain else ""),
        headless=kind == "prompt" and _text(record.entrypoint).startswith("sdk"),
        **fields,
    )


def _name(given: str | None, longest: int = MAX_NAME) -> str:
    """A name or path as it stands in a record; empty when it cannot be one."""
    return given if given and len(given) <= longest and not _NO_NAME.search(given) else ""


def _id(given: str | None) -> str:
    """An id as it stands in a record; empty when it cannot be one, or holds a secret: ids are kept as they are."""
    from nous.redact.turns import clean_name

    name = _name(given)
    return name if clean_name(name)[0] == name else ""


def _directory(given: str | None) -> str:
    """A directory as it stands in a record; empty when it is none that one could work in."""
    return _name(given, MAX_PATH) if given and _ABSOLUTE.match(given) else ""


def _moment(given: str | None) -> str:
    """A record's time; empty when it is none, or one at which no client wrote."""
    if not given:
        return ""
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        return ""
    if not 2000 <= moment.year < 2200:
        return ""
    return given if given.endswith("Z") else moments.text(moment)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _blocks(record: _Record) -> list[_Block]:
    """A message's content as blocks, whether it was written as a string or as a list."""
    content = record.message.content if record.message else None
    if isinstance(content, str):
        return [_Block(type="text", text=content)]
    return content or []


def _join_blocks(content: object) -> str:
    """The text of a tool result: a string, or a list of blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(_text(block.get("text")) for block in content if isinstance(block, dict))


# -- the user's records -------------------------------------------------------------------------------------------


def _user(record: _Record, line: bytes) -> list[Turn]:
    blocks = _blocks(record)
    typed_blocks, made = _typed_blocks([block.text or "" for block in blocks if block.type == "text"])
    said = "\n".join(typed_blocks)
    if typed := _BASH_INPUT.match(said):
        return _typed_command(record, line, typed[1])
    if record.isMeta:
        return _context(record, line, said, "client")
    if record.isCompactSummary:
        return _summary(record, line, said)
    turns = [_result(record, line, block) for block in blocks if block.type == "tool_result"]
    return turns + _context(record, line, "\n".join(made), "client") + _user_turn(record, line, said)


def _context(record: _Record, line: bytes, text: str, source: str, **given: Any) -> list[Turn]:
    """What the model read and nobody typed: it says nothing by itself, but what is concluded from it is known by it."""
    if not text.strip() or text.lstrip().startswith(_BOOKKEEPING):
        return []
    return [_turn(record, line, "context", input={"from": source} | given, **keep_text(text.strip(), MAX_RESULT))]


def _summary(record: _Record, line: bytes, said: str) -> list[Turn]:
    """What the client summed up when the context was full: nobody's rule, but a reader and a search may see it."""
    head, _, body = said.strip().partition("\n")
    text = body.strip() if head.startswith(_SUMMARY) and body.strip() else said.strip()
    summed_up = _turn(record, line, "compaction", **keep_text(text, MAX_WORDS))
    return [*_context(record, line, said, "summary"), summed_up]


def _typed_blocks(texts: list[str]) -> tuple[list[str], list[str]]:
    """The blocks of a message that were typed, and those that an editor or the client put beside them."""
    typed = [text for text in texts if not _MADE_BLOCK.match(text)]
    if len(texts) < 2 or not typed:
        return texts, []
    return typed, [text for text in texts if _MADE_BLOCK.match(text)]


def _typed_command(record: _Record, line: bytes, command: str) -> list[Turn]:
    """A command that the user ran in the client; it is kept only where it prints a secret, which comes next."""
    from nous.redact import secret_output

    shows = secret_output(command[:MAX_INPUT]).shows
    given = {"from": "client", "command": bound_text(command.strip(), MAX_INPUT)}
    return [_turn(record, line, "context", input=given)] if shows else []


def _user_turn(record: _Record, line: bytes, said: str) -> list[Turn]:
    """The turn for text in a user record, which is the user's only when nothing says otherwise."""
    start = said.lstrip()
    if not start:
        return []
    if start.startswith("[Request interrupted by user"):
        return [_turn(record, line, "interrupt")]
    if start.startswith(_SUMMARY):
        return _summary(record, line, said)
    if command := _SLASH_COMMAND.match(start):
        given = _turn(record, line, "context", input={"from": COMMAND, "command": _slash(command)})
        return [given, *_arguments(record, line, start)]
    if _is_notification(record.origin) or start.startswith("<task-notification>"):
        return _notification(record, line, said)
    if not _is_typed(record):
        return _context(record, line, said, "channel")
    if noted := _MEMORY_INPUT.match(said):
        return [_turn(record, line, "prompt", "Remember: " + bound_text(noted[1].strip(), MAX_WORDS))]
    if start.startswith(_CLIENT_WORDS):
        read = _context(record, line, said, "channel" if start.startswith(_CHANNELS) else "client")
        return [*read, *(_arguments(record, line, start) if start.startswith("<command-name>") else ())]
    words, made = _part_prompt(said)
    read = _context(record, line, made, "client") if made else []
    return [*read, *([_turn(record, line, "prompt", bound_text(words, MAX_WORDS))] if words else [])]


def _arguments(record: _Record, line: bytes, said: str) -> list[Turn]:
    """What the user wrote behind a slash command, where that says something."""
    found = _ARGUMENTS.search(said)
    if found is None or len(found[1].split()) < SENTENCE or not _is_typed(record):
        return []
    return [_turn(record, line, "prompt", bound_text(own_words(found[1]), MAX_WORDS))]


def own_words(said: str) -> str:
    """A prompt without what hooks, editors and the client put into it."""
    return _part_prompt(said)[0]


def _part_prompt(said: str) -> tuple[str, str]:
    """What was typed, and what hooks, editors and the client put beside it."""
    made: list[str] = []
    if "<" in said:
        said, others = _without_reminders(said)
        made.append(others)
    if "[Memory" in said:
        made += _MEMORY_LINE.findall(said)
        said = _MEMORY_LINE.sub("", said)
    return said.strip(), "\n".join(made).strip()


def _without_reminders(said: str) -> tuple[str, str]:
    """The text without what stands between the client's tags, one within the other too; and what stood there.

    An end too many was written by who wanted to be taken for the user: then all from the first beginning to it goes.
    """
    depth, first, done = 0, -1, 0
    kept: list[str] = []
    made: list[str] = []
    for tag in _REMINDER.finditer(said):
        if not tag[1]:
            if not depth:
                kept.append(said[done : tag.start()])
                first = len(kept) if first < 0 else first
            else:
                made.append(said[done : tag.start()])
            depth += 1
        elif depth:
            made.append(said[done : tag.start()])
            depth -= 1
        else:
            made += [*kept[max(first, 0) :], said[done : tag.start()]]
            kept = kept[: max(first, 0)]
        done = tag.end()
    (made if depth else kept).append(said[done:])
    return "".join(kept), "\n".join(made)


def _slash(found: re.Match[str]) -> str:
    """A slash command as it was typed."""
    return bound_text(" ".join(f"{found[1]} {found[2] or ''}".split()), MAX_INPUT)


def is_command(turn: Turn) -> bool:
    """Whether a turn is a slash command that the user gave the model to do; what it says is the command's author's."""
    return turn.kind == "context" and turn.input.get("from") == COMMAND


def _is_notification(origin: object) -> bool:
    return isinstance(origin, dict) and origin.get("kind") == "task-notification"


def _is_typed(record: _Record) -> bool:
    """Whether a person wrote a prompt, as far as the client says who did: channels, peers and timers prompt as well."""
    return not _is_machine(record.origin, record.promptSource, record.turnOrigin)


def _is_machine(*told: object) -> bool:
    kinds = (one.get("kind") if isinstance(one, dict) else one for one in told)
    return any(_MACHINE.search(_text(kind)) for kind in kinds)


def _notification(record: _Record, line: bytes, said: str) -> list[Turn]:
    found = _RESULT.search(said)
    task = _TASK.search(said)
    used = {"agent": task[1]} if task else {}
    return [_turn(record, line, "report", input=used, **keep_text(found[1].strip(), MAX_WORDS))] if found else []


def _result(record: _Record, line: bytes, block: _Block) -> Turn:
    text = _join_blocks(block.content)
    tool_id = block.tool_use_id or ""
    if _is_denied(record, text):
        if text.startswith("[Request interrupted by user"):
            return _turn(record, line, "interrupt", tool_id=tool_id)
        reason = _REASON.search(text) if record.toolDenialKind else None
        words = own_words(reason[1]) if reason else ""
        return _turn(record, line, "denial", bound_text(words, MAX_WORDS), tool_id=tool_id)
    details = record.toolUseResult if isinstance(record.toolUseResult, _Details) else _Details()
    if details.answers is not None and details.questions is not None:
        return _turn(record, line, "answer", bound_text(text, MAX_RESULT), tool_id=tool_id, input=_answers(details))
    if details.status == "completed" and details.agentId is not None:
        report = _join_blocks(details.content) or text
        used: dict[str, Any] = {"agent": details.agentId[:MAX_INPUT]}
        if details.toolsUsed is not None:
            used |= {"tools": [_text(name) for name in details.toolsUsed[:MAX_ITEMS]]}
        return _turn(record, line, "report", tool_id=tool_id, input=used, **keep_text(report.strip(), MAX_WORDS))
    path = details.file.filePath if details.file else details.filePath
    return _turn(
        record,
        line,
        "tool_result",
        tool_id=tool_id,
        failed=block.is_error is True,
        input=_found_files(details.filenames) if details.filenames else {"file_path": path} if path else {},
        **keep_text(text, MAX_RESULT),
    )


def _found_files(named: list[Any]) -> dict[str, Any]:
    files = [name[:MAX_INPUT] for name in named[:MAX_FILES] if isinstance(name, str)]
    return {"files": files} if files else {}


def _is_denied(record: _Record, text: str) -> bool:
    """Whether the user refused a tool call, by the client's own mark; what a tool prints cannot say so.

    Clients before 2.1.300 wrote a fixed note beside the text instead of the mark. A tool's own output stands in both
    places, so the two differ only where the client wrote them; those carry no words of the user.
    """
    if record.toolDenialKind is not None:
        return record.toolDenialKind == "user-rejected"
    return record.toolUseResult == _REJECTED_BEFORE and text.startswith((_REFUSED, "[Request interrupted by user"))


def _answers(details: _Details) -> dict[str, Any]:
    given = list((details.answers or {}).items())[:MAX_ITEMS]
    return {
        "answers": {question: _answer(answer) for question, answer in given},
        "options": _options(details.questions),
    }


def _answer(answer: object) -> str:
    if isinstance(answer, list):
        return ", ".join(_text(one) for one in answer)
    return _text(answer)


def _options(questions: list[Any] | None) -> dict[str, list[str]]:
    """The labels that were offered, by question."""
    offered: dict[str, list[str]] = {}
    for question in questions or ():
        if isinstance(question, dict) and isinstance(question.get("options"), list):
            labels = [_text(one.get("label")) for one in question["options"] if isinstance(one, dict)]
            offered[_text(question.get("question"))] = [label for label in labels if label]
    return offered


# -- the assistant's records and attachments ------------------------------------------------------------------------


def _assistant(record: _Record, line: bytes) -> list[Turn]:
    blocks = _blocks(record)
    if record.isApiErrorMessage:
        return [_turn(record, line, "error", bound_text("\n".join(block.text or "" for block in blocks), MAX_RESULT))]
    usage = _usage(record.message)
    turns = (_assistant_block(record, line, block, usage) for block in blocks)
    fetched = (block.content for block in blocks if (block.type or "").endswith("_tool_result"))
    found = "\n".join("\n".join(_texts(content, MAX_DEPTH)) for content in fetched)  # the API's own tools ask the web
    return [*_context(record, line, found, "channel"), *(turn for turn in turns if turn)]


def _usage(message: _Message | None) -> Usage | None:
    if message is None or message.usage is None:
        return None
    told = message.usage
    return Usage(
        message.id or "",
        told.input_tokens or 0,
        told.output_tokens or 0,
        told.cache_read_input_tokens or 0,
        told.cache_creation_input_tokens or 0,
    )


def _assistant_block(record: _Record, line: bytes, block: _Block, usage: Usage | None) -> Turn | None:
    match block.type:
        case "text":
            text = (block.text or "").strip()
            return _turn(record, line, "reply", bound_text(text, MAX_WORDS), usage=usage) if text else None
        case "thinking":
            text = (block.thinking or "").strip()
            return _turn(record, line, "thinking", bound_text(text, MAX_RESULT), usage=usage) if text else None
        case "tool_use":
            return _turn(
                record,
                line,
                "tool_call",
                tool=block.name or "",
                tool_id=block.id or "",
                input=_bounded_input(block.input, MAX_DEPTH) if block.input else {},
                usage=usage,
            )
        case _:
            return None


class _Attached(msgspec.Struct):
    type: str | None = None


_decode_attached = msgspec.json.Decoder(_Attached).decode
# Texts that the client attaches and the model reads; the others are its own notices, and some of them are large.
_ATTACHED = {
    "hook_additional_context": "hook",
    "hook_success": "hook",
    "async_hook_response": "hook",
    "hook_blocking_error": "hook",
    "file": "file",
    "already_read_file": "file",
    "edited_text_file": "file",
    "nested_memory": "file",
    "selected_lines_in_ide": "file",
    "mcp_resource": "channel",
}
_OURS = ("What earlier sessions taught (Nous memory", "Nous remembers about", "Nous: ")


def _attachment(record: _Record, line: bytes) -> list[Turn]:
    raw = bytes(record.attachment)
    kind = _decode_attached(raw).type if raw[:1] == b"{" else None
    if kind == "queued_command":
        return _queued_turn(record, line, _decode(raw))
    source = _ATTACHED.get(kind or "")
    if source is None:
        return []
    attached = _decode(raw)
    text = "\n".join(_texts(attached, MAX_DEPTH))
    path = attached.get("filename") or attached.get("path")
    given = {"file_path": path} if isinstance(path, str) else {}
    ours = any(lead in text for lead in _OURS)
    told = _injection(record, line, raw, ours)
    return told if ours else told + _context(record, line, text, source, **given)


def _queued_turn(record: _Record, line: bytes, attached: dict[str, Any]) -> list[Turn]:
    """What was typed while the model worked, unless somebody else queued it."""
    text = _join_blocks(attached.get("prompt"))
    if attached.get("commandMode") in (None, "prompt") and not _is_machine(
        attached.get("origin"), attached.get("promptSource"), attached.get("source"), attached.get("turnOrigin")
    ):
        return _user_turn(record, line, text)
    return _notification(record, line, text) or _context(record, line, text, "channel")


def _texts(value: object, depth: int) -> Iterator[str]:
    """Every text in an attachment, whatever its shape."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth:
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one, depth - 1)


def _injection(record: _Record, line: bytes, raw: bytes, ours: bool) -> list[Turn]:
    """Which memories were put in front of the model. Their words are not kept: nobody said them."""
    cited = dict.fromkeys(number.decode() for number in _CITATION.findall(raw))
    text = " ".join(f"Memory #{number}" for number in cited)
    return [_turn(record, line, "injection", text)] if cited or ours else []


# -- bounds ---------------------------------------------------------------------------------------------------------


def _bounded_input(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return bound_text(value, MAX_INPUT)
    if isinstance(value, dict):
        items = list(value.items())[:MAX_ITEMS] if depth else []
        return {str(key)[:200]: _bounded_input(one, depth - 1) for key, one in items}
    if isinstance(value, list):
        return [_bounded_input(one, depth - 1) for one in value[:MAX_ITEMS]] if depth else []
    return value if isinstance(value, (bool, int, float)) or value is None else str(value)


def keep_text(text: str, limit: int) -> dict[str, Any]:
    """The text of others as a turn keeps it: its beginning and end, and what is known of the whole."""
    if len(text) <= limit:
        return {"text": text}
    from nous.kernel.capture.left_out import describe

    return {"text": bound_text(text, limit), "left_out": describe(text)}


def bound_text(text: str, limit: int) -> str:
    """The text, or its beginning and end, cut between words so that no half of a secret remains."""
    if len(text) <= limit:
        return text
    # A span over several lines loses its beginning or end in the cut, so it has to go first.
    if "private" in text.lower():
        from nous.redact import redact_text

        text = redact_text(text)[0]
    if len(text) <= limit:
        return text
    head, tail = text[: limit * 2 // 3], text[-limit // 3 :]
    head = head[: _last_gap(head)]
    tail = tail[_first_gap(tail) :]
    return f"{head}\n[… {len(text) - len(head) - len(tail)} characters left out …]\n{tail}"


def _last_gap(text: str) -> int:
    return max(text.rfind(" "), text.rfind("\n"), text.rfind("\t"), 0)


def _first_gap(text: str) -> int:
    gaps = [at for at in (text.find(" "), text.find("\n"), text.find("\t")) if at >= 0]
    return min(gaps) if gaps else len(text)
