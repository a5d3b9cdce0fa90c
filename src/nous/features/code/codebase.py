"""The code of a project's work trees, for everybody above: brought up to date, asked, watched, forgotten."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from nous.config import Settings, ignored_paths
from nous.errors import Damaged, NotFound, NousError
from nous.features.code import treesitter
from nous.features.code.files import among
from nous.features.code.impact import Impact, impact, render_impact
from nous.features.code.index import Indexed, IndexProgress, index, refresh, resolve
from nous.features.code.store import PROJECT, STALE, TREE, WATCHED, Code, all_trees, code_file, drop_file, open_code
from nous.features.code.watch import CodeWatcher
from nous.identity import identify, work_tree
from nous.kernel.capture.ignoring import Ignored

HINT = "`nous admin index` reads the code of this project"

__all__ = ["CodeWatcher", "Codebase", "Impact", "Indexed", "render_impact"]


class Codebase:
    """The code graphs of a data directory; each is opened for as long as it is asked."""

    def __init__(self, settings: Settings, clock: Callable[[], str]):
        self.settings = settings
        self.clock = clock
        self.ignored = Ignored(ignored_paths(settings), os.path.expanduser("~"))

    def index(
        self, path: str | None = None, *, progress: IndexProgress = lambda done, all: None, anew: bool = False
    ) -> tuple[Indexed, dict[str, int]]:
        """Read the code of a work tree, or what of it changed; what was done, and how much is known then."""
        tree = self._tree(path)
        treesitter.tool("python")  # says what to install before anything is made
        try:
            return self._index(tree, progress, anew)
        except Damaged:  # it held nothing that cannot be made again
            return self._index(tree, progress, anew)

    def _index(self, tree: str, progress: IndexProgress, anew: bool) -> tuple[Indexed, dict[str, int]]:
        with self._writing(tree) as code:
            known = {TREE: tree, PROJECT: identify(tree, self.settings.data_dir).id, WATCHED: "yes"}
            with code.db.transaction():
                code.say(**known)
            done = index(code, tree, self.ignored, self.clock(), progress, anew=anew)
            return done, code.sizes()

    def follow(self, tree: str, paths: Iterable[str] = ()) -> int:
        """Bring some files of a tree up to date, or, without any, all of them; how many were read or went."""
        if chosen := list(paths):
            with suppress(Damaged), self._writing(tree) as code:
                known = set(code.paths())
                fresh = [path for path in chosen if path not in known]
                kept = set(among(tree, fresh, self.ignored)) if fresh else set()
                done = refresh(code, tree, [path for path in chosen if path in known or path in kept])
                return done.read + done.gone
        done, _ = self.index(tree)
        return done.read + done.gone

    def folders(self, tree: str) -> list[str]:
        """The directories of a tree that hold code, and those above them."""
        with self.reading(tree) as code:
            found = {""}
            for path in code.paths():
                while (path := path.rpartition("/")[0]) not in found:
                    found.add(path)
        return [os.path.join(tree, folder) if folder else tree for folder in sorted(found)]

    def forget(self, path: str | None = None) -> bool:
        """Throw away the graph of a work tree; whether there was one."""
        file = code_file(self.settings.data_dir, self._tree(path))
        there = os.path.exists(file)
        drop_file(file)
        return there

    def impact(self, target: str, *, depth: int = 3, path: str | None = None) -> Impact:
        """What hangs on a file, a symbol, or a symbol of a file (`file:symbol`)."""
        tree = self._tree(path)
        with self.resolved(tree) as code:
            return impact(code, self._from_root(target, tree), depth)

    def trees(self) -> dict[str, str]:
        """The work trees whose code is kept up to date, with the project of each."""
        found = (facts for _, facts in all_trees(self.settings.data_dir))
        return {facts[TREE]: facts.get(PROJECT, "") for facts in found if facts.get(WATCHED) and TREE in facts}

    @contextmanager
    def reading(self, tree: str) -> Iterator[Code]:
        """The graph of a work tree, to be asked."""
        code = open_code(self.settings.data_dir, tree, readonly=True)
        if code is None:
            raise NotFound(f"the code of {tree} is not indexed", hint=HINT)
        try:
            yield code
        finally:
            code.close()
            if code.is_damaged:
                raise NotFound(f"what was known of the code of {tree} was damaged, and is gone", hint=HINT)

    @contextmanager
    def resolved(self, tree: str) -> Iterator[Code]:
        """The same, once it is said what every name leads to."""
        with self.reading(tree) as code:
            is_stale = bool(code.facts().get(STALE))
        if is_stale:
            with suppress(Damaged), self._writing(tree) as code:
                resolve(code)
        with self.reading(tree) as code:
            yield code

    @contextmanager
    def _writing(self, tree: str) -> Iterator[Code]:
        """The graph of a work tree, to be written; one that turns out to be damaged is gone afterwards."""
        try:
            code = open_code(self.settings.data_dir, tree)
            assert code is not None
            try:
                yield code
            finally:
                code.close()
        except Damaged:
            drop_file(code_file(self.settings.data_dir, tree))
            raise

    def _tree(self, path: str | None) -> str:
        given = path or os.getcwd()
        if not os.path.isdir(given):
            raise NotFound(f"there is no directory {given}")
        tree = work_tree(given)
        if self.ignored.covers(tree):
            raise NousError(f"{tree} is ignored by your settings", hint="see `ignore` in the settings")
        if tree in (os.path.realpath(os.path.expanduser("~")), os.sep):
            raise NousError(f"{tree} is no project", hint="name a directory of one project")
        return tree

    def _from_root(self, target: str, tree: str) -> str:
        """A target whose file is named from the current directory, named from the root of the tree."""
        place, colon, symbol = target.rpartition(":")
        file = place if colon else target
        real = os.path.realpath(file) if file else ""
        if not real.startswith(tree + os.sep) or not os.path.isfile(real):
            return target
        return os.path.relpath(real, tree).replace(os.sep, "/") + (f":{symbol}" if colon else "")
