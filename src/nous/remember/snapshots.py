"""Where a session stands just before its context is cut or while it rests, kept for the moment after."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from nous.core.phases import phase_of
from nous.core.session import Story
from nous.core.transcript import Turn
from nous.identity import SESSIONS, phase_key, session_key
from nous.stores import Stores

MOST_TURNS = 600

_turns = msgspec.json.Decoder(list[Turn])


def snapshot(stores: Stores, path: str, session_id: str, now: str) -> tuple[str, ...]:
    """The lines that were kept for a session: its goal, files it changed, what is open, what failed last."""
    from nous.core.extractor.state import standing  # its patterns take a third of a second to compile

    waiting = (_turns.decode(said) for said in stores.queue.unread(path) if said.startswith("["))
    turns = [*stores.transcripts.turns(session_id), *(turn for unit in waiting for turn in unit)]
    lines = standing([turn for turn in turns if not turn.agent_id][-MOST_TURNS:])
    keep_phase(stores, session_id, turns, now)
    if lines:
        stores.cache.put(session_key(session_id), SESSIONS, "", msgspec.json.encode(lines).decode(), 0, now)
    return lines


def keep_phase(stores: Stores, session_id: str, turns: Sequence[Turn], now: str) -> None:
    """Keep what a session is doing, for the packet with which it goes on."""
    phase = phase_of(Story([turn for turn in turns if not turn.agent_id]))
    if phase:
        stores.cache.put(phase_key(session_id), SESSIONS, "", msgspec.json.encode(phase).decode(), 0, now)
