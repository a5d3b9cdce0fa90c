"""Whether a memory may be shown unasked, what of it, in which order and in which words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from nous.kernel.hooks.packing import BRIEF_LINES, WORK_LINES, Entry, estimate_tokens, neutral
from nous.kernel.log.evolve import INITIAL_STRENGTH
from nous.kernel.log.extraction import STANDING
from nous.kernel.memory.decay import UNUSED, Use, fading
from nous.kernel.memory.memory import PLACED, PROPOSED, Memory
from nous.kernel.sharing import CONTESTED, is_circle
from nous.kernel.types import HEADINGS, TYPES
from nous.language.branches import is_bound
from nous.language.lexicon import folded_pattern, pattern
from nous.language.provenance import is_plain_name
from nous.language.sentences import sentences
from nous.language.standing import in_folder, is_about_work, is_same_rule, is_same_task, is_told_command, standing_text
from nous.moments import days_between, later

RULES, RECENT = HEADINGS[0], HEADINGS[-1]
FOUR_WEEKS = 28
PINNED = 10.0  # more than everything else together
HERE = 0.2  # learned on the branch that is checked out
BY_HAND, BY_AGENT = "user_review", "agent"
ON_DEMAND = frozenset({"code", "code_description"})  # never at a start, whoever wrote it
USERS_WORDS = frozenset(
    {"requirement", "preference", "pattern", "decision", "architecture", "fact", "context", "gotcha", "opinion"}
)  # types in which the rules reader keeps what a user said
MODELS_RULES = frozenset({"requirement", "preference", "procedure"})  # what a model calls a rule, a wish, a command
JOINED = "consolidate-1"  # the extractor of memories that were joined by rules once, whatever they said
MODEL_READER = ("read@", "extract@")  # and those that are a model's
RULES_READER = ("rules-", "observer-", "consolidate-")  # extractors that read without a model
SPARE = 12  # entries beyond those that a brief shows, for those whose code is gone by then
MONTH = 7  # characters of a date that say year and month


def need_score(memory: Memory, now: str, branch: str = "", use: Use = UNUSED) -> float:
    """How much speaks for a memory beside others: pinned first, then what is sure now and has proved useful.

    What was learned on the branch that is checked out comes a little before what was learned elsewhere.
    """
    sure = fading(memory, now, use).confidence
    here = HERE if branch and memory.branch == branch else 0.0
    return math.fsum((sure, memory.strength - INITIAL_STRENGTH, here, PINNED if memory.pinned else 0.0))


# Of 11 such lines that one session had shown to work, two readers found 2 and 5 useful; and what
# everybody tries first, with nothing that has to be known.
GUESSED = ("Build ", "Start ")
NOT_GUESSED = (" fails", "=", " -")  # the plain way fails, or it needs a setting or an option
_FIRST_TRIED = re.compile(
    r"(?:Build|Start|Run) .{0,12}with `(?:cd [\w./-]+ && )?(?:dotnet|mix|cargo|go|gradle|mvn)"
    r"(?: (?:run|build|compile|start|package|test|phx\.server|--verbosity \w+|-v \w+|--nologo|\./\.\.\.|\.))*`"
    r"(?: in [\w./-]+)?\W*$"
    r"|Check the types with `(?:npx|yarn|pnpm(?: exec)?|bunx) tsc(?: --noEmit)?`\W*$"
)
_WRAPPER = re.compile(r"The wrapper `([^`]+)` always fails")
# Which files were changed the repository tells better, and of steps that are all done nobody needs to know.
_FINISHED = re.compile(r"(?:Last work|Work on \S+): (?:Changed |done: |[^\n]{1,120} \((?:done|talk|dropped)\)\.$)")


def counts_as_users(memory: Memory) -> bool:
    """Whether a memory is the user's word; one of which nobody knows counts as it, unless rules saw it done."""
    is_seen = memory.extractor.startswith(RULES_READER) and memory.type not in USERS_WORDS
    return memory.by == "user" or (not memory.by and not is_seen)


def is_by_hand(memory: Memory) -> bool:
    """Whether a person said or confirmed it."""
    return memory.source == BY_HAND or memory.confirmed or memory.pinned


