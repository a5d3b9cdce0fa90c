"""Signals of which files a session opens, changes and leaves alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from nous.core.session import Story
from nous.core.sighting import Sighting
from nous.core.signals.seen import CONFIG, MOST, calls, command_of, is_edit, is_read, short

EARLY = 12  # calls of a session that count as its beginning
TOGETHER = 10  # changed files of a session that are looked at in pairs
UNOPENED = 10  # names in a listing before it says something that few were opened
CHASE = 3  # reads in a row, each named by the one before
_IMPORTS = re.compile(
    r"^[ \t]{0,80}(?:\d{1,7}→)?[ \t]{0,80}"
    r"(?:import\b|from\b|require\(|use\b|include\b|#include|alias\b|@import)[^\n]{0,200}",
    re.M,
)


def file_access(story: Story) -> Iterator[Sighting]:
    """A file that a session opens among the first things it does."""
    seen: set[str] = set()
    for call in calls(story)[:EARLY]:
        if is_read(call) and call.file not in seen:
            seen.add(call.file)
            yield Sighting("file_access", call.file, call.file, (call.turn.uuid,))


def co_access(story: Story) -> Iterator[Sighting]:
    """Two files that one session changes."""
    changed = {call.file: call.turn.uuid for call in calls(story) if is_edit(call)}
    for one, other in combinations(sorted(changed)[:TOGETHER], 2):
        yield Sighting("co_access", f"{one}\n{other}", f"{one} and {other}", (changed[one], changed[other]))


def backtrack(story: Story) -> Iterator[Sighting]:
    """An edit that a later one takes back, or a file that git puts back as it was."""
    changes = [change for change in story.changes if change.old.strip() and change.new.strip()]
    for at, first in enumerate(changes):
        undone = next(
            (one for one in changes[at + 1 :] if (one.path, one.old, one.new) == (first.path, first.new, first.old)),
            None,
        )
        if undone:
            yield Sighting("backtrack", first.path, short(first.new), (story.turns[undone.at].uuid,))
    for run in story.runs:
        found = re.search(r"\bgit (?:checkout --|restore)(?: --\S+)* ([\w./-]+\.\w+)", run.command)
        if found and not run.failed:
            yield Sighting("backtrack", found[1], "put back with git", (story.turns[run.at].uuid,))


def read_abandon(story: Story) -> Iterator[Sighting]:
    """A file that was read and then neither changed nor named again."""
    done = calls(story)
    told = "\n".join(turn.text for turn in story.turns if turn.kind in ("reply", "report"))
    used = {call.file for call in done if is_edit(call)} | {
        command for call in done if (command := command_of(call.turn))
    }
    commands = "\n".join(used)
    for file in dict.fromkeys(call.file for call in done if is_read(call)):
        name = file.rsplit("/", 1)[-1]
        if file not in used and name not in told and name not in commands:
            record = next(call.turn.uuid for call in done if call.file == file)
            yield Sighting("read_abandon", file, file, (record,))


def glob_ignore(story: Story) -> Iterator[Sighting]:
    """A listing of many files of which hardly any was opened."""
    done = calls(story)
    for call in done:
        pattern = call.turn.input.get("pattern")
        listed = call.result.files if call.result else ()
        if call.turn.tool != "Glob" or not isinstance(pattern, str) or len(listed) < UNOPENED:
            continue
        opened = sum(
            any(name.endswith(other.file) for name in listed) for other in done if other.at > call.at and other.file
        )
        if opened * 10 <= len(listed):
            yield Sighting("glob_ignore", pattern, f"{pattern} lists {len(listed)} files", (call.turn.uuid,))


def import_chase(story: Story) -> Iterator[Sighting]:
    """Reads that follow imports from file to file."""
    chain: list[tuple[str, str]] = []
    before = ""
    for call in (one for one in calls(story) if is_read(one)):
        stem = call.file.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        named = bool(before) and len(stem) > 2 and any(stem in line for line in _IMPORTS.findall(before))
        chain = [*chain, (call.file, call.turn.uuid)] if named else [(call.file, call.turn.uuid)]
        before = call.result.text if call.result else ""
        if len(chain) >= CHASE:
            yield Sighting(
                "import_chase",
                f"{chain[0][0]}\n{chain[-1][0]}",
                " → ".join(one for one, _ in chain),
                tuple(u for _, u in chain),
            )


def config_touch(story: Story) -> Iterator[Sighting]:
    """A settings file that is changed together with two other files or more."""
    changed = dict.fromkeys(change.path for change in story.changes)
    others = [path for path in changed if not CONFIG.search(path)]
    if len(others) < 2:
        return
    for path in list(changed)[:MOST]:
        if CONFIG.search(path):
            record = next(story.turns[change.at].uuid for change in story.changes if change.path == path)
            yield Sighting("config_touch", path, short(f"{path} with {', '.join(others[:4])}"), (record,))
