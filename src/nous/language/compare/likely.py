"""How likely a newer saying ends an older one where no row of `differences` knows.

The words of both are set beside each other by meaning, each counted by how much it tells. What is seen then (what is
shared, which values and words are left, who forbids what the other allows, whether something changed) are clues between
0 and 1; no clue decides alone, the weights do (`likely_weights.py`, made by `python -m bench.pairs --fit`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from nous.language import lexicon
from nous.language.compare import likely_weights
from nous.language.compare.claims import Claim, Words, canonical, filler, products
from nous.language.compare.words import are_alternatives, opposites_of, word_tables
from nous.language.lexicon import pattern

if TYPE_CHECKING:
    from nous.language.compare.differences import ClaimPair

MOST_WORDS = 18  # of a saying, from which on words that it shares with another say little
MEANT = 0.65  # from there a word of the other saying means the same
BEGINNING = 4  # letters of one family, in whatever language
FULL, MOST = 15.0, 25.0  # how much a telling word weighs in the table, and where it counts no more
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+(?:[.:@+#][^\W_]+)*|_\w+")
_NUMBER = re.compile(r"(?<![\w.])v?(\d+(?:[.,:]\d+)*)")
_MARKED = re.compile(
    r"(?<=[\w,;:)] )[A-Z][\w.+#/-]*|\b\w*[A-Z]{2,}\w*|\b[a-z]+[A-Z]\w*|[\w.-]*\d[\w.:/-]*"
    r"|(?<!\w)[@~./]*[\w.-]+/[\w./*-]*|(?<![\w/])/[\w-]+|`[^`]+`"
)
ENDED, ENDED_OF_TWO, NEVER = 0.7, 0.8, 1.1  # how likely an end has to be: least where it says that something changed
ASKED, ASKED_OF_TWO = 0.25, 0.32  # and how likely for a question
TWO_THINGS = ("they are about different things", "their subjects name two things")  # as the rows say it
Stance = Literal["forbids", "allows", "frees", "wants"]
OPPOSED = frozenset(
    (one, other)
    for one, other in (
        ("forbids", "allows"), ("forbids", "wants"), ("allows", "forbids"), ("wants", "forbids"),
        ("frees", "wants"), ("wants", "frees"), ("frees", "forbids"),
    )
)  # fmt: skip


class Meaning(Protocol):
    """What a table of word vectors tells: how alike two words are, 0 to 1, and how much a word tells."""

    def __call__(self, one: str, other: str) -> float: ...

    def weight(self, word: str) -> float: ...


class Likely(NamedTuple):
    """The odds that a newer saying ends an older one, and the clue that says most for it.

    `least`: how likely an end has to be, and a question.
    """

    ends: float
    reason: str
    least: tuple[float, float]

    def beside(self, all_odds: float) -> float:
        """How likely the end is beside others with such odds together: a saying ends one other at most."""
        return self.ends / (1 + max(all_odds, self.ends))


class Word(NamedTuple):
    """A word that tells something: as it was said, by what stands for it, and its place."""

    said: str
    form: str
    at: int


@lru_cache(maxsize=8192)
def telling(text: str) -> tuple[Word, ...]:
    """The words of a text that tell something, in their order; Chinese and Japanese sign by sign."""
    said = [hit[0].lower() for hit in _WORD.finditer(text.replace("’", "'"))]
    idle = filler() | lexicon.words("likely.particles")
    return tuple(Word(word, canonical(word), at) for at, word in enumerate(said) if word not in idle)


@lru_cache(maxsize=8192)
def _forms(text: str) -> Words:
    """All words of a text by what stands for them."""
    return frozenset(canonical(hit[0].lower()) for hit in _WORD.finditer(text))


@lru_cache(maxsize=8192)
def stance(text: str) -> Stance:
    """Whether a saying forbids, allows, says that something need not be, or wants it."""
    if pattern("likely.needless").search(text):
        return "frees"
    if pattern("likely.only_with").search(text):  # "no merge without a review" wants one
        return "wants"
    allowed, denied = pattern("likely.allowed").search(text), pattern("likely.denied").search(text)
    if denied and (not allowed or denied.start() < allowed.start() or pattern("likely.banned").match(denied[0])):
        return "forbids"
    return "allows" if allowed else "wants"


def are_against(new: str, old: str) -> bool:
    """Whether one saying forbids, allows or frees from what the other does not."""
    mine, theirs = stance(new), stance(old)
    return mine != theirs and ("frees" in (mine, theirs) or (mine, theirs) in OPPOSED)


@lru_cache(maxsize=8192)
def marked_words(text: str) -> Words:
    """What stands out in a text: names, figures, code, and tools that one chooses among."""
    named = (hit[0].strip("`.,;:") for hit in _MARKED.finditer(text))
    found = {canonical(name.lower()) for name in named if not (name.isalpha() and name.islower() and name in filler())}
    said = (hit[0] for hit in _WORD.finditer(text) if hit[0][0].isupper() or hit[0].lower() not in filler())
    forms = {canonical(word.lower()) for word in said}
    chosen = {form for form in forms if form in word_tables().alternatives or form in products()}
    return frozenset((found | chosen) - {""})


class Aligned:
    """Two claims word by word: which word of each has a partner in the other, and what is left."""

    def __init__(self, pair: ClaimPair, meaning: Meaning):
        self.pair, self.meaning = pair, meaning
        self.new: tuple[Word, ...] = telling(pair.new.text)
        self.old: tuple[Word, ...] = telling(pair.old.text)
        self.of_new: dict[Word, float] = {word: _nearest(word, self.old, meaning) for word in self.new}
        self.of_old: dict[Word, float] = {word: _nearest(word, self.new, meaning) for word in self.old}
        self.met: list[Word] = [word for word in self.old if self.of_old[word] >= MEANT]
        self.left: list[Word] = [word for word in self.new if self.of_new[word] < MEANT]
        self.right: list[Word] = [word for word in self.old if self.of_old[word] < MEANT]

    def weigh(self, words: Sequence[Word]) -> float:
        """How much words tell together."""
        return sum(self.weight(word) for word in words)

    def weight(self, word: Word) -> float:
        """How much a word tells: 1 is a plain noun."""
        return min(self.meaning.weight(word.said), MOST) / FULL

    @cached_property
    def shares(self) -> tuple[float, float]:
        """How much of what the newer one tells was said, and of the older one is."""
        return self._met_partners(self.of_new), self._met_partners(self.of_old)

    def _met_partners(self, partners: Mapping[Word, float]) -> float:
        return sum(self.weight(word) * near for word, near in partners.items()) / (self.weigh([*partners]) or 1.0)

    @cached_property
    def names(self) -> tuple[Words, Words]:
        """What stands out in the newer one alone, and in the older one alone."""
        new, old = marked_words(self.pair.new.text), marked_words(self.pair.old.text)
        met = {name for name in new if _stands_in(name, self.old, self.pair.old.text)}
        met |= {name for name in old if _stands_in(name, self.new, self.pair.new.text)}
        return new - met, old - met

    @cached_property
    def figures(self) -> tuple[Words, Words]:
        """The figures of each that the other does not have."""
        new, old = (frozenset(_NUMBER.findall(side.text)) for side in (self.pair.new, self.pair.old))
        return new - old, old - new

    @cached_property
    def opposed_words(self) -> bool:
        """Whether a word of one is the opposite of a word of the other, small words too: "on", "stay"."""
        without = pattern("likely.only_with")  # "never merge without a review" is no opposite of "always review"
        new = _forms(without.sub(" ", self.pair.new.text)) - self.pair.new.subject  # public, private: two things
        old = _forms(without.sub(" ", self.pair.old.text)) - self.pair.old.subject
        return any(not opposites_of(form).isdisjoint(old - new) for form in new - old)

    @cached_property
    def both(self) -> set[str]:
        """The words of both, as they stand there."""
        return _forms_of(self.new) & _forms_of(self.old)

    @cached_property
    def sorts(self) -> Mapping[str, tuple[Words, Words]]:
        """The values of both by the sorts that both have: figures by their measure, tools and days by their rows."""
        new, old = _sorts(self.pair.new), _sorts(self.pair.old)
        return {sort: (new[sort], old[sort]) for sort in new.keys() & old.keys()}

    @cached_property
    def are_of_other_sorts(self) -> bool:
        """Whether both give values, and none of one sort."""
        return not self.sorts and all(map(_sorts, (self.pair.new, self.pair.old)))

    @cached_property
    def changed_sorts(self) -> list[str]:
        """The sorts of which the newer one gives another value, without the older one's."""
        return [sort for sort, (new, old) in self.sorts.items() if new - old and not new >= old]

    @cached_property
    def differs(self) -> bool:
        """Whether names, figures or values differ, or one is against what the other wants."""
        is_opposed = self.stances in OPPOSED or self.opposed_words
        return bool(all(self.names) or all(self.figures) or is_opposed or self.pair.rivals)

    @cached_property
    def stances(self) -> tuple[Stance, Stance]:
        """What the newer one and the older one want."""
        return stance(self.pair.new.text), stance(self.pair.old.text)

    @cached_property
    def turns(self) -> bool:
        """Whether the newer one says that something is otherwise now, and the older one did not."""
        changed = pattern("likely.changed")
        return bool(changed.search(self.pair.new.text)) and not changed.search(self.pair.old.text)


