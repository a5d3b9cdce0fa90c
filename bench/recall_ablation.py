"""What each retriever and trick is worth: LoCoMo with one of them taken away at a time.

`python -m bench.recall_ablation DATA.json [--out FILE]`, where DATA is a file in the format of LoCoMo's release. Each
turn is a memory; a question's evidence turns are what must be found. Weights come from the settings, so a part of the
score is taken away by giving it the weight 0; what is no part of the score is switched off by hand.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.recall_locomo import Plug
from nous.kernel.memory import surroundings
from nous.kernel.recall import search
from nous.kernel.recall.retrievers import RETRIEVERS, Hits
from nous.kernel.recall.weights import Weights

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_TURN = re.compile(r"D:?(\d+):(\d+)")
Found = dict[str, float]


def conversations(path: Path) -> Iterator[tuple[list[dict[str, Any]], list[tuple[str, set[str], int]]]]:
    """The turns of each conversation, and its questions with their evidence and category."""
    for sample in json.loads(path.read_text("utf-8")):
        said, turns = sample["conversation"], []
        sessions = sorted(int(key[8:]) for key in said if re.fullmatch(r"session_\d+", key))
        for number in sessions:
            for turn in said[f"session_{number}"]:
                image = f" [shared image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
                about = {"speaker": turn["speaker"], "date": said.get(f"session_{number}_date_time", "")}
                words = ((turn.get("text") or "") + image).strip()
                turns.append({"id": turn["dia_id"], "text": words, "session": number} | about)
        known = {turn["id"] for turn in turns}
        asked = []
        for qa in sample["qa"]:
            named = {f"D{int(a)}:{int(b)}" for proof in qa.get("evidence") or () for a, b in _TURN.findall(proof)}
            if named & known:
                asked.append((qa["question"], named & known, qa["category"]))
        yield turns, asked


def measured(ranked: list[str], wanted: set[str], limit: int = 10) -> tuple[float, float]:
    """Recall and nDCG of the first ten."""
    gains = [1 / math.log2(at + 2) for at, name in enumerate(ranked[:limit]) if name in wanted]
    ideal = sum(1 / math.log2(at + 2) for at in range(min(len(wanted), limit)))
    return len(gains) / len(wanted), sum(gains) / ideal


Told = tuple[Plug, list[tuple[str, set[str], int]]]  # a conversation that was remembered, and its questions


def told(path: Path) -> Iterator[Told]:
    """Every conversation in a store of its own."""
    for turns, asked in conversations(path):
        plug = Plug()
        plug.build(turns)
        yield plug, asked


def evaluate(remembered: Iterable[Told], weights: Weights) -> Found:
    """Recall by category, of turns and of sessions."""
    rows: list[tuple[int, float, float, float]] = []
    for plug, asked in remembered:
        plug.nous.work.weights = weights
        for question, wanted, category in asked:
            ranked = plug.search(question, 50)
            sessions = list(dict.fromkeys(name.split(":")[0] for name in ranked))
            recall, gain = measured(ranked, wanted)
            rows.append((category, recall, gain, measured(sessions, {name.split(":")[0] for name in wanted})[0]))
    by_category = {name: [row[1] for row in rows if row[0] == number] for number, name in CATEGORIES.items()}
    whole = {
        "R@10": [row[1] for row in rows],
        "nDCG@10": [row[2] for row in rows],
        "session R@10": [r[3] for r in rows],
    }
    return {name: round(100 * sum(found) / len(found), 1) for name, found in (whole | by_category).items() if found}


@contextmanager
def without(*replaced: tuple[object, str, Any]) -> Iterator[None]:
    """Something of the package replaced for a while."""
    with ExitStack() as stack:
        for place, name, value in replaced:
            stack.enter_context(patch.object(place, name, value))
        yield


def none(*parts: str) -> Weights:
    """The default weights without some parts."""
    return Weights(**dict.fromkeys(parts, 0.0))


def blind(name: str) -> AbstractContextManager[None]:
    """One retriever finds nothing for a while."""
    others = (one._replace(find=lambda _: Hits()) if one.name == name else one for one in RETRIEVERS)
    return without((search, "RETRIEVERS", tuple(others)))


SCORE = ("concept", "session", "temporal", "telling", "substance", "answer", "question")
# name -> weights, and what is switched off meanwhile
VARIANTS: dict[str, tuple[Weights, Callable[[], Any]]] = {
    "everything": (none(), without),
    "without vectors": (none("vector"), lambda: blind("meaning")),
    "without words": (none("text"), lambda: blind("words")),
    **{f"without {part}": (none(part), without) for part in SCORE},
    "without context": (none(), lambda: without((surroundings, "surroundings", lambda told, at: ("", "")))),
    "without breadth after ten": (none(), lambda: without((search, "PAGE", 1000))),
    "words and vectors only": (none(*SCORE), without),
    "words only": (none("vector", *SCORE), lambda: blind("meaning")),
}


def table(found: dict[str, Found]) -> list[str]:
    """Rows of Markdown."""
    columns = list(next(iter(found.values())))
    head = ["| pipeline | " + " | ".join(columns) + " |", "| --- |" + " --- |" * len(columns)]
    return head + [f"| {name} | " + " | ".join(str(row[c]) for c in columns) + " |" for name, row in found.items()]


def main() -> None:
    """Every variant, printed as it comes."""
    given = argparse.ArgumentParser(prog="bench.recall_ablation", description="What each part of recall is worth.")
    given.add_argument("data", type=Path)
    given.add_argument("--out", type=Path)
    asked = given.parse_args()
    found: dict[str, Found] = {}
    for name, (weights, switched) in VARIANTS.items():
        with switched():
            found[name] = evaluate(told(asked.data), weights)
        print(table(found)[-1], flush=True)
    if asked.out:
        asked.out.write_text("\n".join(table(found)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
