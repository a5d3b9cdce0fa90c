"""What an agent found out and an outcome confirmed: the command that works here (C11)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from nous.features.signals.errors import is_finding, other_way, wrapper_of
from nous.features.signals.seen import PLAIN, short
from nous.kernel.capture.session import Story, core
from nous.kernel.log.sighting import Sighting
from nous.language.fingerprints import error_lines

_TOLD = re.compile(r"`([^`\n]{6,100})`")
_FENCED = re.compile(r"```(?:bash|sh|shell|console|zsh)\n(.{1,2000}?)```", re.S)
# The last name of an environment's folder, and what of it a command runs.
_ENVIRONMENT = re.compile(r"\.?(?:[\w-]{1,20}[-_])?v?env|(?:micro|mini)?(?:mamba|conda)\d?")
_RUNNABLE = re.compile(r"(?:python|pip|pytest)[\d.]{0,5}|activate")
LONGEST = 90


def interpreter(story: Story) -> Iterator[Sighting]:
    """A command of the project that is run with the Python of an environment, by the agent or in what it says."""
    for run in story.runs:
        if not run.failed:
            yield from _environments([run.command], story.turns[run.done].uuid, is_run=True)
    for turn in story.turns:
        if turn.kind == "reply" and ("env/" in turn.text or "mamba/" in turn.text or "conda" in turn.text):
            yield from _environments(_commands_in(turn.text), turn.uuid, is_run=False)


def _environments(commands: Iterable[str], record: str, *, is_run: bool) -> Iterator[Sighting]:
    """Each command that uses one; what turns one on is often only quoted from a guide, so it has to have been run."""
    for command in commands:
        said = _clip_command(core(command))
        name, what = next(filter(None, map(_environment_of, said.split())), ("", ""))
        if name and (is_run or what != "activate"):
            yield Sighting("interpreter", name, f"`{said}`", (record,))


def _environment_of(word: str) -> tuple[str, str] | None:
    """The name of an environment and what of it is run, when a word of a command is such a path."""
    *_, home, folder, what = ("", "", *word.strip("'\"").split("/"))
    is_path = folder in ("bin", "Scripts") and _ENVIRONMENT.fullmatch(home) and _RUNNABLE.fullmatch(what)
    return (home.strip("."), what) if is_path else None


def _clip_command(command: str) -> str:
    """As many words of a command as make a short one."""
    return command if len(command) <= LONGEST else command[: LONGEST + 1].rsplit(" ", 1)[0]


def _commands_in(reply: str) -> list[str]:
    """What stands in a reply as a command: between code marks, or on a line of a block for the shell."""
    fenced = [line for block in _FENCED.findall(reply) for line in block.splitlines()]
    return [said.strip().removeprefix("$ ") for said in (*_TOLD.findall(reply), *fenced)]


def other_command(story: Story) -> Iterator[Sighting]:
    """A command that fails here, and the one that does the same and works."""
    for place, failed in enumerate(story.runs):
        wrong = core(failed.command)
        works = other_way(story, place) if failed.failed and not PLAIN.match(wrong) else None
        if works and len(wrong) <= LONGEST and not is_finding(failed.output):
            right = core(works.command)
            records = (story.turns[failed.done].uuid, story.turns[works.done].uuid)
            said = f"`{wrong}`\n`{right}`"
            if wrapper := wrapper_of(wrong, right):
                said += f"\n{reason_of(failed.output)}\n{' '.join(_works_for(story, wrapper))}"
            yield Sighting("other_command", _start(wrong, right), said, records)


def reason_of(output: str) -> str:
    """What an output says went wrong, in one short line."""
    return short(next(iter(error_lines(output)), "")).removeprefix("error: ")[:80]


def _works_for(story: Story, wrapper: str) -> list[str]:
    """The programs that passed through a wrapper in this session."""
    passed = (core(run.command).split() for run in story.runs if not run.failed)
    return sorted({words[1] for words in passed if len(words) > 1 and words[0] == wrapper and words[1].isalpha()})[:4]


def _start(wrong: str, right: str) -> str:
    """What tells one way of failing from another: the words that the working command does not have."""
    words = [word for word in wrong.split() if word not in right.split()]
    return " ".join(words)[:LONGEST] or wrong
