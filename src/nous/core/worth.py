"""How likely a session is to need a memory, and whether it may be shown unasked.

The likelihood is a sum of shares in log-odds: a few weights that `bench/needs.py` learned from real projects, where
somebody marked what each session would have needed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files

import msgspec

from nous.core.branches import is_bound
from nous.core.decay import UNUSED, Curve, Use, fading
from nous.core.evolve import INITIAL_STRENGTH
from nous.core.language.lexicon import folded, pattern
from nous.core.language.sentences import sentences
from nous.core.likeness import tokens
from nous.core.memory import Memory
from nous.core.moments import days_between
from nous.core.outside import is_plain_name
from nous.core.packing import Entry, estimate_tokens, neutral
from nous.core.placing import PLACED, PROPOSED
from nous.core.sharing import CONTESTED, is_circle
from nous.core.text import parts
from nous.core.trust import USUAL, TrustLevel
from nous.core.types import HEADINGS, TYPES

NEEDS = msgspec.json.decode(files(__package__).joinpath("needs.json").read_bytes(), type=dict[str, dict[str, float]])
SAME = 0.75
RULES, RECENT = HEADINGS[0], HEADINGS[-1]
FOUR_WEEKS = 28
PINNED = 10.0  # more than all other shares together
HERE = 0.2  # learned on the branch that is checked out
LEAST_SURE = 0.05  # below it one doubt is as good as another
STANDING = 0.53  # from this confidence on, having been said once is a sign
SURE = 0.55  # and from this on it counts twice
BY_HAND = "user_review"
MONTH = 7  # characters of a date that say year and month
_PATH_WORD = re.compile(r"[^\W_]{3,}", re.UNICODE)
# A file, a path, a command or an identifier, as people write them.
_NAMED = re.compile(r"`[^`\n]{1,200}`|(?<![\w.-])[\w.-]{1,100}/[\w./-]{1,200}|(?<![\w-])[\w-]{1,60}\.[a-z]{2,4}\b")


def traits(memory: Memory, now: str, use: Use = UNUSED, curve: Curve = "half-life") -> dict[str, float]:
    """What is known about a memory that tells whether it will be needed, each as a number.

    Age is counted in sessions: after a break of a month the last ones are as near as before it. What time does to a
    memory is in its confidence.
    """
    found = {
        f"type {memory.type}": 1.0,
        "confidence": math.log(max(LEAST_SURE, fading(memory, now, use, curve).confidence)),
        "sessions": 0.0 if memory.pinned or memory.confirmed else math.log1p(use.newer),
        "proved": memory.strength - INITIAL_STRENGTH,
        "records": float(len(memory.evidence) > 1),
        "names": float(bool(_NAMED.search(memory.content))),
        "everywhere": float(memory.scope == "global"),
    }
    return {name: value for name, value in found.items() if value}


def shares(
    memory: Memory, now: str, branch: str = "", use: Use = UNUSED, curve: Curve = "half-life"
) -> dict[str, float]:
    """What each thing known about a memory adds to the log-odds that a session needs it."""
    weights = NEEDS["start"]
    found = {"any memory": weights["any memory"]}
    known = ((name, weights.get(name, 0.0) * value) for name, value in traits(memory, now, use, curve).items())
    found |= {name: share for name, share in known if share}
    found |= {"branch": HERE} if branch and memory.branch == branch else {}
    return found | ({"pinned": PINNED} if memory.pinned else {})


def worth(memory: Memory, now: str, branch: str = "", use: Use = UNUSED, curve: Curve = "half-life") -> float:
    """The log-odds that a session needs a memory: -3 is about one session in twenty."""
    return math.fsum(shares(memory, now, branch, use, curve).values())


def called_for(match: Mapping[str, float]) -> float:
    """What a first prompt adds: how well the memory fits it by words and by meaning, each 0 to 1."""
    weights = NEEDS["prompt"]
    return weights["any memory"] + math.fsum(weights[name] * value for name, value in match.items())


def signs(memory: Memory) -> tuple[str, ...]:
    """What speaks for showing a memory to a session that has not said what it is about."""
    found = {
        "a person wrote or confirmed it": is_by_hand(memory),
        "it was said again or proved useful": memory.strength > INITIAL_STRENGTH,
        "it was said as something that lasts": memory.confidence >= STANDING,
        "there is little doubt about it": memory.confidence >= SURE,
    }
    return tuple(sign for sign, holds in found.items() if holds)


def is_by_hand(memory: Memory) -> bool:
    """Whether a person said or confirmed it."""
    return memory.source == BY_HAND or memory.confirmed or memory.pinned


def is_standing(memory: Memory, trust: TrustLevel = USUAL) -> bool:
    """Whether a session's start may show a memory: one sign is enough, a rule and what holds everywhere need two.

    What lost all its strength has nothing that speaks for it until it is said again.
    """
    if memory.strength <= 0 and not is_by_hand(memory):
        return False
    if trust.enough is not None and memory.confidence >= trust.enough:
        return True
    wide = memory.scope == "global" or TYPES[memory.type].heading == RULES
    return len(signs(memory)) >= (trust.wide_signs if wide else 1)


def _age(memory: Memory, now: str) -> float:
    """Days since a memory became true."""
    return max(0.0, days_between(memory.valid_from or memory.created_at, now))


def refusal(memory: Memory, now: str, branch: str, trust: TrustLevel = USUAL) -> str | None:
    """Why a memory may not be shown unasked, or None: it must be true now, of this branch, and no stranger's words."""
    kind, too_unsure = TYPES[memory.type], memory.confidence < trust.least and not is_by_hand(memory)
    is_own = memory.branch and ((branch and kind.kind == "episodic") or is_bound(memory.content))
    is_recent = memory.pinned or _age(memory, now) <= max(FOUR_WEEKS, 2 * kind.half_life)
    reasons = {
        f"it is {memory.status}": memory.status != "active",
        "it comes from outside and nobody reviewed it": memory.tainted,
        "it is disputed": memory.disputed,
        "it was an order to destroy something": not is_by_hand(memory) and destroys(memory.content),
        "it stands in the instructions of the project": PLACED in memory.tags,
        "it is proposed as a skill and nobody accepted it": PROPOSED in memory.tags and not is_by_hand(memory),
        f"a {memory.type} is shown only when asked for": not kind.is_shown,
        "it is no longer true": bool(memory.valid_until and memory.valid_until <= now),
        "what was being done then is no recent work": kind.heading == RECENT and not is_recent,
        f"it is about branch {memory.branch}": bool(is_own and memory.branch != branch),
        f"it is less than {trust.least} sure, and its project is {trust.name}": too_unsure,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


@lru_cache(maxsize=4096)
def destroys(content: str) -> bool:
    """Whether a text orders to destroy something: who said so meant that moment, and nobody should hear it again.

    "Let's purge this database" does; "never delete a migration" and "drop the test database before every run" do not.
    """
    return any(_destroys(one.text) for one in sentences(content))


def _destroys(sentence: str) -> bool:
    found = folded("orders.destroys").search(sentence)
    is_spared = found and (
        pattern("orders.spares").search(sentence[: found.start()]) or pattern("orders.lasts").search(sentence)
    )
    return bool(found) and not is_spared


def is_injectable(memory: Memory, now: str, branch: str, trust: TrustLevel = USUAL) -> bool:
    """Whether a memory may be shown unasked."""
    return refusal(memory, now, branch, trust) is None


class Need(msgspec.Struct, frozen=True):
    """How likely a session is to need a memory, what that is made of in log-odds, and why a start may not show it."""

    likelihood: float
    shares: dict[str, float]
    signs: tuple[str, ...]
    refused: str | None


def need(memory: Memory, now: str, use: Use = UNUSED, curve: Curve = "half-life", trust: TrustLevel = USUAL) -> Need:
    """Why a session's start shows a memory, or does not; whether it fits the budget is decided among all."""
    parts = shares(memory, now, memory.branch or "", use, curve)
    little = "too little speaks for it: it waits until it is said again or confirmed"
    doubt = None if is_standing(memory, trust) else little
    chance = 1.0 / (1.0 + math.exp(-math.fsum(parts.values())))
    return Need(chance, parts, signs(memory), refusal(memory, now, memory.branch or "", trust) or doubt)


def entries(
    memories: Iterable[Memory],
    now: str,
    branch: str,
    limit: int,
    uses: Mapping[int, Use] = {},
    curve: Curve = "half-life",
    trust: TrustLevel = USUAL,
) -> list[Entry]:
    """The memories that a start may show, likeliest to be needed first; the same thing said twice is said once.

    Where two of them disagree, the better one shows both sides and the other has no line of its own.
    """
    injectable = [memory for memory in memories if is_injectable(memory, now, branch, trust)]
    worths = {memory.id: worth(memory, now, branch, uses.get(memory.id, UNUSED), curve) for memory in injectable}
    ranked = sorted(injectable, key=lambda memory: (-worths[memory.id], -memory.id))
    known = {memory.learning_id: memory for memory in ranked}
    kept: list[tuple[Memory, frozenset[str], Memory | None]] = []
    shown: set[int] = set()
    for memory in _one_recent(memory for memory in ranked if is_standing(memory, trust)):
        words = frozenset(tokens(memory.content))
        if memory.id in shown or len(kept) >= limit or any(_repeats(words, other) for _, other, _ in kept):
            continue
        other = opposite(memory, known)
        memory, other = leading(memory, other)
        shown.update({one.id for one in (memory, other) if one})
        kept.append((memory, words, other))
    return [_entry(memory, other, worths[memory.id]) for memory, _, other in kept]


def _repeats(words: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two memories share so many words that one of them is enough."""
    shared = len(words & other)
    return 0 < shared >= SAME * (len(words) + len(other) - shared)


def _one_recent(ranked: Iterable[Memory]) -> Iterator[Memory]:
    """Of recent work only the likeliest and what is pinned: more of it met none of 388 needs of real projects."""
    has_one = False
    for memory in ranked:
        is_recent = TYPES[memory.type].heading == RECENT and not memory.pinned
        if not (is_recent and has_one):
            yield memory
        has_one = has_one or is_recent


def opposite(memory: Memory, known: Mapping[str, Memory]) -> Memory | None:
    """The memory that says otherwise and still stands, as far as any is known."""
    found = [known[name] for name in memory.contradicted_with if name in known]
    return max((one for one in found if one.status == "active" and not one.tainted), key=_when, default=None)


def leading(memory: Memory, other: Memory | None) -> tuple[Memory, Memory | None]:
    """Two that disagree, in the order in which they are shown.

    What is a person's own (it holds everywhere) comes before what a project says when it is both surer and newer; else
    the project comes first. Both are shown.
    """
    if other is None or (memory.scope == "global") == (other.scope == "global"):
        return memory, other
    own, shared = (memory, other) if memory.scope == "global" else (other, memory)
    leads = own.confidence > shared.confidence and _when(own) > _when(shared)
    return (own, shared) if leads else (shared, own)


def entry(memory: Memory, now: str, branch: str = "", other: Memory | None = None, curve: Curve = "half-life") -> Entry:
    """One memory, ready to be shown; `other` is one that contradicts it."""
    return _entry(memory, other, worth(memory, now, branch, UNUSED, curve))


def _entry(memory: Memory, other: Memory | None, worth: float) -> Entry:
    said = line(memory, other)
    return Entry(
        id=memory.id,
        type=memory.type,
        line=said,
        tokens=estimate_tokens(said),
        worth=round(worth, 4),
        words=sorted(topic_words(memory.content, *memory.files, *memory.entities, *memory.tags)),
        files=memory.files,
        beside=(other.id,) if other else (),
    )


@lru_cache(maxsize=4096)
def topic_words(*texts: str) -> frozenset[str]:
    """Words of texts and paths, identifiers in parts, lower case."""
    words = {word for text in texts for word in _PATH_WORD.findall(text)}
    split = (part for word in words if not (word.isalpha() and word[1:].islower()) for part in parts(word))
    return frozenset(word.lower() for word in (*words, *split))


def line(memory: Memory, other: Memory | None = None) -> str:
    """One memory as the model reads it, with its citation; what contradicts it stands beside it, with its own."""
    own = memory.branch and (TYPES[memory.type].kind == "episodic" or is_bound(memory.content))
    is_named = memory.branch and own and is_plain_name(memory.branch)
    note = f" (branch {memory.branch})" if is_named else ""
    note += _whose(memory, other) + (" (disputed in the team)" if CONTESTED in memory.tags else "")
    said = f"{neutral(memory.content)}{note} [Memory #{memory.id}: "
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
