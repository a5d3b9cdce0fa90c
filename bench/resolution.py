"""`python -m bench.resolution LABELS.json`: how well names are brought together, on names of real projects.

The file maps a project to its `mentions` (every spelling, as often as memories name it) and to `groups` of spellings
that an annotator says are one thing; spellings in no group are things of their own. `left_out` names the projects that
nobody looked at while the rules were made. Labels of real projects are not part of this repository.

Per mention (B-cubed): of the mentions that the rules call the same thing, the share that is (precision); of those that
are the same thing, the share that the rules call so (recall). Pairs count the same over all pairs of a project, where
one thing with many mentions outweighs everything else.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nous.core.entities import normal


class Score(NamedTuple):
    """Sums over mentions and over pairs, from which shares are made."""

    mentions: int = 0
    precise: float = 0.0
    recalled: float = 0.0
    both: int = 0
    told: int = 0
    true: int = 0

    def plus(self, other: Score) -> Score:
        """Both together."""
        return Score(
            self.mentions + other.mentions,
            self.precise + other.precise,
            self.recalled + other.recalled,
            self.both + other.both,
            self.told + other.told,
            self.true + other.true,
        )

    def line(self, name: str) -> str:
        """One row for a person."""
        shares = (self.precise / self.mentions, self.recalled / self.mentions)
        pairs = (self.both / max(1, self.told), self.both / max(1, self.true))
        return f"{name:20} {self.mentions:>8} {shares[0]:>9.3f} {shares[1]:>7.3f} {pairs[0]:>10.3f} {pairs[1]:>7.3f}"


def score(mentions: Sequence[str], groups: Sequence[Sequence[str]]) -> Score:
    """How the rules' entities agree with the annotator's, over the mentions of one project."""
    gold = {name: number for number, group in enumerate(groups) for name in group}
    counted = Counter((normal(name), str(gold.get(name, name))) for name in mentions)
    told = Counter({form: 0 for form, _ in counted})
    true = Counter({thing: 0 for _, thing in counted})
    for (form, thing), times in counted.items():
        told[form] += times
        true[thing] += times
    return Score(
        mentions=len(mentions),
        precise=sum(times * times / told[form] for (form, _), times in counted.items()),
        recalled=sum(times * times / true[thing] for (_, thing), times in counted.items()),
        both=sum(_pairs(times) for times in counted.values()),
        told=sum(map(_pairs, told.values())),
        true=sum(map(_pairs, true.values())),
    )


def _pairs(count: int) -> int:
    return count * (count - 1) // 2


def run(labels: Mapping[str, Any]) -> list[str]:
    """A row for each project, and for those that were looked at and those that were not."""
    left_out = set(labels["left_out"])
    lines = [f"{'project':20} {'mentions':>8} {'precision':>9} {'recall':>7} {'pairs: p':>10} {'r':>7}"]
    sums = {False: Score(), True: Score()}
    for name, row in sorted(labels["projects"].items()):
        found = score(row["mentions"], row["groups"])
        sums[name in left_out] = sums[name in left_out].plus(found)
        lines.append(found.line(name + (" *" if name in left_out else "")))
    lines.append(sums[False].line("looked at"))
    lines.append(sums[True].line("left out *"))
    return lines


if __name__ == "__main__":
    print("\n".join(run(json.loads(Path(sys.argv[1]).read_text()))))
