"""Which lines a prompt is about, by words that are rare among them, and which an error calls for by what it says.

Standard library only: a hook chooses by this.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from nous.kernel.hooks.packing import Entry, Likeness
from nous.language.likeness import STOP_WORDS, stem

LONGEST = 4_000  # characters of a text that are looked at
FEW = 20  # lines that there are at least, when it is judged how rare a word is
EVERYDAY = 0.6  # what the rarity of an everyday word counts
# Read on eight projects (docs/judged.md): 24 lines, 18 of use. A prompt beyond the longest pastes its plan or its log:
# 2 of 29 lines for such were of use.
LONGEST_PROMPT = 700  # characters
IN_TEXT = 0.6  # what a word counts that stands in a line's text, and not among its subjects
TELLING = 1.6  # what one shared word counts at least; in a small project, only a subject that is no everyday word does
MUCH = 5.0  # so much is added to what a prompt is about: that a line covers all of a few words says little
ENOUGH = 0.8  # of a short prompt; the longer it is, the more it names by chance
LONG_PROMPT = 250  # characters
NEAR = 0.34  # the cosine of prompt and line
REPEATED, REPEATED_WHOLE = 0.6, 0.8  # of what a line says beside its subjects, and of one that is all subject
TOLD = 0.5  # of an entry's words
MOST = 3  # lines
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


def entries_about(
    prompt: str,
    entries: Sequence[Entry],
    rarity: Mapping[str, float],
    likeness: Likeness | None = None,
) -> list[Entry]:
    """The entries that are about what a short prompt asks for, best first; mostly none.

    A prompt is about the words that the project's memories know. An entry counts by how many of these it covers, each
    by its rarity, and by how large a part of them all that is: 5 of 5 is 2.5, 5 of 20 is 1. It must also mean something
    near, as far as `likeness` tells. What says hardly more than the prompt adds nothing, and a long prompt says itself
    what it needs.
    """
    if len(prompt) > LONGEST_PROMPT:
        return []
    said = words_of(" ".join(word.strip("/\\").replace("\\", "/").rpartition("/")[2] for word in prompt.split()))
    known = {word: rarity[word] for word in said if rarity.get(word)}
    whole = math.fsum(known.values()) + MUCH
    heard = [entry for entry in entries if not known.keys().isdisjoint(entry.subjects) and not _is_said(entry, said)]
    likely = ((_covered(known, entry) ** 2 / whole, entry) for entry in heard)
    enough = ENOUGH * max(1.0, len(prompt) / LONG_PROMPT)
    best = sorted((one for one in likely if one[0] >= enough), key=lambda one: (-one[0], -one[1].id))
    near = [entry._replace(worth=round(worth, 4)) for worth, entry in best]
    if likeness and near:
        means = likeness(prompt, [text_of(entry) for entry in near])
        near = [entry for entry, value in zip(near, means, strict=True) if value >= NEAR]
    return near[:MOST]


def text_of(entry: Entry) -> str:
    """What an entry says, without its mark and its citation."""
    return entry.line.removeprefix("- ").partition(" [Memory #")[0].rstrip(".")


def is_told(entry: Entry, lines: Iterable[Entry]) -> bool:
    """Whether one of these lines says what an entry does: where several memories are joined, little of each is said."""
    words = words_of(text_of(entry))
    citing = (line for line in lines if entry.id in (line.id, *line.beside))
    return any(len(words & words_of(text_of(line))) >= TOLD * len(words) for line in citing)


def _covered(known: Mapping[str, float], entry: Entry) -> float:
    """How much of a prompt an entry covers: nothing where a model named its subjects and no shared word tells them.

    A word that only its text has counts less than one of its subjects.
    """
    counts = [known[word] * (1.0 if word in entry.subjects else IN_TEXT) for word in known.keys() & set(entry.words)]
    is_telling = max(counts, default=0.0) >= TELLING or set(entry.words) <= set(entry.subjects)
    return math.fsum(counts) if is_telling else 0.0


def _is_said(entry: Entry, said: frozenset[str]) -> bool:
    """Whether a prompt says most of what an entry says of its subjects, or all of it where nobody named these."""
    if rest := set(entry.words).difference(entry.subjects):
        return len(rest.intersection(said)) >= REPEATED * len(rest)
    return len(said & set(entry.words)) >= REPEATED_WHOLE * len(entry.words)  # a question names all but the answer


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
