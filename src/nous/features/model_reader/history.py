"""The sessions of the time before a model was chosen: what reading them costs, which are read, and in which order.

Reading them is asked for apart from everything that comes later and has a budget of its own. Projects come one after
the other, the current one first, then the one that was worked in last; within a project time runs forward.
"""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from nous.config import Settings, excluded_projects
from nous.errors import NousError
from nous.features.model_reader.sessions import LOOK_BACK_SECONDS, Portion, SessionChoice, first_part, waiting
from nous.kernel.capture.tail import on_disk, read_new
from nous.kernel.capture.transcript import USER_KINDS, Turn
from nous.kernel.stores import Row, Stores, open_stores
from nous.moments import later
from nous.providers.budget import MAX_TOKENS, PROMPT, PROMPT_CHARACTERS, PURPOSE, Policy, allowance, policy_of
from nous.providers.ledger import Ledger
from nous.providers.llm import CHARACTERS_PER_TOKEN, Llm, Price, cost, estimate
from nous.providers.prompts import load

if TYPE_CHECKING:
    from nous.kernel.learn.learn import Learned

TYPICAL_ANSWER = 1_100  # tokens of a reading, until the ledger knows better: the mean of 221 careful ones is 1,120
ENOUGH_ANSWERS = 5  # calls after which it does
NEWEST = 20  # sessions of the answer "the newest"
ROOM = 1.25  # a budget is larger than the estimate: the last session shall not be left out for a cent
LEAST_USD = 0.05
# What is known goes along with each session. Measured on two real projects: 4 memories more by each session, up to the
# 60 that a request holds, 53 tokens each, and the brief.
KNOWN_A_SESSION, MOST_KNOWN, KNOWN_TOKENS, BRIEF_TOKENS = 4, 60, 53, 300
MOST_TOKENS = PROMPT_CHARACTERS / CHARACTERS_PER_TOKEN  # a request is not longer
LOOK_SECONDS = 1.2  # how long an estimate may look into files

HistoryChoice = Literal["now", "here", "newest", "later"]


class OldSession(msgspec.Struct, frozen=True):
    """A session on disk: its file, its project, when it was last written, and what reading it takes."""

    path: str
    session_id: str
    project_id: str
    at: float
    size: int
    calls: float = 0.0
    input_tokens: float = 0.0


class ReadingCost(NamedTuple):
    """What reading some sessions takes."""

    sessions: int
    input_tokens: int
    output_tokens: int
    usd: float

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


class HistoryPlan(msgspec.Struct, frozen=True):
    """Which earlier sessions the user wants read, in reading order, and what that may cost. No session is none."""

    asked_at: str
    choice: HistoryChoice
    sessions: tuple[str, ...] = ()
    tokens: int = 0
    usd: float = 0.0


# -- what it costs --------------------------------------------------------------------------------------------------


def old_sessions(files: Iterable[tuple[str, int]]) -> list[OldSession]:
    """The sessions in these transcripts (path and size); what agents wrote belongs to the session that started them."""
    from nous.kernel.capture.backfill import project_of

    found = []
    for path, size in files:
        if "subagents" in path.split(os.sep):
            continue
        try:
            at = os.stat(on_disk(path)).st_mtime
        except OSError:
            continue
        name = os.path.splitext(os.path.basename(path))[0]
        found.append(OldSession(path, name, project_of(path) or "", at, size))
    return found


def weigh(
    sessions: Sequence[OldSession],
    seconds: float = LOOK_SECONDS,
    timer: Callable[[], float] = time.monotonic,
) -> list[OldSession]:
    """The sessions with what a reading of each takes: looked at as long as there is time, the others by their size."""
    began, known, nothing = timer(), dict[str, OldSession](), open_stores(":memory:")
    try:
        for session in spread(sessions):
            known[session.path] = look_at(session, nothing)
            if timer() - began > seconds:
                break
    finally:
        nothing.close()
    by_size = sorted(known.values(), key=lambda one: one.size)
    return with_known([known.get(session.path) or _alike(session, by_size) for session in sessions])


