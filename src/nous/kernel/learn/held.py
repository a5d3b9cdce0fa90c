"""A command that a held memory names stays held, whichever session is learned first.

That it passed says nothing about where it came from. The user's own words, a file of the project that declares it, or a
session that ran it before text from outside named it, make it the project's own; else a person has to decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nous.kernel.capture.grounds import is_named, names_in
from nous.kernel.learn.discretion import BY_PERSON
from nous.kernel.learn.introduce import Origin
from nous.kernel.log.events import Extracted, Reinforced
from nous.kernel.log.extraction import STANDING, VOUCHED, Learning
from nous.kernel.memory.memory import Memory

if TYPE_CHECKING:
    from nous.kernel.stores import Events

_RAN = frozenset({"procedure", "workflow_recipe", "error_pattern"})


def strange_names(told: Learning | Memory) -> set[str]:
    """The uncommon names in the commands that outcomes alone speak for; none where somebody vouches for them."""
    is_vouched = STANDING in told.tags or VOUCHED in told.tags
    if isinstance(told, Memory):
        is_vouched |= told.confirmed or told.pinned or told.source == BY_PERSON
    return set() if is_vouched or told.type not in _RAN or "`" not in told.content else set(names_in(told.content))


def is_held(learning: Learning, origin: Origin, known: Sequence[Memory], events: Events) -> bool:
    """Whether a held memory of the project had named the same command when this was learned."""
    if origin.by_user or origin.source == BY_PERSON:
        return False
    return any(
        _first_said(one, events) <= origin.valid_from for one in _named(learning, known, lambda one: one.tainted)
    )


def find_unsure(learning: Learning, origin: Origin, known: Sequence[Memory], events: Events) -> list[Memory]:
    """What was learned of a command by its outcome, after this session had it from outside."""
    clean = _named(learning, known, lambda one: not one.tainted and bool(strange_names(one)))
    return [one for one in clean if _first_said(one, events) >= origin.valid_from]


def _named(learning: Learning, known: Sequence[Memory], fits: Callable[[Memory], bool]) -> list[Memory]:
    """The active memories that name a command of a learning."""
    names = {name.rpartition(" ")[2] for name in strange_names(learning)}
    active = [one for one in known if one.status == "active" and fits(one)] if names else []
    return [one for one in active if any(is_named(name, one.content) for name in names)]


def _first_said(memory: Memory, events: Events) -> str:
    """When it was first learned: records that are read late may speak of an earlier day."""
    told = (one for one in events.of_learning(memory.learning_id) if isinstance(one.payload, Extracted | Reinforced))
    return min((one.valid_from for one in told if one.valid_from), default=memory.created_at)
