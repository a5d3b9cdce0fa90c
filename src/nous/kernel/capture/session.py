"""One session as a value: exchanges, commands and how they ended, edits, failures and what ended them.

Whatever reads sessions (the extractor, signals, episodes, prompts) reads this, so that "the same command", "the
last reply" and "came from outside" mean one thing everywhere.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeVar

import msgspec

from nous.kernel.capture.authorship import own_voice
from nous.kernel.capture.grounds import DECLARES, is_mentioned, is_named, names_in
from nous.kernel.capture.left_out import LeftOut, read_left_out, words_of
from nous.kernel.capture.transcript import Turn, Usage
from nous.language.likeness import tokens
from nous.language.provenance import (
    COMMENT,
    DATA,
    DOCUMENT,
    ERRAND,
    HERE,
    IMITATION,
    MESSAGE,
    ORDERS,
    PRINTING,
    Provenance,
    apart,
    attachment_source,
    fetched_by,
    hosts,
    imitates,
    is_clients_note,
    is_everyday,
    is_other_script,
    names_in_commands,
    plain,
    provenance_of,
    report,
    rows,
    telling,
    uncommon,
)

EDITS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
NOWHERE = -2  # no turn; what was pasted into the first prompt stands before it, at -1
RETRIES = 24  # commands after a failure among which the one is looked for that ended it


class Run(NamedTuple):
    """A shell command, where it stands, what it printed and whether it failed."""

    at: int
    command: str
    output: str
    failed: bool
    done: int


class Change(NamedTuple):
    """An edit that succeeded."""

    at: int
    path: str
    old: str
    new: str


class Answer(NamedTuple):
    """What the user answered to a question of the assistant, and the labels that had been offered.

    `is_own`: they typed it. A label that was picked says no more than yes to the assistant's words.
    """

    at: int
    question: str
    answer: str
    offered: tuple[str, ...]
    is_own: bool


class Failure(NamedTuple):
    """A command that failed, the same command when it passed later, and the edits that were made in between."""

    run: Run
    passed: Run | None
    changes: tuple[Change, ...]


class Exchange(NamedTuple):
    """A prompt and what followed until the next: turns `start` to `end`, the prompt being the first of them.

    What stands before the first prompt is an exchange without one.
    """

    start: int
    end: int
    prompt: str
    reply: str
    runs: tuple[Run, ...]
    changes: tuple[Change, ...]
    failures: tuple[Failure, ...]


QUOTED = 6  # words in a row that are no chance
QUOTED_ORDER = 4  # and in a sentence that tells what to do
SHARED = 0.5  # the share of a conclusion's words at which it repeats what a document says
SHARED_APART = 0.6  # and a clause what any text says: of fewer than four words that is no sign
FEWEST = 4  # words that a share can be told of


class OutsideText(NamedTuple):
    """Text that a tool brought in: where it stands, how far away it was written, its words, and those not kept."""

    at: int
    came: Provenance
    text: str
    packed: bytes = b""

    @property
    def left_out(self) -> LeftOut | None:
        """What is known of the part that was not kept."""
        return read_left_out(self.packed) if self.packed else None


_CHANGE_DIR = re.compile(r"^\s*cd\s+(\S+)\s*(?:&&|;)\s*")
_FOLDER = re.compile(r"[\w.-]{1,40}(?:/[\w.-]{1,40}){0,3}")
_FILTERS = re.compile(
    r"\s{0,9}(?:2>&1|2>/dev/null|>/dev/null|\|\s*(?:tail|head|grep|less|cat|tee|wc|sort|rg|sed|awk)\b.*|\|\|\s*true\b.*|&\s*$)\s*"
)
_ERROR_TEXT = re.compile(r"^(?:Error: |Exit code [1-9])|command not found|Traceback \(most recent call last\)", re.M)


@dataclass(frozen=True)
class Story:
    """The turns of one session file, with the look-ups that several learners share."""

    turns: Sequence[Turn]
    heard: Sequence[Turn] = ()
    cuts: Sequence[int] = ()

    def __post_init__(self) -> None:
        """Set apart what the client put in between (`heard`, each before the turn of `cuts`): nobody said or did it."""
        asked = asked_in(self.turns)
        spoken: list[Turn] = []
        heard, cuts = list(self.heard), list(self.cuts)
        for turn in self.turns:
            if turn.kind == "context":
                heard.append(turn)
                cuts.append(len(spoken))
            else:
                spoken.append(_as_believed(turn, asked))
        object.__setattr__(self, "turns", spoken)
        object.__setattr__(self, "heard", heard)
        object.__setattr__(self, "cuts", cuts)

    def place(self, given: int) -> int:
        """Where a place among all turns lies among those that were said and done."""
        return given - sum(cut + before < given for before, cut in enumerate(self.cuts))

    @cached_property
    def results(self) -> dict[str, int]:
        """Where the result of each tool call stands."""
        kinds = ("tool_result", "denial", "answer", "report")
        return {turn.tool_id: at for at, turn in enumerate(self.turns) if turn.kind in kinds and turn.tool_id}

    @cached_property
    def runs(self) -> list[Run]:
        """Every shell command that ran to an end, in order."""
        found = (
            self._run(at, turn)
            for at, turn in enumerate(self.turns)
            if turn.kind == "tool_call" and turn.tool == "Bash"
        )
        return [run for run in found if run]

    def _run(self, at: int, turn: Turn) -> Run | None:
        command = turn.input.get("command")
        done = self.results.get(turn.tool_id, -1)
        if not isinstance(command, str) or done < at or self.turns[done].kind != "tool_result":
            return None
        result = self.turns[done]
        failed = result.failed or bool(_ERROR_TEXT.search(result.text[:400]))
        return Run(at, command, result.text, failed, done)

    @cached_property
    def changes(self) -> list[Change]:
        """Every edit of a file that took effect, in order."""
        found: list[Change] = []
        for at, turn in enumerate(self.turns):
            path = turn.input.get("file_path")
            if turn.kind != "tool_call" or turn.tool not in EDITS or not isinstance(path, str):
                continue
            done = self.results.get(turn.tool_id, -1)
            if done > at and (self.turns[done].failed or self.turns[done].kind == "denial"):
                continue
            old, new = turn.input.get("old_string"), turn.input.get("new_string") or turn.input.get("content")
            found.append(Change(at, relative(path, turn.cwd), _str(old), _str(new)))
        return found

    @cached_property
    def answers(self) -> list[Answer]:
        """Every question that the client put to the user with its own tool, and the answer."""
        given = ((at, turn) for at, turn in enumerate(self.turns) if turn.kind == "answer" and not turn.agent_id)
        return [answer for at, turn in given for answer in _answers(at, turn)]

    @cached_property
    def failures(self) -> list[Failure]:
        """Every command that failed, with the run of the same command that passed soon after, if one did."""
        return [self._failure(place) for place, run in enumerate(self.runs) if run.failed]

    def _failure(self, place: int) -> Failure:
        failed = self.runs[place]
        later = self.runs[place + 1 : place + 1 + RETRIES]
        passed = next((run for run in later if not run.failed and core(run.command) == core(failed.command)), None)
        between = [change for change in self.changes if passed and failed.done < change.at < passed.at]
        return Failure(failed, passed, tuple(between))

    @cached_property
    def usage(self) -> Usage:
        """The tokens of the whole session, each message of the model counted once."""
        last = {turn.usage.message or turn.uuid: turn.usage for turn in self.turns if turn.usage}
        return Usage(
            input=sum(one.input for one in last.values()),
            output=sum(one.output for one in last.values()),
            cache_read=sum(one.cache_read for one in last.values()),
            cache_write=sum(one.cache_write for one in last.values()),
        )

    @cached_property
    def exchanges(self) -> list[Exchange]:
        """The session cut at its prompts, in order; together they hold every turn once."""
        places = sorted({0, *self.prompts, len(self.turns)})
        return [self._exchange(start, end) for start, end in pairwise(places)]

    def _exchange(self, start: int, end: int) -> Exchange:
        first = self.turns[start]
        replies = (turn.text for turn in reversed(self.turns[start:end]) if turn.kind == "reply")
        return Exchange(
            start,
            end,
            first.text if first.kind == "prompt" else "",
            next(replies, ""),
            _between(self.runs, start, end, lambda run: run.at),
            _between(self.changes, start, end, lambda change: change.at),
            _between(self.failures, start, end, lambda failure: failure.run.at),
        )

    @cached_property
    def sources(self) -> list[OutsideText]:
        """Everything that tools and subagents brought in, in order."""
        calls: dict[str, Turn] = {}
        fetched: frozenset[str] = frozenset()
        found = [
            OutsideText(at - 1, _of_attached(turn), turn.text, turn.left_out)
            for turn, at in zip(self.heard, self.cuts, strict=True)
        ]
        for at, turn in enumerate(self.turns):
            if turn.kind == "tool_call":
                calls[turn.tool_id] = turn
                command = turn.input.get("command")
                fetched |= fetched_by(command) if isinstance(command, str) else frozenset()
            elif turn.kind == "report":
                errand = call.input if (call := calls.get(turn.tool_id)) else None
                found.append(OutsideText(at, report(turn.input, turn.text, errand), turn.text, turn.left_out))
            elif turn.kind == "prompt" and turn.agent_id:
                found.append(OutsideText(at, ERRAND, turn.text))
            elif turn.kind == "tool_result" and (call := calls.get(turn.tool_id)):
                if call.tool in EDITS and (not turn.failed or turn.text.startswith(_CLIENT_ERROR)):
                    continue  # the client says what became of the assistant's own words
                found += self._texts_brought(at, turn, call, fetched)
            elif turn.kind == "tool_result":
                origin = IMITATION if imitates(turn.text) else DOCUMENT
                found.append(
                    OutsideText(at, origin, turn.text, turn.left_out)
                )  # the call stands too far back to be known
        return sorted((_without_hidden(one) for one in found), key=lambda source: source.at)

    def _texts_brought(self, at: int, turn: Turn, call: Turn, fetched: frozenset[str]) -> list[OutsideText]:
        """What the result of a call says: code, and its prose apart."""
        left_out = read_left_out(turn.left_out) if turn.left_out else None
        if not left_out and is_clients_note(call.tool, turn.text):
            return []
        is_imitation = imitates(turn.text) or (left_out is not None and left_out.imitates)
        origin = IMITATION if is_imitation else provenance_of(call.tool, call.input, call.cwd, turn.text, fetched)
        if origin.distance == "here" and left_out and left_out.has_orders and call.tool in PRINTING:
            origin = DATA
        if origin.distance == "here":
            code, prose, said = apart(call.tool, turn.text, _str(call.input.get("command")))
            apart_from_it = [OutsideText(at, prose, said, turn.left_out)] if said or turn.left_out else []
            return [OutsideText(at, origin, code, turn.left_out), *apart_from_it]
        told = f"{turn.text}\n{_str(call.input.get('command'))}" if origin.distance == "far" else turn.text
        return [OutsideText(at, origin, told, turn.left_out)]

    @cached_property
    def outside(self) -> list[int]:
        """Where text came in that others wrote and nobody here looked at. An empty answer is no text."""
        return [one.at for one in self.sources if one.came.distance == "far" and one.text.strip()]

    def is_tainted(self, at: int) -> bool:
        """Whether the assistant may be repeating outside text here."""
        return bool(self.outside) and self.outside[0] <= at

    def taint(
        self, at: int, content: str, *, proven: bool = False, picked: bool = False, besides: int = NOWHERE
    ) -> str:
        """Whose words a conclusion of the assistant may be, decided at this turn; nothing when they are its own.

        After far text all its words are suspect; what commands have `proven` only when it takes something up, and so is
        what the user `picked` in the client's dialogue, with every test that near text has to pass. What the user said
        themselves counts as theirs, whoever said it before. `besides`: the result that a conclusion explains.
        """
        if not (proven or picked) and self.is_tainted(at):
            return next(source.came.why for source in self.sources if source.came.distance == "far")
        before = self.sources[: bisect_right(self.sources, at, key=lambda source: source.at)]
        own = [one for one in before if one.came.distance == "here" or (proven and one.at == besides)]
        ask = _Conclusion(content, self.said_by_user(at), own)
        ask.is_remedy = proven and besides >= 0
        return next((one.came.why for one in before if one.at != besides and ask.takes_up(one, proven=proven)), "")

    def doubt(self, at: int, told: str, *, besides: int = NOWHERE, names: str = "") -> str:
        """Whose words what commands have proven may be, decided at this turn; nothing when they are the session's own.

        What the user typed and what a file of the project declares is own. Anything else has to have been known here
        before far text was read, which spells a command as it likes, and before near text named it. `names`: the
        commands and paths that it also repeats.
        """
        return self._strange_names(set(names_in(f"{told} {names}")), at, besides) or self.taint(
            at, told, proven=True, besides=besides
        )

    def doubt_of_pick(self, at: int, told: str) -> str:
        """Whose words a label may be that the user picked: what is no everyday word has to be known from here."""
        strange = {one for one in names_in(told.replace("`", " ")) if not is_everyday(one)}
        return self._strange_names(strange, at, NOWHERE) or self.taint(at, told, picked=True)

    def _strange_names(self, unsure: set[str], at: int, besides: int) -> str:
        """Whose word a name of these may be that nothing from here vouches for."""
        strange = (self._stranger_of(one, at, besides) for one in self._unvouched(unsure, at))
        return next(filter(None, strange), "")

    def is_vouched(self, told: str, at: int) -> bool:
        """Whether the user typed, or the project's files declare, every uncommon name in the commands of a text."""
        unsure = set(names_in(told))
        return bool(unsure) and not self._unvouched(unsure, at)

    def _unvouched(self, unsure: set[str], at: int) -> set[str]:
        """The names that neither the user typed nor a file of the project declares."""
        declared, paths = self._read_here(at) if unsure else ("", "")
        unsure -= {one for one in unsure if is_named(one.rpartition(" ")[2], declared) or is_named(one, paths)}
        said = self.said_by_user(at) if unsure else ""
        return {one for one in unsure if not is_named(one, said)}

    def _stranger_of(self, name: str, at: int, besides: int) -> str:
        """Whose word the name of a command may be: the first text of others that was read before it was known here."""
        word = name.rpartition(" ")[2]
        for source in self.sources:
            if source.at >= at or source.at == besides or source.came.distance == "here":
                continue
            unseen = source.left_out
            if (
                source.came.distance == "far"
                or is_mentioned(word, source.text)
                or (unseen and unseen.has_command(word))
            ):
                return "" if is_named(name, self._known_before(source.at)) else source.came.why
        return ""

    def _known_before(self, end: int) -> str:
        """What the session did and what code it saw before a turn."""
        called = (turn for turn in self.turns[: max(0, end)] if turn.kind == "tool_call")
        fetching = {self.turns[end].tool_id} if 0 <= end < len(self.turns) else set()
        inputs = (value for turn in called if turn.tool_id not in fetching for value in turn.input.values())
        seen = (one.text for one in self.sources if one.at < end and one.came.distance == "here")
        return "\n".join((*(one for one in inputs if isinstance(one, str)), *seen))

    def _read_here(self, at: int) -> tuple[str, str]:
        """What the project's files say until then that declare commands, and the paths of all that were read.

        Files that the session changed are left out.
        """
        changed = {change.path for change in self.changes}
        files: dict[str, str] = {}
        for turn in self.turns[:at]:
            path = _str(turn.input.get("file_path")) if turn.tool == "Read" else ""
            if path and relative(path, turn.cwd) not in changed:
                files[turn.tool_id] = path
        read = [
            (self.turns[one.at].tool_id, one.text)
            for one in self.sources
            if one.at <= at and one.came.distance != "far" and not self.turns[one.at].failed
        ]
        declared = (text for tool_id, text in read if DECLARES.search(files.get(tool_id, "")))
        return "\n".join(declared), "\n".join(files[tool_id] for tool_id, _ in read if tool_id in files)

    def came(self, at: int) -> Provenance:
        """Where the text of a tool's result comes from."""
        return next((source.came for source in self.sources if source.at == at), HERE)

    def said_by_user(self, at: int) -> str:
        """What the user had typed until then, at the prompt or as an answer of their own."""
        earlier = self.prompts[: bisect_right(self.prompts, at)]
        typed = [own_voice(self.turns[place].text) for place in earlier if not self.turns[place].agent_id]
        return "\n".join([*typed, *(one.answer for one in self.answers if one.is_own and one.at <= at)])

    @cached_property
    def prompts(self) -> list[int]:
        """Where the user spoke."""
        return [at for at, turn in enumerate(self.turns) if turn.kind == "prompt"]

    @cached_property
    def _run_places(self) -> list[int]:
        return [run.at for run in self.runs]

    def next_run(self, at: int) -> Run | None:
        """The first command after this turn and before the user speaks again."""
        later = bisect_right(self._run_places, at)
        run = self.runs[later] if later < len(self.runs) else None
        following = self.next_prompt(at)
        return run if run and (following == at or run.at < following) else None

    def exchange_start(self, at: int) -> int:
        """Where the exchange that contains this turn began: the last prompt at or before it."""
        earlier = bisect_right(self.prompts, at)
        return self.prompts[earlier - 1] if earlier else 0

    def last_reply(self, at: int) -> str:
        """What the assistant had just said before this turn."""
        for place in range(at - 1, max(-1, at - 40), -1):
            if self.turns[place].kind == "reply":
                return self.turns[place].text
            if self.turns[place].kind in ("prompt", "compaction"):
                return ""
        return ""

    def last_prompt(self, at: int) -> str:
        """What the user had said before this turn."""
        earlier = bisect_left(self.prompts, at)
        return self.turns[self.prompts[earlier - 1]].text if earlier else ""

    def around(self, at: int) -> str:
        """What was being talked about: the assistant's last words before the exchange of this turn, and its prompt."""
        start = self.exchange_start(at)
        prompt = self.turns[start]
        return f"{self.last_reply(start)[-600:]} {prompt.text[:900] if prompt.kind == 'prompt' else ''}"

    def next_prompt(self, at: int) -> int:
        """Where the user speaks next, or this turn when they do not."""
        later = bisect_right(self.prompts, at)
        return self.prompts[later] if later < len(self.prompts) else at

    def was_stopped(self, at: int) -> bool:
        """Whether the user had just refused or interrupted something."""
        return any(turn.kind in ("interrupt", "denial") for turn in self.turns[max(0, at - 2) : at])


