"""The pipeline: how sessions are read, and what follows when something was learned.

Written once, with the user's settings, for the daemon, the commands, set-up and maintenance: what a session is shown
must not depend on who prepared it. Whoever reads or learns calls a method here and then `after_learning`. The methods
live in the modules of this folder, which are loaded when one of them is called.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nous.config import Settings
from nous.kernel.capture.queue import worker_name
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.methods import MethodsOf
from nous.kernel.recall.weights import DEFAULTS
from nous.kernel.stores import Stores, open_stores
from nous.providers import Embedder, open_embedder

if TYPE_CHECKING:
    from nous.app import following as _following
    from nous.app import learning as _learning
    from nous.app import modelled as _modelled
    from nous.app import showing as _showing
    from nous.app import spreading as _spreading
    from nous.features.client_memory.follow import ClientMemory
    from nous.kernel.hooks.hookcache import HookCache
    from nous.kernel.learn.learn import WorkerOptions
    from nous.providers.budget import Policy
else:
    # Not by the names of the modules: those become attributes of this one when they are loaded.
    _following, _learning = MethodsOf("nous.app.following"), MethodsOf("nous.app.learning")
    _modelled, _showing = MethodsOf("nous.app.modelled"), MethodsOf("nous.app.showing")
    _spreading = MethodsOf("nous.app.spreading")

CHECKPOINTS = "checkpoints"  # the folder of copies in the data directory


class Pipeline:
    """Everything that turns sessions into packets, over one open memory. Use it from one thread."""

    weights = DEFAULTS  # what each part of a score counts; a bench tries others

    def __init__(self, stores: Stores, settings: Settings, clock: Callable[[], str], name: str = "worker"):
        self.stores = stores
        self.settings = settings
        self.clock = clock
        self.worker = worker_name(name)

    @classmethod
    def open(cls, settings: Settings, clock: Callable[[], str], name: str = "worker") -> Pipeline:
        """A pipeline with a connection of its own; close it."""
        return cls(open_stores(settings.db_path), settings, clock, name)

    def close(self) -> None:
        """Let others have what this worker had claimed, and let go of the database."""
        self.stores.queue.give_back(self.worker, self.clock())
        self.let_go()

    def listen(self, wake: Callable[[], None], stopping: threading.Event) -> None:
        """Call `wake` whenever somebody writes to a memory on a server; a file has nobody who would say so."""
        if isinstance(self.stores.db, Sqlite):
            return
        from nous.teams.postgres.engine import hear

        thread = threading.Thread(target=hear, args=(self.stores.db, wake, stopping), name="listener", daemon=True)
        thread.start()

    def let_go(self) -> None:
        """Let go of the database, and of the file that hooks read beside a server."""
        self.stores.close()
        if "hook_cache" in self.__dict__:
            self.hook_cache.close()

    @property
    def connection(self) -> Any:
        """The driver's own connection, for the few statements of a hook: a server's hooks have a file beside it."""
        return self.stores.db.connection if isinstance(self.stores.db, Sqlite) else self.hook_cache.db.connection

    @cached_property
    def hook_cache(self) -> HookCache:
        """What hooks read when the memory is on a server."""
        from nous.kernel.hooks.hookcache import HookCache

        return HookCache(self.settings.data_dir)

    def retire_packets(self) -> None:
        """Take out of the hooks' file beside a server what is no longer to be told."""
        if not isinstance(self.stores.db, Sqlite):
            self.hook_cache.retire(self.stores.db)

    def prepare_hooks(self) -> None:
        """Let hooks find what waits on a server, and let the server know what they said."""
        if not isinstance(self.stores.db, Sqlite):
            self.hook_cache.refresh(self.stores, self.clock())

    @cached_property
    def embedder(self) -> Embedder | None:
        """What turns words into vectors, opened when first needed."""
        return open_embedder(self.settings.embedder, os.environ)

    @cached_property
    def client_memory(self) -> ClientMemory:
        """The client's own memory files, as far as they were read."""
        from nous.features.client_memory.follow import ClientMemory
        from nous.kernel.capture.intake import rules_of

        return ClientMemory(self.stores, self.clock, rules_of(self.settings))

    @cached_property
    def policy(self) -> Policy:
        """What a model may cost."""
        from nous.providers.budget import policy_of

        return policy_of(self.settings)

    @cached_property
    def options(self) -> WorkerOptions:
        """How units are learned."""
        from nous.kernel.learn.learn import WorkerOptions

        settings = self.settings
        return WorkerOptions(keep_transcripts=settings.keep_transcripts, reopen=lambda: open_stores(settings.db_path))

    # what follows from what was learned
    after_learning = _following.after_learning
    touched = _following.touched_projects
    catch_up = _following.catch_up
    warm = _following.warm
    reconcile = _following.reconcile
    index_exchanges = _following.index_exchanges
    embed = _following.embed
    observe = _following.observe
    settle = _following.settle
    replay = _following.replay
    compare = _following.compare
    check_pages = _following.check_pages
    surface_on = _following.surface_on

    # other devices, and erasing
    purge = _spreading.purge
    sync = _spreading.sync
    absorb = _spreading.absorb
    wipe = _spreading.wipe

    # reading sessions
    intake = _learning.intake
    learn = _learning.learn
    keep_standing = _learning.keep_standing
    transcripts = _learning.transcripts
    estimate = _learning.estimate
    backfill = _learning.backfill
    follow_client_memory = _learning.follow_client_memory
    take_over = _learning.take_over
    retire_old = _learning.retire_old

    # reading with a model
    answer = _modelled.answer
    allowance = _modelled.allowance
    read = _modelled.read
    preview_reading = _modelled.preview_reading
    tidy = _modelled.tidy
    preview_tidying = _modelled.preview_tidying
    tidy_due = _modelled.tidy_due
    model = _modelled.model

    # answering
    places = _showing.places
    passages = _showing.passages
