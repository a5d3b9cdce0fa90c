"""Open memories for the requests of a server: each is used by one request at a time, and searches share one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property

from nous.app import Nous
from nous.config import Settings
from nous.errors import NousError, StoreError
from nous.kernel.access import Bearer
from nous.teams import tokens


class SessionPool:
    """Lends out memories: to read, to write, to search.

    Readers cannot write, whatever is asked of them. A search keeps an embedder and vectors in memory, so there is one.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        finder: Callable[[], AbstractContextManager[Nous]] | None = None,
        wrote: Callable[[], None] | None = None,
    ):
        self.settings = settings
        self._finder = finder
        self._wrote = wrote
        self._readers: list[Nous] = []
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._searching = threading.Lock()
        self._searcher: Nous | None = None
        self._is_closed = False

    @contextmanager
    def reader(self) -> Iterator[Nous]:
        """A memory that can only be read."""
        with self._lock:
            nous = self._readers.pop() if self._readers else None
        if nous is None:
            nous = Nous.open(settings=self.settings, readonly=True)
        is_sound = False
        try:
            yield nous
            is_sound = True
        except NousError as problem:
            is_sound = not isinstance(problem, StoreError)
            raise
        finally:
            self._give_back(nous, is_sound)

    def _give_back(self, nous: Nous, is_sound: bool) -> None:
        """Keep a reader for the next request, unless something is wrong with it or it is time to end."""
        with self._lock:
            if is_sound and not self._is_closed:
                self._readers.append(nous)
                return
        nous.stores.close()

    @contextmanager
    def writer(self) -> Iterator[Nous]:
        """A memory that is written to. What follows is left to the daemon where there is one."""
        with self._writing:
            nous = Nous.open(settings=self.settings)
            try:
                yield nous
            finally:
                if self._wrote is None:
                    nous.close()
                else:
                    nous.stores.close()
        if self._wrote is not None:
            self._wrote()

    @contextmanager
    def book(self) -> Iterator[Nous]:
        """A connection of its own that keeps books beside the memory: nothing follows from what is written there."""
        nous = Nous.open(settings=self.settings)
        try:
            yield nous
        finally:
            nous.stores.close()

    def recognised(self, token: str) -> Bearer | None:
        """Who comes with a token that was made by `nous admin token`; None when nobody does."""
        with self.reader() as nous:
            return tokens.recognise_token(
                nous.stores.circles, nous.stores.tokens, token, nous.clock(), lambda: self._signer
            )

    @cached_property
    def _signer(self) -> tokens.Signer | None:
        return tokens.open_signer(self.settings.data_dir)

    @contextmanager
    def searcher(self) -> Iterator[Nous]:
        """The one memory that searches."""
        if self._finder is not None:
            with self._finder() as nous:
                yield nous
            return
        with self._searching:
            if self._searcher is None:
                self._searcher = Nous.open(settings=self.settings)
                self._searcher.is_readonly = True
            yield self._searcher

    def close(self) -> None:
        """Let go of the database."""
        with self._lock, self._searching:
            self._is_closed = True
            for nous in [*self._readers, *([self._searcher] if self._searcher else [])]:
                nous.stores.close()
            self._readers.clear()
            self._searcher = None
