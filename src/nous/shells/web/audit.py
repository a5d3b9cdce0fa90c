"""Who asked about which project: kept at once when it is the first time on a day, and counted after that."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from typing import NamedTuple

from nous.app import system_clock
from nous.kernel.access import Bearer
from nous.shells.web.lender import SessionPool

FLUSH_SECONDS = 60.0


class _Count(NamedTuple):
    bearer: Bearer
    times: int
    first_at: str
    last_at: str


class Audit:
    """The log of what tokens were used for. The owner of the machine leaves no trace: the whole database is theirs."""

    def __init__(self, lender: SessionPool):
        self.lender = lender
        self._lock = threading.Lock()
        self._known: set[tuple[str, str, str, str]] = set()
        self._waiting: dict[tuple[str, str, str, str], _Count] = {}
        self._flushed = time.monotonic()

    def seen(self, bearer: Bearer, projects: Iterable[str], route: str) -> None:
        """Note that somebody asked about projects."""
        if not bearer.token_id:
            return
        now = system_clock()
        with self._lock:
            is_new = False
            for project in projects:
                key = (now[:10], bearer.token_id, project, route)
                is_new = is_new or key not in self._known
                old = self._waiting.get(key)
                self._waiting[key] = _Count(bearer, (old.times if old else 0) + 1, old.first_at if old else now, now)
            if is_new or time.monotonic() - self._flushed > FLUSH_SECONDS:
                self._flush(now[:10])

    def flush(self) -> None:
        """Write down what was only counted so far."""
        with self._lock:
            self._flush(system_clock()[:10])

    def _flush(self, today: str) -> None:
        if not self._waiting:
            return
        with self.lender.book() as nous, nous.stores.db.transaction():
            for (_, _, project, route), count in self._waiting.items():
                nous.stores.tokens.note(count.bearer, project, route, count.times, count.first_at, count.last_at)
        self._known = {key for key in {*self._known, *self._waiting} if key[0] == today}
        self._waiting.clear()
        self._flushed = time.monotonic()
