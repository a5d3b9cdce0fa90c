"""Where the code is now that a memory speaks of, followed through renames and moves by the code graph."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from nous import paths
from nous.features.code.store import READY, STATE, Code, open_code
from nous.kernel.hooks import anchors
from nous.kernel.hooks.anchors import GONE, SYMBOL_GONE
from nous.kernel.log.extraction import Anchor

MOST_ALIKE = 20


class Trace(msgspec.Struct, frozen=True):
    """An anchor, where it is now, and what became of it: moved, renamed, changed, gone, or nothing."""

    anchor: Anchor
    now: Anchor
    note: str = ""
    is_gone: bool = False

    def line(self) -> str:
        """One line for a person."""
        was = f"{self.anchor.file}: {self.anchor.symbol}" if self.anchor.symbol else self.anchor.file
        return f"{was} ({self.note})" if self.note else f"{was} (as it was)"


@contextmanager
def tracing(root: str) -> Iterator[Tracer]:
    """A tracer for a work tree, with its code graph where there is a complete one."""
    root = root if root and os.path.isdir(root) else ""
    code = open_code(paths.data_dir(os.environ), root, readonly=True) if root else None
    try:
        yield Tracer(root, code if code and code.facts().get(STATE) == READY else None)
    finally:
        if code:
            code.close()


class Tracer:
    """Follows anchors in one work tree."""

    def __init__(self, root: str, code: Code | None):
        self.root = root
        self.code = code
        self.traces: dict[Anchor, Trace] = {}

    def trace(self, anchor: Anchor) -> Trace:
        """Where an anchor is now, looked up once."""
        if anchor not in self.traces:
            self.traces[anchor] = self._trace(anchor)
        return self.traces[anchor]

    def _trace(self, anchor: Anchor) -> Trace:
        """Without a graph an anchor is where it was, or nowhere."""
        doubt = anchors.look(self.root, anchor.file, anchor.symbol, anchor.hash).doubt
        if self.code is None or not doubt:
            return Trace(anchor, anchor, _describe_doubt(anchor, doubt), doubt == GONE)
        found = self._elsewhere(anchor) if doubt in (GONE, SYMBOL_GONE) else None
        if found is None:
            lost = doubt == GONE or (doubt == SYMBOL_GONE and not self.code.symbols_named(anchor.symbol, 1))
            return Trace(anchor, anchor, _describe_doubt(anchor, doubt), lost)
        note = _went(anchor, found)
        changed = anchors.look(self.root, found.file, found.symbol, found.hash).doubt
        return Trace(anchor, found, f"{note}, and changed since" if changed else note)

    def is_gone(self, anchor: Anchor) -> bool:
        """Whether nothing is left of an anchor. Without a graph a file that is there is enough."""
        if self.code is None or not anchor.symbol:
            there = os.path.exists(os.path.join(self.root, anchor.file))
            return not there and (self.code is None or self.trace(anchor).is_gone)
        return self.trace(anchor).is_gone

    def _elsewhere(self, anchor: Anchor) -> Anchor | None:
        if not anchor.symbol:
            return self._same_file(anchor)
        return self._by_text(anchor)

    def _by_text(self, anchor: Anchor) -> Anchor | None:
        """By the text itself: the same name elsewhere, or the same text under another name in the same file."""
        assert self.code
        named = self.code.symbols_named(anchor.symbol, MOST_ALIKE)
        places = {row["file"]: anchor.symbol for row in named if row["file"] != anchor.file}
        same = [file for file in places if self._reads_as(anchor, file, anchor.symbol)]
        if len(same) == 1 or len(places) == 1:
            return self._at(anchor, (same or list(places))[0], anchor.symbol)
        for row in self.code.symbols_in(anchor.file):
            if self._reads_as(anchor, anchor.file, row["name"]):
                return self._at(anchor, anchor.file, row["name"])
        return None

    def _reads_as(self, anchor: Anchor, file: str, symbol: str) -> bool:
        return bool(anchor.hash) and anchors.reads_as(self.root, file, symbol, anchor.symbol) == anchor.hash

    def _at(self, anchor: Anchor, file: str, symbol: str) -> Anchor:
        """An anchor at another place; one that reads as before has the fingerprint it has there."""
        same = self._reads_as(anchor, file, symbol)
        hash = anchors.reads_as(self.root, file, symbol, symbol) if same else anchor.hash
        return Anchor(file, symbol, hash, anchor.commit)

    def _same_file(self, anchor: Anchor) -> Anchor | None:
        assert self.code
        found = self.code.files_like(os.path.basename(anchor.file))
        return Anchor(found[0], "", anchor.hash, anchor.commit) if len(found) == 1 else None


def _describe_doubt(anchor: Anchor, doubt: str) -> str:
    if doubt == GONE:
        return "gone"
    if doubt == SYMBOL_GONE:
        return f"{anchor.symbol} is no longer there"
    return "changed since" if doubt else ""


def _went(was: Anchor, now: Anchor) -> str:
    if was.file == now.file:
        return f"now called {now.symbol}"
    if was.symbol == now.symbol:
        return f"now in {now.file}"
    return f"now {now.symbol} in {now.file}"
