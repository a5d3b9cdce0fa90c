"""What each part of a score counts. A module of its own, because settings carry it and must stay cheap to import."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

Weight = Annotated[float, Meta(ge=0.0, le=10.0)]


class Weights(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What each part of a score counts. Measured on conversations; see the decision page on fusion.

    First the six dimensions, then what a source and a memory's own marks add, then what its words show.
    """

    text: Weight = 0.40
    vector: Weight = 0.35
    concept: Weight = 0.10
    reinforcement: Weight = 0.05
    temporal: Weight = 0.57
    recency: Weight = 0.02
    trust: Weight = 0.05
    confidence: Weight = 0.05
    session: Weight = 0.12
    telling: Weight = 0.28
    substance: Weight = 0.12
    answer: Weight = 0.12
    question: Weight = 0.18
    perishable: Weight = 0.50
    staleness: Weight = 0.15
    reranker: Weight = 10.0  # more than all the others together: who chose one wants its order


DIMENSIONS = ("text", "vector", "concept", "reinforcement", "temporal", "recency")
DEFAULTS = Weights()
