"""A model reads sessions once more, if the user chose one and the budget allows it.

The rules have learned from a session before any model sees it, so nothing waits for a model and nothing is lost when it
fails. What the model finds goes through the same comparison; what the rules had found already is merged. Every call is
booked before it is made, with the most it may cost.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import msgspec

from nous.config import Settings
from nous.core.compare import judge as builtin
from nous.core.compare.relate import Judge
from nous.core.compare.relearn import judge
from nous.core.events import Source, extraction_key
from nous.core.extraction import Learning, Objection, Rejection
from nous.core.memory import Memory
from nous.core.moments import later
from nous.core.prompting import SCHEMA, Parsed, answer_index, fill, parse_answer, vouch
from nous.core.redact import redact_text, redact_turn
from nous.core.rendering import Excerpt, excerpt
from nous.core.session import untouched
from nous.core.transcript import USER_KINDS, Turn
from nous.errors import BadOutput, ConfigError, NousError, ProviderError
from nous.prompts import Prompt, load
from nous.providers.llm import (
    Choice,
    Completion,
    CutOff,
    Declined,
    Llm,
    Price,
    Refused,
    TryLater,
    Unreachable,
    cost,
    estimate,
    open_llm,
    price_of,
)
from nous.remember.budget import (
    LEAST_CHARACTERS,
    MAX_TOKENS,
    PROMPT_CHARACTERS,
    PURPOSE,
    QUIET_SECONDS,
    Allowance,
    Policy,
    allowance,
    policy_of,
)
from nous.remember.git_facts import git_facts
from nous.remember.introduce import Origin
from nous.remember.known import (
    drafts_of,
    end_drafts,
    hear_objections,
    in_better_words,
    is_same_find,
    known,
    let_go,
    lines,
    records_of,
)
from nous.remember.learn import ChosenJudge, Learned, candidates, opinions, refused, take_up
from nous.remember.projection import catch_up
from nous.remember.reextract import after_upgrade
from nous.stores import Row, Stores, open_stores
from nous.stores.ledger import NOTHING, CallStatus, Read, Spent

log = logging.getLogger("nous")

SOURCE: Source = "fs_reconcile"  # a later look at what was captured before
LOOK_BACK_SECONDS = 7 * 86400.0  # older sessions are read only when somebody asks for it
RIPE_CHARACTERS = 120_000  # what has said so much need not be quiet; one call for much costs less than many for little
BATCH_CHARACTERS = 400_000  # that one call may be about; it is shown much less
CLEAN_CHARACTERS = 4_000  # so much before the first text from outside is worth a call of its own
EVER = "0000"  # before any moment
TURN_LABEL = 8  # characters for the turn that a draft rests on
ATTEMPTS = 2  # a session that was answered badly is sent once more, then left to the rules
BUSY_SECONDS = 900.0

_turns = msgspec.json.Decoder(list[Turn])
Facts = Callable[[str], str]


# -- one call -------------------------------------------------------------------------------------------------------


class Portion(NamedTuple):
    """A stretch of one session that is sent at once; `is_cut`: it goes on.

    `earlier` is what came before it: nobody is shown it again, but what it brought in from outside still counts.
    `waiting`: characters of the session that nobody has read, of which it may be the first part.
    """

    session_id: str
    project_id: str
    turns: list[Turn]
    is_cut: bool = False
    earlier: Sequence[Turn] = ()
    waiting: int = 0

    @property
    def so_far(self) -> list[Turn]:
        """The session until its end."""
        return [*self.earlier, *self.turns]

    @property
    def read(self) -> Read:
        """How far it goes."""
        latest = max((turn.at for turn in self.turns), default="")
        return Read(self.session_id, self.turns[-1].uuid if self.turns else "", latest)


class PreparedPrompt(NamedTuple):
    """A prompt ready to be sent, and what is needed to understand the answer.

    `drafts` are those whose turns are shown. `is_crowded`: hardly any room was left for the session, so that asking
    would be a waste.
    """

    prompt: str
    shown: Excerpt
    known: dict[str, str]
    drafts: tuple[str, ...] = ()
    is_crowded: bool = False

    def passed_over(self, parsed: Parsed) -> list[str]:
        """The drafts that a whole answer says nothing about, though it says which ones it keeps."""
        return [] if parsed.named is None else [draft for draft in self.drafts if draft not in parsed.named]


def consider_next(
    stores: Stores,
    llm: Llm,
    policy: Policy,
    clock: Callable[[], str],
    *,
    facts: Facts = git_facts,
    quiet_seconds: float = QUIET_SECONDS,
    since: str | None = None,
    chosen: ChosenJudge | None = None,
) -> Learned | None:
    """Let the model read the next session; None when nothing waits or nothing may be spent.

    Sessions that ended before `since` are left alone; unless it is given, those of the last week are read.
    """
    left = allowance(stores, policy, clock())
    if left.reason is not None:
        return None
    batch = next_batch(stores, clock(), quiet_seconds, since)
    if batch is None:
        return None
    return consider(stores, llm, policy, batch, left, clock, facts, chosen)


def next_batch(
    stores: Stores, now: str, quiet_seconds: float = QUIET_SECONDS, since: str | None = None
) -> Portion | None:
    """The oldest session that has come to rest or has said enough; what nobody spoke in is passed over."""
    for row in _waiting(stores, now, since):
        batch = _batch(stores, row)
        ripe = batch.waiting >= RIPE_CHARACTERS
        goes_on = later(row["last_at"], quiet_seconds) > now
        if not batch.turns or (goes_on and not ripe):
            continue
        if reason := _unfit(batch, row["failures"]):
            stores.ledger.skip(PURPOSE, load(PURPOSE).version, batch.read, reason, now)
            continue
        return batch._replace(is_cut=batch.is_cut or goes_on)
    return None


def _unfit(batch: Portion, failures: int) -> str | None:
    if failures >= ATTEMPTS:
        return "it was answered badly too often"
    spoken = any(turn.kind in USER_KINDS and turn.text.strip() for turn in batch.turns)
    return None if spoken else "nobody spoke"


def _waiting(stores: Stores, now: str, since: str | None = None) -> list[Row]:
    return stores.ledger.waiting(PURPOSE, since or later(now, -LOOK_BACK_SECONDS), later(now, -BUSY_SECONDS))


def _batch(stores: Stores, row: Row) -> Portion:
    """What no model has read of a session yet, as much as one call may be about."""
    turns = turns_of(stores, row["session_id"])
    unread = unread_turns(turns, row["until_uuid"], row["until_at"] or "")
    waiting = set(map(id, unread))
    earlier = [turn for turn in turns if id(turn) not in waiting]
    chosen: list[Turn] = []
    size = 0
    for turn in unread:
        size += len(turn.text)
        if chosen and size > BATCH_CHARACTERS:
            break
        chosen.append(turn)
    clean = chosen[: untouched(chosen)] if untouched(earlier) == len(earlier) else []
    if sum(len(turn.text) for turn in clean) >= CLEAN_CHARACTERS:
        chosen = clean  # whoever reads this cannot have been talked into anything
    left = sum(len(turn.text) for turn in unread)
    return Portion(row["session_id"], row["project_id"], chosen, len(chosen) < len(unread), earlier, left)


def turns_of(stores: Stores, session_id: str) -> list[Turn]:
    """What was said and done in a session, without its agents, cleaned once more by the rules of today."""
    kept = list(stores.transcripts.turns(session_id))
    kept += [turn for payload in stores.ledger.payloads(session_id) for turn in _turns.decode(payload)]
    distinct = {(turn.uuid, turn.kind, turn.tool_id, turn.text): turn for turn in kept if not turn.agent_id}
    return [redact_turn(turn)[0] for turn in distinct.values()]


def unread_turns(turns: Sequence[Turn], until_uuid: str | None, until_at: str) -> list[Turn]:
    """The turns after the last one that was read; should that one be gone, those that are later."""
    places = [at for at, turn in enumerate(turns) if turn.uuid == until_uuid]
    return list(turns[places[-1] + 1 :]) if places else [turn for turn in turns if turn.at > until_at]


class Heard(NamedTuple):
    """An answer that could be read, and the call that is still to be closed."""

    call_id: int
    question: PreparedPrompt
    answer: Completion
    parsed: Parsed
    status: CallStatus
    spent: Spent


def consider(
    stores: Stores,
    llm: Llm,
    policy: Policy,
    batch: Portion,
    left: Allowance,
    clock: Callable[[], str],
    facts: Facts,
    chosen: ChosenJudge | None = None,
) -> Learned | None:
    """Ask about one batch, take up what is believed, and book the call; None when the day's rest does not allow it."""
    heard = hear(stores, llm, policy, batch, left, clock, facts)
    if not isinstance(heard, Heard):
        return heard
    believed = _believed(batch, heard)
    third = opinions(stores, ((one, batch.project_id) for one in believed if isinstance(one, Learning)), chosen)
    with stores.db.transaction():
        objections, silent = heard.parsed.objections, heard.question.passed_over(heard.parsed)
        outcome = take_in(stores, batch, believed, version_of(llm), clock(), objections, silent, third)
        close(stores, heard, outcome.learned, outcome.rejected, clock())
    return outcome


