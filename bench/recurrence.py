"""What is said again across the sessions of real projects, and how much of it is worth keeping.

    python -m bench.recurrence

Every sentence is weighed by weights that have not seen its project; groups are formed as the product forms them. Each
line says how many groups span two sessions or more, how many have a sentence that an annotator marked as worth keeping,
and how many needs a memory would meet that the reader alone does not.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from bench.reader import Learner, Row, rows_of, synthetic
from bench.realtalk_data import Labels, load, projects, states, words
from nous.core.extractor.said import passages
from nous.core.occasion import Occasion
from nous.core.recurrence import KEEPS, LEAST, Recurrence, counts, occasions_of
from nous.providers import Embeddable, open_embedder

ROOT = Path(__file__).resolve().parent.parent
FOLDS = 4


def unseen(known: dict[str, Labels]) -> tuple[list[Row], Any]:
    """Every labelled sentence with the chance that weights give it which did not see its project."""
    rows = [row for at, (name, labels) in enumerate(known.items()) for row in rows_of(name, labels, at * 100_000)]
    learner = Learner([*rows, *synthetic()], known)
    chances = np.zeros(len(rows))
    names = sorted(known)
    for fold in range(FOLDS):
        asked = np.isin(learner.project, names[fold::FOLDS])
        chances += np.where(asked, learner.chances(learner.learn(~asked), asked), 0.0)[: len(rows)]
    return rows, chances


def groups_of(rows: list[Row], chances: Any) -> list[tuple[Recurrence, bool]]:
    """What recurs in one project, and whether somebody marked it."""
    kept = [at for at, row in enumerate(rows) if chances[at] >= LEAST and counts(row.sentence)]
    said = [Occasion(rows[at].uuid, at, f"{rows[at].session:04}", rows[at].sentence.text, float(chances[at]),
                   str(rows[at].session)) for at in kept]  # fmt: skip
    embedder = open_embedder()
    if not said or embedder is None:
        return []
    raw = b"".join(embedder.documents([Embeddable(one.text) for one in said]))
    table = np.frombuffer(raw, dtype="<f4").reshape(len(said), -1)
    left = set(range(len(said)))
    found: list[tuple[Recurrence, bool]] = []
    for at, row in enumerate(table @ table.T):
        if at not in left:
            continue
        group = occasions_of(said[at], [(said[other], float(row[other])) for other in sorted(left - {at})])
        if group.sessions > 1:
            left -= {kept.index(one.nth) for one in group.occasions}
            found.append((group, any(rows[one.nth].is_worth for one in group.occasions)))
    return found


def met(rows: list[Row], chances: Any, labels: Labels, groups: list[Recurrence]) -> tuple[int, int]:
    """How many needs the reader's passages meet, and how many these and the groups meet."""
    messages: dict[int, list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        messages[row.message].append(at)
    known = [
        (rows[places[0]].session, rows[places[0]].uuid, words(" ".join(rows[places[at]].sentence.text for at in
                                                                        range(one.first, one.last + 1))))
        for places in messages.values()
        for one in passages([rows[at].sentence for at in places], [float(chances[at]) for at in places], 0.2)
    ]  # fmt: skip
    again = [(int(one.session), other.record, words(group.clearest.text)) for group in groups
             for one in group.occasions[1:2] for other in group.occasions]  # fmt: skip
    facts = {fact.id: fact for fact in labels.facts}
    counts = [0, 0]
    for need in labels.needs:
        for place, have in enumerate((known, known + again)):
            counts[place] += any(at < need.session and states(mine, uuid, facts[need.fact]) for at, uuid, mine in have)
    return counts[0], counts[1]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    known = {path.name: load(path) for path in projects(parser.parse_args().data)}
    if not known:
        print("no labelled projects here: nothing to measure", file=sys.stderr)
        return 2
    rows, chances = unseen(known)
    total: dict[str, int] = defaultdict(int)
    for name, labels in known.items():
        places = [at for at, row in enumerate(rows) if row.project == name]
        mine, its = [rows[at] for at in places], chances[places]
        found = groups_of(mine, its)
        kept = [(group, worth) for group, worth in found if group.is_kept]
        before, after = met(mine, its, labels, [group for group, _ in kept]) if labels.needs else (0, 0)
        row = {"groups": len(found), "worth": sum(worth for _, worth in found), "kept": len(kept),
               "kept_worth": sum(worth for _, worth in kept), "needs": len(labels.needs), "met": before,
               "met_again": after}  # fmt: skip
        for key, value in row.items():
            total[key] += value
        print(f"{name:20} {row}", flush=True)
    print(f"{'all':20} {dict(total)} (kept from a mean chance of {KEEPS})")
    (ROOT / "bench" / "results" / "recurrence.json").write_text(json.dumps(dict(total), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
