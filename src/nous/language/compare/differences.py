"""What two sayings have in common and in what they differ: the one comparison that everything asks.

Learning, reconciling, imports, notes by hand and review all ask `difference`. The frame says whether two sayings are
about the same thing, their values whether they say the same of it. Likeness alone decides nothing: two sentences that
share nine words of ten and differ in the deciding one are no repetition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Literal, NamedTuple, get_args

from nous.language.compare.claims import NONE, Claim, Value, Words, claim, light
from nous.language.compare.likely import Likely, Meaning, are_against, is_short, likely
from nous.language.compare.words import are_alternatives, opposites_of, word_tables
from nous.language.lexicon import pattern, words
from nous.language.likeness import tokens
from nous.language.provenance import is_ordinary
from nous.language.sentences import sentences

DifferenceKind = Literal["same", "new value", "opposite", "narrower", "unsure", "open", "unrelated"]
KINDS: tuple[DifferenceKind, ...] = get_args(DifferenceKind)
ENDS: frozenset[DifferenceKind] = frozenset(("new value", "opposite"))
SYNONYMS = 0.5  # from there two words mean the same: "delete" and "remove" 0.68, "function" and "method" 0.14
MOST = 4  # words that only one side has, from which two sayings are too far apart to be set beside each other
MOST_PAIRS = 12  # sentences of two texts that are set beside each other
STEM = 5  # letters that words of one family share
NUMBERS = frozenset(("number", "switch"))  # values that everything has
DENSE = 0.6  # share of the pairs of signs that Chinese and Japanese sayings of one thing have in common


class Difference(NamedTuple):
    """How a newer saying stands to an older one and why; `likely` is what the weights tell where no row is sure."""

    kind: DifferenceKind
    reason: str
    likely: Likely | None = None

    @property
    def chance(self) -> float:
        """How likely an end is, when there is no other that it could end: 1 where a row decides."""
        return self.likely.beside(0) if self.likely else 1.0


OTHER_THING = Difference("unrelated", "their subjects name two things")
OTHER_THINGS = Difference("unrelated", "they are about different things")
ELSEWHERE = Difference("unrelated", "they hold in different places")
TWO_THINGS = Difference("unrelated", "they name two things")
OWN_COMMANDS = Difference("unrelated", "each has a command of its own")
TWO_IDS = Difference("unrelated", "two ids")
VALUE_OF_TWO = Difference("unrelated", "the same value for two things")
A_CERTAIN_ONE = Difference("narrower", "one is about a certain one")
SURELY_APART = frozenset((ELSEWHERE, A_CERTAIN_ONE, TWO_THINGS, OWN_COMMANDS, TWO_IDS, VALUE_OF_TWO))
OPEN = Difference("open", "they share something and differ in something")
FOREMOST = 0.3  # how likely an end has to be beside all others that could be meant


class NoVectors:
    """For who has no vectors: words mean the same only where a table says so, and the rules decide alone."""

    def __call__(self, one: str, other: str) -> float:
        return 0.0

    def weight(self, word: str) -> float:
        """How much a word tells."""
        return 1.0


no_vectors = NoVectors()


def difference(new: str, old: str, alike: Meaning = no_vectors) -> Difference:
    """How a newer sentence stands to an older one."""
    return compare_claims(claim(new), claim(old), alike)


def compare_claims(new: Claim, old: Claim, alike: Meaning = no_vectors) -> Difference:
    """The rows of `ROWS` in their order: the first that has something to say decides; else how likely it is."""
    pair = ClaimPair(new, old, alike)
    found = by_rows(pair)
    if alike is no_vectors or _is_decided(found, pair):
        return found
    return settled([Difference(found.kind, found.reason, likely(pair, alike, found.kind, found.reason))])[0]


def by_rows(pair: ClaimPair) -> Difference:
    """What the rows say of a pair."""
    rows = (decide(pair) for decide in ROWS)
    return next((found for found in rows if found), OPEN)


def is_open(pair: ClaimPair) -> bool:
    """Whether no row is sure about a pair, and its sayings are short enough to tell how likely it is."""
    return not _is_decided(by_rows(pair), pair)


def _is_decided(found: Difference, pair: ClaimPair) -> bool:
    if pair.agrees and pair.old.adds:  # what one adds or includes may stand beside others
        return True
    is_same = found.kind == "same" and not are_against(pair.new.main, pair.old.main)
    is_sure = found.kind in ENDS or is_same or found in SURELY_APART
    return is_sure or not is_short(pair.new.text) or not is_short(pair.old.text)


def settled(found: Sequence[Difference]) -> list[Difference]:
    """How a saying stands to each of others: what is likely alone is less so beside others that it could mean."""
    odds = sum(one.likely.ends for one in found if one.likely)
    return [_weighed(one, one.likely, odds) if one.likely else one for one in found]


def _weighed(found: Difference, odds: Likely, all_odds: float) -> Difference:
    chance = odds.beside(all_odds)
    reason = f"{odds.reason} ({chance:.2f})"
    if odds.beside(0) >= odds.least[0] and chance >= FOREMOST:
        return Difference("new value", reason, odds)
    if chance >= odds.least[1]:
        return Difference("unsure", reason, odds)
    is_unclear = found.kind in ("same", "unsure", *ENDS)
    return Difference(OPEN.kind if is_unclear else found.kind, OPEN.reason if is_unclear else found.reason, odds)


def text_difference(new: str, old: str, alike: Meaning = no_vectors) -> Difference | None:
    """How a newer text stands to an older one, sentence by sentence; None where it says too much to be told.

    A text of several sentences says the same as another when each of its sentences is said there. Only a single
    sentence is replaced as a whole: of more, `parts` tells which have ended.
    """
    mine, theirs = _telling(new), _telling(old)
    if len(mine) * len(theirs) > MOST_PAIRS:
        return None
    found = [[difference(one, other, alike) for other in theirs] for one in mine]
    if all(any(one.kind == "same" for one in row) for row in found):
        return Difference("same", "each sentence is said there")
    if len(theirs) > 1:
        return None
    kinds: tuple[DifferenceKind, ...] = ("opposite", "new value") if len(mine) > 1 else KINDS
    return next((row[0] for kind in kinds for row in found if row[0].kind == kind), None)


def _telling(content: str) -> tuple[str, ...]:
    """The sentences of a text that say something: "Always." does not."""
    return tuple(one for one in split(content) if claim(one).frame or claim(one).values) or split(content)


class ClaimPair:
    """Two claims beside each other: what only one of them has, and which values differ."""

    def __init__(self, new: Claim, old: Claim, alike: Meaning):
        self.new: Claim = new
        self.old: Claim = old
        left, right = _leftovers(new, old, alike)
        self.left: Words = left
        self.right: Words = right
        self.shared: Words = (new.frame - self.left) & _shared_words(old.frame - self.right, new.frame - self.left)
        if new.is_dense and old.is_dense:
            self._compare_by_share()
        self.mine: frozenset[Value] = new.said - old.said
        self.theirs: frozenset[Value] = old.said - new.said
        mine, theirs = ({sort for sort, _ in values} for values in (self.mine, self.theirs))
        self.rivals: frozenset[str] = frozenset(
            sort for sort in mine & theirs if not any(value[0] == sort for value in new.said & old.said)
        )

    def _compare_by_share(self) -> None:
        """Without spaces there are pairs of signs instead of words, and some always differ."""
        common = self.new.frame & self.old.frame
        if common and len(common) >= DENSE * max(len(self.new.frame), len(self.old.frame)):
            self.left = self.right = NONE
            self.shared = common

    @property
    def tells(self) -> bool:
        """Whether what is shared says what both are about: "work" alone does not."""
        return (
            len(self.shared) > 1 or not self.shared <= word_tables().common or bool(self.new.values & self.old.values)
        )

    @property
    def agrees(self) -> bool:
        """Whether both forbid or both do not."""
        return self.new.denies == self.old.denies


@lru_cache(maxsize=8192)
def split(content: str) -> tuple[str, ...]:
    """The sentences of a text; the whole where they would not say everything it says."""
    parts = tuple(one.text for one in sentences(content))
    return parts if set(tokens(" ".join(parts))) >= set(tokens(content)) else (content,)


def _leftovers(new: Claim, old: Claim, alike: Meaning) -> tuple[Words, Words]:
    """The words that only one side has, families and synonyms aside."""
    left, right = set(new.frame - old.frame), set(old.frame - new.frame)
    for one in sorted(left) if len(left) <= MOST and len(right) <= MOST else ():
        for other in sorted(right):
            is_apart = _are_apart(one, other) or one in new.names or other in old.names  # names are no synonyms
            if not is_apart and (_is_kin(one, other) or _is_synonym(new.spoken(one), old.spoken(other), alike)):
                left.discard(one)
                right.discard(other)
                break
    return frozenset(left - light()), frozenset(right - light())


def _shared_words(theirs: Words, mine: Words) -> Words:
    """All of what is shared, in the newer one's words."""
    return mine if theirs or not mine else mine & theirs