def hear(
    stores: Stores,
    llm: Llm,
    policy: Policy,
    batch: Portion,
    left: Allowance,
    clock: Callable[[], str],
    facts: Facts,
    purpose: str = PURPOSE,
) -> Heard | Learned | None:
    """What the model answered; `Learned` when the call failed, None when today's budget does not allow it."""
    prompt = load(PURPOSE)
    price = price_of(llm.model, local=llm.local, given=policy.price)
    question = ask(stores, batch, _room(left, price), prompt, facts)
    expected = _expected(question.prompt + prompt.system, price)
    with stores.db.transaction():  # what was left may be spent by now; nobody else books while we look
        now_left = allowance(stores, policy, clock())
        if question.is_crowded or now_left.reason or _exceeds(expected, now_left):
            return None
        call_id = _book(stores, llm, prompt, batch, expected, clock(), purpose)
    if call_id is None:
        return Learned()
    try:
        answer, parsed, status = _answered(llm, question, prompt)
    except ProviderError as problem:
        return failed(stores, llm, call_id, expected, problem, clock())
    except ConfigError as problem:  # the command or the key is gone: nothing was sent, and waiting does not help
        stores.ledger.finish(call_id, "unreachable", llm.model, NOTHING, clock(), error=str(problem)[:300])
        raise
    spent = Spent(1, answer.input_tokens, answer.output_tokens, paid(answer, price))
    return Heard(call_id, question, answer, parsed, status, spent)


