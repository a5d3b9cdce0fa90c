"""What a model answers when it is asked about pairs of statements, read with care."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from nous.core.compare.facts import SentenceRelationKind
from nous.core.compare.judge import Judgement, Label
from nous.errors import BadOutput

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "pair": {"type": "integer"},
                    "label": {"type": "string", "enum": ["contradiction", "entailment", "neutral"]},
                    "confidence": {"type": "number"},
                },
                "required": ["pair", "label", "confidence"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}
RELATIONS: dict[Label, SentenceRelationKind] = {
    "contradiction": "contradicts",
    "entailment": "refines",
    "neutral": "unrelated",
}


class _Verdict(msgspec.Struct):
    pair: int
    label: Label
    confidence: float


class _Verdicts(msgspec.Struct):
    verdicts: list[_Verdict]


def written(pairs: Sequence[tuple[str, str]]) -> str:
    """The pairs as a model reads them, numbered from 1."""
    return "\n\n".join(f"Pair {at}\n1: {one}\n2: {other}" for at, (one, other) in enumerate(pairs, 1))


def parse_verdicts(given: Any, count: int, model: str) -> list[Judgement | None]:
    """One judgement for each of so many pairs; None where the model said nothing about one."""
    try:
        plain = msgspec.json.decode(_json_in(given)) if isinstance(given, str) else given
        said = msgspec.convert(plain, _Verdicts).verdicts
    except (msgspec.DecodeError, msgspec.ValidationError) as wrong:
        raise BadOutput(f"the verdicts cannot be read: {wrong}") from None
    found: list[Judgement | None] = [None] * count
    for one in said:
        if 1 <= one.pair <= count:
            sure = min(1.0, max(0.0, one.confidence))
            found[one.pair - 1] = Judgement(one.label, sure, RELATIONS[one.label], ("a model's word",), model)
    return found


def _json_in(text: str) -> str:
    """The JSON object in an answer that may say more around it."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text
