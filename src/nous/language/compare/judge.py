"""The built-in judge: whether two sentences contradict each other, follow from each other, or neither.

Deterministic and offline: sentences are taken apart (`frames`) and set beside each other (`facts`). How firmly that
says something becomes a confidence by a table fitted on labelled pairs (`calibration`): 0.95 means that of such
judgements nineteen in twenty were right.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from nous.language.compare import calibration
from nous.language.compare.facts import SentenceRelation, SentenceRelationKind, compare
from nous.language.compare.frames import read_frame

Label = Literal["contradiction", "entailment", "neutral"]
MODEL = f"builtin-{calibration.VERSION}"
ACTS_ALONE = calibration.ACTS_ALONE
SAME_SLOT = 0.85  # how firmly two values in one slot speak against each other


class Judgement(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a judge says about two sentences.

    `label` says whether the second follows from the first; a contradiction is the same from both sides. `relation` is
    how they stand to each other as facts, the same from both sides. `confidence` is the share of such judgements that
    were right on labelled pairs.
    """

    label: Label
    confidence: float
    relation: SentenceRelationKind = "unrelated"
    reasons: tuple[str, ...] = ()
    model: str = MODEL


def judge(a: str, b: str, *, same_slot: bool = False) -> Judgement:
    """How two sentences stand to each other. `same_slot`: both are known to give the value of one thing."""
    one, other = map(read_frame, sorted((a, b)))  # the same whichever comes first, to the last digit
    found = compare(one, other)
    if same_slot and found.kind == "unrelated" and one.tense == other.tense:
        found = SentenceRelation("contradicts", SAME_SLOT, ("two values in one slot",))
    follows = found.kind == "same" or (
        found.kind == "refines" and len(read_frame(a).tokens) > len(read_frame(b).tokens)
    )
    label: Label = "contradiction" if found.kind == "contradicts" else "entailment" if follows else "neutral"
    return Judgement(label, _calibrate(found), found.kind, found.reasons)


def _calibrate(found: SentenceRelation) -> float:
    """The confidence of the highest step that a score reaches."""
    steps = calibration.STEPS[found.kind]
    return max((confidence for least, confidence in steps if found.score >= least), default=steps[0][1])
