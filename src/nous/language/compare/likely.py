"""How likely a newer saying ends an older one, or says it again, where no rule of `differences` knows.

The words of both are set beside each other by meaning, each counted by how much it tells. What is seen then (what is
shared, which values and words are left, who forbids what the other allows, whether something changed) are clues between
0 and 1; no clue decides alone, the weights do (`likely_weights.py`, made by `python -m bench.pairs --fit`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
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
ENDED, ENDED_OF_TWO, NOT_ENDED = 0.7, 0.8, 1.1  # how likely an end has to be, more where they are perhaps about two
ASKED, ASKED_OF_TWO = 0.25, 0.32  # and how likely for a question
Stance = Literal["forbids", "allows", "frees", "wants"]
OPPOSED = frozenset(
    (one, other)
    for one, other in (
        ("forbids", "allows"), ("forbids", "wants"), ("allows", "forbids"), ("wants", "forbids"),
        ("frees", "wants"), ("wants", "frees"), ("frees", "forbids"),
    )
)  # fmt: skip
OF_ITS_KIND = "it is another one of its kind"
CHOICE = "another of the same choice"
ASKS, TWO_VALUES = "the rows would ask", "values of two sorts differ"
FIGURES_AND_WORDS = "figures differ, and words"
BY_ROWS = ("they are about different things", "their subjects name two things")
NEVER_SAME = (
    "for the rows it is narrower", "names differ", "other figures", "another value of its sort", CHOICE, OF_ITS_KIND,
    "they name two parts", *(f"for the rows {one}" for one in BY_ROWS),
)  # fmt: skip
FIRMLY = frozenset((("forbids", "allows"), ("allows", "forbids")))


PERHAPS_TWO = (OF_ITS_KIND, FIGURES_AND_WORDS, "they name two parts", f"for the rows {BY_ROWS[1]}")
ONLY_ASKED = (ASKS, TWO_VALUES)


class Meaning(Protocol):
    """What a table of word vectors tells: how alike two words are, 0 to 1, and how much a word tells."""

    def __call__(self, one: str, other: str) -> float: ...

    def weight(self, word: str) -> float: ...


class Likely(NamedTuple):
    """The odds that a newer saying ends an older one and that it says the same, and the clue that says most.

    `least`: how likely an end has to be, and a question: more where they are perhaps about two things.
    """

    ends: float
    same: float
    reason: str
    least: tuple[float, float]

    def beside(self, ends: float, same: float) -> tuple[float, float]:
        """How likely both are beside others with such odds together: a saying ends or repeats one other at most."""
        return self.ends / (1 + max(ends, self.ends)), self.same / (1 + max(same, self.same))


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
        self.new, self.old = telling(pair.new.text), telling(pair.old.text)
        self.of_new = {word: _nearest(word, self.old, meaning) for word in self.new}
        self.of_old = {word: _nearest(word, self.new, meaning) for word in self.old}
        self.met = [word for word in self.old if self.of_old[word] >= MEANT]
        self.left = [word for word in self.new if self.of_new[word] < MEANT]
        self.right = [word for word in self.old if self.of_old[word] < MEANT]

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
    def names(self) -> tuple[Words, Words, Words]:
        """What stands out in the newer one alone, in the older one alone, and in both."""
        new, old = marked_words(self.pair.new.text), marked_words(self.pair.old.text)
        met = {name for name in new if _stands_in(name, self.old, self.pair.old.text)}
        met |= {name for name in old if _stands_in(name, self.new, self.pair.new.text)}
        return new - met, old - met, frozenset(met)

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
    def whole(self) -> float:
        """How alike the sums of their words' vectors are."""
        both = self._sum(self.new, self.old)
        return both / math.sqrt(self._sum(self.new, self.new) * self._sum(self.old, self.old)) if both else 0.0

    def _sum(self, words: Sequence[Word], others: Sequence[Word]) -> float:
        return math.fsum(
            self.weight(a) * self.weight(b) * (1.0 if a.said == b.said else self.meaning(a.said, b.said))
            for a in words
            for b in others
        )

    @cached_property
    def sorts(self) -> tuple[Mapping[str, Words], Mapping[str, Words]]:
        """The values of each by their sorts: figures by what they measure, tools and days by their rows."""
        return _sorts(self.pair.new), _sorts(self.pair.old)

    @cached_property
    def differs(self) -> bool:
        """Whether names, figures or values differ, or one is against what the other wants."""
        mine, theirs, _ = self.names
        is_opposed = self.stances in OPPOSED or self.opposed_words
        return bool((mine and theirs) or all(self.figures) or is_opposed or self.pair.rivals)

    @cached_property
    def stances(self) -> tuple[Stance, Stance]:
        """What the newer one and the older one want."""
        return stance(self.pair.new.text), stance(self.pair.old.text)

    @cached_property
    def is_against(self) -> bool:
        """Whether one allows or frees from what the other wants or forbids, or says the opposite word."""
        return are_against(self.pair.new.text, self.pair.old.text) or self.opposed_words

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

Seen = dict[str, float]


