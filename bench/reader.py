"""Which sentences are worth keeping: learns the reader's weights from labelled real projects, and judges them.

    python -m bench.reader            how good the weights are on projects that they were not learned from
    python -m bench.reader --write    the same, then learns from all and writes src/nous/core/extractor/weights.json

The projects are in ../shared/data (see its REALTALK.md); nothing of their text is kept, only weights. The synthetic
messages of bench/corpus count an eighth each: with them projects left out gain 0.03 of average precision.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from bench.realtalk_data import Labels, load, projects, share, states, words
from nous.core.extractor.decide import FEWEST, Weights, standing
from nous.core.extractor.features import Features, Setting, message_features
from nous.core.extractor.said import EXTENDS, KEEPS, passages
from nous.core.language.sentences import Sentence, sentences

ROOT = Path(__file__).resolve().parent.parent
WEIGHTS = ROOT / "src" / "nous" / "core" / "extractor" / "weights.json"
SYNTHETIC = 0.35  # what a synthetic message counts beside a real one
STRENGTH = 0.3  # how little the weights are held back (C of the regression)
GRAM, MARK = 2.0, 0.5  # how easily words and marks get a weight
SPREAD = 2  # projects that a feature must occur in
TYPES = {
    "rule": "requirement", "correction": "requirement", "requirement": "requirement", "preference": "preference",
    "decision": "decision", "environment": "fact", "command": "fact", "architecture": "fact", "gotcha": "gotcha",
    "error_fix": "gotcha", "dead_end": "dead_end", "work_state": "context",
}  # fmt: skip


class Row(NamedTuple):
    """A sentence with its label; `message` groups those of one message."""

    project: str
    message: int
    session: int
    uuid: str
    sentence: Sentence
    features: Features
    is_worth: bool
    type: str


def rows_of(name: str, labels: Labels, first: int) -> list[Row]:
    """The labelled sentences of one project."""
    found: list[Row] = []
    for number, message in enumerate(labels.messages):
        said = sentences(message.text)
        spans = [words(span) for span in message.keep]
        features = message_features(said, Setting(message.earlier, message.before), len(message.text))
        for one, feature in zip(said, features, strict=True):
            mine = words(one.text)
            worth = bool(mine) and any(
                share(mine, span) >= 0.5 or (len(span) > 2 and share(span, mine) >= 0.75) for span in spans
            )
            kinds = [
                fact.type for fact in labels.facts if message.uuid in fact.uuids and states(mine, message.uuid, fact)
            ]
            found.append(
                Row(
                    name,
                    first + number,
                    message.session,
                    message.uuid,
                    one,
                    feature,
                    worth,
                    TYPES.get(kinds[0], "") if kinds else "",
                )
            )
    return found


def synthetic() -> Iterator[Row]:
    """The made-up messages: of the corpus, and of the phrases that the tests guard."""
    for number, (before, text, keep, kind) in enumerate([*_corpus(), *_phrases()]):
        said, spans = sentences(text), [words(span) for span in keep]
        features = message_features(said, Setting(1, before), len(text))
        for one, feature in zip(said, features, strict=True):
            mine = words(one.text)
            worth = any(share(mine, span) >= 0.5 or (len(span) > 2 and share(span, mine) >= 0.75) for span in spans)
            yield Row("synthetic", -1 - number, 0, "", one, feature, bool(mine) and worth, kind if worth else "")


Made = tuple[str, str, list[str], str]
"""What stood before a made-up message, the message, what of it is worth keeping, and its type where that is known."""


def _corpus() -> Iterator[Made]:
    for path in sorted((ROOT / "bench" / "corpus" / "messages").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            given = json.loads(line)
            yield given.get("assistant") or "ok", given["user"], given["keep"], ""


def _phrases() -> Iterator[Made]:
    for name, is_kept in (("kept", True), ("ignored", False)):
        before = ""
        for line in (ROOT / "tests" / "data" / "learning" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("> "):
                before = line[2:]
            elif line.strip() and line[0] not in "#$":
                text = line.split("|", 2)[-1].strip()
                kind = line.split(",", 1)[0].split("|", 1)[0].strip() if is_kept else ""
                yield before, text, [text] if is_kept else [], kind if kind in set(TYPES.values()) else ""
                before = ""


class Table:
    """Rows as a matrix: one column for each word and mark that enough projects have."""

    def __init__(self, rows: Sequence[Row]):
        csr_matrix = import_module("scipy.sparse").csr_matrix
        where: dict[str, set[str]] = defaultdict(set)
        often: Counter[str] = Counter()
        for row in rows:
            for name in _names(row.features):
                where[name].add(row.project)
                often[name] += row.project != "synthetic"
        self.names = [name for name in where if len(where[name] - {"synthetic"}) >= SPREAD and often[name] > 2]
        index = {name: at for at, name in enumerate(self.names)}
        cells = [
            (at, index[name], value) for at, row in enumerate(rows) for name, value in _cells(row) if name in index
        ]
        places = ([cell[0] for cell in cells], [cell[1] for cell in cells])
        self.matrix = csr_matrix(([cell[2] for cell in cells], places), shape=(len(rows), len(self.names)))


def _names(features: Features) -> set[str]:
    return {*(f"g:{gram}" for gram in features.grams), *(f"m:{mark}" for mark in features.marks)}


def _cells(row: Row) -> Iterator[tuple[str, float]]:
    grams = set(row.features.grams)
    share_ = GRAM / math.sqrt(max(FEWEST, len(grams)))
    yield from ((f"g:{gram}", share_) for gram in grams)
    yield from ((f"m:{mark}", MARK) for mark in set(row.features.marks))


def regression(matrix: Any, labels: Any, weights: Any, strength: float) -> Any:
    """A fitted logistic regression."""
    model = import_module("sklearn.linear_model").LogisticRegression(C=strength, max_iter=400, solver="liblinear")
    return model.fit(matrix, labels, sample_weight=weights)


class Learner:
    """Learns both steps from some rows and gives the chances of others."""

    def __init__(self, rows: Sequence[Row]):
        self.rows = rows
        self.table = Table(rows)
        self.labels = np.array([row.is_worth for row in rows])
        self.project = np.array([row.project for row in rows])
        self.counts = np.where(self.project == "synthetic", SYNTHETIC, 1.0)

    def first(self, chosen: Any) -> Any:
        return regression(self.table.matrix[chosen], self.labels[chosen], self.counts[chosen], STRENGTH)

    def among(self, odds: Any, chosen: Any) -> Any:
        """How sentences stand in their messages; synthetic ones are short and would teach something else about it."""
        messages: dict[int, list[int]] = defaultdict(list)
        for at in map(int, np.flatnonzero(chosen & (self.project != "synthetic"))):
            messages[self.rows[at].message].append(at)
        places = [at for group in messages.values() for at in group]
        table = np.array([row for group in messages.values() for row in standing([float(odds[at]) for at in group])])
        return places, table

    def learn(self, chosen: Any) -> tuple[Any, Any, Any]:
        """The first step, and the second learned from odds of projects that the first had not seen."""
        names = sorted(set(self.project[chosen]) - {"synthetic"})
        group = {name: at % 5 for at, name in enumerate(np.random.RandomState(0).permutation(names))}
        fold = np.array([group.get(name, -1) for name in self.project])
        odds = np.zeros(len(self.rows))
        for number in range(5):
            asked = chosen & (fold == number)
            odds[asked] = self.first(chosen & (fold != number)).decision_function(self.table.matrix[asked])
        places, table = self.among(odds, chosen)
        spread = table.std(0) + 1e-9
        second = regression(table / spread, self.labels[places], None, 1.0)
        return self.first(chosen), second, spread

    def chances(self, learned: tuple[Any, Any, Any], asked: Any) -> Any:
        first, second, spread = learned
        odds = first.decision_function(self.table.matrix)
        places, table = self.among(odds, asked)
        found = np.zeros(len(self.rows))
        found[places] = second.predict_proba(table / spread)[:, 1]
        return found

    def types(self, chosen: Any) -> dict[str, dict[str, float]]:
        """A row of weights for each type, from the words alone."""
        known = np.array([bool(row.type) for row in self.rows]) & chosen
        given = np.array([row.type for row in self.rows])
        words_only = np.array([name.startswith("g:") for name in self.table.names])
        matrix = self.table.matrix[known][:, words_only]
        names = [name for name, is_word in zip(self.table.names, words_only, strict=True) if is_word]
        rows: dict[str, dict[str, float]] = {}
        for kind in sorted(set(TYPES.values())):
            model = regression(matrix, given[known] == kind, None, 1.0)
            kept = {
                name[2:]: round(float(w) * GRAM, 2)
                for name, w in zip(names, model.coef_[0], strict=True)
                if abs(w) >= 0.1
            }
            rows[kind] = {"": round(float(model.intercept_[0]), 3), **kept}
        return rows


def written(learner: Learner, learned: tuple[Any, Any, Any], types: dict[str, dict[str, float]]) -> Weights:
    """What was learned, as the package carries it."""
    first, second, spread = learned
    adds = dict(zip(learner.table.names, first.coef_[0], strict=True))
    return Weights(
        bias=round(float(first.intercept_[0]), 4),
        grams={
            name[2:]: round(float(w) * GRAM, 3) for name, w in adds.items() if name[0] == "g" and abs(w) * GRAM >= 0.02
        },
        marks={
            name[2:]: round(float(w) * MARK, 3) for name, w in adds.items() if name[0] == "m" and abs(w) * MARK >= 0.005
        },
        among=tuple(round(float(w), 4) for w in (second.intercept_[0], *(second.coef_[0] / spread))),
        types=types,
    )


def judge(labels: Labels, rows: Sequence[Row], chances: Sequence[float], keeps: float = KEEPS) -> Counter[str]:
    """What the passages above a chance find of a project's facts and needs, and how many of them are worth it."""
    messages: dict[int, list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        messages[row.message].append(at)
    found: list[tuple[int, str, frozenset[str]]] = []
    for group in messages.values():
        said = [rows[at].sentence for at in group]
        for passage in passages(said, [float(chances[at]) for at in group], keeps, keeps * EXTENDS):
            text = " ".join(said[place].text for place in range(passage.first, passage.last + 1))
            found.append((rows[group[0]].session, rows[group[0]].uuid, words(text)))
    ended = {name for fact in labels.facts for name in fact.ends}
    current = [fact for fact in labels.facts if fact.id not in ended]
    count: Counter[str] = Counter(facts=len(current), memories=len(found), needs=len(labels.needs))
    count["found"] = sum(any(states(mine, uuid, fact) for _, uuid, mine in found) for fact in current)
    count["worth"] = sum(labels.is_worth(mine, uuid) for _, uuid, mine in found)
    facts = {fact.id: fact for fact in labels.facts}
    for need in labels.needs:
        known = (one for one in found if one[0] < need.session)
        count["kept"] += any(states(mine, uuid, facts[need.fact]) for _, uuid, mine in known)
    return count


def line(name: str, precision: float, count: Counter[str]) -> str:
    def part(one: str, of: str) -> str:
        return f"{100 * count[one] / max(1, count[of]):5.1f}"

    return (
        f"{name:20} {precision:.3f}  found {part('found', 'facts')}  worth {part('worth', 'memories')}  "
        f"kept {part('kept', 'needs')}  memories {count['memories']}"
    )


def left_out(learner: Learner, known: dict[str, Labels], say: Callable[[str], None]) -> dict[str, Any]:
    """Each labelled project judged by weights that were learned from all the others."""
    average_precision_score = import_module("sklearn.metrics").average_precision_score
    total: Counter[str] = Counter()
    result: dict[str, Any] = {}
    for name, labels in known.items():
        if not labels.facts:
            continue
        asked = learner.project == name
        chances = learner.chances(learner.learn(~asked), asked)
        precision = average_precision_score(learner.labels[asked], chances[asked])
        count = judge(labels, [row for row in learner.rows if row.project == name], chances[asked])
        total += count
        result[name] = {"average_precision": round(float(precision), 4), **count}
        say(line(name, precision, count))
    mean = float(np.mean([one["average_precision"] for one in result.values()]))
    say(line("all", mean, total))
    return {"mean_average_precision": round(mean, 4), "projects": result, "total": dict(total)}


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--write", action="store_true", help="learn from all projects and write the weights")
    parser.add_argument("--quick", action="store_true", help="write without judging")
    args = parser.parse_args()
    found = projects(args.data)
    if not found:
        print("no labelled projects here: nothing to learn from", file=sys.stderr)
        return 2
    known = {path.name: load(path) for path in found}
    rows: list[Row] = []
    for at, (name, labels) in enumerate(known.items()):
        rows += rows_of(name, labels, at * 100_000)
    learner = Learner([*rows, *synthetic()])
    if not args.quick:
        result = left_out(learner, known, lambda text: print(text, flush=True))
        (ROOT / "bench" / "results" / "reader.json").write_text(json.dumps(result, indent=1) + "\n")
    if args.write:
        everything = np.ones(len(learner.rows), bool)
        made = written(learner, learner.learn(everything), learner.types(everything))
        WEIGHTS.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=0) + b"\n")
        print(f"{len(made.grams)} words and pairs, {len(made.marks)} marks written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
