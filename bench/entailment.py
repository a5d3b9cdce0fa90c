"""The judge on labelled pairs: precision and recall, and the tables its confidence is read from.

python -m bench.entailment [--nli FILE] [--fit]

`--nli` adds pairs of plain text (JSON lines with `premise`, `hypothesis`, `label`). `--fit` writes
`src/nous/core/entailment/calibration.py` anew from the development halves; the test half is never looked at.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

ROOT = Path(__file__).parent.parent
DATA = ROOT / "tests" / "data"
TARGET = ROOT / "src" / "nous" / "core" / "entailment" / "calibration.py"
PRECISE = 0.9
FOLDS = 10
RIDGE = 2.0
CLASH_FROM = 0.46
DOUBT = (1, 3)  # successes and failures added to each step: the rules were written with these pairs in sight
RELATIONS = ("contradiction", "refinement", "duplicate", "unrelated")
LABELS = ("contradiction", "entailment", "neutral")


HOW = """How the judge's scores become confidence. Written by `python -m bench.entailment --fit`; do not edit.

FACTS: isotonic regression of right on score over the {facts} pairs of tests/data/fact-pairs-dev.jsonl.
PLAIN: the same over {texts} pairs of SNLI and MultiNLI, scored by weights fitted without them ({folds} folds).
CLASH, FOLLOW: logistic regression with ridge {ridge} over all of those. A step is (least score, share that was right);
{doubt[0]} success and {doubt[1]} failures are added to each, since the rules were written with these pairs in sight.
ACTS_ALONE: the least confidence of a contradiction that stays at or above {precise:.0%}.
"""


class Pair(msgspec.Struct, frozen=True):
    """Two sentences and what a person says about them."""

    a: str
    b: str
    label: str


def facts(half: str) -> list[Pair]:
    """Pairs of developer facts: `dev` to work with, `test` to measure."""
    return [msgspec.json.decode(line, type=Pair) for line in _lines(DATA / f"fact-pairs-{half}.jsonl")]


def plain(path: Path) -> list[Pair]:
    """Pairs of plain text."""
    rows = [msgspec.json.decode(line) for line in _lines(path)]
    return [Pair(row["premise"], row["hypothesis"], row["label"]) for row in rows]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


# -- measuring --------------------------------------------------------------------------------------------------------


def measure(pairs: Sequence[Pair], by: str) -> dict[str, Any]:
    """How often the judge is right about these pairs; `by` is `relation` for facts and `label` for plain text."""
    from nous.core.entailment import ACTS_ALONE, judge

    judged = [(pair, judge(pair.a, pair.b)) for pair in pairs]
    said = [(pair.label, getattr(found, by)) for pair, found in judged]
    alone = [
        pair.label == "contradiction"
        for pair, found in judged
        if found.label == "contradiction" and found.confidence >= ACTS_ALONE
    ]
    names = RELATIONS if by == "relation" else LABELS
    return {
        "pairs": len(pairs),
        "right": round(sum(true == found for true, found in said) / len(said), 3),
        "classes": {name: _precision(said, name) for name in names},
        "acts_alone": {"from": ACTS_ALONE, "times": len(alone), "right": round(sum(alone) / max(1, len(alone)), 3)},
    }


def _precision(said: Sequence[tuple[str, str]], name: str) -> dict[str, float]:
    both = sum(true == found == name for true, found in said)
    return {
        "precision": round(both / max(1, sum(found == name for _, found in said)), 3),
        "recall": round(both / max(1, sum(true == name for true, _ in said)), 3),
    }


def run(full: bool, say: Callable[[str], None], nli: Path | None = None) -> dict[str, Any]:
    """The judge on both halves of the facts, and on plain text when a file is given."""
    found = {f"facts {half}": measure(facts(half), "relation") for half in ("dev", "test")}
    if nli:
        found[f"plain text {nli.stem}"] = measure(plain(nli), "label")
    return {"sets": found}


def table(found: dict[str, Any]) -> Iterator[str]:
    """The measurements as lines."""
    for name, row in found["sets"].items():
        alone = row["acts_alone"]
        yield f"{name}: {row['pairs']} pairs, {row['right']:.1%} right"
        for label, rates in row["classes"].items():
            yield f"  {label:<14} precision {rates['precision']:.3f}  recall {rates['recall']:.3f}"
        yield f"  acts alone from {alone['from']}: {alone['times']} times, {alone['right']:.1%} right"


# -- fitting ----------------------------------------------------------------------------------------------------------


def fit(path: Path) -> str:
    """The text of `calibration.py`: weights and steps from the development pairs."""
    from nous.core.entailment.facts import compare
    from nous.core.entailment.frames import read
    from nous.core.entailment.language import clash_features, follow_features

    text = plain(path)
    truth = np.array([LABELS.index(pair.label) for pair in text])
    clash = np.array([clash_features(*sorted((pair.a, pair.b))) for pair in text])
    follow = np.array([follow_features(pair.a, pair.b) for pair in text])
    known = truth != 0
    clash_out = _held_out(clash, truth == 0, np.ones(len(text), bool))
    follow_out = _held_out(follow, truth == 1, known)
    words = {
        "contradiction": _steps(
            (score, t == 0) for score, t in zip(clash_out, truth, strict=True) if score >= CLASH_FROM
        ),
        "entailment": _steps(
            (f, t == 1) for c, f, t in zip(clash_out, follow_out, truth, strict=True) if c < CLASH_FROM and f >= 0.5
        ),
        "neutral": _steps(
            (1 - f, t == 2) for c, f, t in zip(clash_out, follow_out, truth, strict=True) if c < CLASH_FROM and f < 0.5
        ),
    }
    found = [(pair.label, compare(*map(read, sorted((pair.a, pair.b))))) for pair in facts("dev")]
    structure = {
        name: _steps((one.score, label == name) for label, one in found if one.relation == name) for name in RELATIONS
    }
    weights = (_logistic(clash, truth == 0), _logistic(follow[known], truth[known] == 1))
    return _written(structure, words, weights, len(found), len(text))


def _logistic(features: Any, truth: Any) -> Any:
    """Weights of a logistic regression with a ridge, by Newton's method."""
    weights = np.zeros(features.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (p - truth) + RIDGE * weights
        curve = (features * (p * (1 - p))[:, None]).T @ features + RIDGE * np.eye(len(weights))
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def _held_out(features: Any, truth: Any, usable: Any) -> Any:
    """Each row's score by weights that were fitted without it, so that the confidence is not flattered."""
    scores = np.zeros(len(features))
    fold = np.arange(len(features)) % FOLDS
    for number in range(FOLDS):
        rows = usable & (fold != number)
        weights = _logistic(features[rows], truth[rows])
        scores[fold == number] = 1 / (1 + np.exp(-features[fold == number] @ weights))
    return scores


def _steps(scored: Any) -> list[tuple[float, float]]:
    """Isotonic regression: from which score on which share was right, with DOUBT added to what was counted."""
    blocks: list[list[float]] = []
    for score, hit in _by_score(scored):
        blocks.append([score, float(sum(hit)), float(len(hit))])
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][2] >= blocks[-1][1] / blocks[-1][2]:
            last = blocks.pop()
            blocks[-1][1] += last[1]
            blocks[-1][2] += last[2]
    steps: list[tuple[float, float]] = []
    for least, hits, count in blocks:
        share = round((hits + DOUBT[0]) / (count + sum(DOUBT)), 3)
        if not steps or share > steps[-1][1]:
            steps.append((round(least, 4) if steps else 0.0, share))
    return steps


