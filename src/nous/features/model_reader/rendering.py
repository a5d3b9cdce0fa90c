"""A session as a model is shown it: cut to size, every role true, how each command ended in one line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from nous.kernel.capture.transcript import USER_KINDS, Turn, is_command

ENDING = 6  # turns at the end that are kept in brief before anything else of the assistant
REPEATED, SAID_AGAIN = 300, 60  # characters of an output and of the user's words that are named where they come again
GAP = 28  # characters that a note about left-out turns may take
ENDED, CUT = "[session ended]", "[cut: the session goes on]"
_UNSEEN = frozenset({"injection", "thinking"})
_TICKS = frozenset({"TodoRead", "TaskUpdate", "TaskList", "TaskGet"})  # what only moves the agent's own notes
_LISTS = frozenset({"TodoWrite", "TaskCreate"}) | _TICKS
_LOOKS = frozenset({"Read", "NotebookRead", "Grep", "Glob", "LS"})
_EDITS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_CALLS = dict.fromkeys(_EDITS, "edits") | {"AskUserQuestion": "asks the user"}
_is_listing = re.compile(
    r"(?:cd (?:\\ |[^\s;&|])+ && )?(?:ls|cat|head|tail|tree|pwd|find|grep|rg|wc|git (?:status|branch))\b[^;&|<>]*"
).fullmatch
_DECIDES = re.compile(
    r"\b(?:decid\w+|instead of|rather than|because|chose|choos\w+|root cause|turns out|the problem (?:was|is)|fixed by"
    r"|trade-?off|won't work|doesn't work|gave up|revert\w*|entschieden|stattdessen|weil|décid\w+|plutôt|porque)\b"
    r"|因为|決定",
    re.I,
)
_WRONG = re.compile(
    r"error|exception|traceback|fatal|panic|denied|refused|not found|cannot|undefined|timed out|\bfail|✗|✘|✖", re.I
)
_RIGHT = re.compile(
    r"\bpass(?:ed|es|ing)?\b|succe|\bok\b|\bdone\b|✓|(?<!\d)\d{1,9} tests?\b|exit(?:ed)? (?:code|status|with)", re.I
)


# A block of at least seven lines without a language, or with one of a terminal, is what some program printed.
_FENCE = re.compile(r"^```(?:console|terminal|output|log|text|txt)?[ \t]*\n((?:(?!```).*\n){7,}?)```", re.M)
FENCED = 300

_COLOUR = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")


class Excerpt(NamedTuple):
    """A session cut to size: its text, the record behind every label, and how many turns were left out."""

    text: str
    labels: dict[str, str]
    left_out: int


class _Step(NamedTuple):
    """One way to show a turn; steps of a lower rank come first, the later turn before the earlier."""

    rank: int
    at: int
    text: str


def excerpt(turns: Sequence[Turn], budget: int, *, is_cut: bool = False) -> Excerpt:
    """The session in at most `budget` characters, in its order; its last line says whether it ended or was cut.

    First come all words of the user and the end, then errors with what led to them and replies that decide or explain
    something, then the rest in brief, then in full. Thinking and what Nous itself injected are never shown; files that
    were only looked at are named once.
    """
    last = CUT if is_cut else ENDED
    budget -= len(last) + 1
    shown: dict[int, str] = {}
    used = 0
    for step in sorted(_steps(turns), key=lambda step: (step.rank, -step.at)):
        before = shown.get(step.at)
        more = len(step.text) - len(before) if before is not None else len(step.text) + GAP + 1
        if more > 0 and used + more <= budget:
            shown[step.at] = step.text
            used += more
    labels = {f"T{at + 1}": turns[at].uuid for at in sorted(shown)}
    folded = _folded_turns(turns)
    text = "\n".join((*_with_gaps(shown, folded), last)) if shown else ""
    return Excerpt(text, labels, len(turns) - len(folded | shown.keys()))


def _with_gaps(shown: Mapping[int, str], folded: frozenset[int]) -> Iterator[str]:
    expected = 0
    for at in sorted(shown):
        left_out = sum(place not in folded for place in range(expected, at))
        if left_out:
            yield f"... ({left_out} turn{'s' * (left_out > 1)} left out)"
        yield shown[at]
        expected = at + 1


def _folded_turns(turns: Sequence[Turn]) -> frozenset[int]:
    """Turns that stand in another one's line, or that nobody is ever shown: they are not left out for want of room."""
    looks = _looks(turns) | _count_edits(turns)
    calls = {turn.tool_id: turn for turn in turns if turn.kind == "tool_call" and turn.tool_id}
    shown = (said_in(turn, 160, calls.get(turn.tool_id) if turn.kind == "tool_result" else None) for turn in turns)
    return frozenset(
        at
        for at, (turn, said) in enumerate(zip(turns, shown, strict=True))
        if _is_unseen(turn) or not said or looks.get(at) == ""
    )


