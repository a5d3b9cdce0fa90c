"""Where things are that a session searches for: what the code defines, and which memories speak of it by name."""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from nous.features.code.store import Code, open_code
from nous.kernel.hooks.packing import Entry
from nous.kernel.hooks.search_targets import is_telling
from nous.kernel.memory.memory import Memory
from nous.kernel.recall.worth import entry, is_certain, is_injectable, opposite
from nous.kernel.stores import Stores

MOST_MEMORIES = 2
MOST_USERS = 40
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_TESTS = re.compile(r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures)/|(?:^|/)test_|[._-](?:test|spec)\.\w+$")


def names_of(memory: Memory) -> set[str]:
    """The names of code that a memory speaks of."""
    said = [memory.content, *(anchor.symbol for anchor in memory.anchors)]
    return {name for text in said for name in _NAME.findall(text) if is_telling(name)}


class WordIndex:
    """Which memories of a project speak of a name. Made anew, behind whoever asks, when something was learned."""

    def __init__(self, open_stores: Callable[[], Stores], now: Callable[[], str]):
        self.open_stores = open_stores
        self.now = now
        self.entries: dict[str, dict[str, list[Entry]]] = {}
        self.made_at: dict[str, int] = {}
        self.making = threading.Lock()

    def about(self, project_id: str, name: str, last_event: int) -> list[Entry]:
        """What is known about a name, as far as the index was made; who asks never waits for it."""
        if self.made_at.get(project_id, -1) != last_event and self.making.acquire(blocking=False):
            threading.Thread(target=self._make, args=(project_id, last_event), daemon=True).start()
        return self.entries.get(project_id, {}).get(name, [])[:MOST_MEMORIES]

    def _make(self, project_id: str, last_event: int) -> None:
        try:
            stores = self.open_stores()
            try:
                self.entries[project_id] = by_name(stores.memories.visible(project_id), self.now())
            finally:
                stores.close()
            self.made_at[project_id] = last_event
        finally:
            self.making.release()


def by_name(memories: Iterable[Memory], now: str) -> dict[str, list[Entry]]:
    """Entries of memories that may be shown, under the names they speak of; the best first."""
    all_of_them = list(memories)
    known = {memory.learning_id: memory for memory in all_of_them}
    found: dict[str, list[Entry]] = defaultdict(list)
    for memory in all_of_them:
        if is_certain(memory) and is_injectable(memory, now, ""):
            rows = [(anchor.file, anchor.symbol, anchor.hash) for anchor in memory.anchors]
            shown = entry(memory, now, other=opposite(memory, known))._replace(anchors=rows)
            for name in names_of(memory):
                found[name].append(shown)
    return {name: sorted(some, key=lambda one: -one.worth) for name, some in found.items()}


class KnownPlaces:
    """What the code of a work tree and the memories say to a hook. The graph is opened for one question at a time."""

    def __init__(self, data_dir: str, words: WordIndex, last_event: Callable[[], int]):
        self.data_dir = data_dir
        self.words = words
        self.last_event = last_event

    def about(self, project_id: str, name: str) -> list[Entry]:
        """Memories that speak of a name."""
        return self.words.about(project_id, name, self.last_event())

    def defined(self, tree: str, name: str) -> str:
        """The file and line where a name is surely defined; empty when it is not known or could be several."""
        rows = self._ask(tree, lambda code: code.symbols_named(name, 50))
        own = [row for row in rows if not _TESTS.search(row["file"])]
        outer = [row for row in own if row["kind"] in ("function", "class", "interface") or row["name"][0].isupper()]
        files = {row["file"] for row in outer}
        if len(files) != 1 or len({row["file"] for row in own}) != 1:
            return ""
        first = min(outer, key=lambda row: int(row["line"]))
        return f"{first['file']}:{first['line']}"

    def file(self, tree: str, name: str) -> str:
        """The one file of that name; empty when there is none, or more."""
        found = self._ask(tree, lambda code: code.files_like(name))
        return str(found[0]) if len(found) == 1 else ""

    def users(self, tree: str, path: str) -> list[str]:
        """The files that import a file."""
        return self._ask(tree, lambda code: code.importers(path))[:MOST_USERS]

    def _ask(self, tree: str, question: Callable[[Code], list[Any]]) -> list[Any]:
        code = open_code(self.data_dir, tree, readonly=True)
        if code is None:
            return []
        try:
            return question(code)
        finally:
            code.close()