def _sorts(one: Claim) -> Mapping[str, Words]:
    found: dict[str, set[str]] = {}
    for sort, form in one.given:
        found.setdefault(sort, set()).add(form)
    for word in telling(one.text):
        for number in word_tables().alternatives.get(word.form, ()):
            found.setdefault(f"row {number}", set()).add(word.form)
    return {sort: frozenset(forms) for sort, forms in found.items()}


@cache
def _parts() -> Mapping[str, Words]:
    """Of a word for a part of something the words for the others: web, firmware."""
    rows = [frozenset(map(canonical, line.split())) for line in lexicon.lines(lexicon.row("likely.parts"))]
    return {word: frozenset().union(*(row for row in rows if word in row)) for row in rows for word in row}


def _stands_in(name: str, words: Sequence[Word], text: str) -> bool:
    return name in text.lower() or any(word.form == name for word in words)


def _nearest(word: Word, others: Sequence[Word], meaning: Meaning) -> float:
    """How near the nearest of other words is to one: 1 when it is the same."""
    if any(word.form == other.form for other in others):  # vectors are dear
        return 1.0
    return max((_nearness(word, other, meaning) for other in others), default=0.0)


def _nearness(word: Word, other: Word, meaning: Meaning) -> float:
    one, two = word.said, other.said
    if word.form == other.form or one == two:
        return 1.0
    if one[0].isdigit() or two[0].isdigit() or are_alternatives(word.form, other.form):
        return 0.0
    is_long = min(len(one), len(two)) >= BEGINNING and one.isalpha()
    is_family = is_long and (one[:BEGINNING] == two[:BEGINNING] or one in two or two in one)
    return max(meaning(one, two), 0.8 if is_family else 0.0)


