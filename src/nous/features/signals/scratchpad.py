"""A session, observed: what signals see in it, bounded.

Subagents work side by side, each with a scratchpad of its own: what one of them ran does not explain what failed for
another. What several of them saw is merged, with how many they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from nous.features.signals.seen import MOST
from nous.features.signals.signals import NAMED, sightings
from nous.kernel.capture.session import Story
from nous.kernel.capture.transcript import Turn
from nous.kernel.log.events import SessionObserved
from nous.kernel.log.sighting import Sighting, merge_sightings

MOST_SIGHTINGS = 120
HEADLESS = "headless"  # nobody typed anything: it teaches nothing


def observe_session(turns: Sequence[Turn]) -> SessionObserved:
    """What a session shows, without a model."""
    story = Story(turns)
    moments = sorted(turn.at for turn in story.turns if turn.at) or [""]
    prompts = [turn for turn in story.turns if turn.kind == "prompt" and not turn.agent_id]
    return SessionObserved(
        kind=HEADLESS if prompts and all(turn.headless for turn in prompts) else "session",
        started_at=moments[0],
        ended_at=moments[-1],
        sightings=sightings_of(story, scratchpads(story)),
    )


def scratchpads(story: Story) -> dict[str, Story]:
    """What each agent of a session did, by its id; "" is the session's own."""
    if not any(turn.agent_id for turn in story.turns):
        return {"": story}
    found: dict[str, list[Turn]] = {}
    for turn in story.turns:
        found.setdefault(turn.agent_id, []).append(turn)
    return {agent: Story(turns) for agent, turns in found.items()}


def sightings_of(story: Story, pads: Mapping[str, Story]) -> tuple[Sighting, ...]:
    """What signals see on every scratchpad: what may become a memory first, then what most agents saw.

    What may be a stranger's proves nothing, however often it is seen.
    """
    places = {turn.uuid: at for at, turn in enumerate(story.turns)}
    own = {agent: [one for one in sightings(pad) if _is_own(story, places, one)] for agent, pad in pads.items()}
    seen = merge_sightings(list(own.items()))
    ranked = sorted(seen, key=lambda one: (not NAMED[one.signal].is_proved, -one.agents))
    times: Counter[str] = Counter()
    kept: list[Sighting] = []
    for one in ranked:
        times[one.signal] += 1
        kept += [one] if times[one.signal] <= MOST else []
    return tuple(kept[:MOST_SIGHTINGS])


def _is_own(story: Story, places: Mapping[str, int], seen: Sighting) -> bool:
    is_proved = NAMED[seen.signal].is_proved
    return not (is_proved and story.doubt(max(places[one] for one in seen.evidence), seen.said))
