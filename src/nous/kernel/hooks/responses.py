"""What Nous says to each hook. Standard library only: the daemon and a process without a daemon both answer from here.

Everything is read from packets that wait in the database; the only thing written is the receipt of what was said.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection
from typing import Any, NamedTuple, Protocol

from nous import paths
from nous.identity import Project, context_keys, file_key, identify, prompt_key, session_key, work_tree
from nous.kernel.hooks import anchors
from nous.kernel.hooks.hookstore import HookStore
from nous.kernel.hooks.packing import (
    HARD_LIMIT_UTF16,
    Check,
    Earlier,
    Entry,
    Likeness,
    Packet,
    estimate_tokens,
    is_work,
    neutral,
    pack,
)

CUT_HEADING = "## This session, before its context was summarised"
FILE_LEAD = "Nous remembers about this file:"
ERROR_LEAD = "Nous remembers about this error:"
PROMPT_LEAD = "Nous remembers about this:"
LONGEST_ERROR = 4000  # characters of an error that are compared, the last ones
USERS_LEAD = "Nous remembers about code that uses this file:"
SEARCH_TOOLS = ("Grep", "Glob", "Bash")  # a client without the first two searches in a shell
CHANGING_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
FILE_TOOLS = ("Read", "Edit", "Write", "MultiEdit", "NotebookEdit")
MACHINE_PROMPTS = ("<", "/", "[Request interrupted")


Passages = Callable[[str, str, Collection[str], bool], list[Earlier]]


class Budgets(NamedTuple):
    """Tokens that each hook may cost at most; nothing fills them."""

    start: int = 1500
    prompt: int = 600
    tool: int = 200


class LocationLookup(Protocol):
    """Where things are, as the daemon knows it: without one nobody answers a search."""

    def defined(self, tree: str, name: str) -> str: ...
    def file(self, tree: str, name: str) -> str: ...
    def users(self, tree: str, path: str) -> list[str]: ...
    def about(self, project_id: str, name: str) -> list[Entry]: ...


class HookContext(NamedTuple):
    """What an answer is made from: the database, budgets and a clock.

    `passages` gives what earlier sessions of a project say about a text that they plainly match, but for those that
    were told before. The last argument says that the text is an error.
    `announces`: a start says on the screen how many lines it brought. `seen`: memories that the session's context holds
    beside those of which there is a receipt.
    """

    store: HookStore
    now: str
    budgets: Budgets = Budgets()
    prompts: bool = False
    passages: Passages | None = None
    places: LocationLookup | None = None
    announces: bool = True
    seen: Collection[int] = ()
    likeness: Likeness | None = None


class Delivery(NamedTuple):
    """A packet, the key under which it waited, and the earlier exchanges in it."""

    packet: Packet
    key: str
    trigger: str
    exchanges: tuple[str, ...] = ()


NOTHING = Delivery(Packet("", ()), "", "")


def answer(name: str, body: bytes, hook: HookContext) -> bytes:
    """What to print for a hook: the client's JSON, or nothing."""
    handle = ANSWERS.get(name)
    if handle is None:
        return b""
    began = time.monotonic()
    payload: dict[str, Any] = json.loads(body)
    project = identify(payload.get("cwd") or os.getcwd())
    said = handle(payload, project, hook)
    if not said.packet.text:
        return b""
    _receipt(hook, payload, project, name, said, (time.monotonic() - began) * 1000)
    output: dict[str, Any] = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": said.packet.text}}
    if name == "SessionStart" and hook.announces:
        output["systemMessage"] = _announcement(said.packet.text)
    return json.dumps(output, ensure_ascii=False).encode() + b"\n"


def _announcement(packet: str) -> str:
    """One line for the person at the screen; the model does not see it."""
    count = sum(line.startswith("- ") for line in packet.splitlines())
    return f"Nous: {count} line{'s' * (count != 1)} from earlier sessions. `nous preview` shows them."


