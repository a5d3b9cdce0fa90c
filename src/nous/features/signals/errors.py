"""Signals of what fails, and of what ends it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nous.features.signals.seen import CONFIG, PLAIN, short
from nous.kernel.capture.session import Run, Story, core
from nous.kernel.log.sighting import Sighting
from nous.language.fingerprints import error_lines, fingerprints

MENDED = 2  # settings files whose change ended an error; more is a piece of work
SOON = 6  # commands after a failure among which another way is looked for
_WORD = re.compile(r"[\w./:@-]+")
_FOUND = re.compile(
    r"\b[1-9]\d{0,5} (?:failed|failing|errors?|problems?|warnings?)\b|\bscript \S{1,40} exited with code\b", re.I
)


def error_retry(story: Story) -> Iterator[Sighting]:
    """An error that ended within the session, with what ended it: another command, or an edit."""
    for place, failed in enumerate(story.runs):
        marks = fingerprints(failed.output) if failed.failed else ()
        if not marks:
            continue
        error = next(iter(error_lines(failed.output)), "")
        if PLAIN.match(core(failed.command)) or is_finding(failed.output):
            continue
        records = (story.turns[failed.done].uuid,)
        other = other_way(story, place)
        if other and wrapper_of(core(failed.command), core(other.command)):
            continue  # told as another command
        if other:
            said = f"`{core(failed.command)}` fails ({short(error)[:110]}); `{core(other.command)}` works"
            yield Sighting("error_retry", marks[0], short(said), (*records, story.turns[other.done].uuid))
        elif mended := _mended_files(story, failed):
            said = f"{short(error)[:130]}: {mended}"
            yield Sighting("error_retry", marks[0], short(said), records)


def wrapper_of(wrong: str, right: str) -> str:
    """The program that a command was run through in vain, when it works without it; nothing for any other change."""
    wrapper, _, rest = wrong.partition(" ")
    return wrapper if rest == right and re.fullmatch(r"[\w.-]{2,30}", wrapper) else ""


def is_finding(output: str) -> bool:
    """Whether a check failed because it found something, and not because it was run the wrong way."""
    return bool(_FOUND.search(output[-4000:]))


def command_variant(failed: str, works: str) -> bool:
    """Whether two commands want the same in different ways: they share most words and differ in what runs them."""
    mine, theirs = _WORD.findall(failed), _WORD.findall(works)
    shared = [word for word in mine if word in theirs]
    if mine == theirs or len(shared) < 2 or len(shared) * 2 < max(len(mine), len(theirs)):
        return False
    is_longer = mine[:2] == theirs[:2] and (failed.startswith(works) or works.startswith(failed))
    return mine[-1] == theirs[-1] or (is_longer and "&&" not in works)


def other_way(story: Story, place: int) -> Run | None:
    """The command soon after a failed one that does the same in another way and passes, when nothing was edited."""
    failed = story.runs[place]
    for later in story.runs[place + 1 : place + 1 + SOON]:
        if any(failed.done < change.at < later.at for change in story.changes):
            return None
        works = core(later.command)
        if not later.failed and not PLAIN.match(works) and command_variant(core(failed.command), works):
            return later
    return None


def _mended_files(story: Story, failed: Run) -> str:
    """The files whose change made the same command pass."""
    found = next((one for one in story.failures if one.run is failed or one.run == failed), None)
    files = dict.fromkeys(change.path for change in found.changes) if found and found.passed else {}
    if not files or len(files) > MENDED or not all(CONFIG.search(path) for path in files):
        return ""
    return f"ended by a change of {', '.join(files)}"
