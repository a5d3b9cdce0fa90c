"""Exchanges as they are kept and searched: what the user wanted, what was said and done, what came of it.

The words themselves stay in the kept transcript. Here is what an index needs to find them, and how the passage is
worded that somebody sees: the user's words first, as they were said, then what followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

from nous.core.fingerprints import error_lines, fingerprints
from nous.core.likeness import tokens
from nous.core.session import Exchange, Story, core
from nous.core.text import STOP_WORDS, calm, index_terms, plain_words
from nous.core.transcript import Turn

PART = 1_500  # characters of one part of a long exchange, about
MOST_ASKED = 8  # parts of the user's words that are indexed: a paste of megabytes is found by its beginning
MOST_SAID = 16  # parts of the agent's words, the last ones
MOST_FILES = 30
MOST_RUNS = 20
LONGEST_COMMAND = 160
OFTEN = 3  # how often a word of a part is counted: a table that says one word fifty times is not more about it
LONGEST = 40  # characters of a word that somebody may ask for; longer ones are keys and blobs
PASSAGE = 1_000  # characters of a passage that is shown
LINE = 240  # characters of what came of it, under the words that were found
WANTED, CAME_OF = 320, 240  # characters of the two halves of a line in front of the model

Side = Literal["asked", "said"]
_BREAK = re.compile(r"\n\s*\n|\n|(?<=[.!?。！？])\s")
_COMMIT = re.compile(r"\bgit\s+commit\b")
_MACHINE = re.compile(r"^(?:<|/|Caveat:|\[Request interrupted)")


class Section(NamedTuple):
    """A stretch of an exchange that is indexed by itself: whose words, from where to where in them."""

    side: Side
    start: int
    end: int


class Speech(NamedTuple):
    """What one side said in an exchange, in one text; `records` tell where the words of each record begin."""

    text: str
    records: tuple[tuple[int, str], ...]

    def within(self, start: int, end: int) -> tuple[str, ...]:
        """The records whose words stand between two places."""
        places = [*self.records, (len(self.text) + 1, "")]
        return tuple(dict.fromkeys(one for (at, one), (until, _) in pairwise(places) if at < end and until > start))


class Account:
    """One exchange of a session, with what is needed to find and to show it."""

    def __init__(self, story: Story, exchange: Exchange):
        self.story = story
        self.exchange = exchange
        self.turns: Sequence[Turn] = story.turns[exchange.start : exchange.end]

    @property
    def first(self) -> Turn:
        """The turn it begins with: a prompt, unless the session has none before it."""
        return self.turns[0]

    @property
    def uuid(self) -> str:
        """The record it begins with, which is also its name."""
        return self.first.uuid

    @cached_property
    def asked(self) -> Speech:
        """The user's own words: the prompt, answers to questions, what they said when they refused something."""
        return _words(self.turns, ("prompt", "answer", "denial"))

    @cached_property
    def said(self) -> Speech:
        """The agent's words, its summaries, and reports of its subagents; its closing words stand last."""
        return _words(self.turns, ("reply", "report", "compaction"))

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The files that were changed, then those that were read."""
        changed = [change.path for change in self.exchange.changes]
        read = (turn.input.get("file_path") for turn in self.turns if turn.kind == "tool_call" and turn.tool == "Read")
        cwd = self.first.cwd.rstrip("/") + "/"
        seen = [path.removeprefix(cwd) for path in read if isinstance(path, str)]
        return tuple(dict.fromkeys([*changed, *seen]))[:MOST_FILES]

    @cached_property
    def commands(self) -> tuple[tuple[str, bool], ...]:
        """The commands that ran, each once with how it ended last: whether it failed."""
        ran = {core(run.command)[:LONGEST_COMMAND]: run.failed for run in self.exchange.runs}
        return tuple(ran.items())[-MOST_RUNS:]

    @cached_property
    def errors(self) -> tuple[tuple[str, str], ...]:
        """Fingerprints of the errors that commands gave, each with what ended it; nothing when it was not ended."""
        found: dict[str, str] = {}
        for failure in self.exchange.failures:
            ended = ending(failure.run.command, [change.path for change in failure.changes], failure.passed is not None)
            for mark in fingerprints(failure.run.output):
                found[mark] = ended or found.get(mark, "")
        return tuple(found.items())

    @cached_property
    def told_errors(self) -> tuple[str, ...]:
        """What the commands that failed said, one line each."""
        lines = (error_lines(failure.run.output)[:1] for failure in self.exchange.failures)
        return tuple(dict.fromkeys(line[0] for line in lines if line))[:MOST_RUNS]

    @property
    def commits(self) -> int:
        """How many commits were made."""
        return sum(not run.failed and bool(_COMMIT.search(run.command)) for run in self.exchange.runs)

    @property
    def is_machine(self) -> bool:
        """Whether nobody speaks here: a command of the client, or nothing at all."""
        return not self.asked.text.strip() and not self.said.text.strip()

    def label(self, room: int) -> str:
        """What it is about, in one short line: how the user's words begin, else the agent's."""
        said = self.asked.text or self.said.text
        return excerpt(said[: 4 * room], "", 0, 4 * room, room)

    @cached_property
    def parts(self) -> tuple[Section, ...]:
        """The stretches by which it is indexed, the user's words first."""
        asked = [Section("asked", *place) for place in pieces(self.asked.text)][:MOST_ASKED]
        said = [Section("said", *place) for place in pieces(self.said.text)][-MOST_SAID:]
        return (*asked, *said) or (Section("asked", 0, 0),)

    def words_of(self, part: Section) -> str:
        """What a part says."""
        return (self.asked if part.side == "asked" else self.said).text[part.start : part.end]

    @property
    def deeds(self) -> str:
        """What was done, in words for an index: files, commands, errors."""
        return "\n".join([*self.files, *(command for command, _ in self.commands), *self.told_errors])

    def evidence(self, part: Section) -> tuple[str, ...]:
        """The records that a passage about this part shows."""
        side = self.asked if part.side == "asked" else self.said
        return tuple(dict.fromkeys([self.uuid, *side.within(part.start, part.end), *self._closing_records]))

    @property
    def _closing_records(self) -> tuple[str, ...]:
        return (self.said.records[-1][1],) if self.said.records else ()