def texts_to_carry(turns: Sequence[Turn], most: int) -> list[Turn]:
    """What of a session's beginning has to be known later: the texts of others, with the calls that brought them.

    Where that is too much, what was written farthest away stays.
    """
    story = Story(turns)
    ids: dict[str, set[str]] = {"far": set(), "near": set(), "here": set()}
    for source in story.sources:
        if 0 <= source.at < len(story.turns):
            ids[source.came.distance].add(story.turns[source.at].tool_id)
    told = [turn.kind in ("report", "context") for turn in turns]
    far = [is_told or (turn.tool_id and turn.tool_id in ids["far"]) for turn, is_told in zip(turns, told, strict=True)]
    brought = [at for at, turn in enumerate(turns) if far[at] or (turn.tool_id and turn.tool_id in ids["near"])]
    kept = sorted(brought, key=lambda at: (not far[at], -at))[:most]
    return [turns[at] for at in sorted(kept)]


def count_untouched(turns: Sequence[Turn]) -> int:
    """How many turns stand before the first call that brought in text from outside; all of them when none did."""
    story = Story(turns)
    if not story.outside:
        return len(turns)
    if story.outside[0] < 0:
        return 0
    first = story.turns[story.outside[0]]
    calls = (turn for turn in turns if turn.kind == "tool_call" and turn.tool_id and turn.tool_id == first.tool_id)
    begin = next(calls, first).uuid
    return next(at for at, turn in enumerate(turns) if turn.uuid == begin)


