"""What "it" or "they" at the head of a sentence stands for, where the sentence before leaves no choice."""

from __future__ import annotations

import re

from nous.core.extractor import slots

_VERBS = """
    run live use need listen read write sit hold keep store serve handle expect require work fail take return start stay
    contain support provide get talk speak cost depend belong
""".split()  # noqa: SIM905
_ONE = "|".join(("is", "was", "has", *(f"{verb}s" for verb in _VERBS)))
_MANY = "|".join(("are", "were", "have", *_VERBS))
_EITHER = "might|could|would|shall|must|should|can|cannot|can't|will|won't|may|had|isn't|aren't|doesn't|don't|does|do"
_NAME = r"[`\w][\w./+`-]*(?: [`\w][\w./+`-]*){0,3}?"
# The thing that a statement is about, when the statement begins with it.
_SUBJECT = re.compile(
    rf"^(?P<the>(?:the|our|my) |)(?P<name>{_NAME}) (?:now |currently |also |only )?"
    rf"(?:(?P<one>{_ONE})|(?P<many>{_MANY})|(?:{_EITHER}))\b(?P<rest>.*)",
    re.I,
)
# What follows "is" says what the same thing is: "Valkey is a fork".
_SAME = re.compile(r"(?i)^ (?:not |now |just |still |only |currently |actually )*(?:an?|the|our) ")
_SPELT_OUT = re.compile(r"`[^`]+`|\S*\w[-_./]\w\S*|\S*[a-z\d][A-Z]\S*|[A-Z]{2,}\w*(?: [A-Z]\w*)?")
_MANY_THINGS = re.compile(r"\w{2,}[^\Wsui]s\b")
_NO_NAME = re.compile(
    r"(?:It|This|That|These|Those|They|He|She|I|You|We|There|Here|What|Which|Who|Everything|Anything|Nothing|Something|One"
    r"|None|All|Both|Some|Any|No|Not|If|When|Then|Also|And|But|So|Please|To|How|Why|Where|As|For|In|On|At|Someone|Only)\b"
)
_VERB = re.compile(
    rf" (?:{_ONE}|{_EITHER}|and|or|to|that|which|who|not|there|when|if|where|how)\b", re.I
)  # no name has one in its midst
# The thing that somebody says there is now, and nothing else.
_OBJECT = re.compile(
    r"^(?:we|i|there)(?:'ve| have|'s| is| are)? (?:now |just |also |already )*"
    r"(?:use|have|added|run|set up|built|wrote|introduced|installed|got|moved to|switched to|went with)?\b ?"
    rf"(?P<the>an? |the |our )(?P<name>{_NAME})(?: now| today| yesterday| last week)?[.!]*$",
    re.I,
)
_ANOTHER = re.compile(
    r"(?i)\b(?:the|our|my|your|his|an?|this|that|these|those|its?|they|them|each|every|any|some|both)\b"
)
_PRONOUN = re.compile(r"^(?P<who>it|they|its|their)(?P<short>'s|'re|'ll|'d)?\b(?=[ '])", re.I)
# "It is fine that", "it looks like": nobody is meant.
_EMPTY = re.compile(
    r"^it(?:'s| is| was|'d be| would be| will be| might be| can be)"
    r"(?: \w+ly| not| also| just| still| quite| very| too)*"
    r" (?:fine|nice|good|great|bad|ok|okay|clear|true|possible|impossible|important|necessary|better|best|worth|hard"
    r"|easy|time|weird|strange|enough|likely|recommended|advised|suggested|assumed|expected|known|said|like|about|up to"
    r"|all|as|because|why|how|what|when|where|who|that|my|your|a (?:good|bad) idea|a pity|a shame)\b"
    r"|^it (?:looks|seems|seemed|turns out|turned out|feels|sounds|appears|depends|follows|happens|matters|helps"
    r"|makes sense|would|could|might|may|takes? \w+ (?:\w+ )?to)\b"
    r"|^it\b.{0,60}\b(?:that (?:we|i|you|they|the)|if (?:we|i|you)|to (?:have|see))\b",
    re.I,
)


def resolved(before: str, text: str) -> str | None:
    """A sentence with its first pronoun named, when the sentence before speaks of one thing only; else None.

    "The metrics sidecar is new." and "It listens on port 9100." give "The metrics sidecar listens on port 9100.".
    """
    pronoun = _PRONOUN.match(text)
    if pronoun is None or _EMPTY.match(text):
        return None
    who = pronoun["who"].lower()
    name = _named(before, is_many=who in ("they", "their"))
    if name is None:
        return None
    if who in ("its", "their"):
        return f"{name}'{'' if name.endswith('s') else 's'}{text[pronoun.end() :]}" if not pronoun["short"] else None
    return f"{name}{_SPELT.get((pronoun['short'] or '').lower(), '')}{text[pronoun.end() :]}"


_SPELT = {"'s": " is", "'re": " are", "'ll": " will", "'d": " would"}


def _named(before: str, is_many: bool) -> str | None:
    """The one thing that a sentence speaks of, as the next would call it; None when there are none or several."""
    found = _SUBJECT.match(before)
    if found:
        is_copula = (found["one"] or found["many"] or "").lower() in ("is", "are")
        defined = bool(is_copula and _SAME.match(found["rest"]))
        rest = _SAME.sub(" ", found["rest"]) if defined else found["rest"]
        if not (found["the"] or _is_name(found["name"], defined)) or _VERB.search(found["name"]):
            return None
        if _ANOTHER.search(rest) or _names_something(rest) or (is_many and _MANY_THINGS.search(rest)):
            return None
        agrees = bool(found["many"]) if found["many"] or found["one"] else _is_plural(found["name"])
        return _the(found) if agrees == is_many else None
    found = _OBJECT.match(before)
    return _the(found) if found and _is_plural(found["name"]) == is_many else None


def _is_name(words: str, is_defined: bool) -> bool:
    """Whether words without an article are a name: spelt like one, or a capital that the sentence goes on to define."""
    if _NO_NAME.match(words):
        return False
    return bool(_SPELT_OUT.fullmatch(words)) or (is_defined and words[:1].isupper() and words.count(" ") < 2)


def _names_something(rest: str) -> bool:
    """Whether a name stands in the rest of a sentence, of which the next sentence may go on to speak."""
    spelt = slots.FILE.search(rest) or slots.SYMBOL.search(rest) or slots.PROPER.search(rest) or "`" in rest
    return bool(spelt) or any(word.lower() in slots.PRODUCTS for word in slots.WORD.findall(rest))


def _is_plural(name: str) -> bool:
    return name.endswith("s") and not name.endswith(("ss", "us", "is"))


def _the(found: re.Match[str]) -> str:
    """The name with its article, as a sentence begins: what was "a sidecar" is "the sidecar" now."""
    article, name = found["the"].strip().lower(), found["name"].rstrip(".!")
    return f"{ {'our': 'Our', 'my': 'My', '': ''}.get(article, 'The') } {name}".strip()
