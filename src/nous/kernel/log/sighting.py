"""One thing that a signal saw, in a session and by how many of its agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

QUORUM = 2  # subagents of one session that see a thing independently: one session is enough then


class Sighting(NamedTuple):
    """One thing that a signal saw in a session: what it is about, what is said of it, and the records that show it.

    `agents`: how many of the session's subagents saw it, each by itself.
    """

    signal: str
    subject: str
    said: str
    evidence: tuple[str, ...]
    agents: int = 0


def merge_sightings(seen: Sequence[tuple[str, Sequence[Sighting]]]) -> list[Sighting]:
    """What the agents of a session saw, each thing once with how many of them saw it; "" is the session's own agent."""
    groups: dict[tuple[str, str], Sighting] = {}
    agents: dict[tuple[str, str], set[str]] = {}
    for agent, sightings in seen:
        for one in sightings:
            key = one.signal, one.subject
            known = groups.get(key)
            groups[key] = known._replace(evidence=(*known.evidence, *one.evidence)[:4]) if known else one
            agents.setdefault(key, set()).update({agent} - {""})
    return [one._replace(agents=len(agents[key])) for key, one in groups.items()]
