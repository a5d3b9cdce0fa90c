"""Does it help? Sessions that were told something against sessions that were not, in plain words with their doubt."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nous.core.figures import Compared, Helped
from nous.stores import Stores
from nous.stores.database import Row

ENOUGH = 10  # sessions of each group below which nothing is said
CLOSE = 1.96  # standard errors of a difference that chance does not explain
MEASURES = (
    ("calls per prompt", lambda row: row["calls"] / row["prompts"]),
    ("files read again", lambda row: row["rereads"]),
    ("corrections per prompt", lambda row: row["corrections"] / row["prompts"]),
    ("known things said again", lambda row: row["repeats"]),
)


def compare(stores: Stores, project_id: str | None) -> Helped:
    """Whether sessions that were told something went better than those that were not."""
    rows = [row for row in stores.mining.rows("groups", project_id) if row["prompts"]]
    told = [row for row in rows if row["grp"] == "with"]
    untold = [row for row in rows if row["grp"] == "without"]
    basis = "the experiment"
    if not told and not untold:
        since = stores.mining.installed()
        told = [row for row in rows if since and row["started_at"] >= since]
        untold = [row for row in rows if not since or row["started_at"] < since]
        basis = (
            f"before and after {since[:10]}, when Nous first told a session something"
            if since
            else "no session was told anything yet"
        )
    measures = [_compared(name, measure, told, untold) for name, measure in MEASURES] if told and untold else []
    return Helped(basis, len(told), len(untold), measures, _said(len(told), len(untold), measures))


def _compared(name: str, measure: object, told: Sequence[Row], untold: Sequence[Row]) -> Compared:
    assert callable(measure)
    mine, others = [float(measure(row)) for row in told], [float(measure(row)) for row in untold]
    doubt = CLOSE * math.sqrt(_variance(mine) / len(mine) + _variance(others) / len(others))
    return Compared(name, round(_mean(mine), 3), round(_mean(others), 3), round(doubt, 3))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    middle = _mean(values)
    return sum((value - middle) ** 2 for value in values) / max(1, len(values) - 1)


def _said(told: int, untold: int, measures: Sequence[Compared]) -> str:
    counted = f"{told} sessions with, {untold} without"
    if min(told, untold) < ENOUGH:
        return f"{counted}: too early to say."
    clear = [one for one in measures if one.is_clear]
    if not clear:
        return f"{counted}: no measure differs by more than chance would."
    better = ", ".join(f"{one.name} {one.told:g} against {one.untold:g}" for one in clear if one.told < one.untold)
    worse = ", ".join(f"{one.name} {one.told:g} against {one.untold:g}" for one in clear if one.told > one.untold)
    parts = [f"fewer with it: {better}" if better else "", f"more with it: {worse}" if worse else ""]
    return f"{counted}: " + "; ".join(part for part in parts if part) + "."
