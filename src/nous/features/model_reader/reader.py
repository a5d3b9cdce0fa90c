"""A chosen model reads sessions as they come to rest: once each, within the budget, in the order of time.

The rules have learned from a session before any model sees it, so nothing waits for a model and nothing is lost when it
fails. Every call is booked before it is made, with the most it may cost.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from nous.config import Settings
from nous.errors import BadOutput, ConfigError, NousError, ProviderError
from nous.features.model_reader.git_facts import git_facts
from nous.features.model_reader.intake import ReadSession, take_in
from nous.features.model_reader.request import SCHEMA, Request, build_request
from nous.features.model_reader.sessions import Portion, SessionChoice, next_portion, skip, waiting
from nous.kernel.learn.learn import Learned
from nous.kernel.learn.reading import CheckedReading, check_reading
from nous.kernel.stores import Row, Stores, open_stores
from nous.providers.asking import Misunderstood, book_failure, chosen_model, cost_of_answer
from nous.providers.budget import MAX_TOKENS, PROMPT, PROMPT_CHARACTERS, PURPOSE, Allowance, Policy, allowance
from nous.providers.ledger import NOTHING, CallStatus, Spent
from nous.providers.llm import Completion, CutOff, Llm, Price, cost, estimate, price_of
from nous.providers.prompts import Prompt, load
from nous.providers.recorded import RecordedReadings

log = logging.getLogger("nous")

Facts = Callable[[str], str]


class ModelAnswer(NamedTuple):
    """A reading that came back, what it took, and how the call ended."""

    checked: CheckedReading
    spent: Spent
    model: str
    status: CallStatus


class ModelReader:
    """The chosen model as a reader of sessions."""

    def __init__(self, stores: Stores, llm: Llm, policy: Policy, clock: Callable[[], str], facts: Facts = git_facts):
        self.stores, self.llm, self.policy, self.clock, self.facts = stores, llm, policy, clock, facts
        self.prompt: Prompt = load(PROMPT)
        self.price: Price = price_of(llm.model, local=llm.local, given=policy.price)
        self.version = f"{self.prompt.version}/{llm.provider}:{llm.model}"

    def read_next(self, wanted: SessionChoice = SessionChoice()) -> Learned | None:
        """Read the next session; None when nothing waits or nothing may be spent."""
        left = allowance(self.stores.ledger, self.policy, self.clock())
        if left.reason is not None:
            return None
        if isinstance(self.llm, RecordedReadings):
            return self.replay_next(self.llm, wanted._replace(whole=True))
        portion = next_portion(self.stores.ledger, self.stores.transcripts, self.clock(), wanted)
        return self.read(portion, left) if portion else None

    def replay_next(self, recorded: RecordedReadings, wanted: SessionChoice) -> Learned | None:
        """Take in the recorded reading of the next session that has one."""
        while portion := next_portion(self.stores.ledger, self.stores.transcripts, self.clock(), wanted):
            text = recorded.reading(portion.session_id)
            if text is None:
                skip(self.stores.ledger, portion, "nobody recorded a reading of it", self.clock())
                continue
            call_id = self.book(portion, NOTHING)
            try:
                checked = check_reading(text, portion.session_id)
            except BadOutput as problem:
                book_failure(self.stores.ledger, recorded, call_id, NOTHING, problem, self.clock())
                return Learned(failed=1)
            return self.settle(portion, call_id, ModelAnswer(checked, NOTHING, recorded.model, "answered"))
        return None

    def read(self, portion: Portion, left: Allowance) -> Learned | None:
        """Ask about one stretch of a session and take in the answer; None when the day's rest does not allow it."""
        request = self.request(portion, left)
        expected = self.expected(request)
        with self.stores.db.transaction():  # what was left may be spent by now; nobody else books while we look
            now_left = allowance(self.stores.ledger, self.policy, self.clock())
            if request.is_crowded or now_left.reason or _exceeds(expected, now_left):
                return None
            if not any(row["session_id"] == portion.session_id for row in self.still_waiting()):
                return Learned()  # another process was faster
            call_id = self.book(portion, expected)
        try:
            answer = self.ask(request, portion)
        except ProviderError as problem:
            book_failure(self.stores.ledger, self.llm, call_id, expected, problem, self.clock())
            return Learned(failed=1)
        except ConfigError as problem:  # the command or the key is gone: nothing was sent, and waiting does not help
            said = str(problem)[:300]
            self.stores.ledger.finish(call_id, "unreachable", self.llm.model, NOTHING, self.clock(), error=said)
            raise
        return self.settle(portion, call_id, answer)

    def preview(self, wanted: SessionChoice) -> str | None:
        """The request that would be sent next; None when nothing waits."""
        portion = next_portion(self.stores.ledger, self.stores.transcripts, self.clock(), wanted)
        if portion is None:
            return None
        request = self.request(portion, allowance(self.stores.ledger, self.policy, self.clock()))
        return f"{self.prompt.system}\n\n===\n\n{request.text}"

    # -- one call --------------------------------------------------------------------------------------------------

    def request(self, portion: Portion, left: Allowance) -> Request:
        """What is asked about a stretch of a session, cut to what may be spent."""
        tokens = left.tokens - MAX_TOKENS
        if self.price.input > 0:
            tokens = min(tokens, int((left.usd - cost(self.price, 0, MAX_TOKENS)) / self.price.input * 1e6))
        return build_request(self.stores, portion, min(PROMPT_CHARACTERS, tokens * 3), self.prompt, self.facts)

    def expected(self, request: Request) -> Spent:
        tokens = estimate(request.text + self.prompt.system)
        return Spent(1, tokens, MAX_TOKENS, cost(self.price, tokens, MAX_TOKENS))

    def still_waiting(self) -> list[Row]:
        return waiting(self.stores.ledger, self.clock(), SessionChoice(since="0000"))

    def book(self, portion: Portion, expected: Spent) -> int:
        """The number of the call that is about to be made."""
        ledger, llm = self.stores.ledger, self.llm
        version, budget = self.prompt.version, self.policy.budget
        return ledger.begin(
            PURPOSE, version, llm.provider, llm.model, portion.read, expected, self.clock(), budget=budget
        )

    def ask(self, request: Request, portion: Portion) -> ModelAnswer:
        try:
            said = self.llm.complete(request.text, self.prompt.system, SCHEMA, MAX_TOKENS)
        except CutOff as cut:
            said = cut.answer
        checked = _understand(said, request, portion.session_id)
        spent = Spent(1, said.input_tokens, said.output_tokens, cost_of_answer(said, self.price))
        return ModelAnswer(checked, spent, said.model, "partial" if checked.is_partial else "answered")

    def settle(self, portion: Portion, call_id: int, answer: ModelAnswer) -> Learned:
        """Take in a reading and book what it took, both or neither."""
        turns = ReadSession(portion.session_id, portion.project_id, portion.turns, portion.earlier)
        with self.stores.db.transaction():
            outcome = take_in(self.stores, turns, answer.checked, self.version, self.clock())
            self.stores.ledger.finish(
                call_id,
                answer.status,
                answer.model,
                answer.spent,
                self.clock(),
                learned=outcome.learned,
                rejected=outcome.rejected,
            )
        return outcome


