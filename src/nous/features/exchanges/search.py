"""Finding exchanges: what was said and done before, by words, meaning, error, file and time."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import dropwhile
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from nous.errors import ProviderError
from nous.features.exchanges.model import PART, PASSAGE, Account, Answer, accounts, outcome, passage, refutes, reply
from nous.features.exchanges.store import Held, Located
from nous.kernel.capture.transcript import Turn
from nous.kernel.recall.query import Question, understand
from nous.kernel.recall.ranking import coverage, is_on
from nous.kernel.recall.retrievers.asking import Model
from nous.kernel.recall.retrievers.text import FULL, bound_terms, rarity
from nous.kernel.recall.search import AS_WORDS, BACKGROUND, NEARNESS, Query, floor, is_named
from nous.kernel.recall.withheld import Standing, standing
from nous.language.fingerprints import fingerprints
from nous.language.text import Term
from nous.providers import Embeddable, Embedder

if TYPE_CHECKING:
    from nous.features.exchanges.store import Exchanges
    from nous.kernel.stores import Events, Memories, Stores, Vectors

# A word in fewer parts than the first is never too common to search by, one in more than the second always, where there
# are others; between them, one in a quarter of all.
FEW_PARTS, MANY_PARTS = 1_000, 5_000
CANDIDATES = 300  # parts that the text index gives: enough for the exchanges whose meaning is looked at
FILTERED = 1_000  # the same when a filter may throw most of them away
SAID = 0.8  # what the agent's words count beside the user's
COMPARED = 60  # candidates whose meaning is looked at
READ = 20  # exchanges that are read before they are put in order
ANSWERS = 0.3  # what a passage adds that says all of the question at once: of one session, the turn that answers
SPARE = 2  # times the number asked for, that are looked up when no filter may throw them away
EMBEDDED = 256  # exchanges that are embedded in one transaction
SMALL = 200  # parts; among fewer the engine takes every word for common
AS_WELL = 0.93  # of a score: so near to it a candidate matches as well
LESS = 0.7  # of what the second of two exchanges answers: less of the first is not told
FEW_WORDS = 80  # characters of a prompt that may not say by itself what it is about
BY_ERROR = 1.0  # what the same error adds


class Spoken(msgspec.Struct, frozen=True):
    """An exchange that answers: where it stands, the passage that does, how well, and the records it shows."""

    place: Located
    content: str
    score: float
    evidence: tuple[str, ...]
    shares: dict[str, float] = {}
    records: tuple[str, ...] = ()  # every record of it, shown or not
    relevance: float = 0.0  # how much of the question it speaks of
    standing: Standing = ""  # what became since of what it says


class Candidate(NamedTuple):
    """An exchange that was read: what answers in it, what the user said next, and what its score is made of."""

    place: Located
    account: Account
    after: str
    answer: Answer
    score: float
    shares: dict[str, float]
    relevance: float

    @property
    def records(self) -> tuple[str, ...]:
        """Every record of it."""
        return tuple(turn.uuid for turn in self.account.turns)


class Match(NamedTuple):
    """A candidate: which exchange, its best part, and what its score is made of."""

    exchange_id: int
    part: int
    words: float
    meaning: float = 0.0
    error: float = 0.0

    @property
    def score(self) -> float:
        """How well it answers, between 0 and about 1; the same for every question."""
        return self.words + NEARNESS * self.meaning + BY_ERROR * self.error


class Asked(NamedTuple):
    """A question: understood, in how many parts each of its words stands, and how telling that makes it."""

    question: Question
    frequency: Mapping[str, int]
    telling: Mapping[str, float]
    common: int  # the frequency at which counting stopped

    @property
    def wanted(self) -> dict[str, float]:
        """The words that a passage is chosen by, the names of things asked for by their kind among them."""
        kinds = self.question.named_kinds
        names = {
            name: max((self.telling.get(word, 0.0) for word in kind.split()), default=0.0)
            for name, kind in kinds.items()
        }
        return {**names, **self.telling}

    @property
    def known(self) -> list[Term]:
        """The words to search by: those that stand somewhere, without those that stand nearly everywhere."""
        found = [term for term in self.question.wanted if self.frequency[term.word]]
        return [term for term in found if self.frequency[term.word] < self.common] or found


def ask(exchanges: Exchanges, query: Query, *, in_english: bool = False) -> Asked:
    """A question as the index of exchanges sees it; also with what its words are called in English."""
    question = understand(query.text, query.now)
    if in_english:
        named = question.named_kinds | question.in_english
        question = msgspec.structs.replace(question, named_kinds=named, in_english={})
    words, parts = [term.word for term in question.wanted], exchanges.last_part()
    common = min(MANY_PARTS, max(FEW_PARTS, parts // 4))
    frequency = dict(zip(words, exchanges.frequencies(words, common), strict=True))
    own = {term.word: frequency[term.word] for term in question.terms}
    return Asked(question, frequency, rarity(own, max(BACKGROUND, parts)), common)


def search(stores: Stores, query: Query, model: Model | None = None, asked: Asked | None = None) -> list[Spoken]:
    """The exchanges that answer a question best, best first; none when even the best is about something else."""
    asked = asked or ask(stores.exchanges, query)
    read = (
        read_candidate(stores.exchanges, *found, asked)
        for found in rank(stores.exchanges, query, asked, model)[: max(READ, query.limit)]
    )
    best = _later_first(sorted((one for one in read if one), key=lambda one: -one.score))
    found = [
        _as_it_stands(stores.events, stores.memories, one)
        for one in joined(stores.exchanges, best, asked.wanted, query.limit)
    ]
    if not query.as_of and not query.as_at:  # who asks for another day asks for what was said then
        found = [one for one in found if one.standing != "forgotten"]
    if query.is_filtered or any(one.relevance >= floor(asked.question) for one in found):
        return found
    if asked.question.in_english:  # asked in another language than the talk
        return search(stores, query, model, ask(stores.exchanges, query, in_english=True))
    return []


def _later_first(best: Sequence[Candidate]) -> list[Candidate]:
    """The candidates; of two neighbours of one session that match as well, the later comes first: it may change what
    the earlier says."""
    found = list(best)
    for at in range(len(found) - 2, -1, -1):
        one, following = found[at : at + 2]
        is_as_good = following.score >= AS_WELL * one.score
        if is_as_good and one.place.file_id == following.place.file_id and one.place.at < following.place.at:
            shares = {**following.shares, "later": one.score - following.score}
            found[at : at + 2] = following._replace(score=one.score, shares=shares), one
    return found


def _as_it_stands(log: Events, memories: Memories, one: Spoken) -> Spoken:
    place = one.place
    found = standing(log, memories, one.content, place.project_id, place.session_id, (place.uuid, *one.evidence))
    return msgspec.structs.replace(one, standing=found)


def rank(exchanges: Exchanges, query: Query, asked: Asked, model: Model | None = None) -> list[tuple[Match, Located]]:
    """The candidates that may answer, with where they stand, best first."""
    matches = _by_words(exchanges, query, asked)
    matches = _with_meaning(exchanges, asked.question, matches, model)
    matches = _with_errors(exchanges, query, matches)
    if not query.is_filtered:
        best = nlargest(SPARE * max(READ, query.limit), matches.values(), key=lambda match: match.score)
        matches = {one.exchange_id: one for one in best}
    places = exchanges.by_id(list(matches))
    admitted = [(match, places[number]) for number, match in matches.items() if number in places]
    admitted = [(match, place) for match, place in admitted if admits(query, place)]
    return sorted(admitted, key=lambda pair: (-pair[0].score, -pair[0].exchange_id))


def _by_words(exchanges: Exchanges, query: Query, asked: Asked) -> dict[int, Match]:
    """Candidates by their words; the score says how much of what the question says they say."""
    limit = FILTERED if query.is_filtered else max(CANDIDATES, 4 * query.limit)
    known = asked.known
    for wanted in bound_terms(known, asked.frequency, query.project_id, asked.common) if known else ():
        if found := exchanges.search_text(wanted, limit):
            return _join_parts(found, FULL * sum(asked.telling.values()))
    return {}


def _join_parts(found: Sequence[tuple[int, int, float]], whole: float) -> dict[int, Match]:
    """The parts of each exchange as one candidate: the part that begins it, which holds what the user said, and the
    best of the others, which count less."""
    matches: dict[int, Match] = {}
    said: set[int] = set()
    for number, part, score in found:
        share = score / whole
        known = matches.get(number)
        if part == 0:
            words = share + (known.words if known else 0.0)
            matches[number] = Match(number, known.part if known and SAID * known.words > share else 0, words)
        elif number not in said:
            said.add(number)
            matches[number] = (
                Match(number, part, SAID * share) if known is None else known._replace(words=known.words + SAID * share)
            )
    return matches


def _with_meaning(
    exchanges: Exchanges, question: Question, matches: Mapping[int, Match], model: Model | None
) -> dict[int, Match]:
    """The candidates with how near each is to the question; those far behind in words are not looked at."""
    if model is None or not matches:
        return dict(matches)
    embedder, model_id = model
    try:
        asked = embedder.query(question.text, question.emphasis)
    except ProviderError:
        return dict(matches)
    best = sorted(matches.values(), key=lambda match: -match.words)[:COMPARED]
    vectors = exchanges.vectors_of(model_id, [match.exchange_id for match in best])
    near = zip(vectors, cosines(asked, list(vectors.values())), strict=True)
    return {**matches, **{number: matches[number]._replace(meaning=max(0.0, nearness)) for number, nearness in near}}


def small(vector: bytes) -> bytes:
    """A vector with one signed byte per dimension."""
    values = memoryview(vector).cast("f").tolist()
    most = max(map(abs, values), default=0.0) or 1.0
    return array("b", [round(127 * value / most) for value in values]).tobytes()


def cosines(asked: bytes, vectors: Sequence[bytes]) -> list[float]:
    """How near a question's vector is to each of some with a byte per dimension."""
    if vectors and (numpy := sys.modules.get("numpy")):  # ten times as fast, where somebody paid for the import already
        rows = numpy.frombuffer(b"".join(vectors), numpy.int8).reshape(len(vectors), -1).astype(numpy.float32)
        lengths = numpy.sqrt(numpy.einsum("ij,ij->i", rows, rows))
        return list((rows @ numpy.frombuffer(asked, numpy.float32) / numpy.maximum(lengths, 1e-9)).tolist())
    values = memoryview(asked).cast("f").tolist()
    return [_cosine(values, memoryview(vector).cast("b").tolist()) for vector in vectors]


