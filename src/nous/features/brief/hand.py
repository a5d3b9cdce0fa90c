"""A person's hand in the brief: lines that stay, say something else, come first or stay away, whatever is read next.

A decision is about a line, and readers write their lines anew: it holds for whatever says the same in the same or
nearly the same words, or rests on the same memories, until the user says it again.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence

from nous.features.brief.entry import StartLine, line_entry
from nous.features.brief.store import DecidedLine
from nous.kernel.hooks.packing import estimate_tokens, is_work
from nous.kernel.log.events import Archived, BriefLine
from nous.kernel.log.evolve import standing
from nous.kernel.memory.memory import Memory
from nous.kernel.recall.worth import BY_AGENT, BY_HAND, is_injectable
from nous.kernel.stores import Stores
from nous.language.likeness import jaccard, tokens
from nous.language.standing import is_same_rule

NAMESPACE = uuid.UUID("0c0f7c1e-6f3e-5b0e-8f2a-6e6f75730204")
NEAR = 0.6  # the share of words at which two lines say the same
LIKELY = 0.4  # and where one also says nothing that the other does not
# The share of a line's words, or of a sentence's, with which a sentence of another line that rests on more repeats it.
MANY, MOSTLY = 0.4, 0.5
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\Wa-z]|`)")
MOST_STEPS = 20  # from a memory to the one that took its place, and so on


def line_id(project_id: str, line: BriefLine) -> str:
    """The stream of what is decided about a line of a project's brief."""
    return str(uuid.uuid5(NAMESPACE, "\n".join(("brief-line", project_id, line.text, *line.sources))))


class Hand:
    """What a person decided about the lines of a project's brief, as far as it holds now."""

    def __init__(self, stores: Stores, project_id: str, now: str, branch: str):
        self.stores, self.now, self.branch = stores, now, branch
        self.decided = [*reversed(stores.brief_lines.of_project(project_id))]  # what was decided last is asked first
        self.known = self._heirs({source for one in self.decided for source in one.sources})

    def _heirs(self, sources: Iterable[str]) -> dict[str, Memory]:
        """The memory that each learning has become: itself, or the last of those that took its place."""
        found = dict(self.stores.memories.by_learning(sources)) if self.decided else {}
        for _ in range(MOST_STEPS):
            after = {one.superseded_by for one in found.values() if one.status == "superseded" and one.superseded_by}
            newer = self.stores.memories.by_learning(after) if after else {}
            moved = {name: newer[one.superseded_by] for name, one in found.items() if one.superseded_by in newer}
            if not any(found[name] is not one for name, one in moved.items()):
                break
            found |= moved
        return found

    def apply(self, lines: Sequence[StartLine], known: Mapping[str, Memory]) -> list[StartLine]:
        """The lines as a person wants them, work last: dropped ones out, kept ones in, each in its words and place."""
        met = [found for line in lines if (found := self._meet_line(line, known))]
        shown = _once([one for one in met if not (one.decided and one.decided.state == "dropped")])
        there = {one.decided.learning_id for one in shown if one.decided}
        left_out = [one for one in self.decided if one.state in ("kept", "pinned") and one.learning_id not in there]
        shown += [self.held(one) for one in reversed(left_out) if self.stands(one)]
        shown.sort(key=lambda one: is_work(one.entry))
        return sorted(_place_lines(shown), key=lambda one: not one.is_pinned)

    def _meet_line(self, line: StartLine, known: Mapping[str, Memory]) -> StartLine | None:
        """A reader's line with what was decided about it; in the person's words where they hold."""
        decided = next((one for one in self.decided if self._is_about(one, line)), None)
        if decided is None:
            return self._trim(line, known)
        if decided.state == "dropped" and self._said_since(decided, line.sources, known):
            return line
        if decided.state in ("kept", "pinned"):
            if line.text != decided.shown and self._said_since(decided, line.sources, known):
                return line  # what the user says now is heard, beside what they once kept
            return self.held(decided) if self.stands(decided) else line
        return line._replace(decided=decided)

    def _trim(self, line: StartLine, known: Mapping[str, Memory]) -> StartLine | None:
        """A reader's line without sentences that say what a person took out or keeps in a line of its own.

        A reader may have joined it with something else. Where nothing would be left of what the user said since, the
        line stays as it is.
        """
        shared = [one for one in self.decided if self._is_shared(one, line, known)]
        said = split_sentences(line.text) if shared else []
        known_said = [text for one in shared for text in split_sentences(one.shown)]
        left = [text for text in said if not any(repeats(other, text) for other in known_said)]
        if len(left) == len(said):
            return line
        if not left:
            return line if any(self._said_since(one, line.sources, known) for one in shared) else None
        words = " ".join(left)
        return StartLine(words, line.sources, line_entry(words, [known[one] for one in line.sources]))

    def _is_shared(self, decided: DecidedLine, line: StartLine, known: Mapping[str, Memory]) -> bool:
        """Whether a line rests in part on what a decision is about, as far as the user has not said it since."""
        common = self._now(decided.sources).intersection(line.sources)
        if not common or is_work(line.entry) or self._said_since(decided, common, known):
            return False
        return decided.state == "dropped" or (decided.state in ("kept", "pinned") and self.stands(decided))

    def _is_about(self, decided: DecidedLine, line: StartLine) -> bool:
        """Whether a decision is about a line: the same words, nearly the same, or the same memories."""
        texts = {decided.text, decided.shown}
        if line.text in texts:
            return True
        if is_work(line.entry):  # every session leaves a state of its own, often in the same words
            return set(line.sources) <= set(decided.sources)
        if any(is_near(line.text, other) for other in decided.beside):
            return False
        if any(is_near(line.text, text) for text in texts):
            return True
        return set(line.sources) <= self._now(decided.sources)

    def _now(self, sources: Sequence[str]) -> set[str]:
        return {
            name for one in sources for name in (one, *([self.known[one].learning_id] if one in self.known else []))
        }

    def _said_since(self, decided: DecidedLine, sources: Iterable[str], known: Mapping[str, Memory]) -> bool:
        """Whether the user has said it since it was decided."""
        return any(is_said_since(known[one], decided.at) for one in sources if one in known)

    def stands(self, decided: DecidedLine) -> bool:
        """Whether a line that a person kept may still be shown: none of its memories was ended by a person since."""
        return all(self._rests_on(decided, one) for one in decided.sources)

    def _rests_on(self, decided: DecidedLine, source: str) -> bool:
        memory = self.known.get(source)
        if memory is None or memory.status == "erased" or memory.tainted or memory.disputed:
            return False
        if memory.learning_id != source and is_said_since(memory, decided.at):
            return False  # the user said something else meanwhile, and it took its place
        if memory.status == "active":
            return is_injectable(memory, self.now, self.branch)
        return not self._is_ended_by_person(memory, decided.at)

    def _is_ended_by_person(self, memory: Memory, moment: str) -> bool:
        """Whether a person took a memory out of use, or said so in another session since.

        What faded, and what a reader of its own session did not care for, a person may still want.
        """
        told = standing(self.stores.events.of_learning(memory.learning_id))
        ending = next((one for one in reversed(told) if isinstance(one.payload, Archived)), None)
        if ending is None or ending.source == BY_HAND:
            return True
        is_read = ending.idempotency_key.startswith("reading:") and ending.session_id != memory.session_id
        return is_read and (ending.valid_from or ending.transaction_time) > moment

    def held(self, decided: DecidedLine) -> StartLine:
        """A line as a person keeps it, citing what its memories have become."""
        sources = [self.known[one] for one in decided.sources]
        entry = line_entry(decided.shown, sources)
        return StartLine(decided.shown, tuple(one.learning_id for one in sources), entry, decided)


