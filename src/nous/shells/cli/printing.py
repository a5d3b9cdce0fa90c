"""How lines look on a terminal: broken between words, and with a little colour."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping
from contextvars import ContextVar
from typing import TextIO

import click

from nous.kernel.hooks.packing import clean


class Page:
    """What a command prints for somebody elsewhere, whose terminal has a width, or 0 where it is none."""

    def __init__(self, width: int, environ: Mapping[str, str]):
        self.width = width
        self.environ = environ
        self.out = self.err = ""


PAGE: ContextVar[Page | None] = ContextVar("page", default=None)


def put(text: str, *, err: bool = False) -> None:
    """Print a text as it is, or write it on the page of whoever asks from elsewhere."""
    page = PAGE.get()
    if page is None:
        click.echo(text, err=err)
    elif err:
        page.err += text + "\n"
    else:
        page.out += text + "\n"


def say(line: str, *, err: bool = False) -> None:
    """Print a line for a person: on a terminal broken between words, and aligned below where its text begins."""
    page = PAGE.get()
    environ = page.environ if page else os.environ
    width = page.width if page else _width(sys.stderr if err else sys.stdout)
    for one in line.split("\n"):
        one = one[: len(one) - len(one.lstrip(" "))] + clean(one.lstrip(" "))
        for part in fit(one, width) if width else [one]:
            put(paint(part, environ) if width else part, err=err)


def _width(stream: TextIO) -> int:
    return shutil.get_terminal_size().columns if stream.isatty() else 0


# What the eye looks for first: a memory's number, what one might type, what went wrong, what to beware of.
_PAINTS = {"number": "1", "typed": "36", "wrong": "31;1", "beware": "33"}
_PAINTED = re.compile(
    r"(?P<number>^#\d+)|(?P<typed>`[^`]+`)|(?P<wrong>^error:)|"
    r"(?P<beware>^(?:hint|note):|\[(?:unreviewed outside text|superseded|archived|tombstoned)\]$)"
)


def paint(line: str, environ: Mapping[str, str] = os.environ) -> str:
    """A line with colours, unless the user wants none (https://no-color.org) or the terminal has none."""
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return line
    return _PAINTED.sub(lambda found: f"\x1b[{_PAINTS[found.lastgroup or 'number']}m{found[0]}\x1b[0m", line)


_COLUMN = re.compile(r"(?<!\s)\s{2,}(?=\S)")
FAR_RIGHT = 40  # a text that begins further right than this is no column to align to


def fit(line: str, width: int) -> list[str]:
    """A line as lines of at most some characters. No word is broken, so one that is longer stands out."""
    if len(line) <= width:
        return [line]
    margin = len(line) - len(line.lstrip())
    columns = [found.end() for found in _COLUMN.finditer(line) if found.end() <= min(FAR_RIGHT, width // 2)]
    indent = columns[-1] if columns and columns[-1] > margin else margin + 2
    # The first line is kept as it is, with its columns; what follows is filled below its text.
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        expand_tabs=False,
    )
