"""Words to look for, as the engines' text indexes read them, and the word that stands for a project there.

Every word is quoted, so whatever a person types is only ever words, never an operator.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any

from msgspec import json

from nous.kernel.types import WIDE, Scope
from nous.language.text import Wanted

EVERYWHERE = "peverywhere"
OWN = "{content terms concepts} : "


def expression(wanted: Wanted) -> str:
    """The full-text query for some words: `place : (p12 OR peverywhere) AND ("pnpm" OR "install")`."""
    said = (" AND " if wanted.together else " OR ").join(map(quote, wanted.words))
    if wanted.own:
        said = f"{OWN}({said})"
    if wanted.project_id is None:
        return said
    return f"place : ({place(wanted.project_id)} OR {EVERYWHERE}) AND ({said})"


def spell(wanted: Wanted) -> dict[str, Any]:
    """The same for an engine that keeps words in a table: each of the words, and what must hold for a match."""
    where = None if wanted.project_id is None else place(wanted.project_id)
    words = json.encode(wanted.words).decode()
    return {"words": words, "together": int(wanted.together), "own": int(wanted.own), "place": where}


def quote(words: str) -> str:
    """A phrase as the engine reads it."""
    return '"' + words.replace('"', '""') + '"'


@lru_cache(maxsize=1024)
def place(project_id: str, scope: Scope = "project") -> str:
    """One word that says who may see a memory: its project, or more than that, which is looked at when it was found."""
    if scope in WIDE:
        return EVERYWHERE
    return "p" + hashlib.blake2b(project_id.encode(), digest_size=8).hexdigest()
