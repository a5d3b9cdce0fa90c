"""How the judge's scores become confidence. Written by `python -m bench.entailment --fit`; do not edit.

FACTS: isotonic regression of right on score over the 224 pairs of tests/data/fact-pairs-dev.jsonl.
PLAIN: the same over 500 pairs of SNLI and MultiNLI, scored by weights fitted without them (10 folds).
CLASH, FOLLOW: logistic regression with ridge 2.0 over all of those. A step is (least score, share that was right);
1 success and 3 failures are added to each, since the rules were written with these pairs in sight.
ACTS_ALONE: the least confidence of a contradiction that stays at or above 90%.
"""

from __future__ import annotations

VERSION = "1"
ACTS_ALONE = 0.968
CLASH_FROM = 0.46
FACTS: dict[str, tuple[tuple[float, float], ...]] = {
    "contradiction": ((0.0, 0.2), (0.6, 0.968)),
    "refinement": ((0.0, 0.2), (0.7, 0.811)),
    "duplicate": ((0.0, 0.906),),
    "unrelated": ((0.0, 0.64), (0.6, 0.943)),
}
PLAIN: dict[str, tuple[tuple[float, float], ...]] = {
    "contradiction": ((0.0, 0.387), (0.5508, 0.677), (0.6651, 0.744)),
    "entailment": ((0.0, 0.2), (0.5008, 0.25), (0.5427, 0.412), (0.5574, 0.509), (0.6999, 0.62), (0.87, 0.833)),
    "neutral": (
        (0.0, 0.308),
        (0.5105, 0.355),
        (0.5887, 0.4),
        (0.606, 0.429),
        (0.6319, 0.488),
        (0.735, 0.536),
        (0.7816, 0.619),
        (0.8782, 0.645),
    ),
}
CLASH: tuple[float, ...] = (
    -0.0569,
    1.3299,
    0.2631,
    0.3052,
    1.1717,
    0.2187,
    0.7954,
    -0.5789,
    -1.0713,
    0.2339,
    -0.2044,
    0.0051,
    0.3958,
    0.935,
    -0.9941,
    -0.0508,
    -0.2345,
)
FOLLOW: tuple[float, ...] = (
    -0.48,
    0.729,
    1.2125,
    -0.936,
    0.7195,
    0.0513,
    0.0347,
    0.0496,
    -0.5633,
    0.0432,
    -1.0344,
    0.7478,
    -0.1864,
)
