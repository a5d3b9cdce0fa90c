"""How the judge's scores become confidence. Written by `python -m bench.entailment --fit`; do not edit.

Isotonic regression of right on score over the 224 pairs of tests/data/fact-pairs-dev.jsonl. A step is (least score,
share that was right); 1 success and 3 failures are added to each, since the rules were written with these pairs in
sight. ACTS_ALONE: the least confidence of a contradiction that stays at or above 90%.
"""

from __future__ import annotations

VERSION = "2"
ACTS_ALONE = 0.968
STEPS: dict[str, tuple[tuple[float, float], ...]] = {
    "contradicts": ((0.0, 0.2), (0.6, 0.968)),
    "refines": ((0.0, 0.2), (0.7, 0.811)),
    "same": ((0.0, 0.906),),
    "unrelated": ((0.0, 0.64), (0.6, 0.943)),
}
