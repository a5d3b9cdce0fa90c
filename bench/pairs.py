"""What becomes of pairs of sayings that people write: an older one, and one by the user that is said later.

python -m bench.pairs [FILE] [--left-out] [--show] [--fit]

Every line of FILE has `old`, `new` and `kind`: change, opposite, same, narrower or different. Each pair goes through
`relearn.judge` as two rules of the user, as it would while a session is learned. `--left-out` weighs each pair by
weights that were fitted without it. `--fit` writes `src/nous/language/compare/likely_weights.py`, from the pairs of
tests/data, of bench/corpus/changes.jsonl and of the templates, and from sayings of different pairs beside each other.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nous.kernel.learn.relearn import judge
from nous.kernel.log.extraction import STANDING, Learning
from nous.kernel.memory.memory import Memory
from nous.language.compare import differences, likely, likely_weights
from nous.language.compare.claims import claim
from nous.providers.words import word_likeness

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))
DATA = ROOT / "tests" / "data"
SAID, WRITTEN = DATA / "said-pairs.jsonl", DATA / "written-pairs.jsonl"
TARGET = ROOT / "src" / "nous" / "language" / "compare" / "likely_weights.py"
RIDGE, FOLDS, CROSSED = 8.0, 8, 4_000
OLD, NEW = "2026-01-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"
OUTCOMES = ("ended", "asked", "same", "apart")
MEANS = {"change": "ends", "opposite": "ends", "contradicts": "ends", "same": "same"}


class Pair(NamedTuple):
    """Two sayings, how a person says they stand, what that means, and how much the pair counts in a fit."""

    old: str
    new: str
    kind: str
    counts: float = 3.0

    @property
    def means(self) -> str:
        return MEANS.get(self.kind, self.kind if self.kind in ("ends", "same") else "stays")


def said(file: Path = SAID) -> list[Pair]:
    """The pairs of a file."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [Pair(row["old"], row["new"], row["kind"]) for row in rows]


def outcome(pair: Pair) -> str:
    """What becomes of the older saying: ended, asked about, said again, or nothing."""
    known = Memory(
        id=1, learning_id="l1", project_id="p", session_id="s", type="requirement", kind="semantic", content=pair.old,
        created_at=OLD, valid_from=OLD, version=1, tags=(STANDING,),
    )  # fmt: skip
    told = Learning(content=pair.new, type="requirement", evidence=("e",), tags=(STANDING,), temporal_confidence="high")
    found = judge(told, NEW, [known], word_likeness, by_user=True)
    return "ended" if found.supersedes else "asked" if found.asks else "same" if found.repeats else "apart"


# -- fitting --------------------------------------------------------------------------------------------------------


