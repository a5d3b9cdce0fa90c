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
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from bench.realtalk_data import Labels, bookminder, load, projects, share, states, words
from nous.core.extractor.decide import FEWEST, ReaderWeights, shape, standing
from nous.core.extractor.features import Features, Setting, message_features
from nous.core.extractor.said import KEEPS, chosen, passages
from nous.core.language.sentences import Sentence, sentences

ROOT = Path(__file__).resolve().parent.parent
WEIGHTS = ROOT / "src" / "nous" / "core" / "extractor" / "weights.json"
SYNTHETIC = 0.35  # what a synthetic message counts beside a real one
ONE_GOLD = 0.4  # and what one of BookMinder, whose gold names facts and marks no sentences
STRENGTH = 0.5  # how little the weights are held back (C of the regression)
GRAM, MARK = 2.0, 0.5  # how easily words and marks get a weight
SPREAD = 2  # projects that a feature must occur in
AXES, MEANING, OFTEN = (
    96,
    0.7,
    50,
)  # of the words' meanings: how many numbers, what they count, from when a word is common
LEAST_WORD, LEAST_MARK = 0.05, 0.005  # what is less is not written
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


class Meanings:
    """Words as short vectors: what a word weighs that the projects do not have is told by those that mean the same."""

    def __init__(self, rows: Sequence[Row]):
        table = import_module("nous.providers.builtin").open_builtin("", {})
        self.table = table
        often = Counter(gram for row in rows for gram in set(row.features.grams) if _is_word(gram))
        self.words = {word: at for at, word in enumerate(often)}
        counts = np.minimum(np.array(list(often.values())), OFTEN)[:, None]
        vectors = self.plain(list(often))
        self.mean = (vectors * counts).sum(0) / counts.sum()
        self.axes = np.linalg.svd((vectors - self.mean) * np.sqrt(counts), full_matrices=False)[2][:AXES].T
        self.vectors = (vectors - self.mean) @ self.axes

    def plain(self, words: Sequence[str]) -> Any:
        """Their vectors as the built-in embedder has them."""
        return np.array([self.table._vector(word) for word in words])

    def of(self, words: Sequence[str]) -> Any:
        """The short vectors of any words."""
        return (self.plain(words) - self.mean) @ self.axes

    def sums(self, rows: Sequence[Row]) -> Any:
        """Each row's words together, weighed as words are."""
        cells = [
            (at, self.words[name[2:]], value)
            for at, row in enumerate(rows)
            for name, value in _cells(row)
            if name[2:] in self.words and name[0] == "g"
        ]
        places = ([cell[0] for cell in cells], [cell[1] for cell in cells])
        found = import_module("scipy.sparse").csr_matrix(
            ([cell[2] for cell in cells], places), shape=(len(rows), len(self.words))
        )
        return found @ (self.vectors * MEANING)

    def lexicon(self) -> list[str]:
        """The words that get a weight: those of the projects, and every whole word of the table."""
        whole = (piece.lstrip("▁") for piece in self.table._vocab if piece[0] == "▁" or piece > "\u3000")
        return sorted({*self.words, *(word for word in whole if word.islower() or word > "\u3000")})


def _is_word(gram: str) -> bool:
    return gram[0].isalpha() and " " not in gram


class Table:
    """Rows as a matrix: a column for each word and mark that enough projects have, then those of the meanings."""

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
        plain = csr_matrix(([cell[2] for cell in cells], places), shape=(len(rows), len(self.names)))
        self.meanings = Meanings(rows)
        hstack = import_module("scipy.sparse").hstack
        self.matrix = hstack([plain, csr_matrix(self.meanings.sums(rows))]).tocsr()


def _names(features: Features) -> set[str]:
    return {*(f"g:{gram}" for gram in features.grams), *(f"m:{mark}" for mark in features.marks)}


def _cells(row: Row) -> Iterator[tuple[str, float]]:
    grams = set(row.features.grams)
    share_ = GRAM / math.sqrt(max(FEWEST, len(grams)))
    yield from ((f"g:{gram}", share_) for gram in grams)
    yield from ((f"m:{mark}", MARK) for mark in set(row.features.marks))


def regression(matrix: Any, labels: Any, weights: Any, strength: float) -> Any:
    """A fitted logistic regression."""
    model = import_module("sklearn.linear_model").LogisticRegression(
        C=strength, max_iter=400, tol=0.01, solver="liblinear"
    )
    return model.fit(matrix, labels, sample_weight=weights)


