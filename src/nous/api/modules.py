"""What hangs on a piece of code, as far as it was indexed."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from nous.app import Nous


class Touched(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of code."""

    target: Annotated[str, Meta(min_length=1, description="a file, a symbol, or both as path/to/file.py:Class.method")]
    project: Annotated[str, Meta(min_length=1, description="the project, by its id or a path in it")]
    depth: Annotated[int, Meta(ge=1, le=10, description="how many steps from the target")] = 3


def impact(nous: Nous, asked: Touched) -> dict[str, Any]:
    """Who calls, extends and imports a piece of code, and who may."""
    known = nous.project(asked.project)
    root = nous.stores.cache.root(known.id) or known.root
    told: dict[str, Any] = msgspec.to_builtins(nous.code.impact(asked.target, depth=asked.depth, path=root))
    return told
