"""Which sentences of a memory a newer saying ends. What else the memory says goes on.

A memory often holds several sentences, and its words as a whole are too many to be compared. One sentence is ended only
by a plain word: what it speaks of was put away or renamed, what it complains of works now, the version went up. Looser
likeness ended nineteen true sentences of real projects for one that was over (docs/decisions/0170).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from nous.kernel.memory.memory import Memory
from nous.language import lexicon
from nous.language.compare.change import Texts, Words, chance, is_elsewhere, saying, unknown, weight, words
from nous.language.compare.differences import ENDS, difference, split
from nous.language.compare.likely import telling
from nous.language.compare.words import word_tables
from nous.language.lexicon import pattern
from nous.language.likeness import tokens

TELLING = 1.5  # how much the words for what was put away have to tell: more than one common or plain word does
FULL = 0.6  # share of what these words tell that the older sentence has
LEAST = 0.5  # share of what a memory told that its rest has to tell; less is what was said around the point
_QUOTED = re.compile(r"`([^`\n]{2,40})`")


class PlainWord(NamedTuple):
    """A plain word that ends a sentence: an example (newer, older) and one in which it does not."""

    name: str
    ends: Callable[[str, str], bool]
    fits: Texts
    unlike: Texts


def _put_away(new: str, old: str) -> bool:
    """Whether what a newer sentence puts away is what an older one speaks of, and not already as something over."""
    held = words(old)
    if _things(old):
        return False
    for what in _things(new):
        met = what - unknown(what, held)
        tells = weight(met) >= TELLING or bool(met & _names(old))
        is_it = tells and weight(met) >= FULL * weight(what)
        if is_it and not met <= saying(old).refused:
            return not is_elsewhere(new, old)
    return False


@lru_cache(maxsize=4096)
def _names(text: str) -> Words:
    """The words of a text that name something alone: tools one chooses among, and what stands in backticks."""
    quoted = " ".join(_QUOTED.findall(text))
    return words(quoted) | frozenset(word for word in words(text) if word in word_tables().alternatives)


@lru_cache(maxsize=4096)
def _things(text: str) -> tuple[Words, ...]:
    """The words for each thing that a sentence says is put away, renamed or no longer there."""
    found = []
    for hit in pattern("compare.put_away").finditer(text):
        if pattern("compare.no_end").search(text[: hit.start()]) or "?" in text[hit.end() :]:
            continue
        phrase = hit["what"] or hit["was"] or hit["before"]
        first, *more = re.split(r"\b(?:and|or)\b", pattern("compare.stops").split(phrase, maxsplit=1)[0])
        short = (part for part in more if len(part.split()) <= 3)  # a longer one is what is done besides
        found += [words(part) for part in (first, *short) if len(tokens(part)) < 6]
    return tuple(found)


def _works_now(new: str, old: str) -> bool:
    """Whether something is said to work of which an older sentence says that it does not."""
    hit = pattern("compare.works").search(new)
    if hit is None or not pattern("compare.fails").search(old) or pattern("compare.denies").search(new[: hit.end()]):
        return False
    clause = re.split(r"[.;:!?()]|\b(?:but|because|so|when|if)\b", new[: hit.start()])[-1]
    what = words(pattern("compare.filling").sub(" ", clause))
    return weight(what) >= 1 and not unknown(what, words(old))


def _version_up(new: str, old: str) -> bool:
    """Whether both name the version of one thing, and the newer one a later."""
    mine, theirs = pattern("compare.version").search(new), pattern("compare.version").search(old)
    if not mine or not theirs or pattern("compare.supposed").search(new):
        return False
    named = {hit["of"].strip().lower() for hit in (mine, theirs)} - {""} - lexicon.words("compare.which")
    return len(named) < 2 and _release(mine["number"]) > _release(theirs["number"])


def _release(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


ROWS = (
    PlainWord("it was put away", _put_away,
        ("let's remove the custom amount altogether", "The price changes only when adding a custom amount."),
        ("let's remove the custom colour altogether", "The price changes only when adding a custom amount.")),
    PlainWord("it works now", _works_now,
        ("the bullet editor is working now", "The bullet editor fails on the second line."),
        ("the table editor is working now", "The bullet editor fails on the second line.")),
    PlainWord("the version went up", _version_up,
        ("the next version is 0.8.6", "This version should be 0.8.5."),
        ("the next version is 0.8.4", "This version should be 0.8.5.")),
)  # fmt: skip
# The user's own word, said of one sentence among others; what ends a single sentence is told by `differences`.
VALUE = PlainWord("it has another value", lambda new, old: difference(new, old).kind in ENDS,
    ("Function names start with 'b_'.", "Function names start with 'a_'."),
    ("Method names start with 'b_'.", "Function names start with 'a_'."))  # fmt: skip


class Rest(NamedTuple):
    """What is left of a text of which sentences have ended, why they have, and the share of what it told."""

    content: str
    reason: str
    share: float = 0.0


@lru_cache(maxsize=1024)
def may_end(new: str) -> bool:
    """Whether a text has any of the plain words at all: most have none."""
    return any(pattern(f"compare.{name}").search(new) for name in ("put_away", "works", "version"))


def only_names_after_it(new: str, old: str) -> bool:
    """Whether an older text has the tool that a newer one puts away only ahead of another word: "the npm registry"."""
    put_away = frozenset().union(*(what for said in split(new) for what in _things(said)))
    gone = put_away & word_tables().alternatives.keys()
    said = telling(old)
    met = {word.at for word in said if not words(word.said).isdisjoint(gone)}
    behind = {word.at - 1 for word in said if word.said.isalpha() and word.at not in met}
    ends = {at for at in met if at + 1 not in met}
    return bool(ends) and not _QUOTED.search(old) and ends <= behind


def puts_away(sentence: str) -> bool:
    """Whether a sentence says of something that it is put away, renamed or no longer there."""
    return any(weight(what) >= TELLING for what in _things(sentence))


def rest(new: str, old: str, *, by_user: bool = False) -> Rest | None:
    """What goes on of an older text when a newer one ends some of its sentences; None when it ends none.

    `by_user`: the user said the newer one, so that another value ends a sentence too.
    """
    parts = split(old)
    rows = (ROWS if may_end(new) else ()) + ((VALUE,) if by_user and len(parts) > 1 and len(split(new)) == 1 else ())
    for row in rows:
        over = [any(row.ends(said, part) for said in split(new)) for part in parts]
        if any(over):
            left = _without(parts, over)
            told = weight(words(left)) / max(1.0, weight(words(old)))
            return Rest(left, row.name, round(told, 3)) if told >= LEAST else Rest("", row.name)
    return None


def untouched_part(new: str, old: str) -> str:
    """What of an older text a newer one does not speak of, though it ends the text; empty when that is nothing."""
    parts = split(old)
    said = words(new)
    return _without(parts, [chance(new, part).ends > 0 or weight(words(part) & said) >= 1 for part in parts])


def _without(parts: tuple[str, ...], over: list[bool]) -> str:
    return " ".join(part for part, is_over in zip(parts, over, strict=True) if not is_over)


def remainder(memory: Memory, content: str, share: float) -> dict[str, object]:
    """What the rest of a memory takes over from it, as fields of the event that introduces it.

    It is as sure as the share of what it still tells: a memory was kept for what it said as a whole.
    """
    said = content.casefold()

    def still(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if name.casefold() in said)

    return {
        "content": content,
        "extractor_version": memory.extractor,
        "type": memory.type,
        "concepts": still(memory.concepts) or memory.concepts,
        "entities": still(memory.entities),
        "relations": tuple(
            one for one in memory.relations if still((one.subject, one.object)) == (one.subject, one.object)
        ),
        "files": still(memory.files),
        "symbols": still(memory.symbols),
        "evidence": memory.evidence,
        "tags": memory.tags,
        "confidence": round(memory.confidence * share, 3),
        "scope": memory.scope,
        "branch": memory.branch,
        "slot": memory.slot if not unknown(words((memory.slot or "").partition("|")[0]), words(content)) else None,
        "tainted": memory.tainted,
        "temporal_confidence": memory.temporal_confidence,
    }
