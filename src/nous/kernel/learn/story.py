"""What the learners write down: a learning, where in its session it was decided, and what its own words show."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from nous.kernel.capture.session import Story
from nous.kernel.learn import names
from nous.kernel.learn.compose import finish
from nous.kernel.log.extraction import Learning
from nous.kernel.types import TYPES


class PlacedLearning(NamedTuple):
    """A learning and the place in the session of the turn that decided it."""

    at: int
    learning: Learning


def learn(story: Story, index: int, content: str, kind: str, confidence: float, **fields: object) -> PlacedLearning:
    """A learning with what can be read off its wording filled in."""
    turn = story.turns[index]
    content = finish(content)
    named = names.files(content, turn.cwd)
    given = fields.pop("files", ())
    learning = Learning(
        content=content,
        type=kind,
        evidence=(turn.uuid,),
        concepts=names.concepts(content, story.around(index)),
        entities=names.entities(content),
        files=tuple(dict.fromkeys((*named, *given))) if isinstance(given, tuple) else named,
        symbols=names.symbols(content),
        confidence=round(confidence, 3),
        branch=turn.branch or None,
        valid_from=turn.at or None,
    )
    return PlacedLearning(index, replace(learning, **fields) if fields else learning)


# -- for learnings that nobody read out of a session ------------------------------------------------------------------


def with_names(learning: Learning) -> Learning:
    """The learning with the names in it; what was given stays as it is."""
    return replace(learning, entities=learning.entities or names.entities(learning.content))


def with_description(learning: Learning) -> Learning:
    """The learning with concepts, entities, files, symbols and slot; what was given stays as it is.

    What tells of one occasion fills no slot: the next occasion does not make it untrue.
    """
    said = learning.content
    is_occasion = TYPES[learning.type].kind == "episodic"
    return replace(
        with_names(learning),
        concepts=learning.concepts or names.concepts(said),
        files=learning.files or names.files(said),
        symbols=learning.symbols or names.symbols(said),
        slot=learning.slot or (None if is_occasion else names.slot(said)),
    )