def accounts(turns: Sequence[Turn]) -> list[Account]:
    """The exchanges of a session's turns, in order; those in which nobody speaks are left out."""
    story = Story(turns)
    found = (Account(story, exchange) for exchange in story.exchanges if exchange.end > exchange.start)
    return [account for account in found if not account.is_machine]


def around(turns: Sequence[Turn], record: str) -> list[Turn]:
    """The exchange that holds a record, which may be named by its beginning; nothing when none does."""
    at = next((at for at, turn in enumerate(turns) if turn.uuid.startswith(record)), None)
    if at is None:
        return []
    starts = [place for place, turn in enumerate(turns) if turn.kind == "prompt" or turn.agent_id != turns[at].agent_id]
    start = max((place for place in starts if place <= at), default=0)
    return list(turns[start : next((place for place in starts if place > at), len(turns))])


def ending(command: str, files: Iterable[str], has_passed: bool) -> str:
    """What ended an error, in words; nothing when it did not end."""
    changed = ", ".join(list(dict.fromkeys(files))[:3])
    if not has_passed:
        return ""
    return f"`{core(command)[:LONGEST_COMMAND]}` passed" + (f" after a change in {changed}" if changed else " later")


def _words(turns: Sequence[Turn], kinds: tuple[str, ...]) -> Speech:
    records: list[tuple[int, str]] = []
    texts: list[str] = []
    length = 0
    for turn in turns:
        text = _spoken(turn) if turn.kind in kinds and not turn.inherited else ""
        if text:
            records.append((length, turn.uuid))
            texts.append(text)
            length += len(text) + 1
    return Speech("\n".join(texts), tuple(records))


def _spoken(turn: Turn) -> str:
    if turn.kind != "answer":
        return turn.text.strip()
    answers = turn.input.get("answers")
    given = answers.items() if isinstance(answers, dict) else ()
    return "\n".join(f"{question} {answer}" for question, answer in given if isinstance(answer, str)) or turn.text


def index_words(text: str) -> str:
    """The words of a text as the index keeps them: without those that only join, each at most a few times.

    Names are there in parts and joined, as in every index here; an engine that cuts at marks sees most parts by itself.
    """
    counted: dict[str, int] = {}
    found: list[str] = []
    for word in plain_words(text):
        count = counted[word] = counted.get(word, 0) + 1
        if count <= OFTEN and word not in STOP_WORDS and len(word) <= LONGEST:
            found.append(word)
    more = index_terms(text).lower().split()
    found += [piece for piece in dict.fromkeys(more) if piece not in counted and len(piece) <= LONGEST]
    return " ".join(found)


