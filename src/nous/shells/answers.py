"""What Nous says to each hook. Standard library only: the daemon and a process without a daemon both answer from here.

Everything is read from packets that wait in the database; the only thing written is the receipt of what was said.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection
from typing import Any, NamedTuple, Protocol

from nous import anchors, paths
from nous.core.packing import HARD_LIMIT_UTF16, Check, Entry, Packet, estimate_tokens, neutral, pack
from nous.fingerprint import changed_files, tech_stack
from nous.identity import Project, context_keys, file_key, identify, session_key, work_tree

FIND = "SELECT context_key, packet_json FROM injection_cache WHERE context_key = ?"
SEEN = """
SELECT memory_id FROM injected_memories JOIN injections USING (injection_id)
WHERE session_id = ? AND injection_id >= COALESCE(
    (SELECT MAX(injection_id) FROM injections WHERE session_id = ? AND trigger = 'compact'), 0)
"""
KNOWN_THEN = "SELECT COALESCE(MAX(event_id), 0) FROM learning_events WHERE arrived_at <= ?"
PROMPTED = "SELECT 1 FROM injections WHERE session_id = ? AND hook = 'UserPromptSubmit' LIMIT 1"
RECEIPT = """
INSERT INTO injections (session_id, project_id, hook, trigger, context_key, characters, latency_ms, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING injection_id
"""
RECEIPT_MEMORY = "INSERT INTO injected_memories (injection_id, memory_id) VALUES (?, ?)"

CUT_HEADING = "## This session, before its context was summarised"
FILE_LEAD = "Nous remembers about this file:"
ERROR_LEAD = "Nous remembers about this error:"
PROMPT_LEAD = "Nous remembers about this:"
FILE_TOOLS = ("Read", "Edit", "Write", "MultiEdit", "NotebookEdit")
MACHINE_PROMPTS = ("<", "/", "[Request interrupted")


class Cursor(Protocol):
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...


class Connection(Protocol):
    """What both SQLite drivers offer."""

    def execute(self, sql: str, bindings: tuple[Any, ...] = ..., /) -> Any: ...


Search = Callable[[str, str, str], list[Entry]]


class Budgets(NamedTuple):
    """Tokens that each hook may cost."""

    start: int = 1500
    prompt: int = 600
    tool: int = 200


class Desk(NamedTuple):
    """What an answer is made from: the database, a live search where there is one, budgets and a clock."""

    connection: Connection
    now: str
    search: Search | None = None
    budgets: Budgets = Budgets()
    prompts: bool = False


class Said(NamedTuple):
    """A packet and the key under which it waited."""

    packet: Packet
    key: str
    trigger: str


NOTHING = Said(Packet("", ()), "", "")


def answer(name: str, body: bytes, desk: Desk) -> bytes:
    """What to print for a hook: the client's JSON, or nothing."""
    handle = ANSWERS.get(name)
    if handle is None:
        return b""
    began = time.monotonic()
    payload: dict[str, Any] = json.loads(body)
    project = identify(payload.get("cwd") or os.getcwd())
    said = handle(payload, project, desk)
    if not said.packet.text:
        return b""
    _receipt(desk, payload, project, name, said, (time.monotonic() - began) * 1000)
    output = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": said.packet.text}}
    return json.dumps(output, ensure_ascii=False).encode() + b"\n"


def at_start(payload: dict[str, Any], project: Project, desk: Desk) -> Said:
    """The brief for a session that begins, goes on or lost its context."""
    key, entries = _entries(desk, context_keys(project))
    source = str(payload.get("source") or "startup")
    if source == "fork":  # the copied history holds what was said before; only what is newer may follow
        known = _known_before(desk, float(payload.get("seconds_since_last_response") or 0))
        entries = [entry for entry in entries if entry.id > known]
    seen = {*(_seen(desk, payload) if source == "resume" else ()), *_on_surface(project, payload)}
    crowded = sum(entry.tokens for entry in entries) > desk.budgets.start // 2
    focus, stack = (_focus(project, payload), tech_stack(project.root)) if crowded else (set(), set())
    tail = _before_the_cut(desk, payload) if source == "compact" else ""
    check = _as_it_stands(project, payload)
    packet = pack(entries, desk.budgets.start, focus=focus, stack=stack, seen=seen, tail=tail, check=check)
    return Said(packet, key, source)


def _before_the_cut(desk: Desk, payload: dict[str, Any]) -> str:
    """Where this session stood when its context was cut, as far as the daemon kept it."""
    row = desk.connection.execute(FIND, (session_key(str(payload.get("session_id") or "")),)).fetchone()
    said = "\n".join([CUT_HEADING, *(f"- {neutral(line)}" for line in json.loads(row[1]))]) if row else ""
    return said if estimate_tokens(said) <= desk.budgets.start // 2 else ""


def at_prompt(payload: dict[str, Any], project: Project, desk: Desk) -> Said:
    """What the session's first prompt calls for; silence when nothing is good enough, or nobody can search."""
    prompt = str(payload.get("prompt") or "").strip()
    if not desk.prompts or desk.search is None or not prompt or prompt.startswith(MACHINE_PROMPTS):
        return NOTHING
    if desk.connection.execute(PROMPTED, (_context(payload),)).fetchone():
        return NOTHING
    found = desk.search(prompt, project.id, project.branch)
    packet = _brief(found, desk.budgets.prompt, PROMPT_LEAD, payload, project, desk)
    return Said(packet, context_keys(project)[0], "prompt")


def after_tool(payload: dict[str, Any], project: Project, desk: Desk) -> Said:
    """What is known about the file that was just read or changed, once per session."""
    given = payload.get("tool_input") or {}
    path = given.get("file_path") or given.get("notebook_path")
    if payload.get("tool_name") not in FILE_TOOLS or not isinstance(path, str):
        return NOTHING
    key, entries = _entries(desk, [file_key(project.id, path)])
    warnings = [entry for entry in entries if any(_is_same(path, file) for file in entry.files)]
    packet = _brief(warnings, desk.budgets.tool, FILE_LEAD, payload, project, desk)
    return Said(packet, key, str(payload["tool_name"]))


def after_failure(payload: dict[str, Any], project: Project, desk: Desk) -> Said:
    """What is known about the error that a command just gave."""
    error = str(payload.get("error") or "")
    if payload.get("tool_name") != "Bash" or desk.search is None or payload.get("is_interrupt") or not error:
        return NOTHING
    command = str((payload.get("tool_input") or {}).get("command") or "")
    found = desk.search(f"{command}\n{error}"[-2000:], project.id, project.branch)
    fixes = [entry for entry in found if entry.type in ("error_pattern", "gotcha", "dead_end", "procedure")]
    packet = _brief(fixes, desk.budgets.tool, ERROR_LEAD, payload, project, desk)
    return Said(packet, context_keys(project)[0], "Bash")


ANSWERS: dict[str, Callable[[dict[str, Any], Project, Desk], Said]] = {
    "SessionStart": at_start,
    "UserPromptSubmit": at_prompt,
    "PostToolUse": after_tool,
    "PostToolUseFailure": after_failure,
}


def _brief(
    entries: list[Entry], budget: int, lead: str, payload: dict[str, Any], project: Project, desk: Desk
) -> Packet:
    """What of these a session in its midst has not seen yet."""
    return pack(entries, budget, seen=_seen(desk, payload), lead=lead, check=_as_it_stands(project, payload))


def _as_it_stands(project: Project, payload: dict[str, Any]) -> Check:
    return anchors.check_in(work_tree(payload.get("cwd") or project.root))


def _entries(desk: Desk, keys: list[str]) -> tuple[str, list[Entry]]:
    """The prepared entries under the closest key."""
    for key in keys:
        if row := desk.connection.execute(FIND, (key,)).fetchone():
            return row[0], [Entry(*fields) for fields in json.loads(row[1])]
    return "", []


def _seen(desk: Desk, payload: dict[str, Any]) -> Collection[int]:
    """Memories that the session's context already holds; a compaction empties it."""
    context = _context(payload)
    return {row[0] for row in desk.connection.execute(SEEN, (context, context)).fetchall()}


def _context(payload: dict[str, Any]) -> str:
    """Whose context an answer goes to: a session's, or that of a subagent, which sees nothing of its parent's."""
    session, agent = str(payload.get("session_id") or ""), payload.get("agent_id")
    return f"{session}/{agent}" if agent else session


def _on_surface(project: Project, payload: dict[str, Any]) -> Collection[int]:
    """Memories in the rules file that `nous surface` keeps: the client has loaded it already."""
    if not os.path.realpath(payload.get("cwd") or project.root).startswith(project.root):
        return ()  # a linked work tree has its own files
    try:
        with open(os.path.join(project.root, paths.SURFACE), encoding="utf-8", errors="replace") as file:
            cited = file.read(HARD_LIMIT_UTF16).split("[Memory #")[1:]
    except OSError:
        return ()
    return {int(number) for number in (part.partition(":")[0] for part in cited) if number.isdecimal()}


def _known_before(desk: Desk, seconds: float) -> int:
    from datetime import datetime, timedelta

    moment = datetime.fromisoformat(desk.now) - timedelta(seconds=seconds)
    row = desk.connection.execute(
        KNOWN_THEN, (moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),)
    ).fetchone()
    return int(row[0])


