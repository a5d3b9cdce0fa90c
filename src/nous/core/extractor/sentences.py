# ruff: noqa: E501  a pattern reads best unbroken
"""What somebody wrote becomes sentences: without pasted code, output and quotations, and able to stand alone."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from nous.core.extraction import MAX_CONTENT

_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.S)
# Some sources run the model's visible thinking on after the prompt; a wide gap and the assistant's voice give it away.
_GAP = re.compile(r"\n[ \t]*\n[ \t]*\n\s*")
_ASSISTANT_VOICE = re.compile(
    r"\b(?:the user|you'?re (?:absolutely |completely )?(?:right|pointing|asking|implying|suggesting)|let me|i'll|i need to|i should|looking (?:at|back)|your comment)\b",
    re.I,
)
_PROMPT_LINE = re.compile(
    r"^\s*(?:[$%>#] \S|>>> |\.\.\. |\S+@\S+[^\n]{0,60}[%$#] |\(\w[\w.-]*\) \S+@|PS [A-Z]:\\|E   |In \[\d+\]:|\+{3} |-{3} [ab/]|@@ |diff --git|[-drwxls]{10}[@+ ]|total \d+$|[✓✗✔✘×●⎿│├└┌╭╰]|={4,}|-{4,}|\*{4,}|_{4,})"
)
_SHELL_LINE = re.compile(r"^\s*(?:\$ \S|\S+@\S+[^\n]{0,60}[%$#] |>>> )")
_LOG_LINE = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|FATAL|TRACE)\]?[\s:]|Traceback \(most|File \"[^\"]+\", line \d+|\s+at \S+\(|"
    r"(?:[\w.]+)?(?:Error|Exception|Warning):|error(?:\[\w+\])?: |warning: |npm (?:ERR|WARN)|fatal: |remote: |hint: |\S+:\d+:\d+: |\w+ \d+ packages? in )"
)
_LIST_ITEM = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)]|[a-z]\))\s+")
_QUOTE_LINE = re.compile(r"^\s*>\s?")
_BREAK = re.compile(
    r"(?<=[.!?…])[\"')\]]*\s+(?=[\w\"'`(<\[¿¡*~$@-])|(?<=[。！？])|\s+(?:--|—|–)\s+(?=\w)|;\s+(?=\w)|(?<=:-[()])\s+|\s*\.{3,}\s+(?=\w)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|nr|fig|sec|min|max|mr|mrs|dr|st|bzw|z\.b|d\.h|ca|usw|p\.ex|ej|т\.е|т\.д)\.|\b\d+\.|^\w\.)\Z",
    re.I,
)
_MASKED = re.compile(
    r"`[^`\n]{1,300}`|\"[^\"\n]{2,300}\"|“[^”\n]{2,300}”|«[^»\n]{2,300}»|„[^“”\n]{2,300}[“”]|「[^」\n]{1,300}」|(?<![\w'])'[^'\n]{3,200}'(?![\w'])"
)
_WORD = re.compile(r"\w+")


class Sentence(NamedTuple):
    """A sentence as written, the same with citations masked for the cues, whether it asks, and the list it stands in."""

    text: str
    masked: str
    asks: bool
    under: str = ""  # the words before the colon that opened the list this is an item of


def own_part(text: str) -> str:
    """A prompt without the model's thinking that some sources run on after it."""
    gap = _GAP.search(text)
    if gap and gap.start() and _ASSISTANT_VOICE.search(text, gap.end(), gap.end() + 700):
        return text[: gap.start()]
    return text


def prose(text: str) -> str:
    """The lines in which somebody speaks, without pasted code, terminal output, logs and quoted mail."""
    text = _FENCE.sub("\n", text)
    kept: list[str] = []
    is_output = False
    for line in text.splitlines():
        if not line.strip():
            kept.append("")
            is_output = False
        elif is_output or _SHELL_LINE.match(line):
            is_output = True  # what follows a command line is its output, up to the next blank line
        elif not (_PROMPT_LINE.match(line) or _LOG_LINE.match(line) or _QUOTE_LINE.match(line) or _is_data(line)):
            kept.append(line.strip())
    return "\n".join(kept)


