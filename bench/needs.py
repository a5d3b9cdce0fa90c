"""Learns how likely a session is to need a memory, from projects in which somebody marked the needs.

`python -m bench.needs [DATA]` learns from all projects of DATA (see `bench/selection.py`) and writes
`src/nous/core/needs.json`. Only weights of a handful of traits are written, never text.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.selection import DATA, Moment, play, projects
from nous.core import worth

Weights = dict[str, dict[str, float]]
RIDGE = 12.0  # how far a weight is held back, in examples
STEPS = 30
MATCHES = ("words", "meaning")
FILE = Path(worth.__file__).with_name("needs.json")
Array = NDArray[np.float64]


def learn(moments: Iterable[Moment]) -> Weights:
    """The weights that tell best what was needed in these sessions, at their start and at their first prompt."""
    chosen = [moment for moment in moments if any(moment.needed)]
    rows = [(worth.traits(memory, moment.now), memory.id, moment) for moment in chosen for memory in moment.known]
    names = sorted({name for traits, _, _ in rows for name in traits})
    values = np.array([[traits.get(name, 0.0) for name in names] for traits, _, _ in rows])
    needed = np.array([number in moment.needed for _, number, moment in rows], dtype=float)
    doubt = np.array([worth.doubt(memory, moment.now) for moment in chosen for memory in moment.known])
    start = fit(values, needed, doubt)
    matched = [[moment.matches.get(number, {}).get(name, 0.0) for name in MATCHES] for _, number, moment in rows]
    prompt = fit(np.array(matched), needed, doubt + start[0] + values @ start[1:])
    return {
        "start": {"any memory": float(start[0])} | dict(zip(names, map(float, start[1:]), strict=True)),
        "prompt": {"any memory": float(prompt[0])} | dict(zip(MATCHES, map(float, prompt[1:]), strict=True)),
    }


def fit(values: Array, needed: Array, offset: Array) -> Array:
    """Logistic regression on top of known log-odds, the constant first; weights are held back by their spread."""
    spread = values.std(axis=0)
    design = np.column_stack([np.ones(len(values)), values])
    penalty = np.diag([0.0, *(RIDGE * spread**2)]) + 1e-9 * np.eye(design.shape[1])
    weights = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(offset + design @ weights)))
        slope = design.T @ (needed - chance) - penalty @ weights
        bend = (design * (chance * (1 - chance))[:, None]).T @ design + penalty
        weights = weights + np.linalg.solve(bend, slope)
    return weights


def main() -> int:
    """Learn from all projects and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", default=DATA)
    args = parser.parse_args()
    roots = projects(args.data)
    if not roots:
        print("no labelled project found", file=sys.stderr)
        return 2
    found = learn(play(roots, dated=True))
    rounded = {part: {name: round(value, 2) for name, value in rows.items()} for part, rows in found.items()}
    FILE.write_text(json.dumps(rounded, indent=2) + "\n", "utf-8")
    print(FILE.read_text("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