def is_of_model(memory: Memory) -> bool:
    """Whether a model wrote it."""
    return memory.extractor.startswith(MODEL_READER)


def start_text(memory: Memory) -> str:
    """What a session's start may show of a memory; empty when it may show nothing.

    All of what a person wrote, confirmed or pinned, of a command that works and of the last work; of what a user said
    only the sentences that are rules, and these where every session can need them or they were said again. Wishes,
    orders, reports and questions are left to whoever asks for them (decision 34).
    """
    kind = TYPES[memory.type]
    if memory.type in ON_DEMAND or not kind.is_shown:
        return ""
    if is_by_hand(memory):
        return memory.content
    if kind.heading == RECENT:
        return "" if _FINISHED.match(memory.content) else memory.content
    if memory.source == BY_AGENT:
        return ""  # what an agent noted is found where it matches, and is nobody's rule
    if memory.strength <= 0:
        return ""  # it lost all its strength: nothing speaks for it until it is said again
    if not memory.extractor.startswith(RULES_READER):
        return memory.content if memory.type in MODELS_RULES else standing_text(memory.content)
    if memory.type == "procedure" and STANDING not in memory.tags:
        return memory.content if is_told_command(memory.content) and _is_worth_telling(memory) else ""
    return _rules_of(memory)


def _is_worth_telling(memory: Memory) -> bool:
    """Whether a start tells a command: plain ones that build or start a project anybody guesses, until they proved
    themselves again."""
    is_guessed = memory.content.startswith(GUESSED) and not any(one in memory.content for one in NOT_GUESSED)
    return not _FIRST_TRIED.match(memory.content) and (not is_guessed or memory.strength > INITIAL_STRENGTH)


def is_certain(memory: Memory) -> bool:
    """Whether a memory may be shown where it matches, although nobody asked.

    What a person stands for, a model wrote, a command or an error proved, and sentences said as rules. What was kept of
    other words is found when somebody asks: of 95 such lines at first prompts of real projects 79 were junk.
    """
    if is_by_hand(memory) or not memory.extractor.startswith(RULES_READER) or STANDING in memory.tags:
        return True
    if memory.type in ("procedure", "error_pattern", "dead_end"):
        return True
    return memory.type in USERS_WORDS and bool(standing_text(memory.content, widely=False))


def why_shown(memory: Memory) -> str:
    """Why a start shows a memory, for a person."""
    day = (memory.last_said_at or memory.valid_from or memory.created_at)[:10]
    again = ", and said again since" if memory.strength > INITIAL_STRENGTH else ""
    reasons = {
        "you pinned it": memory.pinned,
        "you confirmed it": memory.confirmed,
        f"you taught it on {day}": memory.source == BY_HAND,
        f"where the work stood on {day}": TYPES[memory.type].heading == RECENT,
        f"read by a model in a session of {day}": is_of_model(memory),
        f"imported, from {day}": not memory.extractor.startswith(RULES_READER),
        f"a command that worked on {day}": memory.type == "procedure",
    }
    return next((reason for reason, holds in reasons.items() if holds), f"said on {day}{again}")


def _rules_of(memory: Memory) -> str:
    """What of a user's words is a rule: all of what was kept as one, else the sentences that are.

    What concerns one subject alone waits until it is said again.
    """
    if STANDING in memory.tags and memory.extractor != JOINED:
        return memory.content
    again = memory.strength > INITIAL_STRENGTH
    return standing_text(memory.content, widely=not again) if memory.type in USERS_WORDS else ""


def _age(memory: Memory, now: str) -> float:
    """Days since a memory became true."""
    return max(0.0, days_between(memory.valid_from or memory.created_at, now))


