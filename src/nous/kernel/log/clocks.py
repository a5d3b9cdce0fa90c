"""Vector clocks: who knew what when a learning was made.

A clock maps session ids to positive counters. A missing clock is `{}`. At most 64 sessions are kept: a session's own
and the 63 it observed last. In memory a clock lists its sessions in the order in which they were observed; stored JSON
has sorted keys, so the store puts them back in order when it reads one (see `Events.known_to`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

MAX_KEYS = 64

Clock = Mapping[str, int]
Order = Literal["equal", "before", "after", "concurrent"]

_canonical = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder(dict[str, int]).decode


def merge(a: Clock, b: Clock) -> dict[str, int]:
    """What somebody knows who has seen both: the larger counter of each session. `b` counts as observed later."""
    older = {session: count for session, count in a.items() if session not in b}
    return older | {session: max(count, a.get(session, 0)) for session, count in b.items()}


def subsume(clock: Clock, seen: Iterable[Clock]) -> dict[str, int]:
    """What a session knows after it was given memories with these clocks, in this order."""
    known = dict(clock)
    for other in seen:
        known = merge(known, other)
    return known


def tick(clock: Clock, session_id: str) -> dict[str, int]:
    """The clock after one more learning of a session: only its own counter rises, by one."""
    counted = {session: count for session, count in clock.items() if session != session_id}
    return bound_clock({**counted, session_id: clock.get(session_id, 0) + 1}, session_id)


def bound_clock(clock: Clock, session_id: str) -> dict[str, int]:
    """The session's own key and the 63 others that were observed last."""
    peers = [session for session in clock if session != session_id][-(MAX_KEYS - 1) :]
    kept = {session: clock[session] for session in peers}
    return {**kept, session_id: clock[session_id]} if session_id in clock else kept


def compare(a: Clock, b: Clock) -> Order:
    """How two clocks stand to each other; `concurrent` means that neither could know of the other."""
    ahead = any(count > b.get(session, 0) for session, count in a.items())
    behind = any(count > a.get(session, 0) for session, count in b.items())
    if ahead and behind:
        return "concurrent"
    return "after" if ahead else "before" if behind else "equal"


def canonical(clock: Clock) -> str:
    """The clock as JSON with sorted keys."""
    return _canonical(clock).decode()


def parse(stored: str | None) -> dict[str, int]:
    """A clock from its JSON; nothing is an empty clock."""
    return _decode(stored) if stored else {}