@lru_cache(maxsize=65536)
def _is_kin(one: str, other: str) -> bool:
    """Whether two words differ in their endings alone: indent, indentation."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return shared >= STEM and all(word[shared:] in {"", *words("claims.endings")} for word in (one, other))


def _is_synonym(one: str, other: str, alike: Meaning) -> bool:
    """Whether two words mean the same; names are alike by spelling, and m1 and m2 are two."""
    are_words = all(len(word) > 2 and word.isalpha() and is_ordinary(word) for word in (one, other))
    return are_words and alike(one, other) >= SYNONYMS


def _are_apart(one: str, other: str) -> bool:
    return are_alternatives(one, other) or other in opposites_of(one)


# -- the rows -------------------------------------------------------------------------------------------------------


def _nothing_shared(pair: ClaimPair) -> Difference | None:
    is_named = bool(pair.new.refused & pair.old.frame or pair.new.refused_values & pair.old.values)
    is_swap = _find_swap(pair) is not None
    if (
        pair.shared
        or is_named
        or is_swap
        or pair.new.forbidden & pair.old.commands
        or pair.old.forbidden & pair.new.commands
    ):
        return None
    if pair.new.values & pair.old.values and not pair.left and not pair.right:
        return None
    return OTHER_THINGS


def _elsewhere(pair: ClaimPair) -> Difference | None:
    mine, theirs = pair.new.places, pair.old.places
    if mine and theirs and not mine & theirs:
        return ELSEWHERE
    return None


def _forbids_a_command(pair: ClaimPair) -> Difference | None:
    if pair.new.forbidden & (pair.old.commands - pair.old.forbidden):
        return Difference("opposite", "the command is not to be run")
    if pair.old.forbidden & (pair.new.commands - pair.new.forbidden):
        return Difference("opposite", "the command was not to be run")
    return None


def _refuses(pair: ClaimPair) -> Difference | None:
    """The newer one names what the older one wants, to refuse it."""
    met = pair.new.refused & pair.old.frame
    if pair.old.denies or not (met or pair.new.refused_values & pair.old.values):
        return None
    if pair.new.refused_values & pair.old.values and not pair.right:
        return Difference("new value", "it refuses the older value")
    if met and not (pair.right - met) and (pair.left or pair.mine):
        return Difference("new value", "it refuses what was said")
    return Difference("unsure", "it refuses something of it") if met and len(pair.right - met) <= 1 else None


def _other_thing(pair: ClaimPair) -> Difference | None:
    """What they are about differs: a number, a name or another word that says which one is meant."""
    mine, theirs = pair.new.naming - pair.old.naming, pair.old.naming - pair.new.naming
    left, right = pair.left & pair.new.subject, (pair.right & pair.old.subject) - pair.new.refused
    if mine and theirs:
        return TWO_THINGS
    if left and right and not _is_one_place(pair):
        is_plain = (left | right) - word_tables().common
        return OTHER_THING if is_plain else OTHER_THINGS
    if left and right:
        return Difference("unsure", "another takes its place, or they are two")
    if mine - pair.old.values or theirs - pair.new.values:
        return A_CERTAIN_ONE
    if pair.left & pair.new.within and pair.right & pair.old.within and _says_besides(pair):
        return Difference("unrelated", "they hold in different places")
    return None


def _is_one_place(pair: ClaimPair) -> bool:
    """Whether nothing but the subject as a whole differs, and only one can be there: "Postgres is our database"."""
    if pair.mine or pair.theirs or pair.new.said or not pair.agrees or pair.new.denies:
        return False
    is_whole = pair.left == pair.new.subject and pair.right == pair.old.subject
    return is_whole and len(pair.left) == len(pair.right) == 1 and _find_swap(pair) is not None


def _says_besides(pair: ClaimPair) -> bool:
    """Whether they say something that has a value of its own: "tabs" in "use tabs in Go files"."""
    outside = pair.shared - pair.new.within
    return bool(
        pair.new.said or pair.mine or pair.theirs or any(word in word_tables().alternatives for word in outside)
    )


def _other_order(pair: ClaimPair) -> Difference | None:
    mine, theirs = pair.new.order, pair.old.order
    if not mine or not theirs or pair.left or pair.right or not pair.agrees:
        return None
    if mine[0] and mine[1] and mine[0] & theirs[1] - theirs[0] and mine[1] & theirs[0] - theirs[1]:
        return Difference("opposite", "the other way round")
    return None


def _find_swap(pair: ClaimPair) -> tuple[str, str] | None:
    """The two words of which one takes the other's place, when nothing else differs."""
    if len(pair.left) != 1 or len(pair.right) != 1:
        return None
    (one,), (other,) = pair.left, pair.right
    return (one, other) if are_alternatives(one, other) else None