# -- what is seen ---------------------------------------------------------------------------------------------------


class Clue(NamedTuple):
    """One observation in a pair, between 0 and 1 or little more."""

    name: str
    see: Callable[[Aligned], float]


CLUES = (
    Clue("one word is shared", lambda one: len(one.met) == 1),
    Clue("a telling word is shared", lambda one: min(1.5, max(map(one.weight, one.met), default=0.0))),
    Clue("only common words are shared", lambda one: bool(one.met) and _forms_of(one.met) <= word_tables().common),
    Clue("what the older one says is said", lambda one: one.shares[1]),
    Clue("the newer one says more", lambda one: min(4.0, one.weigh(one.left)) / 4),
    Clue("they begin alike", lambda one: min(one.of_new[one.new[0]], one.of_old[one.old[0]]) if one.met else 0.0),
    Clue("it is another one of its kind", lambda one: _are_two_of_a_kind(one)),
    Clue("another word stands behind what is shared",
        lambda one: bool(one.both & _behind(one.new, one.left) & _behind(one.old, one.right))),
    Clue("the same value", lambda one: bool(one.pair.new.said & one.pair.old.said)),
    Clue("the same of one sort", lambda one: any(new == old for new, old in one.sorts.values())),
    Clue("values of other sorts", lambda one: one.are_of_other_sorts),
    Clue("another of the same choice", lambda one: any(sort.startswith("row") for sort in one.changed_sorts)),
    Clue("another of the same choice, of one thing", lambda one: bool(one.changed_sorts) * max(one.shares)),
    Clue("names differ, and it changed", lambda one: one.turns and all(one.names)),
    Clue("what is shared changed", lambda one: one.turns * min(3.0, one.weigh(one.met)) / 3),
    Clue("a sign of change in what is shared", lambda one: (one.differs or one.turns) * max(one.shares)),
    Clue("no sign of change in what is shared", lambda one: (not (one.differs or one.turns)) * max(one.shares)),
    Clue("one allows what the other forbids", lambda one: set(one.stances) == {"forbids", "allows"}),
    Clue("it need not be", lambda one: "frees" in one.stances and len(set(one.stances)) > 1),
    Clue("one denies", lambda one: _says_one_only(one, "likely.denied")),
    Clue("opposite words", lambda one: one.opposed_words),
    Clue("one is against what is shared", lambda one: (one.stances in OPPOSED) * max(one.shares)),
    Clue("it changed, and something differs", lambda one: one.turns and one.differs),
    Clue("it says why", lambda one: _says_one_only(one, "likely.gives_reason") and _gives_reason(one.pair.new)),
    Clue("their subjects differ",
        lambda one: bool(one.pair.left & one.pair.new.subject and one.pair.right & one.pair.old.subject)),
    Clue("they name two parts", lambda one: _name_two_parts(one)),
    Clue("what the newer one is about was named", lambda one: _share_in(one.pair.new.subject, one.pair.old.frame)),
    Clue("one is about a place", lambda one: bool(one.pair.new.places) != bool(one.pair.old.places)),
)  # fmt: skip