def asked_in(turns: Sequence[Turn]) -> frozenset[str]:
    """The calls of the client's own tool that asks the user."""
    return frozenset(turn.tool_id for turn in turns if turn.kind == "tool_call" and turn.tool == "AskUserQuestion")


def _as_believed(turn: Turn, asked: frozenset[str]) -> Turn:
    if turn.kind != "answer" or turn.tool_id in asked:
        return turn
    return msgspec.structs.replace(turn, kind="tool_result", text=f"{turn.text}\n{turn.input}", input={})


def _answers(at: int, turn: Turn) -> Iterator[Answer]:
    answers, options = turn.input.get("answers"), turn.input.get("options")
    for question, answer in answers.items() if isinstance(answers, dict) else ():
        offered = options.get(question) if isinstance(options, dict) else None
        labels = tuple(one.strip() for one in offered if isinstance(one, str)) if isinstance(offered, list) else ()
        if isinstance(answer, str) and answer.strip():
            picked = {part.strip().lower() for part in (answer, *answer.split(","))}
            yield Answer(at, question.strip(), answer.strip(), labels, picked.isdisjoint(one.lower() for one in labels))


_Item = TypeVar("_Item")


def _between(items: Sequence[_Item], start: int, end: int, place: Callable[[_Item], int]) -> tuple[_Item, ...]:
    """The items, which are in order, that stand from one turn on and before another."""
    return tuple(items[bisect_left(items, start, key=place) : bisect_left(items, end, key=place)])


