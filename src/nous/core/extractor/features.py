"""What the weights are about: a sentence's words, its shape, its place in the message, and what the agent had said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from nous.core.language.sentences import Sentence
from nous.core.language.words import tokens


class Setting(NamedTuple):
    """Where a message stands: how many the user had sent before it, and the agent's last words."""

    earlier: int = 0
    before: str = ""


class Features(NamedTuple):
    """The tokens of a sentence (for the words that count) and the names of what else is so."""

    grams: list[str]
    marks: list[str]


def message_features(said: Sequence[Sentence], setting: Setting, length: int) -> list[Features]:
    """The features of each sentence of a message."""
    split = [tokens(one.text) for one in said]
    common = list(_of_message(said, setting, length))
    heard = frozenset(tokens(setting.before[-600:]))
    return [Features(_grams(split[at]), [*common, *_marks(said, at, split, heard)]) for at in range(len(said))]


def _grams(found: list[str]) -> list[str]:
    """The tokens alone and in pairs, with where the sentence begins and ends."""
    framed = ["^", *found, "$"]
    return [*found, *(f"{one} {other}" for one, other in pairwise(framed))]


def _of_message(said: Sequence[Sentence], setting: Setting, length: int) -> Iterator[str]:
    yield f"of {min(len(said), 12) if len(said) < 12 else 12 + min(len(said) // 12, 6)}"
    yield f"message {min(length.bit_length(), 14)}"
    yield f"earlier {min(setting.earlier, 6)}"
    yield f"spoken {min(5, 5 * sum(len(one.text) for one in said) // max(1, length))}"
    yield f"heard length {min(len(setting.before).bit_length(), 13)}"
    if not setting.before:
        yield "opens"
    elif "?" in setting.before[-200:]:
        yield "asked"
        if setting.before.rstrip().endswith("?"):
            yield "asked last"


def _marks(said: Sequence[Sentence], at: int, split: list[list[str]], heard: frozenset[str]) -> Iterator[str]:
    one, found = said[at], split[at]
    yield f"length {min(len(found) // 3, 12)}"
    yield f"place {min(at, 4)}"
    if at == len(said) - 1:
        yield "last"
    yield from (name for name, holds in zip(_FLAGS, _flags(one), strict=True) if holds)
    yield from {f"has {token}" for token in found if token[0] == "<"}
    telling = [token for token in found if len(token) > 3 and token.isalpha()]
    if telling:
        yield f"heard {sum(token in heard for token in telling) * 4 // len(telling)}"
    if found:
        yield f"first {found[0]}"
        yield f"first {' '.join(found[:2])}"
        yield f"final {found[-1]}"
    if at and split[at - 1]:
        yield f"after {split[at - 1][0]}"
    if at + 1 < len(said) and split[at + 1]:
        yield f"before {split[at + 1][0]}"
    if one.under:
        yield from {f"under {token}" for token in tokens(one.under)[:12]}


_FLAGS = ("asks", "item", "listed", "odd", "bang", "shout", "capital", "stop", "colon", "quotes", "brackets")


def _flags(one: Sentence) -> tuple[bool, ...]:
    text = one.text
    return (
        one.asks, one.is_item, bool(one.under), one.is_odd, "!" in text, text.isupper(), text[:1].isupper(),
        text.endswith("."), text.endswith((":", "：")), '"' in text or "“" in text, "(" in text,
    )  # fmt: skip
