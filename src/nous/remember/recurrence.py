"""What a user said again in another session becomes a memory, or makes the one that says so already surer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nous.core.events import extraction_key, learning_index
from nous.core.extraction import Learning, Rejection, check
from nous.core.extractor.said import rule_row, type_of
from nous.core.extractor.story import described
from nous.core.language.sentences import sentences
from nous.core.likeness import tokens
from nous.core.memory import Memory
from nous.core.occasion import Occasion
from nous.core.recurrence import ALIKE, Recurrence, occasions_of, pasted, sayings
from nous.core.transcript import Turn
from nous.providers import Embeddable, Embedder
from nous.remember.introduce import Origin
from nous.remember.learn import Learned, candidates, take_up
from nous.stores import Stores
from nous.stores.sayings import Due, Kept, NearSayings

OBSERVER = "observer-1"
SOURCE = "observer"
COVERED = 0.5  # the share of an occasion's words that a memory has which rests on it
FEWEST = 3  # words they share, unless the memory says little else
EVIDENCE = 12  # occasions that are named, the latest
STEADY = 5  # sessions after which only every fifth one counts
MOST = 400  # sentences of one session that are compared


class Again(NamedTuple):
    """How many things were said again: new memories, and known ones that grew surer."""

    learned: int = 0
    strengthened: int = 0

    def plus(self, outcome: Learned) -> Again:
        """With one more outcome."""
        return Again(self.learned + outcome.learned, self.strengthened + outcome.repeated)


def note_sayings(stores: Stores, embedder: Embedder, due: Due, turns: Sequence[Turn], now: str) -> Again:
    """Keep what a session's user said and take up what they had said in another session before.

    Part of a transaction. Only sentences of the same project are compared, by vectors that never leave the machine.
    """
    said = sayings(turns)[:MOST]
    known = stores.sayings.records_with(due.project_id, {one.key for one in said}, due.session_id)
    templates = pasted(said, known)
    stores.sayings.disown(templates)
    said = [one._replace(chance=0.0) if one.record in templates else one for one in said]
    vectors = embedder.documents([Embeddable(one.text) for one in said]) if said else []
    fresh = [Kept(*pair) for pair in zip(said, vectors, strict=True)]
    new = [one for one in fresh if one.saying.chance]
    near = stores.sayings.near(due.project_id, embedder.model, [one.vector for one in new], due.session_id, ALIKE)
    stores.sayings.put(due.project_id, due.session_id, embedder.model, fresh)
    again = Again()
    for found in _recurrences([one.saying for one in new], near):
        again = again.plus(_take_up(stores, found, due, now))
    return again


def _recurrences(new: Sequence[Occasion], near: Sequence[NearSayings]) -> Iterator[Recurrence]:
    """Each new sentence that was said before, with its occasions; what a session says twice counts once."""
    taken: set[tuple[str, int]] = set()
    for one, others in zip(new, near, strict=True):
        found = occasions_of(one, others.latest, others.more)
        first = (found.occasions[0].record, found.occasions[0].nth)
        if found.sessions > 1 and first not in taken:
            taken.add(first)
            yield found


def _take_up(stores: Stores, found: Recurrence, due: Due, now: str) -> Learned:
    if not found.strengthens or (found.sessions > STEADY and found.sessions % STEADY):
        return Learned()  # talk, or known for long: not every session has to say so
    learning = _learning(found)
    if isinstance(check(learning), Rejection):
        return Learned()
    new = next(one for one in reversed(found.occasions) if one.session == due.session_id)
    key = extraction_key(due.project_id, due.session_id, learning_index(new.record, new.nth), OBSERVER)
    origin = Origin(due.project_id, due.session_id, SOURCE, new.at or now, OBSERVER, by_user=True)
    covering = _covering(stores, learning, found, due.project_id)
    if covering is None and not found.is_kept:
        return Learned()
    outcome, _ = take_up(stores, learning, origin, key, now, again=covering.id if covering else None)
    return outcome


def _covering(stores: Stores, learning: Learning, found: Recurrence, project_id: str) -> Memory | None:
    """The oldest memory that rests on one of the occasions and says it."""
    known = [one for one in candidates(stores, learning, project_id) if one.status == "active" and not one.tainted]
    fitting = (one for one in known if any(_says(one, occasion) for occasion in found.occasions))
    return min(fitting, key=lambda one: one.id, default=None)


def _says(memory: Memory, occasion: Occasion) -> bool:
    words, known = set(tokens(occasion.text)), set(tokens(memory.content))
    shared = len(words & known)
    is_it = shared >= COVERED * len(words) and (shared >= FEWEST or shared >= COVERED * len(known))
    return is_it and occasion.record in memory.evidence


def _learning(found: Recurrence) -> Learning:
    """The clearest occasion as a learning, with all of them as its evidence, the clearest last."""
    clearest = found.clearest
    others = dict.fromkeys(one.record for one in found.occasions if one.record != clearest.record)
    kind = type_of(next(map(rule_row, sentences(clearest.text)), ""), clearest.text)
    said = f"said in {found.sessions} sessions"
    return described(
        Learning(
            content=clearest.text,
            type=kind,
            evidence=(*list(others)[-EVIDENCE:], clearest.record),
            confidence=found.confidence,
            scope_confidence=0.6,
            valid_from=clearest.at or None,
            temporal_confidence="high",
            reasons=(said,),
        )
    )
