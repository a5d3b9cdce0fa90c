"""What the learners write down: a learning, and where in its session it was decided."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from nous.core.extraction import Learning
from nous.core.extractor import names
from nous.core.extractor.compose import finish
from nous.core.extractor.triples import triples
from nous.core.session import Story


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
        relations=triples(content) if kind != "work_state" else (),
        files=tuple(dict.fromkeys((*named, *given))) if isinstance(given, tuple) else named,
        symbols=names.symbols(content),
        confidence=round(confidence, 3),
        branch=turn.branch or None,
        valid_from=turn.at or None,
    )
    return PlacedLearning(index, msgspec.structs.replace(learning, **fields) if fields else learning)
