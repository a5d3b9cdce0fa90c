"""The words that a memory was learned from, as far as they are kept: who said them, when, in which session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from nous.kernel.capture.transcript import Turn
from nous.kernel.memory.memory import Memory
from nous.language.likeness import tokens

if TYPE_CHECKING:
    from nous.kernel.stores import Events, Graph, Transcripts

LONGEST = 300
LONGEST_LINEAGE = 20  # memories that one took the place of, whose sessions are looked into
SPEAKERS = {
    "prompt": "you",
    "answer": "you",
    "denial": "you",
    "reply": "the assistant",
    "thinking": "the assistant",
    "report": "an agent",
    "tool_call": "the assistant",
}


class Quote(msgspec.Struct, frozen=True):
    """What one record of a transcript said, and the record that its exchange begins with; `text` and `exchange` are
    empty when it is not kept (any more)."""

    uuid: str
    at: str = ""
    session_id: str = ""
    who: str = ""
    text: str = ""
    exchange: str = ""


def quotes(log: Events, graph: Graph, transcripts: Transcripts, memory: Memory) -> tuple[Quote, ...]:
    """The records that a memory rests on, in its order, out of the kept transcripts; none of one taught by hand."""
    sessions = [one for one in _sessions(log, graph, memory) if transcripts.session(one)]
    if not sessions:
        return ()
    wanted = set(memory.evidence)
    found: dict[str, Quote] = {}
    for session in sessions:
        begun: dict[str, str] = {}  # the record that the exchange of each agent, or of none, begins with
        for turn in transcripts.turns(session):
            if turn.kind == "prompt" or turn.agent_id not in begun:
                begun[turn.agent_id] = turn.uuid
            if turn.uuid in wanted and turn.uuid not in found:
                found[turn.uuid] = _quote(turn, memory, begun[turn.agent_id])
        if len(found) == len(wanted):
            break
    return tuple(found.get(uuid) or Quote(uuid) for uuid in memory.evidence)


def _sessions(log: Events, graph: Graph, memory: Memory) -> list[str]:
    """The sessions that had a say in a memory and in what it took the place of, the one that introduced it first."""
    names, found = [memory.learning_id], [memory.session_id]
    for name in names:
        found += [event.session_id for event in log.of_learning(name)]
        rows = [row for row in graph.of(name) if row["rel_type"] == "supersedes" and row["source_id"] == name]
        names += [row["target_id"] for row in rows if row["target_id"] not in names][: LONGEST_LINEAGE - len(names)]
    return list(dict.fromkeys(found))


def _quote(turn: Turn, memory: Memory, exchange: str) -> Quote:
    who = SPEAKERS.get(turn.kind, "a tool")
    text = turn.text or (f"{turn.tool}: {_given(turn)}" if turn.tool else "(nothing)")
    return Quote(turn.uuid, turn.at, turn.session_id, who, near(text, memory.content), exchange)


def _given(turn: Turn) -> str:
    """What a tool was given: the command or the file, else all of it."""
    told = turn.input.get("command") or turn.input.get("file_path")
    return told if isinstance(told, str) else msgspec.json.encode(turn.input).decode()


def near(text: str, content: str) -> str:
    """The part of a text that a memory speaks of; a short one as a whole, a long one around its best line."""
    flat = " ".join(text.split())
    if len(flat) <= LONGEST:
        return flat
    wanted = set(tokens(content))
    lines = [line for line in text.splitlines() if line.strip()]
    best = max(lines, key=lambda line: len(wanted & set(tokens(line))))
    at = flat.find(" ".join(best.split()))
    begin = max(0, min(at, len(flat) - LONGEST))
    end = min(len(flat), begin + LONGEST)
    # Cut between words.
    if begin:
        begin = flat.find(" ", begin - 1) + 1
    if end < len(flat):
        end = flat.rfind(" ", begin, end)
    return ("… " if begin else "") + flat[begin:end] + (" …" if end < len(flat) else "")
