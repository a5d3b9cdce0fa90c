"""What each part of the one list is worth: BEAM, sde-bench and LoCoMo with one of them taken away at a time.

`python -m bench.recall_list HOMES --beam DIR --sde DIR [--locomo FILE] [--out FILE]`. HOMES keeps the stores, so that a
second run takes seconds. BEAM: the share of a question's source exchanges among the first five and ten hits. sde-bench:
the share of a decision's words in the ten hits. LoCoMo: as in `recall_ablation`.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from bench.recall_ablation import Told, blind, evaluate, none, told, without
from bench.recall_corpora import Corpus, load_beam, load_sde
from nous.features.exchanges import answering, search_with_models, together
from nous.features.exchanges import search as exchanges
from nous.features.memories.finding import Recalled
from nous.kernel.recall import query, search
from nous.kernel.recall.weights import Weights

LIMIT = 10
SHOWN = ("R@10", "nDCG@10", "session R@10")  # LoCoMo holds memories alone: what is of exchanges changes nothing
READ = 1_500  # characters of a hit that count
_WORD = re.compile(r"[^\W\d_]+|\d+")
_JOINING = """
    a an and any are as at be been but by can did do does for from had has have he her his how i if in into is it its me
    my no not of on or our out per so than that the their them then there these they this those to too up us was we were
    what when where which who why will with would you your also must should may plus"""
_STOP = frozenset(_JOINING.split())


def evidence(hit: Recalled) -> set[str]:
    """The records that a hit shows."""
    found = set(hit.memory.evidence) if hit.memory else set()
    found |= set(hit.exchange.evidence) if hit.exchange else set()
    return found | (set(hit.distilled.evidence) if hit.distilled else set())


def beam(corpora: Sequence[Corpus], weights: Weights) -> dict[str, float]:
    """The share of sources found, over all questions."""
    rows: list[tuple[float, float]] = []
    for corpus in corpora:
        with corpus.open() as nous:
            nous.work.weights = weights
            for asked in corpus.questions:
                hits = nous.recall(asked.text, project=corpus.project, limit=LIMIT)
                found = [{corpus.exchange_of.get(record, "") for record in evidence(hit)} for hit in hits]
                first = [len(asked.sources & set().union(*found[:many])) / len(asked.sources) for many in (5, 10)]
                rows.append((first[0], first[1]))
    return {f"BEAM R@{many}": _mean([row[at] for row in rows]) for at, many in enumerate((5, 10))}


def sde(corpora: Sequence[Corpus], weights: Weights) -> dict[str, float]:
    """The share of a decision's words in the hits, for plain and for amended decisions."""
    shares: dict[str, list[float]] = {}
    for corpus in corpora:
        with corpus.open() as nous:
            nous.work.weights = weights
            for asked in corpus.questions:
                hits = nous.recall(asked.text, project=corpus.project, limit=LIMIT)
                told, wanted = words("\n".join(hit.content[:READ] for hit in hits)), words(asked.decision)
                shares.setdefault(corpus.name, []).append(len(wanted & told) / len(wanted))
    return {f"sde {name}": _mean(found) for name, found in shares.items()}


def words(text: str) -> frozenset[str]:
    """The telling words of a text, without their endings."""
    found = (word for word in _WORD.findall(text.lower()) if word not in _STOP and (len(word) > 1 or word.isdigit()))
    return frozenset(re.sub(r"(?<=...)(?:ing|ed|es|(?<!s)s|e)$", "", word) for word in found)


def _mean(values: Sequence[float]) -> float:
    return round(100 * sum(values) / len(values), 1)


def _less(module: Any, name: str, value: float) -> Callable[[], AbstractContextManager[None]]:
    return lambda: without((module, name, value))


PARTS = ("concept", "temporal", "session", "telling", "substance", "answer", "question")
Variant = tuple[Weights, Callable[[], AbstractContextManager[None]]]  # weights, and what is switched off meanwhile
OF_EXCHANGES: dict[str, Variant] = {
    "without memories": (none(), lambda: without((search, "rate", lambda *_: []))),
    "without the rule that applies": (none(), lambda: without((search_with_models, "applying", lambda *_: None))),
    "without rules in force": (none(), _less(together, "IN_FORCE", 0.0)),
    "kept counts like standing": (none(), _less(together, "KEPT", 1.0)),
    "without the agent's words": (none(), _less(exchanges, "SAID", 0.0)),
    "without meaning of exchanges": (none(), _less(exchanges, "NEARNESS", 0.0)),
    "without the passage's worth": (none(), _less(exchanges, "ANSWERS", 0.0)),
    "without conclusions": (none(), _less(answering, "CONCLUDES", 0.0)),
    "without closing words": (none(), _less(answering, "CLOSES", 0.0)),
    "steps count like other sentences": (none(), _less(answering, "STEP", 1.0)),
    "without errors": (none(), _less(exchanges, "BY_ERROR", 0.0)),
    "without joining replies": (none(), lambda: without((exchanges, "_pair", lambda *_: (None, None)))),
    "without the later first": (none(), lambda: without((exchanges, "_later_first", list))),
    "without a cut far below the best": (none(), _less(together, "FAR", 0.0)),
    "without following sentences": (none(), _less(answering, "FOLLOWS", 0.0)),
    "said again counts in full": (none(), _less(answering, "SAID_BEFORE", 0.0)),
    "questions count in full": (none(), _less(answering, "ASKS", 1.0)),
}
OF_MEMORIES: dict[str, Variant] = {
    "everything": (none(), without),
    "without vectors of memories": (none("vector"), lambda: blind("meaning")),
    "without words of memories": (none("text"), lambda: blind("words")),
    "without candidates by time": (none(), lambda: blind("time")),
    "without kinds of things": (none(), lambda: without((query, "names_of_kind", lambda _: {}))),
    "without breadth after ten": (none(), lambda: without((search, "PAGE", 1000))),
    **{f"without {part}": (none(part), without) for part in PARTS},
}
VARIANTS = OF_MEMORIES | OF_EXCHANGES


def main() -> None:
    """Every variant, printed as it comes."""
    given = argparse.ArgumentParser(prog="bench.recall_list", description="What each part of the one list is worth.")
    given.add_argument("homes", type=Path)
    given.add_argument("--beam", type=Path, required=True)
    given.add_argument("--sde", type=Path, required=True)
    given.add_argument("--locomo", type=Path)
    given.add_argument("--out", type=Path)
    asked = given.parse_args()
    long, tasks = load_beam(asked.beam, asked.homes), load_sde(asked.sde, asked.homes)
    turns: list[Told] = list(told(asked.locomo)) if asked.locomo else []
    lines: list[str] = []
    for name, (weights, switched) in VARIANTS.items():
        with switched():
            found: dict[str, Any] = beam(long, weights) | sde(tasks, weights)
            of_turns = evaluate(turns, weights) if turns and name in OF_MEMORIES else {}
            found |= {f"LoCoMo {part}": of_turns.get(part, "") for part in SHOWN if turns}
        if not lines:
            lines += ["| list | " + " | ".join(found) + " |", "| --- |" + " --- |" * len(found)]
        lines.append(f"| {name} | " + " | ".join(map(str, found.values())) + " |")
        print(lines[-1], flush=True)
    if asked.out:
        asked.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
