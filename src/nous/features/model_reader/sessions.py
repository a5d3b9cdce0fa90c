"""Which session a model reads next, and how much of it at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from nous.kernel.capture.transcript import USER_KINDS, Turn
from nous.kernel.stores import Row
from nous.moments import later
from nous.providers.budget import PROMPT, PURPOSE, QUIET_SECONDS
from nous.providers.ledger import Ledger, Read
from nous.providers.prompts import load

if TYPE_CHECKING:
    from nous.kernel.stores import Transcripts

LOOK_BACK_SECONDS = 7 * 86400.0  # older sessions are read only when somebody asks for it
RIPE_CHARACTERS = 120_000  # what has said so much need not be quiet; one call for much costs less than many for little
BATCH_CHARACTERS = 400_000  # that one call may be about; it is shown much less
CLEAN_CHARACTERS = 4_000  # so much before the first text from outside is worth a call of its own
ATTEMPTS = 2  # a session that was answered badly is sent once more, then left to the rules
BUSY_SECONDS = 900.0
EVER = "0000"  # before any moment

_turns = msgspec.json.Decoder(list[Turn])


class Portion(NamedTuple):
    """A stretch of one session that is read at once; `is_cut`: it goes on.

    `earlier` is what came before it: nobody is shown it again, but what it brought in from outside still counts.
    `waiting`: characters of the session that nobody has read, of which it may be the first part.
    """

    session_id: str
    project_id: str
    turns: list[Turn]
    is_cut: bool = False
    earlier: Sequence[Turn] = ()
    waiting: int = 0

    @property
    def so_far(self) -> list[Turn]:
        """The session until its end."""
        return [*self.earlier, *self.turns]

    @property
    def read(self) -> Read:
        """How far it goes."""
        latest = max((turn.at for turn in self.turns), default="")
        return Read(self.session_id, self.turns[-1].uuid if self.turns else "", latest)


class SessionChoice(NamedTuple):
    """Which sessions are meant: one, those of a project, those that went on since a moment; how long they must rest."""

    since: str | None = None
    quiet_seconds: float = QUIET_SECONDS
    project_id: str | None = None
    session_id: str | None = None
    whole: bool = False  # recorded readings are of whole sessions
    excluded: frozenset[str] = frozenset()  # projects whose words are sent to no model


def choose_sessions(
    *,
    at_once: bool = False,
    since: str | None = None,
    project_id: str | None = None,
    session_id: str | None = None,
    excluded: frozenset[str] = frozenset(),
) -> SessionChoice:
    """Which sessions somebody wants read; `at_once`: also those that are still going on."""
    return SessionChoice(since, 0.0 if at_once else QUIET_SECONDS, project_id, session_id, excluded=excluded)


def next_portion(
    ledger: Ledger, transcripts: Transcripts, now: str, wanted: SessionChoice = SessionChoice()
) -> Portion | None:
    """The oldest session that has come to rest or has said enough; what nobody spoke in is passed over."""
    for row in waiting(ledger, now, wanted):
        portion = _portion(ledger, transcripts, row, wanted.whole)
        ripe = portion.waiting >= RIPE_CHARACTERS and not wanted.whole
        goes_on = later(row["last_at"], wanted.quiet_seconds) > now
        if not portion.turns or (goes_on and not ripe):
            continue
        if reason := _unfit(portion, row["failures"]):
            skip(ledger, portion, reason, now)
            continue
        return portion._replace(is_cut=portion.is_cut or goes_on)
    return None


def skip(ledger: Ledger, portion: Portion, reason: str, now: str) -> None:
    """Note that a stretch of a session is not worth a call."""
    ledger.skip(PURPOSE, load(PROMPT).version, portion.read, reason, now)


def waiting(ledger: Ledger, now: str, wanted: SessionChoice) -> list[Row]:
    """Sessions that say more than any model has read, the oldest first."""
    since = wanted.since or (EVER if wanted.session_id else later(now, -LOOK_BACK_SECONDS))
    rows = ledger.waiting(PURPOSE, since, later(now, -BUSY_SECONDS))
    return [
        row
        for row in rows
        if wanted.project_id in (None, row["project_id"])
        and wanted.session_id in (None, row["session_id"])
        and row["project_id"] not in wanted.excluded
    ]


def _unfit(portion: Portion, failures: int) -> str | None:
    if failures >= ATTEMPTS:
        return f"no answer to it could be used, {ATTEMPTS} times"
    spoken = any(turn.kind in USER_KINDS and turn.text.strip() for turn in portion.turns)
    return None if spoken else "nobody spoke"


def _portion(ledger: Ledger, transcripts: Transcripts, row: Row, whole: bool) -> Portion:
    """What no model has read of a session yet, as much as one call may be about."""
    turns = turns_of(ledger, transcripts, row["session_id"])
    unread = unread_turns(turns, row["until_uuid"], row["until_at"] or "")
    waiting = set(map(id, unread))
    earlier = [turn for turn in turns if id(turn) not in waiting]
    left = sum(len(turn.text) for turn in unread)
    chosen = unread if whole else first_part(unread, earlier)
    return Portion(row["session_id"], row["project_id"], chosen, len(chosen) < len(unread), earlier, left)


def first_part(unread: list[Turn], earlier: Sequence[Turn]) -> list[Turn]:
    """As much of what nobody has read as one call may be about."""
    from nous.kernel.capture.session import count_untouched

    chosen: list[Turn] = []
    size = 0
    for turn in unread:
        size += len(turn.text)
        if chosen and size > BATCH_CHARACTERS:
            break
        chosen.append(turn)
    clean = chosen[: count_untouched(chosen)] if count_untouched(earlier) == len(earlier) else []
    if sum(len(turn.text) for turn in clean) >= CLEAN_CHARACTERS:
        return clean  # whoever reads this cannot have been talked into anything
    return chosen


def turns_of(ledger: Ledger, transcripts: Transcripts, session_id: str) -> list[Turn]:
    """What was said and done in a session, without its agents, cleaned once more by the rules of today."""
    from nous.redact import redact_turn

    kept = list(transcripts.turns(session_id, inherited=True))
    kept += [turn for payload in ledger.payloads(session_id) for turn in _turns.decode(payload)]
    distinct = {(turn.uuid, turn.kind, turn.tool_id, turn.text): turn for turn in kept}
    agents: dict[str, list[Turn]] = {}
    for turn in distinct.values():
        agents.setdefault(turn.agent_id, []).append(turn)
    return [redact_turn(_with_what_it_read(turn, agents))[0] for turn in agents.get("", ())]


def _with_what_it_read(turn: Turn, agents: Mapping[str, Sequence[Turn]]) -> Turn:
    """A subagent's report with whether it read text from outside, as far as its own transcript tells: to its end."""
    from nous.kernel.capture.session import Story

    own = agents.get(str(turn.input.get("agent") or ""), ()) if turn.kind == "report" else ()
    last = next((one.text for one in reversed(own) if one.kind == "reply"), "")
    if not last or not turn.text.startswith(last[:SAME_REPORT]):
        return turn
    return msgspec.structs.replace(turn, input=turn.input | {"stayed": not Story(own).outside})


SAME_REPORT = 200  # characters of an agent's last reply by which its report is known


def unread_turns(turns: Sequence[Turn], until_uuid: str | None, until_at: str) -> list[Turn]:
    """The turns after the last one that was read; should that one be gone, those that are later."""
    places = [at for at, turn in enumerate(turns) if turn.uuid == until_uuid]
    later = turns[places[-1] + 1 :] if places else [turn for turn in turns if turn.at > until_at]
    return [turn for turn in later if not turn.inherited]
