"""One thing that a signal saw, and when two sightings are of one thing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

QUORUM = 2  # subagents of one session that see a thing independently: one session is enough then
COMPARED = 40  # sightings of one signal that are compared by meaning
# Their subjects are sentences; those of all others are files, commands or patterns, which are one or are not.
_WORDED = frozenset({"error_retry", "self_correction"})
SayTheSame = Callable[[str, str], bool]


class Sighting(NamedTuple):
    """One thing that a signal saw in a session: what it is about, what is said of it, and the records that show it.

    `agents`: how many of the session's subagents saw it, each by itself.
    """

    signal: str
    subject: str
    said: str
    evidence: tuple[str, ...]
    agents: int = 0


def names_in(text: str) -> frozenset[str]:
    """Words that are more than letters: two sentences that differ there say different things however alike they are."""
    words = (word.strip(".,:;!?()") for word in text.replace("’", "'").split())
    return frozenset(word for word in words if word and (word[0] in "'\"`" or not word.replace("'", "").isalpha()))


def merged(seen: Sequence[tuple[str, Sequence[Sighting]]], alike: SayTheSame) -> list[Sighting]:
    """What the agents of a session saw, each thing once with how many of them saw it; "" is the session's own agent.

    `alike` says whether two sentences say the same.
    """
    if len(seen) == 1:
        return [one._replace(agents=int(bool(agent))) for agent, sightings in seen for one in sightings]
    groups: dict[tuple[str, str], Sighting] = {}
    agents: dict[tuple[str, str], set[str]] = {}
    worded: dict[str, list[Sighting]] = {}
    for agent, sightings in seen:
        for one in sightings:
            key = one.signal, _subject(one, worded.setdefault(one.signal, []), alike)
            known = groups.get(key)
            groups[key] = known._replace(evidence=(*known.evidence, *one.evidence)[:4]) if known else one
            agents.setdefault(key, set()).update({agent} - {""})
    return [one._replace(agents=len(agents[key])) for key, one in groups.items()]


def _subject(one: Sighting, known: list[Sighting], alike: SayTheSame) -> str:
    """The subject under which a thing was seen first, when it was."""
    if one.signal not in _WORDED or any(other.subject == one.subject for other in known):
        return one.subject
    names = names_in(one.said)
    same = (other for other in known if names_in(other.said) == names and alike(other.said, one.said))
    if first := next(same, None):
        return first.subject
    if len(known) < COMPARED:
        known.append(one)
    return one.subject
