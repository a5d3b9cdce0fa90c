"""A saying taken apart: what it is about, which values it gives, what it refuses, and whether it forbids.

A value is what another saying may give otherwise: a number with its unit, a version, what stands in quotation marks, a
path, a command with its flags. What is left is the frame, the words for the thing and for what is said of it. Words
that tell only how firmly something is meant ("from now on", "please", "I want you to") belong to neither.
"""

from __future__ import annotations

import re
from functools import cache, cached_property, lru_cache

from nous.language import lexicon
from nous.language.compare.subjects import Sentence, mark, read_places, strip_value_marks
from nous.language.compare.words import environments, numbers, root, units, word_tables
from nous.language.lexicon import lines, pattern, row
from nous.language.likeness import STOP_WORDS, stem
from nous.language.provenance import is_ordinary

Words = frozenset[str]
Value = tuple[str, str]  # its sort and its form
NONE: Words = frozenset()
_SHORTENED = re.compile(r"(?<=\w)'(?:re|ve|ll|m|d|s)\b", re.I)
_ONE = re.compile(r"\ba single\b|\bcode base\b", re.I)
_NEGATED = re.compile(r"\b(ca|do|does|did|is|are|was|wo|should|must|could|would|have|has)n't\b", re.I)
_SPACED = re.compile(r"\s+")
_LETTER = re.compile(r"(?<=\w )A(?=[\s,.;:!?)]|$)")  # the name of one of several, and no article: "crate A"
_START_DOING = re.compile(r"\b(?:start|begin|keep)(?= \w+ing\b)", re.I)
_NUMBER = re.compile(r"(?<![\w.:/#-])v?(\d+(?:[.,]\d+)*)\s?(%|[^\W\d_]{1,14})?(?![\w]*[:/-]\w)")
_PATH = re.compile(
    r"(?<![\w:/@])(?:~?/)?(?:[\w.@*-]+/)+[\w.@*-]*|\b[\w-]+\.(?:ya?ml|toml|json|ini|conf|env|md|sh|py|ts|js|sql|lock)\b"
)
_ADDRESS = re.compile(
    r"\bhttps?://[^\s,;)'\"`]+|(?<![\w@/.-])(?:[a-z0-9-]+\.){2,}[a-z]{2,}(?![\w(])"
    r"|\blocalhost:\d+|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])",
    re.I,
)
_CLOCK = re.compile(r"(?<![\w:.])\d{1,2}:\d{2}(?![\w:])")
_LOCALE = re.compile(r"(?<=\bis |\bto |.= )(?:en|de|fr|es|it|ja|zh|ru|pt|pl|nl)(?:[-_][A-Z]{2})?(?=\W*$)")
_SWITCH = re.compile(
    r"\b(?:is|are|be|turned|switched|stays?|remains?)(?: now| always)? (on|off|enabled|disabled)\b"
    r"(?=\W*$|[,.;!?]| now| by| again| for| in\b)",
    re.I,
)
_CAPITAL = re.compile(r"(?<=[\w,;)] )[A-Z][\w.+#-]*|\b[A-Z]{2,}\w*\b|\b[a-z]+[A-Z]\w*\b")
_ORDER = re.compile(r"\b(before|after|vor|nach|avant|après|antes de|después de|перед|после)\b", re.I)
_AFTER = frozenset(("after", "nach", "après", "después de", "после"))
_WORD = re.compile(r"[^\W_]+(?:[._/:@+#-][^\W_]+)*|_\w+")
_CLAUSE = re.compile(r"[;:!?。；，]|\.\s|, (?:and |but |or )?(?=do not |never |not )| and (?=do not |never )", re.I)
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")  # signs that are written without spaces between words
_OPENING = re.compile(r"\W*([A-Z][a-z]{2,})\b")
TELLING = 2  # words that say something, before which nothing is explained yet
_NAMES = frozenset(("quoted", "path", "address"))  # sorts of values that may be the name of a thing
_SWITCHED = {"enabled": "on", "disabled": "off"}


@cache
def filler() -> Words:
    """The words that say nothing about what a rule is about, as they stand there and by their stems."""
    return lexicon.words("claims.filler") | STOP_WORDS


@cache
def _implied_values() -> list[tuple[str, str]]:
    pairs = (pair.split(":") for pair in row("claims.implied").split())
    return [(canonical(whole), canonical(part)) for whole, part in pairs]


@cache
def light() -> Words:
    """Verbs that one side may have and the other not."""
    return frozenset(map(canonical, lexicon.words("claims.light")))


@cache
def _dense_filler() -> re.Pattern[str]:
    """Filler that is written without spaces, the longest first."""
    return re.compile("|".join(sorted(lexicon.words("claims.dense"), key=len, reverse=True)))