def _is_data(line: str) -> bool:
    """Whether a line is code, a table or a path list rather than speech."""
    stripped = line.strip()
    if len(stripped) < 12 or not stripped.isascii():
        return False
    letters = sum(map(str.isalpha, stripped)) + stripped.count(" ")
    if letters < len(stripped) * 0.6:
        return True
    return ("  " in stripped and len(re.findall(r"\S {3,}\S", stripped)) >= 2) or stripped.endswith(
        ("{", "};", ");", "{}", "=>")
    )


def _paragraphs(text: str) -> list[tuple[str, str]]:
    """Each paragraph and the line that announced it, when it is an item of a list.

    Lines that were only wrapped are joined again; list items and blank lines separate.
    """
    out: list[tuple[str, str]] = []
    current: list[str] = []
    header, is_item = "", False

    def close() -> None:
        nonlocal header
        if current:
            joined = " ".join(current)
            out.append((joined, header if is_item else ""))
            header = joined if joined.endswith((":", "：")) else header if is_item else ""
            current.clear()

    for line in text.split("\n"):
        item = bool(_LIST_ITEM.match(line))
        # A short line followed by a capital is a line of its own, not a wrapped one.
        own = bool(current) and len(current[-1]) < 60 and line[:1].isupper() and not current[-1].endswith(",")
        if not line or item or own:
            close()
            is_item = item
        if line:
            current.append(_LIST_ITEM.sub("", line))
    close()
    return out


@lru_cache(maxsize=512)
def spoken(text: str) -> tuple[Sentence, ...]:
    """The sentences in which somebody speaks, in order; several learners ask for the same text."""
    return tuple(split(prose(own_part(text))))


def split(text: str) -> list[Sentence]:
    """The sentences of a text in order."""
    return [
        sentence(piece, under)
        for paragraph, under in _paragraphs(text)
        for piece in _pieces(paragraph)
        if _WORD.search(piece)
    ]


def sentence(text: str, under: str = "") -> Sentence:
    """One sentence, ready to be judged."""
    text = " ".join(text.split())
    masked = mask(text)
    return Sentence(text, masked, masked.rstrip(" \"')*_").endswith(("?", "？", "?!", "!?")), under)


def mask(text: str) -> str:
    """The text with what is cited or code replaced by a word that no cue contains."""
    return _MASKED.sub("QUOTED", text) if _may_cite(text) else text


def _may_cite(text: str) -> bool:
    """Whether a text has any mark that opens a citation; most have none, and asking is cheaper than looking for pairs."""
    return "`" in text or '"' in text or "'" in text or "“" in text or "«" in text or "„" in text or "「" in text


