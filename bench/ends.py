"""Does a later saying end an older one? On real projects, with whole projects left out, and on hand-written pairs.

python -m bench.ends DATA [--show] [--fit]

DATA holds one directory per project with a labels.json: facts in time, each with the facts that it ends. Every earlier
fact of a project that shares a word with a later one is a pair; it is positive when the later one ends it, directly or
through others. Pairs are taken twice, as the annotator's sentences and as the speakers' own words. `--fit` writes
`src/nous/language/compare/weights.py` from all projects, the first of every two pairs of bench/corpus/changes.jsonl and
tests/data/ending-pairs.jsonl.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nous.kernel.learn.relate import ENDS, TOLD
from nous.language.compare.change import ROWS, VETOES, SayingPair, observe_rows
from nous.language.likeness import tokens

ROOT = Path(__file__).parent.parent
CHANGES = ROOT / "bench" / "corpus" / "changes.jsonl"
WRITTEN = ROOT / "tests" / "data" / "ending-pairs.jsonl"
TARGET = ROOT / "src" / "nous" / "language" / "compare" / "weights.py"
RIDGE = 5.0
TIMES = 3  # how often the hand-written pairs count: they are few, and written as people write


class Sample(NamedTuple):
    """Two sayings, whether the later one ends the other, and where they are from."""

    new: str
    old: str
    ends: bool
    group: str
    view: str
    replaces: str | None = None


def real(data: Path) -> Iterator[Sample]:
    """The pairs of real projects."""
    for file in sorted(data.glob("*/labels.json")):
        facts = json.loads(file.read_text(encoding="utf-8"))["facts"]
        ended = _closed({fact["id"]: set(fact.get("ends", ())) for fact in facts})
        for view in ("sentence", "words"):
            for at, new in enumerate(facts):
                for place, old in enumerate(facts):
                    ends = old["id"] in ended[new["id"]]
                    a, b = (one["fact"] if view == "sentence" else ". ".join(one["spans"]) for one in (new, old))
                    met = not set(tokens(a)).isdisjoint(tokens(b))
                    if a and b and (ends or (place < at and met)):
                        yield Sample(a, b, ends, file.parent.name, view)


def _closed(ends: dict[str, set[str]]) -> dict[str, set[str]]:
    """What each fact ends, with what those had ended before."""
    for _ in ends:
        for mine in ends.values():
            mine |= {far for one in mine for far in ends.get(one, ())}
    return ends


def written() -> list[Sample]:
    """The hand-written pairs, and the half of the changes that is for developing."""
    lines = [json.loads(line) for line in WRITTEN.read_text(encoding="utf-8").splitlines()]
    changes = [json.loads(line) for line in CHANGES.read_text(encoding="utf-8").splitlines()[0::2]]
    return [Sample(row["new"], row["old"], row["ends"], "", "", row.get("replaces")) for row in (*lines, *changes)]


class Table(NamedTuple):
    """Samples as rows of observations; `open`: no veto holds."""

    samples: Sequence[Sample]
    seen: Any
    truth: Any
    open: Any


def table(samples: Sequence[Sample]) -> Table:
    """What every row sees in every pair."""
    pairs = [SayingPair(one.new, one.old, one.replaces) for one in samples]
    seen = np.array([[1.0, *observe_rows(one)] for one in pairs])
    vetoed = [any(veto.holds(one) for veto in VETOES) for one in pairs]
    return Table(samples, seen, np.array([float(one.ends) for one in samples]), ~np.array(vetoed))


def fit(tables: Sequence[Table], only: Sequence[Any]) -> Any:
    """The weights of a logistic regression with a ridge, over the pairs that no veto holds back."""
    seen = np.vstack([one.seen[one.open & rows] for one, rows in zip(tables, only, strict=True)])
    truth = np.concatenate([one.truth[one.open & rows] for one, rows in zip(tables, only, strict=True)])
    ridge = np.full(seen.shape[1], RIDGE)
    ridge[0] = 1e-3
    weights = np.zeros(seen.shape[1])
    weights[0] = np.log(truth.mean() / (1 - truth.mean()))

    def loss(some: Any) -> float:
        return float(np.logaddexp(0, seen @ some).sum() - truth @ (seen @ some) + 0.5 * ridge @ (some * some))

    for _ in range(60):
        chance = 1 / (1 + np.exp(-seen @ weights))
        slope = seen.T @ (chance - truth) + ridge * weights
        curve = (seen * (chance * (1 - chance))[:, None]).T @ seen + np.diag(ridge)
        step, size = np.linalg.solve(curve, slope), 1.0
        while size > 1e-4 and loss(weights - size * step) > loss(weights):
            size /= 2
        weights = weights - size * step
    return weights


def left_out(told: Table, hand: Table) -> Any:
    """How likely each real pair ends something, by weights that were fitted without its project."""
    groups = np.array([one.group for one in told.samples])
    every = np.ones(len(hand.samples), bool)
    found = np.zeros(len(told.samples))
    for group in sorted(set(groups)):
        rows = groups == group
        weights = fit([told, *[hand] * TIMES], [~rows, *[every] * TIMES])
        found[rows] = 1 / (1 + np.exp(-told.seen[rows] @ weights))
    return np.where(told.open, found, 0.0)


HOW = '''"""What each row of `change.ROWS` weighs. Written by `python -m bench.ends DATA --fit`; do not edit.