def _steps(turns: Sequence[Turn]) -> Iterator[_Step]:
    calls = {turn.tool_id: at for at, turn in enumerate(turns) if turn.kind == "tool_call" and turn.tool_id}
    ends = {turn.tool_id: turn for turn in turns if turn.kind == "tool_result" and turn.tool_id}
    edited, days = _count_edits(turns), _days(turns)
    looks = _looks(turns) | edited
    repeats = _repeats(turns)
    for at, turn in enumerate(turns):
        if _is_unseen(turn) or looks.get(at) == "":
            continue
        if at in repeats:
            rank = 1 if turn.kind in USER_KINDS else 7
            yield _Step(rank, at, f"[T{at + 1} {_who(turn, None)}] (as T{repeats[at] + 1})")
            continue
        call = turns[calls[turn.tool_id]] if turn.kind == "tool_result" and turn.tool_id in calls else None
        end = ends.get(turn.tool_id) if turn.kind == "tool_call" else turn
        who = "edits" if at in edited else "looks at" if at in looks else _who(turn, call)
        for rank, limit in _ranks(turn, at, turns, _is_failure(end)):
            if said := _harmless(_cut(looks[at], limit)) if at in looks else said_in(turn, limit, call):
                yield _Step(rank, at, f"[T{at + 1} {who}{days.get(at, '')}] {said}")


def _is_unseen(turn: Turn) -> bool:
    """Whether a turn is never shown: thinking, what Nous told itself, context that nobody ordered, ticks on a list."""
    is_tick = turn.kind == "tool_call" and turn.tool in _TICKS
    return is_tick or turn.kind in _UNSEEN or (turn.kind == "context" and not is_command(turn))


def _repeats(turns: Sequence[Turn]) -> dict[int, int]:
    """Where a long text stands again that was said or printed before, and where that was: rule files, pasted plans.

    What is typed behind a slash command comes again as a prompt.
    """
    first: dict[str, int] = {}
    found: dict[int, int] = {}
    for at, turn in enumerate(turns):
        text = str(turn.input.get("command", "")).partition(" ")[2] if turn.kind == "context" else turn.text
        least = SAID_AGAIN if turn.kind in (*USER_KINDS, "context") else REPEATED
        if _is_unseen(turn) or turn.kind == "tool_call" or len(text) < least:
            continue
        before = first.setdefault(text.strip(), at)
        if before != at:
            found[at] = before
    return found


def _is_failure(turn: Turn | None) -> bool:
    return turn is not None and turn.kind == "tool_result" and turn.failed


def _days(turns: Sequence[Turn]) -> dict[int, str]:
    """The date, at what the user said first on each day."""
    days: dict[str, int] = {}
    for at, turn in enumerate(turns):
        if turn.kind in USER_KINDS and re.match(r"\d{4}-\d\d-\d\d", turn.at):
            days.setdefault(turn.at[:10], at)
    return {at: f", {day}" for day, at in days.items()}


