# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""A passage as it is kept: without its greeting, in one line, within the limit, with a full stop."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from nous.core.extraction import MAX_CONTENT
from nous.core.language.sentences import Sentence

ROOM = 300  # characters of a passage together with the line that announced it
WORD = re.compile(r"\w+")
_LEAD_IN = re.compile(
    r"^(?:"
    r"(?:ok(?:ay)?|k|good|great|nice|cool|perfect|awesome|thanks?(?: you)?|thx|right|yes|yeah|yep|no+(?:[ ,!]+no+)*|ffs|jesus|omg|argh|nope|nah|well|oh|ah|aha|hey|hi|hello|hmm+|ugh+|ehm|um+|wow|whoa|sure|alright|exactly|correct|true|careful|wait|w8+|stop|sorry|wrong|actually|anyway|agreed|fine|look|listen|seriously|honestly|dude|man|buddy|claude|opus|sonnet|ach|ja|nein|gut|danke|also|äh|genau|halt|stopp|falsch|oui|non|merci|bon|d'accord|alors|sí|vale|gracias|bueno|да|нет|ну|ок|так|спасибо|стоп|please|pls|plz|bitte|"
    r"by the way|btw|fyi|nb|ps|p\.s\.|oh and|one more thing|another thing|for the record|for future reference|just so you know|as i said|like i said|again|reminder|heads[- ]up|important|note|hinweis|übrigens|au fait|por cierto|кстати|对了|ところで|ちなみに|(?:that|this)(?:'?s| is) (?:wrong|outdated|incorrect|not right|old|not correct)|not quite|of course|nice one|got it|ok then|alright then|change of plans?|new plan|planänderung|changement de plan|cambio de planes?)"
    r"\s*[,.!:;…—–-]+\s*"
    r"|(?:this|that|it)(?:'?s| is| looks) (?:all |pretty |really )?(?:good|great|fine|nice|ok(?:ay)?|perfect)[ ,;-]+but\s+"
    r"|(?:ok|okay|well|alright|right|yes|yeah|agreed|fine|sure) (?:then|so|now|but|and)\s+|(?:ok|okay|alright|yeah|yep|hmm+|ugh+|btw|fyi|oh|ah) (?=[a-z])|(?:well|yes|agreed|sure) (?=let'?s\b|lets\b|we\b|i\b|use\b|the\b|in\b)"
    r"|(?:btw|fyi|ps|nb)\s+"
    r"|(?:option )?[1-9],? (?:since|because|bc) (?=\w)"
    r"|(?:and|but|so|also|then|und|aber|et|mais|y|pero|и|а|но)\s*,?\s+(?=\S)(?!then\b)"
    r"|(?:please |pls |plz |bitte )?(?:remember|keep in mind|bear in mind|note|don'?t forget|do not forget|memori[sz]e|merk(?:e)? dir|denk(?:e)? (?:dran|daran)|nicht vergessen|vergiss nicht|retiens|souviens-toi|rappelle-toi|n'oublie pas|recuerda|ten en cuenta|no olvides|запомни(?:те)?|не забудь|учти|记住|请记住|记得|请注意|覚えておいて)(?:\s*[:,：，]|\s+(?:that|this|dass|que|что)\b\s*[:,]?)\s*"
    r"|(?:(?:how (?:often|many times) (?:do|must|did) i (?:have to |need to )?(?:say|tell you|repeat|ask|explain)(?: it| this| that| you)?|i(?:'ve| have)? (?:already |just )?(?:told|asked)(?: you)(?: (?:already|before|twice|many times|last time|yesterday|earlier))*|i(?:'ve| have)? (?:already )?said(?: (?:already|before|this|twice))+|wie oft muss ich (?:noch )?sagen|ich habe (?:dir )?(?:schon|bereits) gesagt|je t'ai déjà dit|ya te (?:dije|he dicho)|я (?:же )?уже говорил\w*)(?: (?:that|to|dass|que|что))?\s*[:,.;-]?\s+)"
    r"|(?:i wanted to |let me |i want to )?(?:remind you|tell you|make (?:it )?clear)(?: again)?(?: that| to)?\s*[:,]?\s+"
    r")",
    re.I,
)
_TERMINAL = re.compile(r"[.!?…。！？)\"”`]$")
_IDENTIFIER = re.compile(r"^(?:[`'\"(\[<*_~$@/.-]|\S*[._/\\(=]\S|\S*[a-z][A-Z]|\S*\d)")
_DANGLING = re.compile(
    r"(?:[\s,;:—–]|(?<=[\s,;:—–-])-)+$"
)  # a dash that ends a word is part of it: "the prefix is tide-"


def composed(said: Sequence[Sentence]) -> str:
    """Neighbouring sentences as one text that can be read without the conversation; an item with what it is one of."""
    told = [one.text for one in said]
    whole = strip_lead_in(told[0] if len(told) == 1 else " ".join(map(finish, told)))
    under = strip_lead_in(said[0].under.strip(" :：#*-"))
    if said[0].is_item and len(under) + len(whole) < ROOM and WORD.search(under):
        whole = f"{under}: {whole}"
    return finish(whole)


@lru_cache(maxsize=1024)
def strip_lead_in(text: str) -> str:
    """The sentence without its greeting, its "no, wrong." or its "by the way"."""
    for _ in range(6):
        shorter = _LEAD_IN.sub("", text, count=1).lstrip(" ,.:;!—–-")
        if shorter == text or not WORD.search(shorter):
            break
        text = shorter
    return text


def finish(text: str) -> str:
    """A sentence as it is stored: one line, a capital where it is a word, a full stop, within the limit."""
    text = _DANGLING.sub("", " ".join(text.split()).strip(" *_"))
    if not text:
        return text
    if text[0].islower() and not _IDENTIFIER.match(text.split(" ", 1)[0]):
        text = text[0].upper() + text[1:]
    text = shorten(text, MAX_CONTENT - 1)
    return text if _TERMINAL.search(text) else text + ("。" if text[-1] > "\u3000" else ".")


def shorten(text: str, limit: int) -> str:
    """The text within a limit, cut after a clause where there is one, else after a word."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    clause = max(cut.rfind(mark) for mark in (". ", "; ", ", ", " - ", " (", "。", "，"))
    at = clause if clause > limit * 0.6 else cut.rfind(" ")
    return _DANGLING.sub("", cut[:at] if at > limit // 3 else cut) + "…"
