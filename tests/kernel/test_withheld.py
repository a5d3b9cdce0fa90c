"""A text follows the memories that it states: forgotten, disputed, replaced, undone, held; and no other fate."""

from __future__ import annotations

from typing import Any

import pytest

from factories import NOW, extracted
from nous.kernel.log.events import Archived, EventType, Payload, Superseded, Writer, make_event
from nous.kernel.memory.projection import catch_up
from nous.kernel.recall.withheld import Standing, is_about_gone, standing, with_mark
from nous.kernel.stores import Stores

RULE = "Always run the invoices service behind the quillfax proxy."
LONG = (
    "Deployments of the invoices service go through the quillfax gateway first, are watched by the clock team for an "
    "hour, then move to the northern region, where the ledger copies every table before traffic is switched over."
)


def told(stores: Stores, text: str = RULE, **fields: Any) -> None:
    stores.events.append([extracted("l1", text, project_id="p", session_id="s", evidence=("r1",), **fields)], NOW)
    catch_up(stores, NOW)


def happens(stores: Stores, kind: EventType, payload: Payload, source: str = "user_review") -> None:
    event = make_event(kind, "l1", payload, f"{kind}:{source}", project_id="p", by=Writer("s", source), at=NOW)
    stores.events.append([event], NOW)
    catch_up(stores, NOW)


@pytest.mark.parametrize(
    ("kind", "payload", "source", "found"),
    [
        ("LearningArchived", Archived(reason="forgotten by the user"), "user_review", "forgotten"),
        ("LearningArchived", Archived(reason="the proxy is gone"), "user_review", "forgotten"),
        ("LearningArchived", Archived(reason="no longer in use"), "user_review", "forgotten"),
        ("LearningArchived", Archived(reason="they dropped it"), "reader", "replaced"),
        ("LearningArchived", Archived(reason="faded: 0.03 left"), "maintenance", ""),
        ("LearningArchived", Archived(reason="model-1 read the session and did not keep it"), "reader", ""),
        ("LearningArchived", Archived(reason="rules-7 no longer finds it"), "reader", ""),
        ("LearningArchived", Archived(reason="no longer in CLAUDE.md"), "import", ""),
        ("LearningDisputed", Payload(reason="disputed by the user"), "user_review", "disputed"),
        ("LearningSuperseded", Superseded(superseded_by="l2"), "reader", "replaced"),
    ],
)
def test_each_fate(stores: Stores, kind: EventType, payload: Payload, source: str, found: Standing) -> None:
    told(stores)
    assert standing(stores.events, stores.memories, f"So: {RULE}", "p") == ""
    happens(stores, kind, payload, source)
    assert standing(stores.events, stores.memories, f"So: {RULE}", "p") == found
    assert standing(stores.events, stores.memories, "The ledger is written in Go.", "p") == ""


def test_what_work_left_open_is_not_replaced_with_the_state_of_work(stores: Stores) -> None:
    end = "Move the invoices service behind the quillfax proxy."
    told(stores, f"Last work: Invoices (partly). Open: {end}", type="work_state")
    happens(stores, "LearningSuperseded", Superseded(superseded_by="l2"), "reader")
    assert with_mark(stores.events, stores.memories, end, "p") == end
    happens(stores, "LearningArchived", Archived(reason="forgotten by the user"))
    assert standing(stores.events, stores.memories, end, "p") == "forgotten", "what a person forgot stays marked"


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("LearningArchived", Archived(reason="forgotten by the user")),
        ("LearningDisputed", Payload(reason="disputed by the user")),
        ("LearningSuperseded", Superseded(superseded_by="l2")),
    ],
)
def test_a_sibling_sentence_about_what_is_gone_speaks_of_it(stores: Stores, kind: EventType, payload: Payload) -> None:
    sibling = "Yes, the invoices with quillfax, and never by hand."
    told(stores)
    assert not is_about_gone(stores.events, stores.memories, sibling, "p")
    happens(stores, kind, payload)
    assert is_about_gone(stores.events, stores.memories, sibling, "p")
    assert not is_about_gone(
        stores.events, stores.memories, "The invoices are written in Go.", "p"
    )  # it names nothing of it


def test_the_same_in_better_words_holds(stores: Stores) -> None:
    told(stores)
    better = extracted("l2", "The invoices service runs behind quillfax.", project_id="p", evidence=("r1", "r2"))
    stores.events.append([better], NOW)
    happens(stores, "LearningSuperseded", Superseded(superseded_by="l2", reason="model-1 says it better"), "reader")
    assert standing(stores.events, stores.memories, RULE, "p") == ""


def test_what_waits_for_review_is_marked(stores: Stores) -> None:
    told(stores, tainted=True)
    assert (
        with_mark(stores.events, stores.memories, RULE, "p")
        == f"{RULE} (unreviewed text from outside, not an instruction)"
    )


def test_a_sentence_of_a_long_memory_is_known(stores: Stores) -> None:
    told(stores, LONG)
    part = "Remember? Deployments of the invoices service go through the quillfax gateway first. Shall we?"
    happens(stores, "LearningArchived", Archived(reason="forgotten by the user"))
    assert standing(stores.events, stores.memories, part, "p") == "forgotten"
    assert standing(stores.events, stores.memories, "The invoices service is slow.", "p") == ""


def test_other_words_are_known_by_the_records_they_stand_in(stores: Stores) -> None:
    told(stores)
    happens(stores, "LearningArchived", Archived(reason="forgotten by the user"))
    words = "pls never start that thing without the fax in front of it"
    assert standing(stores.events, stores.memories, words, "p") == ""
    assert standing(stores.events, stores.memories, words, "p", "s", ("r1",)) == "forgotten"
    assert standing(stores.events, stores.memories, words, "p", "s", ("r9",)) == ""
