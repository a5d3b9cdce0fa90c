"""Prompts: Markdown files with named blanks. A prompt's version is a hash of its words.

The part above the line `===` is what the model is told about its task, the part below is what it is given each time.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from nous.errors import NousError

SEPARATOR = "\n===\n"


class Prompt(NamedTuple):
    """A prompt's two parts, and the version that is stored with everything it produced."""

    name: str
    system: str
    body: str
    version: str


@cache
def load(name: str) -> Prompt:
    """The prompt of a name; `extract` is `extract.md` beside this file."""
    file = files("nous.providers.prompts") / f"{name}.md"
    if not file.is_file():
        raise NousError(f"there is no prompt {name!r}")
    return parse(name, file.read_text("utf-8"))


def parse(name: str, text: str) -> Prompt:
    """A prompt from its text."""
    system, _, body = text.partition(SEPARATOR)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return Prompt(name, system.strip(), body.strip(), f"{name}@{digest}")


_BLANK = re.compile(r"\{\{(\w+)\}\}")


def fill(template: str, **blanks: str) -> str:
    """The template with every blank filled; what is filled in is not looked at again."""
    wanted = set(_BLANK.findall(template))
    if wanted != set(blanks):
        odd = ", ".join(sorted(wanted ^ set(blanks)))
        raise NousError(f"the blanks of the prompt and what is given for them differ: {odd}")
    return _BLANK.sub(lambda found: blanks[found[1]], template)
