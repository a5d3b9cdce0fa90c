"""Learns how likely a session is to need a memory, from projects in which somebody marked the needs.

    python -m bench.needs            learns from all projects and writes src/nous/core/needs.json
    python -m bench.needs --to DIR   a file for each project, learned from the others: for `bench.realtalk --needs DIR`

What is needed is looked up among the memories that the reader makes of a project, with weights that did not see it, and
among the annotators' facts. Only weights of a handful of traits are written, never text.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import realtalk, selection
from bench.selection import DATA, Moment, Session, matches, projects
from nous import Nous
from nous.config import load_settings
from nous.core import worth
from nous.core.decay import UNUSED

Weights = dict[str, dict[str, float]]
RIDGE = 12.0  # how far a weight is held back, in examples
STEPS = 30
LEAST = -1.2  # of a type that nobody marked as needed: annotators mark what was said more than what was done
MATCHES = ("words", "meaning")
FILE = Path(worth.__file__).with_name("needs.json")
Array = NDArray[np.float64]


def learn(moments: Iterable[Moment]) -> Weights:
    """The weights that tell best what was needed in these sessions, at their start and at their first prompt."""
    chosen = [moment for moment in moments if any(moment.needed)]
    rows = [(_traits(memory, moment), memory.id, moment) for moment in chosen for memory in moment.known]
    names = sorted({name for traits, _, _ in rows for name in traits})
    values = np.array([[traits.get(name, 0.0) for name in names] for traits, _, _ in rows])
    needed = np.array([number in moment.needed for _, number, moment in rows], dtype=float)
    start = fit(values, needed, np.zeros(len(rows)))
    matched = [[moment.matches.get(number, {}).get(name, 0.0) for name in MATCHES] for _, number, moment in rows]
    prompt = fit(np.array(matched), needed, start[0] + values @ start[1:])
    found = {name: max(LEAST, float(value)) for name, value in zip(names, start[1:], strict=True)}
    return {
        "start": {"any memory": float(start[0])} | found,
        "prompt": {"any memory": float(prompt[0])} | dict(zip(MATCHES, map(float, prompt[1:]), strict=True)),
    }


def _traits(memory: Any, moment: Moment) -> dict[str, float]:
    return worth.traits(memory, moment.now, moment.uses.get(memory.id, UNUSED))


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


def read_by_us(task: tuple[Path, Path, Path]) -> list[Moment]:
    """The beginnings of a project's sessions, with what the reader had learned until then."""
    shared, root, weights = task
    judged = realtalk.runner(shared)
    found: list[Moment] = []
    read = {session.id: session for session in selection.read(root).sessions}

    class Watched(realtalk.player(judged)):  # type: ignore[misc]
        def hook(self, event: str, session: str, cwd: str, **more: str) -> str:
            if event == "SessionStart":
                found.append(self.moment(read[session.removeprefix("probe-")], cwd))
            return str(super().hook(event, session, cwd, **more))

        def moment(self, session: Session, cwd: str) -> Moment:
            nous = Nous.open(settings=load_settings(self.env))
            try:
                known = [one for one in nous.stores.memories.visible(cwd) if one.status == "active"]
                facts = [self.facts[name] for name in session.needs]
                needed = [
                    one.id for one in known if any(judged.states(_as_listed(judged, one), fact) for fact in facts)
                ]
                fits = matches(nous, cwd, session.prompt, session.at)
                uses = nous.stores.uses(known)
            finally:
                nous.close()
            return Moment(self.name, session, session.at, known, needed, (), (), fits, uses)

    realtalk.play((shared, root, weights, None, False), lambda _: Watched)
    return found


def _as_listed(judged: Any, memory: Any) -> dict[str, Any]:
    return {"words": judged.words(memory.content), "evidence": set(memory.evidence)}


def gathered(shared: Path, roots: list[Path], weights: Mapping[str, Path]) -> list[Moment]:
    """Every beginning of a session, with the memories that we made and with the annotators' facts."""
    tasks = [(shared, root, weights[root.name]) for root in roots]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        read = pool.map(read_by_us, tasks, chunksize=1)
    return [*(moment for part in read for moment in part), *selection.play(roots, dated=True)]


def needs_without(shared: Path, roots: list[Path], weights: Mapping[str, Path], kept: Path) -> dict[str, Path]:
    """Of each project a file with what the others taught about needs; those that are there are taken."""
    kept.mkdir(parents=True, exist_ok=True)
    found = {root.name: kept / f"{root.name}.json" for root in roots}
    if not all(path.exists() for path in found.values()):
        moments = gathered(shared, roots, weights)
        for name, path in found.items():
            path.write_text(json.dumps(learn(one for one in moments if one.project != name)), "utf-8")
    return found


def main() -> int:
    """Learn from all projects and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", default=DATA)
    parser.add_argument("--weights", type=Path, help="where the reader's weights without each project are, or are put")
    parser.add_argument("--to", type=Path)
    args = parser.parse_args()
    roots = projects(args.data)
    if not roots:
        print("no labelled project found", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        kept = args.weights or Path(folder)
        shared = args.data.parent.parent
        weights = realtalk.weights_without(args.data.parent, [root.name for root in roots], kept)
        if args.to:
            needs_without(shared, roots, weights, args.to)
            return 0
        found = learn(gathered(shared, roots, weights))
    rounded = {part: {name: round(value, 2) for name, value in rows.items()} for part, rows in found.items()}
    FILE.write_text(json.dumps(rounded, indent=2) + "\n", "utf-8")
    print(FILE.read_text("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
