"""Features: one folder each, over the kernel. They do not import each other.

What can be asked of a feature stands in its `operations`; those named here are offered at every door.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nous.kernel.operations import Operation

OFFERED = (
    "memories",
    "sessions",
    "history",
    "brief",
    "entities",
    "review",
    "status",
    "code",
    "service",
    "hub",
)


def operations() -> Iterator[Operation]:
    """Everything that can be asked."""
    for name in OFFERED:
        yield from import_module(f"nous.features.{name}.operations").OPERATIONS


def operation(name: str) -> Operation:
    """One that can be asked, by its name; features that come later in the list are not loaded."""
    return next(one for one in operations() if one.name == name)
