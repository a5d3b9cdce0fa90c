"""What somebody wrote becomes sentences: without pasted code, output and quotations, and able to stand alone."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from nous.core.extraction import MAX_CONTENT
from nous.core.extractor import marks


class Sentence(NamedTuple):
    """A sentence as written, with citations masked for the cues, whether it asks, and the list it stands in."""

    text: str
    masked: str
    asks: bool
    under: str = ""  # the words before the colon that opened the list this is an item of


def own_part(text: str) -> str:
    """A prompt without the model's thinking that some sources run on after it."""
    gap = marks.GAP.search(text)
    if gap and gap.start() and marks.ASSISTANT_VOICE.search(text, gap.end(), gap.end() + 700):
        return text[: gap.start()]
    return text


def prose(text: str) -> str:
    """The lines in which somebody speaks, without pasted code, terminal output, logs and quoted mail."""
    text = marks.FENCE.sub("\n", text)
    kept: list[str] = []
    is_output = False
    lines = text.splitlines()
    settings = [bool(marks.YAML_LINE.match(line)) for line in lines]
    for place, line in enumerate(lines):
        if settings[place] and (any(settings[max(0, place - 1) : place]) or any(settings[place + 1 : place + 2])):
            kept.append("")  # two such lines in a row are a piece of a file
        elif not line.strip():
            kept.append("")
            is_output = False
        elif is_output or marks.SHELL_LINE.match(line):
            is_output = True  # what follows a command line is its output, up to the next blank line
        elif line.rstrip().endswith(":") and marks.OUTPUT_AHEAD.search(line):
            is_output = True
        elif not (
            marks.PROMPT_LINE.match(line)
            or (marks.LOG_LINE.match(line) and not (len(lines) == 1 and marks.HINT.match(line)))
            or marks.QUOTE_LINE.match(line)
            or _is_data(line)
        ):
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
        item = bool(marks.LIST_ITEM.match(line))
        # A short line followed by a capital is a line of its own, not a wrapped one.
        short = bool(current) and len(current[-1]) < 60 and not current[-1].endswith(",")
        own = short and (line[:1].isupper() or is_item)  # nor does a short item of a list go on in the next line
        if not line or item or own:
            close()
            is_item = item
        if line:
            current.append(marks.LIST_ITEM.sub("", line))
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
        if marks.WORD.search(piece)
    ]


def sentence(text: str, under: str = "") -> Sentence:
    """One sentence, ready to be judged."""
    text = " ".join(text.split())
    masked = mask(text)
    return Sentence(text, masked, masked.rstrip(" \"')*_").endswith(("?", "？", "?!", "!?")), under)


def mask(text: str) -> str:
    """The text with what is cited or code replaced by a word that no cue contains."""
    return marks.MASKED.sub("QUOTED", text) if _may_cite(text) else text


def _may_cite(text: str) -> bool:
    """Whether a text has any mark that opens a citation: most have none, and asking is cheaper than pairing."""
    return "`" in text or '"' in text or "'" in text or "“" in text or "«" in text or "„" in text or "「" in text


def _pieces(paragraph: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    breaks = list(marks.BREAK.finditer(paragraph))
    cited = marks.MASKED.finditer(paragraph) if breaks and _may_cite(paragraph) else ()
    guarded = [found.span() for found in cited]
    for found in breaks:
        before = paragraph[start : found.start()]
        if marks.ABBREVIATION.search(before[-12:]) or any(a < found.start() < b for a, b in guarded):
            continue
        pieces.append(before)
        start = found.end()
    pieces.append(paragraph[start:])
    return [piece.strip() for piece in pieces if piece.strip()]


# -- making a sentence stand alone ----------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def strip_lead_in(text: str) -> str:
    """The sentence without its greeting, its "no, wrong." or its "by the way"."""
    for _ in range(6):
        shorter = marks.LEAD_IN.sub("", text, count=1).lstrip(" ,.:;!—–-")
        if shorter == text or not marks.WORD.search(shorter):
            break
        text = shorter
    return text


def strip_tail(text: str) -> str:
    """The sentence without "remember that", "btw" or a smile at its end; a few words are left alone."""
    shorter = marks.TAIL.sub("", text).rstrip(" ,;")
    return shorter if word_count(shorter) > 5 else text


def word_count(text: str) -> int:
    """How many words a text has."""
    return len(marks.WORD.findall(text))


def needs_context(text: str) -> bool:
    """Whether a sentence points outside itself, so that it cannot be understood alone."""
    return bool(marks.OPENERS.match(text)) or (word_count(text) < 4 and text.isascii())


def finish(text: str) -> str:
    """A sentence as it is stored: one line, a capital where it is a word, a full stop, within the limit."""
    text = marks.DANGLING.sub("", " ".join(text.split()).strip(" *_"))
    if not text:
        return text
    if text[0].islower() and not marks.IDENTIFIER.match(text.split(" ", 1)[0]):
        text = text[0].upper() + text[1:]
    text = shorten(text, MAX_CONTENT - 1)
    return text if marks.TERMINAL.search(text) else text + ("。" if _is_cjk(text[-1]) else ".")


def shorten(text: str, limit: int) -> str:
    """The text within a limit, cut after a clause where there is one, else after a word."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    clause = max(cut.rfind(mark) for mark in (". ", "; ", ", ", " - ", " (", "。", "，"))
    at = clause if clause > limit * 0.6 else cut.rfind(" ")
    return marks.DANGLING.sub("", cut[:at] if at > limit // 3 else cut) + "…"


def _is_cjk(char: str) -> bool:
    return "\u3040" <= char <= "\u30ff" or "\u4e00" <= char <= "\u9fff"
