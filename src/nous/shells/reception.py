"""The daemon's side of the hooks: the same answers, with a live search at hand."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping

from nous.app import system_clock
from nous.config import Settings, adjusted
from nous.core.packing import Entry
from nous.shells import hooks
from nous.shells.answers import Budgets, Desk, answer
from nous.work import Pipeline


class Reception:
    """Answers hooks; every server thread has a connection of its own, and all of them share one search."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.local = threading.local()
        self.searching = threading.Lock()
        self.finder: Pipeline | None = None
        self.opened: list[Pipeline] = []

    def prepare(self) -> None:
        """Load what a search needs, so that the first prompt does not wait for it; a failure shows when it is used."""
        for _ in range(2):  # the first question is answered from the file, those after it from memory
            try:
                self._search("is everything ready", "", "")
            except Exception as problem:
                hooks.note(os.environ, "prepare", problem)
                return

    def close(self) -> None:
        """Let go of the database, when nobody asks any more: whoever closes it last tidies up beside it."""
        with self.searching:
            for work in self.opened:
                work.stores.close()
            self.opened.clear()

    def respond(self, name: str, body: bytes, headers: Mapping[str, str] = {}) -> bytes:
        """The client's answer to a hook; a failure is logged and answered with silence."""
        try:
            settings = adjusted(self.settings, _given(headers)) if headers else self.settings
            budgets = Budgets(settings.session_start_tokens, settings.prompt_tokens, settings.tool_tokens)
            prompts = settings.enable_userpromptsubmit
            desk = Desk(self._work().connection, system_clock(), self._search, budgets, prompts)
            return answer(name, body, desk)
        except Exception as problem:
            hooks.note(os.environ, name, problem)
            return b""

    def _work(self) -> Pipeline:
        work: Pipeline | None = getattr(self.local, "work", None)
        if work is None:
            work = self.local.work = self._open()
        return work

    def _open(self) -> Pipeline:
        self.opened.append(work := Pipeline.open(self.settings, system_clock))
        return work

    def _search(self, text: str, project_id: str, branch: str) -> list[Entry]:
        """What of the memory answers; one search at a time, since they share one embedder and one set of vectors."""
        with self.searching:
            if self.finder is None:
                self.finder = self._open()
            return self.finder.unasked(text, project_id, branch)


def _given(headers: Mapping[str, str]) -> dict[str, str]:
    """The settings of the client's environment that came with a hook."""
    said = {setting: headers.get(hooks.header(setting)) for setting in hooks.PASSED}
    return {setting: value for setting, value in said.items() if value}
