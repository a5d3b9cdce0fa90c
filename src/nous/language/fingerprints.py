"""The same error, met again: what an output says went wrong, without what differs from run to run.

Paths keep their last name, numbers, addresses, times and quoted values go. What is left of a line is its shape, and the
hash of a shape is a fingerprint: two outputs that share one failed in the same way.
"""

from __future__ import annotations

import hashlib
import re

MOST = 4  # fingerprints of one output
LONGEST_OUTPUT = 20_000  # characters that are looked at, the end of them: that is where an error is told
LONGEST_LINE = 300
FEWEST_LETTERS = 12  # of a shape that tells one error from another

# How a line begins or what it holds when it says what went wrong.
_TELLS = re.compile(
    r"(?:\b[A-Z]\w{0,60}(?:Error|Exception|Warning|Fault|Panic|Failure)\b|\berror\b|\bERR!|\bfatal:|\bpanic(?:ked)?\b"
    r"|\bfailed\b|\bcannot\b|\bcan't\b|\bcould not\b|\bnot found\b|\bno such\b|\bdenied\b|\brefused\b|\bunable to\b"
    r"|\bundefined\b|\bunexpected\b|\binvalid\b|\bunrecognized\b|\bdoes not exist\b|\bis not\b"
    r"|\btimed out\b|\bconflict\b)",
    re.I,
)
_NAMES_IT = re.compile(
    r"\b[A-Z]\w{0,60}(?:Error|Exception)\b|\b(?:TS|E|F|W)\d{3,5}\b|\berror\[?\w{0,12}\]?:|\bfatal:", re.I
)
# Lines that stand in every failure and tell none from another.
_EMPTY = re.compile(
    r"^(?:exit code \d+|error|failed|traceback \(most recent call last\):?|command failed.{0,40}|npm err! code \w+|"
    r"process completed.*|.{0,20}\bfailed,? .{0,60} in [\d.]+s.*|=+.*=+|-+.*-+)$",
    re.I,
)
# And what the client says of its own tools: how one was called, that another failed beside it, that one was stopped.
_CLIENTS = re.compile(r"sibling tool call|tool_use_error|interrupted by user", re.I)
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_QUOTED = re.compile(r"'[^'\n]{0,120}'|\"[^\"\n]{0,120}\"|`[^`\n]{0,120}`")
_PATH = re.compile(r"(?:[A-Za-z]:)?[\w.~@-]{0,80}(?:[/\\][\w.~@+-]{1,120}){1,30}")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{2,16}\b|\b[0-9a-f]{8,64}\b", re.I)
_NUMBER = re.compile(r"\d+(?:[.:,]\d+){0,6}")
_GAP = re.compile(r"[^\w]+")


def error_lines(output: str) -> list[str]:
    """The lines of an output that say what went wrong, those that name the error first."""
    lines = [line.strip()[:LONGEST_LINE] for line in _COLOUR.sub("", output[-LONGEST_OUTPUT:]).splitlines()]
    telling = (line for line in dict.fromkeys(lines) if _TELLS.search(line) and not _CLIENTS.search(line))
    told = [line for line in telling if not _EMPTY.match(line)]
    told.reverse()
    return sorted(told, key=lambda line: _NAMES_IT.search(line) is None)


def shape(line: str) -> str:
    """A line without what differs from run to run; quoted words stay when they are names, not values."""
    line = _QUOTED.sub(lambda found: found[0] if _is_name(found[0][1:-1]) else " ", line)
    line = _PATH.sub(lambda found: " " + re.split(r"[/\\]", found[0])[-1] + " ", line)
    return _GAP.sub(" ", _NUMBER.sub(" ", _ADDRESS.sub(" ", line))).strip().lower()


def _is_name(words: str) -> bool:
    """Whether a quoted text names a module, a command or a symbol: one word without digits, and no address."""
    is_word = bool(words) and len(words) <= 60 and not any(letter.isspace() or letter.isdigit() for letter in words)
    return is_word and "://" not in words


def fingerprints(output: str) -> tuple[str, ...]:
    """What tells this failure from others and not from its own return; nothing when the output names no error."""
    shapes = (shape(line) for line in error_lines(output))
    telling = dict.fromkeys(one for one in shapes if sum(map(str.isalpha, one)) >= FEWEST_LETTERS)
    return tuple(hashlib.blake2b(one.encode(), digest_size=8).hexdigest() for one in list(telling)[:MOST])
