"""Which transcripts changed, as the system tells it, or by looking again and again where it does not."""

from __future__ import annotations

import fnmatch
import logging
import os
import threading
from collections.abc import Callable

log = logging.getLogger("nous")

RETRY_SECONDS = 5.0
MANY = 1000  # so many changes at once may be more than the system could count: look at everything
STEP_MS = 100
DEBOUNCE_MS = 400
POLL_SECONDS = 1.0  # a look at a tree where nothing changed is one stat per file
# File systems whose changes, made on another computer or outside a virtual machine, are not announced.
SILENT = frozenset(
    ["nfs", "nfs4", "cifs", "smb", "smb3", "smbfs", "9p", "drvfs", "afs", "vboxsf", "vmhgfs", "prl_fs", "fuse.sshfs"]
)


class Watcher(threading.Thread):
    """Calls `changed` with every transcript that grew, `look` when only a full scan can tell what happened.

    `other` hears of everything else below the root that came, changed or went.

    Where the system announces nothing, a full scan every second is all there is.
    """

    def __init__(
        self,
        pattern: str,
        changed: Callable[[str], None],
        look: Callable[[], None],
        *,
        polling: bool = False,
        failed: Callable[[BaseException], None] = lambda problem: None,
        other: Callable[[str], None] = lambda path: None,
    ):
        super().__init__(name="nous-watcher", daemon=True)
        self.pattern = pattern
        self.root = root_of(pattern)
        self.changed = changed
        self.look = look
        self.failed = failed
        self.other = other
        self.polling = polling or is_silent(self.root)
        self.stopping = threading.Event()

    def stop(self) -> None:
        """End soon."""
        self.stopping.set()

    def run(self) -> None:
        is_first = True
        while not self.stopping.is_set():
            if os.path.isdir(self.root):
                if not is_first:
                    self.look()  # what happened while nobody watched
                is_first = False
                if not self.polling:
                    self._watch()
            self.stopping.wait(POLL_SECONDS if self.polling else RETRY_SECONDS)

    def _watch(self) -> None:
        """Pass changes on until the root vanishes or the system refuses."""
        from watchfiles import watch

        try:
            for changes in watch(
                self.root,
                watch_filter=None,
                stop_event=self.stopping,
                debounce=DEBOUNCE_MS,
                step=STEP_MS,
                rust_timeout=int(RETRY_SECONDS * 1000),
                yield_on_timeout=True,
                ignore_permission_denied=True,
            ):
                if not os.path.isdir(self.root):
                    return
                self._pass_on({path for _, path in changes})
        except (OSError, RuntimeError) as problem:
            log.warning("watching %s stopped: %s", self.root, problem)
            self.polling = "limit" in str(problem).lower()  # no more watches to be had: look instead
        except BaseException as problem:  # a panic of the extension is no Exception
            self.failed(problem)

    def _pass_on(self, paths: set[str]) -> None:
        if len(paths) >= MANY:
            self.look()
            return
        for path in sorted(paths):
            if matches(path, self.pattern):
                self.changed(path)
            elif os.path.isdir(path):
                self._enter(path)
            else:
                self.other(path)

    def _enter(self, folder: str) -> None:
        """Files may have come into a new directory before it was watched."""
        for at, below, files in os.walk(folder):
            below.sort()
            for name in sorted(files):
                if matches(os.path.join(at, name), self.pattern):
                    self.changed(os.path.join(at, name))
                else:
                    self.other(os.path.join(at, name))


def matches(path: str, pattern: str) -> bool:
    """Whether a pattern names a path."""
    return fnmatch.fnmatch(path, pattern.replace("**" + os.sep, "*"))


def root_of(pattern: str) -> str:
    """The directory below which everything that a pattern names must lie."""
    fixed = pattern.split("*")[0].split("?")[0].split("[")[0]
    return (fixed if fixed.endswith(os.sep) else os.path.dirname(fixed)).rstrip(os.sep) or os.sep


def is_silent(path: str, mounts: str = "/proc/mounts") -> bool:
    """Whether a path lies on a file system that announces nothing: network drives, Windows disks in WSL."""
    real = os.path.realpath(path)
    best, kind = "", ""
    try:
        with open(mounts, encoding="utf-8", errors="replace") as file:
            for line in file:
                _, place, found, *_ = line.split(" ")
                place = place.replace("\\040", " ")
                if len(place) >= len(best) and (real + "/").startswith(place.rstrip("/") + "/"):
                    best, kind = place, found
    except (OSError, ValueError):
        return False
    return kind in SILENT
