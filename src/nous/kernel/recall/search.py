"""Finding memories for a question: understand, gather candidates, score every one, and say why.

One pipeline for everybody who asks. Candidates come from words, meaning, names and time; each gets a set of
signals, and its score is their weighted sum.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from nous.kernel.memory.decay import FADED
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.packet_cache import Cache
from nous.kernel.recall import ranking, staleness
from nous.kernel.recall.embedder import Embedder
from nous.kernel.recall.query import Question, understand
from nous.kernel.recall.ranking import Signals, shares, total, traits
from nous.kernel.recall.retrievers import RETRIEVERS, Ask, Hits, Model, text, vectors
from nous.kernel.recall.weights import DEFAULTS, Weights
from nous.kernel.viewer import OWNER_VIEW, Viewer
from nous.language.naming import normal
from nous.language.text import plain_words

if TYPE_CHECKING:
    from nous.kernel.stores import Events, Memories, Stores

CANDIDATES = 120
FILTERED_CANDIDATES = 1000  # a filter throws most candidates away
READ = 80  # candidates that are read and scored in full
FLOOR = 0.36  # below this relevance of the best, nothing here is about a short question
SHORT = 3  # words of a short question
FULLY = 1.0  # the relevance from which a question counts as answered in full
IN_MEANING = 0.5  # what meaning counts beside words in a relevance
NEARNESS = 0.4  # and in the score of a list of memories and exchanges
BACKGROUND = 200  # memories that there are at least, when it is judged how telling a word is
AS_WORDS = 0.3  # what the share of words said is worth at least: in a small store bm25 gives next to nothing
PAGE = 10  # after so many, breadth counts more than how much a text says


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, by whom, and which memories may answer. None means any."""

    text: str
    project_id: str | None
    circles: tuple[str, ...] = ()  # the teams of the project, and the organisation: what they say holds there too
    viewer: Viewer = OWNER_VIEW
    limit: int = 10
    type: str | None = None
    kind: str | None = None
    scope: str | None = None
    entity: str | None = None
    tag: str | None = None
    topic: str | None = None
    file: str | None = None
    module: str | None = None
    branch: str | None = None
    after: str | None = None
    before: str | None = None
    min_confidence: float | None = None
    as_of: str | None = None
    as_at: str | None = None
    now: str
    with_faded: bool = False  # also what was archived only because nobody needed it for long

    @property
    def is_filtered(self) -> bool:
        """Whether candidates may be thrown away for another reason than their score."""
        narrow = (self.type, self.kind, self.scope, self.entity, self.tag, self.topic, self.file, self.module)
        return any(narrow) or any((self.branch, self.after, self.before, self.min_confidence, self.as_at))


class Hit(msgspec.Struct, frozen=True):
    """A memory that answers, how well, what its score is made of, who found it, and whether it may be outdated."""

    memory: Memory
    score: float
    shares: dict[str, float] = {}
    found_by: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    relevance: float = 0.0
    base: float = 0.0  # how much of the question it says in words and meaning, in the units of exchanges
    scale: float = 1.0  # what the score was multiplied with


class Candidates(msgspec.Struct, frozen=True):
    """What the retrievers brought, each under its name."""

    question: Question
    hits: dict[str, Hits]
    telling: Mapping[str, float] = {}  # how rare each word of the question is
    answering: frozenset[int] = frozenset()  # the memories that were said in answer to a question

    def measure(self, memory: Memory) -> tuple[float, float]:
        """How much of the question a memory answers by its words and its meaning, 0 to about 1, the same measure for
        every question; and how well they match, as exchanges are measured."""
        near = max(0.0, self.hits["meaning"].scores.get(memory.id, 0.0))
        words = self.hits["words"].scores.get(memory.id, 0.0)
        whole = text.FULL * sum(self.telling.values())
        covered = ranking.coverage(self.telling, self.question.widen_text(" ".join((memory.content, *about(memory)))))
        said = max(words / whole if whole else 0.0, AS_WORDS * covered)
        return covered + IN_MEANING * near, said + NEARNESS * near

    @property
    def numbers(self) -> list[int]:
        """Every memory that somebody brought, each once."""
        return list(dict.fromkeys(number for hits in self.hits.values() for number in hits.numbers))

    @property
    def scores(self) -> dict[str, Mapping[int, float]]:
        """What is thought of memories, by the part of a score that it makes up."""
        return {retriever.part: self.hits[retriever.name].scores for retriever in RETRIEVERS if retriever.part}