def _by_score(scored: Any) -> list[tuple[float, list[bool]]]:
    found: dict[float, list[bool]] = {}
    for score, hit in scored:
        found.setdefault(float(round(score, 4)), []).append(bool(hit))
    return sorted(found.items())


def _written(structure: Any, words: Any, weights: Any, fact_pairs: int, text_pairs: int) -> str:
    sure = [
        confidence for steps in (structure, words) for _, confidence in steps["contradiction"] if confidence >= PRECISE
    ]
    version = str(1 + _last_version())
    how = HOW.format(facts=fact_pairs, texts=text_pairs, folds=FOLDS, ridge=RIDGE, doubt=DOUBT, precise=PRECISE)
    parts = [
        f'"""{how}"""\n\nfrom __future__ import annotations\n',
        f'VERSION = "{version}"',
        f"ACTS_ALONE = {min(sure)}",
        f"CLASH_FROM = {CLASH_FROM}",
        f"FACTS: dict[str, tuple[tuple[float, float], ...]] = {_table(structure)}",
        f"PLAIN: dict[str, tuple[tuple[float, float], ...]] = {_table(words)}",
        f"CLASH: tuple[float, ...] = {tuple(float(round(w, 4)) for w in weights[0])}",
        f"FOLLOW: tuple[float, ...] = {tuple(float(round(w, 4)) for w in weights[1])}",
    ]
    return "\n".join(parts) + "\n"


def _table(steps: dict[str, list[tuple[float, float]]]) -> str:
    return repr({name: tuple(found) for name, found in steps.items()})


def _last_version() -> int:
    from nous.core.entailment import calibration

    return int(calibration.VERSION)


def main() -> int:
    """Print the table; with `--fit`, write the calibration first."""
    asked = argparse.ArgumentParser(prog="bench.entailment", description="The judge on labelled pairs.")
    asked.add_argument("--nli", type=Path, help="pairs of plain text, JSON lines")
    asked.add_argument("--fit", action="store_true", help="fit the confidence anew; needs --nli")
    given = asked.parse_args()
    if given.fit:
        if given.nli is None:
            asked.error("--fit needs --nli")
        TARGET.write_text(fit(given.nli), encoding="utf-8")
        return 0
    print("\n".join(table(run(False, print, given.nli))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