def _pieces(paragraph: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    guarded = [found.span() for found in _MASKED.finditer(paragraph)] if _may_cite(paragraph) else []
    for found in _BREAK.finditer(paragraph):
        before = paragraph[start : found.start()]
        if _ABBREVIATION.search(before[-12:]) or any(a < found.start() < b for a, b in guarded):
            continue
        pieces.append(before)
        start = found.end()
    pieces.append(paragraph[start:])
    return [piece.strip() for piece in pieces if piece.strip()]


# -- making a sentence stand alone ----------------------------------------------------------------------------------

_LEAD_IN = re.compile(
    r"^(?:"
    r"(?:ok(?:ay)?|k|good|great|nice|cool|perfect|awesome|thanks?(?: you)?|thx|right|yes|yeah|yep|no+(?:[ ,!]+no+)*|ffs|jesus|omg|argh|nope|nah|well|oh|ah|aha|hey|hi|hello|hmm+|ugh+|ehm|um+|wow|whoa|sure|alright|exactly|correct|true|careful|wait|w8+|stop|sorry|wrong|actually|anyway|agreed|fine|look|listen|dude|man|buddy|claude|opus|sonnet|ach|ja|nein|gut|danke|also|äh|genau|halt|stopp|falsch|oui|non|merci|bon|d'accord|alors|sí|vale|gracias|bueno|да|нет|ну|ок|так|спасибо|стоп|please|pls|plz|bitte|"
    r"by the way|btw|fyi|nb|ps|p\.s\.|oh and|one more thing|another thing|for the record|for future reference|just so you know|as i said|like i said|again|reminder|heads[- ]up|important|note|hinweis|übrigens|au fait|por cierto|кстати|对了|ところで|ちなみに|(?:that|this)(?:'?s| is) (?:wrong|outdated|incorrect|not right|old|not correct)|not quite|of course|nice one|got it|ok then|alright then|change of plans?|new plan|planänderung|changement de plan|cambio de planes?)"
    r"\s*[,.!:;…—–-]+\s*"
    r"|(?:ok|okay|well|alright|right|yes|yeah|agreed|fine|sure) (?:then|so|now|but|and)\s+|(?:ok|okay|well|alright|yes|yeah|agreed|sure) (?=let'?s\b|lets\b|we\b|i\b|use\b|the\b|in\b)"
    r"|(?:btw|fyi|ps|nb)\s+"
    r"|(?:and|but|so|also|then|und|aber|et|mais|y|pero|и|а|но)\s*,?\s+(?=\S)(?!then\b)"
    r"|(?:please |pls |plz |bitte )?(?:remember|keep in mind|bear in mind|note|don'?t forget|do not forget|memori[sz]e|merk(?:e)? dir|denk(?:e)? (?:dran|daran)|nicht vergessen|vergiss nicht|retiens|souviens-toi|rappelle-toi|n'oublie pas|recuerda|ten en cuenta|no olvides|запомни(?:те)?|не забудь|учти|记住|请记住|记得|请注意|覚えておいて)(?:\s*[:,：，]|\s+(?:that|this|dass|que|что)\b\s*[:,]?)\s*"
    r"|(?:i wanted to |let me |i want to )?(?:remind you|tell you|make (?:it )?clear)(?: again)?(?: that| to)?\s*[:,]?\s+"
    r")",
    re.I,
)
_OPENERS = re.compile(
    r"^(?:it|this|that|these|those|they|them|he|she|its|their|there|such|both|neither|either|same|otherwise|because|since|which|so that|das|dies|diese[rsmn]?|es|ce|cela|ça|c'est|eso|esto|это|они|这|那|これ|それ|あれ)\b|^(?:这|那|它|これ|それ)",
    re.I,
)
_TERMINAL = re.compile(r"[.!?…。！？)\"”`]$")
_IDENTIFIER = re.compile(r"^(?:[`'\"(\[<*_~$@/.-]|\S*[._/\\(=]\S|\S*[a-z][A-Z]|\S*\d)")
_DANGLING = re.compile(r"[\s,;:—–-]+$")


def strip_lead_in(text: str) -> str:
    """The sentence without its greeting, its "no, wrong." or its "by the way"."""
    for _ in range(6):
        shorter = _LEAD_IN.sub("", text, count=1).lstrip(" ,.:;!—–-")
        if shorter == text or not _WORD.search(shorter):
            break
        text = shorter
    return text


def needs_context(text: str) -> bool:
    """Whether a sentence points outside itself, so that it cannot be understood alone."""
    return bool(_OPENERS.match(text)) or (len(_WORD.findall(text)) < 4 and text.isascii())


def finish(text: str) -> str:
    """A sentence as it is stored: one line, a capital where it is a word, a full stop, within the limit."""
    text = _DANGLING.sub("", " ".join(text.split()).strip(" *_"))
    if not text:
        return text
    if text[0].islower() and not _IDENTIFIER.match(text.split(" ", 1)[0]):
        text = text[0].upper() + text[1:]
    text = shorten(text, MAX_CONTENT - 1)
    return text if _TERMINAL.search(text) else text + ("。" if _is_cjk(text[-1]) else ".")


def shorten(text: str, limit: int) -> str:
    """The text within a limit, cut after a clause where there is one, else after a word."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    clause = max(cut.rfind(mark) for mark in (". ", "; ", ", ", " - ", " (", "。", "，"))
    at = clause if clause > limit * 0.6 else cut.rfind(" ")
    return _DANGLING.sub("", cut[:at] if at > limit // 3 else cut) + "…"


def _is_cjk(char: str) -> bool:
    return "\u3040" <= char <= "\u30ff" or "\u4e00" <= char <= "\u9fff"