def _understand(said: Completion, request: Request, session_id: str) -> CheckedReading:
    try:
        return request.understand(said.text if said.structured is None else said.structured, session_id)
    except BadOutput as wrong:
        raise Misunderstood(str(wrong), said) from None


def _exceeds(expected: Spent, left: Allowance) -> bool:
    return expected.tokens > left.tokens or expected.usd > left.usd


# -- in the background ----------------------------------------------------------------------------------------------


def attend(
    settings: Settings,
    environ: Mapping[str, str],
    clock: Callable[[], str],
    stop: threading.Event,
    pause: float = 60.0,
    between: Callable[[Stores], object] = lambda _: None,
) -> None:
    """Let the chosen model read sessions as they come to rest, until told to stop; returns at once when none is chosen.

    For a thread of its own, with its own connection: a call takes long and nobody must wait for it. `between` is called
    whenever nothing waits.
    """
    from nous.features.model_reader.history import read_step  # it needs this module

    llm = _choose_reader(settings, environ)
    if llm is None:
        return
    stores = open_stores(settings.db_path)
    try:
        while not stop.is_set():
            if _attempt(partial(read_step, stores, llm, settings, clock)) is None:
                _attempt(partial(between, stores))
                stop.wait(pause)
    finally:
        stores.close()


def _choose_reader(settings: Settings, environ: Mapping[str, str]) -> Llm | None:
    try:
        return chosen_model(settings, environ)
    except NousError as problem:
        log.warning("no model can be asked: %s", problem)
        return None


def _attempt(step: Callable[[], object]) -> object:
    """One step that nothing can break: what goes wrong is logged and waited out."""
    try:
        return step()
    except NousError as problem:
        log.warning("the model could not be asked: %s", problem)
        return None
