"""What became of a memory that was put in front of a session: was it used, was it corrected, or was it ignored?

Nothing is gained by merely being shown. Used is what left a trace: it was cited, the command it names was run, the file
it speaks of was changed with what it names, or the tool it prescribes was the one that was run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from nous.kernel.capture.transcript import Turn
from nous.kernel.memory.memory import Memory
from nous.kernel.types import OutcomeSignal as OutcomeSignal

DELTAS: dict[OutcomeSignal, float] = {"useful": 0.1, "corrected": -0.2, "ignored": 0.0}

RECURRING = 3  # sessions that taught it
SHOWN = 3  # outcomes before anything is said about its effect
EFFECTIVE, INEFFECTIVE = 0.5, 0.2
MODIFIER = 0.15

_EDITS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_CODE = re.compile(r"`([^`\n]{2,120})`")
_CITED = re.compile(r"Memory #(\d+)")
_USE = re.compile(
    r"(?<!never )(?<!not )(?<!n't )(?<!avoid )\b(?:use|uses|run|prefer|with|via|through)\s+`?([a-z][\w.-]{1,30})`?",
    re.I,
)
_SEGMENT = re.compile(r"&&|\|\||[;|\n]")
_PROGRAM = re.compile(r"^(?:\w+=\S*\s+)*(?:sudo\s+)?([\w./-]+)")


class Outcome(NamedTuple):
    """What became of a memory in a session, and what shows it."""

    signal: OutcomeSignal
    reason: str


def decide(memory: Memory, turns: Iterable[Turn], is_corrected: bool) -> Outcome:
    """The outcome for one memory in one session, from what was said and done after it was shown.

    `is_corrected`: the session taught something that takes this very memory back.
    """
    if is_corrected:
        return Outcome("corrected", "the session corrected it")
    said = list(turns)
    for sign in (_how_cited, _ran, _how_obeyed, _how_handled):
        if reason := sign(memory, said):
            return Outcome("useful", reason)
    return Outcome("ignored", "nothing shows that it was used")


def _how_cited(memory: Memory, turns: Sequence[Turn]) -> str | None:
    replies = (turn for turn in turns if turn.kind == "reply")
    return "it was cited" if any(str(memory.id) in _CITED.findall(turn.text) for turn in replies) else None


def _commands(turns: Iterable[Turn]) -> list[str]:
    """The shell commands of a session that were not refused or failed."""
    failed = {turn.tool_id for turn in turns if turn.kind == "tool_result" and turn.failed}
    return [
        str(turn.input.get("command", ""))
        for turn in turns
        if turn.kind == "tool_call" and turn.tool == "Bash" and turn.tool_id not in failed
    ]


def _ran(memory: Memory, turns: Sequence[Turn]) -> str | None:
    """A whole command that the memory names was run."""
    named = [code for code in _CODE.findall(memory.content) if " " in code.strip()]
    commands = [" ".join(command.split()) for command in _commands(turns)]
    ran = next((code for code in named if any(" ".join(code.split()) in command for command in commands)), None)
    return f"its command was run: {ran}" if ran else None


def _how_obeyed(memory: Memory, turns: Sequence[Turn]) -> str | None:
    """A rule prescribes a program, and that program was run."""
    if memory.type not in ("preference", "requirement", "pattern", "decision", "procedure", "fact"):
        return None
    wanted = {name.lower() for name in _USE.findall(memory.content)}
    programs = {name for command in _commands(turns) for name in _programs(command)}
    obeyed = sorted(wanted & programs)
    return f"it was obeyed: {obeyed[0]} was run" if obeyed else None


def _programs(command: str) -> set[str]:
    found = (_PROGRAM.match(segment.strip()) for segment in _SEGMENT.split(command))
    return {match[1].rsplit("/", 1)[-1].lower() for match in found if match}


def _how_handled(memory: Memory, turns: Sequence[Turn]) -> str | None:
    """A file it speaks of was changed with something that it names."""
    names = [*memory.symbols, *_CODE.findall(memory.content)]
    for turn in turns if memory.files and names else ():
        path = str(turn.input.get("file_path", ""))
        if (
            turn.kind != "tool_call"
            or turn.tool not in _EDITS
            or not any(_is_same(path, file) for file in memory.files)
        ):
            continue
        written = f"{turn.input.get('new_string', '')} {turn.input.get('content', '')} {turn.input.get('edits', '')}"
        if name := next((name for name in names if name in written), None):
            return f"{path.rsplit('/', 1)[-1]} was changed as it says: {name}"
    return None


def _is_same(path: str, file: str) -> bool:
    return path == file or path.endswith("/" + file)


def modifier(sessions: int, useful: int, shown: int) -> float:
    """What is added once to a memory that is learned again and again: more where showing it helps, less where not.

    Taught by 4 sessions, useful in 3 of 4 that were shown it: +0.15. Useful in none of 5: -0.15.
    """
    if sessions < RECURRING or shown < SHOWN:
        return 0.0
    effect = useful / shown
    return MODIFIER if effect >= EFFECTIVE else -MODIFIER if effect < INEFFECTIVE else 0.0