def _cosine(asked: Sequence[float], kept: Sequence[int]) -> float:
    length = math.sqrt(sum(map(mul, kept, kept)))
    return sum(map(mul, asked, kept)) / length if length else 0.0


def embed_exchanges(exchanges: Exchanges, vector_store: Vectors, embedder: Embedder, limit: int | None = None) -> int:
    """Make the vectors that exchanges miss, the earliest first, up to a limit; how many.

    What was said holds code and private words, so no remote model is asked.
    """
    if embedder.remote:
        return 0
    model_id = vector_store.model(embedder.model, embedder.dims)
    done = 0
    while limit is None or done < limit:
        numbers = exchanges.without_vector(model_id, min(EMBEDDED, limit - done) if limit else EMBEDDED)
        if not numbers:
            break
        places = exchanges.by_id(numbers)
        held: Held = {}  # neighbouring exchanges stand in one chunk
        read = [(number, account_of(exchanges, places[number], held)) for number in numbers]
        made = embedder.documents([_words(account) for _, account in read])
        with exchanges.db.transaction():
            vectors = zip((number for number, _ in read), map(small, made), strict=True)
            exchanges.put_vectors(model_id, vectors)
        done += len(numbers)
    return done


def _words(account: Account | None) -> Embeddable:
    """An exchange as it is embedded: what was wanted, and what came of it around it."""
    if account is None:
        return Embeddable("")
    asked = "" if account.is_paste else account.asked.text[:PART]
    return Embeddable(asked, context=outcome(account, PART)) if asked else Embeddable(outcome(account, PART))