Logistic regression with ridge {ridge} over {real} pairs of {projects} real projects ({ends} endings), and {hand}
hand-written pairs, {times} times each. With whole projects left out, {right} of {all} endings that it is sure of are
right.
"""

from __future__ import annotations

BIAS = {bias}
ROWS = (
{rows}
)
'''


def text(told: Table, hand: Table, chances: Any) -> str:
    """The text of `weights.py`."""
    every = [np.ones(len(one.samples), bool) for one in (told, *[hand] * TIMES)]
    weights = fit([told, *[hand] * TIMES], every)
    sure = chances >= ENDS
    rows = "\n".join(f"    {value:.3f},  # {row.name}" for value, row in zip(weights[1:], ROWS, strict=True))
    return HOW.format(
        ridge=RIDGE,
        real=len(told.samples),
        projects=len({one.group for one in told.samples}),
        ends=int(told.truth.sum()),
        hand=len(hand.samples),
        times=TIMES,
        right=int((sure & (told.truth > 0)).sum()),
        all=int(sure.sum()),
        bias=f"{weights[0]:.3f}",
        rows=rows,
    )


def lines(told: Table, hand: Table, chances: Any, show: bool) -> Iterator[str]:
    """The measurements for a person."""
    views = np.array([one.view for one in told.samples])
    for name, least in (("on its own", ENDS), ("when the user names what is over", TOLD)):
        yield f"sure from {least} ({name}), whole projects left out:"
        for view in sorted(set(views)):
            said = (chances >= least) & (views == view)
            right, real_ = int((said & (told.truth > 0)).sum()), int(((views == view) & (told.truth > 0)).sum())
            share = f"{right / max(1, said.sum()):.2f}"
            yield f"  {view:9} {right} of {real_} ended, {int(said.sum()) - right} wrongly: precision {share}"
    if show:
        for at in np.argsort(-chances)[:80]:
            one = told.samples[at]
            yield f"{'right' if one.ends else 'WRONG'} {chances[at]:.2f} {one.new[:120]!r} ends {one.old[:120]!r}"


def main() -> None:
    """Print the table; with `--fit`, write the weights."""
    asked = argparse.ArgumentParser(prog="bench.ends", description=__doc__)
    asked.add_argument("data", type=Path)
    asked.add_argument("--show", action="store_true", help="the surest pairs, right and wrong")
    asked.add_argument("--fit", action="store_true", help="write the weights anew")
    given = asked.parse_args()
    told, hand = table(list(real(given.data))), table(written())
    chances = left_out(told, hand)
    if given.fit:
        TARGET.write_text(text(told, hand, chances), encoding="utf-8")
    print("\n".join(lines(told, hand, chances, given.show)))


if __name__ == "__main__":
    main()
