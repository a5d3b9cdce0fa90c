"""Whether a later saying ends an older one: what it says is over, what it gives anew, and what speaks against it.

A veto alone keeps the older saying. Each row is one observation between 0 and 1; no row decides alone, the weights do
(`weights.py`, fitted on labelled pairs by `python -m bench.ends --fit`), and the row that weighs most is the reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

from nous.language import lexicon
from nous.language.compare import weights
from nous.language.compare.facts import SentenceRelation, compare
from nous.language.compare.frames import Frame, read_frame
from nous.language.compare.words import environments, numbers, root, sorts, units, word_tables
from nous.language.lexicon import lowered_pattern, pattern
from nous.language.likeness import tokens
from nous.language.speech_lines import LETTERS

# -- one saying -------------------------------------------------------------------------------------------------------

Words = frozenset[str]
NONE: Words = frozenset()
_FIGURE = re.compile(r"(?<![\w.:/#-])(\d+(?:[.,]\d+)?)\s?(%|[^\W\d_]{1,14})?(?![\w]*[.:/-]\w)")
# What stands before a word of change that did not happen: "never renamed the folder".
_SPARED = re.compile(r"(?:\bnever|(?<!why )\bnot|n['’]t) (?:(?!only |just |merely )\w+ )?$", re.I)
_SHORTENED = re.compile(r"(?<=\w)'(?:re|ve|ll|m|d)\b", re.I)
_NUMBERED = re.compile(r"([a-z]+)-?\d+")  # f5, grch38, phase-14


class Over(NamedTuple):
    """What a saying says is over, and who or what it is over for."""

    what: Words
    who: Words = NONE


class Clause(NamedTuple):
    """A part of a saying: what it is about, and all its words."""

    subject: Words
    words: Words


class Saying:
    """A saying as it is compared; what few comparisons ask for is read when it is asked for."""

    def __init__(self, text: str):
        self.given = text
        self.text = _SHORTENED.sub("", text.replace("’", "'").replace("`", ""))
        self.words: Words = words(self.text)
        self.tells: float = weight(self.words)
        self.turns: bool = bool(lowered_pattern("compare.turns").search(self.text.lower()))

    @cached_property
    def parts(self) -> list[str]:
        """Its clauses as they stand there."""
        return [one for one in pattern("compare.clause").split(self.text) if one and one.strip()]

    @cached_property
    def clauses(self) -> list[Clause]:
        """What each of its parts is about."""
        return [Clause(_subject(clause), words(clause)) for clause in self.parts]

    @cached_property
    def over(self) -> list[Over]:
        """What it says is over."""
        return [found for clause in self.parts for found in _over(clause)]

    @cached_property
    def refused(self) -> Words:
        """What it refuses."""
        return NONE.union(*(_after(self.text, hit) for hit in pattern("compare.denies").finditer(self.text)))

    @cached_property
    def values(self) -> frozenset[tuple[str, str]]:
        """The values it gives."""
        return frozenset(_values(self.text))

    @cached_property
    def frame(self) -> Frame:
        """Its sentence taken apart."""
        return read_frame(self.given)


@lru_cache(maxsize=8192)
def saying(text: str) -> Saying:
    """A text, read once."""
    return Saying(text)


@lru_cache(maxsize=16384)
def words(text: str) -> Words:
    """The words that say something, by their roots; of a compound such as FEATURE_CART=1 its parts too."""
    whole = {root(word) for word in tokens(text)}
    return frozenset(whole | {root(part) for word in whole if not word.isalpha() for part in LETTERS.findall(word)})


def is_change(text: str) -> bool:
    """Whether a sentence may say that something is no longer as it was."""
    said = text.lower()
    return bool(lowered_pattern("compare.turns").search(said)) and not lowered_pattern("compare.supposed").search(said)


def _over(clause: str) -> Iterator[Over]:
    for hit in pattern("compare.drops").finditer(clause):
        if _SPARED.search(clause[: hit.start()]):
            continue
        yield Over(_after(clause, hit), _who(clause[: hit.start()] + (hit["what"] or "")))
    found = pattern("compare.over").search(clause)
    if found and not pattern("compare.within").search(clause[: found.start()]):
        yield Over(words(clause[: found.start()]))


def _after(text: str, hit: re.Match[str]) -> Words:
    """The words of the phrase that follows, three at most."""
    phrase = pattern("compare.ends_phrase").split(text[hit.end() :].lstrip(), maxsplit=1)[0]
    return frozenset(word for one in tokens(phrase)[:3] for word in words(one))


def _subject(clause: str) -> Words:
    """The words ahead of the verb, without those who merely act; none when a clause begins with it or has none."""
    ahead: list[str] = []
    for word in clause.replace("'s ", " is ").split():
        if word.lower().strip("\"'.") in lexicon.words("compare.verbs") or pattern("compare.done").fullmatch(word):
            return _who(" ".join(ahead))
        ahead.append(word)
    return NONE


def _who(ahead: str) -> Words:
    told = (word for word in ahead.lower().split() if not word.endswith("n't"))
    return words(" ".join(word for word in told if word.strip("'") not in lexicon.words("compare.agents")))


def _values(text: str) -> Iterator[tuple[str, str]]:
    """The values that a text gives, each with its sort: of a tool the row it is chosen from."""
    for sort, found in sorts().items():
        yield from ((sort, hit.lower().rstrip("./")) for hit in found.findall(text))
    counted = " ".join(numbers().get(word.lower(), word) for word in text.split())
    for number, unit in _FIGURE.findall(counted):
        measure, factor = units().get(unit.lower(), ("", 1.0))
        yield f"figure {measure}", f"{float(number.replace(',', '.')) * factor:g}"
    table = word_tables()
    for word in words(text):
        if name := _NUMBERED.fullmatch(word):
            yield f"numbered {name[1]}", word
        yield from ((f"one of {row}", word) for row in table.alternatives.get(word, frozenset()) & table.choices)


# -- two sayings ------------------------------------------------------------------------------------------------------


class SayingPair:
    """Two sayings beside each other; `replaces` are words of what the newer one is known to replace."""

    def __init__(self, new: str, old: str, replaces: str | None = None):
        self.new, self.old = saying(new), saying(old)
        self.named = words(replaces or "")
        mine = self.new.words | self.named
        self.shared: Words = mine - unknown(mine, self.old.words)
        self.tells: float = weight(self.shared)
        self.turns: bool = self.new.turns or replaces is not None

    @cached_property
    def over(self) -> list[Over]:
        """What is over."""
        gone = self.named - NONE.union(*(one.what for one in self.new.over))
        return [*self.new.over, *([Over(gone)] if gone else [])]

    @cached_property
    def named_over(self) -> float:
        """How much of something that is over the older saying speaks of, unless it is over for somebody else."""
        held = self.old.words
        met = ((over.what - unknown(over.what, held), over) for over in self.over)
        return max(
            (
                share(known, over.what)
                for known, over in met
                if weight(known) >= 1 and weight(unknown(over.who, held)) < 1
            ),
            default=0.0,
        )

    @cached_property
    def rivals(self) -> Words:
        """The words of values that differ."""
        return _rivals(self.new.values, self.old.values)

    @cached_property
    def found(self) -> SentenceRelation:
        """How their sentences stand to each other: the dearest question, so it is asked last."""
        return compare(*sorted((self.new.frame, self.old.frame), key=lambda frame: sorted(frame.forms)))


def _rivals(new: frozenset[tuple[str, str]], old: frozenset[tuple[str, str]]) -> Words:
    """The words of values of one sort that only one side gives."""
    mine, theirs = new - old, old - new
    met = {sort for sort, _ in mine} & {sort for sort, _ in theirs}
    return NONE.union(*(words(value) for sort, value in mine | theirs if sort in met))


FAMILY = 4  # letters that words of one family begin with


@lru_cache(maxsize=4096)
def _families(held: Words) -> dict[str, list[str]]:
    """Words by how they begin, so that a word is only compared with those that may be of its family."""
    found: dict[str, list[str]] = {}
    for word in held:
        if len(word) >= FAMILY:
            found.setdefault(word[:FAMILY], []).append(word)
    return found


def unknown(some: Words, held: Words) -> Words:
    """Those of some words that others do not have, nor one of their family: mongo and mongodb, explain, explanation."""
    missing = some - held
    if not missing:
        return missing
    mine, theirs = _families(some), _families(held)
    return missing - {
        word
        for start in mine.keys() & theirs.keys()
        for word in mine[start]
        if word in missing and word.isalpha()
        if any(_is_kin(word, other) for other in theirs[start])
    }


def _is_kin(one: str, other: str) -> bool:
    return abs(len(other) - len(one)) < 4 and (other.startswith(one) or one.startswith(other))


def weight(found: Words) -> float:
    """How much words tell: common ones a quarter, compounds and names with figures half as much again."""
    telling = found - word_tables().common
    return 0.25 * (len(found) - len(telling)) + sum(1.0 if word.isalpha() else 1.5 for word in telling)


def share(part: Words, whole: Words) -> float:
    """The share of what words tell."""
    return weight(part) / max(1.0, weight(whole))


# -- what speaks against it -------------------------------------------------------------------------------------------


def _elsewhere(one: SayingPair) -> bool:
    mine, theirs = (
        {at for at, place in enumerate(environments()) if place.search(side.text)} for side in (one.new, one.old)
    )
    return bool(mine and theirs and not mine & theirs)


def _other_use(one: SayingPair) -> bool:
    uses = (words(hit["where"] or hit["part"]) for hit in pattern("compare.use").finditer(one.new.text))
    apart = word_tables().occasions | one.rivals
    return any(use and unknown(use, one.old.words) == use and use.isdisjoint(apart) for use in uses)


def is_elsewhere(new: str, old: str) -> bool:
    """Whether a newer text is about another environment, or about one use that the older one does not speak of."""
    one = SayingPair(new, old)
    return _elsewhere(one) or _other_use(one)


def _other_thing(one: SayingPair) -> bool:
    mine = [part.subject for part in one.new.clauses if part.subject and not part.words.isdisjoint(one.shared)]
    theirs = one.old.clauses[0].subject if one.old.clauses else NONE
    return bool(mine and unknown(theirs, one.new.words)) and all(unknown(part, one.old.words) for part in mine)


def _refused_before(one: SayingPair) -> bool:
    return not one.old.refused.isdisjoint(NONE.union(*(over.what for over in one.over), one.new.refused))


Texts = tuple[str, str]


class Veto(NamedTuple):
    """Why an older saying stays, whatever else is said: an example (newer, older) and one in which it does not hold."""

    name: str
    holds: Callable[[SayingPair], bool]
    fits: Texts
    unlike: Texts


VETOES = (
    Veto("nothing telling in common", lambda one: one.tells < 1 or one.shared.isdisjoint(one.new.words),
         ("the build is green now", "The build takes an hour."), ("jenkins is gone", "Jenkins builds it.")),
    Veto("nothing is over", lambda one: not (one.rivals or one.named_over or _opposite(one) >= 0.55),
         ("never edit generated files by hand", "Generated files live in gen."), ("gen is gone", "Files live in gen.")),
    Veto("another environment", _elsewhere,
         ("staging is on postgres 16 now", "Production runs postgres 14."),
         ("we are on postgres 16 now", "Production runs postgres 14.")),
    Veto("another use", _other_use,
         ("the page size for exports is 500 now", "The page size is 20."),
         ("the page size is 500 now", "The page size is 20.")),
    Veto("another thing", _other_thing,
         ("the users table no longer has a flag", "The orders table has a flag."),
         ("the orders table no longer has a flag", "The orders table has a flag.")),
    Veto("refused before", _refused_before,
         ("never use npm, pnpm instead", "We don't use npm here."), ("don't use npm any more", "We use npm here.")),
    Veto("supposed", lambda one: bool(pattern("compare.supposed").search(one.new.text)),
         ("maybe we drop redis", "We use redis."), ("we drop redis", "We use redis.")),
    Veto("it says the same", lambda one: one.found.kind == "same",
         ("sessions are kept in redis", "Sessions are in redis."), ("redis is gone", "Sessions are in redis.")),
)  # fmt: skip


# -- what speaks for it -----------------------------------------------------------------------------------------------


def _opposite(one: SayingPair) -> float:
    return one.found.score if one.found.kind == "contradicts" else 0.0


class Clue(NamedTuple):
    """One observation: a pair (newer, older) that shows it more than another.

    It is 1 at most unless it `is_plain`, seen from words alone and so asked first.
    """

    name: str
    see: Callable[[SayingPair], float]
    fits: Texts
    unlike: Texts
    is_plain: bool = False


_GONE = ("solr is gone", "Search lives in solr.")
_OTHER = ("the linter is slow", "Search lives in solr.")
ROWS = (
    Clue("the old words are said again", lambda one: one.tells / max(1.0, one.old.tells), _GONE, _OTHER, True),
    Clue("the new words were said before", lambda one: one.tells / max(1.0, one.new.tells), _GONE, _OTHER, True),
    Clue("much is shared", lambda one: min(1.0, one.tells / 5), _GONE, _OTHER, True),
    Clue("it names what is over", lambda one: one.named_over, _GONE,
        ("the web build moved off jenkins", "Jenkins builds firmware."), True),
    Clue("what is over is shared", lambda one: one.named_over * min(1.0, one.tells / 3), _GONE, _OTHER, True),
    Clue("it says that something changed", lambda one: float(one.turns), _GONE, _OTHER, True),
    Clue("another value", lambda one: float(bool(one.rivals)), ("logs stay 90 days", "Logs stay 30 days."), _OTHER),
    Clue("it says the opposite", _opposite,
        ("strict mode is off", "Strict mode is on."), _OTHER),
    Clue("the new one is long", lambda one: min(1.0, len(one.new.words) / 20),
        ("solr had to be reindexed twice this week", "Search lives in solr."), _GONE, True),
    Clue("the old one is long", lambda one: min(1.0, len(one.old.words) / 20),
        ("solr is gone", "Search lives in solr on the big box beside the lift."), _GONE, True),
)  # fmt: skip


def observe_rows(one: SayingPair) -> list[float]:
    """What each row sees."""
    return [row.see(one) for row in ROWS]


class Chance(NamedTuple):
    """How likely an older saying has ended, and the observation that says most for it, or against."""

    ends: float
    reason: str


@lru_cache(maxsize=8192)
def _starts(text: str, more: str = "") -> frozenset[str]:
    """How the telling words of a text begin: two texts that share none have nothing in common."""
    return frozenset(word[:4] for word in words(text) | words(more) if word not in word_tables().common)


_PLAIN = [(weight, row.see) for weight, row in zip(weights.ROWS, ROWS, strict=True) if row.is_plain]
_FURTHER = sum(max(0.0, weight) for weight, row in zip(weights.ROWS, ROWS, strict=True) if not row.is_plain)


def _most(one: SayingPair) -> float:
    """How likely an ending is at most, whatever the dearer questions give."""
    return _likely(weights.BIAS + _FURTHER + sum([weight * see(one) for weight, see in _PLAIN]))


def _likely(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def chance(new: str, old: str, replaces: str | None = None, least: float = 0.0) -> Chance:
    """How likely a newer text ends an older one; exactly only where that is `least` or more."""
    if _starts(new, replaces or "").isdisjoint(_starts(old)):
        return Chance(0.0, VETOES[0].name)
    one = SayingPair(new, old, replaces)
    if least and _most(one) < least - 1e-6:  # sums in another order differ by less
        return Chance(0.0, "hardly likely")
    if veto := next((veto.name for veto in VETOES if veto.holds(one)), None):
        return Chance(0.0, veto)
    parts = [weight * seen for weight, seen in zip(weights.ROWS, observe_rows(one), strict=True)]
    score = weights.BIAS + sum(parts)
    most = max(range(len(parts)), key=lambda at: parts[at] if score > 0 else -parts[at])
    return Chance(_likely(score), ROWS[most].name)
