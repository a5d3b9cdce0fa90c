"""The built-in judge: whether two sentences contradict each other, follow from each other, or neither.

Deterministic and offline. Facts of a project are judged by their structure (`facts`), plain text by a small model over
words (`language`). What either says is turned into a confidence by a table that was fitted on labelled pairs
(`calibration`): 0.95 means that of such judgements nineteen in twenty were right.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from nous.core.entailment import calibration, language
from nous.core.entailment.facts import Finding, Relation, compare
from nous.core.entailment.frames import Frame, read
from nous.core.entailment.words import TECHNICAL

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
    relation: Relation = "unrelated"
    reasons: tuple[str, ...] = ()
    model: str = MODEL


def judge(a: str, b: str, *, same_slot: bool = False) -> Judgement:
    """How two sentences stand to each other. `same_slot`: both are known to give the value of one thing."""
    first, second = (a, b) if a <= b else (b, a)  # the same whichever comes first, to the last digit
    one, other = read(first), read(second)
    if not (same_slot or is_technical(one) or is_technical(other)):
        return _plain(a, b, first, second)
    found = compare(one, other)
    if same_slot and found.relation == "unrelated" and one.tense == other.tense:
        found = Finding("contradiction", SAME_SLOT, ("two values in one slot",))
    follows = found.relation == "duplicate" or (found.relation == "refinement" and _says_more(read(a), read(b)))
    label: Label = "contradiction" if found.relation == "contradiction" else "entailment" if follows else "neutral"
    confidence = _calibrated(calibration.FACTS[found.relation], found.score)
    return Judgement(label, confidence, found.relation, found.reasons)


def is_technical(frame: Frame) -> bool:
    """Whether a sentence speaks of software: it names a path, a version, a command, or a thing of the trade."""
    return any(token.sort not in ("word", "number") or token.form in TECHNICAL for token in frame.tokens)


def _says_more(a: Frame, b: Frame) -> bool:
    return len(a.tokens) > len(b.tokens)


def _plain(a: str, b: str, first: str, second: str) -> Judgement:
    """The judgement of the model over words."""
    clash = language.sigmoid(language.clash_features(first, second), calibration.CLASH)
    if clash >= calibration.CLASH_FROM:
        confidence = _calibrated(calibration.PLAIN["contradiction"], clash)
        return Judgement("contradiction", confidence, "contradiction", ("the words of plain text",))
    there, back = (language.sigmoid(language.follow_features(*pair), calibration.FOLLOW) for pair in ((a, b), (b, a)))
    relation: Relation = (
        "unrelated" if max(there, back) < 0.5 else "duplicate" if min(there, back) >= 0.5 else "refinement"
    )
    label: Label = "entailment" if there >= 0.5 else "neutral"
    confidence = _calibrated(calibration.PLAIN[label], there if label == "entailment" else 1 - there)
    return Judgement(label, confidence, relation, ("the words of plain text",))


def _calibrated(steps: tuple[tuple[float, float], ...], score: float) -> float:
    """The confidence of the highest step that a score reaches."""
    return max((confidence for least, confidence in steps if score >= least), default=steps[0][1])