def _looks(turns: Sequence[Turn]) -> dict[int, str]:
    """What was only looked at, several in one line and each name once in a session; "" for turns that stand in it."""
    failed = {turn.tool_id for turn in turns if _is_failure(turn)}
    ids = {turn.tool_id for turn in turns if _is_look(turn) and turn.tool_id not in failed}
    lines: dict[int, str] = {}
    named: set[str] = set()
    first: int | None = None
    for at, turn in enumerate(turns):
        if turn.kind == "thinking":
            continue
        if turn.kind not in ("tool_call", "tool_result") or turn.tool_id not in ids:
            first = None
            continue
        lines[at] = ""
        name = " ".join(_call(turn, 160).split())[:160]
        if turn.kind == "tool_result" or name in named:
            continue
        named.add(name)
        first = at if first is None else first
        lines[first] = f"{lines[first]}; {name}" if lines[first] else name
    return lines


def _count_edits(turns: Sequence[Turn]) -> dict[int, str]:
    """The files of edits in a row, each once with how often; "" for turns that stand in the line of the first."""
    failed = {turn.tool_id for turn in turns if _is_failure(turn)}
    calls = (turn for turn in turns if turn.kind == "tool_call" and turn.tool in _EDITS and turn.tool_id)
    ids = {turn.tool_id for turn in calls if turn.tool_id not in failed}
    lines: dict[int, str] = {}
    first: int | None = None
    counted: Counter[str] = Counter()
    for at, turn in enumerate(turns):
        if turn.kind == "thinking":
            continue
        if turn.kind not in ("tool_call", "tool_result") or turn.tool_id not in ids:
            first = None
            continue
        lines[at] = ""
        if turn.kind == "tool_call":
            first, counted = (at, Counter()) if first is None else (first, counted)
            counted[" ".join(_call(turn, 160).split())] += 1
            lines[first] = ", ".join(f"{name} ×{times}" if times > 1 else name for name, times in counted.items())
    return lines


def _is_look(turn: Turn) -> bool:
    if turn.kind != "tool_call" or not turn.tool_id:
        return False
    command = turn.input.get("command")
    return turn.tool in _LOOKS or (turn.tool == "Bash" and isinstance(command, str) and bool(_is_listing(command)))


def _ranks(turn: Turn, at: int, turns: Sequence[Turn], failed: bool) -> list[tuple[int, int]]:
    """How urgently a turn is shown, and how much of it, from brief to full. How a command ended goes with it."""
    is_end = at >= len(turns) - ENDING
    answered = at + 1 < len(turns) and turns[at + 1].kind in USER_KINDS
    match turn.kind:
        case "prompt" | "answer" | "denial" | "interrupt" | "context":
            return [(0, 300), (1, 4000)]
        case "tool_result" if failed:
            return [(2, 400), (5, 1200)]
        case "reply" if answered:  # what came of an exchange, before the steps that led there
            return [(1 if is_end else 2, 400), (3, 1200), (5, 2000)]
        case "reply" if _DECIDES.search(turn.text):
            return [(1 if is_end else 2, 400), (5, 2000)]
        case "reply":
            return [(1 if is_end else 4, 240), (6, 2000)]
        case "tool_call":
            return [(1 if is_end else 2 if failed else 4, 300), (6, 1200)]
        case "tool_result":
            return [(1 if is_end else 4, 160), (7, 500)]
        case "compaction":  # the client's own account of everything before it
            return [(2, 1200), (4, 4000)]
        case _:
            return [(2, 300), (6, 1200)]


def _who(turn: Turn, call: Turn | None) -> str:
    match turn.kind:
        case "prompt" | "answer":
            return "user"
        case "denial":
            return "user refuses"
        case "interrupt":
            return "user stops the assistant"
        case "context":
            return "user runs a command"
        case "reply":
            return "assistant"
        case "tool_call":
            return _CALLS.get(turn.tool) or f"runs {turn.tool}"
        case "tool_result":
            of = f" of {call.tool}" if call is not None and call.tool not in ("Bash", *_EDITS) else ""
            return f"output{of}, failed" if turn.failed else f"output{of}"
        case "report":
            return "an agent reports"
        case "compaction":
            return "summary"
        case kind:
            return kind