class Rated(NamedTuple):
    """A candidate with its score."""

    memory: Memory
    score: float
    signals: Signals


def recall(stores: Stores, query: Query, embedder: Embedder | None = None, weights: Weights = DEFAULTS) -> list[Hit]:
    """The memories that answer a question best."""
    if query.limit < 1:
        return []
    model = vectors.prepare(stores.embeddings, stores.vectors, embedder) if embedder else None
    with stores.db.snapshot():
        candidates = gather(stores, query, model)
        best = rate(stores.events, stores.memories, query, candidates, weights)[: query.limit]
        marks = _marks(stores.cache, query, best)
        found = [_hit(candidates, *one, weights) for one in zip(best, marks, strict=True)]
    return _comparable(found) if answers(query, candidates.question, found) else []


def answers(query: Query, question: Question, found: Sequence[Hit]) -> bool:
    """Whether the best is about the question at all. What a filter or a time chose need not share its words."""
    if query.is_filtered or question.branches or (question.spans and not question.subject):
        return bool(found)
    if any(name not in ("words", "meaning") for hit in found for name in hit.found_by):
        return True
    return max((hit.relevance for hit in found), default=0.0) >= floor(question)


def floor(question: Question) -> float:
    """The relevance below which nothing is about a question: one word of three by chance is too little, a fifth of a
    long prompt is much. It falls with the number of words; of 495 questions none that can be answered is lost."""
    return FLOOR * min(1.0, SHORT / max(1, len(question.terms)))


def _comparable(found: Sequence[Hit]) -> list[Hit]:
    """The hits with scores that mean the same for every question: less, where even the best answers little."""
    best = min(1.0, max((hit.relevance for hit in found), default=0.0) / FULLY)
    return [
        msgspec.structs.replace(
            hit, score=hit.score * best, scale=best, shares={part: share * best for part, share in hit.shares.items()}
        )
        for hit in found
    ]


def _hit(candidates: Candidates, rated: Rated, marks: tuple[str, ...], weights: Weights) -> Hit:
    relevance, base = candidates.measure(rated.memory)
    parts = shares(rated.signals, weights)
    return Hit(rated.memory, rated.score, parts, _found_by(candidates, rated), marks, relevance, base)


def gather(stores: Stores, query: Query, model: Model | None) -> Candidates:
    """Memories that may answer, from every retriever."""
    question = understand(query.text, query.now)
    frequency = text.frequencies(stores.memories, question)
    ask = Ask(
        stores=stores,
        question=question,
        project_id=query.project_id,
        now=query.now,
        limit=max(CANDIDATES, query.limit * 2) if not query.is_filtered else FILTERED_CANDIDATES,
        as_of=stores.events.as_of(query.as_of) if query.as_of else None,
        any_status=bool(query.as_of or query.as_at or query.with_faded),
        model=model,
        frequency=frequency,
        rarity=text.rarity(frequency, stores.memories.size()),
    )
    found: dict[str, Hits] = {}
    for retriever in RETRIEVERS:
        found[retriever.name] = hits = retriever.find(ask)
        ask = msgspec.structs.replace(ask, found=(*ask.found, *hits.numbers))
    subject = {term.word for term in question.subject or question.terms}  # a date stands in no memory of its day
    told = {word: times for word, times in frequency.items() if word in subject}
    rare = text.rarity(told, max(BACKGROUND, stores.memories.size()))
    # What somebody asked before has little to do with when something happened.
    brought = {number for hits in found.values() for number in hits.numbers} if question.intent != "when" else ()
    return Candidates(question, found, rare, stores.sequences.answering(brought) if brought else frozenset())


