"""Signals of what a session looks for, and where else it looks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from nous.core.session import Story
from nous.core.sighting import Sighting
from nous.core.signals.seen import calls

AGAIN = 3  # times the same pattern is searched for


def repeated_grep(story: Story) -> Iterator[Sighting]:
    """A pattern that is searched for again and again."""
    patterns = [(call.turn.input.get("pattern"), call.turn.uuid) for call in calls(story) if call.turn.tool == "Grep"]
    times = Counter(pattern for pattern, _ in patterns if isinstance(pattern, str))
    for pattern, count in times.items():
        if count >= AGAIN and 3 <= len(pattern) <= 120:
            records = tuple(uuid for one, uuid in patterns if one == pattern)[:4]
            yield Sighting("repeated_grep", pattern, f"`{pattern}` {count} times", records)
