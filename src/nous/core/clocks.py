"""Vector clocks: who knew what when a learning was made.

A clock maps session ids to positive counters. A missing clock is `{}`. At most 64 sessions are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

MAX_KEYS = 64

Clock = Mapping[str, int]
Order = Literal["equal", "before", "after", "concurrent"]

_canonical = msgspec.json.Encoder(order="sorted").encode


def merge(a: Clock, b: Clock) -> dict[str, int]:
    """What somebody knows who has seen both: the larger counter of each session."""
    return {key: max(a.get(key, 0), b.get(key, 0)) for key in (*a, *(key for key in b if key not in a))}


def tick(clock: Clock, session_id: str) -> dict[str, int]:
    """The clock after one more learning of a session, which counts as the most recently observed."""
    counted = {key: count for key, count in clock.items() if key != session_id}
    return bounded({**counted, session_id: clock.get(session_id, 0) + 1}, session_id)


def bounded(clock: Clock, session_id: str) -> dict[str, int]:
    """The session's own key and the 63 that were observed last (a clock lists its keys in order of observation)."""
    peers = [key for key in clock if key != session_id][-(MAX_KEYS - 1) :]
    kept = {key: clock[key] for key in peers}
    return {**kept, session_id: clock[session_id]} if session_id in clock else kept


def compare(a: Clock, b: Clock) -> Order:
    """How two clocks stand to each other; `concurrent` means that neither could know of the other."""
    ahead = any(count > b.get(key, 0) for key, count in a.items())
    behind = any(count > a.get(key, 0) for key, count in b.items())
    if ahead and behind:
        return "concurrent"
    return "after" if ahead else "before" if behind else "equal"


def canonical(clock: Clock) -> str:
    """The clock as JSON with sorted keys."""
    return _canonical(clock).decode()
