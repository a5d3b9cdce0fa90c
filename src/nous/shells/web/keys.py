"""Who may ask over HTTP: the token of this machine, one-time codes for a browser, and the tokens it gets for them.

The token is a file that only its owner can read. A browser never sees it: it gets a code that works once, and for it a
token of its own that ends by itself. Those are signed with the machine's token, so nothing has to be kept, they survive
a restart, and a new token ends them all.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from msgspec.structs import replace

from nous import paths
from nous.kernel.access import OWNER, Bearer

FILE = "http.token"
CODE_SECONDS = 60.0
PANEL_SECONDS = 7 * 86400.0
MOST_CODES = 16
WRONG_CODES = 5  # after so many wrong ones in a row every code that waits is void
MOST_FAILURES, WINDOW_SECONDS = 20, 60.0


def token_path(data_dir: str) -> str:
    """Present the token of this machine is."""
    return os.path.join(data_dir, FILE)


def machine_token(data_dir: str, *, anew: bool = False) -> str:
    """The token of this machine, made when there is none."""
    path = token_path(data_dir)
    os.makedirs(data_dir, mode=0o700, exist_ok=True)
    if not anew:
        with suppress(FileNotFoundError), open(path, encoding="ascii", opener=paths.private) as file:
            if token := file.read().strip():
                return token
    token = secrets.token_urlsafe(32)
    partial = f"{path}.{os.getpid()}"
    with open(partial, "w", encoding="ascii", opener=paths.private) as file:
        file.write(token + "\n")
    os.replace(partial, path)
    return token


class Keys:
    """Checks tokens and hands out codes. Safe to use from several threads."""

    def __init__(
        self,
        token: str,
        clock: Callable[[], float] = time.time,
        known: Callable[[str], Bearer | None] = lambda given: None,
    ):
        self.token = token
        self.known = known
        self.clock = clock
        self._codes: dict[str, float] = {}
        self._wrong_codes = 0
        self._failures: deque[float] = deque(maxlen=MOST_FAILURES)
        self._lock = threading.Lock()

    def bearer(self, given: str) -> Bearer | None:
        """Who comes with a token: the owner with the machine's or a panel's, others with one of `nous admin token`."""
        ends = self.expiry(given)
        return self.known(given) if ends is None else replace(OWNER, ends=ends)

    def expiry(self, given: str) -> float | None:
        """When a token ends, infinity for the machine's own; None when it is none of ours or has ended."""
        if hmac.compare_digest(given.encode(), self.token.encode()):
            return float("inf")
        head, _, signature = given.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign(head).encode()):
            return None
        ends = float(head.split(".")[1])
        return ends if ends > self.clock() else None

    def _sign(self, text: str) -> str:
        return hmac.new(self.token.encode(), f"panel:{text}".encode(), hashlib.sha256).hexdigest()

    def new_code(self) -> str:
        """A code that can be exchanged once, within a minute."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            now = self.clock()
            self._codes = {kept: ends for kept, ends in self._codes.items() if ends > now}
            while len(self._codes) >= MOST_CODES:
                self._codes.pop(next(iter(self._codes)))
            self._codes[_digest(code)] = now + CODE_SECONDS
        return code

    def exchange(self, code: str) -> tuple[str, float] | None:
        """A panel's token and when it ends, for a code that was not used before; None for any other."""
        with self._lock:
            ends = self._codes.pop(_digest(code), 0.0)
            if ends <= self.clock():
                self._wrong_codes += 1
                if self._wrong_codes >= WRONG_CODES:
                    self._codes.clear()
                    self._wrong_codes = 0
                return None
            self._wrong_codes = 0
        until = self.clock() + PANEL_SECONDS
        head = f"panel.{int(until)}.{secrets.token_urlsafe(9)}"
        return f"{head}.{self._sign(head)}", float(int(until))

    def failed(self) -> float | None:
        """Count a wrong token; the seconds to wait when there were too many."""
        with self._lock:
            now = self.clock()
            oldest = self._failures[0] if len(self._failures) == MOST_FAILURES else None
            if oldest is not None and now - oldest < WINDOW_SECONDS:
                return WINDOW_SECONDS - (now - oldest)
            self._failures.append(now)
            return None


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