@lru_cache(maxsize=4096)
def core(command: str) -> str:
    """A command without changes of directory, activation, redirections and filters of its output."""
    command = command.strip().split("\n")[0]
    for _ in range(3):
        command = _CHANGE_DIR.sub("", command)
    command = _FILTERS.sub(" ", command)
    return re.sub(r"\s+", " ", command).strip().rstrip("&;|)… ").strip()


def folder_of(command: str, cwd: str, root: str) -> str | None:
    """The folder below a session's own in which a command ran: empty in that folder itself, None anywhere else."""
    place = cwd
    while found := _CHANGE_DIR.match(command):
        place = posixpath.join(place, found[1].strip("'\""))
        command = command[found.end() :]
    place = posixpath.normpath(place) if place else ""
    base = (root or cwd).rstrip("/")
    if place in (base, "."):
        return ""
    below = place[len(base) + 1 :] if base and place.startswith(f"{base}/") else place
    return below if _FOLDER.fullmatch(below) and not below.startswith("..") else None


def relative(path: str, cwd: str) -> str:
    """A path without the marks around it, from the working directory on where it lies in it."""
    path = path.rstrip(".,;:")
    if cwd and path.startswith(cwd.rstrip("/") + "/"):
        return path[len(cwd.rstrip("/")) + 1 :]
    return path.removeprefix("./")