@cache
def _same() -> dict[str, str]:
    rows = [line.split() for line in lines(row("claims.same"))]
    return {form: root(names[0]) for names in rows for name in names for form in (name, stem(name), root(name))}


@lru_cache(maxsize=65536)
def canonical(word: str) -> str:
    """The form that stands for a word and for others that mean the same in a rule."""
    same = _same()
    return same.get(word) or same.get(found := root(word)) or found


class Claim:
    """One sentence as it is compared."""

    def __init__(self, text: str):
        plain = _LETTER.sub("A_A", _SPACED.sub(" ", _ONE.sub("a", strip_value_marks(text).replace("’", "'"))).strip())
        self.text = _SHORTENED.sub("", _NEGATED.sub(r"\1 not", plain))
        plain, refused = _without_refused(_without_reasons(self.text))
        self.main = _START_DOING.sub(" ", plain)
        self.given, self.marked = _read_values(self.main)
        self.values, self.bare = frozenset(self.given), strip_value_marks(self.marked)
        refused_values, bare = _read_values(refused)
        self.refused_values = frozenset(refused_values)
        self.refused: Words = frame_words(strip_value_marks(bare))

    @cached_property
    def frame(self) -> Words:
        """The words for what it is about and for what it says of it."""
        said = frame_words(self.bare)
        said = said - self.refused or said
        return said - frozenset(one for whole, one in _implied_values() if whole in said)

    def spoken(self, form: str) -> str:
        """A word of the frame as it was said."""
        return _spoken_words(self.bare).get(form, form)

    @cached_property
    def _places_of_words(self) -> Sentence:
        telling = frozenset(_spoken_words(self.bare).values()) - lexicon.words("claims.merely")
        names = frozenset(number for number, (sort, _) in enumerate(self.given) if sort in _NAMES)
        return read_places(self.marked, telling, names)

    @cached_property
    def naming(self) -> frozenset[Value]:
        """The values that say which thing it is about: "pallet 8"."""
        return frozenset(self.given[number] for number in self._places_of_words.naming)

    @cached_property
    def said(self) -> frozenset[Value]:
        """The values that it gives to what it is about."""
        named = self._places_of_words.naming
        return frozenset(value for number, value in enumerate(self.given) if number not in named)

    @cached_property
    def subject(self) -> Words:
        """The words of the frame that say which thing it is about."""
        found = self._places_of_words
        return frame_words(f"{found.ahead} ; {found.scope}") & self.frame

    @cached_property
    def part(self) -> Words:
        """The words of the frame behind "for", "of" and "in", which say which one is meant."""
        return self.within | (frame_words(self._places_of_words.scope) & self.frame)

    @cached_property
    def within(self) -> Words:
        """The words that do so when it says something else besides: in Go files."""
        return frame_words(self._places_of_words.within) & self.frame

    @cached_property
    def everywhere(self) -> Words:
        """The words of the frame that say no more than that it holds for all of the speaker's code."""
        return frame_words(" ; ".join(hit[0] for hit in pattern("claims.everywhere").finditer(self.main)))

    @cached_property
    def denies(self) -> bool:
        """Whether it forbids or denies: its first clause that says something; two denials of one clause make none."""
        clauses = [clause for clause in _CLAUSE.split(self.main) if frame_words(clause)] or [self.main]
        return len(pattern("claims.denies").findall(clauses[0])) % 2 == 1

    @cached_property
    def names(self) -> Words:
        """The words of the frame that name one thing: tools and products, and what is written with a capital."""
        opening = _OPENING.match(self.bare)
        said = [opening[1]] if opening and not is_ordinary(opening[1].lower()) else []
        found = frame_words(" ".join((*said, *_CAPITAL.findall(self.bare))))
        return frozenset(
            word for word in self.frame if word in found or word in products() or word in word_tables().alternatives
        )

    @cached_property
    def commands(self) -> Words:
        """The commands that it names."""
        return frozenset(form for sort, form in self.values | self.refused_values if sort == "command")

    @cached_property
    def forbidden(self) -> Words:
        """The commands that it says are not to be run, or do not work."""
        refused = {form for sort, form in self.refused_values if sort == "command"}
        hits = [hit for hit in pattern("claims.quoted").finditer(self.text) if hit[1]]
        broken = {
            form
            for hit in hits
            for sort, form in [_quoted_value(hit)]
            if sort == "command"
            if pattern("claims.broken").match(self.text[hit.end() :])
            or (self.denies and len({form for sort, form in self.values if sort == "command"}) == 1)
        }
        return frozenset(refused | broken)

    @cached_property
    def order(self) -> tuple[Words, Words] | None:
        """What is done first, and what after it; None when it says nothing about that."""
        hits = list(_ORDER.finditer(self.bare))
        if len(hits) != 1:
            return None
        hit = hits[0]
        ahead, behind = self.bare[: hit.start()], self.bare[hit.end() :]
        if not frame_words(ahead):
            comma = behind.find(",")
            ahead, behind = (behind[comma:], behind[:comma]) if comma > 0 else ("", behind)
        first, then = frame_words(ahead), frame_words(behind)
        return (then, first) if hit[1].lower() in _AFTER else (first, then)

    @cached_property
    def places(self) -> frozenset[int]:
        """The environments it speaks of."""
        return frozenset(at for at, place in enumerate(environments()) if place.search(self.bare))

    @cached_property
    def adds(self) -> bool:
        """Whether what it wants may stand beside others of its kind."""
        return bool(pattern("claims.adds").search(self.main))

    @cached_property
    def turns(self) -> bool:
        """Whether it says that something is otherwise from now on."""
        return bool(self.refused or self.refused_values or pattern("claims.turned").search(self.text))

    @cached_property
    def is_limited(self) -> bool:
        """Whether it holds in one case only."""
        return bool(pattern("claims.limits").search(self.text))

    @cached_property
    def is_dense(self) -> bool:
        """Whether it is written without spaces between words."""
        return sum(map(len, _DENSE.findall(self.text))) > 3


