"""Exchanges as they are kept and searched: what the user wanted, what was said and done, what came of it.

The words themselves stay in the kept transcript. Here is what an index needs to find them, and how the passage is
worded that somebody sees: the user's words first, as they were said, then what followed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise, zip_longest
from typing import Literal, NamedTuple

from nous.features.exchanges.answering import SHORT_FENCE, USERS_FENCE, Passage, Told, choose, split_told
from nous.kernel.capture.authorship import own_voice
from nous.kernel.capture.session import Exchange, Story, core
from nous.kernel.capture.transcript import Turn
from nous.kernel.recall.ranking import shared_words
from nous.language.fingerprints import error_lines, fingerprints
from nous.language.lexicon import pattern
from nous.language.text import STOP_WORDS, calm, index_terms, plain_words

PART = 1_500  # characters of one part of a long exchange, about
MOST_ASKED = 8  # parts of the user's words that are indexed: a paste of megabytes is found by its beginning
MOST_SAID = 16  # parts of the agent's words, the last ones
MOST_FILES = 30
MOST_RUNS = 20
LONGEST_COMMAND = 160
OFTEN = 3  # how often a word of a part is counted: a table that says one word fifty times is not more about it
LONGEST = 40  # characters of a word that somebody may ask for; longer ones are keys and blobs
OPENING = 300  # characters of a prompt that say whether the last answer did
PASSAGE = 800  # characters of a passage that is shown
BRIEFLY = 200  # characters of the user's words, where the agent's answer
LONGEST_REPLY = 2_000  # characters of the user's next words that are looked at
PASTED = 0.05  # of a prompt: whose own words are fewer only pasted something
WANTED = 320  # characters of what was wanted in a line in front of the model

Side = Literal["asked", "said"]
_ASKS = re.compile(r"[?？]\s*(?:$|\n)|[?？][^.。]{0,200}$")
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

    def at(self, places: Iterable[int]) -> tuple[str, ...]:
        """The records whose words stand at some places."""
        starts = [start for start, _ in self.records]
        return tuple(dict.fromkeys(self.records[bisect_right(starts, place) - 1][1] for place in places))

    def sentences(self, fence: int = SHORT_FENCE) -> list[Told]:
        """What was said, record by record, without what a program wrote but for so many lines of code."""
        places = [*(start for start, _ in self.records), len(self.text)]
        return [one for start, end in pairwise(places) for one in split_told(self.text[start:end], start, fence)]


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

    @cached_property
    def is_paste(self) -> bool:
        """Whether the user only pasted a page, a console or a trace: the agent's words tell what it is about."""
        own = sum(len(one.text) for one in self.asked.sentences(USERS_FENCE))
        return bool(self.said.text.strip()) and own <= PASTED * len(self.asked.text)

    def label(self, room: int) -> str:
        """What it is about, in one short line: how the user's words begin, else the agent's."""
        said = self.said.text if self.is_paste else self.asked.text
        return excerpt(said[: 4 * room], room)

    @cached_property
    def parts(self) -> tuple[Section, ...]:
        """The stretches by which it is indexed, the user's words first unless they are a paste."""
        asked = [Section("asked", *place) for place in pieces(self.asked.text)][:MOST_ASKED]
        said = [Section("said", *place) for place in pieces(self.said.text)][-MOST_SAID:]
        return tuple(said + asked if self.is_paste else asked + said) or (Section("asked", 0, 0),)

    def words_of(self, part: Section) -> str:
        """What a part says."""
        return (self.asked if part.side == "asked" else self.said).text[part.start : part.end]

    @property
    def deeds(self) -> str:
        """What was done, in words for an index: files, commands, errors."""
        return "\n".join([*self.files, *(command for command, _ in self.commands), *self.told_errors])


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
        text = _spoken_text(turn) if turn.kind in kinds and not turn.inherited else ""
        if text:
            records.append((length, turn.uuid))
            texts.append(text)
            length += len(text) + 1
    return Speech("\n".join(texts), tuple(records))


def _spoken_text(turn: Turn) -> str:
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


class Answer(NamedTuple):
    """The passage of an exchange that answers: the user's words, the agent's, the records they stand in, and how well
    the agent's answer."""

    asked: str
    said: str
    asked_in: tuple[str, ...]
    said_in: tuple[str, ...]
    worth: float

    @property
    def records(self) -> tuple[str, ...]:
        """Every record that it shows, the first of its exchange before all."""
        return tuple(dict.fromkeys((*self.asked_in, *self.said_in)))

    @property
    def text(self) -> str:
        """Both sides, one below the other."""
        return "\n→ ".join(filter(None, (self.asked, self.said)))