def close(stores: Stores, heard: Heard, learned: int, rejected: int, now: str) -> None:
    """Book what a call really took and gave."""
    stores.ledger.finish(
        heard.call_id, heard.status, heard.answer.model, heard.spent, now, learned=learned, rejected=rejected
    )


def version_of(llm: Llm, prompt: Prompt | None = None) -> str:
    """What is stored as the extractor of a learning: the words of the prompt, and who answered."""
    return f"{(prompt or load(PURPOSE)).version}/{llm.provider}:{llm.model}"


def _room(left: Allowance, price: Price) -> int:
    """How many characters a prompt may have so that the call stays within what is left of the day."""
    tokens = left.tokens - MAX_TOKENS
    if price.input > 0:
        tokens = min(tokens, int((left.usd - cost(price, 0, MAX_TOKENS)) / price.input * 1e6))
    return min(PROMPT_CHARACTERS, tokens * 3)


def _expected(text: str, price: Price) -> Spent:
    tokens = estimate(text)
    return Spent(1, tokens, MAX_TOKENS, cost(price, tokens, MAX_TOKENS))


def paid(answer: Completion, price: Price) -> float:
    """What an answer cost in dollars: what the provider says, else by its price."""
    return answer.usd if answer.usd is not None else cost(price, answer.input_tokens, answer.output_tokens)