def with_known(sessions: Sequence[OldSession]) -> list[OldSession]:
    """The sessions with what of their projects will be known when each is read, and goes along with it."""
    earlier: dict[str, int] = {}
    more: dict[str, float] = {}
    for one in sorted(sessions, key=lambda one: one.at):
        before = earlier.get(one.project_id, 0)
        known = min(MOST_KNOWN, KNOWN_A_SESSION * before) * KNOWN_TOKENS + BRIEF_TOKENS * (before > 0)
        more[one.path] = min(one.input_tokens + one.calls * known, max(one.input_tokens, one.calls * MOST_TOKENS))
        earlier[one.project_id] = before + (one.calls > 0)
    return [msgspec.structs.replace(one, input_tokens=more[one.path]) for one in sessions]


def spread(sessions: Sequence[OldSession]) -> list[OldSession]:
    """All of them, so ordered that any beginning of the list has small and large ones."""
    rest, found = sorted(sessions, key=lambda one: (one.size, one.path)), []
    step = max(1, len(rest) // 2)
    while rest:
        found += rest[step // 2 :: step]
        del rest[step // 2 :: step]
        step = max(1, min(step // 2, len(rest)))
    return found


def look_at(session: OldSession, stores: Stores) -> OldSession:
    """A session with what its requests will hold."""
    from nous.features.model_reader.request import build_request

    tokens, calls, prompt = 0, 0, load(PROMPT)
    for portion in _portions(session):
        text = build_request(stores, portion, PROMPT_CHARACTERS, prompt, lambda root: "").text
        tokens, calls = tokens + estimate(text + prompt.system), calls + 1
    return msgspec.structs.replace(session, calls=calls, input_tokens=tokens)


def _portions(session: OldSession) -> Iterable[Portion]:
    """The stretches in which a session will be read; none when nobody speaks in it."""
    unread, earlier = _turns(session), list[Turn]()
    if not any(turn.kind in USER_KINDS and turn.text.strip() for turn in unread):
        return
    while unread:
        part = first_part(unread, earlier)
        yield Portion(session.session_id, session.project_id, part, len(part) < len(unread), list(earlier))
        earlier, unread = [*earlier, *part], unread[len(part) :]


def _turns(session: OldSession) -> list[Turn]:
    from nous.kernel.capture.sessions import complete_records, cut

    try:
        stretches = list(cut(read_new(on_disk(session.path), 0), 0))
    except (OSError, ValueError):
        return []
    records = (record for stretch in stretches for record in complete_records(stretch.records, session.session_id))
    return [turn for record in records for turn in record if not turn.agent_id]


def _alike(session: OldSession, by_size: Sequence[OldSession]) -> OldSession:
    """A session nobody looked into, taken to be like those of its size."""
    at = bisect_left([one.size for one in by_size], session.size)
    near = by_size[max(0, at - 1) : at + 1] or by_size[-1:]
    calls, tokens = (sum(getattr(one, name) for one in near) / len(near) for name in ("calls", "input_tokens"))
    return msgspec.structs.replace(session, calls=calls, input_tokens=tokens)


def reading_cost(sessions: Sequence[OldSession], price: Price, answer_tokens: float = TYPICAL_ANSWER) -> ReadingCost:
    """What reading these sessions takes at a price."""
    read = [one for one in sessions if one.calls]
    given, taken = sum(one.input_tokens for one in read), sum(one.calls for one in read) * answer_tokens
    return ReadingCost(len(read), round(given), round(taken), cost(price, round(given), round(taken)))


def answer_tokens(ledger: Ledger) -> float:
    """How many tokens an answer has: as the ledger says, else as readings usually have."""
    calls, mean = ledger.typical_answer(PURPOSE)
    return mean if calls >= ENOUGH_ANSWERS else TYPICAL_ANSWER


# -- which are read -------------------------------------------------------------------------------------------------


def choose_history(
    sessions: Sequence[OldSession], choice: HistoryChoice, project_id: str, excluded: Iterable[str] = ()
) -> list[OldSession]:
    """The sessions that an answer means, in the order in which they are read."""
    never = frozenset(excluded)
    allowed = [one for one in sessions if one.project_id not in never and choice != "later"]
    if choice == "here":
        allowed = [one for one in allowed if one.project_id == project_id]
    if choice == "newest":
        allowed = sorted(allowed, key=lambda one: one.at)[-NEWEST:]
    return in_reading_order(allowed, project_id)


def in_reading_order(sessions: Iterable[OldSession], project_id: str) -> list[OldSession]:
    """Project by project, the given one first, then by where somebody worked last; within one from old to new."""
    by_project: dict[str, list[OldSession]] = {}
    for one in sorted(sessions, key=lambda one: (one.at, one.path)):
        by_project.setdefault(one.project_id, []).append(one)
    order = sorted(by_project.values(), key=lambda some: (some[0].project_id == project_id, some[-1].at), reverse=True)
    return [one for some in order for one in some]


def plan_history(chosen: Sequence[OldSession], choice: HistoryChoice, expected: ReadingCost, now: str) -> HistoryPlan:
    """The plan for these sessions, with a little more to spend than expected."""
    if not chosen:
        return HistoryPlan(now, "later")
    tokens = round(expected.tokens * ROOM) + MAX_TOKENS + PROMPT_CHARACTERS
    return HistoryPlan(
        now, choice, tuple(one.session_id for one in chosen), tokens, round(max(LEAST_USD, expected.usd * ROOM), 2)
    )


def keep_plan(ledger: Ledger, plan: HistoryPlan) -> None:
    """Remember what is to be read; the daemon follows it."""
    ledger.set_state("history", msgspec.json.encode(plan).decode(), plan.asked_at)


def current_plan(ledger: Ledger) -> HistoryPlan | None:
    """What is to be read of the history; None when nobody was asked."""
    said = ledger.state("history")
    try:
        return msgspec.json.decode(said, type=HistoryPlan) if said else None
    except msgspec.DecodeError:
        return None


def history_policy(plan: HistoryPlan, settings: Settings) -> Policy:
    """What may be spent on the history: its own budget, since it was given."""
    return Policy(plan.tokens, plan.usd, policy_of(settings).price, "history", plan.asked_at)


def history_waiting(ledger: Ledger, plan: HistoryPlan | None, settings: Settings, now: str) -> list[Row]:
    """The sessions of the plan that are learned by rules and wait for the model, in reading order."""
    if plan is None or not plan.sessions:
        return []
    place = {session_id: at for at, session_id in enumerate(plan.sessions)}
    rows = waiting(ledger, now, SessionChoice(since="0000", excluded=excluded_projects(settings)))
    return sorted((row for row in rows if row["session_id"] in place), key=lambda row: place[row["session_id"]])


def recent_choice(plan: HistoryPlan | None, settings: Settings, now: str) -> SessionChoice:
    """Sessions that are read by themselves: of the last days, and none that the user left out of the history."""
    since = max(later(now, -LOOK_BACK_SECONDS), plan.asked_at if plan else "")
    return SessionChoice(since=since, excluded=excluded_projects(settings))


# -- reading --------------------------------------------------------------------------------------------------------


def read_step(stores: Stores, llm: Llm, settings: Settings, clock: Callable[[], str]) -> Learned | None:
    """Read one more session by itself; None when nothing waits or nothing may be spent.

    What was said since goes first, unless earlier sessions of the same project wait: a project is read in order.
    """
    now, plan = clock(), current_plan(stores.ledger)
    old = history_waiting(stores.ledger, plan, settings, now)
    policy = history_policy(plan, settings) if plan and old else None
    if policy is None or allowance(stores.ledger, policy, now).reason is not None:
        old = []
    recent = recent_choice(plan, settings, now)
    held = frozenset(row["project_id"] for row in old)
    from nous.features.model_reader.reader import ModelReader  # it reads with all the rules: not for who asks how it is

    daily = ModelReader(stores, llm, policy_of(settings), clock)
    done = daily.read_next(recent._replace(excluded=recent.excluded | held))
    if done is not None or not old or policy is None:
        return done
    reader = ModelReader(stores, llm, policy, clock)
    for row in old:
        done = reader.read_next(SessionChoice(session_id=row["session_id"], excluded=recent.excluded))
        if done is not None:
            return done
    return None


# -- where words go -------------------------------------------------------------------------------------------------


def destination(settings: Settings, project_id: str | None = None) -> str:
    """Where the words of a project go, in a few words."""
    if project_id is not None and project_id in excluded_projects(settings):
        return "nowhere (excluded)"
    provider, host = settings.llm_provider, settings.llm_base_url
    if provider == "none":
        return "nowhere (no model is chosen)"
    if provider.startswith("recorded"):
        return "nowhere (readings come from files)"
    if provider == "claude":
        return "to Anthropic, through your `claude` login"
    return f"to {_host(host)}" if host else {"anthropic": "to Anthropic", "openai": "to OpenAI"}.get(provider, provider)


def _host(url: str) -> str:
    from urllib.parse import urlsplit

    from nous.providers.llm import is_loopback

    place = urlsplit(url).netloc or url
    return f"a model on this machine ({place})" if is_loopback(url) else place


def reading_state(ledger: Ledger, settings: Settings, now: str, project_id: str | None = None) -> dict[str, object]:
    """Which model reads, where the words of each project (or of one) go, what was read and waits, and the history."""
    plan = current_plan(ledger)
    old = history_waiting(ledger, plan, settings, now)
    fresh = waiting(ledger, now, recent_choice(plan, settings, now)) if settings.llm_provider != "none" else []
    due = {row["session_id"]: row["project_id"] for row in [*old, *fresh]} if settings.llm_provider != "none" else {}
    projects = [
        {"project_id": row["project_id"], "goes": destination(settings, row["project_id"])}
        | {"sessions": row["sessions"], "read": row["read"]}
        | {"waiting": sum(project == row["project_id"] for project in due.values())}
        for row in ledger.by_project(PURPOSE)
        if project_id in (None, row["project_id"])
    ]
    return {
        "provider": settings.llm_provider,
        "model": settings.llm_model or None,
        "goes": destination(settings),
        "projects": projects,
        "history": _history_state(ledger, plan, settings, len(old), now),
    }


def _history_state(
    ledger: Ledger, plan: HistoryPlan | None, settings: Settings, waits: int, now: str
) -> dict[str, object] | None:
    if plan is None or not plan.sessions:
        return None
    left = allowance(ledger, history_policy(plan, settings), now)
    spent = ledger.sum_spent(plan.asked_at, "history")
    return {
        "choice": plan.choice,
        "sessions": len(plan.sessions),
        "read": len(ledger.read_sessions(PURPOSE) & set(plan.sessions)),
        "waiting": waits,
        "usd": plan.usd,
        "spent": round(spent.usd, 6),
        "stopped": left.reason if waits else None,
    }


def plan_for(
    ledger: Ledger, settings: Settings, sessions: Sequence[OldSession], choice: HistoryChoice, project_id: str,
    price: Price, now: str,
) -> tuple[HistoryPlan, ReadingCost]:  # fmt: skip
    """The plan of an answer, and what it is expected to take."""
    if choice not in ("now", "here", "newest", "later"):
        raise NousError(f"there is no choice {choice!r}")
    chosen = choose_history(sessions, choice, project_id, excluded_projects(settings))
    expected = reading_cost(chosen, price, answer_tokens(ledger))
    return plan_history([one for one in chosen if one.calls], choice, expected, now), expected
