"""Kept transcripts cut into exchanges and indexed, as far as they are not yet.

A transcript is read on from its last exchange, which may have grown; a long one in windows, so that a session that goes
on for weeks costs what is new in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nous.features.exchanges.model import Account, Section, accounts, index_words
from nous.features.exchanges.store import ExchangeEntry, ExchangeFile
from nous.kernel.capture.transcript import Turn

if TYPE_CHECKING:
    from nous.features.exchanges.store import Exchanges

WINDOW = 4_000_000  # characters of a transcript that are read at once
BATCH = 50  # transcripts that are indexed in one transaction
LABEL = 90
MOST_TOPICS = 6


def index_waiting(exchanges: Exchanges, is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Index what transcripts said since they were read last; how many exchanges were written."""
    written = 0
    with exchanges.db.transaction():
        exchanges.drop_stale()
    while (files := exchanges.next_waiting(BATCH)) and not is_stopping():
        with exchanges.db.transaction():
            written += sum(_index(exchanges, file) for file in files)
    return written


def _index(exchanges: Exchanges, file: ExchangeFile) -> int:
    """Index one transcript from its last exchange on."""
    written, window = 0, WINDOW
    while True:
        last = exchanges.last_of(file.file_id)
        turns, chunks, is_all = _read_turns(exchanges, file.path, last, window)
        found = accounts(turns)
        if last:
            exchanges.drop([last[0]])
        tainted = exchanges.is_tainted_before(file.file_id, last[0] if last else 2**62)
        for account in found:
            tainted = tainted or account.story.is_tainted(account.exchange.end - 1)
            exchanges.add(file, index_row(account, chunks[account.uuid], tainted))
        written += len(found)
        if is_all:
            break
        # An exchange that fills a whole window needs a larger one.
        window = WINDOW if len(found) > 1 else window * 2
    exchanges.finish(file.file_id)
    return written


def _read_turns(
    exchanges: Exchanges, path: str, last: tuple[int, int, str] | None, window: int
) -> tuple[list[Turn], dict[str, int], bool]:
    """The turns from an exchange on, the chunk in which each record begins, and whether these are all."""
    turns: list[Turn] = []
    chunks: dict[str, int] = {}
    size = 0
    for number, said in exchanges.turns_from(path, last[1] if last else 0):
        if size > window:
            return turns, chunks, False
        for turn in said:
            chunks.setdefault(turn.uuid, number)
            size += len(turn.text)
        turns += said
    return _after(turns, last[2]) if last else turns, chunks, True


def _after(turns: Sequence[Turn], uuid: str) -> list[Turn]:
    """The turns from a record on; all when it is not among them."""
    start = next((at for at, turn in enumerate(turns) if turn.uuid == uuid), 0)
    return list(turns[start:])


def index_row(account: Account, chunk_id: int, tainted: bool) -> ExchangeEntry:
    """An exchange as the indexes take it."""
    from nous.kernel.learn.names import concepts  # its patterns take long to compile: not for who only asks

    label = account.label(LABEL)
    return ExchangeEntry(
        chunk_id=chunk_id,
        uuid=account.uuid,
        at=account.first.at,
        branch=account.first.branch,
        tainted=tainted,
        label=label,
        files=account.files,
        topics=concepts(account.asked.text[:600], label)[:MOST_TOPICS],
        parts=[_part(account, nth, part) for nth, part in enumerate(account.parts)],
        errors=account.errors,
    )


def _part(account: Account, nth: int, part: Section) -> tuple[str, str, str]:
    """What the text index takes of a part: the user's words, the agent's words, and with the first what was done."""
    words, deeds = index_words(account.words_of(part)), index_words(account.deeds) if nth == 0 else ""
    return (words, "", deeds) if part.side == "asked" else ("", words, deeds)
