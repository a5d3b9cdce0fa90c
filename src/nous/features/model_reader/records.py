"""What the records of a session prove. A reading says what it rests on; whose word that is, is computed here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from nous.kernel.capture.session import Story
from nous.kernel.capture.transcript import USER_KINDS, Turn
from nous.kernel.log.events import SaidBy
from nous.language.invented import first_invented, plain
from nous.language.likeness import tokens
from nous.language.provenance import ORDERS
from nous.language.sentences import sentences

OWN_WORDS = 0.6  # share of a memory's words from which on they are the user's, whatever else was read


class SessionRecords:
    """The turns of a session by their records: who said what, what came of it, and what came from outside."""

    def __init__(self, turns: Sequence[Turn]):
        self.story = Story([turn for turn in turns if not turn.agent_id])
        self.all = list(turns)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where the turns of each record stand."""
        found: dict[str, list[int]] = {}
        for at, turn in enumerate(self.story.turns):
            found.setdefault(turn.uuid, []).append(at)
        return found

    @cached_property
    def known(self) -> frozenset[str]:
        """Every record, those of subagents too."""
        return frozenset(turn.uuid for turn in self.all)

    @cached_property
    def outside(self) -> list[int]:
        """Where text came in that others wrote and nobody here looked at.

        The address of a new pull request, a version or an empty list says nothing that anybody could follow, nor does
        the client when it did not run a tool.
        """
        tools = {turn.tool_id: turn.tool for turn in self.story.turns if turn.kind == "tool_call"}
        return [at for at in self.story.outside if _says_something(self.story.turns[at], tools)]

    @property
    def is_tainted(self) -> bool:
        """Whether text from outside says something to whoever reads this session."""
        return bool(self.outside)

    def cited_turns(self, evidence: Iterable[str]) -> list[Turn]:
        """The turns of records, as far as they are this session's own."""
        return [self.story.turns[at] for uuid in evidence for at in self.places.get(uuid, ())]

    def user_turns(self, evidence: Iterable[str]) -> list[Turn]:
        """Those of the cited turns that are the user's; the prompt of a program is nobody's word."""
        return [turn for turn in self.cited_turns(evidence) if turn.kind in USER_KINDS and not turn.headless]

    def author(self, evidence: Collection[str], claimed: str) -> SaidBy:
        """Whose word rests on these records. A reader may claim less than they show, never more."""
        if claimed == "user" and self.user_turns(evidence):
            return "user"
        is_result = any(turn.kind == "tool_result" for turn in self.cited_turns(evidence))
        return "tool" if is_result and claimed == "tool" else "agent"

    def says(self, evidence: Iterable[str], *texts: str) -> bool:
        """Whether the user says something in these records, and does not only ask.

        After text from outside it must also share words with these texts.
        """
        said = [turn for turn in self.user_turns(evidence) if _tells(turn)]
        if not self.is_tainted:
            return bool(said)
        words = {word for turn in said for word in _subjects(turn.text)}
        return any(words & _subjects(text) for text in texts)

    def is_users(self, text: str, evidence: Iterable[str]) -> bool:
        """Whether a text says what the user said in these records: a reader may be talked into claiming so."""
        spoken = self.user_turns(evidence)
        said = {word for turn in spoken for word in tokens(turn.text)}
        words = set(tokens(text))
        if not spoken or len(words & said) >= OWN_WORDS * len(words):
            return bool(spoken)
        return not words & self.foreign

    def is_own(self, text: str, evidence: Iterable[str], orders: bool = False) -> bool:
        """Whether a text owes nothing to what others wrote, although such text was read in its session.

        It cites something else, each of its words stands in what it cites or did not come from outside, and it tells
        nobody what to do, unless `orders` may be given or most of its words stand in what it cites.
        """
        far = set(self.outside)
        cited = [at for uuid in evidence for at in self.places.get(uuid, ()) if at not in far]
        firm = (at for at in cited if at < min(far, default=0) or self.story.turns[at].kind in _NOT_THE_AGENTS)
        said = {word for at in firm for word in tokens(_words(self.story.turns[at]))}
        words = set(tokens(text))
        may_order = orders or len(words & said) >= OWN_WORDS * len(words)
        return bool(cited) and self.is_free(text, said) and (may_order or not ORDERS.search(text.lower()))

    def is_free(self, text: str, said: Collection[str]) -> bool:
        """Whether no word of a text came from outside alone; those that were `said` here did not."""
        return not (set(tokens(text)) - set(said)) & self.foreign

    @cached_property
    def foreign(self) -> frozenset[str]:
        """Words that came from outside, and that neither the user nor anything before it had said."""
        far = self.outside
        told = {word for one in self.story.sources if one.came.distance == "far" for word in tokens(one.text)}
        own = (turn for at, turn in enumerate(self.story.turns) if turn.kind in USER_KINDS or (far and at < far[0]))
        return frozenset(told.difference(*(tokens(_words(turn)) for turn in own)))

    def shows(self, evidence: Iterable[str], *texts: str) -> bool:
        """Whether a cited turn is a tool's result, or stands in an exchange after one.

        Where text from outside was read, only results from here count that are about what these texts are about.
        """
        places = [at for uuid in evidence for at in self.places.get(uuid, ())]
        results = {result for at in places for result in self._results_behind(at)}
        if not self.is_tainted or results & set(self.outside):
            return bool(results) and not self.is_tainted
        words = {word for at in results for word in _subjects(self.story.turns[at].text)}
        return any(len(words & _subjects(text)) >= ABOUT_IT for text in texts)

    def _results_behind(self, at: int) -> list[int]:
        """The tool's result that stands here, or those of the exchange so far."""
        first = at if self.story.turns[at].kind == "tool_result" else self.story.exchange_start(at)
        return [place for place in range(first, at + 1) if self.story.turns[place].kind == "tool_result"]

    def when(self, evidence: Iterable[str]) -> str:
        """When the last of these records was written."""
        wanted = set(evidence)
        return max((turn.at for turn in self.all if turn.uuid in wanted), default="")

    def branch(self, evidence: Iterable[str]) -> str | None:
        """The branch on which the deciding record was written."""
        return next((turn.branch for turn in reversed(self.cited_turns(evidence)) if turn.branch), None)

    # what it names
    @cached_property
    def seen(self) -> str:
        """Everything that was said, called and printed here, but for what came from outside."""
        far = set(self.outside)
        return plain("\n".join(_words(turn) for at, turn in enumerate(self.story.turns) if at not in far))

    def find_invented(self, text: str, *besides: str) -> str | None:
        """The first command, address or package of a text that stands neither here nor in the texts besides."""
        return first_invented(text, self.seen, plain("\n".join(besides)))


