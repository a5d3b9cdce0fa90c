"""What each clue of `likely.py` weighs, in their order. Written by `python -m bench.pairs --fit`.

Logistic regression with ridge 8.0 over 1789 labelled pairs that no rule decides, and 7024 sayings of
different pairs.
"""

from __future__ import annotations

BIAS = -2.699
WEIGHTS: tuple[float, ...] = (
    -0.421,  # one word is shared
    0.873,  # a telling word is shared
    -1.136,  # only common words are shared
    0.873,  # what the older one says is said
    0.315,  # the newer one says more
    0.796,  # they begin alike
    -0.486,  # it is another one of its kind
    -0.337,  # another word stands behind what is shared
    -0.793,  # the same value
    -0.712,  # the same of one sort
    -1.247,  # values of other sorts
    1.25,  # another of the same choice
    0.335,  # another of the same choice, of one thing
    0.648,  # names differ, and it changed
    1.031,  # what is shared changed
    0.976,  # a sign of change in what is shared
    -0.726,  # no sign of change in what is shared
    1.088,  # one allows what the other forbids
    1.074,  # it need not be
    -0.898,  # one denies
    0.508,  # opposite words
    0.482,  # one is against what is shared
    0.4,  # it changed, and something differs
    0.471,  # it says why
    -0.718,  # their subjects differ
    -0.848,  # they name two parts
    0.775,  # what the newer one is about was named
    -0.962,  # one is about a place
)
