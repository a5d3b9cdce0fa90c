"""What holds now and what held before, from everything that was ever said of a thing: nothing is overwritten.

Every sentence that states a relation stays an observation of its own. What is true is read out of all of them at the
moment somebody asks: the newest value of what a thing has once, every value of what it may have several of, and beside
each what it took the place of.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

# What a thing has once at a time: a newer value ends the older one.
SINGLE = frozenset(
    """
    born_in born_on configured_in deployed_to hosted_on listens_on lives_in managed_by owned_by run_with runs_on
    scheduled_for started_on ended_on works_at written_in sits_behind
    """.split()  # noqa: SIM905
)
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


class Stated(NamedTuple):
    """One observation: what was said, since when, until when if it ended, in which memory, and what took its place."""

    subject: str
    predicate: str
    object: str
    since: str
    until: str | None
    memory_id: int
    replaced_by: int | None = None


class Truth(msgspec.Struct, frozen=True, kw_only=True):
    """What holds of a thing in one respect, and what held before, as a sentence; and the memories that say so."""

    subject: str
    predicate: str
    text: str
    now: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    since: str = ""
    memories: tuple[int, ...] = ()


def day(moment: str, now: str) -> str:
    """A day as a person says it: "3 March", with the year where it is another one."""
    year, month, number = moment[:10].split("-")
    said = f"{int(number)} {MONTHS[int(month) - 1]}"
    return said if year == now[:4] else f"{said} {year}"


def truths(observed: Iterable[Stated], now: str) -> list[Truth]:
    """What holds now in each respect, in the order in which it was first said."""
    groups: dict[tuple[str, str], list[Stated]] = {}
    for one in observed:
        groups.setdefault((one.subject.casefold(), one.predicate), []).append(one)
    return [truth for group in groups.values() if (truth := _truth(group, now))]


def _truth(group: list[Stated], now: str) -> Truth | None:
    """One respect: "PostgreSQL since 3 March, MySQL before". None when nothing of it holds and nothing followed."""
    told = sorted(group, key=lambda one: (one.since, one.memory_id))
    holding = {one.object.casefold(): one for one in reversed(told) if one.until is None}
    if told[0].predicate in SINGLE and len(holding) > 1:
        newest = max(holding.values(), key=lambda one: (one.since, one.memory_id))
        holding = {newest.object.casefold(): newest}
    ended = {one.object.casefold(): one for one in told if one.object.casefold() not in holding}
    if not holding and not ended:
        return None
    parts = [_part(one, ended, now) for one in sorted(holding.values(), key=lambda one: one.since)]
    left = [one for form, one in ended.items() if form not in _values_taken(holding, ended)]
    if left:
        parts.append(", ".join(one.object for one in left) + " before")
    return Truth(
        subject=told[-1].subject,
        predicate=told[-1].predicate,
        text=", ".join(parts),
        now=tuple(one.object for one in holding.values()),
        before=tuple(one.object for one in ended.values()),
        since=max((one.since for one in holding.values()), default=told[-1].since),
        memories=tuple(dict.fromkeys(one.memory_id for one in told)),
    )


def _part(one: Stated, ended: dict[str, Stated], now: str) -> str:
    before = [old.object for old in ended.values() if old.replaced_by == one.memory_id]
    said = f"{one.object} since {day(one.since, now)}"
    return f"{said}, {', '.join(before)} before" if before else said


def _values_taken(holding: dict[str, Stated], ended: dict[str, Stated]) -> set[str]:
    """Ended values that stand beside the one that took their place."""
    standing = {one.memory_id for one in holding.values()}
    return {form for form, one in ended.items() if one.replaced_by in standing}