def _with_errors(exchanges: Exchanges, query: Query, matches: Mapping[int, Match]) -> dict[int, Match]:
    """The candidates, and exchanges in which an error came up that the question quotes."""
    marks = fingerprints(query.text) if "\n" in query.text or "rror" in query.text else ()
    found = dict(matches)
    for number, _, _ in exchanges.by_error(marks, query.project_id, CANDIDATES) if marks else ():
        found[number] = found.get(number, Match(number, 0, 0.0))._replace(error=1.0)
    return found


def admits(query: Query, place: Located) -> bool:
    """Whether an exchange passes the query's filters; those that only memories have are passed by none."""
    if not query.viewer.sees(place.project_id) or query.project_id not in (None, place.project_id):
        return False
    if (query.after and place.at < query.after) or (query.before and place.at >= query.before):
        return False
    if query.branch and place.branch not in ("", query.branch):
        return False
    if query.topic and not is_on(query.topic, (*place.topics, place.label)):
        return False
    if query.entity and not is_named(query.entity, (*place.topics, *place.files)):
        return False
    return query.file is None or any(file == query.file or file.endswith("/" + query.file) for file in place.files)


def account_of(exchanges: Exchanges, place: Located, held: Held | None = None) -> Account | None:
    """An exchange, read from the kept transcript; None when it is not kept any more."""
    return _with_next(exchanges, place, held)[0]


def _with_next(exchanges: Exchanges, place: Located, held: Held | None = None) -> tuple[Account | None, str]:
    """An exchange, and what the user said next."""
    turns: list[Turn] = []
    after = ""
    for turn in _from(exchanges, place, held):
        if turns and turn.kind == "prompt":
            after = turn.text
            break
        turns.append(turn)
    found = accounts(turns)
    return (found[0] if found else None), after