def turned(pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs with those that mean the same the other way round."""
    both = [one for one in pairs if one.kind in ("same", "different")]
    return [*pairs, *(Pair(one.new, one.old, one.kind, one.counts / 2) for one in both)]


def written() -> list[Pair]:
    """The other labelled pairs of the repository."""
    from language.change_pairs import change_pairs, look_alikes

    chosen = random.Random(3)
    found = [Pair(one.old, one.new, one.expected, 0.5) for one in change_pairs() if chosen.random() < 0.35]
    found += [Pair(one.old, one.new, one.expected, 0.5) for one in look_alikes() if chosen.random() < 0.12]
    for half in ("dev", "test"):
        rows = [json.loads(line) for line in (DATA / f"fact-pairs-{half}.jsonl").read_text("utf-8").splitlines()]
        found += [Pair(row[a], row[b], row["label"], 0.7) for row in rows for a, b in (("a", "b"), ("b", "a"))]
    files = (ROOT / "bench" / "corpus" / "changes.jsonl", DATA / "ending-pairs.jsonl")
    lines = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    return [*found, *(Pair(row["old"], row["new"], "ends" if row["ends"] else "stays", 0.5) for row in lines)]


def crossed(pairs: Sequence[Pair], most: int = CROSSED) -> list[Pair]:
    """Sayings of different pairs that share a word: nearly all of what a new saying is compared with is such."""
    told = [(number, text) for number, pair in enumerate(pairs) for text in (pair.old, pair.new)]
    forms = [{word.form for word in likely.telling(text)} for _, text in told]
    met = [
        (a, b)
        for a, (one, _) in enumerate(told)
        for b, (other, _) in enumerate(told)
        if one != other and forms[a] & forms[b]
    ]
    chosen = random.Random(5).sample(met, min(most, len(met)))
    return [Pair(told[a][1], told[b][1], "stays", 0.3) for a, b in chosen]


class Table(NamedTuple):
    """What the clues see in pairs that no rule decides, with what the pairs mean and how much they count."""

    pairs: list[Pair]
    seen: Any
    counts: Any

    @property
    def ends(self) -> Any:
        return np.array([float(pair.means == "ends") for pair in self.pairs])


def table(pairs: Sequence[Pair]) -> Table:
    """The rows of pairs on which the weights are asked."""
    sides = [(pair, differences.ClaimPair(claim(pair.new), claim(pair.old), word_likeness)) for pair in pairs]
    open_ = [(pair, side) for pair, side in sides if differences.is_open(side)]
    seen = [[1.0, *likely.observe_clues(likely.Aligned(side, word_likeness))] for _, side in open_]
    return Table([pair for pair, _ in open_], np.array(seen), np.array([pair.counts for pair, _ in open_]))


def fit(seen: Any, truth: Any, counts: Any) -> Any:
    """The weights of a logistic regression with a ridge."""
    ridge = np.full(seen.shape[1], RIDGE)
    ridge[0] = 1e-3
    weights = np.zeros(seen.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(seen @ weights, -30, 30)))
        slope = seen.T @ (counts * (chance - truth)) + ridge * weights
        curve = (seen * (counts * chance * (1 - chance))[:, None]).T @ seen + np.diag(ridge)
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def weighed(tables: Sequence[Table]) -> tuple[float, tuple[float, ...]]:
    """The bias and the weight of every clue over some tables."""
    seen = np.vstack([one.seen for one in tables])
    truth, counts = (np.concatenate(some) for some in ([one.ends for one in tables], [one.counts for one in tables]))
    bias, *weights = (round(float(one), 3) for one in fit(seen, truth, counts))
    return bias, tuple(weights)


HOW = '''"""What each clue of `likely.py` weighs, in their order. Written by `python -m bench.pairs --fit`.

Logistic regression with ridge {ridge} over {pairs} labelled pairs that no rule decides, and {crossed} sayings of
different pairs.
"""

from __future__ import annotations

BIAS = {bias}
WEIGHTS: tuple[float, ...] = (
{rows}
)
'''


def text(own: Sequence[Pair]) -> str:
    """The text of `likely_weights.py`."""
    labelled = [turned(own), turned(said(WRITTEN)), written()]
    tables = [table(pairs) for pairs in (*labelled, crossed(own), crossed(labelled[-1]))]
    bias, weights = weighed(tables)
    rows = "\n".join(f"    {value},  # {clue.name}" for value, clue in zip(weights, likely.CLUES, strict=True))
    known, sayings = (sum(len(one.pairs) for one in some) for some in (tables[:3], tables[3:]))
    return HOW.format(ridge=RIDGE, pairs=known, crossed=sayings, bias=bias, rows=rows)


def left_out(own: Sequence[Pair]) -> Iterator[tuple[Pair, str]]:
    """What becomes of each pair by weights that were fitted without it and without its sayings."""
    others = [table(turned(said(WRITTEN))), table(written()), table(crossed(written()))]
    fold = {pair: int(hashlib.md5(pair.old.encode()).hexdigest(), 16) % FOLDS for pair in own}
    for number in range(FOLDS):
        mine = [pair for pair in own if fold[pair] != number]
        with_weights(*weighed([table(turned(mine)), table(crossed(mine)), *others]))
        yield from ((pair, outcome(pair)) for pair in own if fold[pair] == number)


def with_weights(bias: float, weights: tuple[float, ...]) -> None:
    """Weigh with other figures from now on."""
    likely_weights.BIAS = bias
    likely_weights.WEIGHTS = weights


# -- telling --------------------------------------------------------------------------------------------------------


def lines(found: Sequence[tuple[Pair, str]]) -> Iterator[str]:
    """The measurements for a person."""
    counted = {kind: Counter(what for pair, what in found if pair.kind == kind) for kind, _ in _by_kind(found)}
    for kind, count in counted.items():
        yield f"{kind:10} {sum(count.values()):4}  " + "  ".join(f"{name} {count[name]:3}" for name in OUTCOMES)
    changes = [what for pair, what in found if pair.means == "ends"]
    acted = sum(what in ("ended", "asked") for what in changes)
    ended = [pair.means == "ends" for pair, what in found if what == "ended"]
    share = f"{acted / max(1, len(changes)):.0%}"
    yield f"changes acted on: {acted} of {len(changes)} ({share}), ended {changes.count('ended')}"
    yield f"right where it ends: {sum(ended)} of {len(ended)}"
    yield f"asked about different things: {counted.get('different', Counter())['asked']}"
    same = [pair.means == "same" for pair, what in found if what == "same"]
    yield f"right where it says the same: {sum(same)} of {len(same)}"
    acts = [pair.means == ("same" if what == "same" else "ends") for pair, what in found if what != "apart"]
    yield f"right where it acts, questions too: {sum(acts)} of {len(acts)} ({sum(acts) / max(1, len(acts)):.0%})"


def _by_kind(found: Sequence[tuple[Pair, str]]) -> list[tuple[str, int]]:
    return Counter(pair.kind for pair, _ in found).most_common()


def main() -> None:
    """Print what becomes of the pairs; with `--fit`, write the weights first."""
    asked = argparse.ArgumentParser(prog="bench.pairs", description=__doc__)
    asked.add_argument("file", type=Path, nargs="?", default=SAID)
    asked.add_argument("--left-out", action="store_true", help="weigh each pair by weights fitted without it")
    asked.add_argument("--show", action="store_true", help="print every pair with what becomes of it")
    asked.add_argument("--fit", action="store_true", help="write the weights anew")
    given = asked.parse_args()
    if given.fit:
        TARGET.write_text(text(said()), encoding="utf-8")
        return
    judged: Callable[[Sequence[Pair]], Iterator[tuple[Pair, str]]] = lambda own: ((one, outcome(one)) for one in own)  # noqa: E731
    found = list((left_out if given.left_out else judged)(said(given.file)))
    print("\n".join(lines(found)))
    for pair, what in found if given.show else ():
        print(f"{pair.kind:10} {what:6} {pair.old} | {pair.new}")


if __name__ == "__main__":
    main()