class Linear(NamedTuple):
    """A weight for each column, and a bias."""

    weights: Any
    bias: float

    def odds(self, matrix: Any) -> Any:
        """What each row adds up to."""
        return matrix @ self.weights + self.bias


class Steps(NamedTuple):
    """What was learned: the weights of sentences, of how they stand (with the spread of its numbers), of passages."""

    first: Linear
    second: Any
    spread: Any
    third: tuple[float, ...]


def messages_of(rows: Sequence[Row], places: Iterable[int]) -> list[list[int]]:
    """The places of rows, message by message."""
    found: dict[int, list[int]] = defaultdict(list)
    for at in places:
        found[rows[at].message].append(at)
    return list(found.values())


class Learner:
    """Learns both steps from some rows and gives the chances of others."""

    def __init__(self, rows: Sequence[Row], known: dict[str, Labels]):
        self.rows, self.known = rows, known
        self.table = Table(rows)
        self.labels = np.array([row.is_worth for row in rows])
        self.project = np.array([row.project for row in rows])
        less = {"synthetic": SYNTHETIC, "bookminder": ONE_GOLD}
        self.counts = np.array([less.get(name, 1.0) for name in self.project])

        marks = np.array([name[0] == "m" for name in self.table.names])
        marks = np.concatenate([marks, np.zeros(self.table.matrix.shape[1] - len(marks), bool)])
        self.parts = (np.flatnonzero(~marks), np.flatnonzero(marks))

    def first(self, chosen: Any, columns: Any) -> Linear:
        """What some columns say, learned from some rows."""
        matrix = self.table.matrix[chosen][:, columns]
        model = regression(matrix, self.labels[chosen], self.counts[chosen], STRENGTH)
        weights = np.zeros(self.table.matrix.shape[1])
        weights[columns] = model.coef_[0]
        return Linear(weights, float(model.intercept_[0]))

    def apart(self, chosen: Any, fold: Any) -> tuple[Linear, Any]:
        """The first step, and the odds of rows by weights that had not seen their fold.

        Words (with their meanings) and marks are learned apart and count the same: learned together, marks that happen
        to fit the projects take weight from the words.
        """
        asked = chosen & (fold >= 0)
        whole, odds = Linear(np.zeros(self.table.matrix.shape[1]), 0.0), np.zeros(len(self.rows))
        for columns in self.parts:
            mine = np.zeros(len(self.rows))
            for number in sorted(set(fold[asked])):
                part = asked & (fold == number)
                mine[part] = self.first(chosen & (fold != number), columns).odds(self.table.matrix[part])
            middle, spread = mine[asked].mean(), mine[asked].std()
            learned = self.first(chosen, columns)
            whole = Linear(whole.weights + learned.weights / spread, whole.bias + (learned.bias - middle) / spread)
            odds[asked] += (mine[asked] - middle) / spread
        return whole, odds

    def among(self, odds: Any, chosen: Any) -> Any:
        """How sentences stand in their messages; synthetic ones are short and would teach something else about it."""
        messages = messages_of(self.rows, map(int, np.flatnonzero(chosen & (self.project != "synthetic"))))
        places = [at for group in messages for at in group]
        table = np.array([row for group in messages for row in standing([float(odds[at]) for at in group])])
        return places, table

    def learn(self, chosen: Any) -> Steps:
        """The first step, and the others learned from odds of projects that the first had not seen."""
        names = sorted(set(self.project[chosen]) - {"synthetic"})
        group = {name: at % 5 for at, name in enumerate(np.random.RandomState(0).permutation(names))}
        fold = np.array([group.get(name, -1) for name in self.project])
        first, odds = self.apart(chosen, fold)
        places, table = self.among(odds, chosen)
        spread = table.std(0) + 1e-9
        second = regression(table / spread, self.labels[places], None, 1.0)
        found = np.zeros(len(self.rows))
        found[places] = second.predict_proba(table / spread)[:, 1]
        return Steps(first, second, spread, self.third(places, found))

    def third(self, places: Sequence[int], chances: Any) -> tuple[float, ...]:
        """What the shape of a passage says about its worth: a bias and a weight for each number."""
        shapes, worth = [], []
        for group in messages_of(self.rows, places):
            said, features = [self.rows[at].sentence for at in group], [self.rows[at].features for at in group]
            own = [float(chances[at]) for at in group]
            first = self.rows[group[0]]
            for one in passages(said, own):
                part = slice(one.first, one.last + 1)
                shapes.append(shape(said[part], features[part], own[part]))
                text = " ".join(sentence.text for sentence in said[part])
                worth.append(self.known[first.project].is_worth(words(text), first.uuid))
        spread = np.array(shapes).std(0) + 1e-9
        model = regression(np.array(shapes) / spread, np.array(worth), None, 1.0)
        return tuple(round(float(w), 4) for w in (model.intercept_[0], *(model.coef_[0] / spread)))

    def chances(self, learned: Steps, asked: Any) -> Any:
        first, second, spread, _ = learned
        odds = first.odds(self.table.matrix)
        places, table = self.among(odds, asked)
        found = np.zeros(len(self.rows))
        found[places] = second.predict_proba(table / spread)[:, 1]
        return found

    def types(self, chosen: Any) -> dict[str, dict[str, float]]:
        """A row of weights for each type, from the words alone."""
        known = np.array([bool(row.type) for row in self.rows]) & chosen
        given = np.array([row.type for row in self.rows])
        words_only = np.array([name.startswith("g:") for name in self.table.names])
        matrix = self.table.matrix[known][:, np.flatnonzero(words_only)]
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