def _from(exchanges: Exchanges, place: Located, held: Held | None) -> Iterator[Turn]:
    """What a transcript says from the beginning of an exchange on."""
    said = (turn for _, turns in exchanges.turns_from(place.path, place.chunk_id, held) for turn in turns)
    return dropwhile(lambda turn: turn.uuid != place.uuid, said)


def read_candidate(exchanges: Exchanges, match: Match, place: Located, asked: Asked) -> Candidate | None:
    """A candidate with the passage that answers; None when it is not kept any more."""
    account, after = _with_next(exchanges, place)
    if account is None:
        return None
    answer = passage(account, asked.wanted)
    part = account.parts[min(match.part, len(account.parts) - 1)]
    said = " ".join((answer.text, account.words_of(account.parts[0]), account.words_of(part)))
    covered = coverage(asked.telling, asked.question.widen_text(said))
    words = max(match.words, AS_WORDS * covered) if exchanges.last_part() < SMALL else match.words
    shares = {
        "text": words,
        "vector": NEARNESS * match.meaning,
        "error": BY_ERROR * match.error,
        "passage": ANSWERS * answer.worth,
    }
    relevance = covered + shares["vector"] + shares["error"]
    return Candidate(place, account, after, answer, math.fsum(shares.values()), shares, relevance)


# -- the hits -------------------------------------------------------------------------------------------------------


def joined(exchanges: Exchanges, best: Sequence[Candidate], wanted: Mapping[str, float], limit: int) -> list[Spoken]:
    """The hits, each text once: an exchange and the user's reply to it are one hit, which stands where the better of
    them stood."""
    before = exchanges.before([one.place.id for one in best])
    by_id = {one.place.id: one for one in best}
    found: dict[str, Spoken] = {}
    taken: set[int] = set()
    for one in best:
        if one.place.id in taken:
            continue
        earlier, later = _pair(one, by_id, before, taken, wanted)
        taken |= {each.place.id for each in (earlier, later) if each}
        label = before[one.place.id][1] if one.place.id in before else ""
        spoken = _one_hit(earlier, later, wanted) if earlier and later else _alone(one, label, wanted)
        found.setdefault(spoken.content, spoken)
        if len(found) == limit:
            break
    return list(found.values())


def _pair(
    one: Candidate,
    by_id: Mapping[int, Candidate],
    before: Mapping[int, tuple[int, str]],
    taken: Collection[int],
    wanted: Mapping[str, float],
) -> tuple[Candidate | None, Candidate | None]:
    """The candidate with the one that replies to it, or that it replies to, if that was found as well."""
    after = next((by_id[number] for number in by_id if before.get(number, (0, ""))[0] == one.place.id), None)
    if after and after.place.id not in taken and reply(one.account, one.after, wanted):
        return one, after
    earlier = by_id.get(before.get(one.place.id, (0, ""))[0])
    if earlier and earlier.place.id not in taken and reply(earlier.account, earlier.after, wanted):
        return earlier, one
    return None, None


def _one_hit(earlier: Candidate, later: Candidate, wanted: Mapping[str, float]) -> Spoken:
    """Two exchanges as one. What the agent said first is told unless the user refuted it or it answers far less."""
    better = max(earlier, later, key=lambda one: one.score)
    is_told = earlier.answer.worth >= LESS * later.answer.worth and not refutes(earlier.after)
    first = passage(earlier.account, wanted, PASSAGE // 2)
    told = [first.asked, first.said if is_told else ""]
    second = passage(later.account, wanted, PASSAGE - sum(map(len, told)))
    said = [*told, f"then the user: “{second.asked}”", second.said]
    return Spoken(
        place=later.place,
        content="\n→ ".join(filter(None, said)),
        score=better.score,
        evidence=tuple(dict.fromkeys((*first.asked_in, *(first.said_in if is_told else ()), *second.records))),
        records=(*earlier.records, *later.records),
        relevance=max(earlier.relevance, later.relevance),
        shares=better.shares,
    )


def _alone(one: Candidate, label: str, wanted: Mapping[str, float]) -> Spoken:
    """A hit of one exchange: what it follows, where the user's words are few, and what the user replied."""
    text, then = one.answer.text, reply(one.account, one.after, wanted)
    if label and 0 < len(one.account.asked.text) < FEW_WORDS:
        text = f"(after: “{label}”) {text}"
    return Spoken(
        place=one.place,
        content=f"{text}\n→ then the user: “{then}”" if then else text,
        score=one.score,
        evidence=one.answer.records,
        records=one.records,
        relevance=one.relevance,
        shares=one.shares,
    )
