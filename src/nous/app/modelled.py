"""What a chosen model reads, tidies and answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING

from nous.app.pipeline import CHECKPOINTS
from nous.config import Settings, excluded_projects
from nous.errors import ConfigError, ProviderError
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.learn.learn import Learned

if TYPE_CHECKING:
    from nous.app.pipeline import Pipeline
    from nous.features.ask.notes import CitedSentence, FoundNote
    from nous.features.tidy.intake import Tidied
    from nous.kernel.stores import Stores
    from nous.providers.budget import Allowance
    from nous.providers.llm import Llm


def answer(work: Pipeline, question: str, notes: Sequence[FoundNote]) -> tuple[str, tuple[CitedSentence, ...]] | None:
    """The chosen model's name, and its answer from some notes; None when it may not be asked, or gives none."""
    from nous.features.ask.answer import answer

    llm = _answering_model(work)
    found = answer(work.stores.ledger, llm, work.policy, work.clock, question, notes)
    return None if found is None else (f"{llm.provider}:{llm.model}", found)


def allowance(work: Pipeline) -> Allowance:
    """What is left of today's budget for models."""
    from nous.providers.budget import allowance

    return allowance(work.stores.ledger, work.policy, work.clock())


def read(work: Pipeline, limit: int, *, at_once: bool, **wanted: str | None) -> tuple[int, Learned]:
    """Let the chosen model read sessions; how many were read, and what that gave.

    `at_once`: also those that are still going on; `wanted` are `since`, `project_id` and `session_id`.
    """
    from nous.features.model_reader.reader import ModelReader
    from nous.features.model_reader.sessions import choose_sessions

    chosen = choose_sessions(at_once=at_once, excluded=excluded_projects(work.settings), **wanted)
    reader, total, calls = ModelReader(work.stores, work.model(), work.policy, work.clock), Learned(), 0
    while calls < limit and (outcome := reader.read_next(chosen)) is not None:
        calls += 1
        total = total.plus(outcome)
    work.tidy_due()
    return calls, total


def preview_reading(work: Pipeline, *, at_once: bool, **wanted: str | None) -> str | None:
    """The request that would be sent next; None when nothing waits to be read."""
    from nous.features.model_reader.reader import ModelReader
    from nous.features.model_reader.sessions import choose_sessions

    reader = ModelReader(work.stores, work.model(), work.policy, work.clock)
    excluded = excluded_projects(work.settings)
    return reader.preview(choose_sessions(at_once=at_once, excluded=excluded, **wanted))


def tidy(work: Pipeline, project_id: str) -> Tidied:
    """Let the chosen model put a project's memories in order; a copy of the database is kept."""
    from nous.features.backup.backup import checkpoint
    from nous.features.tidy.tidier import Tidier

    _may_be_sent(work, project_id)

    def copy() -> None:
        if isinstance(work.stores.db, Sqlite):
            folder = os.path.join(work.settings.data_dir, CHECKPOINTS)
            checkpoint(work.settings.db_path, folder, "tidy", work.clock())

    return Tidier(work.stores, work.model(), work.policy, work.clock).tidy(project_id, copy)


def preview_tidying(work: Pipeline, project_id: str) -> str:
    """The request that a tidying of a project would send."""
    from nous.features.tidy.tidier import Tidier

    return Tidier(work.stores, work.model(), work.policy, work.clock).preview(project_id)


def _may_be_sent(work: Pipeline, project_id: str) -> None:
    """Refuse, in a sentence, to send the words of a project that the user keeps from every model."""
    if project_id in excluded_projects(work.settings):
        hint = "`nous config unset llm_provider --project PATH` allows it again"
        raise ConfigError("the words of this project are sent to no model", hint=hint)


def tidy_due(work: Pipeline, *, nightly: bool = False) -> tuple[str, ...]:
    """Tidy the projects for which it is time, while the budget lasts; which ones.

    Recorded tidyings belong to the end of a recorded history, so that they are replayed only when asked for.
    """
    from nous.features.tidy.tidier import is_due
    from nous.providers.asking import chosen_model

    llm = chosen_model(work.settings, os.environ)
    if llm is None or llm.provider == "recorded":
        return ()
    done: list[str] = []
    excluded = excluded_projects(work.settings)
    for project_id in (row["project_id"] for row in work.stores.cache.projects()):
        if project_id in excluded:
            continue
        if work.allowance().reason is None and is_due(work.stores, project_id, work.clock(), nightly=nightly):
            with suppress(ProviderError):  # the ledger says why; the next night tries again
                work.tidy(project_id)
                done.append(project_id)
    return tuple(done)


def _answering_model(work: Pipeline) -> Llm:
    """The chosen model, when it is one that answers questions: recorded readings do not."""
    llm = work.model()
    if llm.provider == "recorded":
        raise ConfigError("recorded readings answer no questions", hint="choose a model as llm_provider")
    return llm


def model(work: Pipeline) -> Llm:
    from nous.providers.asking import chosen_model

    llm = chosen_model(work.settings, os.environ)
    if llm is None:
        raise ConfigError("no model is chosen", hint="`nous init --model claude`, or another")
    return llm


def run_model_reader(settings: Settings, clock: Callable[[], str], ending: Event) -> None:
    """Let a model read sessions as they come to rest, if the user chose one, until told to end. It opens a store."""
    from nous.app.pipeline import Pipeline  # which needs this module
    from nous.features.model_reader import reader

    def tidy(stores: Stores) -> object:
        return Pipeline(stores, settings, clock, "reader").tidy_due()

    reader.attend(settings, dict(os.environ), clock, ending, between=tidy)
