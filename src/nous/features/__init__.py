"""Features: one folder each, over the kernel. They do not import each other.

What can be asked of a feature stands in its `operations`; those named here are offered at every door.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from nous.kernel.feature import Feature, Projector

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

FEATURES = (
    Feature("rules_reader", extract="nous.features.rules_reader.extractor:extract"),
    Feature(
        "review",
        (
            Projector(
                "reviews",
                "nous.features.review.projector:note_reviews",
                ("events", "reviews"),
                (("reviews",),),
                ("reviews",),
            ),
        ),
    ),
    Feature(
        "entities",
        (
            Projector(
                "mentions",
                "nous.features.entities.projector:note_mentions",
                ("events", "entities"),
                (("entities", "mentions", "observations"),),
                ("mentions", "observations"),
            ),
            Projector(
                "names",
                "nous.features.entities.projector:note_names",
                ("events", "entities"),
                (("entities", "names", "moves"),),
                ("entity_names", "entity_moves"),
                False,
            ),
        ),
    ),
    Feature(
        "signals",
        (
            Projector(
                "observations",
                "nous.features.signals.projector:fold_observations",
                ("events", "observations"),
                (("observations",),),
                ("observed", "observed_sightings"),
            ),
        ),
    ),
    Feature(
        "brief",
        (
            Projector(
                "briefs",
                "nous.features.brief.projection:fold_briefs",
                ("events", "briefs", "brief_lines"),
                (("briefs",), ("brief_lines",)),
                ("briefs", "brief_lines"),
            ),
            Projector(
                "readings",
                "nous.features.brief.projection:fold_read_sessions",
                ("events", "read_sessions"),
                (("read_sessions",),),
                ("read_sessions",),
            ),
            Projector(
                "tidyings",
                "nous.features.brief.projection:fold_tidyings",
                ("events", "tidyings"),
                (("tidyings",),),
                ("tidyings",),
            ),
        ),
    ),
)


def operations() -> Iterator[Operation]:
    """Everything that can be asked."""
    for name in OFFERED:
        yield from import_module(f"nous.features.{name}.operations").OPERATIONS


def operation(name: str) -> Operation:
    """One that can be asked, by its name; features that come later in the list are not loaded."""
    return next(one for one in operations() if one.name == name)