def pieces(text: str) -> list[tuple[int, int]]:
    """Where a text is cut into parts: at a blank line, a line or a sentence, when a part has become long enough."""
    found: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > PART * 1.3:
        breaks = [match.end() for match in _BREAK.finditer(text, start + PART // 2, start + PART)]
        end = breaks[-1] if breaks else start + PART
        found.append((start, end))
        start = end
    return [*found, (start, len(text))] if text[start:].strip() else found


# -- what is shown --------------------------------------------------------------------------------------------------


def passage(account: Account, part: Section, asked: str) -> str:
    """The passage that answers, in whole sentences: the user's words, then what the agent said to them, each where it
    speaks of the question."""
    room = PASSAGE - 2
    wanted, answer = account.asked.text, answering(account, part, asked)
    if answer is None:
        closing = outcome(account, LINE)
        words = excerpt(wanted, asked, part.start, part.end, room - len(closing) - 2)
        return f"{words}\n→ {closing}" if closing else words
    start, end = (part.start, part.end) if part.side == "asked" else (0, len(wanted))
    words = excerpt(wanted, asked, start, end, room // 2)
    said = excerpt(account.said.text, asked, answer.start, answer.end, room - len(words) - 2)
    closing, left = outcome(account, LINE), room - len(words) - len(said) - 5
    if len(account.said.records) > 1 and closing.strip("… ") not in said and len(closing) <= left:
        said = f"{said}\n→ {closing}"
    return f"{words}\n→ {said}" if words else said


def answering(account: Account, part: Section, asked: str) -> Section | None:
    """The part of the agent's words that is shown with a part: itself, or the one that says most of what a question
    asks for; None when none says any of it."""
    if part.side == "said":
        return part
    wanted = set(tokens(asked))
    said = [
        (len(wanted.intersection(tokens(account.words_of(one)))), one) for one in account.parts if one.side == "said"
    ]
    most, best = max(said, key=lambda pair: (pair[0], pair[1].start), default=(0, part))
    return best if most else None


def outcome(account: Account, room: int) -> str:
    """What came of an exchange, in a few words: the agent's closing words, else what was done."""
    said = account.said.text[account.said.records[-1][0] :] if account.said.records else ""
    if said.strip():
        return excerpt(said, "", 0, len(said), room)
    failed = [command for command, is_failed in account.commands if is_failed]
    done = [f"changed {', '.join(account.files[:3])}"] if account.exchange.changes else []
    return excerpt("; ".join([*done, *(f"`{command}` failed" for command in failed[-1:])]), "", 0, 400, room)


def excerpt(text: str, asked: str, start: int, end: int, room: int) -> str:
    """So many characters of a text in whole sentences, those that share most with a question. A sentence that is longer
    than the room is cut between words."""
    flat = " ".join(calm(text[start:end]).split())
    if len(flat) <= room:
        return flat
    told = [one for one in (" ".join(part.split()) for part in _BREAK.split(calm(text[start:end]))) if one]
    first, last = _best_stretch(told, set(tokens(asked)), room - 4)
    words = " ".join(told[first:last])
    if len(words) > room - 4:
        return ("… " if first else "") + _cut(words, asked, room - 4)
    return ("… " if first else "") + words + (" …" if last < len(told) else "")


def _best_stretch(told: Sequence[str], wanted: set[str], room: int) -> tuple[int, int]:
    """The sentences, from one to before another, that fit and say most of the words wanted; the first of equals."""
    said = [wanted.intersection(tokens(one)) for one in told] if wanted else [set[str]() for _ in told]
    best, most = (0, 1), -1
    for first in range(len(told)):
        last, size = first, -1
        shared: set[str] = set()
        while last < len(told) and (size + 1 + len(told[last]) <= room or last == first):
            size += 1 + len(told[last])
            shared |= said[last]
            last += 1
        if len(shared) > most:
            best, most = (first, last), len(shared)
        if not wanted:
            break
    return best


def _cut(sentence: str, asked: str, room: int) -> str:
    """A stretch of one long sentence around the words wanted, cut between words."""
    low, wanted = sentence.lower(), set(tokens(asked))
    begin = min((at for at in (low.find(word) for word in wanted) if at >= 0), default=0)
    begin = sentence.rfind(" ", 0, max(0, begin - room // 3)) + 1 if begin > room // 2 else 0
    cut = sentence.rfind(" ", begin, begin + room - 2)
    return ("… " if begin else "") + sentence[begin : cut if cut > begin else begin + room - 2] + " …"


def line(account: Account, part: Section, asked: str, *, ended: str = "", is_tainted: bool = False) -> str:
    """An exchange in one line, for a model: when, what was wanted, what came of it, and how it is cited.

    The agent's words are left out when they may be those of somebody else.
    """
    wanted = account.asked.text
    said = f"{account.first.at[:10]}, wanted: “{_quoted(wanted, asked, WANTED)}”"
    if ended:
        came_of = f"; the error ended: {ended}"
    elif is_tainted:
        came_of = ""
    elif part.side == "said":
        came_of = f"; came of it: {excerpt(account.said.text, asked, part.start, part.end, CAME_OF)}"
    else:
        told = outcome(account, CAME_OF)
        came_of = f"; came of it: {told}" if told else ""
    return f"{said}{came_of} {citation(account)}"


def citation(account: Account) -> str:
    """How an exchange is cited: the beginning of its first record's name, by which `session show` finds it."""
    return f"[Exchange {account.uuid[:13]}: {account.first.at[:10]}]"


def _quoted(text: str, asked: str, room: int) -> str:
    return _one_line(excerpt(text, asked, 0, len(text), room))


def _one_line(text: str) -> str:
    return " ".join(text.split())
