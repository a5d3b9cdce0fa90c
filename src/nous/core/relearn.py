"""What a learning means for what is already known: a repetition, a replacement, a late arrival, or something new."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from nous.core.extraction import Learning
from nous.core.likeness import cosine, differ_in_kind, jaccard, rarity, tokens
from nous.core.memory import Memory

SAME_WORDS = 0.75  # tier 1: Jaccard of content words
SAME_MEANING = 0.85  # tier 2: cosine of weighted words
PRE_FILTER = 0.5  # Jaccard below which the second tier is not even asked
NEAR = 0.65  # worth a line in the near-miss log

FAMILIES: tuple[frozenset[str], ...] = (
    frozenset(
        {
            "preference",
            "requirement",
            "pattern",
            "decision",
            "architecture",
            "fact",
            "opinion",
            "context",
            "gotcha",
            "module_insight",
            "causal_dependency",
        }
    ),
    frozenset({"procedure", "workflow_recipe", "requirement", "preference", "fact", "pattern"}),
    frozenset({"gotcha", "error_pattern", "dead_end", "e2e_observation", "module_insight"}),
    frozenset({"work_state", "progress", "work_unit_outcome", "episode"}),
)
_LASTING = frozenset(
    {
        "preference",
        "requirement",
        "pattern",
        "decision",
        "architecture",
        "fact",
        "procedure",
        "workflow_recipe",
        "context",
        "gotcha",
        "opinion",
    }
)


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """What to do about a learning.

    `repeats`: the memory that says the same. `supersedes`: memories whose time ends with it. `superseded_by`: a memory
    that already says something newer in the same slot. `weakens`: memories it speaks against without replacing them.
    `near`: memories that came close to being the same, with their likeness.
    """

    repeats: int | None = None
    supersedes: tuple[int, ...] = ()
    superseded_by: int | None = None
    weakens: tuple[int, ...] = ()
    near: tuple[tuple[int, float], ...] = ()


def judge(learning: Learning, valid_from: str, known: Sequence[Memory]) -> Verdict:
    """How a learning stands to the active memories of its project and to the global ones."""
    active = [memory for memory in known if memory.status == "active"]
    repeated, near = _repeated(learning, active)
    if repeated is not None:
        return Verdict(repeats=repeated.id, near=near)
    slot_mates = [memory for memory in active if learning.slot and memory.slot == learning.slot]
    slot_mates = slot_mates or _nearly_same_slot(learning, active)
    older = [memory for memory in slot_mates if (memory.valid_from or memory.created_at) <= valid_from]
    newer = [memory for memory in slot_mates if (memory.valid_from or memory.created_at) > valid_from]
    if newer:
        first = min(newer, key=lambda memory: (memory.valid_from or memory.created_at, memory.id))
        return Verdict(superseded_by=first.id, supersedes=tuple(memory.id for memory in older), near=near)
    replaced, weakened = _replaced(learning, valid_from, active)
    supersedes = tuple(dict.fromkeys([memory.id for memory in older] + replaced))
    return Verdict(supersedes=supersedes, weakens=tuple(one for one in weakened if one not in supersedes), near=near)


def _nearly_same_slot(learning: Learning, active: Sequence[Memory]) -> list[Memory]:
    """The one memory of the same attribute whose subject is said in more or fewer words, when something changed.

    "The flags moved to settings/" is about "the feature flags live in config/"; two candidates would be a guess.
    """
    if not learning.slot or learning.replaces is None or learning.tainted:
        return []
    subject, _, attribute = learning.slot.partition("|")
    mine = set(subject.split()) - {"project"}
    mates = [memory for memory in active if memory.slot and memory.slot.partition("|")[2] == attribute]
    found = [memory for memory in mates if mine <= _subject(memory.slot) or (_subject(memory.slot) or {""}) <= mine]
    return found if len(found) == 1 and attribute != "choice" and not found[0].pinned else []


# -- the same again -------------------------------------------------------------------------------------------------


def _repeated(learning: Learning, active: Sequence[Memory]) -> tuple[Memory | None, tuple[tuple[int, float], ...]]:
    words = tokens(learning.content)
    likely: list[tuple[float, Memory]] = []
    near: list[tuple[int, float]] = []
    for memory in active:
        if not _same_family(learning.type, memory.type):
            continue
        if _is_identical(learning, memory):
            return memory, ()
        likeness = jaccard(words, tokens(memory.content))
        if likeness >= SAME_WORDS and not _differs(learning, memory):
            return memory, ()
        if NEAR <= likeness < SAME_WORDS:
            near.append((memory.id, round(likeness, 3)))
        if likeness >= PRE_FILTER:
            likely.append((likeness, memory))
    weights = rarity([memory.content for memory in active]) if likely else {}
    for _, memory in sorted(likely, key=lambda row: -row[0]):
        if cosine(learning.content, memory.content, weights) >= SAME_MEANING and not _differs(learning, memory):
            return memory, ()
    return None, tuple(near)


_COMMAND = re.compile(r"`([^`]+)`")


def _command(content: str) -> str:
    """The command that a memory about a command names first."""
    found = _COMMAND.search(content)
    return found[1] if found else content


def _is_identical(learning: Learning, memory: Memory) -> bool:
    if learning.type == memory.type == "procedure":
        return _command(learning.content) == _command(memory.content)
    return learning.content == memory.content and learning.slot == memory.slot


def _differs(learning: Learning, memory: Memory) -> bool:
    if learning.slot and memory.slot and learning.slot != memory.slot:
        return True
    if learning.type == memory.type == "procedure" and _command(learning.content) != _command(memory.content):
        return True
    if learning.type == "work_state" and learning.branch != memory.branch:
        return True
    return differ_in_kind(learning.content, memory.content)


def _same_family(one: str, other: str) -> bool:
    return one == other or any(one in family and other in family for family in FAMILIES)


# -- the old is wrong -----------------------------------------------------------------------------------------------

_REFUSES = re.compile(
    r"\b(?:not|never|no longer|dropped|drop|instead of|rather than|abandon\w*|forget|outdated|without)\b"
    r"|\b(?:nicht|statt|plus|больше не)\b|不",
    re.I,
)


def _replaced(learning: Learning, valid_from: str, active: Sequence[Memory]) -> tuple[list[int], list[int]]:
    """Memories that the user's own words replace, and those they only speak against."""
    if learning.replaces is None or learning.type not in _LASTING | {"dead_end"} or learning.tainted:
        return [], []
    replaced: list[int] = []
    weakened: list[int] = []
    for memory in active:
        if memory.type not in _LASTING or (memory.valid_from or memory.created_at) > valid_from or memory.pinned:
            continue
        match _opposition(learning, memory):
            case "replaces":
                replaced.append(memory.id)
            case "weakens":
                weakened.append(memory.id)
    return replaced, weakened