def _of_words(one: Aligned) -> Seen:
    """What is shared, and what is left."""
    of_new, of_old = one.shares
    told = one.weigh(one.met)
    first = (one.of_new[one.new[0]] if one.new else 0.0, one.of_old[one.old[0]] if one.old else 0.0)
    return {
        "nothing is shared": float(not one.met),
        "one word is shared": float(len(one.met) == 1),
        "each says what the other says": of_new * of_old,
        "what is left is alike": max((one.of_new[word] for word in one.left), default=0.0),
        "what is left is somewhat alike": _mean([one.of_new[word] for word in one.left]),
        "what was said is somewhat alike": _mean([one.of_old[word] for word in one.right]),
        "a telling word is shared": min(1.5, max(map(one.weight, one.met), default=0.0)),
        "much is shared": min(3.0, told) / 3,
        "what the older one says is said": of_old,
        "what the newer one says was said": of_new,
        "both say what the other says": min(of_new, of_old),
        "one says what the other says": max(of_new, of_old),
        "the newer one says more": min(4.0, one.weigh(one.left)) / 4,
        "they are alike as a whole": one.whole,
        "telling words are shared": min(3, sum(word.form not in word_tables().common for word in one.met)) / 3,
        "only common words are shared": float(
            bool(one.met) and all(word.form in word_tables().common for word in one.met)
        ),
        "nothing of the newer one is left": float(not one.left),
        "nothing of the older one is left": float(not one.right),
        "they begin alike": min(first),
        "the last word is said again": one.of_old[one.old[-1]] if one.old else 0.0,
        "two words in a row are shared": float(bool(_rows(one.new) & _rows(one.old))),
        **_of_qualifiers(one),
    }


def _mean(some: Sequence[float]) -> float:
    return sum(some) / len(some) if some else 0.0


def _rows(words: Sequence[Word]) -> set[tuple[str, str]]:
    return {(a.form, b.form) for a, b in pairwise(words) if b.at - a.at <= 2}


def _of_qualifiers(one: Aligned) -> Seen:
    """Whether a shared word has another word ahead of it, or behind: the web team, the firmware team."""
    mine, theirs = _ahead(one.new, one.left), _ahead(one.old, one.right)
    behind, were = _behind(one.new, one.left), _behind(one.old, one.right)
    shared = {word.form for word in one.new} & {word.form for word in one.old}
    return {
        OF_ITS_KIND: float(any(word in mine and word in theirs for word in shared)),
        "another word stands behind what is shared": float(bool(shared & behind & were)),
        "one says which of its kind": float(any((word in mine) != (word in theirs) for word in shared)),
    }


def _ahead(words: Sequence[Word], left: Sequence[Word]) -> set[str]:
    """The words right behind a word that is left."""
    places = {word.at for word in left}
    return {word.form for word in words if word.at - 1 in places}


def _behind(words: Sequence[Word], left: Sequence[Word]) -> set[str]:
    """The words ahead of a word that is left; a small word may stand between them."""
    return {a.form for a, b in pairwise(words) if b.at - a.at <= 2 and b in left}


def _of_values(one: Aligned) -> Seen:
    """Which names, figures and values are shared, and which differ."""
    pair, (new, old) = one.pair, one.figures
    mine, theirs, shared = one.names
    is_chosen = any(are_alternatives(a.form, b.form) for a in one.left for b in one.right)
    both, differ = bool(mine and theirs), bool(pair.rivals) or is_chosen or bool(new and old)
    return {
        "another value of its sort": float(bool(pair.rivals)),
        "the same value": float(bool(pair.new.said & pair.old.said)),
        "a value is no longer said": float(bool(pair.theirs and not pair.mine)),
        "other figures": float(bool(new and old)),
        "one has figures": float(_has_figures(pair.new) != _has_figures(pair.old)),
        "a name is shared": min(2, len(shared)) / 2,
        "names differ": float(both),
        "a name is no longer said": float(bool(theirs and not mine)),
        "no names at all": float(not (mine or theirs or shared)),
        "values differ in what is alike": differ * min(one.shares),
        "names differ, and it changed": float(both and one.turns),
    }


def _of_sorts(one: Aligned) -> Seen:
    """Whether both give a value of one sort, and another one."""
    new, old = one.sorts
    met = [sort for sort in new.keys() & old.keys() if new[sort] - old[sort] and not new[sort] >= old[sort]]
    rows = [sort for sort in met if sort.startswith("row")]
    return {
        CHOICE: float(bool(rows)),
        "another value of that sort": float(len(met) > len(rows)),
        TWO_VALUES: float(len(met) > 1 and not one.turns),
        FIGURES_AND_WORDS: float(all(one.figures) and bool(one.left and one.right) and not one.turns),
        "the same of one sort": float(any(new[sort] == old[sort] for sort in new.keys() & old.keys())),
        "values of other sorts": float(bool(new and old) and not new.keys() & old.keys()),
        "another of the same choice, of one thing": bool(met) * max(one.shares),
    }


def _has_figures(one: Claim) -> bool:
    return bool(_NUMBER.search(one.text))