def _of_attached(turn: Turn) -> Provenance:
    return attachment_source(str(turn.input.get("from")), turn.input.get("file_path"), turn.cwd)


# What stands between letters and is not seen.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)


def _without_hidden(source: OutsideText) -> OutsideText:
    return source if source.text.isascii() else source._replace(text=_HIDDEN.sub("", source.text))


def _writes(left_out: LeftOut | None, name: str) -> bool:
    return left_out is not None and left_out.has_name(name, in_code=True) and not left_out.has_name(name, in_code=False)


def _str(value: object) -> str:
    return value if isinstance(value, str) else ""


@lru_cache(maxsize=2048)
def _words(text: str) -> frozenset[str]:
    """The telling words of a text, names in parts: a host may be cut in the middle."""
    return frozenset(tokens(plain(text)))


_CLIENT_ERROR = "<tool_use_error>"
_CLAUSES = re.compile(r"[.,;:!?—](?=\s)|\b(?:because|since|so|but|weil|denn|aber|car|mais|porque|pero)\b")


class _Conclusion:
    """A sentence of the assistant, and what of it only somebody else can have said."""

    def __init__(self, content: str, said: str, known: Sequence[OutsideText]):
        """`said` are the user's words so far, `known` what the code shows: its names are not from elsewhere."""
        self.content = content
        self.said = plain(said)
        self.hosts = hosts(content) - hosts(said)
        self.telling = {one for one in telling(content) if one not in said.lower()}
        self.names = (names_in_commands(content) | uncommon(content)) - set(self.said.split())
        self.names -= set(plain(" ".join(source.text for source in known)).split()) if self.names else set()
        self.names -= {one for one in self.names if any(_writes(source.left_out, one) for source in known)}
        self.words = _words(content) - _words(said)
        mine = set(words_of(said))
        self.stems = set(words_of(content)) - mine
        self.clauses = [words for one in _CLAUSES.split(content) if len(words := set(words_of(one)) - mine) >= FEWEST]
        self.is_remedy = False
        self.is_order = bool(ORDERS.search(content.lower()))
        self.is_foreign = is_other_script(content)

    def takes_up(self, source: OutsideText, *, proven: bool) -> bool:
        """Whether the sentence says what it cannot know but from this source."""
        if source.left_out and self._takes_up_unseen(source.came, source.left_out, proven=proven):
            return True
        if any(host in source.text.lower() for host in self.hosts):
            return True
        if source.came.distance == "here":
            return not proven and self._quotes(source.text)
        if source.came is MESSAGE and proven:
            # what a program says of its own error is what a fix is made from, but not what another one says
            return self.is_remedy and bool(self.names & set(plain(source.text).split()))
        if any(one in source.text.lower() for one in self.telling) or self.names & set(plain(source.text).split()):
            return True
        if proven:
            return False
        if is_other_script(source.text) and not self.is_foreign:
            return True  # a translation shares no words
        if self._quotes(source.text):
            return True
        if source.came in (MESSAGE, COMMENT):
            return False
        told = _words(source.text)
        if any(len(clause & told) >= max(FEWEST, SHARED_APART * len(clause)) for clause in self.clauses):
            return True
        return len(self.words) >= FEWEST and len(self.words & told) >= SHARED * len(self.words)

    def _takes_up_unseen(self, came: Provenance, unseen: LeftOut, *, proven: bool) -> bool:
        """The same of what was not kept, of which only the words are known and not their order."""
        if any(map(unseen.has_host, self.hosts)):
            return True
        if came.distance == "here" or (came is MESSAGE and proven):
            return False
        is_apart = came in (MESSAGE, COMMENT)
        if any(map(unseen.has_command, self.telling)) or any(
            unseen.has_name(one, in_code=not is_apart) for one in self.names
        ):
            return True
        if proven:
            return False
        if unseen.is_other_script and not self.is_foreign:
            return True
        if any(unseen.shares(clause, SHARED_APART) for clause in self.clauses):
            return True
        return not is_apart and unseen.shares(self.stems, SHARED)

    def _quotes(self, text: str) -> bool:
        length = QUOTED_ORDER if self.is_order else QUOTED
        told = plain(text)
        return any(row in told and row not in self.said for row in rows(self.content, length))
