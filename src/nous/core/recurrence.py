"""What a user says again in another session: which of their sentences count, which of them say the same, what it shows.

Only sentences said as rules count. Of all sentences that come back one in five is worth keeping; the rest are "looks
good", "try again" and pasted logs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from nous.core.extractor.compose import composed
from nous.core.extractor.said import rule_row
from nous.core.language.sentences import Sentence, sentences
from nous.core.occasion import Occasion
from nous.core.text import STOP_WORDS, calm, plain_words
from nous.core.transcript import Turn
from nous.core.voice import own_voice

ALIKE = 0.75  # cosine of the built-in vectors from which two sentences say the same
SPELLED = 0.3  # and the share of letter pairs they need where the table knows few words
SURE = 0.99  # the chance of a rule; that of anything else is nought, and it only tells a template from a rule
LONGEST, MOST_SENTENCES = 6000, 20  # a longer message is a document or a log that somebody pasted
TELLING = 2  # words that say something
PASTED, PASTED_SHARE = 3, 0.5  # sentences of a message of which this share was said word for word before: a template
WHOLE = 120  # characters of a message of two sentences that nobody types twice
_MARKS = re.compile(r"\W+")
# What begins so speaks of something that stood before it.
_LEANS = re.compile(r"(?:they|it|its|this|that|these|those|he|she|both|give me|option|same|still)\b", re.I)
_FOREIGN = re.compile(r"[^\x00-\u024f]")


def sayings(turns: Sequence[Turn]) -> list[Occasion]:
    """What a person said in a session, in order; only rules have a chance. A robot's prompts are not a person's."""
    prompts = (turn for turn in turns if turn.kind == "prompt" and not turn.agent_id and not turn.headless)
    return [one for turn in prompts for one in _said(turn)]


def _said(turn: Turn) -> Iterator[Occasion]:
    if len(turn.text) > LONGEST:
        return
    text = own_voice(calm(turn.text))
    said = sentences(text)
    rules = [SURE if rule_row(one, len(text)) else 0.0 for one in said]
    if len(said) > MOST_SENTENCES or not any(rules):
        return
    for nth, (one, chance) in enumerate(zip(said, rules, strict=True)):
        if counts(one):
            yield Occasion(turn.uuid, nth, turn.at, composed([one]), chance, turn.session_id)


def counts(one: Sentence) -> bool:
    """Whether somebody speaks here and says something: no question, no heading, nothing pasted."""
    if one.is_odd or one.asks or one.text.endswith((":", "：")) or one.text.startswith(("/", "<", "http")):
        return False
    words = plain_words(one.text)
    return len([word for word in words if word not in STOP_WORDS]) >= TELLING


def pasted(said: Sequence[Occasion], known: Mapping[str, Collection[str]]) -> set[str]:
    """The records of a session that repeat an earlier message nearly word for word, and those messages.

    `known` gives for a sentence the records of other sessions that have it. A template is said every day by a hand
    that does not mean it.
    """
    found: set[str] = set()
    for record in dict.fromkeys(one.record for one in said):
        mine = [one for one in said if one.record == record]
        shared = Counter(other for one in mine for other in known.get(one.key, ()))
        if not shared:
            continue
        most = max(shared.values())
        is_whole = most == len(mine) >= 2 and sum(len(one.text) for one in mine) >= WHOLE
        if is_whole or (len(mine) >= PASTED and most >= PASTED_SHARE * len(mine)):
            found |= {record, *(other for other, times in shared.items() if times == most)}
    return found


def says_the_same(one: str, other: str, cosine: float, least: float = ALIKE) -> bool:
    """Whether two sentences say the same by their vectors; where letters are foreign to the table, by them as well."""
    if cosine < least:
        return False
    if not (_FOREIGN.search(one) or _FOREIGN.search(other)):
        return True
    mine, theirs = _pairs(one), _pairs(other)
    return bool(mine and theirs) and len(mine & theirs) >= SPELLED * min(len(mine), len(theirs))


def _pairs(text: str) -> set[str]:
    letters = _MARKS.sub("", text.casefold())
    return {letters[at : at + 2] for at in range(len(letters) - 1)}


class Recurrence(NamedTuple):
    """A sentence and what says the same in other sessions, oldest first."""

    occasions: tuple[Occasion, ...]
    more: int = 0  # older occasions that were not looked at

    @property
    def sessions(self) -> int:
        """In how many sessions it was said."""
        return len({one.session for one in self.occasions}) + self.more

    @property
    def is_kept(self) -> bool:
        """Whether it deserves a memory of its own."""
        return self.sessions >= 2 and not _LEANS.match(self.clearest.text)

    @property
    def strengthens(self) -> bool:
        """Whether it makes a memory that says so already surer."""
        return self.sessions >= 2

    @property
    def clearest(self) -> Occasion:
        """The occasion whose words are kept: the surest of those that are neither short nor long."""
        plain = [one for one in self.occasions if 20 <= len(one.text) <= 240] or self.occasions
        return max(plain, key=lambda one: (one.chance, one.at))

    @property
    def confidence(self) -> float:
        """How sure it is: 0.65 when said in two sessions, one tenth more for each further one."""
        return round(min(0.9, 0.45 + 0.1 * self.sessions), 3)


def occasions_of(new: Occasion, others: Iterable[tuple[Occasion, float]], more: int = 0) -> Recurrence:
    """A new sentence with those of other sessions that say the same, each with its cosine; `more` are not here."""
    same = [one for one, cosine in others if one.session != new.session and says_the_same(new.text, one.text, cosine)]
    return Recurrence(tuple(sorted((*same, new), key=lambda one: (one.at, one.record, one.nth))), more)
