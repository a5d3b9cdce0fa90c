"""Which lines a prompt names, by words that are rare among them, and which an error calls for by what it says.

Standard library only: a hook chooses by this.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from nous.kernel.hooks.packing import Entry
from nous.language.likeness import STOP_WORDS, stem

LONGEST = 4_000  # characters of a prompt that are looked at
FEW = 20  # lines that there are at least, when it is judged how rare a word is
EVERYDAY = 0.3  # what the rarity of an everyday word counts
RARE = 1.5  # the rarity from which a word names a subject
NAMED = 2.3  # how much a prompt must name of a line
MOST = 3  # lines
SAID = 1_000  # characters of a prompt that say what it is about; what follows is mostly pasted
SEVERAL = 3  # words that say together what none of them says alone, when they are
HALF = 0.5  # of those of the prompt, and
OF_LINE = 0.4  # of those of the line
CONCLUDED = ("gotcha", "error_pattern", "dead_end", "decision")
OF_FAILURES = ("error_pattern", "gotcha", "dead_end", "procedure")
_ERROR = re.compile(r"“([^”]{6,200})”")
_WRAPPER = re.compile(r"^- The wrapper `([^`]+)` always fails for `([^`]+)`")
_FAILS = re.compile(r"`([^`]+)` fails\b")
_TICKED = re.compile(r"`([^`]+)`")
_CODE = re.compile(r"\b(?:[A-Z]{1,4}\d{3,6}|E[A-Z]{5,})\b")  # TS2304, ECONNREFUSED
_SPELT = re.compile(r"\b[A-Z]\w+(?:Error|Exception)\b|(?<![\w-])[\w-]+(?:\.[\w-]+)+\b|\b\w+_\w+\b")
_ENVIRONMENT = re.compile(r"^- Python runs from the environment `([^`]+)`")
_ABSENT = re.compile(r"no module named|modulenotfounderror|command not found|couldn't import")
_WORD = re.compile(r"[^\W_]+(?:[_\-./:@\\]+[^\W_]+)*", re.UNICODE)
_PLAIN = re.compile(r"[^\W_]+", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NAME = re.compile(r"[a-z][A-Z]|[A-Z]{3}|_|\w\.\w|/|[a-z]\d|\d[a-z]")  # how names are spelled, and no other words
_PATH = re.compile(r"[/\\]|\.[A-Za-z]{1,5}$")
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿가-힯]{2,}")


def words_of(text: str) -> frozenset[str]:
    """The words of a text without their endings; of names and paths also the parts, and the whole without marks."""
    found: set[str] = set()
    for word in _WORD.findall(text[:LONGEST]):
        plain = _PLAIN.findall(word)
        pieces = [piece for one in plain for piece in _CAMEL.split(one)]
        found.update(pieces, ["".join(plain)] if len(pieces) > 1 else [])
    found.update(run[at : at + 2] for run in _UNSPACED.findall(text[:LONGEST]) for at in range(len(run) - 1))
    lowered = {word.lower() for word in found if len(word) > 1 and not word.isdigit()}
    return frozenset(stem(word) for word in lowered if word not in STOP_WORDS)


def rarities(lines: Iterable[Collection[str]], is_everyday: Callable[[str], bool]) -> dict[str, float]:
    """How rare each word is among some lines."""
    known = [set(words) for words in lines]
    spread = Counter(word for words in known for word in words)
    count = max(FEW, len(known)) + 1
    return {
        word: round(max(0.0, math.log(count / (times + 0.5))) * (EVERYDAY if is_everyday(word) else 1.0), 2)
        for word, times in spread.items()
    }


def likeness(said: frozenset[str], words: Collection[str], rarity: Mapping[str, float]) -> float:
    """How much of a line a prompt names: its rare words that are said, against all of them; 0 when no subject is."""
    shared = [rarity.get(word, 0.0) for word in said.intersection(words)]
    if max(shared, default=0.0) < RARE:
        return 0.0
    return sum(value**2 for value in shared) / math.sqrt(sum(rarity.get(word, 0.0) ** 2 for word in words))


def is_about_nothing_else(said: frozenset[str], words: Collection[str], rarity: Mapping[str, float]) -> bool:
    """Whether a prompt and a line have most of their words in common, whatever these are."""
    shared = said.intersection(words)
    if len(said) > 1 and shared == said:  # the whole prompt speaks of what the line says
        return True
    has_subject = len(shared) >= SEVERAL or any(rarity.get(word, 0.0) >= RARE for word in shared)
    return has_subject and len(shared) >= max(2, HALF * len(said), OF_LINE * len(words))


def names_file(said: frozenset[str], files: Iterable[str], rarity: Mapping[str, float]) -> bool:
    """Whether a prompt names one of the files by a rare word: "DHL" names app/carriers/dhl.py."""
    names = (file.rsplit("/", 1)[-1].rsplit(".", 1)[0] for file in files)
    whole = (stem("".join(_PLAIN.findall(name)).lower()) for name in names if name.isascii())
    return any(name in said and rarity.get(name, 0.0) >= RARE for name in whole)


class Asked(NamedTuple):
    """A prompt by its words: without its paths, and with them; those of each as written; those of the names."""

    said: frozenset[str]
    whole: frozenset[str]
    parts: tuple[frozenset[str], ...]
    names: frozenset[str]


def read_prompt(prompt: str) -> Asked:
    """What a prompt may name by; a path says where something lies, and not what is asked of it."""
    written = [word for word in _WORD.findall(prompt[:SAID]) if not _PATH.search(word)]
    names = words_of(" ".join(word for word in written if _NAME.search(word)))
    said = words_of(" ".join(written))
    return Asked(said, words_of(prompt[:SAID]), tuple(dict.fromkeys(map(words_of, written))), names)


def _worth(asked: Asked, entry: Entry, rarity: Mapping[str, float]) -> float:
    """How much a prompt is about an entry. One rare word alone says nothing, unless it is a name; of what was concluded
    from a session not even then."""
    words = frozenset(entry.words)
    rare = frozenset(word for word in asked.said & words if rarity.get(word, 0.0) >= RARE)
    is_meant = is_about_nothing_else(asked.said, words, rarity) or names_file(asked.whole, entry.files, rarity)
    is_named = entry.type not in CONCLUDED and not asked.names.isdisjoint(rare)
    if not is_meant and not is_named and sum(not part.isdisjoint(rare) for part in asked.parts) < 2:
        return 0.0
    return likeness(asked.said, words, rarity) + NAMED * is_meant


def entries_named_by(prompt: str, entries: Sequence[Entry], rarity: Mapping[str, float]) -> list[Entry]:
    """The entries that a prompt names, best first, as their worth says; mostly none."""
    asked = read_prompt(prompt)
    heard = asked.whole & frozenset(rarity)
    if not heard or (len(heard) < 2 and not any(rarity[word] >= RARE for word in heard)):
        return []
    found = [(_worth(asked, entry, rarity), entry) for entry in entries if not heard.isdisjoint(entry.words)]
    likely = sorted((one for one in found if one[0] >= NAMED), key=lambda one: (-one[0], -one[1].id))
    return [entry._replace(worth=round(worth, 4)) for worth, entry in likely[:MOST]]


def named_by_failure(command: str, error: str, entries: Iterable[Entry]) -> list[Entry]:
    """The entries that are about a command that just failed, or that quote its error; mostly none.

    Only what is said of that very failure: other commands that work, and lines that share its words, answered nothing
    on real projects.
    """
    failed = " ".join(f"{command} {error}".split()).lower()
    return [entry for entry in entries if entry.type in OF_FAILURES and _is_of_failure(entry.line, command, failed)]


def _is_of_failure(line: str, command: str, failed: str) -> bool:
    said = line.partition(" [Memory #")[0]
    if any(" ".join(quoted.split()).lower() in failed for quoted in _ERROR.findall(said)):
        return True
    if wrapped := _WRAPPER.search(said):
        return command.split()[:2] == [wrapped[1], wrapped[2]]
    if fails := _FAILS.search(said):
        return fails[1] in command and not any(one in command for one in _TICKED.findall(said[fails.end() :]))
    if environment := _ENVIRONMENT.search(said):
        return environment[1] not in command and bool(_ABSENT.search(failed))
    spelt = {one.lower() for one in _SPELT.findall(said)}
    return any(one.lower() in failed for one in _CODE.findall(said)) or sum(one in failed for one in spelt) > 1