def at_start(payload: dict[str, Any], project: Project, hook: HookContext) -> Delivery:
    """The brief for a session that begins or lost its context; for one that goes on, what was learned meanwhile."""
    key, entries = _entries(hook, context_keys(project))
    source = str(payload.get("source") or "startup")
    if source in ("resume", "fork"):
        entries = _learned_since(entries, payload, hook)
    seen = {*(_list_seen(hook, payload) if source == "resume" else ()), *_on_surface(project, payload)}
    cut = _before_the_cut(hook, payload) if source == "compact" else ""
    packet = pack(entries, hook.budgets.start, seen=seen, tail=cut, check=_as_it_stands(project, payload))
    return Delivery(packet, key, source)


def _learned_since(entries: list[Entry], payload: dict[str, Any], hook: HookContext) -> list[Entry]:
    """What is newer than the history that a session goes on with; where its own work stood is in that history."""
    last = hook.store.last_injected_at(_context(payload))
    known = hook.store.known_then(last or _moment_before(hook, float(payload.get("seconds_since_last_response") or 0)))
    return [entry for entry in entries if entry.id > known and not is_work(entry)]


def _before_the_cut(hook: HookContext, payload: dict[str, Any]) -> str:
    """Where this session stood when its context was cut, as far as the daemon kept it."""
    row = hook.store.packet(session_key(str(payload.get("session_id") or "")))
    said = "\n".join([CUT_HEADING, *(f"- {neutral(line)}" for line in json.loads(row[1]))]) if row else ""
    return said if estimate_tokens(said) <= hook.budgets.start // 2 else ""


def at_prompt(payload: dict[str, Any], project: Project, hook: HookContext) -> Delivery:
    """What the session's first prompt names, and how its matter was decided before; mostly nothing."""
    prompt = str(payload.get("prompt") or "").strip()
    if not hook.prompts or not prompt or prompt.startswith(MACHINE_PROMPTS):
        return NOTHING
    if hook.store.was_prompted(_context(payload)):
        return NOTHING
    key, waiting, rarity = _waiting(project, hook)
    from nous.kernel.hooks.subjects import entries_about, is_told, text_of

    seen, (_, start) = _list_seen(hook, payload), _entries(hook, context_keys(project))
    told_already = {entry.id for entry in waiting if entry.id in seen and is_told(entry, start)}
    found = entries_about(prompt, [one for one in waiting if one.id not in told_already], rarity, hook.likeness)
    told, head = _earlier(prompt, payload, project, hook, hook.budgets.prompt, is_error=False)
    fresh = [entry for entry in found if text_of(entry) not in head]  # a session's own words say it already
    packet = pack(fresh, hook.budgets.prompt, lead=PROMPT_LEAD, check=_as_it_stands(project, payload), head=head)
    return Delivery(packet, key, "prompt", exchanges=told)


def _waiting(project: Project, hook: HookContext) -> tuple[str, list[Entry], dict[str, float]]:
    """What of a project's memory waits for a prompt or a failure that names it, with how rare its words are."""
    for key in (prompt_key(project.id), prompt_key("")):
        if row := hook.store.packet(key):
            rarity, entries = json.loads(row[1])
            return row[0], _holding(hook, entries), rarity
    return context_keys(project)[0], [], {}


def _earlier(
    text: str, payload: dict[str, Any], project: Project, hook: HookContext, budget: int, *, is_error: bool
) -> tuple[tuple[str, ...], str]:
    """What earlier sessions say about a text that they plainly match, each once in a session, as far as it fits."""
    if hook.passages is None:
        return (), ""
    told: list[str] = []
    said: list[str] = []
    room = budget - estimate_tokens(PROMPT_LEAD)
    for one in hook.passages(text, project.id, hook.store.told(_context(payload)), is_error):
        lines = "\n".join([one.heading, *(f"- {neutral(line)}" for line in one.lines)])
        if (price := estimate_tokens(lines)) <= room:
            told.append(one.uuid)
            said.append(lines)
            room -= price
    return tuple(told), "\n".join(said)