def _book(
    stores: Stores, llm: Llm, prompt: Prompt, batch: Portion, expected: Spent, now: str, purpose: str
) -> int | None:
    """The call's number, or None when another process was faster with this session."""
    with stores.db.transaction():
        free = purpose != PURPOSE or batch.session_id in {row["session_id"] for row in _waiting(stores, now, EVER)}
        if not free:
            return None
        return stores.ledger.begin(purpose, prompt.version, llm.provider, llm.model, batch.read, expected, now)


def _answered(llm: Llm, question: PreparedPrompt, prompt: Prompt) -> tuple[Completion, Parsed, CallStatus]:
    try:
        answer = llm.complete(question.prompt, prompt.system, SCHEMA, MAX_TOKENS)
    except CutOff as cut:
        answer = cut.answer
    try:
        given = answer.structured if answer.structured is not None else answer.text
        parsed = parse_answer(given, question.shown.labels, question.known)
    except BadOutput as problem:
        raise Misunderstood(str(problem), answer) from None
    return answer, parsed, "partial" if parsed.partial else "answered"


def _exceeds(expected: Spent, left: Allowance) -> bool:
    return expected.tokens > left.tokens or expected.usd > left.usd


class Misunderstood(BadOutput):
    """The answer could not be read; it was paid for all the same."""

    def __init__(self, message: str, answer: Completion):
        super().__init__(message)
        self.answer = answer


def failed(stores: Stores, llm: Llm, call_id: int, expected: Spent, problem: ProviderError, now: str) -> Learned:
    """Book a failure. What may have been spent stays booked; the session keeps what the rules learned."""
    status: CallStatus = "failed"
    spent = expected
    match problem:
        case TryLater(retry_after=seconds):
            status, spent = "limited", NOTHING
            stores.ledger.set_state("wait_until", later(now, 60.0 if seconds is None else min(seconds, 86400.0)), now)
        case Unreachable():
            status, spent = "unreachable", NOTHING
            stores.ledger.set_state("wait_until", later(now, 60.0), now)
        case Declined():
            spent = NOTHING
        case Refused():
            status = "refused"
        case Misunderstood(answer=answer):
            status = "malformed"
            spent = Spent(1, answer.input_tokens, answer.output_tokens, answer.usd or expected.usd)
        case BadOutput():
            status = "malformed"
    # The provider's words may quote what was sent.
    words = redact_text(str(problem))[0][:300]
    stores.ledger.finish(call_id, status, llm.model, spent, now, error=words)
    log.warning("model call %d %s: %s", call_id, status, words)
    return Learned(failed=1)


# -- what is asked --------------------------------------------------------------------------------------------------


def ask(stores: Stores, batch: Portion, room: int, prompt: Prompt, facts: Facts) -> PreparedPrompt:
    """The prompt for a batch: the session cut to size, git's facts and what is known, without any secret."""
    project_id = batch.project_id
    until = batch.read.until_at if batch.is_cut else None
    memories = known(stores, batch.session_id, project_id, batch.so_far, until)
    blanks = {
        "project": os.path.basename(project_id) if os.path.isabs(project_id) else project_id,
        "git": facts(_root(stores, project_id)),
        "drafts": lines(memories.drafts),
        "known": lines(memories.before),
    }
    blanks = {name: _clean(text) for name, text in blanks.items()}
    used = len(prompt.system) + len(prompt.body) + sum(map(len, blanks.values())) + TURN_LABEL * len(memories.drafts)
    space = max(0, room - used)
    shown = excerpt(batch.turns, space, is_cut=batch.is_cut)
    labels = {uuid: label for label, uuid in shown.labels.items()}
    blanks["drafts"] = _clean(lines(memories.drafts, labels))
    crowded = space < LEAST_CHARACTERS and shown.left_out > 0
    # The queue holds no secrets. Should a rule of today find one in the whole of it, it stays here.
    clean, _ = redact_text(fill(prompt.body, transcript=shown.text, **blanks))
    seen = tuple(one.learning_id for one in memories.drafts if one.evidence and set(one.evidence) <= labels.keys())
    return PreparedPrompt(clean, shown, memories.labels, seen, crowded)


