"""How far two rankings of the same memories agree: ours, and the choice of a model that was asked once."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from nous.errors import BadOutput

BEST = 10  # how many a model chooses
TUNED = 0.85  # above this overlap the scorer counts as tuned
TELLING = 2 * BEST  # of fewer memories any ten are nearly the same
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"best": {"type": "array", "items": {"type": "integer"}}},
    "required": ["best"],
    "additionalProperties": False,
}


class _Best(msgspec.Struct, forbid_unknown_fields=True):
    best: list[int]


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How a model's choice among memories of a project agrees with ours.

    `overlap` is the share of the best ten in common, `correlation` Spearman's of the model's order with ours (None when
    there is too little to order).
    """

    project_id: str
    model: str
    memories: int
    shown: int
    chosen: tuple[int, ...]
    ours: tuple[int, ...]
    overlap: float
    correlation: float | None
    is_telling: bool
    is_tuned: bool


def parse_best(answer: Any, shown: Collection[int]) -> tuple[int, ...]:
    """The numbers in an answer, best first. One with a number that was not shown, or twice the same, is refused."""
    try:
        said = msgspec.json.decode(answer, type=_Best) if isinstance(answer, str) else msgspec.convert(answer, _Best)
    except (msgspec.ValidationError, msgspec.DecodeError) as wrong:
        raise BadOutput(f"the choice is not what was asked for: {wrong}") from None
    best = tuple(said.best)
    if not 1 <= len(best) <= BEST or len(set(best)) != len(best):
        raise BadOutput(f"the choice is not of up to {BEST} different memories")
    if strange := [number for number in best if number not in shown]:
        raise BadOutput(f"the choice names {strange[0]}, which was not shown")
    return best


def agreement(
    project_id: str, model: str, memories: int, shown: Sequence[int], chosen: Sequence[int], ranked: Sequence[int]
) -> Agreement:
    """How a choice agrees with our ranking, of which only what was shown counts."""
    ours = [number for number in ranked if number in set(shown)]
    share = len(set(chosen) & set(ours[:BEST])) / max(1, min(BEST, len(shown)))
    is_telling = len(shown) >= TELLING
    return Agreement(
        project_id=project_id,
        model=model,
        memories=memories,
        shown=len(shown),
        chosen=tuple(chosen),
        ours=tuple(ours[:BEST]),
        overlap=share,
        correlation=_correlation(chosen, {number: at for at, number in enumerate(ours)}),
        is_telling=is_telling,
        is_tuned=is_telling and share > TUNED,
    )


def _correlation(chosen: Sequence[int], places: Mapping[int, int]) -> float | None:
    """Spearman's correlation of an order with our places; what we did not rank shares the last place."""
    if len(chosen) < 3:
        return None
    theirs = [float(at) for at in range(len(chosen))]
    try:
        return statistics.correlation(theirs, _ranks([places.get(number, len(places)) for number in chosen]))
    except statistics.StatisticsError:  # all in one place
        return None


def _ranks(places: Sequence[int]) -> list[float]:
    """The rank of each place; equal ones share the mean of theirs."""
    ordered = sorted(places)
    return [ordered.index(place) + (ordered.count(place) - 1) / 2 for place in places]
