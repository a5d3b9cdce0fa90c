"""What two sayings are beside their words: of one slot, command or branch."""

from __future__ import annotations

from typing import Protocol

from nous.kernel.log.extraction import STANDING
from nous.language.compare.words import are_alternatives, root, word_tables

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
    if new.slot and old.slot and _name_two_things(new.slot, old.slot):
        return True
    is_seen = new.type == old.type == "procedure" and STANDING not in (*new.tags, *old.tags)
    if is_seen and command_of(new.content) != command_of(old.content):
        return True
    return new.type == "work_state" and new.branch != old.branch


def _name_two_things(one: str, other: str) -> bool:
    """Whether two slots are of two things: "cache|ttl" and "project|ttl" may be of one, said in fewer words."""
    mine, theirs = (slot.partition("|") for slot in (one, other))
    some, others = (set(slot[0].split()) - {"project"} for slot in (mine, theirs))
    return mine[2] != theirs[2] or not (some <= others or others <= some)


def command_of(content: str) -> str:
    """The command that a memory about a command names first."""
    return next(filter(None, content.split("`")[1:-1]), content)