def _swap(pair: ClaimPair) -> Difference | None:
    found = _find_swap(pair)
    if found is None or pair.rivals:
        return None
    if pair.new.values & pair.old.values:
        return VALUE_OF_TWO
    if not pair.agrees or pair.new.denies:
        return Difference("unrelated", "one is wanted, the other forbidden")
    if pair.new.adds and not pair.new.turns:
        return Difference("unrelated", "both may hold")
    if pair.shared or all(word_tables().alternatives[word] & word_tables().choices for word in found):
        return Difference("new value", "one takes the other's place")
    return Difference("unsure", "perhaps one takes the other's place")


def _opposite_words(pair: ClaimPair) -> Difference | None:
    if pair.rivals or not pair.left or not pair.right or len(pair.left) > 2 or len(pair.right) > 2:
        return None
    met = {(one, other) for one in pair.left for other in pair.right if other in opposites_of(one)}
    if not met or {one for one, _ in met} != pair.left or {other for _, other in met} != pair.right or not pair.shared:
        return None
    if not pair.tells:
        return Difference("unrelated", "what they share says too little")
    if pair.agrees:
        return Difference("opposite", "it says the opposite")
    return Difference("same", "the opposite, denied")


def _same_frame(pair: ClaimPair) -> Difference | None:
    if pair.left or pair.right:
        return None
    if pair.rivals:
        return _two_values(pair)
    if not pair.tells:
        return Difference("unrelated", "what they share says too little")
    if not pair.agrees:
        if pair.new.is_limited != pair.old.is_limited:
            return Difference("narrower", "one is an exception to the other")
        return Difference("opposite", "one denies the other")
    if (pair.mine and not pair.theirs) or (pair.theirs and not pair.mine and pair.new.denies):
        return Difference("narrower", "one gives a value besides")
    if pair.new.is_limited != pair.old.is_limited:
        return Difference("narrower", "one holds in one case only")
    if pair.mine or pair.theirs:
        return Difference("unsure", "one gives a value that the other does not")
    return Difference("same", "the same words and values")


