"""Where a session stands just before its context is cut, kept for the moment after."""

from __future__ import annotations

import msgspec

from nous.identity import SESSIONS, session_key
from nous.kernel.capture.transcript import Turn
from nous.kernel.stores import Stores

MOST_TURNS = 600

_turns = msgspec.json.Decoder(list[Turn])


def snapshot(stores: Stores, path: str, session_id: str, now: str) -> tuple[str, ...]:
    """The lines that were kept for a session: its goal, files it changed, what is open, what failed last."""
    from nous.features.rules_reader.state import standing  # its patterns take a third of a second to compile

    waiting = (_turns.decode(said) for said in stores.queue.unread(path) if said.startswith("["))
    turns = [*stores.transcripts.turns(session_id), *(turn for unit in waiting for turn in unit)]
    lines = standing([turn for turn in turns if not turn.agent_id][-MOST_TURNS:])
    if lines:
        stores.cache.put(session_key(session_id), SESSIONS, "", msgspec.json.encode(lines).decode(), 0, now)
    return lines
