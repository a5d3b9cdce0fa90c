"""Episodes: a session told by what happened in it. Goal, what was done, how it ended, what is left open.

A session is one episode, cut where its context was summarised and where nobody spoke for hours. The summary is made of
what happened: prompts, edits, commands with their outcome, commits; no sentence is picked by chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from nous.features.exchanges.model import Account, accounts, outcome
from nous.kernel.capture.session import Run, core
from nous.kernel.capture.transcript import Turn

PAUSE_HOURS = 4.0  # silence that ends an episode
GOAL = 160
OUTCOME = 200
MOST_FILES = 12
MOST_OPEN = 12
_COMMIT = re.compile(
    r"\bgit\s+commit\b[^\n]{0,400}?(?:-m|--message)[= ]\s{0,3}(?:\"([^\"\n]{1,200})|'([^'\n]{1,200})|(\S{1,100}))"
)
_HEREDOC = re.compile(r"\bgit\s+commit\b[^\n]{0,200}<<-?\s{0,3}['\"]?\w{1,20}['\"]?\n([^\n]{1,200})")
_REVERT = re.compile(r"\bgit\s+(?:revert|reset\s+--hard|checkout\s+--|restore)\b")


class DerivedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What a session settled, as its reading says: a decision, a rule, a preference, something to do, a promise."""

    kind: str
    text: str
    memory_id: int = 0


class Episode(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of work: from when to when, for what, what was done, how it ended, and what is left."""

    uuid: str
    session_id: str
    project_id: str
    branch: str
    began: str
    ended: str
    goal: str
    summary: str
    exchanges: int
    files: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    reverts: int = 0
    outcome: str = ""
    open_ends: tuple[str, ...] = ()
    by: str = "rules"
    derived: tuple[DerivedEvent, ...] = ()


def episodes(turns: Sequence[Turn], project_id: str) -> list[Episode]:
    """The episodes of one transcript, in order."""
    return [told for told, _ in stretches(turns, project_id)]


def stretches(turns: Sequence[Turn], project_id: str) -> list[tuple[Episode, list[Account]]]:
    """The episodes of one transcript, in order, each with its exchanges."""
    parts = [stretch for part in _cut(turns) if (stretch := accounts(part))]
    return [(told, stretch) for stretch in parts if (told := _episode(stretch, project_id))]


def _cut(turns: Sequence[Turn]) -> list[list[Turn]]:
    """The turns, cut where the context was summarised and after a long pause before a prompt."""
    parts: list[list[Turn]] = [[]]
    last = ""
    for turn in turns:
        is_cut = turn.kind == "compaction" or (turn.kind == "prompt" and _hours(last, turn.at) >= PAUSE_HOURS)
        if is_cut and parts[-1]:
            parts.append([])
        parts[-1].append(turn)
        last = turn.at or last
    return parts


def _hours(before: str, after: str) -> float:
    try:
        return (datetime.fromisoformat(after) - datetime.fromisoformat(before)).total_seconds() / 3600
    except ValueError:
        return 0.0


def _episode(stretch: Sequence[Account], project_id: str) -> Episode | None:
    first, story = stretch[0], stretch[0].story
    goal = next((one.label(GOAL) for one in stretch if len(one.asked.text.split()) > 2), first.label(GOAL))
    changed = tuple(dict.fromkeys(change.path for change in story.changes))[:MOST_FILES]
    last = _last_runs(story.runs)
    failing = tuple(command for command, run in last.items() if run.failed)[-3:]
    passed = tuple(command for command, run in last.items() if not run.failed and _is_check(command))[-3:]
    commits = tuple(title for run in story.runs if not run.failed and (title := _title(run.command)))
    ended = outcome(stretch[-1], OUTCOME)
    open_ends = _open_ends(stretch, failing)
    told = Episode(
        uuid=first.uuid,
        session_id=first.first.session_id,
        project_id=project_id,
        branch=first.first.branch,
        began=first.first.at,
        ended=next((turn.at for turn in reversed(story.turns) if turn.at), first.first.at),
        goal=goal,
        summary="",
        exchanges=len(stretch),
        files=changed,
        passed=passed,
        failing=failing,
        commits=commits,
        reverts=sum(bool(_REVERT.search(run.command)) for run in story.runs),
        outcome=ended,
        open_ends=open_ends,
    )
    return msgspec.structs.replace(told, summary=summary(told))


def summary(told: Episode) -> str:
    """An episode in one sentence, made of what happened."""
    did = [
        f"changed {_some(told.files)}" if told.files else "",
        f"committed {_some([f'“{one}”' for one in told.commits])}" if told.commits else "",
        "took changes back" if told.reverts else "",
        f"{_some([f'`{one}`' for one in told.passed])} passed" if told.passed else "",
        f"{_some([f'`{one}`' for one in told.failing])} still failed" if told.failing else "",
    ]
    done = "; ".join(part for part in did if part) or told.outcome
    return f"{told.goal} → {done}" if done else told.goal


def _some(names: Sequence[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _last_runs(runs: Iterable[Run]) -> dict[str, Run]:
    """Every command by how it ended last, in the order of its last run."""
    last: dict[str, Run] = {}
    for run in runs:
        command = core(run.command)[:80]
        last.pop(command, None)
        last[command] = run
    return last


_CHECKS = re.compile(r"\b(?:test|pytest|jest|vitest|lint|check|build|tsc|mypy|ruff|cargo|make|verify)\b")


def _is_check(command: str) -> bool:
    """Whether a command tells that something works: tests, linters, builds."""
    return bool(_CHECKS.search(command))


def _title(command: str) -> str:
    if heredoc := _HEREDOC.search(command):
        return heredoc[1].strip()
    found = _COMMIT.search(command)
    return next((one.strip() for one in found.groups() if one), "") if found else ""


def _open_ends(stretch: Sequence[Account], failing: Sequence[str]) -> tuple[str, ...]:
    """What an episode leaves open: commands that still fail, what is left on the last list, a prompt without answer."""
    ends = [f"`{command}` fails" for command in failing[-1:]]
    for turn in reversed(stretch[0].story.turns):
        listed = turn.input.get("todos") if turn.kind == "tool_call" and turn.tool == "TodoWrite" else None
        if isinstance(listed, list):
            rows = [one for one in listed if isinstance(one, dict)]
            ends += [str(one.get("content", "")) for one in rows if one.get("status") in ("pending", "in_progress")]
            break
    if not stretch[-1].said.text and not stretch[-1].exchange.runs:
        ends.append(f"no answer to “{stretch[-1].label(80)}”")
    return tuple(ends[:MOST_OPEN])
