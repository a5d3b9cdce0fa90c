"""What each clue of `likely.py` weighs, for an end and for the same. Written by `python -m bench.pairs --fit`.

Logistic regression with ridge 6.0 over 1311 labelled pairs that no rule decides, and 4414 sayings of
different pairs.
"""

from __future__ import annotations

BIAS = (-4.201, -3.257)
WEIGHTS: dict[str, tuple[float, float]] = {
    "nothing is shared": (0.629, 0.442),
    "a telling word is shared": (1.106, -0.235),
    "much is shared": (0.984, 0.712),
    "what the older one says is said": (0.602, 0.235),
    "what the newer one says was said": (0.335, 0.526),
    "both say what the other says": (0.321, 0.744),
    "one says what the other says": (0.616, 0.018),
    "the newer one says more": (0.816, 0.257),
    "nothing of the newer one is left": (-0.247, -0.073),
    "nothing of the older one is left": (-0.381, -0.507),
    "they begin alike": (0.221, -0.457),
    "the last word is said again": (0.072, 0.156),
    "two words in a row are shared": (-0.056, -0.706),
    "it is another one of its kind": (-0.902, -0.022),
    "one says which of its kind": (-0.121, 0.322),
    "another value of its sort": (-0.186, -0.876),
    "the same value": (-1.038, 0.227),
    "a value is no longer said": (-0.005, -0.32),
    "other figures": (0.195, 0.34),
    "one has figures": (-0.612, -0.317),
    "a name is shared": (0.202, 0.87),
    "names differ": (-0.24, -0.91),
    "a name is no longer said": (-0.342, -0.352),
    "no names at all": (0.119, 0.347),
    "values differ in what is alike": (0.467, -0.126),
    "names differ, and it changed": (0.461, 0.216),
    "one allows what the other forbids": (1.007, -0.875),
    "it need not be": (0.897, -0.527),
    "one is against it": (-0.406, 0.802),
    "one is against what is shared": (0.353, 0.027),
    "one denies": (-0.187, 1.025),
    "opposite words": (0.839, -0.517),
    "it says that something changed": (0.675, -0.647),
    "what is shared changed": (0.821, -0.4),
    "it says why": (0.705, -0.197),
    "it changed, and something differs": (0.321, -0.277),
    "a sign of change in what is shared": (0.971, -1.091),
    "no sign of change in what is shared": (-0.355, 1.109),
    "it holds in one case only": (-0.772, 0.699),
    "their subjects differ": (-0.712, -0.117),
    "they name two things": (-0.029, -0.017),
    "the newer one is about a part": (-0.26, 0.014),
    "the older one was about a part": (-0.002, -0.205),
    "one is about a place": (-0.542, -0.69),
}