def _opposition(learning: Learning, memory: Memory) -> str | None:
    """Whether a correction speaks of this memory: it has to name the old value and share the subject."""
    old = set(tokens(learning.replaces or ""))
    held = set(tokens(memory.content))
    new = set(tokens(learning.content))
    old |= {word for word in held for named in old if len(named) > 3 and word.startswith(named)}  # mongo: mongodb
    if old and old & held:
        if _already_refuses(memory.content, old) or old & new_values(learning, old):
            return None
        if _shares_subject(learning, memory, old) or _reverses(learning, memory):
            return "replaces"
        return "weakens" if len((new & held) - old) >= 2 else None
    # The user said that something changed without naming the old value: only near-identical wording is about it.
    if old or learning.replaces is None or not (new - held and held - new):
        return None
    return "replaces" if jaccard(new, held) >= 0.5 or _same_measure(learning, memory) else None


_NUMBER = re.compile(r"\d")
_MOVED = re.compile(
    r"(?:the |our )?[\w-]+ (?:\w+ )?(?:was |has |have |were |is |are )*(?:moved|switched|changed|migrated) to ", re.I
)


def _same_measure(learning: Learning, memory: Memory) -> bool:
    """Whether both begin with the same word and give it one value: "retries go up to 5", "the retry limit is 3"."""
    if learning.slot and memory.slot:
        return False
    mine, theirs = tokens(learning.content), tokens(memory.content)
    heads = [next((word for word in words if not _NUMBER.search(word)), "") for words in (mine, theirs)]
    if not heads[0] or heads[0] != heads[1] or len(theirs) > 8:
        return False
    numbers = [[word for word in words if _NUMBER.search(word)] for words in (mine, theirs)]
    moved = bool(_MOVED.match(learning.content)) and len(theirs) <= 5 and memory.type == "fact"
    return len(numbers[0]) == len(numbers[1]) == 1 or moved


