"""Independent sessions come to one story: laws over generated histories, and flows a person would recognise."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from factories import NOW, extracted, sized
from nous.kernel.learn.introduce import Origin
from nous.kernel.learn.learn import take_up
from nous.kernel.learn.reconcile import reconcile
from nous.kernel.log import undo
from nous.kernel.log.clocks import tick
from nous.kernel.log.events import Event, Reinforced, Superseded, Weakened
from nous.kernel.log.extraction import Learning
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.recall.worth import entries
from nous.kernel.stores import Stores, open_stores

# -- laws -------------------------------------------------------------------------------------------------------------

FACTS = (
    "Components are written as classes.",
    "Components are written as functions.",
    "Feature branches start from main.",
    "Feature branches start from develop.",
    "The dev server runs on port 3000.",
    "The dev server runs on port 8080.",
    "Tests are run with pytest.",
    "Tests are run with unittest.",
    "The importer supports CSV.",
)
SLOTS = {FACTS[4]: "dev server|port", FACTS[5]: "dev server|port"}
steps = st.lists(st.tuples(st.sampled_from(("say", "again", "wrong")), st.sampled_from(FACTS)), max_size=8)


def history(session: str, said: list[tuple[str, str]], day: int) -> list[Event]:
    """What one session writes: it introduces facts, and repeats or corrects what it has introduced itself."""
    events: list[Event] = []
    known: dict[str, str] = {}
    clock: dict[str, int] = {}
    for at, (what, content) in enumerate(said):
        clock = tick(clock, session)
        moment = f"2026-05-{day + at:02d}T00:00:00.000Z"
        if content not in known:
            known[content] = f"{session}-{at}"
            event = extracted(
                known[content], content, session_id=session, clock=clock, valid_from=moment, slot=SLOTS.get(content)
            )
            events.append(replace(event, source="fs_watch"))
        elif what != "say":
            kind = "LearningReinforced" if what == "again" else "LearningWeakened"
            payload = Reinforced(reinforcement_delta=0.1) if what == "again" else Weakened(reinforcement_delta=-0.2)
            changed = replace(events[0], learning_id=known[content], event_type=kind, payload=payload, clock=clock)
            events.append(replace(changed, idempotency_key=f"{session}-{at}"))
    return events


def settled(events: list[Event], cuts: frozenset[int] = frozenset()) -> dict[str, Any]:
    """What is known after these events, reconciled at the end and wherever `cuts` says."""
    stores = open_stores(":memory:")
    try:
        for at, event in enumerate(events):
            stores.events.append([event], NOW)
            if at in cuts:
                agree(stores)
        agree(stores)
        return {memory.learning_id: story(memory) for memory in stores.memories.listing(None, status=None, limit=99)}
    finally:
        stores.close()


def agree(stores: Stores) -> None:
    catch_up(stores, NOW)
    reconcile(stores, lambda: NOW)
    catch_up(stores, NOW)


def story(memory: Memory) -> dict[str, Any]:
    """A memory without what only says when it came to be written down."""
    return {
        "content": memory.content,
        "status": memory.status,
        "strength": round(memory.strength, 9),
        "superseded_by": memory.superseded_by,
        "contradicted_with": sorted(memory.contradicted_with),
        "valid_until": memory.valid_until,
        "concepts": sorted(memory.concepts),
    }


@st.composite
def interleavings(draw: st.DrawFn) -> tuple[list[Event], list[Event]]:
    """Two sessions' events, one after the other and in another order that keeps each session's own."""
    one = history("s1", draw(steps), 1)
    other = history("s2", draw(steps), draw(st.integers(1, 10)))
    mixed: list[Event] = []
    left, right = list(one), list(other)
    while left or right:
        take = left if left and (not right or draw(st.booleans())) else right
        mixed.append(take.pop(0))
    return one + other, mixed


@settings(max_examples=sized(15, 50))
@given(interleavings())
def test_two_sessions_end_in_the_same_memories_in_whatever_order_they_are_written(
    orders: tuple[list[Event], list[Event]],
) -> None:
    one_by_one, mixed = orders
    assert settled(one_by_one) == settled(mixed)


@settings(max_examples=sized(10, 25))
@given(interleavings(), st.frozensets(st.integers(0, 9)))
def test_it_does_not_matter_how_often_memories_are_reconciled_in_between(
    orders: tuple[list[Event], list[Event]], cuts: frozenset[int]
) -> None:
    assert settled(orders[1], cuts) == settled(orders[1])


@settings(max_examples=sized(10, 25))
@given(interleavings())
def test_reconciling_twice_changes_nothing(orders: tuple[list[Event], list[Event]]) -> None:
    stores = open_stores(":memory:")
    stores.events.append(orders[1], NOW)
    agree(stores)
    last, before = stores.events.last_id(), stores.memories.listing(None, status=None, limit=99)
    agree(stores)
    reconcile(stores, lambda: NOW, anew=True)
    assert stores.events.last_id() == last
    assert stores.memories.listing(None, status=None, limit=99) == before
    stores.close()


@settings(max_examples=sized(10, 25))
@given(interleavings())
def test_undoing_every_verdict_restores_what_was_before_and_it_is_not_given_again(
    orders: tuple[list[Event], list[Event]],
) -> None:
    stores = open_stores(":memory:")
    stores.events.append(orders[1], NOW)
    catch_up(stores, NOW)
    first = stores.events.last_id()
    before = {memory.learning_id: story(memory) for memory in stores.memories.listing(None, status=None, limit=99)}
    agree(stores)
    verdicts = range(first + 1, stores.events.last_id() + 1)
    if verdicts:
        undo.undo(stores.events, undo.plan_undo(stores.events, verdicts), "me", "wrong", NOW)
    agree(stores)
    after = {memory.learning_id: story(memory) for memory in stores.memories.listing(None, status=None, limit=99)}
    assert after == before
    stores.close()


# -- flows ------------------------------------------------------------------------------------------------------------


def tell(stores: Stores, session: str, content: str, day: int, given: tuple[int, ...] = (), **fields: Any) -> int:
    """A session learns something, after it was given some memories; the memory's number."""
    if given:
        receipt(stores, session, given)
    said = {"type": "requirement", "evidence": (f"{session}-{content}",)} | fields
    origin = Origin("p", session, "fs_watch", f"2026-05-{day:02d}T09:00:00.000Z", "test")
    _, number = take_up(stores, Learning(content=content, **said), origin, f"{session}:{content}", NOW)
    return number


