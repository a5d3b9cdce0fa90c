"""Signals of which files a session opens, changes and leaves alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from nous.core.session import Story
from nous.core.sighting import Sighting
from nous.core.signals.seen import calls, is_edit

TOGETHER = 10  # changed files of a session that are looked at in pairs


def co_access(story: Story) -> Iterator[Sighting]:
    """Two files that one session changes."""
    changed = {call.file: call.turn.uuid for call in calls(story) if is_edit(call)}
    for one, other in combinations(sorted(changed)[:TOGETHER], 2):
        yield Sighting("co_access", f"{one}\n{other}", f"{one} and {other}", (changed[one], changed[other]))