def new_values(learning: Learning, old: set[str]) -> set[str]:
    """Words of the old value that the learning itself upholds elsewhere: then it is not about replacing them."""
    text = learning.content.lower()
    return {word for word in old if text.count(word) > 2}


def _shares_subject(learning: Learning, memory: Memory, old: set[str]) -> bool:
    """Whether both speak of the same thing, beyond the value that changed."""
    rest, held = set(tokens(learning.content)) - old, set(tokens(memory.content)) - old
    mine, theirs = _subject(learning.slot), _subject(memory.slot)
    if mine and theirs:
        return bool(mine & theirs)
    if mine or theirs:
        return bool(mine & held) if mine else bool(theirs & rest)
    shared = rest & held
    if set(learning.files) & set(memory.files):
        return True
    return bool(shared) and len(shared) / max(1, len(held)) >= 0.34 and len(held) <= 14


_DROPS = re.compile(
    r"\b(?:drop|ditch|abandon|retir|scrap|scratch|replac|remov|kick|ripp?|throw)\w*\b"
    r"|\b(?:mov|switch|migrat)\w* (?:away )?(?:from|off)\b|\brid of\b|\bno longer\b"
    r"|\b(?:goes|going|is|are) (?:out|gone|away|history)\b|\bwas a (?:mistake|bad idea)\b|\bno more\b|\banymore\b"
    r"|nicht mehr|\bkeine?n? .{1,30} mehr\b|\babandonn|ne .{1,30} plus|\bya no\b|\bdejamos\b|больше не|отказ"
    r"|不再|放弃|弃用|やめ",
    re.I,
)


def _reverses(learning: Learning, memory: Memory) -> bool:
    """Whether a decision gives up by name what an earlier decision had adopted, each about one thing only."""
    if learning.slot or not _DROPS.search(learning.content) or _is_qualified(learning):
        return False
    if memory.type == "procedure":
        return not set(tokens(_command(memory.content).split(" ", 1)[0])).isdisjoint(tokens(learning.replaces or ""))
    chosen = memory.slot is None or memory.slot.endswith("|choice")
    if not chosen or memory.type not in ("decision", "requirement", "preference") or len(tokens(memory.content)) > 10:
        return False
    return any(_adopts(memory.content, name) for name in (learning.replaces or "").split())


_NO_NAME = re.compile(
    r"\w+(?:ly|ing|ed)\Z|(?:first|second|third|last|one|two|next|old|new|same|test|tests|file|files|code)\Z", re.I
)
_ADOPTS = (
    r"\b(?:use|uses|using|chose|choose|go|going|decided|settled|picked|adopt\w*|port|package|keep|take|with|on|in|as|to|via"
    r"|nehmen|verwenden|nutzen|utilise|utilisons|usamos|в|на|используем)\b(?:\W+[\w-]+){0,3}?\W+"
)


def _adopts(content: str, name: str) -> bool:
    """Whether a memory says that this is what is used: "we package it as a helm chart", "EnTT it is"."""
    if len(name) < 2 or _NO_NAME.match(name):
        return False
    named = re.escape(name)
    return bool(re.search(rf"{_ADOPTS}{named}|\b{named}\w* it is\b|用{named}", content, re.I))


def _is_qualified(learning: Learning) -> bool:
    """Whether the thing is given up for one use only: "we dropped redis for sessions"."""
    old = (learning.replaces or "").split(" ")[0]
    return bool(re.search(rf"{re.escape(old)}`? (?:for|in|as|on|für|pour|para|для) ", learning.content, re.I))


def _subject(slot: str | None) -> set[str]:
    words = set(slot.split("|")[0].split()) if slot else set()
    return words - {"project"}


def _already_refuses(content: str, old: set[str]) -> bool:
    """Whether the memory itself says that the old value is not used."""
    for found in _REFUSES.finditer(content):
        following = tokens(content[found.end() : found.end() + 40])[:3]
        if old & set(following):
            return True
    return False
