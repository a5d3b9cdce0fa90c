"""How a prompt stands in its session: what preceded it, how the assistant took it, and from when on that is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nous.core.extractor import cues
from nous.core.extractor.sentences import Sentence
from nous.core.extractor.shapes import moment
from nous.core.session import Story

BRIEF = 300  # characters of a reply that says one thing, so that the words after it are about that


class Setting(NamedTuple):
    """How a prompt stands in its session: what preceded it and how the assistant took it."""

    corrects: bool  # the user refuses, stops or contradicts what was done
    follows_work: bool  # the assistant had done or said something before
    told: bool  # the assistant only took note: the prompt was information, not an order
    noted: bool = False  # it said so, nothing was done, and the talk went on
    replies: bool = False  # the assistant had said one thing that the prompt can be an answer to
    used: bool = False  # its next words or changes take the sentence up


Stage = tuple[Setting, int]


def stages(story: Story, at: int, said: Sequence[Sentence]) -> list[Stage]:
    """What could be known when: as the user spoke, when the assistant had answered, when the next prompt closed it."""
    before = _before(story, at, said)
    after = _after(story, at, before)
    heard = after._replace(noted=False)
    known: list[Stage] = [(before, at), (heard, story.reaction_at(at)), (after, story.next_prompt(at))]
    return [stage for place, stage in enumerate(known) if stage[0] not in [one for one, _ in known[:place]]]


def _before(story: Story, at: int, said: Sequence[Sentence]) -> Setting:
    """The setting as it was when the user spoke."""
    follows = story.acted_before(at)
    stopped = story.turns[at].kind == "denial" or story.was_stopped(at)
    replies = follows and 0 < len(story.last_reply(at)) < BRIEF
    return Setting(stopped or (follows and _is_correction(said)), follows, False, replies=replies)


def _after(story: Story, at: int, setting: Setting) -> Setting:
    """The setting once the assistant has answered: it conceded, or took note, or went to work."""
    reaction = story.reaction(at)
    if not reaction:
        return setting
    acknowledged = bool(cues.ACKNOWLEDGES.match(reaction))
    only_talk = story.is_talk(at) and not moment.ANNOUNCES.match(reaction)
    return Setting(
        corrects=setting.corrects or (setting.follows_work and bool(cues.CONCEDES.match(reaction))),
        follows_work=setting.follows_work,
        told=((acknowledged or len(reaction) < 160) and only_talk) or bool(cues.NOTES.match(reaction)),
        noted=acknowledged and only_talk and story.is_closed(at),
        replies=setting.replies,
    )


def _is_correction(said: Sequence[Sentence]) -> bool:
    """Whether a prompt begins by refusing what was just done."""
    return any(cues.CORRECTION.search(one.masked) for one in said[:2])
