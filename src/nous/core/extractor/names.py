"""What a sentence is about: concepts, files, symbols, names, and the slot of a single-valued fact."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from nous.core.extraction import MAX_CONCEPTS, MIN_CONCEPTS
from nous.core.extractor import slots
from nous.core.extractor.domain import is_trade
from nous.core.likeness import STOP_WORDS, stem
from nous.core.session import relative


def files(text: str, cwd: str = "") -> tuple[str, ...]:
    """The paths a text names, relative to the working directory where they lie in it."""
    found = (relative(path, cwd) for path in slots.FILE.findall(text))
    return tuple(dict.fromkeys(path for path in found if path and "://" not in path))[:8]


def symbols(text: str) -> tuple[str, ...]:
    """The identifiers a text names."""
    return tuple(dict.fromkeys(name.removesuffix("()") for name in slots.SYMBOL.findall(text)))[:8]


def entities(text: str) -> tuple[str, ...]:
    """Names in a text: programs, libraries and services, environments, hosts, variables, people, and proper names.

    Of a command in back-ticks the program is the name; one spelling stands for all: "Postgres" and "postgres" are one.
    """
    spoken = slots.TICKED.sub(_program, text)
    found = [
        *(name for name in slots.WORD.findall(spoken) if name.lower() in slots.PRODUCTS),
        *slots.PLACE.findall(spoken),
        *slots.HOST.findall(spoken),
        *slots.VARIABLE.findall(spoken),
        *(name for names in slots.PERSON.findall(spoken) for name in names if name),
        *(name.strip(".-") for name in slots.PROPER.findall(spoken)),
    ]
    once = {name.lower(): name for name in reversed(found) if len(name) > 1 and name.lower() not in STOP_WORDS}
    return tuple(once[name] for name in dict.fromkeys(name.lower() for name in found) if name in once)[:8]


def _program(ticked: re.Match[str]) -> str:
    """What stands in back-ticks, of a command only its program."""
    words = ticked[1].split()
    return f" {words[0]} " if len(words) > 1 and words[0].isascii() and words[0].islower() else f" {ticked[1]} "


# Words that say little about what a sentence is about: they come last.
_VAGUE = frozenset(
    """
    able additionally agree also another answer anything back bad better big bit case check different everything
    exactly find fine first follow forget give going good great guess help idea keep kind know last later leave little
    long look looking lot maybe mean meant new next nice nothing old one part point possible probably proper question
    ready right seems sense show simple small something start started stuff sure take talk tell think thinking time
    today try trying two understand useful work working wrong
    """.split()  # noqa: SIM905
)
_CONTRACTED = frozenset("couldn hadn hasn haven mustn shouldn weren wouldn ain aren shan".split())  # noqa: SIM905
_SPOKEN = re.compile(r"[^\W\d_]{3,}")
CONTEXT = 1500  # characters of what was said around a sentence that are looked at


def concepts(text: str, context: str = "") -> tuple[str, ...]:
    """Up to ten lower-case terms under which a text should be found, five at least where there are so many.

    They are its own words. Where these are too few come the names in it, the stems of files, pairs of words that make a
    term, and what the talk around it was about.
    """
    words = [word.lower().strip(".-/") for word in slots.WORD.findall(text.replace("`", " "))]
    scored = {word: _weight(word) for word in words if _is_word(word)}
    best = sorted(scored, key=lambda word: (-scored[word], words.index(word)))
    telling = [word for word in best if word not in _VAGUE]
    if len(telling) < MIN_CONCEPTS:
        telling = _filled(telling, (*_further(text), *_topics(context), *best))
    return tuple(telling[:MAX_CONCEPTS])


def _is_word(word: str) -> bool:
    return len(word) > 2 and word not in STOP_WORDS and word not in _CONTRACTED and not word.isdigit()


def _weight(word: str) -> float:
    return 2.0 if re.search(r"[_./\d-]", word) else 1.0 + min(len(word), 12) / 24


def _filled(terms: list[str], more: Iterable[str]) -> list[str]:
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
    programs = (ticked.split()[0].lower() for ticked in slots.TICKED.findall(text) if ticked.strip())
    yield from (name for name in programs if len(name) > 1 and name not in STOP_WORDS)
    stems = (path.rstrip("/").rsplit("/", 1)[-1].split(".")[0].lower() for path in files(text) if "/" in path)
    yield from (name for name in stems if len(name) > 2)
    pairs = [(one, other.rstrip(".,;:!?)")) for one, other in pairwise(text.lower().split())]
    said = [(one, other) for one, other in pairs if _SPOKEN.fullmatch(one) and one not in _IDLE and _is_second(other)]
    yield from (f"{one} {other}" for one, other in sorted(said, key=lambda pair: not is_trade(pair[1])))


def _is_second(word: str) -> bool:
    """Whether a word may end a term: "test" in "acceptance test", the figure in "PEP 621"."""
    return word.isdigit() or (bool(_SPOKEN.fullmatch(word)) and word not in _IDLE)


_IDLE = STOP_WORDS | _VAGUE | _CONTRACTED


def _topics(context: str) -> Iterator[str]:
    """Names and words of the trade that come up repeatedly in what was said around a sentence, most frequent first."""
    said = [word for word in _SPOKEN.findall(context[-CONTEXT:].lower()) if word not in _IDLE]
    words = {stem(word): word for word in reversed(said)}
    for form, times in Counter(map(stem, said)).most_common():
        if times > 1 and (is_trade(form) or form in slots.PRODUCTS):
            yield words[form]


# -- slots ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def slot(text: str) -> str | None:
    """The single-valued fact that a sentence states, as "subject|attribute", or None.

    "log level in production is INFO" and "the production log level must be WARNING" give the same slot,
    "log production|level"; "quiz ids are ulids" gives none, since a thing may be many things at once.
    """
    plain = text.replace("`", "").rstrip(".!")
    figures = bool(slots.DIGIT.search(plain))  # most sentences have none, and four of the shapes are built on one
    found = (figures and _ports(plain)) or _owners(plain) or _runs(text) or (figures and _versions(plain))
    return found or _choices(plain) or _copulas(plain) or _places(plain) or (_measures(plain) if figures else None)


def _ports(text: str) -> str | None:
    found = slots.PORT.match(text)
    return _slot(found["np"], "port") if found else None


def _owners(text: str) -> str | None:
    found = (
        slots.OWNED.search(text)
        if any(word in text for word in (" by ", "owns", " over ", "' now", "'s now"))
        else None
    )
    return _slot(found["np"] or found["np2"] or found["np3"] or found["np4"], "owner") if found else None


def _runs(text: str) -> str | None:
    found = slots.RUN_WITH.search(text)
    return _slot(found["what"] or found["what2"], "command") if found else None


def _versions(text: str) -> str | None:
    """The version of a named thing: "we're on Django 5.1", "prod still runs node 18"."""
    found = slots.VERSION.match(text) or slots.UPGRADED.search(text) or slots.RUNS_IN.match(text)
    what = found["what"].lower() if found else ""
    if not found or what in STOP_WORDS or what in slots.ATTRIBUTES or what in slots.NO_VERSION or len(what) < 2:
        return None
    return _slot(f"{found['np'] or ''} {what}", "version")


def _places(text: str) -> str | None:
    """Where a thing lies, when the place is written as a path."""
    found = slots.LIVES.match(text) or slots.HOSTED.match(text)
    if not found or len(found["np"].split()) > 5:
        return None
    return _slot(found["np"], "path")


def _choices(text: str) -> str | None:
    found = slots.DECIDED_FOR.match(text)
    if found:
        known = [
            slots.ATTRIBUTES[word] for word in re.findall(r"\w+", found["value"].lower()) if word in slots.ATTRIBUTES
        ]
        return _slot(found["np"], known[0] if known else "choice")
    found = slots.USE_FOR.search(text)
    return _slot(found["np"], "choice") if found else None


def _copulas(text: str) -> str | None:
    for clause in re.split(r"[.;:] |, | - ", text):
        found = slots.COPULA.match(clause.strip())
        if not found or not slots.LITERAL.match(found["value"]):
            continue
        words = re.findall(r"\w+", found["np"].lower())
        known = [word for word in words if word in slots.ATTRIBUTES]
        if known and len(words) <= 9:
            attribute = slots.ATTRIBUTES[_head(found["np"].lower(), known)]
            return _slot(found["np"], "limit" if attribute == "size" and {"maximum", "max"} & set(words) else attribute)
    return None


def _measures(text: str) -> str | None:
    """The figure that a thing has, whatever is measured: "minSdk is 24", "we raised minSdk to 28"."""
    found = slots.FIGURE.match(text) or slots.RAISED.search(text)
    if found is None:
        return None
    return _slot(found["np"], "version" if found["np"].lower() in slots.PRODUCTS else "figure")


def _head(phrase: str, known: list[str]) -> str:
    """The attribute a phrase is about: "branch" in "default branch of the repo", "level" in "production log level"."""
    before = slots.OF.split(phrase)[0]
    ahead = [word for word in known if re.search(rf"\b{re.escape(word)}\b", before)]
    return (ahead or known)[-1]


def _slot(phrase: str, attribute: str) -> str | None:
    phrase = slots.DETERMINER.sub("", slots.DETERMINER.sub("", phrase.strip().lower()))
    words = {stem(word) for word in re.findall(r"[\w-]+", phrase) if word not in STOP_WORDS}
    words -= {stem(word) for word, form in slots.ATTRIBUTES.items() if form == attribute}
    words -= {"size"} if attribute == "limit" else set()
    words -= slots.EMPTY
    if len(words) > 5 or (attribute == "choice" and not words):  # of a project much is chosen, not one thing
        return None
    return f"{' '.join(sorted(words)) or 'project'}|{attribute}"