def _of_stances(one: Aligned) -> Seen:
    """Who forbids what the other allows."""
    opposed, (mine, theirs) = one.stances in OPPOSED, one.stances
    denies = pattern("likely.denied")
    said = [bool(denies.search(side.text)) for side in (one.pair.new, one.pair.old)]
    return {
        "one allows what the other forbids": float(one.stances in FIRMLY),
        "it need not be": float("frees" in one.stances and mine != theirs),
        "one is against it": float(opposed),
        "one is against what is shared": opposed * max(one.shares),
        "one denies": float(said[0] != said[1]),
        "opposite words": float(one.opposed_words),
    }


def _of_changes(one: Aligned) -> Seen:
    """Whether something is said to be otherwise now, and why."""
    pair = one.pair
    reasons = [bool(pattern("likely.gives_reason").search(side.text)) for side in (pair.new, pair.old)]
    is_sign, shared = one.differs or one.turns, max(one.shares)
    return {
        "it says that something changed": float(one.turns),
        "what is shared changed": one.turns * min(3.0, one.weigh(one.met)) / 3,
        "it says why": float(reasons[0] and not reasons[1]),
        "it changed, and something differs": float(one.turns and one.differs),
        "a sign of change in what is shared": is_sign * shared,
        "no sign of change in what is shared": (not is_sign) * shared,
        "it holds in one case only": float(pair.new.is_limited and not pair.old.is_limited),
    }


def _of_things(one: Aligned) -> Seen:
    """Whether both are about one thing, as far as the rules of the comparison tell."""
    new, old = one.pair.new, one.pair.old
    is_other = bool(one.pair.left & new.subject and one.pair.right & old.subject)
    is_part = bool(one.pair.left & new.part) and not one.pair.right & old.part
    return {
        "of a part, and nothing changed": float(is_part and not one.turns),
        "it sets itself apart": float(bool(pattern("likely.sets_apart").search(new.text))),
        "their subjects differ": float(is_other),
        "they name two parts": float(_name_two_parts(one)),
        "what the older one is about is named": _named(old.subject, new.frame),
        "what the newer one is about was named": _named(new.subject, old.frame),
        "one says only": float(_says_only(new) != _says_only(old)),
        "they name two things": float(bool(new.naming - old.naming and old.naming - new.naming)),
        "the newer one is about a part": float(bool(one.pair.left & new.part)),
        "the older one was about a part": float(bool(one.pair.right & old.part)),
        "one is about a place": float(bool(new.places) != bool(old.places)),
    }


def _name_two_parts(one: Aligned) -> bool:
    mine, theirs = ({word.form for word in words if word.form in _parts()} for words in (one.new, one.old))
    return any(_parts()[word] & (theirs - mine) for word in mine - theirs)


def _named(subject: Words, frame: Words) -> float:
    return len(subject & frame) / len(subject) if subject else 0.5


def _says_only(one: Claim) -> bool:
    return bool(pattern("likely.only").search(one.text))


def _of_rows(kind: str, reason: str) -> Seen:
    """What the rows of `differences` think of it, where they are not sure."""
    found = {f"for the rows {one}": float(reason == one) for one in BY_ROWS}
    return {
        **found,
        "for the rows it is narrower": float(kind == "narrower" and reason not in BY_ROWS),
        ASKS: float(kind == "unsure"),
    }


def observe_clues(one: Aligned, by_rows: tuple[str, str]) -> Seen:
    """What every clue sees in two sayings."""
    return {
        **_of_words(one),
        **_of_values(one),
        **_of_sorts(one),
        **_of_stances(one),
        **_of_changes(one),
        **_of_things(one),
        **_of_rows(*by_rows),
    }


def is_short(text: str) -> bool:
    """Whether a saying is short enough for its words to tell what it is about."""
    return len(text.split()) <= MOST_WORDS


def likely(pair: ClaimPair, meaning: Meaning, by_rows: tuple[str, str]) -> Likely:
    """The odds that the newer claim ends the older one, and that it says the same."""
    one = Aligned(pair, meaning)
    seen = observe_clues(one, by_rows)
    weights = likely_weights.WEIGHTS
    parts = {name: weights[name][0] * value for name, value in seen.items()}
    ends = likely_weights.BIAS[0] + sum(parts.values())
    same = likely_weights.BIAS[1] + sum(weights[name][1] * value for name, value in seen.items())
    reason = max(parts, key=lambda name: parts[name])
    is_never = (
        bool(one.left and one.right)
        or pair.new.turns
        or one.is_against
        or pair.mine
        or pair.theirs
        or any(seen[name] for name in NEVER_SAME)
    )
    is_two = not one.met or any(seen[name] for name in PERHAPS_TWO)
    is_unsure = any(seen[name] for name in ONLY_ASKED)
    is_apart = is_two or bool(seen[f"for the rows {BY_ROWS[0]}"])
    least = NOT_ENDED if is_unsure else ENDED_OF_TWO if is_apart else ENDED, ASKED_OF_TWO if is_two else ASKED
    return Likely(_odds(ends), 0.0 if is_never else _odds(same), reason, least)  # "we use valkey now, not redis"


def _odds(logarithm: float) -> float:
    return math.exp(max(-30.0, min(30.0, logarithm)))
