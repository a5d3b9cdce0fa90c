"""What each part of the reader brings, and what more projects would bring: six groups of projects, each left out once.

    python -m bench.reader_ablation    writes bench/results/reader-ablation.md

Every row keeps as many passages as there are facts to be kept (`MEMORIES`), so that found and worth can be compared.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from bench.reader import ROOT, STRENGTH, Learner, judge, read_all, regression
from bench.realtalk_data import Labels, projects

GROUPS = 6
MEMORIES = 820
ALONE = (0.0, 1.0, 0.0, 0.0, 0.0)  # a passage is worth what its surest sentence is
RESULT = ROOT / "bench" / "results" / "reader-ablation.md"


class Left:
    """The learner, with every real project in one of six groups."""

    def __init__(self, known: dict[str, Labels], learner: Learner):
        self.known, self.learner = known, learner
        self.dev = [name for name, labels in known.items() if labels.facts]
        names = sorted(name for name in known if name != "bookminder")
        group = {name: at % GROUPS for at, name in enumerate(np.random.RandomState(1).permutation(names))}
        self.group = np.array([group.get(name, -1) for name in learner.project])

    def odds(self, columns: Any, counts: Any, together: bool = False) -> Any:
        """What each sentence adds up to by weights that did not see its project."""
        parts = [columns] if together else [np.intersect1d(columns, part) for part in self.learner.parts]
        found = np.zeros(len(self.learner.rows))
        for part in parts:
            if len(part):
                mine = self._odds(self.learner.table.matrix[:, part], counts)
                found += (mine - mine[self.group >= 0].mean()) / mine[self.group >= 0].std()
        return found

    def _odds(self, matrix: Any, counts: Any) -> Any:
        found = np.zeros(len(self.learner.rows))
        for number in range(GROUPS):
            known, asked = (self.group != number) & (counts > 0), self.group == number
            model = regression(matrix[known], self.learner.labels[known], counts[known], STRENGTH)
            found[asked] = model.decision_function(matrix[asked])
        return found

    def chances(self, odds: Any) -> Any:
        """The second step: how a sentence stands among those of its message."""
        places, table = self.learner.among(odds, self.group >= 0)
        at, found = np.array(places), np.zeros(len(odds))
        table = table / (table.std(0) + 1e-9)
        for number in range(GROUPS):
            known = self.group[at] != number
            model = regression(table[known], self.learner.labels[at[known]], None, 1.0)
            found[at[~known]] = model.predict_proba(table[~known])[:, 1]
        return found

    def row(self, name: str, chances: Any, third: Sequence[float] = ()) -> str:
        """The figures at the same number of memories; `third` weighs passages, else their surest sentence does."""
        average = import_module("sklearn.metrics").average_precision_score
        mine = {one: self.learner.project == one for one in self.dev}
        precision = np.mean([average(self.learner.labels[rows], chances[rows]) for rows in mine.values()])
        low, high = 0.0, 1.0
        for _ in range(12):
            least = (low + high) / 2
            total: Counter[str] = Counter()
            for one, rows in mine.items():
                said = [self.learner.rows[int(at)] for at in np.flatnonzero(rows)]
                total += judge(self.known[one], said, chances[rows], third or ALONE, least)
            if abs(total["memories"] - MEMORIES) < 8:
                break
            low, high = (least, high) if total["memories"] > MEMORIES else (low, least)
        found, worth, kept = (
            100 * total[part] / max(1, total[whole])
            for part, whole in (("found", "facts"), ("worth", "memories"), ("kept", "needs"))
        )
        return f"| {name} | {precision:.3f} | {found:.1f} | {worth:.1f} | {kept:.1f} | {total['memories']} |"


def rows(left: Left) -> Iterator[str]:
    """Everything, everything without one part, and everything learned from fewer projects."""
    learner, names = left.learner, left.learner.table.names
    every = np.ones(learner.table.matrix.shape[1], bool)
    kinds = np.array([_kind(name) for name in names] + ["meanings"] * (len(every) - len(names)))
    full = left.odds(np.flatnonzero(every), learner.counts)
    chances = left.chances(full)
    places = list(map(int, np.flatnonzero(left.group >= 0)))
    yield left.row("everything", chances, learner.third(places, chances))
    yield left.row("without the third step, as all below", chances)
    yield left.row("without the second step", 1 / (1 + np.exp(-full)))
    together = left.odds(np.flatnonzero(every), learner.counts, together=True)
    yield left.row("words and marks learned together", left.chances(together))
    for part in ("words", "pairs", "marks", "meanings"):
        odds = left.odds(np.flatnonzero(kinds != part), learner.counts)
        yield left.row(f"without {part}", left.chances(odds))
    for name in ("synthetic", "bookminder"):
        counts = np.where(learner.project == name, 0.0, learner.counts)
        yield left.row(f"without {name}", left.chances(left.odds(np.flatnonzero(every), counts)))
    order = np.random.RandomState(2).permutation(sorted(set(learner.project) - {"synthetic", "bookminder"}))
    for share in (0.2, 0.4, 0.7):
        dropped = [name for at, name in enumerate(order) if (at * 7 % len(order)) >= share * len(order)]
        counts = np.where(np.isin(learner.project, dropped), 0.0, learner.counts)
        some = len(order) - len(dropped)
        yield left.row(f"learned from {some} of {len(order)} projects", left.chances(_fewer(left, counts)))


def _fewer(left: Left, counts: Any) -> Any:
    return left.odds(np.arange(left.learner.table.matrix.shape[1]), counts)


def _kind(name: str) -> str:
    return "marks" if name[0] == "m" else "pairs" if " " in name else "words"


def main() -> int:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    args = parser.parse_args()
    if not projects(args.data):
        print("no labelled projects here: nothing to learn from", file=sys.stderr)
        return 2
    head = ["| reader | average precision | found | worth | kept | memories |", "| --- | --- | --- | --- | --- | --- |"]
    lines = [*head]
    print(*head, sep="\n")
    for line in rows(Left(*read_all(args.data))):
        lines.append(line)
        print(line, flush=True)
    RESULT.write_text("\n".join(lines) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