def _focus(project: Project, payload: dict[str, Any]) -> set[str]:
    """Words of what is being worked on: changed and recent files, the branch, the directory below the root."""
    below = os.path.relpath(payload.get("cwd") or project.root, project.root)
    places = [*changed_files(project.root, time.time()), below if not below.startswith(".") else ""]
    if project.branch not in ("main", "master", "develop", "trunk"):
        places.append(project.branch)
    return {word for place in places for word in _words(place)}


def _words(place: str) -> list[str]:
    stem = os.path.splitext(place)[0].lower()
    return [
        word for word in "".join(c if c.isalnum() else " " for c in stem).split() if len(word) >= 4 and word not in DULL
    ]


DULL = frozenset(
    {"main", "init", "index", "test", "tests", "utils", "util", "core", "common", "packages", "modules", "readme"}
)


def _is_same(path: str, file: str) -> bool:
    """Whether a path is the file a memory speaks of, which may be named by its last parts only."""
    return path == file or path.endswith("/" + file.removeprefix("./"))


def _receipt(desk: Desk, payload: dict[str, Any], project: Project, name: str, said: Said, took: float) -> None:
    """Note what was said to whom. A store that cannot be written now must not cost the answer."""
    size = len(said.packet.text)
    try:
        desk.connection.execute("BEGIN IMMEDIATE")
        row = (_context(payload), project.id, name, said.trigger, said.key, size, round(took, 3), desk.now)
        [number] = desk.connection.execute(RECEIPT, row).fetchone()
        for memory in said.packet.memory_ids:
            desk.connection.execute(RECEIPT_MEMORY, (number, memory))
        desk.connection.execute("COMMIT")
    except Exception:
        _roll_back(desk.connection)


def _roll_back(connection: Connection) -> None:
    try:
        connection.execute("ROLLBACK")
    except Exception:
        return
