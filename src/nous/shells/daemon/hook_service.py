"""The daemon's side of the hooks: the same answers, with a live search at hand."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nous.app import Nous, system_clock
from nous.app.pipeline import Pipeline
from nous.app.showing import likeness, word_index
from nous.config import Settings, with_overrides
from nous.kernel.capture.tail import storable
from nous.kernel.hooks.hookstore import HookStore
from nous.kernel.hooks.packing import Earlier
from nous.kernel.hooks.responses import ANSWERS, Budgets, HookContext, answer
from nous.shells import hooks

if TYPE_CHECKING:
    from nous.shells.web.lender import SessionPool
    from nous.shells.web.server import Server


class HookService:
    """Answers hooks; every server thread has a connection of its own, and all of them share one search."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.local = threading.local()
        self.searching = threading.Lock()
        self.finder: Pipeline | None = None
        self.opened: list[Pipeline] = []
        self.words = word_index(settings, system_clock)
        self.lender: SessionPool | None = None

    def web(self, wrote: Callable[[], None] | None, more: Callable[[], dict[str, Any]]) -> Server:
        """What answers under `/v1`; it searches with the same embedder and vectors as the hooks."""
        from nous.shells.web.keys import Keys, machine_token
        from nous.shells.web.lender import SessionPool
        from nous.shells.web.server import Server

        self.lender = SessionPool(self.settings, finder=self._lend, wrote=wrote)
        return Server(self.lender, Keys(machine_token(self.settings.data_dir), known=self.lender.recognised), more)

    @contextmanager
    def _lend(self) -> Iterator[Nous]:
        """The one search, for somebody who asks and does not write."""
        with self.searching:
            if self.finder is None:
                self.finder = self._open()
            asking = Nous(self.finder.stores, self.settings, system_clock)
            asking.work, asking.is_readonly = self.finder, True
            yield asking

    def prepare(self) -> None:
        """Load what a search needs, so that the first one does not wait for it; a failure shows when it is used."""
        for _ in range(2):  # the first question is answered from the file, those after it from memory
            try:
                with self._lend() as nous:
                    nous.recall("is everything ready", limit=1, all_projects=True)
            except Exception as problem:
                hooks.note(os.environ, "prepare", problem)
                return

    def close(self) -> None:
        """Let go of the database, when nobody asks any more: whoever closes it last tidies up beside it."""
        if self.lender is not None:
            self.lender.close()
        with self.searching:
            for work in self.opened:
                work.let_go()
            self.opened.clear()

    def respond(self, name: str, body: bytes, headers: Mapping[str, str] = {}) -> bytes:
        """The client's answer to a hook; a failure is logged and answered with silence."""
        if name == "command":
            return self._run_command(body)
        if name not in ANSWERS:
            return b""
        try:
            settings = with_overrides(self.settings, given) if (given := _read_given(headers)) else self.settings
            budgets = Budgets(settings.session_start_tokens, settings.prompt_tokens, settings.tool_tokens)
            prompts = settings.enable_userpromptsubmit
            work = self._work()
            live = (budgets, prompts, self._passages, work.places(self.words), settings.announce)
            hook = HookContext(HookStore(work.connection), system_clock(), *live, likeness=likeness)
            return answer(name, body, hook)
        except Exception as problem:
            hooks.note(os.environ, name, problem)
            return b""

    def _run_command(self, body: bytes) -> bytes:
        """What a command prints that was typed elsewhere (`shells/quick.py`)."""
        from nous.shells.cli.hosting import run_command

        return run_command(body, self.settings, self._lend_command)

    @contextmanager
    def _lend_command(self, name: str) -> Iterator[Nous]:
        """A memory for a command: one that notes what was asked for, or one that cannot write and waits for nobody."""
        if name in ("list", "status") and self.lender is not None:
            with self.lender.reader() as nous:
                yield nous
            return
        with self._lend() as nous:
            nous.is_readonly = False
            yield nous

    def hurry(self, path: str) -> None:
        """What waits of a transcript is due now."""
        self._work().stores.queue.hurry(storable(path), system_clock())

    def _work(self) -> Pipeline:
        work: Pipeline | None = getattr(self.local, "work", None)
        if work is None:
            work = self.local.work = self._open()
        return work

    def _open(self) -> Pipeline:
        self.opened.append(work := Pipeline.open(self.settings, system_clock))
        return work

    def _passages(self, text: str, project_id: str, told: Collection[str], is_error: bool) -> list[Earlier]:
        """Earlier exchanges that a text plainly matches, but for those that the session was told of."""
        with self.searching:
            if self.finder is None:
                self.finder = self._open()
            return self.finder.passages(text, project_id, told, is_error=is_error)


def _read_given(headers: Mapping[str, str]) -> dict[str, str]:
    """The settings of the client's environment that came with a hook."""
    said = {setting: headers.get(hooks.header(setting).lower()) for setting in hooks.PASSED}
    return {setting: value for setting, value in said.items() if value}