def after_tool(payload: dict[str, Any], project: Project, hook: HookContext) -> Delivery:
    """What is known about the file that was just read or changed, once per session."""
    given = payload.get("tool_input") or {}
    if payload.get("tool_name") in SEARCH_TOOLS:
        return after_search(payload, project, hook)
    path = given.get("file_path") or given.get("notebook_path")
    if payload.get("tool_name") not in FILE_TOOLS or not isinstance(path, str):
        return NOTHING
    key, entries = _entries(hook, [file_key(project.id, path)])
    warnings = [entry for entry in entries if any(_is_same(path, file) for file in entry.files)]
    packet = _brief(warnings, hook.budgets.tool, FILE_LEAD, payload, project, hook)
    if not packet.text and payload["tool_name"] in CHANGING_TOOLS:
        packet = _brief(_of_users(path, payload, project, hook), hook.budgets.tool, USERS_LEAD, payload, project, hook)
    return Delivery(packet, key, str(payload["tool_name"]))


def _of_users(path: str, payload: dict[str, Any], project: Project, hook: HookContext) -> list[Entry]:
    """What is known about files that import a file which is being changed."""
    tree = work_tree(payload.get("cwd") or project.root)
    real = os.path.realpath(path)
    if hook.places is None or not real.startswith(tree + os.sep):
        return []
    found: dict[int, Entry] = {}
    for user in hook.places.users(tree, os.path.relpath(real, tree).replace(os.sep, "/")):
        _, entries = _entries(hook, [file_key(project.id, user)])
        found |= {entry.id: entry for entry in entries if any(_is_same(user, file) for file in entry.files)}
    return list(found.values())


def after_search(payload: dict[str, Any], project: Project, hook: HookContext) -> Delivery:
    """Where the thing is that was searched for, and what is known about it: only when sure, once per session."""
    if hook.places is None:
        return NOTHING
    given = payload.get("tool_input") or {}
    from nous.kernel.hooks.search_targets import file_in, names_in, searched_by

    pattern = str(given.get("pattern") or "") or searched_by(str(given.get("command") or ""))
    answered = json.dumps(payload.get("tool_response"), ensure_ascii=False)
    tree = work_tree(payload.get("cwd") or project.root)
    if payload.get("tool_name") == "Glob":
        name = file_in(pattern)
        place = hook.places.file(tree, name) if name else ""
        said = f"`{name}` is {place}." if place and place not in answered else ""
        return _tell(name, said, [], payload, project, hook)
    for name in names_in(pattern):
        place = hook.places.defined(tree, name)
        said = f"`{name}` is defined in {place}." if place and _adds(place, answered) else ""
        found = _tell(name, said, hook.places.about(project.id, name), payload, project, hook)
        if found.packet.text:
            return found
    return NOTHING


def _adds(place: str, answered: str) -> bool:
    """Whether a search has not just shown the same: its answer names another file, or none, or many lines of this."""
    file, _, line = place.rpartition(":")
    return file not in answered or not (f"{file}:{line}:" in answered or answered.count(file) == answered.count("/"))


def _tell(
    name: str, said: str, entries: list[Entry], payload: dict[str, Any], project: Project, hook: HookContext
) -> Delivery:
    """A place and what is known about it, unless this session was told before."""
    key = f"{project.id}@//where/{name}"
    if not name or hook.store.was_said(_context(payload), key):
        return NOTHING
    lead = f"{said} Nous remembers about it:" if said else f"Nous remembers about `{name}`:"
    packet = _brief(entries, hook.budgets.tool, lead, payload, project, hook)
    if not packet.text and said:
        packet = Packet(f"Nous: {said}", ())
    return Delivery(packet, key, str(payload["tool_name"]))


