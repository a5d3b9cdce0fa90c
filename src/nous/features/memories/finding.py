"""Finding memories and exchanges, answering from them, and saying where they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from nous import moments
from nous.config import excluded_projects
from nous.errors import ConfigError
from nous.features.ask.notes import CitedSentence, FoundNote
from nous.features.exchanges import search_with_models
from nous.features.exchanges.search import Spoken
from nous.features.exchanges.together import Found
from nous.features.memories import explain as explaining
from nous.features.memories.explain import WhyNot
from nous.features.memories.looking_up import access
from nous.features.memories.operations import Ask, Recall
from nous.kernel.memory.memory import Memory
from nous.kernel.recall.embedding import may_be_sent
from nous.kernel.recall.search import Query
from nous.kernel.viewer import OWNER_VIEW, Viewer

if TYPE_CHECKING:
    from nous.app import Nous

FILTERS = tuple(name for name in Recall.__struct_fields__ if name in Query.__struct_fields__ and name != "project_id")
NO_MODEL = "no model is chosen, so this is the list that recall gives"
NOTHING_FOUND = "nothing is remembered about this"
NOT_ASKED = "the model could not be asked, or gave no answer that could be read: `nous admin cost --calls 5` says why"
UNKNOWN = "memory does not say: none of what was found answers the question"


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """What `recall` gives: a memory with its number, words, score and the caller's own key for it, or a passage of an
    earlier exchange, whose id is the record that it begins with."""

    id: Any  # a memory's number, or the name of a record
    content: str
    score: float
    ref: str | None = None
    memory: Memory | None = None
    exchange: Spoken | None = None  # of a memory: the exchange it came from, where that matches too
    distilled: Memory | None = None  # of an exchange: a memory that came from it and matches too
    shares: dict[str, float] = {}
    found_by: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()

    @property
    def project_id(self) -> str:
        """Where it was said."""
        return self.memory.project_id if self.memory else self.exchange.place.project_id if self.exchange else ""

    @property
    def day(self) -> str:
        """When it was said."""
        said = self.memory
        at = (said.valid_from or said.created_at) if said else self.exchange.place.at if self.exchange else ""
        return at[:10]

    @property
    def note(self) -> FoundNote:
        """What a model is given of it to answer from."""
        passage = f" ({self.exchange.content})" if self.memory and self.exchange else ""
        return FoundNote(self.day, "memory" if self.memory else "exchange", self.content + passage)


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What `ask` gives: sentences that cite hits by their place in the list, from 1, and the hits. Without sentences,
    `reason` says why."""

    sentences: tuple[CitedSentence, ...] = ()
    hits: tuple[Recalled, ...] = ()
    model: str | None = None
    reason: str = ""


def _as_recalled(found: Found) -> Recalled:
    """A hit of the list as it is given: what answers better, with the other beside it."""
    hit, spoken = found.memory, found.exchange
    if spoken and (hit is None or found.leads == "exchange"):
        return Recalled(
            id=spoken.place.uuid,
            content=spoken.content,
            score=found.score,
            exchange=spoken,
            distilled=hit.memory if hit else None,
            shares=found.shares,
            found_by=tuple(part for part, share in spoken.shares.items() if share > 0),
        )
    assert hit is not None
    return Recalled(
        id=hit.memory.id,
        content=hit.memory.content,
        score=found.score,
        ref=hit.memory.ref,
        memory=hit.memory,
        exchange=spoken,
        shares=found.shares,
        found_by=hit.found_by,
        stale=hit.stale,
    )


def find(nous: Nous, asked: Recall, viewer: Viewer) -> list[Recalled]:
    """The memories and exchanges that answer best, in one list, best first.

    A topic is asked for too, so that a question with other words, or none, finds what is on it.
    """
    given = {name: getattr(asked, name) for name in FILTERS}
    topic = asked.topic if asked.topic and asked.topic not in asked.query else ""
    words = f"{asked.query} {topic}".strip()
    query = _query(nous, words, asked.project, asked.all_projects or not asked.project, viewer=viewer, **given)
    hits = search_with_models.find(
        nous.stores, query, search_with_models.SearchModels(nous.embedder, nous.work.weights), asked.records
    )
    if not asked.as_of:  # the best was asked for; the others only stand beside it and stay as fresh as they were
        hits = _note_access(nous, hits)
    return [*map(_as_recalled, hits)]


def answer(nous: Nous, asked: Ask, viewer: Viewer) -> Answer:
    """A question answered in a few sentences by the chosen model, from the best hits alone, each sentence with what
    it rests on. Without a model, and when the hits do not answer, the hits."""
    wanted = Recall(asked.question, limit=asked.limit, project=asked.project, all_projects=asked.all_projects)
    hits = tuple(nous.find(wanted, viewer))
    if not hits:
        return Answer(reason=NOTHING_FOUND)
    if nous.is_readonly or nous.settings.llm_provider.partition(":")[0] in ("none", "recorded"):
        return Answer(hits=hits, reason=NO_MODEL)
    never = excluded_projects(nous.settings)
    allowed = [hit for hit in hits if hit.project_id not in never]
    shown = tuple(hit for hit in allowed if hit.memory is None or may_be_sent(hit.memory))
    if not shown:
        return Answer(hits=hits, reason=NOT_ASKED)
    try:
        found = nous.work.answer(asked.question, [hit.note for hit in shown])
    except ConfigError as problem:
        return Answer(hits=hits, reason=f"{problem}")
    if found is None:
        return Answer(hits=hits, reason=NOT_ASKED)
    model, sentences = found
    return Answer(sentences=sentences, hits=shown, model=model, reason="" if sentences else UNKNOWN)


def _note_access(nous: Nous, hits: list[Found]) -> list[Found]:
    """The hits, after it was noted that somebody asked for the best memory among them."""
    best = next((hit.memory for hit in hits if hit.memory), None)
    if best is None:
        return hits
    now = access(nous, [best.memory])[best.memory.id]
    fresh = msgspec.structs.replace(best, memory=now)
    return [msgspec.structs.replace(hit, memory=fresh) if hit.memory is best else hit for hit in hits]


def _query(nous: Nous, text: str, project: str | None, all_projects: bool, **filters: Any) -> Query:
    """A query with its moments in the stored form."""
    now = nous.clock()
    for name in ("after", "before", "as_of", "as_at"):
        if filters.get(name):
            filters[name] = moments.parse(filters[name], now)
    where = None if all_projects else nous.project(project).id
    filters["viewer"] = filters.get("viewer") or OWNER_VIEW
    circles = tuple(nous.stores.circles.of_project(where, filters["viewer"]))
    return Query(text=text, project_id=where, circles=circles, now=now, **filters)


def why_not(
    nous: Nous,
    query: str,
    memory_id: int,
    *,
    limit: int = 10,
    project: str | None = None,
    all_projects: bool = False,
    viewer: Viewer | None = None,
) -> WhyNot:
    """Why `recall` does not bring a memory up, or that it does."""
    asked = _query(nous, query, project, all_projects, limit=limit, viewer=viewer)
    return explaining.why_not(nous.stores, asked, nous.get(memory_id), nous.embedder, nous.work.weights)