def _once(lines: Iterable[StartLine]) -> list[StartLine]:
    """Each line that a person keeps once: a reader may have made two of it."""
    found: dict[str, StartLine] = {}
    for at, line in enumerate(lines):
        found.setdefault(line.decided.learning_id if line.decided and line.is_held else str(at), line)
    return list(found.values())


def _place_lines(lines: Sequence[StartLine]) -> list[StartLine]:
    """Lines that a person placed in their order, in the places that they have among the others."""
    places = [at for at, one in enumerate(lines) if one.place]
    ordered = sorted((lines[at] for at in places), key=lambda one: one.place)
    found = list(lines)
    for at, one in zip(places, ordered, strict=True):
        found[at] = one
    return found


def is_said_since(memory: Memory, moment: str) -> bool:
    """Whether a person said what a memory says after a moment."""
    is_persons = memory.by not in ("agent", "tool") and memory.source != BY_AGENT
    return is_persons and (memory.last_said_at or memory.valid_from or memory.created_at) > moment


def is_near(one: str, other: str) -> bool:
    """Whether two lines have nearly the same words, and none says a sentence more."""
    share = jaccard(tokens(one), tokens(other))
    is_alike = share >= LIKELY and len(split_sentences(one)) == len(split_sentences(other))
    return share >= NEAR or (is_alike and is_same_rule(one, other))


def split_sentences(text: str) -> list[str]:
    """The whole sentences of a line; clauses belong together, since one may speak of what another names."""
    return _SENTENCE_END.split(text)


def repeats(text: str, sentence: str) -> bool:
    """Whether a sentence says what another says, or a part of it: many of the words of one are those of the other."""
    mine, theirs = set(tokens(text)), set(tokens(sentence))
    common = len(mine & theirs)
    return common > 1 and (common >= MANY * len(mine) or common >= MOSTLY * len(theirs))


def within_a_brief(lines: Sequence[StartLine], most: int, room: int) -> list[StartLine]:
    """As many lines as a brief may have, in their order; what a person keeps goes before what a reader wrote.

    After a full brief further lines follow, in case one of its lines is about code that is gone.
    """
    work = [one for one in lines if is_work(one.entry)]
    brief = [one for one in lines if not is_work(one.entry)]
    chosen = [one for one in brief if one.is_held][:most]
    for line in brief:
        room_left = room - sum(estimate_tokens(one.text) for one in chosen)
        if len(chosen) < most and not line.is_held and estimate_tokens(line.text) <= room_left:
            chosen.append(line)
    spare = [one for one in brief if one not in chosen] if len(chosen) == most else []
    return [*(one for one in brief if one in chosen), *spare, *work]