def after_failure(payload: dict[str, Any], project: Project, hook: HookContext) -> Delivery:
    """What is known about the error that a command just gave."""
    error = str(payload.get("error") or "")
    if payload.get("tool_name") != "Bash" or payload.get("is_interrupt") or not error:
        return NOTHING
    command = str((payload.get("tool_input") or {}).get("command") or "")
    key, waiting, _ = _waiting(project, hook)
    from nous.kernel.hooks.subjects import named_by_failure

    fixes = named_by_failure(command, error[-LONGEST_ERROR:], waiting)
    told, tail = _earlier(error[-LONGEST_ERROR:], payload, project, hook, hook.budgets.tool, is_error=True)
    packet = _brief(fixes, hook.budgets.tool, ERROR_LEAD, payload, project, hook, tail=tail)
    return Delivery(packet, key, "Bash", exchanges=told)


ANSWERS: dict[str, Callable[[dict[str, Any], Project, HookContext], Delivery]] = {
    "SessionStart": at_start,
    "UserPromptSubmit": at_prompt,
    "PostToolUse": after_tool,
    "PostToolUseFailure": after_failure,
}


def _brief(
    entries: list[Entry],
    budget: int,
    lead: str,
    payload: dict[str, Any],
    project: Project,
    hook: HookContext,
    tail: str = "",
) -> Packet:
    """What of these a session in its midst has not seen yet, before what stands at its tail."""
    check = _as_it_stands(project, payload)
    return pack(entries, budget, seen=_list_seen(hook, payload), lead=lead, check=check, tail=tail)


def _as_it_stands(project: Project, payload: dict[str, Any]) -> Check:
    return anchors.check_in(work_tree(payload.get("cwd") or project.root))


def _entries(hook: HookContext, keys: list[str]) -> tuple[str, list[Entry]]:
    """The prepared entries under the closest key, without what holds no longer."""
    for key in keys:
        if row := hook.store.packet(key):
            return row[0], _holding(hook, json.loads(row[1]))
    return "", []


def _holding(hook: HookContext, rows: list[list[Any]]) -> list[Entry]:
    """Prepared entries without those of which a memory no longer holds: forgotten, replaced or disputed since."""
    found = [Entry(*fields) for fields in rows]
    gone = hook.store.out_of_use({number for entry in found for number in (entry.id, *entry.beside)})
    kept = (one for one in found if not one.until or one.until > hook.now)
    return [one for one in kept if gone.isdisjoint((one.id, *one.beside))]


def _list_seen(hook: HookContext, payload: dict[str, Any]) -> Collection[int]:
    """Memories that the session's context already holds; a compaction empties it."""
    return {*hook.store.seen(_context(payload)), *hook.seen}


def _context(payload: dict[str, Any]) -> str:
    """Whose context an answer goes to: a session's, or that of a subagent, which sees nothing of its parent's."""
    session, agent = str(payload.get("session_id") or ""), payload.get("agent_id")
    return f"{session}/{agent}" if agent else session


def _on_surface(project: Project, payload: dict[str, Any]) -> Collection[int]:
    """Memories in the rules file that `nous admin surface` keeps: the client has loaded it already."""
    if not os.path.realpath(payload.get("cwd") or project.root).startswith(project.root):
        return ()  # a linked work tree has its own files
    try:
        with open(os.path.join(project.root, paths.SURFACE), encoding="utf-8", errors="replace") as file:
            cited = file.read(HARD_LIMIT_UTF16).split("[Memory #")[1:]
    except OSError:
        return ()
    return {int(number) for number in (part.partition(":")[0] for part in cited) if number.isdecimal()}


def _moment_before(hook: HookContext, seconds: float) -> str:
    from datetime import datetime, timedelta

    moment = datetime.fromisoformat(hook.now) - timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _is_same(path: str, file: str) -> bool:
    """Whether a path is the file a memory speaks of, which may be named by its last parts only."""
    return path == file or path.endswith("/" + file.removeprefix("./"))


def _receipt(
    hook: HookContext, payload: dict[str, Any], project: Project, name: str, said: Delivery, took: float
) -> None:
    """Note what was said to whom."""
    hook.store.keep_receipt(
        said.packet.memory_ids,
        said.exchanges,
        context=_context(payload),
        project_id=project.id,
        hook=name,
        trigger=said.trigger,
        key=said.key,
        characters=len(said.packet.text),
        latency_ms=round(took, 3),
        now=hook.now,
    )