def _clean(text: str) -> str:
    return redact_text(text)[0].replace("</transcript", "")


def _root(stores: Stores, project_id: str) -> str:
    return next((row["root"] for row in stores.cache.projects() if row["project_id"] == project_id), "")


# -- what is made of it ---------------------------------------------------------------------------------------------


def believe(found: Learning | Rejection, batch: Portion, question: PreparedPrompt) -> Learning | Rejection:
    """A learning that the session bears out and in which no rule finds a secret, or why it is not taken."""
    if isinstance(found, Rejection):
        return found
    if redact_text(found.content)[1]:
        return Rejection("it holds a secret", "")
    return vouch(found, batch.so_far, question.prompt)  # what is known may name what the excerpt had no room for


def _believed(batch: Portion, heard: Heard) -> list[Learning | Rejection]:
    """What is believed of an answer and what is not, in its order; last the edges and relations that were refused."""
    return [*(believe(found, batch, heard.question) for found in heard.parsed.found), *heard.parsed.parts]


def take_in(
    stores: Stores,
    batch: Portion,
    believed: Sequence[Learning | Rejection],
    version: str,
    now: str,
    objections: Sequence[Objection] = (),
    passed_over: Sequence[str] = (),
    third: Judge = builtin.judge,
) -> Learned:
    """Take up what is believed of an answer, then what it holds against what is known; in the caller's transaction."""
    catch_up(stores, now)
    total = Learned(projects=frozenset({batch.project_id} if batch.project_id else ()))
    place = batch.turns[-1].cwd if batch.turns else ""
    origin = Origin(batch.project_id, batch.session_id, SOURCE, batch.read.until_at or now, version, place=place)
    records = records_of(batch.turns)
    for nth, learning in enumerate(believed):
        if isinstance(learning, Rejection):
            total = total.plus(refused(stores, learning, batch.project_id, batch.session_id, version, now))
            continue
        said = origin._replace(valid_from=learning.valid_from or now)
        total = total.plus(_learn(stores, learning, said, nth, now, records, third))
    total = total.plus(hear_objections(stores, objections, batch.so_far, origin, now))
    let_go(stores, passed_over, believed, batch.so_far, origin, now)
    return total


def _learn(
    stores: Stores, learning: Learning, origin: Origin, nth: int, now: str, records: frozenset[str], third: Judge
) -> Learned:
    """Take up one learning. What the rules had drafted from the same words becomes one memory in the model's words."""
    index = answer_index(learning, nth)
    if stores.extractions.is_known(origin.project_id, origin.session_id, index):
        return Learned()
    near = {memory.id: memory for memory in candidates(stores, learning, origin.project_id)}
    near |= {memory.id: memory for memory in stores.memories.by_learning(learning.rewords).values()}
    drafts = drafts_of(learning, origin, list(near.values()), records)
    if _is_found_already(learning, origin, [memory for memory in near.values() if memory not in drafts], drafts, third):
        return Learned(repeated=1)
    extra = {"cause": drafts[0].id, "reason": f"{origin.extractor} says #{drafts[0].id} so"} if drafts else None
    key = extraction_key(origin.project_id, origin.session_id, index, origin.extractor)
    learning = in_better_words(learning, drafts) if drafts else learning
    without = {memory.id for memory in drafts}
    outcome, event_id = take_up(stores, learning, origin, key, now, extra, third, without)
    stores.extractions.mark(origin.project_id, origin.session_id, index, event_id, origin.extractor, now)
    return outcome.plus(Learned(superseded=end_drafts(stores, drafts, event_id, origin, now)))


def _is_found_already(
    learning: Learning, origin: Origin, others: Sequence[Memory], drafts: Sequence[Memory], third: Judge
) -> bool:
    """Whether this very session taught it before, in words that stay: a second reading is no second evidence."""
    here = [memory for memory in others if memory.session_id == origin.session_id]
    if any(_plain(learning.content) == _plain(memory.content) for memory in drafts):
        return True
    return any(is_same_find(learning, memory) for memory in here) or (
        judge(learning, origin.valid_from, here, third).repeats is not None
    )


