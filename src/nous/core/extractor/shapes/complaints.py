# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""How people find fault, and how the assistant admits it, as patterns."""

from __future__ import annotations

import re

from nous.core.extractor.cue import Cue

POLITE = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|hmm+|well|also|wait|w8|ugh|ehm|hey|btw|eg|as)[,. ]+)*(?:shouldn'?t|don'?t you think|do we (?:really|even) need|why (?:do|are|is|did|does) (?:you|we|the|these|this)|can'?t (?:we|you)|couldn'?t (?:we|you)|isn'?t (?:it|that|this))\b|[,.…]+ ?(?:right|no|correct|isn'?t it|agreed|yes|ja|oder|non|verdad|да)\s*\?+$",
    re.I,
)
CRITIC = Cue(
    {
        "any": (
            r"\b(?:should(?:n'?t)?|belongs?|redundant|empty|unused|duplicat\w+|needed?|necessary|private|instead|convention|require[sd]?|outside|inside|called|consistent|we use|follow)\b"
        )
    }
)
COMPLAINT = Cue(
    {
        "any": (
            r"\b(?:doesn'?t|does not|didn'?t|did not|don'?t|isn'?t|is not|not) (?:\w+ly )?(?:reflect|match|follow|respect|honou?r|verify|comply|conform|obey|adhere)\w*\b|\bviolat(?:e[sd]?|ing|ions?)\b|\b(?:totally |completely |too |so |very |rather |needlessly |unnecessar\w+ |un+ecessarily )?(?:redundant|superfluous|pointless|wasteful|bloated|overkill|over-?engineered|convoluted|sloppy|verbose|long-winded|noisy)\b|\bwaste[sd]? (?:of )?(?:\w+ )?(?:tokens?|time|money|space|credits?|reader\w*)\b|\bwasting\b|\bslop\b|\bhallucinat\w+|\bsilently\b|\btoo (?:much|many|long|complex|complicated|eager|clever|fragile) \w+|\bwent (?:a bit |totally )?(?:crazy|overboard|too far)\b|\bwithout (?:asking|my permission|being asked|telling|checking|approval)\b|\byou (?:burned|burnt|wasted)\b|\byou \w+ed\b.{0,60}\bagain\b|\brush(?:ing|ed)? (?:in)?to\b|\bran ahead|\brunning ahead\b|\bsneak(?:ed|ing)?\b|\bsmells\b"
        )
    }
)
NORMATIVE = Cue(
    {
        "any": (
            r"\b(?:should(?:n'?t)?|must(?:n'?t)?|need(?:s|ed)? to|didn'?t|did not|wrong(?:ly)?|mistake|instead|rather than|unnecessar\w+|redundant|violat\w+|properly|not|without|only|incorrect(?:ly)?|oversight|forgot|overlooked|too|never|always|because|ignored|missed|confus\w+)\b"
        )
    }
)
PLANS = re.compile(
    r"^(?:let me|let'?s|i'?ll|i will|now|here'?s|here is|looking|what would|would you|do you|could you|please|this is (?:a|an) (?:great|good|excellent|important|crucial|critical))\b",
    re.I,
)
FAULT = Cue(
    {
        "any": (
            r"\b(?:not|n'?t|never|no|forgot|wrong|missing|instead|again|still|without|did you|have you|are you|too|lost|ignored|skipped)\b|n't\b|!"
        )
    }
)
ASKS_TO_STOP = re.compile(
    r"^(?:(?:please|and|also|ok|hey)[, ]+)*(?:can|could|would|will) you (?:please |maybe )?(?:stop|always|never(?! mind)|not|avoid|quit|refrain)\b",
    re.I,
)
INSTRUCTS = re.compile(
    r"(?:use|we use|put|it (?:goes|belongs)|keep|leave|call|name|run|stay|stick|the \w+ (?:is|goes|lives)|only|not)\b",
    re.I,
)
REASONED = re.compile(
    r"[:,;] \w|\b(?:because|since|instead|weil|denn|car|porque)\b",
    re.I,
)
