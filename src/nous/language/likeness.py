"""How alike two texts are: words, Jaccard, cosine."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

STOP_WORDS = frozenset(
    """
    a about above actually after again all also am an and any anyway are as at be because been before being below
    between both but by can cannot could did do does doing don done down during each either else even ever every few
    for from further get gets got had has have having he her here hers him his how i if in into is it its itself
    just let lets like make many may me might mine more most much must my myself need needs no nor not now of off
    often ok okay on once only or other our ours out over own per please put quite rather really same say see shall
    she should since so some still such than that the their theirs them then there these they thing things this
    those though through thus to too under until up upon us use used uses using very via want was way we well were
    what when where whether which while who whom why will with within without would yes yet you your yours isn doesn
    didn wasn won't don't doesn't isn't aren't can't it's that's we're i'm i'd i'll we'll let's always never instead
    der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war im auf aus bei mit von zu
    zum zur für wir ihr sie es ich du man auch nur noch schon wird werden hat haben kann immer nie als wie dass le
    la les un une de et ou mais pas ne est sont en dans sur avec pour par nous vous il elle je tu ce cette ces que
    qui toujours jamais el los las una unos y o pero son con por para se nunca siempre lo su sus и в во не на с со а
    но что это как мы он она они я ты за по из у от для же бы всегда никогда только
    """.split()  # noqa: SIM905  a list of one word per line would hide the code
)
_WORD = re.compile(r"[^\W_]+(?:[._/:@+#-][^\W_]+)*|_\w+")
_CODE = re.compile(r"`([^`]+)`")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_SUFFIXES = (
    ("ies", "y"),
    ("sses", "ss"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("xes", "x"),
    ("ing", ""),
    ("ed", ""),
    ("s", ""),
)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its commonest English endings: crude, but the same for both sides of a comparison."""
    word = word.lower()
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word
    for suffix, replacement in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            word = word[: -len(suffix)] + replacement
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lse":
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


@lru_cache(maxsize=16384)
def tokens(text: str) -> tuple[str, ...]:
    """The content words of a text, stemmed, in order; Chinese and Japanese as pairs of characters."""
    text = text.lower().replace("’", "'")
    code = {word for part in _CODE.findall(text) for word in part.split()}  # `make test`: no word of a command is idle
    words = [stem(word) for word in _WORD.findall(_CJK.sub(" ", text)) if word not in STOP_WORDS or word in code]
    for run in _CJK.findall(text):
        words += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return tuple(words)


def jaccard(one: Iterable[str], other: Iterable[str]) -> float:
    """The share of words that two texts have in common: {a,b,c} and {b,c,d} give 0.5."""
    first, second = set(one), set(other)
    return len(first & second) / len(first | second) if first or second else 0.0


def rarity(texts: Sequence[str]) -> dict[str, float]:
    """How telling each word is among these texts: ln((1 + n) / (1 + texts with it)) + 1."""
    seen: Counter[str] = Counter(word for text in texts for word in set(tokens(text)))
    return {word: math.log((1 + len(texts)) / (1 + count)) + 1 for word, count in seen.items()}


def cosine(one: str, other: str, weights: Mapping[str, float]) -> float:
    """The angle between two texts as weighted word counts, 0 to 1."""
    first, second = _vector(one, weights), _vector(other, weights)
    dot = sum(value * second.get(word, 0.0) for word, value in first.items())
    norm = math.sqrt(sum(v * v for v in first.values()) * sum(v * v for v in second.values()))
    return dot / norm if norm else 0.0


def _vector(text: str, weights: Mapping[str, float]) -> dict[str, float]:
    unknown = max(weights.values(), default=1.0)
    return {word: count * weights.get(word, unknown) for word, count in Counter(tokens(text)).items()}