def refusal(memory: Memory, now: str, branch: str) -> str | None:
    """Why a memory may not be shown unasked, or None: it must be true now, of this branch, and no stranger's words."""
    kind = TYPES[memory.type]
    is_own = memory.branch and ((branch and kind.kind == "episodic") or is_bound(memory.content))
    is_recent = memory.pinned or _age(memory, now) <= max(FOUR_WEEKS, 2 * kind.half_life)
    reasons = {
        f"it is {memory.status}": memory.status != "active",
        "it comes from outside and nobody reviewed it": memory.tainted,
        "it is disputed": memory.disputed,
        "it was an order to destroy something": not _is_written(memory) and destroys(memory.content),
        "it stands in the instructions of the project": PLACED in memory.tags,
        "it is proposed as a skill and nobody accepted it": PROPOSED in memory.tags and not is_by_hand(memory),
        f"a {memory.type} is shown only when asked for": not kind.is_shown,
        "it is no longer true": bool(memory.valid_until and memory.valid_until <= now),
        "what was being done then is no recent work": kind.heading == RECENT and not is_recent,
        f"it is about branch {memory.branch}": bool(is_own and memory.branch != branch),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _is_written(memory: Memory) -> bool:
    """Whether somebody put it into words for later, a person or a model, and it is no order as it was given."""
    return is_by_hand(memory) or is_of_model(memory)


@lru_cache(maxsize=4096)
def destroys(content: str) -> bool:
    """Whether a text orders to destroy something: who said so meant that moment, and nobody should hear it again.

    "Let's purge this database" does; "never delete a migration" and "drop the test database before every run" do not.
    """
    return any(_destroys(one.text) for one in sentences(content))


def _destroys(sentence: str) -> bool:
    found = folded_pattern("orders.destroys").search(sentence)
    is_spared = found and (
        pattern("orders.spares").search(sentence[: found.start()]) or pattern("orders.lasts").search(sentence)
    )
    return bool(found) and not is_spared


def is_injectable(memory: Memory, now: str, branch: str) -> bool:
    """Whether a memory may be shown unasked."""
    return refusal(memory, now, branch) is None


class Need(msgspec.Struct, frozen=True):
    """Why a session's start may not show a memory; None when it may."""

    refused: str | None


def need(memory: Memory, now: str) -> Need:
    """Why a session's start shows a memory, or does not; whether it fits the budget is decided among all."""
    doubt = None if start_text(memory) else "it is no rule, no command that works, and nobody confirmed it"
    return Need(refusal(memory, now, memory.branch or "") or doubt)


def entries(memories: Iterable[Memory], now: str, branch: str) -> list[Entry]:
    """What a session's start may show, best first: the brief, then the last work.

    What a person stands for comes first, then rules, then commands; of equals what was said last. The same thing said
    twice is said once; of two memories that disagree only the one that leads is shown.
    """
    injectable = _latest_work([memory for memory in memories if is_injectable(memory, now, branch)])
    known = {memory.learning_id: memory for memory in injectable}
    ranked = sorted(((memory, said) for memory in injectable if (said := start_text(memory))), key=_place, reverse=True)
    failing = [f"`{wrapper[1]} " for _, said in ranked if (wrapper := _WRAPPER.match(said))]
    brief: dict[str, Entry] = {}
    work: dict[str, Entry] = {}
    for memory, said in ranked:
        room, most = (work, WORK_LINES) if TYPES[memory.type].heading == RECENT else (brief, BRIEF_LINES + SPARE)
        if len(room) == most:  # so a line is compared with those that are shown, however many memories there are
            continue
        is_led = leading(memory, opposite(memory, known))[0] is not memory
        is_told = any(is_same_rule(said, other) for other in (*brief, *work))
        is_same = is_same_task(said, brief) or any(one in said for one in failing if not _WRAPPER.match(said))
        if is_led or is_told or (not is_by_hand(memory) and is_same):
            continue
        room[said] = _entry(memory, None, 0.0, said)
    found = [*brief.values(), *work.values()]
    return [one._replace(worth=float(-place)) for place, one in enumerate(found)]


def _latest_work(memories: Iterable[Memory]) -> list[Memory]:
    """The memories without states of work that a later one of the same branch follows."""
    found = list(memories)
    latest: dict[str | None, Memory] = {}
    for memory in sorted(
        (one for one in found if TYPES[one.type].heading == RECENT), key=lambda one: (_when(one), one.id)
    ):
        latest[memory.branch] = memory
    return [one for one in found if TYPES[one.type].heading != RECENT or latest[one.branch] is one or is_by_hand(one)]


def _place(found: tuple[Memory, str]) -> tuple[bool, bool, bool, bool, bool, str, int]:
    """Where a memory stands in a brief: what a person stands for, rules before commands, first those of every session's
    work, commands of the whole project before those of a folder, then what was said again, and what was said last."""
    memory, said = found
    is_command = memory.type == "procedure"
    said_last = memory.last_said_at or memory.valid_from or memory.created_at
    is_again = memory.strength > INITIAL_STRENGTH
    is_wide = is_about_work(said) and not (is_command and (in_folder(said) or said.startswith("`")))
    return memory.pinned, is_by_hand(memory), not is_command, is_wide, is_again, said_last, memory.id


def opposite(memory: Memory, known: Mapping[str, Memory]) -> Memory | None:
    """The memory that says otherwise and still stands, as far as any is known."""
    found = [known[name] for name in memory.contradicted_with if name in known]
    return max((one for one in found if one.status == "active" and not one.tainted), key=_when, default=None)


def leading(memory: Memory, other: Memory | None) -> tuple[Memory, Memory | None]:
    """Two that disagree, in the order in which they are shown.

    What is a person's own (it holds everywhere) comes before what a project says when it is both surer and newer; else
    the project comes first. Of one place, what was said last comes first.
    """
    if other is None:
        return memory, None
    if (memory.scope == "global") == (other.scope == "global"):
        newer, older = sorted((memory, other), key=lambda one: (_when(one), one.id), reverse=True)
        return newer, older
    own, shared = (memory, other) if memory.scope == "global" else (other, memory)
    leads = own.confidence > shared.confidence and _when(own) > _when(shared)
    return (own, shared) if leads else (shared, own)


def entry(memory: Memory, now: str, branch: str = "", other: Memory | None = None) -> Entry:
    """One memory, ready to be shown; `other` is one that contradicts it."""
    return _entry(memory, other, need_score(memory, now, branch))


def _entry(memory: Memory, other: Memory | None, worth: float, text: str = "") -> Entry:
    said = line(memory, other, text)
    return Entry(
        id=memory.id,
        type=memory.type,
        line=said,
        tokens=estimate_tokens(said),
        worth=round(worth, 4),
        words=(),
        files=memory.files,
        beside=(other.id,) if other else (),
        until=memory.valid_until or "",
    )


def line(memory: Memory, other: Memory | None = None, text: str = "") -> str:
    """One memory as the model reads it, with its citation; what contradicts it stands beside it, with its own.

    `text`: the sentences of it that are shown, where that is not all of it.
    """
    own = memory.branch and (TYPES[memory.type].kind == "episodic" or is_bound(memory.content))
    is_named = memory.branch and own and is_plain_name(memory.branch)
    note = f" (branch {memory.branch})" if is_named else ""
    note += f" (until {later(memory.valid_until, -1)[:10]})" if memory.valid_until else ""
    note += _whose(memory, other) + (" (disputed in the team)" if CONTESTED in memory.tags else "")
    said = f"{neutral(text or memory.content)}{note} [Memory #{memory.id}: "
    if other is None:
        to_the_day = TYPES[memory.type].heading == RECENT
        return f"- {said}{_when(memory) if to_the_day else _when(memory)[:MONTH]}]"
    against = f'"{neutral(other.content)}"{_whose(other, memory)} [Memory #{other.id}: {_when(other)}]'
    return f"- Sessions disagree, so check before relying on either: {said}{_when(memory)}] but also {against}"


def _whose(memory: Memory, other: Memory | None) -> str:
    """Whose word a memory is: said of what a team or the organisation says, and where a person and a project differ."""
    if is_circle(memory.project_id):
        return f" ({memory.project_id.replace(':', ' ', 1)})"
    if other is None or other.scope == memory.scope or "global" not in (memory.scope, other.scope):
        return ""
    return " (the user's own)" if memory.scope == "global" else " (this project's)"


def _when(memory: Memory) -> str:
    return (memory.valid_from or memory.created_at)[:10]
