"""What a sentence is about: concepts, files, symbols, names, and the slot of a single-valued fact."""

from __future__ import annotations

import re
from functools import lru_cache

from nous.core.extraction import MAX_CONCEPTS
from nous.core.extractor import slots
from nous.core.likeness import STOP_WORDS, stem


def files(text: str, cwd: str = "") -> tuple[str, ...]:
    """The paths a text names, relative to the working directory where they lie in it."""
    found = (relative(path, cwd) for path in slots.FILE.findall(text))
    return tuple(dict.fromkeys(path for path in found if path and "://" not in path))[:8]


def relative(path: str, cwd: str) -> str:
    path = path.rstrip(".,;:")
    if cwd and path.startswith(cwd.rstrip("/") + "/"):
        return path[len(cwd.rstrip("/")) + 1 :]
    return path.removeprefix("./")


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


def concepts(text: str, extra: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Five to ten lower-case terms under which a text should be found."""
    words = [word.lower().strip(".-/") for word in slots.WORD.findall(text.replace("`", " "))]
    scored = {word: _weight(word) for word in words if len(word) > 2 and word not in STOP_WORDS and not word.isdigit()}
    for term in extra:
        scored.setdefault(term.lower(), 1.0)
    best = sorted(scored, key=lambda word: (-scored[word], words.index(word) if word in words else 999))
    return tuple(best[:MAX_CONCEPTS])


def _weight(word: str) -> float:
    return 2.0 if re.search(r"[_./\d-]", word) else 1.0 + min(len(word), 12) / 24


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
    if len(words) > 5:
        return None
    return f"{' '.join(sorted(words)) or 'project'}|{attribute}"
