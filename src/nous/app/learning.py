"""Reading sessions: from transcripts on disk to what is learned."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Generator, Sequence
from typing import TYPE_CHECKING, Any

from nous.features.imports.drafts import Format
from nous.features.rules_reader.snapshots import snapshot
from nous.identity import Project
from nous.kernel.capture import backfill as histories
from nous.kernel.capture.backfill import PATIENCE, Chosen, Estimate, Progress, choose
from nous.kernel.capture.intake import Intake, rules_of
from nous.kernel.capture.queue import is_dead
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.learn.learn import Learned, learn_next

if TYPE_CHECKING:
    from nous.app.pipeline import Pipeline
    from nous.kernel.learn.upgrade import UpgradeState


def intake(work: Pipeline, quiet_seconds: float = 0.0) -> Intake:
    """What takes transcripts in as the user wants it."""
    return Intake(work.stores, work.clock, rules_of(work.settings, quiet_seconds))


def learn(work: Pipeline, is_stopping: Callable[[], bool] = lambda: False) -> Learned:
    """Learn everything that is due in the queue."""
    work.stores.queue.sweep(work.clock(), is_dead)
    if not isinstance(work.stores.db, Sqlite):
        work.hook_cache.carry(work.stores, work.clock())  # what transcripts say of receipts, receipts must hear
    gained = Learned()
    while not is_stopping():
        outcome = learn_next(work.stores, work.worker, work.clock, work.options)
        if outcome is None:
            break
        gained = gained.plus(outcome)
    return gained


def keep_standing(work: Pipeline, path: str, session_id: str) -> None:
    """Keep where a session stands that is about to lose its context."""
    snapshot(work.stores, path, session_id, work.clock())
    work.prepare_hooks()


def transcripts(
    work: Pipeline, since: float | None = None, project_id: str | None = None, limit: int | None = None
) -> list[Chosen]:
    """The transcripts on disk, oldest first."""
    return choose(work.stores.files, work.settings.project_glob, since, project_id, limit)


def estimate(work: Pipeline, files: Sequence[Chosen]) -> tuple[Estimate, float | None]:
    """How much there is to read, and what the chosen model would cost in dollars; None when none is chosen."""
    from nous.features.model_reader.history import answer_tokens, old_sessions, reading_cost, weigh
    from nous.providers.asking import chosen_model
    from nous.providers.llm import price_of

    found = histories.estimate(list(files))
    llm = chosen_model(work.settings, os.environ)
    if llm is None:
        return found, None
    price = price_of(llm.model, local=llm.local, given=work.policy.price)
    sessions = weigh(old_sessions((file.path, file.size) for file in files if file.new > 0))
    return found, round(reading_cost(sessions, price, answer_tokens(work.stores.ledger)).usd, 2)


def backfill(work: Pipeline, files: Sequence[Chosen], here: str = "") -> Generator[Progress]:
    """Read and learn transcripts portion by portion, with what follows from each: the project `here` is ready first.

    Safe to stop anywhere and to start again.
    """
    rules, size = rules_of(work.settings), sum(file.new for file in files)
    whole = Progress(len(files), 0, size, 0)
    portions = list(histories.in_portions(files, here))
    for portion in portions:
        since, patience = work.stores.events.last_id(), PATIENCE if portion is portions[-1] else 0.0
        step = Progress(0, 0, 0, 0)
        for step in histories.backfill(
            work.stores, portion, work.worker, work.clock, rules=rules, options=work.options, patience=patience
        ):
            yield whole.plus(step)
        whole = _follow(work, since, whole.plus(step), step.outcome.projects)
    since = work.stores.events.last_id()
    work.follow_client_memory()
    yield _follow(work, since, whole)


def _follow(work: Pipeline, since: int, read: Progress, projects: Collection[str] = ()) -> Progress:
    """Do what follows from what was read last, in these projects and those that events since then belong to."""
    done = work.after_learning(since, projects)
    troubles = dict.fromkeys((*read.troubles, *(trouble.line() for trouble in done.troubles)))
    return read._replace(packets=read.packets + done.packets, troubles=tuple(troubles))


def follow_client_memory(work: Pipeline, since: float | None = None) -> Counter[str]:
    """Take over what the client's own memory says and follow its changes; what became of files, by word."""
    return work.client_memory.follow(os.path.join(work.settings.claude_config_dir, "projects"), since)


def take_over(
    work: Pipeline,
    files: Sequence[str],
    project: Project,
    *,
    is_given: bool,
    format_: Format | None,
    dry_run: bool,
    passphrase_file: str = "",
) -> list[dict[str, Any]]:
    """Take in what others wrote, file by file; what came of each. `is_given`: the user named the project."""
    from nous.features.imports.imports import describe, files_in, import_file, place_of
    from nous.teams.receive import found_package, take_in

    done: list[dict[str, Any]] = []
    options = work.options._replace(reopen=None)  # one transaction for a file: a second connection would wait for it
    for file in (inner for given in files for inner in files_in(given)):
        if format_ is None and found_package(file):
            done.append(take_in(work.stores, file, passphrase_file, work.clock(), dry_run=dry_run))
            continue
        place, name = place_of(file, project.id, is_given, work.settings.claude_config_dir)
        found = import_file(
            work.stores,
            file,
            place,
            work.clock,
            format_=format_,
            name=name,
            dry_run=dry_run,
            options=options,
            rules=rules_of(work.settings),
        )
        done.append({"file": file} | describe(found))
    return done


def retire_old(work: Pipeline, is_stopping: Callable[[], bool] = lambda: False) -> UpgradeState | None:
    """Go on retiring what older rules had kept and today's would not; None when that was done before."""
    from nous.kernel.learn.upgrade import retire_old, upgrade_state

    before = upgrade_state(work.stores.outcomes)
    if before is not None and before.is_done:
        return None
    from nous.features.rules_reader.extractor import RuleReader  # all the rules: not for who finds it done

    return retire_old(work.stores, work.clock, RuleReader(), is_stopping=is_stopping)