def written(learner: Learner, learned: Steps, types: dict[str, dict[str, float]]) -> ReaderWeights:
    """What was learned, as the package carries it: the meanings are written out as weights of words."""
    first, second, spread, third = learned
    names, meanings = learner.table.names, learner.table.meanings
    adds = dict(zip(names, first.weights[: len(names)], strict=True))
    words_ = meanings.lexicon()
    told = meanings.of(words_) @ first.weights[len(names) :] * MEANING
    grams = {name[2:]: float(w) for name, w in adds.items() if name[0] == "g"}
    for word, weight in zip(words_, told, strict=True):
        grams[word] = grams.get(word, 0.0) + float(weight)
    return ReaderWeights(
        bias=round(float(first.bias), 4),
        grams={name: round(w * GRAM, 2) for name, w in grams.items() if abs(w) * GRAM >= LEAST_WORD},
        marks={
            name[2:]: round(float(w) * MARK, 3)
            for name, w in adds.items()
            if name[0] == "m" and abs(w) * MARK >= LEAST_MARK
        },
        among=tuple(round(float(w), 4) for w in (second.intercept_[0], *(second.coef_[0] / spread))),
        passage=third,
        types=types,
    )


def judge(
    labels: Labels, rows: Sequence[Row], chances: Sequence[float], third: Sequence[float], keeps: float = KEEPS
) -> Counter[str]:
    """What the passages above a chance find of a project's facts and needs, and how many of them are worth it."""

    def weighed(numbers: Sequence[float]) -> float:
        return float(1 / (1 + math.exp(-(third[0] + sum(a * b for a, b in zip(third[1:], numbers, strict=True))))))

    found: list[tuple[int, str, frozenset[str]]] = []
    for group in messages_of(rows, range(len(rows))):
        said, features = [rows[at].sentence for at in group], [rows[at].features for at in group]
        own = [float(chances[at]) for at in group]
        for passage in chosen(said, features, own, weighed=weighed, keeps=keeps):
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
        learned = learner.learn(~asked)
        chances = learner.chances(learned, asked)
        precision = average_precision_score(learner.labels[asked], chances[asked])
        count = judge(labels, [row for row in learner.rows if row.project == name], chances[asked], learned.third)
        total += count
        result[name] = {"average_precision": round(float(precision), 4), **count}
        say(line(name, precision, count))
    mean = float(np.mean([one["average_precision"] for one in result.values()]))
    say(line("all", mean, total))
    return {"mean_average_precision": round(mean, 4), "projects": result, "total": dict(total)}


def read_all(data: Path) -> tuple[dict[str, Labels], Learner]:
    """Every labelled project, and a learner that knows all of their sentences."""
    known = {path.name: load(path) for path in projects(data)} | {"bookminder": bookminder(data)}
    rows = [row for at, (name, labels) in enumerate(known.items()) for row in rows_of(name, labels, at * 100_000)]
    return known, Learner([*rows, *synthetic()], known)


def learned_without(data: Path, names: Iterable[str]) -> Iterator[tuple[str, ReaderWeights]]:
    """For each of some projects the weights that were learned from all others."""
    _, learner = read_all(data)
    for name in names:
        chosen = learner.project != name
        yield name, written(learner, learner.learn(chosen), learner.types(chosen))


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--write", action="store_true", help="learn from all projects and write the weights")
    parser.add_argument("--quick", action="store_true", help="write without judging")
    args = parser.parse_args()
    if not projects(args.data):
        print("no labelled projects here: nothing to learn from", file=sys.stderr)
        return 2
    known, learner = read_all(args.data)
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
