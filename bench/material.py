"""Events for benchmarks: a made-up but lifelike history, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from nous.kernel.log.events import (
    Archived,
    Contradicted,
    Edge,
    Event,
    EventType,
    Extracted,
    Payload,
    Reinforced,
    Superseded,
    Validated,
    Weakened,
)

_SAID = """
    service worker socket timeout cache index migration schema retry queue lease parser token session branch deploy
    staging release package lint format build fixture socket port proxy header cookie router handler model view
    query cursor batch vector cluster replica shard backup restore snapshot checkpoint secret config flag metric
"""
WORDS = _SAID.split()
TYPES = ("fact", "preference", "decision", "gotcha", "error_pattern", "procedure", "architecture", "module_insight")
RECENT = 2000  # most events speak of something learned lately

Make = Callable[[random.Random, str], tuple[EventType, Payload]]


def _birth(chance: random.Random, number: int) -> Extracted:
    words = chance.choices(WORDS, k=12)
    module = f"src/{words[0]}/{words[1]}_{number % 500}.py"
    return Extracted(
        content=f"The {words[2]} of {words[3]}{number % 997} needs {' '.join(words[4:])} in {module}",
        extractor_version="bench-1",
        type=chance.choice(TYPES),
        concepts=tuple(words[:4]),
        edges=(),
        files=(module,),
        evidence=(f"{chance.getrandbits(128):032x}",),
        confidence=0.8,
    )


def _again(chance: random.Random, other: str) -> tuple[EventType, Payload]:
    evidence = (f"{chance.getrandbits(128):032x}",)
    return "LearningReinforced", Reinforced(reinforcement_delta=0.1, evidence=evidence, reason="learned again")


# How often each kind of later event happens, out of a hundred.
LATER: tuple[tuple[int, Make], ...] = (
    (55, _again),
    (10, lambda _, other: ("LearningWeakened", Weakened(reinforcement_delta=-0.2, reason="the user corrected it"))),
    (12, lambda _, other: ("LearningSuperseded", Superseded(superseded_by=other, reason="a newer value"))),
    (5, lambda _, other: ("LearningContradicted", Contradicted(contradicted_with=other, contradiction_multiplier=0.7))),
    (4, lambda _, other: ("LearningConfirmed", Payload())),
    (3, lambda _, other: ("LearningPinned", Payload())),
    (3, lambda _, other: ("LearningValidated", Validated())),
    (5, lambda _, other: ("EdgeProposed", Edge(target=other, relation="relates_to", weight=0.8))),
    (3, lambda _, other: ("LearningArchived", Archived(reason="not used for long"))),
)
_WEIGHTS = [weight for weight, _ in LATER]
_MAKERS = [make for _, make in LATER]


def mixed(count: int, seed: int = 7, projects: int = 20) -> Iterator[Event]:
    """So many events: half introduce a learning, the others change one of the latest."""
    chance = random.Random(seed)
    known: list[str] = []
    for number in range(count):
        session = f"session-{number // 50}"
        if not known or chance.random() < 0.5:
            learning = f"{chance.getrandbits(128):032x}"
            known.append(learning)
            happened: tuple[EventType, Payload] = ("LearningExtracted", _birth(chance, number))
        else:
            recent = known[-RECENT:] if len(known) > RECENT else known
            learning, other = chance.choice(recent), chance.choice(recent)
            happened = chance.choices(_MAKERS, _WEIGHTS)[0](chance, other)
        yield Event(
            learning_id=learning,
            event_type=happened[0],
            idempotency_key=f"{chance.getrandbits(256):064x}",
            payload=happened[1],
            session_id=session,
            project_id=f"example.com/team/project-{number // 50 % projects}",
            source="historical_backfill",
            valid_from="2026-11-01T10:00:00.000Z",
            clock={session: number % 50 + 1},
        )
