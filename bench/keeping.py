"""Learns which sentences are worth keeping, from the labelled messages in `bench/corpus`, and says how well.

`python -m bench.keeping` asks each writer's messages of weights learned from the others; `--write` learns from all of
them and writes `src/nous/core/extractor/keeping.json`. Needs scikit-learn (`pip install -e '.[train]'`).
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from nous.core.extractor import keeping
from nous.core.extractor.sentences import Sentence
from nous.core.extractor.speech import sentences_of

CORPUS = Path(__file__).parent / "corpus"
CASES = "cases"
WEIGHT_OF_CASES = 4.0
CHANGES = CORPUS / "changes.jsonl"
WEIGHTS = Path(keeping.__file__).with_name("keeping.json")
COMMON = 3  # sentences from which on a word counts as itself, and a feature at all
STRENGTH = 0.05  # of the fit; less is smoother
SMALLEST = 0.01  # weights below it change nothing


class Example(NamedTuple):
    """A sentence in its message, who wrote it, and whether it is worth keeping."""

    writer: str
    said: tuple[Sentence, ...]
    place: int
    kept: bool


def examples() -> list[Example]:
    """Every sentence of the labelled messages."""
    found: list[Example] = []
    for writer, text, kept in [*_messages(), *_told_again(), *_known_cases()]:
        said = sentences_of(text)
        parts = [_plain(part) for part in kept]
        found += [Example(writer, said, place, any(map(_shares(one.text), parts))) for place, one in enumerate(said)]
    return found


Message = tuple[str, str, list[str]]


def _messages() -> Iterator[Message]:
    for path in sorted((CORPUS / "messages").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            message = json.loads(line)
            yield path.stem, message["user"], message["keep"]


def _told_again() -> Iterator[Message]:
    """What was said before and after a change, of every second pair; `bench.changes` asks the others."""
    for line in CHANGES.read_text("utf-8").splitlines()[::2]:
        pair = json.loads(line)
        for when in ("old", "new") if pair["ends"] else ("old",):
            marks = [re.compile(mark, re.I) for mark in pair[f"{when}_marks"]]
            kept = [one.text for one in sentences_of(pair[when]) if any(mark.search(one.text) for mark in marks)]
            if kept:
                yield "changes", pair[when], kept


def _known_cases() -> Iterator[Message]:
    """The prompts that the tests hold the extractor to."""
    for line in _lines("kept.txt"):
        prompt = line.split(" | ", 2)[2].strip()
        if not prompt.startswith(("> ", "$ ")):
            yield CASES, prompt, [prompt]
    yield from ((CASES, line, []) for line in _lines("ignored.txt"))
    for line in [*_lines("changes.txt"), *_lines("apart.txt")]:
        yield from ((CASES, said, [said]) for said in line.split(" => "))


def _lines(name: str) -> list[str]:
    path = Path(__file__).parent.parent / "tests" / "data" / "learning" / name
    return [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("# ")]


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _shares(sentence: str) -> Callable[[str], bool]:
    """A test of whether a labelled part and this sentence are about the same words."""
    plain = _plain(sentence)
    words = set(plain.split())

    def shares(part: str) -> bool:
        if part in plain or plain in part:
            return True
        other = set(part.split())
        shorter = min((words, other), key=len) if len(other) > 2 else words
        return len(words & other) >= 0.75 * max(1, len(shorter))

    return shares


class Fit(NamedTuple):
    """Weights as they were learned, with the words that count as themselves."""

    words: frozenset[str]
    vectorizer: Any
    model: Any

    def chances(self, some: Iterable[Example]) -> list[float]:
        """What the weights say of each example."""
        rows = [dict.fromkeys(keeping.features(one.said, one.place, self.words), 1.0) for one in some]
        return [float(row[1]) for row in self.model.predict_proba(self.vectorizer.transform(rows))]


def fit(some: Sequence[Example]) -> Fit:
    """Weights learned from these examples."""
    seen = Counter(word for one in some for word in set(keeping.tokens(one.said[one.place].text.lower())))
    words = frozenset(word for word, count in seen.items() if count >= COMMON and not re.search(r"\d", word))
    named = [keeping.features(one.said, one.place, words) for one in some]
    counts = Counter(name for names in named for name in names)
    rows = [{name: 1.0 for name in names if counts[name] >= COMMON} for names in named]
    vectorizer = import_module("sklearn.feature_extraction").DictVectorizer()
    model = import_module("sklearn.linear_model").LogisticRegression(C=STRENGTH, max_iter=3000)
    weights = [WEIGHT_OF_CASES if one.writer == CASES else 1.0 for one in some]
    model.fit(vectorizer.fit_transform(rows), [one.kept for one in some], sample_weight=weights)
    return Fit(words, vectorizer, model)


def write(learned: Fit, path: Path = WEIGHTS) -> int:
    """Write the weights as the package reads them; says how many there are."""
    named = zip(learned.vectorizer.get_feature_names_out(), learned.model.coef_[0], strict=True)
    features = {name: round(float(weight), 3) for name, weight in sorted(named) if abs(weight) >= SMALLEST}
    used = {word for name in features for word in name.split(" ")}
    value = {
        "bias": round(float(learned.model.intercept_[0]), 3),
        "words": sorted(learned.words & used),
        "features": features,
    }
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    return len(features)


def main() -> None:
    """Print how good the weights are on people they have not seen; with --write, learn them for the package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="learn from everything and write the package's weights")
    given = parser.parse_args()
    everything = examples()
    if given.write:
        print(f"{write(fit(everything))} weights from {len(everything)} sentences")
        return
    average = import_module("sklearn.metrics").average_precision_score
    print("writer  sentences  kept  average precision   recall at precision 0.9 / 0.8")
    for writer in sorted({one.writer for one in everything}):
        asked = [one for one in everything if one.writer == writer]
        chances = fit([one for one in everything if one.writer != writer]).chances(asked)
        labels = [one.kept for one in asked]
        reach = " / ".join(f"{recall_at(labels, chances, wanted):.2f}" for wanted in (0.9, 0.8))
        print(f"{writer:7} {len(asked):9} {sum(labels):5} {average(labels, chances):18.3f}   {reach}")


def recall_at(labels: Sequence[bool], chances: Sequence[float], precision: float) -> float:
    """The share of what is worth keeping that is found when this share of what is found is worth it."""
    best, right = 0.0, 0
    for count, (_, label) in enumerate(sorted(zip(chances, labels, strict=True), reverse=True), 1):
        right += label
        if right >= precision * count:
            best = right / sum(labels)
    return best


if __name__ == "__main__":
    main()
