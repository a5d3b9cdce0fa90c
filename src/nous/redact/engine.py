"""Running the rules over a text.

One automaton looks for the needles of all rules at once, so most texts cost a single pass over their bytes (decision
0040). What was found is replaced by a placeholder such as `[secret:aws-key]`, which no rule matches again.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator
from functools import cache, lru_cache, partial
from itertools import product

from ahocorasick_rs import AhoCorasick, BytesAhoCorasick, Implementation

from nous.redact.blocks import BLOCKS, CARD_WORDS, cards, without_private
from nous.redact.found import OPEN, SHUT, Removals
from nous.redact.rules import RULES, Rule

PLACEHOLDER = re.compile(r"\[secret:([a-z-]{2,20})\]")
_MARKED = re.compile(f"{OPEN}([a-z-]{{2,20}}){SHUT}")
_LAST_WORD = 40  # no word that a match can end with is longer
_PASSES = 8  # one removal may bring two texts together that then look like a secret; this many have never been needed


def redact_text(text: str) -> tuple[str, Removals]:
    """The text without secrets and private spans, and how many of each kind were removed."""
    found = Removals()
    return clean(text, found), found


def clean(text: str, found: Removals) -> str:
    """The text without secrets and private spans."""
    due = needed_rules(text.encode(errors="replace"))
    if not due:
        return text
    if PRIVATE in due and (public := without_private(text, found)) != text:
        text, due = public, needed_rules(public.encode(errors="replace"))
    # Placeholders wear a mark that no pattern takes for a value, so that cleaning twice is cleaning once.
    marked = PLACEHOLDER.sub(f"{OPEN}\\1{SHUT}", text) if "[secret:" in text else text
    for _ in range(_PASSES):
        cleaned = _pass(marked, due, found)
        if cleaned is marked:
            break
        marked, due = cleaned, needed_rules(cleaned.encode(errors="replace"))
    return strip_placeholders(marked)


def strip_placeholders(text: str) -> str:
    """The text with its placeholders as they are stored."""
    return _MARKED.sub(r"[secret:\1]", text) if OPEN in text else text


def _pass(text: str, due: Collection[int], found: Removals) -> str:
    lowered = fold(text)
    for rule in (RULES[place] for place in sorted(due) if place < len(RULES)):
        cleaned = _apply(rule, text, lowered, found)
        if cleaned is not text:
            text, lowered = cleaned, fold(cleaned)
    for place in sorted(due):
        if place >= CARDS:
            rewrite = cards if place == CARDS else BLOCKS[place - FIRST_BLOCK].rewrite
            cleaned = rewrite(text, found)
            text = cleaned if cleaned != text else text
    return text


def fold(text: str) -> str:
    """The text in lower case, every letter in its place, with the signs of other keyboards as ours."""
    lowered = text.lower()
    if text.isascii():
        return lowered
    # A few letters change their length in lower case; then ASCII folding has to do.
    lowered = lowered if len(lowered) == len(text) else text.translate(_ASCII)
    for theirs, ours in _SIGNS:
        lowered = lowered.replace(theirs, ours)
    return lowered


_SIGNS = (("：", ":"), ("＝", "="), ("“", '"'), ("”", '"'), ("\xa0", " "), ("\u3000", " "))
_ASCII = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def _apply(rule: Rule, text: str, lowered: str, found: Removals) -> str:
    searched = lowered if rule.folded else text
    search, has_group = searcher(rule, searched), bool(rule.pattern.groups)
    pieces: list[str] = []
    done = at = 0
    while match := search(searched, at):
        start, end = match.span(1) if has_group else match.span()
        value = text[start:end]
        if (
            OPEN in value
            or (rule.holds and not rule.holds(value))
            or (rule.about and not rule.about(text[match.start() : start]))
        ):
            at = start if start > match.start() and end - start < 100 else end  # the value may itself announce one
            continue
        pieces += [text[done:start], found.take(rule.name, value)]
        done = at = end
    return "".join(pieces) + text[done:] if pieces else text


def searcher(rule: Rule, searched: str) -> Callable[[str, int], re.Match[str] | None]:
    """What finds the next match from a place on: the pattern itself, or a look at the places where one can be."""
    if not rule.beginnings:
        return rule.pattern.search
    if rule.ahead:
        return partial(_search_before, rule, _places(rule.beginnings, searched))
    places = iter(_beginnings(rule, searched))
    fits = rule.pattern.match

    def search(searched: str, at: int) -> re.Match[str] | None:
        return next((match for place in places if place >= at and (match := fits(searched, place))), None)

    return search


@cache
def _automaton(words: str) -> AhoCorasick:
    return AhoCorasick(words.split("|"), implementation=Implementation.DFA)


@lru_cache(maxsize=64)  # several rules look for the same words in the same text, one after the other
def _places(words: str, searched: str) -> list[int]:
    return sorted({start for _, start, _ in _automaton(words).find_matches_as_indexes(searched, True)})


def _search_before(rule: Rule, places: list[int], searched: str, at: int) -> re.Match[str] | None:
    """The first match from a place on that ends with one of the rule's words; what is between is not looked at."""
    for number in range(bisect_left(places, at), len(places)):
        start = places[number]
        if match := rule.pattern.search(searched, max(at, start - rule.ahead), start + _LAST_WORD):
            return match
    return None


