"""What failed in the daemon's threads, counted in a small file beside the database.

A file, since the database may be what failed; and on disk, so that `status` and `doctor` tell it after a restart too.
"""

from __future__ import annotations

import logging
import os
import tempfile
import threading
from contextlib import suppress

import msgspec

from nous.moments import later

log = logging.getLogger("nous")

FILE = "faults.json"
KEPT_SECONDS = 7 * 86400.0
MAX_PARTS = 20
_lock = threading.Lock()


class Fault(msgspec.Struct, frozen=True):
    """A part of the daemon that failed: how often, first and last, and with which words."""

    part: str
    times: int
    first_at: str
    last_at: str
    said: str

    def line(self) -> str:
        """One line for a person."""
        return f"{self.part} failed {times(self.times)}, last at {self.last_at[:19]}Z: {self.said}"


def times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def note(data_dir: str, part: str, problem: BaseException, now: str) -> None:
    """Count a failure. Failing to write it down is logged and nothing more."""
    said = " ".join(f"{type(problem).__name__}: {problem}".split())[:300]
    with _lock:
        try:
            known = {fault.part: fault for fault in recent(data_dir, now)}
            before = known.pop(part, None)
            fault = Fault(part, before.times + 1 if before else 1, before.first_at if before else now, now, said)
            _write(data_dir, [*known.values(), fault][-MAX_PARTS:])
        except OSError as unwritten:
            log.error("a fault could not be written down: %s", unwritten)


def recent(data_dir: str, now: str) -> list[Fault]:
    """What failed in the last days, the latest last."""
    with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
        with open(os.path.join(data_dir, FILE), "rb") as file:
            kept = msgspec.json.decode(file.read(1 << 20), type=list[Fault])
        return [fault for fault in kept if fault.last_at > later(now, -KEPT_SECONDS)]
    return []


def _write(data_dir: str, faults: list[Fault]) -> None:
    handle, partial = tempfile.mkstemp(prefix=FILE + ".", dir=data_dir)  # only its owner can read it
    try:
        with open(handle, "wb") as file:
            file.write(msgspec.json.encode(faults))
        os.replace(partial, os.path.join(data_dir, FILE))
    except OSError:
        with suppress(OSError):
            os.unlink(partial)
        raise