def said_in(turn: Turn, limit: int, call: Turn | None = None) -> str:
    """The words of a turn in one line of so many characters; nothing for the plain success of an edit."""
    text = turn.text
    match turn.kind:
        case "tool_call":
            text = _call(turn, limit)
        case "tool_result":
            if call is not None and call.tool in _EDITS and not turn.failed:
                return ""
            if call is not None and call.tool in _LISTS:
                return ""
            return _harmless(telling(text, limit) or ("(no output)" if call and call.tool == "Bash" else ""))
        case "answer":
            answers = turn.input.get("answers")
            text = "; ".join(f"{q} {a}" for q, a in answers.items()) if isinstance(answers, dict) else text
        case "context":
            text = str(turn.input.get("command", ""))
        case "interrupt" | "compaction" if not text:
            text = "-"
        case "prompt" | "reply":
            text = _FENCE.sub(lambda found: f"(printed: {telling(found[1], FENCED)})", text)
    return _harmless(_cut(" ".join(text.split()), limit))


def _call(turn: Turn, limit: int) -> str:
    """The part of a tool's input that says what it is about; where an edit failed and there is room, what it wanted."""
    given = turn.input
    if turn.tool == "AskUserQuestion" and (asked := _questions(given)):
        return asked
    about = next((given[key] for key in _ABOUT if isinstance(given.get(key), str) and given[key]), "")
    if turn.tool in _EDITS and limit > 160:
        old, new = (_cut(" ".join(_text_of(given, key).split()), limit // 3) for key in ("old_string", "new_string"))
        return f"{about}: {old} → {new}" if new else about
    return about or (msgspec.json.encode(given).decode() if any(given.values()) else "-")


def _questions(given: Mapping[str, Any]) -> str:
    """The questions of a form and what may be picked, without what explains the choices."""
    asked = []
    for row in _rows(given.get("questions")):
        labels = [_text_of(one, "label") for one in _rows(row.get("options"))]
        asked += [f"{_text_of(row, 'question')} ({' / '.join(labels)})"] if labels else []
    return "; ".join(asked)


def _rows(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


_ABOUT = ("command", "file_path", "path", "pattern", "url", "query", "description", "prompt")


def _text_of(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) else ""


def telling(output: str, limit: int) -> str:
    """A tool's output in so many characters: what went wrong, whether it passed, its last line; else both its ends."""
    lines = [" ".join(line.split()) for line in _COLOUR.sub("", output).splitlines() if line.strip()]
    whole = " / ".join(lines)
    if len(whole) <= limit or limit < 40:
        return _cut(whole, limit)
    wrong = [at for at, line in enumerate(lines) if _WRONG.search(line)]
    right = [at for at, line in enumerate(lines) if _RIGHT.search(line)]
    if not wrong and not right:
        return _cut(whole, limit)
    picked: dict[int, str] = {}
    room = limit
    for at in dict.fromkeys((*wrong[:1], *right[-1:], len(lines) - 1, *wrong, *reversed(right))):
        line = _cut(lines[at], max(40, limit // 2))
        if len(line) + 9 <= room:  # with what stands between it and the next
            picked[at] = line
            room -= len(line) + 9
    return _join_picked(picked) or _cut(lines[wrong[0] if wrong else right[-1]], limit)


def _join_picked(picked: Mapping[int, str]) -> str:
    parts: list[str] = []
    expected = 0
    for at in sorted(picked):
        parts.append(f"[...] {picked[at]}" if at > expected else picked[at])
        expected = at + 1
    return " / ".join(parts)


def _cut(text: str, limit: int) -> str:
    """The beginning and the end of a text."""
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    return f"{text[:head]} [...] {text[len(text) - (limit - head - 7) :]}"


def _harmless(text: str) -> str:
    """Text that cannot end the block it stands in, nor pass for another turn or for the end of the session."""
    text = re.sub(r"<(/?)\s*transcript", r"‹\1transcript", text, flags=re.I)
    return re.sub(r"\[(T\d+ |session ended|cut:)", r"(\1", text)
