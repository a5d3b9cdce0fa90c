"""Keeps the code graphs of the watched work trees up to date while files are edited."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import Protocol

log = logging.getLogger("nous")

DEBOUNCE_MS = 500
STEP_MS = 100
LOOK_SECONDS = 5.0  # how soon a tree that was just indexed is watched too
SCAN_SECONDS = 120.0  # where there is nobody to tell what changed
MOST_FOLDERS = 4000  # of what the system can watch, the rest is for others


class Trees(Protocol):
    """What a watcher needs of the code graphs."""

    def trees(self) -> dict[str, str]:
        """The work trees to be watched."""
        ...

    def folders(self, tree: str) -> list[str]:
        """The directories of a tree that hold code."""
        ...

    def follow(self, tree: str, paths: Iterable[str]) -> int:
        """Bring some files up to date, or, without any, all of them; how many were read or went."""
        ...


class CodeWatcher(threading.Thread):
    """Follows changes of code, 500 ms after the last one. Does nothing where no tree was ever indexed."""

    def __init__(self, trees: Trees, failed: Callable[[BaseException], None] = lambda problem: None):
        super().__init__(name="nous-code", daemon=True)
        self.trees = trees
        self.failed = failed
        self.stopping = threading.Event()
        self.followed = 0

    def stop(self) -> None:
        """End soon."""
        self.stopping.set()

    def run(self) -> None:
        while not self.stopping.is_set():
            try:
                self._watch()
            except BaseException as problem:  # a panic of the extension is no Exception
                self.failed(problem)
            self.stopping.wait(LOOK_SECONDS)

    def _watch(self) -> None:
        """Watch until the trees or their directories change."""
        trees = [tree for tree in self.trees.trees() if os.path.isdir(tree)]
        if not trees:
            return
        for tree in trees:
            self._follow(tree, ())
        folders = {folder: tree for tree in trees for folder in self.trees.folders(tree) if os.path.isdir(folder)}
        if len(folders) > MOST_FOLDERS:
            self.stopping.wait(SCAN_SECONDS)
            return
        self._listen(folders, set(trees))

    def _listen(self, folders: dict[str, str], trees: set[str]) -> None:
        from watchfiles import watch

        looked = time.monotonic()
        for changes in watch(
            *folders,
            watch_filter=None,
            stop_event=self.stopping,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            recursive=False,
            rust_timeout=int(LOOK_SECONDS * 1000),
            yield_on_timeout=True,
            ignore_permission_denied=True,
        ):
            if self._pass_on({path for _, path in changes}, folders):
                return  # there are new directories to watch
            if time.monotonic() - looked > LOOK_SECONDS:
                looked = time.monotonic()
                if {tree for tree in self.trees.trees() if os.path.isdir(tree)} != trees:
                    return

    def _pass_on(self, paths: set[str], folders: dict[str, str]) -> bool:
        """Follow what changed; whether directories came."""
        by_tree: dict[str, list[str]] = {}
        came = False
        for path in paths:
            tree = folders.get(os.path.dirname(path)) or folders.get(path)
            if tree is None:
                continue
            if os.path.isdir(path):
                came = came or path not in folders
            else:
                by_tree.setdefault(tree, []).append(os.path.relpath(path, tree).replace(os.sep, "/"))
        for tree, changed in by_tree.items():
            self._follow(tree, changed)
        return came

    def _follow(self, tree: str, paths: Iterable[str]) -> None:
        try:
            done = self.trees.follow(tree, paths)
        except Exception as problem:
            self.failed(problem)
            return
        self.followed += done
        if done:
            log.info("code: %d files followed in %s", done, tree)
