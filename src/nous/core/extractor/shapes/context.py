# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""What shows that a sentence says too little, or enough, when it stands alone, as patterns."""

from __future__ import annotations

import re

POINTS = re.compile(
    r"\b(?:it|this(?! (?:is an?|repo(?:sitory)?|code ?base|monorepo|project|service|app|module|package|library|crate|workspace|team|company|branch|machine|server|box)\b)|that|these|those|them|they|there|ones|(?:that|this|the|which|other|new|old|first|second|last) one|the \w+ one|both|same)\b",
    re.I,
)
PREPOSITION = re.compile(
    r"^(?:on|in|at|with|via|from|by|under|through|to|every|only|auf|im|in|mit|bei|sur|dans|avec|en|con|на|в|через)\b",
    re.I,
)
ABSENT = re.compile(
    r"\b(?:there(?:'s| is| are)|we (?:have|got)|i (?:have|got)|has|have) no \w|\bno \w+ (?:on|in) (?:this|my|our|the)\b|\b(?:isn'?t|aren'?t|not) (?:installed|available|allowed)\b|\bes gibt kein\w*\b|\bil n'y a pas de\b|\bno hay\b|\bнет \w+ на\b|没有",
    re.I,
)
# Words that are few but name both sides, or the way to go instead.
SAYS_ENOUGH = re.compile(
    r"\bnot `|, (?:use|we use|put|call) \w+ \w+|\bper \w+\W*$|\bat a time\b|^(?:don'?t|never) \w+ \w+s\b", re.I
)
# One word is enough where it is the name of what is used: "we use pnpm here", "no any in ts".
ONE_NAME = re.compile(r"(?:we (?:only )?use|we(?:'re| are) on|no|use|only|decided:) ", re.I)
