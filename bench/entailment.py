"""The judge on labelled pairs: precision and recall, and the tables its confidence is read from.

python -m bench.entailment [--nli FILE] [--fit]

`--nli` adds pairs of plain text (JSON lines with `premise`, `hypothesis`, `label`): the judge is not made for them, and
has to be silent where it knows nothing. `--fit` writes `src/nous/language/compare/calibration.py` anew from the
development half; the test half is never looked at.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).parent.parent
DATA = ROOT / "tests" / "data"
TARGET = ROOT / "src" / "nous" / "language" / "compare" / "calibration.py"
PRECISE = 0.9
DOUBT = (1, 3)  # successes and failures added to each step: the rules were written with these pairs in sight
RELATIONS = ("contradicts", "refines", "same", "unrelated")
LABELS = ("contradiction", "entailment", "neutral")


HOW = """How the judge's scores become confidence. Written by `python -m bench.entailment --fit`; do not edit.

Isotonic regression of right on score over the {facts} pairs of tests/data/fact-pairs-dev.jsonl. A step is (least score,
share that was right); {doubt[0]} success and {doubt[1]} failures are added to each, since the rules were written with
these pairs in sight. ACTS_ALONE: the least confidence of a contradiction that stays at or above {precise:.0%}.
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
    from nous.language.compare.judge import ACTS_ALONE, judge

    judged = [(pair, judge(pair.a, pair.b)) for pair in pairs]
    said = [(pair.label, getattr(found, by)) for pair, found in judged]
    alone = [
        pair.label.startswith("contradict")
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


def fit() -> str:
    """The text of `calibration.py`: the steps from the development pairs."""
    from nous.language.compare.facts import compare
    from nous.language.compare.frames import read_frame

    found = [(pair.label, compare(*map(read_frame, sorted((pair.a, pair.b))))) for pair in facts("dev")]
    steps = {name: _steps((one.score, label == name) for label, one in found if one.kind == name) for name in RELATIONS}
    return _written(steps, len(found))


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


def _written(steps: dict[str, list[tuple[float, float]]], pairs: int) -> str:
    sure = [confidence for _, confidence in steps["contradicts"] if confidence >= PRECISE]
    how = HOW.format(facts=pairs, doubt=DOUBT, precise=PRECISE)
    table_ = repr({name: tuple(found) for name, found in steps.items()})
    parts = [
        f'"""{how}"""\n\nfrom __future__ import annotations\n',
        f'VERSION = "{1 + _last_version()}"',
        f"ACTS_ALONE = {min(sure)}",
        f"STEPS: dict[str, tuple[tuple[float, float], ...]] = {table_}",
    ]
    return "\n".join(parts) + "\n"


def _last_version() -> int:
    from nous.language.compare import calibration

    return int(calibration.VERSION)


def main() -> int:
    """Print the table; with `--fit`, write the calibration first."""
    asked = argparse.ArgumentParser(prog="bench.entailment", description="The judge on labelled pairs.")
    asked.add_argument("--nli", type=Path, help="pairs of plain text, JSON lines")
    asked.add_argument("--fit", action="store_true", help="fit the confidence anew")
    given = asked.parse_args()
    if given.fit:
        TARGET.write_text(fit(), encoding="utf-8")
        return 0
    print("\n".join(table(run(False, print, given.nli))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
