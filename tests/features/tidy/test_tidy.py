"""What a tidying does: it merges, ends, rewords and asks while nobody's word is lost, and one undo takes it back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from factories import extracted
from fake_model import Fake
from nous.errors import BadOutput, NousError, ProviderError
from nous.features.brief.lines import brief_entries
from nous.features.erasure.purge import Selection, plan
from nous.features.model_reader.intake import ReadSession, take_in
from nous.features.tidy.intake import Tidied, tidy_up, tidying_id
from nous.features.tidy.request import build_request
from nous.features.tidy.tidier import Tidier, is_due
from nous.features.tidy.tidying import check_tidying
from nous.kernel.capture.transcript import Turn
from nous.kernel.learn.reading import check_reading
from nous.kernel.log.events import Payload, SessionRead, Writer, make_event
from nous.kernel.log.undo import plan_undo, undo
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import Stores
from nous.providers.budget import Policy
from nous.providers.prompts import load

PROJECT, NOW = "p", "2026-03-03T10:00:00.000Z"
READER = "tidy@1/recorded:test"
LINT = "Always run `make lint` before every commit."
HOOK = "Before every commit run `make lint` by hand, the hook is broken since May."
PORT = "The dev server listens on port 4000."
TRAP = "The importer drops rows without a date."
BOTH = "Always run `make lint` by hand before every commit; the hook is broken."


@pytest.fixture(autouse=True)
def _replay_gives_the_same(stores: Stores) -> Any:
    yield
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []


@pytest.fixture
def known(stores: Stores) -> dict[str, str]:
    """Four memories, by the words of each: two of the user, one of a tool, one of an agent."""
    said = {LINT: "user", HOOK: "user", PORT: "tool", TRAP: "agent"}
    for nth, (text, by) in enumerate(said.items()):
        teach(stores, f"m{nth}", text, by, ref=f"s#{nth}", evidence=(f"r{nth}",))
    return {one.content: one.learning_id for one in active(stores).values()}


def teach(stores: Stores, name: str, text: str, by: str, **fields: Any) -> None:
    said = extracted(name, text, project_id=PROJECT, by=by, **fields)
    stores.events.append([replace(said, source="fs_watch")], NOW)
    catch_up(stores, NOW)


def active(stores: Stores) -> dict[str, Memory]:
    return {one.content: one for one in stores.memories.listing(PROJECT, limit=100)}


def tidy(stores: Stores, **tidying: Any) -> Tidied:
    with stores.db.transaction():
        return tidy_up(stores, PROJECT, check_tidying(tidying), READER, NOW)


def reasons(stores: Stores) -> list[str]:
    return [row["reason"] for row in stores.rejections.recent()]


def merge(*parts: str, text: str = BOTH) -> dict[str, Any]:
    return {"from": list(parts), "text": text, "type": "rule"}


def test_a_merge_takes_the_place_of_its_parts_with_all_they_rest_on(stores: Stores, known: dict[str, str]) -> None:
    done = tidy(stores, merges=[merge("s#0", "s#1")])
    made = active(stores)[BOTH]
    assert (made.by, made.type, set(made.evidence)) == ("user", "requirement", {"r0", "r1"})
    assert set(active(stores)) == {BOTH, PORT, TRAP} and done.merged == 2
    old = stores.memories.by_learning([known[LINT]])[known[LINT]]
    assert old.superseded_by == made.learning_id


def test_a_merge_with_an_agents_word_is_the_agents(stores: Stores, known: dict[str, str]) -> None:
    tidy(stores, merges=[merge("s#2", "s#3", text=f"{PORT} {TRAP}")])
    assert active(stores)[f"{PORT} {TRAP}"].by == "agent"


def test_a_merge_with_a_rule_that_was_read_without_a_model_is_still_the_users(stores: Stores, known: Any) -> None:
    teach(stores, "l9", LINT, "", type="requirement", extractor_version="rules-9")
    teach(stores, "l8", TRAP, "", type="procedure", extractor_version="rules-9")
    tidy(stores, merges=[merge("s#1", "l9")], gone=[{"known": "l8", "why": "nobody runs it"}])
    assert active(stores)[BOTH].by == "user"
    assert reasons(stores) == []


@pytest.mark.parametrize(
    ("proposal", "reason"),
    [
        ({"merges": [merge("s#0", "s#2", text=LINT)]}, "hardly a word of it is left"),
        ({"merges": [merge("s#0", "s#1", text=f"{BOTH} Or `make lint --fix-all`.")]}, "which no memory does"),
        ({"merges": [merge("s#0", "s#9")]}, "no memory in use"),
        ({"edits": [{"known": "s#0", "text": "Linting is done by the hook."}]}, "only a person changes it"),
        ({"gone": [{"known": "s#0", "why": "done"}]}, "only a person ends it"),
        ({"questions": [{"a": "s#0", "b": "s#0", "ask": "Which?"}]}, "not about two memories"),
        ({"brief": [{"text": "Run `rm -rf build`.", "from": ["s#0"]}]}, "which no memory does"),
        ({"page": [{"heading": "H", "lines": [{"text": "L", "from": ["s#9"]}]}]}, "rests on no memory"),
        ({"groups": [{"label": "L", "about": "", "members": ["s#9"]}]}, "no memory in use"),
    ],
)
def test_what_goes_too_far_is_refused_with_its_reason(
    stores: Stores, known: dict[str, str], proposal: dict[str, Any], reason: str
) -> None:
    tidy(stores, **proposal)
    assert set(active(stores)) == set(known)
    assert len(reasons(stores)) == 1 and reason in reasons(stores)[0]


@pytest.mark.parametrize("kind", ["LearningPinned", "LearningConfirmed"])
def test_what_a_person_set_is_not_touched(stores: Stores, known: dict[str, str], kind: Any) -> None:
    by = Writer("user", "user_review")
    stores.events.append([make_event(kind, known[TRAP], Payload(), f"{kind}:x", project_id=PROJECT, by=by)], NOW)
    catch_up(stores, NOW)
    tidy(stores, gone=[{"known": "s#3"}], edits=[{"known": "s#3", "text": "Rows need dates."}])
    assert set(active(stores)) == set(known)
    assert set(reasons(stores)) == {"gone: a person set it", "edit: a person set it"}


def test_what_an_agent_said_is_ended_and_reworded(stores: Stores, known: dict[str, str]) -> None:
    done = tidy(
        stores, gone=[{"known": "s#3", "why": "mended"}], edits=[{"known": "s#2", "text": "The dev server uses 4000."}]
    )
    assert set(active(stores)) == {LINT, HOOK, "The dev server uses 4000."}
    assert (done.ended, done.edited) == (1, 1)
    assert active(stores)["The dev server uses 4000."].ref == "s#2", "later readings mean what it says now"


def test_a_question_leaves_both_and_is_asked_of_a_person(stores: Stores, known: dict[str, str]) -> None:
    tidy(stores, questions=[{"a": "s#2", "b": "s#3", "ask": "Which one holds?"}])
    both = active(stores)
    assert both[PORT].contradicted_with == (known[TRAP],) and both[TRAP].contradicted_with == (known[PORT],)
    assert both[PORT].strength == both[TRAP].strength


def test_groups_page_and_brief_cite_what_a_merge_became(stores: Stores, known: dict[str, str]) -> None:
    line = {"text": "Lint first.", "from": ["s#0", "s#1"]}
    tidy(
        stores,
        merges=[merge("s#0", "s#1")],
        groups=[{"label": "checks", "about": "What runs before a commit.", "members": ["s#1", "s#2"]}],
        page=[{"heading": "Checks", "lines": [line]}],
        brief=[line],
    )
    made = active(stores)[BOTH].learning_id
    kept = stores.tidyings.of_project(PROJECT)
    assert kept is not None and kept.memories == 4
    assert kept.groups[0].members == (made, known[PORT]) and kept.page[0].lines[0].sources == (made,)
    brief = stores.briefs.of_project(PROJECT)
    assert brief is not None and [one.sources for one in brief.lines] == [(made,)]
    assert "Lint first." in brief_entries(stores, active(stores).values(), PROJECT, NOW, "")[0].line


def test_the_same_tidying_again_changes_nothing(stores: Stores, known: dict[str, str]) -> None:
    proposal = {"merges": [merge("s#0", "s#1")]}
    tidy(stores, **proposal)
    before = stores.events.last_id()
    assert tidy(stores, **proposal) == Tidied() and stores.events.last_id() == before


def test_one_undo_takes_the_whole_tidying_back(stores: Stores, known: dict[str, str]) -> None:
    line = {"text": "Lint first.", "from": ["s#0"]}
    done = tidy(
        stores,
        merges=[merge("s#0", "s#1")],
        gone=[{"known": "s#3"}],
        questions=[{"a": "s#2", "b": "s#0"}],
        brief=[line],
        page=[{"heading": "H", "lines": [line]}],
    )
    undo(stores.events, plan_undo(stores.events, [done.event_id]), "user", "no", NOW)
    catch_up(stores, NOW)
    assert set(active(stores)) == set(known)
    assert stores.tidyings.of_project(PROJECT) is None and stores.briefs.of_project(PROJECT) is None
    assert active(stores)[PORT].contradicted_with == ()


def test_what_waits_for_a_person_is_neither_shown_nor_used(stores: Stores, known: dict[str, str]) -> None:
    teach(stores, "m9", "Always use the mirror.", "agent", ref="s#9", evidence=("r9",), tainted=True)
    request = build_request(stores, PROJECT, load("tidy"))
    assert "mirror" not in request.text and len(request.labels) == 4
    tidy(stores, brief=[{"text": "Use the mirror.", "from": ["s#9"]}])
    assert stores.briefs.of_project(PROJECT) is None


def test_an_erasure_of_a_part_reaches_the_merge_and_the_page(stores: Stores, known: dict[str, str]) -> None:
    tidy(stores, merges=[merge("s#0", "s#1")], page=[{"heading": "H", "lines": [{"text": "Lint.", "from": ["s#0"]}]}])
    made = active(stores)[BOTH]
    part = stores.memories.by_learning([known[LINT]])[known[LINT]]
    going = plan(stores, Selection(ids=(part.id,))).learnings
    assert {made.learning_id, tidying_id(PROJECT)} <= set(going) and known[HOOK] not in going
    assert {known[LINT], known[HOOK]} <= set(plan(stores, Selection(ids=(made.id,))).learnings)
    assert {tidying_id(PROJECT)} <= set(plan(stores, Selection(project=PROJECT)).learnings)


# -- the answer -----------------------------------------------------------------------------------------------------


def test_labels_are_understood_however_they_are_spelt(stores: Stores, known: dict[str, str]) -> None:
    request = build_request(stores, PROJECT, load("tidy"))
    first, second = (next(k for k, v in request.labels.items() if v == known[text]) for text in (LINT, HOOK))
    answer = {"merges": [{"from": [f"[{first.lower()}] {second}"], "text": BOTH}]}
    assert check_tidying(answer).refused, "two memories are named in one string"
    said = "Here it is:\n```json\n" + json.dumps({"merges": [{"from": [first, f"[{second}]"], "text": BOTH}]}) + "\n```"
    [made] = request.understand(said).tidying.merges
    assert made.from_ == (known[LINT], known[HOOK])


def test_half_an_answer_merges_and_leaves_page_and_brief_alone() -> None:
    whole = json.dumps(
        {"merges": [merge("a", "b")], "page": [{"heading": "H", "lines": [{"text": "L", "from": ["a"]}]}], "brief": []}
    )
    checked = check_tidying(whole[:-20])
    assert checked.is_partial and len(checked.tidying.merges) == 1
    assert checked.tidying.page == () and checked.tidying.brief is None


@pytest.mark.parametrize("answer", ["", "I cannot do that.", "[]", "{}", '{"title": "x"}', 7, None])
def test_what_is_no_tidying_is_said_to_be_none(answer: object) -> None:
    with pytest.raises(BadOutput):
        check_tidying(answer)


def test_a_secret_is_refused_and_the_rest_counts(stores: Stores, known: dict[str, str]) -> None:
    leak = "Log in with AKIAIOSFODNN7EXAMPLX."
    tidy(stores, edits=[{"known": "s#2", "text": leak}], gone=[{"known": "s#3"}])
    assert set(active(stores)) == {LINT, HOOK, PORT} and "edits: it holds a secret" in reasons(stores)


# -- when, and by whom ----------------------------------------------------------------------------------------------


def read_session(stores: Stores, nth: int) -> None:
    said = SessionRead(reader="read@1", title=f"Session {nth}", summary="Done.", outcome="done")
    one = make_event(
        "SessionRead", f"reading-{nth}", said, f"read:{nth}", project_id=PROJECT, by=Writer(f"s{nth}", "x")
    )
    stores.events.append([one], NOW)
    catch_up(stores, NOW)


def test_it_is_due_after_ten_readings_or_nightly_after_one(stores: Stores, known: dict[str, str]) -> None:
    teach(stores, "m4", "The api is written in Go.", "agent", evidence=("r4",))
    assert not is_due(stores, PROJECT, NOW, nightly=True), "nothing was read"
    read_session(stores, 0)
    assert not is_due(stores, PROJECT, NOW) and is_due(stores, PROJECT, NOW, nightly=True)
    for nth in range(1, 10):
        read_session(stores, nth)
    assert is_due(stores, PROJECT, NOW)
    tidy(stores, gone=[{"known": "s#3"}])
    assert not is_due(stores, PROJECT, NOW) and not is_due(stores, PROJECT, NOW, nightly=True)


def test_above_eighty_memories_it_is_due_once_a_day(stores: Stores) -> None:
    for nth in range(81):
        teach(stores, f"m{nth}", f"Module {nth} is generated.", "agent", ref=f"s#{nth}", evidence=(f"r{nth}",))
    read_session(stores, 0)
    assert is_due(stores, PROJECT, NOW)
    tidy(stores, edits=[{"known": "s#0", "text": "Module 0 is generated by a script."}])
    read_session(stores, 1)
    assert not is_due(stores, PROJECT, NOW)
    assert is_due(stores, PROJECT, "2026-03-05T10:00:00.000Z")


def test_a_model_is_asked_within_its_budget_and_the_call_is_booked(stores: Stores, known: dict[str, str]) -> None:
    teach(stores, "m4", "The api is written in Go.", "agent", evidence=("r4",))
    label = {v: k for k, v in build_request(stores, PROJECT, load("tidy")).labels.items()}
    llm = Fake([{"merges": [{"from": [label[known[LINT]], label[known[HOOK]]], "text": BOTH}]}])
    copies: list[int] = []
    tidier = Tidier(stores, llm, Policy(daily_tokens=100_000, daily_usd=1.0), lambda: NOW)
    done = tidier.tidy(PROJECT, lambda: copies.append(1))
    assert done.merged == 2 and copies == [1] and BOTH in active(stores)
    assert [(row["purpose"], row["status"]) for row in stores.ledger.recent(5)] == [("tidy", "answered")]
    teach(stores, "m5", "The api uses chi.", "agent", evidence=("r5",))
    poor = Tidier(stores, llm, Policy(daily_tokens=10, daily_usd=1.0), lambda: NOW)
    with pytest.raises(ProviderError):
        poor.tidy(PROJECT, lambda: copies.append(1))
    assert copies == [1]


def test_with_hardly_any_memories_nobody_is_asked(stores: Stores, known: dict[str, str]) -> None:
    tidier = Tidier(stores, Fake(), Policy(daily_tokens=100_000, daily_usd=1.0), lambda: NOW)
    with pytest.raises(NousError, match="too few"):
        tidier.tidy(PROJECT, lambda: None)


def test_a_merge_is_still_known_by_the_names_of_its_parts(stores: Stores, known: dict[str, str]) -> None:
    """A later reading that ends one of the parts means the merge."""
    tidy(stores, merges=[merge("s#0", "s#1")])
    told = Turn(uuid="u1", kind="prompt", at=NOW, session_id="later", text="no more linting before a commit")
    checked = check_reading({"title": "No lint", "gone": [{"known": "s#0", "evidence": ["u1"]}]}, "later")
    with stores.db.transaction():
        take_in(stores, ReadSession("later", PROJECT, [told]), checked, "read@1/recorded:test", NOW)
    assert BOTH not in active(stores)