def _plain(content: str) -> str:
    return " ".join(content.casefold().split()).rstrip(".")


# -- once more --------------------------------------------------------------------------------------------------------


class Rereader:
    """Reads whole sessions once more with the prompt of today, within the same budget; for `reextract`."""

    purpose = "reextract"

    def __init__(self, stores: Stores, llm: Llm, policy: Policy, clock: Callable[[], str], facts: Facts = git_facts):
        self.stores = stores
        self.llm = llm
        self.policy = policy
        self.clock = clock
        self.facts = facts
        self.version = version_of(llm)

    def read(self, session_id: str, project_id: str, turns: Sequence[Turn]) -> list[Learning | Rejection] | None:
        """What the session teaches; None when nobody could be asked, or was asked the same before."""
        mine = [turn for turn in turns if not turn.agent_id]
        batch = Portion(session_id, project_id, mine)
        left = allowance(self.stores, self.policy, self.clock())
        if _unfit(batch, 0) or left.reason or self.stores.ledger.is_answered(self.purpose, self.version, batch.read):
            return None
        heard = hear(self.stores, self.llm, self.policy, batch, left, self.clock, self.facts, self.purpose)
        if not isinstance(heard, Heard):
            return None
        believed = _believed(batch, heard)
        kept = sum(isinstance(found, Learning) for found in believed)
        close(self.stores, heard, kept, len(believed) - kept, self.clock())
        return believed


# -- in the background ----------------------------------------------------------------------------------------------


def chosen_model(settings: Settings, environ: Mapping[str, str]) -> Llm | None:
    """The model that the settings name, None when they name none."""
    choice = Choice(
        settings.llm_provider,
        settings.llm_model,
        settings.llm_base_url,
        settings.llm_command,
        settings.llm_timeout_seconds,
        settings.data_dir,
    )
    return open_llm(choice, environ)


def attend(
    settings: Settings,
    environ: Mapping[str, str],
    clock: Callable[[], str],
    stop: threading.Event,
    pause: float = 60.0,
) -> None:
    """Let the chosen model read sessions as they come to rest, until told to stop; returns at once when none is chosen.

    For a thread of its own, with its own connection: a call takes long and nobody must wait for it. Before that, what
    an older extractor read is read again, if the settings say so.
    """
    llm = _chosen(settings, environ)
    if llm is None and not settings.reextract_on_version_change:
        return
    stores = open_stores(settings.db_path)
    try:
        chosen = _judge_of(settings, environ, stores, clock)
        after_upgrade(stores, settings, clock, chosen)
        while llm is not None and not stop.is_set():
            if _attempt(stores, llm, policy_of(settings), clock, chosen) is None:
                stop.wait(pause)
    finally:
        stores.close()


def _chosen(settings: Settings, environ: Mapping[str, str]) -> Llm | None:
    try:
        return chosen_model(settings, environ)
    except NousError as problem:
        log.warning("no model can be asked: %s", problem)
        return None


def _judge_of(
    settings: Settings, environ: Mapping[str, str], stores: Stores, clock: Callable[[], str]
) -> ChosenJudge | None:
    """What opens the judge that the settings choose, once; None when that is the built-in one."""
    from nous.remember.judging import open_judge  # it asks the models of this module

    if settings.entailment in ("builtin", "none"):
        return None
    return cache(lambda: open_judge(settings, environ, stores, clock))


def _attempt(
    stores: Stores, llm: Llm, policy: Policy, clock: Callable[[], str], chosen: ChosenJudge | None
) -> Learned | None:
    """One step that nothing can break: what goes wrong is logged and waited out."""
    try:
        return consider_next(stores, llm, policy, clock, chosen=chosen)
    except NousError as problem:
        log.warning("the model could not be asked: %s", problem)
        return None