def receipt(stores: Stores, session: str, memories: tuple[int, ...]) -> None:
    """A hook gave these memories to a session."""
    run = stores.db.connection.execute  # type: ignore[attr-defined]  # only hooks write receipts, past the stores
    run(
        "INSERT INTO injections (session_id, project_id, hook, trigger, context_key, characters, latency_ms,"
        " created_at) VALUES (?, 'p', 'SessionStart', '', '', 0, 0, ?)",
        (session, NOW),
    )
    for number in memories:
        run("INSERT INTO injected_memories (injection_id, memory_id) VALUES (last_insert_rowid(), ?)", (number,))


def shown(stores: Stores, branch: str = "") -> list[str]:
    """What the next session would be given."""
    agree(stores)
    return [entry.line for entry in entries(stores.memories.visible("p"), NOW, branch)]


def test_of_classes_against_functions_the_last_word_is_shown(stores: Stores) -> None:
    tell(stores, "s1", "React components are written as classes.", 2)
    tell(stores, "s2", "React components are written as functions.", 5)
    [line] = shown(stores)
    assert "written as functions" in line and "2026-05" in line


def test_a_session_that_was_given_the_old_way_has_changed_it_and_nobody_disagrees(stores: Stores) -> None:
    old = tell(stores, "s1", "React components are written as classes.", 2)
    tell(stores, "s2", "React components are written as functions.", 5, given=(old,))
    assert all("disagree" not in line for line in shown(stores))


def test_main_against_develop_ends_with_a_persons_word(stores: Stores) -> None:
    one = tell(stores, "s1", "Feature branches start from main.", 2)
    other = tell(stores, "s2", "Feature branches start from develop.", 5)
    assert len(shown(stores)) == 1
    wrong, right = stores.memories.by_id([one, other])
    event = replace(
        extracted(wrong.learning_id, session_id="me"),
        event_type="LearningSuperseded",
        payload=Superseded(superseded_by=right.learning_id, reason="a person decided"),
        idempotency_key="me:1",
    )
    stores.events.append([event], NOW)
    [line] = shown(stores)
    assert "develop" in line
    assert "main" not in line


def test_of_a_fact_corrected_three_times_only_the_last_value_is_shown(stores: Stores) -> None:
    for day, port in enumerate((3000, 4000, 5000, 6000), 1):
        content, slot = f"Always start the dev server on port {port}.", "dev server|port"
        tell(stores, f"s{day}", content, day, slot=slot, type="fact")
    [line] = shown(stores)
    assert "6000" in line
    assert not any(str(port) in line for port in (3000, 4000, 5000))


def test_two_sessions_on_two_branches_do_not_disagree(stores: Stores) -> None:
    tell(stores, "s1", "The schema version is 7.", 2, branch="payments", type="fact")
    tell(stores, "s2", "The schema version is 8.", 2, branch="checkout", type="fact")
    assert all("disagree" not in line for line in shown(stores))
