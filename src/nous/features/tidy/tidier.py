"""A chosen model tidies a project: when it is due, within the budget, with a copy of the database made before."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from nous.errors import BadOutput, NousError, ProviderError
from nous.features.tidy.intake import Tidied, tidy_up
from nous.features.tidy.request import SCHEMA, Request, build_request
from nous.features.tidy.tidying import CheckedTidying, check_tidying
from nous.kernel.stores import Stores
from nous.moments import later
from nous.providers.asking import ask, book_failure
from nous.providers.budget import Policy
from nous.providers.ledger import NOTHING, Read
from nous.providers.llm import Llm
from nous.providers.prompts import Prompt, load
from nous.providers.recorded import RecordedReadings

PROMPT = "tidy"
MAX_TOKENS = 6_000
READINGS = 10  # of a project, after which it is tidied
MANY = 80  # memories in use; a project with more is tidied once a day
DAY_SECONDS = 86400.0
LEAST = 5  # memories below which there is nothing to put in order


class Due(NamedTuple):
    """How a project stands: sessions read since it was tidied last, memories in use, and when that was."""

    readings: int
    memories: int
    last: str


def standing(stores: Stores, project_id: str) -> Due:
    """What has happened in a project since its last tidying."""
    last = stores.tidyings.of_project(project_id)
    rows = stores.read_sessions.of_project(project_id, 1000)
    since = sum(row["version"] > last.version for row in rows) if last else len(rows)
    memories = len(stores.memories.listing(project_id, limit=5000, with_global=False))
    return Due(since, memories, last.at if last else "")


def is_due(stores: Stores, project_id: str, now: str, *, nightly: bool = False) -> bool:
    """Whether a project should be tidied: after ten readings, once a day above 80 memories, nightly after any."""
    found = standing(stores, project_id)
    if not found.readings or found.memories < LEAST:
        return False
    rested = later(found.last, DAY_SECONDS) <= now if found.last else True
    return found.readings >= READINGS or nightly or (found.memories > MANY and rested)


class Tidier:
    """The chosen model as one that puts a project's memories in order."""

    def __init__(self, stores: Stores, llm: Llm, policy: Policy, clock: Callable[[], str]):
        self.stores, self.llm, self.policy, self.clock = stores, llm, policy, clock
        self.prompt: Prompt = load(PROMPT)
        self.version = f"{self.prompt.version}/{llm.provider}:{llm.model}"

    def preview(self, project_id: str) -> str:
        """The request that would be sent."""
        return f"{self.prompt.system}\n\n===\n\n{build_request(self.stores, project_id, self.prompt).text}"

    def tidy(self, project_id: str, copy: Callable[[], object]) -> Tidied:
        """Tidy a project; `copy` makes the copy of the database before anything is written."""
        request = build_request(self.stores, project_id, self.prompt)
        if len(request.labels) < LEAST:
            raise NousError(f"{len(request.labels)} memories are too few to put in order")
        checked = self.answer(request)
        copy()
        with self.stores.db.transaction():
            return tidy_up(self.stores, project_id, checked, self.version, self.clock())

    def answer(self, request: Request) -> CheckedTidying:
        """What the model says, checked and with learnings for its labels."""
        if isinstance(self.llm, RecordedReadings):
            return self.take_recorded(self.llm)
        found = ask(
            self.stores.ledger,
            self.llm,
            self.policy,
            self.clock,
            self.prompt,
            request.text,
            SCHEMA,
            MAX_TOKENS,
            request.understand,
        )
        if found is None:
            raise ProviderError(
                "the model may not be asked now, or gave no answer", hint="`nous admin cost --calls 5` says why"
            )
        return found

    def take_recorded(self, llm: RecordedReadings) -> CheckedTidying:
        """The tidying that lies with the recorded readings; it is booked like any call, and costs nothing."""
        text = llm.tidying()
        if text is None:
            raise NousError("nobody recorded a tidying", hint=f"tidying.json is looked for in and beside {llm.folder}")
        ledger, nobody = self.stores.ledger, Read("", "", "")
        call = ledger.begin(PROMPT, self.prompt.version, llm.provider, llm.model, nobody, NOTHING, self.clock())
        try:
            checked = check_tidying(text)
        except BadOutput as problem:
            book_failure(self.stores.ledger, llm, call, NOTHING, problem, self.clock())
            raise
        ledger.finish(call, "answered", llm.model, NOTHING, self.clock())
        return checked
