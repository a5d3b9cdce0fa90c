"""One session as a learner needs it: who spoke before whom, what was run and how it ended, what came from outside."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import msgspec

from nous.core.extraction import Learning
from nous.core.extractor import cues, names
from nous.core.extractor.sentences import finish, spoken
from nous.core.extractor.triples import triples
from nous.core.transcript import Turn


class Draft(NamedTuple):
    """A learning and the place in the session of the turn that decided it."""

    at: int
    learning: Learning


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


_OUTSIDE = re.compile(r"^(?:WebFetch|WebSearch|mcp__.*|web_search|web_fetch|Fetch)$")
_THIRD_PARTY = re.compile(
    r"(?:^|/)(?:node_modules|site-packages|vendor|third_party|\.venv|venv|dist-packages|\.cargo/registry|go/pkg/mod)/"
)
_FETCH = re.compile(
    r"\b(?:curl|wget|lynx|http) [^|;&\n]*https?://(?!localhost|127\.0\.0\.1|\[::1\])|\bgh (?:issue|pr) view\b"
)
_ERROR_TEXT = re.compile(r"^(?:Error: |Exit code [1-9])|command not found|Traceback \(most recent call last\)", re.M)


@dataclass(frozen=True)
class Story:
    """The turns of one session file, with the look-ups that several learners share."""

    turns: Sequence[Turn]

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
            if (
                turn.kind != "tool_call"
                or turn.tool not in ("Edit", "Write", "MultiEdit", "NotebookEdit")
                or not isinstance(path, str)
            ):
                continue
            done = self.results.get(turn.tool_id, -1)
            if done > at and (self.turns[done].failed or self.turns[done].kind == "denial"):
                continue
            old, new = turn.input.get("old_string"), turn.input.get("new_string") or turn.input.get("content")
            found.append(Change(at, names.relative(path, turn.cwd), _str(old), _str(new)))
        return found

    @cached_property
    def outside(self) -> list[int]:
        """Where text from the web, from MCP servers or from third-party files came in."""
        where: list[int] = []
        for at, turn in enumerate(self.turns):
            if turn.kind == "tool_call" and _is_outside(turn):
                where.append(self.results.get(turn.tool_id, at))
        return where

    def is_tainted(self, at: int) -> bool:
        """Whether the assistant may be repeating outside text here."""
        return bool(self.outside) and min(self.outside) <= at

    @cached_property
    def prompts(self) -> list[int]:
        """Where the user spoke."""
        return [at for at, turn in enumerate(self.turns) if turn.kind == "prompt"]

    @cached_property
    def _run_places(self) -> list[int]:
        return [run.at for run in self.runs]

    def was_corrected(self, run: Run) -> bool:
        """Whether the user's next words refused this command, the last that was run before them."""
        later = bisect_right(self.prompts, run.done)
        if later == len(self.prompts):
            return False
        following = self.prompts[later]
        if bisect_right(self._run_places, following) > bisect_right(self._run_places, run.done):
            return False
        return any(cues.CORRECTION.search(one.masked) for one in spoken(self.turns[following].text)[:1])

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

    def was_asked(self, at: int) -> bool:
        """Whether the assistant's last words before this turn may have been a question."""
        end = self.last_reply(at)[-200:]
        return "?" in end or "？" in end

    def last_prompt(self, at: int) -> str:
        """What the user had said before this turn."""
        earlier = bisect_left(self.prompts, at)
        return self.turns[self.prompts[earlier - 1]].text if earlier else ""

    def acted_before(self, at: int) -> bool:
        """Whether the assistant had done or said something since the user last spoke."""
        return at > 0 and self.turns[at - 1].kind not in ("prompt", "compaction")

    def reaction_at(self, at: int) -> int:
        """Where the assistant first answers this prompt in words; -1 when it does not."""
        for place in range(at + 1, min(at + 6, len(self.turns))):
            kind = self.turns[place].kind
            if kind == "reply":
                return place
            if kind in ("prompt", "compaction", "tool_call"):
                return -1
        return -1

    def reaction(self, at: int) -> str:
        """The assistant's first words after this prompt, before it does anything."""
        place = self.reaction_at(at)
        return self.turns[place].text if place >= 0 else ""

    def is_talk(self, at: int) -> bool:
        """Whether nothing was done between this prompt and the next one."""
        for turn in self.turns[at + 1 : at + 12]:
            if turn.kind == "prompt":
                return True
            if turn.kind == "tool_call":
                return False
        return True

    def around(self, at: int) -> str:
        """What was being talked about: the assistant's last words before the exchange of this turn, and its prompt."""
        start = self.exchange_start(at)
        prompt = self.turns[start]
        return f"{self.last_reply(start)[-600:]} {prompt.text[:900] if prompt.kind == 'prompt' else ''}"

    def next_prompt(self, at: int) -> int:
        """Where the user speaks next, or this turn when they do not."""
        later = bisect_right(self.prompts, at)
        return self.prompts[later] if later < len(self.prompts) else at

    def is_closed(self, at: int) -> bool:
        """Whether the user has spoken again since, so that nothing more will be done for this prompt."""
        return bool(self.prompts) and self.prompts[-1] > at

    def was_stopped(self, at: int) -> bool:
        """Whether the user had just refused or interrupted something."""
        return any(turn.kind in ("interrupt", "denial") for turn in self.turns[max(0, at - 2) : at])


def _str(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_outside(turn: Turn) -> bool:
    if _OUTSIDE.match(turn.tool):
        return True
    if turn.tool == "Bash":
        return bool(_FETCH.search(_str(turn.input.get("command"))))
    path = _str(turn.input.get("file_path"))
    return turn.tool == "Read" and bool(_THIRD_PARTY.search(path))


def learn(story: Story, index: int, content: str, kind: str, confidence: float, **fields: object) -> Draft:
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
    return Draft(index, msgspec.structs.replace(learning, **fields) if fields else learning)
