"""What a sentence says of two named things: "the api runs on eks" is (api, runs_on, eks)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from nous.core.extraction import Triple
from nous.core.extractor.names import is_code_like, is_trade
from nous.core.language.lexicon import pattern, words
from nous.core.likeness import STOP_WORDS

MOST = 4  # that one sentence gives
US = "project"  # who "we" are

_CLAUSE = re.compile(r"[.;:!?]\s+|, (?:and |but |so |which |because |not )?| - | because | and (?=the |our )|\s\(|\)")
_ARTICLE = re.compile(r"(?i)^(?:(?:the|our|an?|all|every|each|own) )+")


@lru_cache(maxsize=1024)
def triples(text: str) -> tuple[Triple, ...]:
    """The relations that a sentence states outright, each between two things that have names."""
    found = dict.fromkeys(said for clause in _CLAUSE.split(text) for said in _of(clause.strip()))
    return tuple(found)[:MOST]


def _of(clause: str) -> Iterator[Triple]:
    stated = pattern("triples.we_use").match(clause) or pattern("triples.states").match(clause)
    if stated is None:
        return
    subject = _name(stated["subject"]) if "subject" in stated.re.groupindex else US
    named = _name(stated["object"])
    if not subject or not named or subject.casefold() == named.casefold() or not _are_names(subject, named):
        return
    verb = next(name for name, words in stated.groupdict().items() if words and name not in ("subject", "object"))
    yield Triple(subject, verb, named)


def _name(phrase: str) -> str:
    """What may be the name in a phrase: up to three words without articles and denials."""
    phrase = _ARTICLE.sub("", pattern("triples.end").sub("", phrase)).replace("`", "").strip(" .,:()")
    said = phrase.lower().split()
    if not 0 < len(said) <= 3 or pattern("triples.no_name").match(phrase):
        return ""
    return "" if said[-1] in STOP_WORDS or words("triples.denials").intersection(said) else phrase


def _are_names(subject: str, named: str) -> bool:
    """Whether both are things of the trade; a single word may be any thing beside one that is spelt like a name."""
    one, other = _is_thing(subject), _is_thing(named) or named[:1].isupper()
    if one and other:
        return True
    plain = named if one else subject
    return " " not in plain and _is_spelt(subject if one else named) and (one or other)


def _is_thing(name: str) -> bool:
    return name == US or _is_spelt(name) or is_trade(name.split()[-1])


def _is_spelt(name: str) -> bool:
    """Whether a name shows by its letters that it is one: a product, code, a figure, a capital within."""
    if not words("slots.products").isdisjoint(name.lower().split()) or is_code_like(name):
        return True
    return any(map(str.isdecimal, name)) or any(map(str.isupper, name[1:]))