def _forms_of(words: Sequence[Word]) -> set[str]:
    return {word.form for word in words}


def _are_two_of_a_kind(one: Aligned) -> bool:
    """Whether a shared word has another word ahead of it in each: the web team, the firmware team."""
    return bool(one.both & _ahead(one.new, one.left) & _ahead(one.old, one.right))


def _ahead(words: Sequence[Word], left: Sequence[Word]) -> set[str]:
    """The words right behind a word that is left."""
    places = {word.at for word in left}
    return {word.form for word in words if word.at - 1 in places}


def _behind(words: Sequence[Word], left: Sequence[Word]) -> set[str]:
    """The words ahead of a word that is left; a small word may stand between them."""
    return {a.form for a, b in pairwise(words) if b.at - a.at <= 2 and b in left}


def _says_one_only(one: Aligned, name: str) -> bool:
    mine, theirs = (bool(pattern(name).search(side.text)) for side in (one.pair.new, one.pair.old))
    return mine != theirs


def _gives_reason(one: Claim) -> bool:
    return bool(pattern("likely.gives_reason").search(one.text))


def _name_two_parts(one: Aligned) -> bool:
    mine, theirs = (_forms_of(words) & _parts().keys() for words in (one.new, one.old))
    return any(_parts()[word] & (theirs - mine) for word in mine - theirs)


def _share_in(subject: Words, frame: Words) -> float:
    return len(subject & frame) / len(subject) if subject else 0.5


def observe_clues(one: Aligned) -> list[float]:
    """What every clue sees in two sayings."""
    return [float(clue.see(one)) for clue in CLUES]


def is_short(text: str) -> bool:
    """Whether a saying is short enough for its words to tell what it is about."""
    return len(text.split()) <= MOST_WORDS


def likely(pair: ClaimPair, meaning: Meaning, kind: str, reason: str) -> Likely:
    """The odds that the newer claim ends the older one; `kind` and `reason` are what the rows think of it."""
    one = Aligned(pair, meaning)
    parts = [weight * seen for weight, seen in zip(likely_weights.WEIGHTS, observe_clues(one), strict=True)]
    odds = math.exp(max(-30.0, min(30.0, likely_weights.BIAS + sum(parts))))
    most = max(range(len(parts)), key=parts.__getitem__)
    are_two = not one.met or _are_two_of_a_kind(one) or _name_two_parts(one) or reason == TWO_THINGS[1]
    is_never = kind == "unsure" or reason == TWO_THINGS[1] or (not one.turns and _may_stand_beside(one))
    least = ENDED if (one.turns or pair.new.turns) and not are_two and reason not in TWO_THINGS else ENDED_OF_TWO
    return Likely(odds, CLUES[most].name, (NEVER if is_never else least, ASKED_OF_TWO if are_two else ASKED))


def _may_stand_beside(one: Aligned) -> bool:
    """Whether the newer one gives values of two sorts, or holds in a part that the older one does not name."""
    return len(one.changed_sorts) > 1 or bool(
        one.pair.left & one.pair.new.part and not one.pair.right & one.pair.old.part
    )