ABOUT_IT = 2  # words that a result shares with a memory it speaks of
_NOT_THE_AGENTS = USER_KINDS | {"tool_result"}
APPROVED_PLAN = "Implement the following plan:"  # what the client writes when the user accepts a plan
SAYS_NOTHING = 2  # words: a result of so few ("MERGED", "Version: 4.9.1") holds no instruction
# An address, and what the client says when it ran nothing.
_EMPTY = re.compile(r"https?://\S{1,120}|</?tool_use_error>|Sibling tool call errored|Error: No such tool available:")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_NAME = re.compile(r"[^\s/\\]+")


def _says_something(turn: Turn, tools: Mapping[str, str]) -> bool:
    """Whether a result is more than numbers, addresses and a word or two; other scripts need no spaces to say much."""
    words = _LETTERS.findall(_EMPTY.sub(" ", turn.text.replace(tools.get(turn.tool_id) or "\n", " ")))
    return len(words) > SAYS_NOTHING or any(not word.isascii() for word in words)


def _subjects(text: str) -> set[str]:
    """The words of a text, and the last name of every path in it."""
    names = (_NAME.findall(word) for word in tokens(text) if "/" in word)
    return {*tokens(text), *(parts[-1] for parts in names if parts)}


def _tells(turn: Turn) -> bool:
    """Whether a turn of the user is more than questions: "Should it run on staging too?" settles nothing."""
    if turn.kind != "prompt" or not turn.text.strip() or turn.text.startswith(APPROVED_PLAN):
        return True
    return not all(one.asks for one in sentences(turn.text))


def _words(turn: Turn) -> str:
    return "\n".join((turn.text, *_strings(turn.input)))


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [text for one in inner for text in _strings(one)]
