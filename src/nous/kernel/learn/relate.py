"""What two sayings are beside their words: of one slot, command or branch; and whether likeness deceives."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Protocol

from nous.kernel.log.extraction import STANDING
from nous.language.compare.change import chance
from nous.language.compare.words import are_alternatives, root, word_tables
from nous.language.lexicon import pattern
from nous.language.likeness import tokens

ENDS = 0.78  # how likely an ending has to be: of such, nine in ten were right in projects that were left out
TOLD = 0.65  # and when the user names what is over in so many words
SEEN = "known "  # how the slots of commands begin that were seen to work; what somebody says of commands has others


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


def says_it_is_over(new: Said, old: Said) -> bool:
    """Whether a newer saying tells that what an older one says has ended."""
    least = TOLD if new.replaces else ENDS
    return chance(new.content, old.content, new.replaces, least).ends >= least


def is_same_slot(new: Said, old: Said) -> bool:
    """Whether both give the value of one single-valued fact.

    Commands that were seen to work do not when neither program takes the other's place: npm installs beside pip.
    """
    if not new.slot or new.slot != old.slot:
        return False
    if not new.slot.startswith(SEEN):
        return True
    one, other = (root(command_of(said.content).strip().partition(" ")[0].lower()) for said in (new, old))
    is_listed = {one, other} <= word_tables().alternatives.keys()
    return one == other or not is_listed or are_alternatives(one, other)


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
    return (any(map(_TELLING.search, left)) and any(map(_TELLING.search, right))) or _is_swapped(
        one, other, left, right
    )


_SWITCH = re.compile(r"\b(?:is|are|was|turned|switched|set to|back) (on|off)\b(?! \w+ing)", re.I)


@lru_cache(maxsize=4096)
def _switches(text: str) -> frozenset[str]:
    """Whether something is on or off; both are too short to count as words."""
    return frozenset(found.lower() for found in _SWITCH.findall(text))


@lru_cache(maxsize=4096)
def _numbers(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"(?<![\w.])\d+(?:\.\d+)*(?![\w.]*\w)", text))


def _is_swapped(one: str, other: str, left: set[str], right: set[str]) -> bool:
    """Whether the texts have the same frame with other words in the same places."""
    a, b = tokens(one), tokens(other)
    if len(a) != len(b):
        return False
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
    return 0 < len(pairs) <= max(2, len(a) // 3) and all(x in left and y in right for x, y in pairs)