def rate(log: Events, memories: Memories, query: Query, candidates: Candidates, weights: Weights) -> list[Rated]:
    """Every admitted candidate with its score, best first."""
    then = log.as_of(query.as_of) if query.as_of else None
    found = _promising(query, candidates, weights)
    allowed = {memory.id: memory for memory in memories.by_id(found, then) if admits(query, memory)}
    rated = _score(query, candidates, allowed, weights)
    return _broaden_weights(rated, weights) if query.limit > 2 * PAGE else rated


def _broaden_weights(rated: list[Rated], weights: Weights) -> list[Rated]:
    """After the first page, neither how much a text says nor what it looks like counts, nor that it answers somebody:
    who reads on wants the other places where it was spoken of. Scores still fall from one to the next."""
    signed = ranking.signed_weights(weights)
    rest = []
    for memory, _, before in rated[PAGE:]:
        plain = before._replace(substance=0.0, telling=0.0, answer=0.0)
        rest.append(Rated(memory, total(plain, signed), plain))
    return rated[:PAGE] + sorted(rest, key=_order)


def _promising(query: Query, candidates: Candidates, weights: Weights) -> list[int]:
    """The candidates worth reading. Words and meaning decide most of a score, so those far behind in both are left out,
    unless a time or a filter may still turn the order."""
    found = candidates.numbers
    most = max(READ, query.limit * 3)
    if len(found) <= most or query.is_filtered or candidates.question.spans:
        return found
    parts = [(getattr(weights, part), ranking.against_best(scores)) for part, scores in candidates.scores.items()]
    rough = {number: sum(weight * scores.get(number, 0.0) for weight, scores in parts) for number in found}
    return heapq.nlargest(most, rough, key=rough.__getitem__)


def _score(
    query: Query,
    candidates: Candidates,
    memories: Mapping[int, Memory],
    weights: Weights,
) -> list[Rated]:
    """Signals and score of each memory, measured against the best of them."""
    found = {
        part: ranking.against_best({number: scores.get(number, 0.0) for number in memories})
        for part, scores in candidates.scores.items()
    }
    sessions = ranking.support(found["text"], {number: memory.session_id for number, memory in memories.items()})
    question, signed = candidates.question, ranking.signed_weights(weights)
    named, answering = _named_words(question, memories.values()), candidates.answering
    rated = []
    for number, memory in memories.items():
        shown = traits(memory.content)
        since = memory.valid_from or memory.created_at
        shown_by = Signals(
            **{part: scores[number] for part, scores in found.items()},
            concept=_named_share(question, named, memory),
            temporal=question.closeness(since) if question.spans else 0.0,
            session=sessions[memory.session_id],
            telling=ranking.tells(question.intent, shown),
            substance=shown.substance,
            answer=float(number in answering),
            question=shown.questions,
        )
        rated.append(Rated(memory, total(shown_by, signed), shown_by))
    return sorted(rated, key=_order)


def _order(rated: Rated) -> tuple[float, int]:
    return -rated.score, -rated.memory.id


def about(memory: Memory) -> tuple[str, ...]:
    """The names a memory is about."""
    return memory.entities + memory.concepts + memory.tags + memory.symbols


def _named_words(question: Question, memories: Iterable[Memory]) -> frozenset[str]:
    """The words of a question that are names of something some candidate is about."""
    names = {about(memory) for memory in memories}
    known = frozenset(word for each in names for word in ranking.name_words(each))
    return known.intersection(plain_words(question.text))


def _named_share(question: Question, named: frozenset[str], memory: Memory) -> float:
    """How much of what the question names the memory is about; its branch counts as all."""
    if question.branches and memory.branch in question.branches:
        return 1.0
    return ranking.overlap(named, about(memory)) if named else 0.0