def _beginnings(rule: Rule, searched: str) -> Iterator[int]:
    """The places where a match of a rule can begin, in order."""
    following = 0
    for start in _places(rule.beginnings, searched):
        yield from range(max(following, start - rule.back), start + 1)
        following = start + 1


# -- which rules have to look at a text -------------------------------------------------------------------------------

PRIVATE, CARDS, FIRST_BLOCK = len(RULES), len(RULES) + 1, len(RULES) + 2
_KELVIN = "\u212a".encode()  # the one letter beyond ASCII whose lower case is a letter of ASCII
_AS_DIGITS = bytes(ord("0") if chr(byte).isdigit() and byte < 128 else byte for byte in range(256))
SHORT = 1000  # a text of so many bytes is asked for long numbers; a longer one only when it speaks of cards
_LONG_NUMBER = b"0" * 13
_GROUPED = b"0000"


def _spellings(needle: str) -> set[bytes]:
    """Every way to write a needle that lower-casing ASCII does not level, within a string of JSON too."""
    ways = ({letter} if letter.isascii() else {letter, letter.upper()} for letter in needle)
    written = {"".join(way) for way in product(*ways)}
    return {way.encode() for one in written for way in (one, json.dumps(one, ensure_ascii=False)[1:-1])}


def _by_needle() -> dict[bytes, set[int]]:
    """Each needle with the places of the rules and blocks that wait for it."""
    places = {b"private": {PRIVATE}}
    waiting: list[tuple[int, tuple[str, ...]]] = [(CARDS, CARD_WORDS)]
    waiting += [(place, rule.needles) for place, rule in enumerate(RULES)]
    waiting += [(place, block.needles) for place, block in enumerate(BLOCKS, FIRST_BLOCK)]
    for place, needles in waiting:
        for spelling in (one for needle in needles for one in _spellings(needle)):
            places.setdefault(spelling, set()).add(place)
    return places


@cache
def _finder() -> tuple[Callable[[bytes, bool], list[tuple[int, int, int]]], tuple[set[int], ...]]:
    """What finds every needle in a text, and for each needle the places of its rules."""
    places = _by_needle()
    return BytesAhoCorasick(places, implementation=Implementation.DFA).find_matches_as_indexes, tuple(places.values())


def needed_rules(raw: bytes) -> set[int]:
    """The places of the rules that may find something in a text, given in UTF-8."""
    if not raw.isascii():
        raw = raw.replace(_KELVIN, b"k")
    find, places = _finder()
    hits = find(raw.lower(), True)
    due = set().union(*(places[number] for number in {hit[0] for hit in hits})) if hits else set()
    if CARDS in due or len(raw) <= SHORT:
        due.discard(CARDS)
        # a number as long as that of a payment card, in one piece or in groups
        if _GROUPED in (flat := raw.translate(_AS_DIGITS)) and (
            _LONG_NUMBER in flat or _LONG_NUMBER in flat.translate(None, b" -")
        ):
            due.add(CARDS)
    return due
