"""Whose words are these? The lines in which the author of a message speaks, without code, logs and templates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from nous.language.lexicon import pattern, words

ID_LENGTH = 8  # characters from which a word with a digit names one thing: a digest, a ticket, a version
OWN_WORDS = 4  # a line that speaks has so many words beside what it names
MAX_LINE = 4_000  # characters; no person types a longer line
MAX_LINES = 400

LETTERS = re.compile(r"[^\W\d_]{2,}")
# What is taken out to count the letters and spaces of a line.
_NO_LETTERS = dict.fromkeys(code for code in range(128) if not chr(code).isalpha() and chr(code) != " ")


class SpokenLine(NamedTuple):
    """A line of a message that may be speech; `is_odd` when it looks pasted."""

    number: int
    text: str
    is_odd: bool


def spoken_lines(message: str) -> Iterator[SpokenLine]:
    """The lines in which somebody speaks; blank ones too, since they separate."""
    fenced = False
    block = False  # inside output that was pasted without a fence
    output = False  # below a command line: what it printed, up to the next blank line
    program = False  # a program's words were pasted before: what it says in whole sentences is its too
    lines = message.split("\n")[:MAX_LINES]
    settings = [bool(pattern("voices.setting").match(line[:MAX_LINE])) for line in lines]
    for number, line in enumerate(lines):
        if pattern("voices.fence").match(line):
            fenced = not fenced
            continue
        if fenced:
            continue
        if not line.strip():
            block = output = False
            yield SpokenLine(number, "", False)
            continue
        if pattern("voices.template").match(line) or (number and _is_anothers(line)):
            return  # what follows is a plan, a command's text, a prompt or an agent's thought, not what the user says
        plain = pattern("voices.mention").sub("", line[:MAX_LINE])
        if not plain.strip() or pattern("voices.client").match(plain):
            continue
        if output or pattern("voices.shell").match(plain):
            output = program = True
            continue
        if program and pattern("voices.goes_on").match(plain):
            continue
        if pasted := pattern("voices.cmdlet").search(plain):
            output, plain = True, plain[: pasted.start()]
            if not plain.strip():
                continue
        if _is_pasted(plain) or (
            settings[number] and any(settings[max(0, number - 1) : number] + settings[number + 1 : number + 2])
        ):
            block = True
            program = program or (is_printed(plain) and plain.lstrip()[0] not in "|+")
            continue
        odd = block or _looks_odd(plain)
        if block and not _is_speech(plain):
            continue
        block = program = False
        yield SpokenLine(number, plain, odd)


def _is_anothers(line: str) -> bool:
    """Whether an agent's thought begins here, or the text for a product's own model that the user hands over."""
    return bool(pattern("voices.thinking").match(line) or pattern("voices.role").match(line))


def is_printed(line: str) -> bool:
    """Whether a program printed a line: a log, a stack trace, a listing."""
    return bool(pattern("voices.log").match(line) or pattern("voices.frame").match(line))


def _is_pasted(line: str) -> bool:
    """Whether a line is a log, code, a table or a stack trace."""
    if is_printed(line):
        return True
    if pattern("voices.code_start").match(line):
        return line.rstrip().endswith((";", "{", "}")) or not _is_speech(line)
    stripped = line.strip()
    if not stripped.isascii():
        return False
    letters = _letters(stripped)
    if len(stripped) > 11 and letters < 0.6 * len(stripped):
        return True
    is_speech = _is_speech(stripped) or pattern("voices.greeting").match(stripped)
    if pattern("voices.code_end").search(stripped) and not is_speech:
        return True
    return len(pattern("voices.columns").findall(stripped)) >= 2


def _letters(line: str) -> int:
    """How many letters and spaces a line has."""
    return len(line.translate(_NO_LETTERS)) if line.isascii() else sum(map(str.isalpha, line)) + line.count(" ")


def _is_speech(line: str) -> bool:
    """Whether a line has the small words that people use between the big ones."""
    said = [word.lower() for word in LETTERS.findall(line[:600])]
    small = sum(word in words("voices.small") for word in said)
    return small >= 2 and small >= 0.22 * len(said)


def _looks_odd(line: str) -> bool:
    stripped = line.strip()
    said = _without_ids(stripped)
    return _letters(said) < 0.75 * len(said) or len(stripped) > 700


def is_id(word: str) -> bool:
    """Whether a word is an id: a digest, a ticket, a version."""
    return len(word) >= ID_LENGTH and any(map(str.isdigit, word))


def _without_ids(line: str) -> str:
    """A line without the digests, tickets and versions that it names among words of its own."""
    own = [word for word in line.split() if not is_id(word)]
    return " ".join(own) if len(own) >= OWN_WORDS else line
