"""What a sentence is about: concepts, files, symbols, names, and the slot of a single-valued fact."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise

from nous.kernel.capture.session import relative
from nous.kernel.learn.compose import WORD
from nous.kernel.log.extraction import MAX_CONCEPTS, MIN_CONCEPTS
from nous.language.cues import is_foreign
from nous.language.lexicon import lines, pattern, row, words
from nous.language.likeness import STOP_WORDS, stem, tokens


def files(text: str, cwd: str = "") -> tuple[str, ...]:
    """The paths a text names, relative to the working directory where they lie in it."""
    found = (relative(path, cwd) for path in pattern("slots.file").findall(text))
    return tuple(dict.fromkeys(path for path in found if path and "://" not in path))[:8]


def symbols(text: str) -> tuple[str, ...]:
    """The identifiers a text names."""
    return tuple(dict.fromkeys(name.removesuffix("()") for name in pattern("slots.symbol").findall(text)))[:8]


def entities(text: str) -> tuple[str, ...]:
    """Names in a text: programs, libraries and services, environments, hosts, variables, people, and proper names.

    Of a command in back-ticks the program is the name; one spelling stands for all: "Postgres" and "postgres" are one.
    """
    spoken = pattern("slots.ticked").sub(_program, text)
    found = [
        *(name for name in pattern("slots.word").findall(spoken) if name.lower() in words("slots.products")),
        *pattern("slots.place").findall(spoken),
        *pattern("slots.host_name").findall(spoken),
        *pattern("slots.variable").findall(spoken),
        *(name for names in pattern("slots.person").findall(spoken) for name in names if name),
        *(name.strip(".-") for name in pattern("slots.proper").findall(spoken)),
    ]
    once = {name.lower(): name for name in reversed(found) if len(name) > 1 and name.lower() not in STOP_WORDS}
    return tuple(once[name] for name in dict.fromkeys(name.lower() for name in found) if name in once)[:8]


def _program(ticked: re.Match[str]) -> str:
    """What stands in back-ticks, of a command only its program."""
    said = ticked[1].split()
    return f" {said[0]} " if len(said) > 1 and said[0].isascii() and said[0].islower() else f" {ticked[1]} "


_CODE_LIKE = re.compile(r"`|\b[A-Za-z]+-?\d+\b|\w\(\)|\w[._/]\w|\w_\w|--\w|QUOTED|[a-z][A-Z]\w*[a-z]|\w/(?:\s|$)")
_SPOKEN = re.compile(r"[^\W\d_]{3,}")
CONTEXT = 1500  # characters of what was said around a sentence that are looked at


def concepts(text: str, context: str = "") -> tuple[str, ...]:
    """Up to ten lower-case terms under which a text should be found, five at least where there are so many.

    They are its own words. Where these are too few come the names in it, the stems of files, pairs of words that make a
    term, and what the talk around it was about.
    """
    said = [word.lower().strip(".-/") for word in pattern("slots.word").findall(text.replace("`", " "))]
    scored = {word: _weight(word) for word in said if _is_word(word)}
    best = sorted(scored, key=lambda word: (-scored[word], said.index(word)))
    telling = [word for word in best if word not in words("words.vague")]
    if len(telling) < MIN_CONCEPTS:
        telling = _fill_up(telling, (*_further(text), *_topics(context), *best))
    return tuple(telling[:MAX_CONCEPTS])


def _is_word(word: str) -> bool:
    return len(word) > 2 and word not in STOP_WORDS and word not in words("words.contracted") and not word.isdigit()


def _weight(word: str) -> float:
    return 2.0 if re.search(r"[_./\d-]", word) else 1.0 + min(len(word), 12) / 24


def _fill_up(terms: list[str], more: Iterable[str]) -> list[str]:
    """The terms and as many others as are missing to the least number."""
    forms = set(map(stem, terms))
    found = list(terms)
    for term in more:
        if len(found) < MIN_CONCEPTS and stem(term) not in forms:
            forms.add(stem(term))
            found.append(term)
    return found


def _further(text: str) -> Iterator[str]:
    """Terms of more or less than a word: names, commands, stems of files, pairs such as "acceptance test"."""
    yield from (name.lower() for name in entities(text) if name != "go" and ". " not in name)
    programs = (ticked.split()[0].lower() for ticked in pattern("slots.ticked").findall(text) if ticked.strip())
    yield from (name for name in programs if len(name) > 1 and name not in STOP_WORDS)
    stems = (path.rstrip("/").rsplit("/", 1)[-1].split(".")[0].lower() for path in files(text) if "/" in path)
    yield from (name for name in stems if len(name) > 2)
    pairs = [(one, other.rstrip(".,;:!?)")) for one, other in pairwise(text.lower().split())]
    said = [(one, other) for one, other in pairs if _SPOKEN.fullmatch(one) and one not in _idle() and _is_second(other)]
    yield from (f"{one} {other}" for one, other in sorted(said, key=lambda pair: not is_trade(pair[1])))


def _is_second(word: str) -> bool:
    """Whether a word may end a term: "test" in "acceptance test", the figure in "PEP 621"."""
    return word.isdigit() or (bool(_SPOKEN.fullmatch(word)) and word not in _idle())


@cache
def _idle() -> frozenset[str]:
    return STOP_WORDS | words("words.vague") | words("words.contracted")


def _topics(context: str) -> Iterator[str]:
    """Names and words of the trade that come up repeatedly in what was said around a sentence, most frequent first."""
    said = [word for word in _SPOKEN.findall(context[-CONTEXT:].lower()) if word not in _idle()]
    forms = {stem(word): word for word in reversed(said)}
    for form, times in Counter(map(stem, said)).most_common():
        if times > 1 and (is_trade(form) or form in words("slots.products")):
            yield forms[form]


@cache
def _trade() -> frozenset[str]:
    stems = frozenset(map(stem, words("words.trade")))
    return stems | {word + "s" for word in stems if len(word) < 3}  # too short to be stemmed: ids, prs, vms


@lru_cache(maxsize=1024)
def is_trade(text: str) -> bool:
    """Whether a sentence speaks of software and the work on it: a word of the trade, or something spelt like code."""
    if is_code_like(text) or not text.isascii() or not _trade().isdisjoint(tokens(text)):
        return True
    return is_foreign(text)  # whose trade words are not listed


def is_code_like(text: str) -> bool:
    """Whether something in a sentence is spelt like code."""
    return bool(_CODE_LIKE.search(text))


# -- slots ----------------------------------------------------------------------------------------------------------


@cache
def attributes() -> dict[str, str]:
    """What people call an attribute of which a thing has one at a time, and its normal form."""
    rows = (line.split(", ") for line in lines(row("slots.attributes")))
    return {word: names[0] for names in rows for word in names}


@lru_cache(maxsize=4096)
def slot(text: str) -> str | None:
    """The single-valued fact that a sentence states, as "subject|attribute", or None.

    "log level in production is INFO" and "the production log level must be WARNING" give the same slot,
    "log production|level"; "quiz ids are ulids" gives none, since a thing may be many things at once.
    """
    plain = text.replace("`", "").rstrip(".!")
    figures = any(map(str.isdecimal, plain))  # most sentences have none, and four of the shapes are built on one
    found = (figures and _ports(plain)) or _owners(plain) or _runs(text) or (figures and _versions(plain))
    return found or _choices(plain) or _copulas(plain) or _places(plain) or (_measures(plain) if figures else None)


def _of(found: re.Match[str] | None, name: str = "np") -> str:
    """What one of the groups found that have a name, in whichever way the thing was said: np, np2."""
    groups = found.groupdict().items() if found else ()
    return next((text for group, text in groups if text and group.rstrip("2345") == name), "")


def _ports(text: str) -> str | None:
    phrase = _of(pattern("slots.port").match(text))
    return _slot(phrase, "port") if phrase else None


def _owners(text: str) -> str | None:
    is_likely = any(word in text for word in (" by ", "owns", " over ", "' now", "'s now"))
    phrase = _of(pattern("slots.owned").search(text)) if is_likely else ""
    return _slot(phrase, "owner") if phrase else None


def _runs(text: str) -> str | None:
    phrase = _of(pattern("slots.run_with").search(text))
    return _slot(phrase, "command") if phrase else None


def _versions(text: str) -> str | None:
    """The version of a named thing: "we're on Django 5.1", "prod still runs node 18"."""
    found = pattern("slots.version").search(text)
    what = _of(found, "what").lower()
    if len(what) < 2 or what in STOP_WORDS or what in attributes() or what in words("slots.no_version"):
        return None
    return _slot(f"{_of(found)} {what}", "version")


def _places(text: str) -> str | None:
    """Where a thing lies, when the place is written as a path."""
    phrase = _of(pattern("slots.lives").match(text))
    return _slot(phrase, "path") if phrase and len(phrase.split()) <= 5 else None


def _choices(text: str) -> str | None:
    if found := pattern("slots.decided_for").match(text):
        known = (attributes()[word] for word in WORD.findall(found["value"].lower()) if word in attributes())
        return _slot(found["np"], next(known, "choice"))
    phrase = _of(pattern("slots.use_for").search(text))
    return _slot(phrase, "choice") if phrase else None


def _copulas(text: str) -> str | None:
    for clause in re.split(r"[.;:] |, | - ", text):
        found = pattern("slots.copula").match(clause.strip())
        if not found or not pattern("slots.literal").match(found["value"]):
            continue
        said = WORD.findall(found["np"].lower())
        known = [word for word in said if word in attributes()]
        if known and len(said) <= 9:
            attribute = attributes()[_head(found["np"].lower(), known)]
            return _slot(found["np"], "limit" if attribute == "size" and {"maximum", "max"} & set(said) else attribute)
    return None


def _measures(text: str) -> str | None:
    """The figure that a thing has, whatever is measured: "minSdk is 24", "we raised minSdk to 28"."""
    phrase = _of(pattern("slots.figure").search(text))
    attribute = "version" if phrase.lower() in words("slots.products") else "figure"
    return _slot(phrase, attribute) if phrase else None


def _head(phrase: str, known: list[str]) -> str:
    """The attribute a phrase is about: "branch" in "default branch of the repo", "level" in "production log level"."""
    before = pattern("slots.of").split(phrase)[0]
    ahead = [word for word in known if re.search(rf"\b{re.escape(word)}\b", before)]
    return (ahead or known)[-1]


def _slot(phrase: str, attribute: str) -> str | None:
    phrase = pattern("slots.determiner").sub("", pattern("slots.determiner").sub("", phrase.strip().lower()))
    said = {stem(word) for word in re.findall(r"[\w-]+", phrase) if word not in STOP_WORDS}
    said -= {stem(word) for word, form in attributes().items() if form == attribute}
    said -= {"size"} if attribute == "limit" else set()
    said -= words("slots.empty")
    if len(said) > 5 or (attribute == "choice" and not said):  # of a project much is chosen, not one thing
        return None
    return f"{' '.join(sorted(said)) or 'project'}|{attribute}"
