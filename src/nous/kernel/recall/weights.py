"""What each part of a score counts, measured (`python -m bench recall_ablation`); nobody has to set it."""

from __future__ import annotations

import msgspec


class Weights(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What each part of a score counts. Measured on conversations; see the decision page on fusion.

    First the four dimensions, then its session, then what its words show.
    """

    text: float = 0.40
    vector: float = 0.35
    concept: float = 0.10
    temporal: float = 0.57
    session: float = 0.12
    telling: float = 0.28
    substance: float = 0.12
    answer: float = 0.12
    question: float = 0.18


DEFAULTS = Weights()