def _found_by(candidates: Candidates, rated: Rated) -> tuple[str, ...]:
    return tuple(name for name, hits in candidates.hits.items() if rated.memory.id in hits.numbers)


def _marks(cache: Cache, query: Query, shown: Sequence[Rated]) -> list[tuple[str, ...]]:
    """Of each memory what speaks against it."""
    roots = {}
    if any(hit.memory.anchors for hit in shown):
        roots = {row["project_id"]: row["root"] for row in cache.projects()}
    return [tuple(staleness.marks(hit.memory, roots.get(hit.memory.project_id), query.now)) for hit in shown]


def admits(query: Query, memory: Memory) -> bool:
    """Whether a memory passes the query's filters. Another project's memories never do, unless all are asked for."""
    return refusal(query, memory) is None


def refusal(query: Query, memory: Memory) -> str | None:
    """Why a memory may not answer, or None."""
    if not _is_here(query, memory):
        return f"it belongs to another project ({memory.project_id})"
    if reason := _is_not_valid(query, memory):
        return reason
    return _is_filtered(query, memory) if query.is_filtered else None


def _is_here(query: Query, memory: Memory) -> bool:
    """Whether a memory holds in the project that is asked about, its own, its team's or a global one, and whoever looks
    may see it."""
    if memory.scope == "global":
        return True
    is_asked = query.project_id is None or memory.project_id in (query.project_id, *query.circles)
    return is_asked and query.viewer.sees(memory.project_id)


def _is_filtered(query: Query, memory: Memory) -> str | None:
    """The first filter that a memory does not pass."""
    known_at = memory.valid_from or memory.created_at
    checks = {
        f"its type is {memory.type}": query.type is None or memory.type == query.type,
        f"its kind is {memory.kind}": query.kind is None or memory.kind == query.kind,
        f"its scope is {memory.scope}": query.scope is None or memory.scope == query.scope,
        f"it is not about {query.entity}": query.entity is None or is_named(query.entity, about(memory)),
        f"it has no tag {query.tag}": query.tag is None or query.tag in memory.tags,
        f"it is not on {query.topic}": query.topic is None or ranking.is_on(query.topic, about(memory)),
        f"it is not about {query.file}": query.file is None or any(_same_file(query.file, f) for f in memory.files),
        f"it is not in {query.module}": query.module is None or any(_is_inside(query.module, f) for f in memory.files),
        f"it belongs to branch {memory.branch}": query.branch is None or memory.branch in (None, query.branch),
        f"it is from {known_at[:10]}": (query.after is None or known_at >= query.after)
        and (query.before is None or known_at < query.before),
        f"its confidence is {memory.confidence:.2f}": query.min_confidence is None
        or memory.confidence >= query.min_confidence,
    }
    return next((reason for reason, holds in checks.items() if not holds), None)


def _is_not_valid(query: Query, memory: Memory) -> str | None:
    """Active and true at the moment asked about; a superseded fact was true until its successor came."""
    moment = query.as_at or query.now
    is_faded = query.with_faded and memory.status == "archived" and (memory.archived_reason or "").startswith(FADED)
    if not is_faded and memory.status not in (("active", "superseded") if query.as_at else ("active",)):
        return f"it is {memory.status}"
    if query.as_at and memory.valid_from and memory.valid_from > moment:
        return f"it was not true yet (since {memory.valid_from})"
    if memory.valid_until and memory.valid_until <= moment:
        return f"it was no longer true (until {memory.valid_until})"
    return None


def is_named(entity: str, names: Iterable[str]) -> bool:
    """Whether names hold an entity, in whatever spelling: who asks for "postgres" means "PostgreSQL" too."""
    wanted = normal(entity) or entity.casefold()
    return any(wanted == (normal(name) or name.casefold()) for name in names)


def _same_file(asked: str, file: str) -> bool:
    return file == asked or file.endswith("/" + asked) or asked.endswith("/" + file)


def _is_inside(module: str, file: str) -> bool:
    return f"/{module.strip('/')}/" in f"/{file}"