def _two_values(pair: ClaimPair) -> Difference:
    if pair.new.denies or pair.old.denies:
        return Difference("unrelated", "what one forbids, the other does not want")
    if pair.new.adds and pair.old.adds and "number" not in pair.rivals and not pair.new.refused_values:
        return Difference("unrelated", "both may hold")
    if pair.new.is_limited != pair.old.is_limited:
        return Difference("narrower", "one holds in one case only")
    if pair.rivals == {"command"} and pair.new.order and pair.old.order and not pair.new.turns:
        return Difference("unsure", "both may be run at that point")
    if len(pair.mine) > 1 and len(pair.theirs) > 1:
        return Difference("unsure", "more than one value differs")
    if not pair.tells and pair.rivals <= NUMBERS:
        return Difference("unsure", "two numbers for one thing, or for two")
    return Difference("new value", "another value for the same thing")


def _own_commands(pair: ClaimPair) -> Difference | None:
    """The command of each names what only it is about: `make test-auth` of auth, `make test-export` of export."""
    if len(pair.left) != 1 or len(pair.right) != 1:
        return None
    one, other = (side.spoken(*words) for side, words in ((pair.new, pair.left), (pair.old, pair.right)))
    mine, theirs = (" ".join(side.commands) for side in (pair.new, pair.old))
    if one in mine and other in theirs and one not in theirs and other not in mine:
        return OWN_COMMANDS
    return None


