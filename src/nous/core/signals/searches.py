"""Signals of what a session looks for, and where else it looks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from nous.core.session import Story
from nous.core.sighting import Sighting
from nous.core.signals.seen import PLAIN, calls, command_of

AGAIN = 3  # times the same pattern is searched for
STEPS = 3  # commands of a sequence
_EVERYWHERE = re.compile(
    r"(?:git|gh|curl|ssh|export|kill|pkill|rm|cp|mv|chmod|node|python3?|entire|test)(?: |$)|[A-Z]\w+-\w+"
)


def repeated_grep(story: Story) -> Iterator[Sighting]:
    """A pattern that is searched for again and again."""
    patterns = [(call.turn.input.get("pattern"), call.turn.uuid) for call in calls(story) if call.turn.tool == "Grep"]
    times = Counter(pattern for pattern, _ in patterns if isinstance(pattern, str))
    for pattern, count in times.items():
        if count >= AGAIN and 3 <= len(pattern) <= 120:
            records = tuple(uuid for one, uuid in patterns if one == pattern)[:4]
            yield Sighting("repeated_grep", pattern, f"`{pattern}` {count} times", records)


def external_reference(story: Story) -> Iterator[Sighting]:
    """A page outside that is fetched."""
    for call in calls(story):
        url = call.turn.input.get("url")
        if (
            isinstance(url, str)
            and url.startswith("http")
            and call.turn.tool == "WebFetch"
            and call.result
            and not call.result.failed
        ):
            page = url.split("#")[0].split("?")[0].rstrip("/")
            yield Sighting("external_reference", page, page, (call.turn.uuid,))


def tool_sequence(story: Story) -> Iterator[Sighting]:
    """Commands that pass one after the other."""
    told: set[str] = set()
    runs = [run for run in story.runs if not run.failed]
    steps = [
        (command, run) for run in runs if (command := command_of(story.turns[run.at])) and not PLAIN.match(command)
    ]
    for at in range(len(steps) - STEPS + 1):
        window = steps[at : at + STEPS]
        names = [_head(command) for command, _ in window]
        subject = "\n".join(names)
        if len(set(names)) == STEPS and subject not in told and sum(map(_is_own, names)) >= 2:
            told.add(subject)
            yield Sighting(
                "tool_sequence", subject, " → ".join(names), tuple(story.turns[run.done].uuid for _, run in window)
            )


def _is_own(name: str) -> bool:
    """Whether a command is one of the project's own, not one that every project has."""
    return bool(name) and not _EVERYWHERE.match(name)


def _head(command: str) -> str:
    """A command without its arguments: the program and what it is told to do."""
    words = command.split()
    keep = (
        3
        if words[0] in ("npm", "pnpm", "yarn", "bun", "docker", "uv", "python", "python3", "npx", "cargo", "mix")
        else 2
    )
    return " ".join(word for word in words[:keep] if not re.match(r"[-'\"$<>(]", word))[:60]