@lru_cache(maxsize=16384)
def claim(text: str) -> Claim:
    """A sentence, read once."""
    return Claim(text)


@cache
def products() -> Words:
    """Names of programs, libraries and services that people write in lower case."""
    return frozenset(map(canonical, lexicon.words("slots.products")))


def frame_words(text: str) -> Words:
    """The words of a text that are no filler, by what stands for them."""
    return frozenset(_spoken_words(text))


@lru_cache(maxsize=16384)
def _spoken_words(text: str) -> dict[str, str]:
    """The same, each with the word as it was said."""
    idle = filler()
    said = [word for word in _WORD.findall(_DENSE.sub(" ", text.lower())) if word not in idle]
    dense = _dense_filler().sub(" ", text)
    pairs = [run[at : at + 2] for run in _DENSE.findall(dense) for at in range(len(run) - 1)]
    found = {canonical(word): word for word in reversed(said)}
    return {form: word for form, word in found.items() if form not in idle} | {pair: pair for pair in pairs}


def _without_reasons(text: str) -> str:
    """A sentence without its reasons; one that opens with a reason goes on behind the comma."""
    opened = pattern("claims.opens").sub("", text)
    heads = (opened[: found.start()] for found in pattern("claims.explains").finditer(opened))
    return next((head for head in heads if len(frame_words(head)) >= TELLING), opened)


def _without_refused(text: str) -> tuple[str, str]:
    """A sentence without what it names only to refuse it, and that."""
    if rather := pattern("claims.rather").match(text):
        return rather["now"], rather["was"]
    refused = [next(group for group in hit.groups() if group) for hit in pattern("claims.refuses").finditer(text)]
    kept = pattern("claims.refuses").sub(" ", text)
    return (kept, " ; ".join(refused)) if frame_words(kept) or pattern("claims.quoted").search(kept) else (text, "")


def _read_values(text: str) -> tuple[list[Value], str]:
    """The values that a text gives, and the text with a mark in the place of each."""
    found: list[Value] = []

    def take(value: Value) -> str:
        found.append(value)
        return mark(len(found) - 1)

    text = pattern("claims.quoted").sub(lambda hit: take(_quoted_value(hit)), text)
    for sort, form in (("address", _ADDRESS), ("path", _PATH), ("clock", _CLOCK), ("locale", _LOCALE)):
        text = form.sub(lambda hit, sort=sort: take((sort, hit[0].lower().rstrip("./"))), text)  # type: ignore[misc]
    text = _SWITCH.sub(lambda hit: f" is {take(('switch', _SWITCHED.get(hit[1].lower(), hit[1].lower())))}", text)
    text = " ".join(numbers().get(word.lower(), word) for word in text.split())
    return found, _NUMBER.sub(lambda hit: f"{take(_number(hit))} " + ("" if _unit(hit) else f"{hit[2] or ''} "), text)


def _quoted_value(hit: re.Match[str]) -> Value:
    said = next(group for group in hit.groups() if group).strip()
    if hit[1] and " " in said:
        return "command", _SPACED.sub(" ", said)
    if _PATH.fullmatch(said):
        return "path", said.rstrip("/")
    return "quoted", said.rstrip("()")


def _unit(hit: re.Match[str]) -> str:
    return units().get((hit[2] or "").lower(), ("", 1.0))[0]


def _number(hit: re.Match[str]) -> Value:
    """A number with what it measures, in the smallest unit of that."""
    said, (measure, factor) = hit[1], units().get((hit[2] or "").lower(), ("", 1.0))
    if not measure or said.count(".") > 1:
        return "number", said
    return f"number of {measure}", f"{float(said.replace(',', '')) * factor:g}"