def _other_ids(pair: ClaimPair) -> Difference | None:
    """One id each, a digest or a ticket, that the other does not have: the value of a sentence that gives no other."""
    if len(pair.left) != 1 or len(pair.right) != 1 or not pair.shared:
        return None
    if not all(any(sign.isdigit() for sign in word) for word in (*pair.left, *pair.right)):
        return None
    if not pair.agrees or pair.new.denies or not pair.tells or pair.rivals:
        return TWO_IDS
    if pair.new.said & pair.old.said:
        return VALUE_OF_TWO
    return Difference("new value", "another id for the same thing")


def _other_names(pair: ClaimPair) -> Difference | None:
    """One name each that the other does not have: the value of a sentence that gives no other."""
    if pair.rivals or not pair.left or not pair.right:
        return None
    is_named = pair.left <= pair.new.names and pair.right <= pair.old.names
    if not is_named or len(pair.left) > 1 or len(pair.right) > 1 or not pair.agrees or pair.new.denies:
        return None
    if (pair.new.adds and pair.old.adds) or not pair.shared:
        return Difference("unrelated", "both may hold")
    if pair.new.said & pair.old.said or pair.shared & word_tables().alternatives.keys():
        return VALUE_OF_TWO
    if pair.shared <= word_tables().common and not pair.new.turns:
        return Difference("unsure", "two names for one thing, or two things")
    return Difference("new value", "another name for the same thing")


def _one_says_more(pair: ClaimPair) -> Difference | None:
    if bool(pair.left) == bool(pair.right):
        return None
    extra = pair.left or pair.right
    if pair.rivals and not pair.left and pair.right <= pair.old.everywhere and pair.agrees:
        return Difference("new value", "another value for all of it")
    if pair.rivals and (pair.left <= pair.new.part if pair.left else pair.right <= pair.old.part):
        return A_CERTAIN_ONE
    if pair.rivals:
        return Difference("unsure", "perhaps another value") if len(extra) == 1 and pair.new.turns else None
    if pair.agrees or not pair.tells:
        return Difference("narrower", "one says more")
    if pattern("claims.no_longer").search(pair.new.main) and not pair.left and len(pair.shared) > 1:
        return Difference("opposite", "it is no longer so")
    if pair.new.is_limited or pair.old.is_limited or len(extra) > 1:
        return Difference("narrower", "one is an exception to the other")
    return Difference("unsure", "one denies something of the other")


ROWS: tuple[Callable[[ClaimPair], Difference | None], ...] = (
    _forbids_a_command,
    _nothing_shared,
    _elsewhere,
    _refuses,
    _other_thing,
    _other_order,
    _swap,
    _opposite_words,
    _same_frame,
    _own_commands,
    _other_ids,
    _other_names,
    _one_says_more,
)
