"""How a newer saying stands to an older one: the one place that decides it.

Structure comes before language. Three tiers find what says the same: shared words, weighted words, a judge. A newer
saying replaces an older one in its slot, or when its words say that the older one is over (`change`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, Protocol

import msgspec

from nous.core.compare.change import chance
from nous.core.compare.facts import SentenceRelationKind
from nous.core.compare.words import are_alternatives, known, root
from nous.core.extraction import STANDING
from nous.core.language.lexicon import pattern
from nous.core.likeness import cosine, jaccard, tokens

SAME_WORDS = 0.75  # tier 1: Jaccard of content words
SAME_MEANING = 0.85  # tier 2: cosine of weighted words
LEAST_SHARED = 0.5  # share of the words of two longer texts from which they can be one
NEAR = 0.65  # worth a line in the near-miss log
SURE = 0.9  # how sure the third tier has to be
ENDS = 0.78  # how likely an ending has to be: of such, nine in ten were right in projects that were left out
TOLD = 0.65  # and when the user names what is over in so many words
SEEN = "known "  # how the slots of commands begin that were seen to work; what somebody says of commands has others
AGAINST = 0.4  # at which such words at least speak against the older saying


class Said(Protocol):
    """A learning or a memory, as far as it is compared."""

    @property
    def content(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def slot(self) -> str | None: ...
    @property
    def replaces(self) -> str | None: ...
    @property
    def branch(self) -> str | None: ...
    @property
    def tags(self) -> tuple[str, ...]: ...


class Opinion(Protocol):
    """What a judge of two sentences says: does the second follow from the first, or exclude it?"""

    @property
    def label(self) -> str: ...
    @property
    def confidence(self) -> float: ...


class Judge(Protocol):
    """The third tier: asked whether the first sentence entails or contradicts the second."""

    def __call__(self, known: str, said: str, /) -> Opinion: ...


class Near(msgspec.Struct, frozen=True, omit_defaults=True):
    """How near a memory came to being the same: how alike the words are, the weighted words, what a judge said.

    `differs`: they speak of different things, so nobody was asked.
    """

    memory_id: int
    jaccard: float
    cosine: float | None = None
    label: str | None = None
    confidence: float | None = None
    differs: bool = False

    @property
    def tier(self) -> int:
        """The last tier that was asked."""
        return 3 if self.label else 2 if self.cosine is not None else 1

    @property
    def is_same(self) -> bool:
        """Whether the known one says all that the new one says: then nothing is lost when they become one."""
        if self.differs:
            return False
        if self.label is not None:
            return self.label == "entailment" and (self.confidence or 0.0) >= SURE
        return self.jaccard >= SAME_WORDS if self.cosine is None else self.cosine >= SAME_MEANING


class Relation(NamedTuple):
    """How a newer saying stands to an older one, how sure that is, and why."""

    kind: SentenceRelationKind
    confidence: float
    reason: str


def ending(new: Said, old: Said) -> Relation | None:
    """Whether a newer saying takes the place of an older one ("replaces") or only speaks against it ("contradicts")."""
    if is_same_slot(new, old):
        return Relation("replaces", 1.0, "another value in one slot")
    is_told = bool(new.replaces)
    found = chance(new.content, old.content, new.replaces, AGAINST if is_told else ENDS)
    if found.ends >= (TOLD if is_told else ENDS):
        return Relation("replaces", found.ends, found.reason)
    return Relation("contradicts", found.ends, found.reason) if is_told and found.ends >= AGAINST else None


def is_same_slot(new: Said, old: Said) -> bool:
    """Whether both give the value of one single-valued fact.

    Commands that were seen to work do not when neither program takes the other's place: npm installs beside pip.
    """
    if not new.slot or new.slot != old.slot:
        return False
    if not new.slot.startswith(SEEN):
        return True
    one, other = (root(command_of(said.content).strip().partition(" ")[0].lower()) for said in (new, old))
    is_listed = {one, other} <= known().alternatives.keys()
    return one == other or not is_listed or are_alternatives(one, other)


def nearness(new: Said, old: Said, number: int, judge: Judge, rarity: Mapping[str, float]) -> Near | None:
    """How near two sayings are, as far as it had to be asked; None when they share too few words.

    Where the first two tiers would make them one, the judge may still object: "the flag is on", "the flag is off".
    """
    alike = jaccard(tokens(new.content), tokens(old.content))
    if alike < LEAST_SHARED:
        return None
    found = Near(number, round(alike, 3))
    if fill_different_places(new, old) or differ_in_kind(new.content, old.content):
        return msgspec.structs.replace(found, differs=True)
    if alike < SAME_WORDS:
        found = msgspec.structs.replace(found, cosine=round(cosine(new.content, old.content, rarity), 3))
    opinion = judge(old.content, new.content)
    objects = opinion.label == "contradiction" and opinion.confidence >= SURE
    if found.is_same and not objects:
        return found
    return msgspec.structs.replace(found, label=opinion.label, confidence=round(opinion.confidence, 3))


def is_identical(new: Said, old: Said) -> bool:
    """Whether nothing new is said: the same words in the same slot, or the same command."""
    if new.type == old.type == "procedure":
        return command_of(new.content) == command_of(old.content)
    return new.content == old.content and new.slot == old.slot


def fill_different_places(new: Said, old: Said) -> bool:
    """Whether two sayings stand for different things whatever their words: other slots, commands or branches."""
    if new.slot and old.slot and new.slot != old.slot:
        return True
    is_seen = new.type == old.type == "procedure" and STANDING not in (*new.tags, *old.tags)
    if is_seen and command_of(new.content) != command_of(old.content):
        return True
    return new.type == "work_state" and new.branch != old.branch


def command_of(content: str) -> str:
    """The command that a memory about a command names first."""
    return next(filter(None, content.split("`")[1:-1]), content)


# -- whether likeness deceives ----------------------------------------------------------------------------------------

_TELLING = re.compile(r"\d|[._/:@#]|[a-z][A-Z]")


def differ_in_kind(one: str, other: str) -> bool:
    """Whether two texts of the same shape speak of different things or say the opposite.

    "the auth module goes through auth_repo" and "the mail module goes through mail_repo" share most words, yet each
    has telling words the other lacks. A text that only adds detail to the other does not differ in kind.
    """
    first, second = set(tokens(one)), set(tokens(other))
    left, right = first - second, second - first
    if _numbers(one) != _numbers(other) and _numbers(one) and _numbers(other):
        return True
    if _switches(one) != _switches(other):
        return True
    if (
        bool(pattern("compare.denies").search(one)) != bool(pattern("compare.denies").search(other))
        and len(left | right) <= 3
    ):
        return True
    if not left or not right:
        return False
    return (any(map(_TELLING.search, left)) and any(map(_TELLING.search, right))) or _swapped(one, other, left, right)


_SWITCH = re.compile(r"\b(?:is|are|was|turned|switched|set to|back) (on|off)\b(?! \w+ing)", re.I)


@lru_cache(maxsize=4096)
def _switches(text: str) -> frozenset[str]:
    """Whether something is on or off; both are too short to count as words."""
    return frozenset(found.lower() for found in _SWITCH.findall(text))


@lru_cache(maxsize=4096)
def _numbers(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"(?<![\w.])\d+(?:\.\d+)*(?![\w.]*\w)", text))


def _swapped(one: str, other: str, left: set[str], right: set[str]) -> bool:
    """Whether the texts have the same frame with other words in the same places."""
    a, b = tokens(one), tokens(other)
    if len(a) != len(b):
        return False
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
    return 0 < len(pairs) <= max(2, len(a) // 3) and all(x in left and y in right for x, y in pairs)
