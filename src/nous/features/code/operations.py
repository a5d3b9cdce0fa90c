"""What hangs on a piece of code, as far as it was indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from nous.kernel.operations import Command, Operation, Route, Tool
from nous.kernel.viewer import Viewer

if TYPE_CHECKING:
    from nous.app import Nous


class Touched(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of code."""

    target: Annotated[str, Meta(min_length=1, description="a file, a symbol, or both as path/to/file.py:Class.method")]
    project: Annotated[str, Meta(description="the project, by its id or a path in it")] = ""
    depth: Annotated[int, Meta(ge=1, le=10, description="how many steps from the target")] = 3


def impact(nous: Nous, viewer: Viewer, asked: Touched) -> Any:
    """Who calls, extends and imports a piece of code, and who may."""
    known = nous.project(asked.project)
    root = nous.stores.cache.root(known.id) or known.root
    return nous.code.impact(asked.target, depth=asked.depth, path=root)


# fmt: off
OPERATIONS = (
    Operation(
        "code.impact", Touched, "nous.features.code.operations:impact",
        "Show what depends on FILE, on a symbol in it (FILE:SYMBOL), or on a symbol alone: callers, subclasses, "
        "importers.", about="project",
        doors=(
            Command("impact", ("target",), lines="nous.shells.cli.lines:impact"),
            Route("GET", "/v1/impact"),
            Tool(
                "impact", ("target", "depth"),
                "Show what hangs on a file, function or class: who calls, extends and imports it over several steps, "
                "proven ones apart from possible ones. Use it before changing something that others may use. Not for "
                "finding text: search the files for that. It needs an index; `nous admin index` makes it.",
                "nous.shells.mcp_texts:impact",
            ),
        ),
        example={"target": "src/shop/pay.py", "project": "shop"},
    ),
)
# fmt: on