def passage(account: Account, wanted: Mapping[str, float], room: int = PASSAGE) -> Answer:
    """What the user said and what the agent said to it, each the sentences that say most of what is wanted."""
    told = [] if account.is_paste else account.asked.sentences(USERS_FENCE)
    asked = [one for one in told if not pattern("voices.template").match(one.text)]
    said = account.said
    answer = choose(_statements(said), wanted, room - BRIEFLY, _closing(said))
    words = choose(asked, wanted, BRIEFLY if answer.text else room)
    if _weight(words, wanted) > _weight(answer, wanted):  # the user says it
        words = choose(asked, wanted, room - len(answer.text) - 3)
    asked_in = (account.uuid, *account.asked.at(words.places))
    return Answer(words.text, answer.text, asked_in, said.at(answer.places), answer.worth)


def _closing(said: Speech) -> int:
    """Where the agent's last words begin."""
    return said.records[-1][0] if said.records else 0


def _statements(said: Speech) -> list[Told]:
    """What the agent said without what it offers or asks to be done; what leads up to code or to a tool's
    work is a step."""
    closing, told = _closing(said), said.sentences()
    found: list[Told] = []
    is_offer = False
    for one, following in zip_longest(told, told[1:]):
        is_offer = bool(pattern("turns.offers").search(one.text)) or (is_offer and one.is_item)
        leads_up = one.text.endswith(":") and not (following and following.is_item)
        if leads_up or (one.start < closing and pattern("turns.announces").search(one.text)):
            one = one._replace(is_step=True)
        found += [] if is_offer else [one]
    return found or told


def reply(account: Account, next_words: str, wanted: Mapping[str, float]) -> str:
    """What the user said next, in short, where it answers the agent or says that what was done did not do."""
    if not (refutes(next_words) or (asks(account) and _is_about(next_words, wanted))):
        return ""
    return choose(split_told(next_words[:LONGEST_REPLY]), wanted, BRIEFLY).text


def refutes(next_words: str) -> bool:
    """Whether the user's words say that what was done did not do."""
    return bool(pattern("turns.refutes").search(next_words[:OPENING].replace("’", "'")))


def asks(account: Account) -> bool:
    """Whether the agent's last words ask or offer something."""
    return bool(_ASKS.search(account.said.text[-OPENING:]))


def _is_about(words: str, wanted: Mapping[str, float]) -> bool:
    return len(words) < OPENING or bool(shared_words(wanted, words[:LONGEST_REPLY]))


def _weight(said: Passage, wanted: Mapping[str, float]) -> float:
    return sum(wanted[word] for word in said.said)


def outcome(account: Account, room: int) -> str:
    """What came of an exchange, in a few words: the agent's closing words, else what was done."""
    said = account.said.text[account.said.records[-1][0] :] if account.said.records else ""
    if said.strip():
        return excerpt(said, room)
    failed = [command for command, is_failed in account.commands if is_failed]
    done = [f"changed {', '.join(account.files[:3])}"] if account.exchange.changes else []
    return excerpt("; ".join([*done, *(f"`{command}` failed" for command in failed[-1:])])[:400], room)


def excerpt(text: str, room: int) -> str:
    """How a text begins, in whole sentences; one that is longer than the room is cut between words."""
    flat = " ".join(calm(text).split())
    if len(flat) <= room:
        return flat
    begins = ""
    for one in (" ".join(part.split()) for part in _BREAK.split(calm(text))):
        if begins and len(begins) + 1 + len(one) > room - 4:
            break
        begins = f"{begins} {one}".strip()
    if len(begins) > room - 4:
        begins = begins[: max(begins.rfind(" ", 0, room - 2), room // 2)]
    return f"{begins} …"


def line(account: Account, ended: str) -> str:
    """An exchange in one line, for a model: when, what was wanted, what ended its error, and how it is cited."""
    wanted = excerpt(own_voice(account.asked.text) or "a pasted text", WANTED)
    return f"{account.first.at[:10]}, wanted: “{wanted}”; the error ended: {ended} {citation(account)}"


def citation(account: Account) -> str:
    """How an exchange is cited: the beginning of its first record's name, by which `session show` finds it."""
    return f"[Exchange {account.uuid[:13]}: {account.first.at[:10]}]"
