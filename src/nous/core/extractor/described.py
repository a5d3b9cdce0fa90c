"""What the words of a learning show by themselves, for learnings that nobody read out of a session."""

from __future__ import annotations

from msgspec.structs import replace

from nous.core.extraction import Learning
from nous.core.extractor import names
from nous.core.extractor.triples import triples
from nous.core.types import TYPES


def named(learning: Learning) -> Learning:
    """The learning with the names in it and what it says of them; what was given stays as it is."""
    said = learning.content
    return replace(
        learning,
        entities=learning.entities or names.entities(said),
        relations=learning.relations or triples(said),
    )


def described(learning: Learning) -> Learning:
    """The learning with concepts, entities, relations, files, symbols and slot; what was given stays as it is.

    What tells of one occasion fills no slot: the next occasion does not make it untrue.
    """
    said = learning.content
    is_occasion = TYPES[learning.type].kind == "episodic"
    return replace(
        named(learning),
        concepts=learning.concepts or names.concepts(said),
        files=learning.files or names.files(said),
        symbols=learning.symbols or names.symbols(said),
        slot=learning.slot or (None if is_occasion else names.slot(said)),
    )
