"""What a sentence says of two named things: "the api runs on eks" is (api, runs_on, eks)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from nous.core.extraction import Triple
from nous.core.extractor import slots
from nous.core.extractor.domain import is_code_like, is_trade
from nous.core.likeness import STOP_WORDS

MOST = 4  # that one sentence gives
US = "project"  # who "we" are

# A new relation is one row: its name, and the verbs that state it.
PREDICATES: tuple[tuple[str, str], ...] = (
    ("runs_on", r"(?:runs?|(?:is|are) running) (?:on|in|inside|under)|(?:is|are) on"),
    ("deployed_to", r"(?:(?:is|are|gets?) deployed|deploys?) (?:to|on|onto|into)"),
    ("hosted_on", r"(?:is|are) hosted (?:on|at|in|by)"),
    ("lives_in", r"(?:lives?|sits?) (?:in|at|under)|(?:is|are) (?:kept|stored|located) (?:in|at|under)"),
    ("configured_in", r"(?:is|are) (?:configured|set|defined|declared|implemented) in"),
    ("depends_on", r"depends? on|rel(?:y|ies) on|needs?|requires?"),
    ("built_with", r"(?:is|are) built (?:with|on|using|from)"),
    ("written_in", r"(?:is|are) written in"),
    ("generated_from", r"(?:is|are) generated (?:from|by|with)"),
    ("run_with", r"(?:is|are) (?:tested|run|checked|formatted|linted|installed|deployed) (?:with|by|using)|runs? with"),
    ("managed_by", r"(?:is|are) (?:managed|handled|served|provided) by"),
    ("owned_by", r"(?:is|are) (?:owned|maintained) by|belongs? to"),
    ("listens_on", r"listens? on|binds? to"),
    ("reads", r"(?:reads?|consumes?|polls?)(?: from)?|subscribes? to|listens? to"),
    ("writes", r"writes?(?: to| into)?|(?:publishe?s?|pushe?s?|logs?) (?:to|into)"),
    ("calls", r"calls?|talks? to|connects? to"),
    ("comes_from", r"comes? from"),
    ("goes_to", r"goes? (?:to|through|via)"),
    ("sits_behind", r"(?:is|are|sits?) behind"),
    ("extends", r"extends?|inherits? from|implements?"),
    ("imports", r"imports?"),
    ("replaces", r"replaces?"),
    ("contains", r"contains?"),
    ("uses", r"uses?|(?:is|are) using"),
)
_WORD = r"[`@\w][\w@./:+`#()-]*"
_VERBS = "|".join(f"(?P<{name}>{verbs})" for name, verbs in PREDICATES)
_STATES = re.compile(
    rf"^(?:the |our |all |every |each |both |an? )?(?P<subject>{_WORD}(?: {_WORD}){{0,3}}?) "
    rf"(?:now |still |always |also |already |only |currently |\w+ly )?(?:{_VERBS}) "
    rf"(?P<object>(?:the |our |an? )?{_WORD}(?: {_WORD}){{0,4}})",
    re.I,
)
_WE_USE = re.compile(
    rf"^we(?:'re| are)? (?:now |still |always |also |already |only |currently )?"
    rf"(?:(?P<uses>use|using)|(?P<runs_on>run(?:ning)? on)|(?P<deployed_to>deploy(?:ing)? to)"
    rf"|(?P<built_with>build(?:ing)? with)) "
    rf"(?P<object>{_WORD}(?: {_WORD}){{0,2}})",
    re.I,
)
_CLAUSE = re.compile(r"[.;:!?]\s+|, (?:and |but |so |which |because |not )?| - | because | and (?=the |our )|\s\(|\)")
# What ends the name of an object, and what is no name by itself.
_END = re.compile(
    r"(?i)\s(?:for|in|on|at|with|via|from|to|and|or|not|instead|because|when|if|but|since|as|by|now|anymore|only|that|which"
    r"|while|until|before|after|through|so|than|rather|is|are|was|be|must|should|will|can|of|under|inside|like|it|them"
    r"|there|here|we|you|i|they|too|also|directly|again|first)\b.*"
)
_NO_NAME = re.compile(
    r"(?i)^(?:it|this|that|these|those|they|he|she|i|you|we|there|here|what|which|who|everything|anything|nothing"
    r"|something|one|none|all|both|some|any|no|not|never|don't|if|when|then|also|and|but|so|please|let's|to|how|why"
    r"|where|always|as|for|in|on|at|my|your|his|her|their|its|front|place|sync|line|order|turn|mind)\b"
)
_DENIALS = frozenset(
    {"not", "no", "never", "longer", "don't", "doesn't", "isn't", "aren't", "can't", "won't", "cannot"}
)
_FIGURE = re.compile(r"\d")
_ARTICLE = re.compile(r"(?i)^(?:(?:the|our|an?|all|every|each|own) )+")


@lru_cache(maxsize=1024)
def triples(text: str) -> tuple[Triple, ...]:
    """The relations that a sentence states outright, each between two things that have names."""
    found = dict.fromkeys(said for clause in _CLAUSE.split(text) for said in _of(clause.strip()))
    return tuple(found)[:MOST]


def _of(clause: str) -> Iterator[Triple]:
    stated = _WE_USE.match(clause) or _STATES.match(clause)
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
    phrase = _ARTICLE.sub("", _END.sub("", phrase)).replace("`", "").strip(" .,:()")
    words = phrase.lower().split()
    idle = not 0 < len(words) <= 3 or _NO_NAME.match(phrase) or words[-1] in STOP_WORDS or _DENIALS.intersection(words)
    return "" if idle else phrase


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
    if any(word.lower() in slots.PRODUCTS for word in name.split()) or is_code_like(name) or _FIGURE.search(name):
        return True
    return any(char.isupper() for char in name[1:])
