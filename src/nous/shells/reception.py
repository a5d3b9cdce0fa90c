"""The daemon's side of the hooks: the same answers, with a live search at hand."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping

from nous.app import system_clock
from nous.config import Settings, adjusted
from nous.core.likeness import tokens
from nous.core.memory import Memory
from nous.core.packing import Entry
from nous.core.worth import entry, is_injectable, opposite
from nous.recall.search import Query, recall
from nous.shells import hooks
from nous.shells.answers import Budgets, Desk, answer
from nous.stores import Stores, open_stores
from nous.stores.sqlite import Sqlite

FOUND = 8


class Reception:
    """Answers hooks; every server thread has a connection of its own."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.local = threading.local()

    def respond(self, name: str, body: bytes, headers: Mapping[str, str] = {}) -> bytes:
        """The client's answer to a hook; a failure is logged and answered with silence."""
        try:
            stores = self._stores()
            assert isinstance(stores.db, Sqlite)
            settings = adjusted(self.settings, _given(headers)) if headers else self.settings
            budgets = Budgets(settings.session_start_tokens, settings.prompt_tokens, settings.tool_tokens)
            prompts = settings.enable_userpromptsubmit
            desk = Desk(stores.db.connection, system_clock(), self._search, budgets, prompts)
            return answer(name, body, desk)
        except Exception as problem:
            hooks.note(os.environ, name, problem)
            return b""

    def _stores(self) -> Stores:
        stores: Stores | None = getattr(self.local, "stores", None)
        if stores is None:
            stores = self.local.stores = open_stores(self.settings.db_path)
        return stores

    def _search(self, text: str, project_id: str, branch: str) -> list[Entry]:
        """Memories that answer, as entries; none when nothing is good enough to be shown unasked."""
        now = system_clock()
        hits = recall(self._stores(), Query(text=text, project_id=project_id, limit=FOUND, now=now, check_files=False))
        good = [hit.memory for hit in hits if is_injectable(hit.memory, now, branch) and answers(hit.memory, text)]
        known = self._stores().memories.by_learning(name for memory in good for name in memory.contradicted_with)
        return [
            entry(memory, now, branch, opposite(memory, known))._replace(anchors=_rows(memory, project_id))
            for memory in good
        ]


def _given(headers: Mapping[str, str]) -> dict[str, str]:
    """The settings of the client's environment that came with a hook."""
    said = {setting: headers.get(hooks.header(setting)) for setting in hooks.PASSED}
    return {setting: value for setting, value in said.items() if value}


def _rows(memory: Memory, project_id: str) -> list[tuple[str, str, str]]:
    """What a memory of this project is anchored to."""
    own = memory.anchors if memory.project_id == project_id else ()
    return [(anchor.file, anchor.symbol, anchor.hash) for anchor in own]


def answers(memory: Memory, text: str) -> bool:
    """Whether a memory is surely about what a text says: two words in common, or one that is nobody's everyday word.

    A search always finds something that is best; to be shown unasked, a memory must be good.
    """
    said = {*tokens(memory.content), *(word.lower() for word in (*memory.entities, *memory.tags))}
    shared = said & set(tokens(text))
    return len(shared) >= 2 or any(not word.isalpha() and len(word) > 2 for word in shared)
