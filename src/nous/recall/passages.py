"""Earlier exchanges that a prompt or an error plainly matches although nobody asked: one line each, two at most."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from nous.core.exchanges import Account, Section, line
from nous.core.fingerprints import fingerprints
from nous.core.likeness import stem
from nous.core.outside import is_ordinary
from nous.core.ranking import coverage, shared
from nous.core.text import pairs
from nous.providers import Embedder
from nous.recall.exchanges import Asked, Match, account_of, ask, rank
from nous.recall.retrievers.vectors import prepare
from nous.recall.search import Query
from nous.recall.withheld import is_withheld
from nous.stores import Stores
from nous.stores.exchanges import Located

MOST = 2
LOOKED_AT = 5  # candidates that are read
RARE = 0.15  # a word in a larger share of the exchanges is no subject
RARE_ANYWAY = 3
# How much of the prompt's words an exchange must have, beside those that name a subject: an identifier, or two pairs of
# letters of a script without spaces, says more than several plain words, and these more than one. On 60 passages of
# real projects that a reader judged; the pairs on half of 23 projects.
BY_NAME, BY_WORDS, BY_WORD = 0.10, 0.14, 0.20
FEW = 100  # among fewer exchanges the engine takes every word for common, and the share of words decides instead
AS_WORDS = 0.6  # what that share is worth beside it
ANOTHER_ERROR = 0.30  # the same, when the prompt quotes an error that did not come up there
PARTS_EACH = 2  # parts that an exchange has, about
SHORTEST = 12  # bytes of what was wanted that say what it was; "try again" does not
_MARKS = re.compile(r"(?<!\S)[#@][A-Za-z]\w*")  # what the client expands, such as #terminalLastCommand, is no subject


class Shown(NamedTuple):
    """A line about an earlier exchange, and the record by which it is known."""

    uuid: str
    text: str


def passages(
    stores: Stores,
    text: str,
    project_id: str,
    now: str,
    *,
    embedder: Embedder | None = None,
    seen: Collection[str] = (),
) -> list[Shown]:
    """Lines about the exchanges that a prompt plainly matches: the same error, or the same subject in rare words."""
    query = Query(text=_MARKS.sub(" ", text), project_id=project_id, limit=LOOKED_AT, now=now, check_files=False)
    asked = ask(stores, query)
    model = prepare(stores, embedder) if embedder else None
    found: list[Shown] = []
    for match, place in rank(stores, query, asked, model)[:LOOKED_AT]:
        if len(found) == MOST:
            break
        shown = _shown(stores, match, place, asked) if place.uuid not in seen else None
        found += [shown] if shown else []
    return found


def _shown(stores: Stores, match: Match, place: Located, asked: Asked) -> Shown | None:
    account = account_of(stores, place)
    if account is None or len(_MARKS.sub("", account.asked.text).encode()) < SHORTEST:
        return None
    part = account.parts[min(match.part, len(account.parts) - 1)]
    text = _told(account, part, asked.question.text, place)
    exchanges = stores.exchanges.last_part() // PARTS_EACH
    records = (place.uuid, *account.evidence(part))
    if not plainly_matches(match, asked, text, exchanges):
        return None
    if is_withheld(stores, text, place.project_id, place.session_id, records):
        return None
    return Shown(place.uuid, text)


def plainly_matches(match: Match, asked: Asked, text: str, exchanges: int) -> bool:
    """Whether an exchange is surely about what a prompt says, as far as the line shows that would be seen of it."""
    rare = max(RARE_ANYWAY, RARE * exchanges)
    words = match.words if exchanges >= FEW else max(match.words, AS_WORDS * coverage(asked.telling, text))
    subjects = [
        word
        for word in shared(asked.telling, text)
        if asked.frequency[word] <= rare and not is_ordinary(word) and not word.isdigit()
    ]
    enough = max(_enough(asked, subjects), ANOTHER_ERROR if fingerprints(asked.question.text) else 0.0)
    return bool(match.error or (subjects and words >= enough))


def _enough(asked: Asked, subjects: Sequence[str]) -> float:
    """How much of a prompt's words suffices beside these subjects."""
    identifiers = {term.word for term in asked.question.terms if term.is_identifier}
    if any(word in identifiers for word in subjects) or len({two for word in subjects for two in pairs(word)}) > 1:
        return BY_NAME
    return BY_WORDS if len(set(map(stem, subjects))) > 1 else BY_WORD


def same_error(stores: Stores, error: str, project_id: str, *, seen: Collection[str] = ()) -> list[Shown]:
    """What ended the same error before, where it ended; the latest time."""
    marks = fingerprints(error)
    for number, _, ended in stores.exchanges.by_error(marks, project_id, LOOKED_AT) if marks else ():
        place = stores.exchanges.by_id([number]).get(number)
        if not ended or place is None or place.uuid in seen:
            continue
        account = account_of(stores, place)
        text = line(account, account.parts[0], "", ended=ended) if account and account.asked.text else ""
        records = (place.uuid, *account.evidence(account.parts[0])) if account else ()
        if text and not is_withheld(stores, text, project_id, place.session_id, records):
            return [Shown(place.uuid, text)]
    return []


def _told(account: Account, part: Section, asked: str, place: Located) -> str:
    """The line about an exchange; the agent's words are left out when they may be those of somebody else."""
    return line(account, account.parts[0] if place.tainted else part, asked, is_tainted=place.tainted)
