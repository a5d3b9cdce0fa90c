"""What `recall` does beyond finding: faded memories, an imagined answer where little is found, a reranker's order.

Only for somebody who asked and waits; hooks and packets never come here.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from nous.core.query import understand
from nous.core.redact import redact_text
from nous.core.weights import Weights
from nous.errors import BadOutput, NousError
from nous.kernel.asking import RecordKind
from nous.providers import Embedder, Reranker
from nous.recall import exchanges
from nous.recall.applying import applying, with_rule
from nous.recall.embedding import may_be_sent
from nous.recall.exchanges import Asked, Spoken
from nous.recall.retrievers import Model
from nous.recall.retrievers.vectors import prepare
from nous.recall.search import Hit, Query, floor, recall
from nous.recall.together import ONLY_OF_MEMORIES, Found, one_list
from nous.stores import Stores

RERANKED = 20  # how many of the best a reranker orders
FEW = 3  # with fewer hits that answer, an imagined answer is searched with
HYPOTHESIS = "hypothesis"  # in `found_by`: an imagined answer brought it

log = logging.getLogger("nous")


class Means(NamedTuple):
    """What may be used to find more: vectors, a model that imagines an answer, a reranker."""

    embedder: Embedder | None
    weights: Weights
    imagine: Callable[[str], str | None] | None = None
    reranker: Callable[[], Reranker | None] | None = None


def find(stores: Stores, query: Query, means: Means, records: RecordKind = "all") -> list[Found]:
    """The memories and exchanges that answer a question best, in one list, best first."""
    if query.limit < 1:
        return []
    wide = max(query.limit, RERANKED) if means.reranker else query.limit
    twice = replace(query, limit=2 * wide)  # a memory and its exchange become one hit
    memories = search_deeply(stores, twice, means) if records != "exchanges" else []
    model = prepare(stores, means.embedder) if means.embedder and not means.embedder.remote else None
    with stores.db.snapshot():
        asked = exchanges.ask(stores, query)
        spoken = _spoken(stores, replace(query, limit=wide), asked, model) if records != "memories" else []
        rule = applying(stores, query, asked.telling) if records != "exchanges" else None
    found = with_rule(one_list(memories, spoken, means.weights, wide), rule)
    return reordered(means, query.text, found)[: query.limit]


def _spoken(stores: Stores, query: Query, asked: Asked, model: Model | None) -> list[Spoken]:
    """The exchanges that answer; none when a filter asks for what only memories have."""
    if any(getattr(query, name) for name in ONLY_OF_MEMORIES):
        return []
    moment = min((one for one in (query.as_of, query.as_at, query.before) if one), default=None)
    return exchanges.search(stores, replace(query, before=moment), model, asked)


def search_deeply(stores: Stores, query: Query, means: Means) -> list[Hit]:
    """The memories that answer a question best, by all means that were chosen."""
    if query.limit < 1:
        return []
    wide = query
    found = recall(stores, wide, means.embedder, means.weights)
    if not found and not query.as_of and not query.as_at:  # what nobody needed for long may be wanted now
        wide = replace(wide, with_faded=True)
        found = recall(stores, wide, means.embedder, means.weights)
    if means.imagine and means.embedder and is_little(wide, found) and (answer := means.imagine(query.text)):
        found = _with_answer(stores, replace(wide, imagined=answer), means, found)
    return found[: query.limit]


def is_little(query: Query, found: Sequence[Hit]) -> bool:
    """Whether hardly anything that was found is about the question; one without words has nothing to imagine."""
    question = understand(query.text, query.now)
    return bool(question.terms) and sum(hit.relevance >= floor(question) for hit in found) < FEW


def _with_answer(stores: Stores, query: Query, means: Means, before: Sequence[Hit]) -> list[Hit]:
    """What is found with the imagined answer too; what only it brought is marked. Nothing found before is lost."""
    known = {hit.memory.id for hit in before}
    found = [
        hit if hit.memory.id in known else replace(hit, found_by=(*hit.found_by, HYPOTHESIS))
        for hit in recall(stores, query, means.embedder, means.weights)
    ]
    there = {hit.memory.id for hit in found}
    missing = [hit for hit in before if hit.memory.id not in there]
    return [*found[: query.limit - len(missing)], *missing]


# -- a reranker -------------------------------------------------------------------------------------------------------

_said: set[str] = set()  # which failures were told already


def reordered(means: Means, question: str, found: Sequence[Found]) -> list[Found]:
    """The hits in the order of the chosen reranker; as they are when there is none or it fails, which is said once."""
    if means.reranker is None or len(found) < 2:
        return list(found)
    try:
        reranker = means.reranker()
        return rerank(reranker, question, found, means.weights) if reranker else list(found)
    except NousError as problem:
        words = redact_text(str(problem))[0][:300]
        if words not in _said:
            _said.add(words)
            log.warning("the reranker failed, so the order is that of the scores: %s", words)
        return list(found)


def rerank(reranker: Reranker, question: str, found: Sequence[Found], weights: Weights) -> list[Found]:
    """The best hits with one more part in their scores, best first; those behind stay behind.

    The part runs from 0 for the worst to 1 for the best of them. What a remote reranker must not see counts as the
    mean, neither lifted nor lowered.
    """
    best, rest = found[:RERANKED], found[RERANKED:]
    sent = [at for at, hit in enumerate(best) if not reranker.remote or _may_be_sent(hit)]
    if len(sent) < 2:
        return list(found)
    asked = redact_text(question)[0] if reranker.remote else question
    scores = reranker.scores(asked, [best[at].content for at in sent])
    parts = dict(zip(sent, _parts(scores, len(sent), reranker.model), strict=True))
    mean = math.fsum(parts.values()) / len(parts)
    lifted = [_lifted(hit, weights.reranker * parts.get(at, mean)) for at, hit in enumerate(best)]
    return [*sorted(lifted, key=lambda hit: -hit.score), *rest]


def _may_be_sent(hit: Found) -> bool:
    """Whether a remote model may read a hit: what was said in a session holds code and private words."""
    return hit.leads == "memory" and hit.memory is not None and may_be_sent(hit.memory.memory)


def _parts(scores: Sequence[float], count: int, model: str) -> list[float]:
    """Scores from 0 for the lowest to 1 for the highest; all 0 when they say nothing."""
    if len(scores) != count or not all(map(math.isfinite, scores)):
        raise BadOutput(f"{model} did not give one number for each text")
    low, span = min(scores), (max(scores) - min(scores)) or 1.0
    return [(score - low) / span for score in scores]


def _lifted(hit: Found, share: float) -> Found:
    return replace(hit, score=hit.score + share, shares=hit.shares | {"reranker": share})
