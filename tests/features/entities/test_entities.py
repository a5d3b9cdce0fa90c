"""Names: which are one, which are none, what a sentence names, and what decisions about them come to."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import NOW, extracted
from nous.features.entities.model import fold_decisions, kind_of, mentions, observations
from nous.features.entities.observations import Stated, truths
from nous.kernel.log.events import (
    EntityMerged,
    EntityRejected,
    EntityRenamed,
    EntitySplit,
    EventType,
    Extracted,
    Payload,
    Recorded,
    Undone,
)
from nous.kernel.log.extraction import Triple
from nous.language.naming import entity_id, is_path, normal
from nous.moments import later

ONE = [
    ("Next.js", "nextjs"),
    ("Next.js", "Next-JS"),
    ("PostgreSQL", "postgres"),
    ("Postgres 16", "postgres"),
    ("k8s", "Kubernetes"),
    ("the API-Server", "api server"),
    ("`pnpm`", "pnpm"),
    ("Chef Chopsky", "ChefChopsky"),
    ("raw_events()", "raw_events"),
    ("./src/app.py", "src/app.py"),
    ("@plan.md", "plan.md"),
    ("Gonçalves", "GONCALVES"),
    ("ｎｇｉｎｘ", "nginx"),
    ("gіthub", "github"),  # a Cyrillic letter
    ("Αpple", "Apple"),  # a Greek one
    ("nginx\u200b", "nginx"),
    ("prod", "production"),
]
TWO = [
    ("Java", "JavaScript"),
    ("C", "C++"),
    ("PEP 621", "PEP 8"),
    ("src/app.py", "lib/app.py"),
    ("api.example.com", "api.example.org"),
    ("port 8080", "port 9090"),
    ("Петров", "Петрова"),
    ("React", "Preact"),
    ("Phase 2", "Phase 3"),
]


@pytest.mark.parametrize("pair", ONE)
def test_spellings_of_one_thing_have_one_form(pair: tuple[str, str]) -> None:
    assert normal(pair[0]) == normal(pair[1]) != ""


@pytest.mark.parametrize("pair", TWO)
def test_two_things_have_two_forms(pair: tuple[str, str]) -> None:
    assert normal(pair[0]) != normal(pair[1])


@pytest.mark.parametrize("name", ["", "  ", "```", "123", "\u200b", "—", "()", "3.11"])
def test_what_has_no_letters_is_no_name(name: str) -> None:
    assert normal(name) == ""


@given(st.text(max_size=300))
def test_a_form_is_its_own_form_and_nothing_breaks_it(name: str) -> None:
    form = normal(name)
    assert len(form) <= 600
    assert kind_of(name) in (
        "service",
        "library",
        "command",
        "host",
        "file",
        "variable",
        "person",
        "team",
        "project",
        "concept",
    )


def test_the_id_is_made_of_project_and_form_alone() -> None:
    assert entity_id("p", normal("Postgres")) == entity_id("p", normal("PostgreSQL"))
    assert entity_id("p", "postgres") != entity_id("q", "postgres")


def said(content: str, *names: str, relations: tuple[Triple, ...] = (), files: tuple[str, ...] = ()) -> Extracted:
    payload = extracted("l1", content, entities=names, relations=relations, files=files).payload
    assert isinstance(payload, Extracted)
    return payload


NAMED = [
    ("Write it in Go, please.", "Go", True),
    ("Run `go build ./...` first.", "go", True),
    ("We are on go 1.22 now.", "go", True),
    ("Let's go ahead with this.", "go", False),
    ("Make it go faster.", "go", False),
    ("Use `make test` before a push.", "make", True),
    ("Make sure that it works.", "make", False),
    ("Just run `just build`.", "just", True),
    ("Just do it.", "Just", False),
    ("It reacts to this, next time react faster.", "react", False),
    ("The frontend is built with react.", "react", True),
    ("DO NOT touch this.", "DO NOT", False),
]


@pytest.mark.parametrize(("content", "name", "is_one"), NAMED)
def test_a_word_that_is_also_a_tool_is_named_only_where_it_is_written_like_one(
    content: str, name: str, is_one: bool
) -> None:
    by_rules = msgspec.structs.replace(said(content), entities=(name,), extractor_version="rules-8")
    assert bool([one for one in mentions(by_rules) if one.name == name]) is is_one


def test_what_a_reading_names_is_a_name() -> None:
    assert [one.name for one in mentions(said("x", "apps/api", "AutoLM"))] == ["apps/api", "AutoLM"]


def test_two_words_with_a_slash_are_no_place() -> None:
    told = said("Read/write it in src/app.py", files=("Read/write", "src/app.py", ".md", ".env"))
    found = mentions(msgspec.structs.replace(told, extractor_version="rules-8"))
    assert [one.name for one in found] == ["src/app.py", ".env"]
    assert is_path("src/nous/core/") and not is_path("Next.js")


def test_what_a_sentence_says_names_both_ends_and_its_programs() -> None:
    found = mentions(
        said("The api runs on eks; start it with `docker compose up`.", relations=(Triple("api", "runs_on", "eks"),))
    )
    assert {one.name for one in found} == {"api", "eks", "docker"}


KINDS = [
    ("Postgres", "library"),
    ("github", "service"),
    ("pnpm", "command"),
    ("db.internal.example.com", "host"),
    ("10.0.0.12", "host"),
    ("src/app.py", "file"),
    ("DATABASE_URL", "variable"),
    ("billing-service", "service"),
    ("Chef Chopsky", "concept"),
]


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_a_kind_is_told_by_spelling(name: str, kind: str) -> None:
    assert kind_of(name) == kind


def test_financial_and_contact_identifiers_are_no_observations() -> None:
    private = ("has_account_number", "routing_number", "phone", "has_email", "salary")
    told = said("x", relations=(*(Triple("Mira", name, "12345") for name in private), Triple("Mira", "owns", "api")))
    assert [one.predicate for one in observations(told)] == ["owns"]


def test_a_literal_is_no_entity() -> None:
    told = observations(said("x", relations=(Triple("api", "listens_on", "8080"), Triple("api", "runs_on", "eks"))))
    assert [one.target for one in told] == ["", "eks"]


# -- decisions ------------------------------------------------------------------------------------------------------


def ident(name: str) -> str:
    return entity_id("p", normal(name))


def decision(number: int, kind: EventType, name: str, payload: Payload) -> Recorded:
    return Recorded(
        event_id=number,
        event_uuid=f"{number:08x}-0000-7000-8000-000000000000",
        transaction_time=later(NOW, number),
        device="d",
        device_seq=number,
        stream="entity",
        stream_id=ident(name),
        event_type=kind,
        idempotency_key=f"k{number}",
        payload=payload,
        session_id="s",
        project_id="p",
        source="user_review",
    )


def merged(number: int, name: str, into: str) -> Recorded:
    return decision(number, "EntityMerged", name, EntityMerged(name=name, into=ident(into), into_name=into))


def test_merges_are_followed_to_the_end() -> None:
    found = fold_decisions([merged(1, "a1", "b1"), merged(2, "b1", "c1")]).namings
    assert found[ident("a1")].root_id == ident("c1")


def test_merges_in_a_circle_end_with_the_first_that_stand() -> None:
    found = fold_decisions([merged(1, "a1", "b1"), merged(2, "b1", "c1"), merged(3, "c1", "a1")]).namings
    assert {naming.root_id for naming in found.values()} == {ident("c1")}


def test_a_merge_undone_after_later_events_leaves_those() -> None:
    undone = decision(4, "EventsUndone", "a1", Undone(undone_events=(1,)))
    renamed = decision(3, "EntityRenamed", "b1", EntityRenamed(name="b1", to="Bee"))
    found = fold_decisions([merged(1, "a1", "b1"), merged(2, "b1", "c1"), renamed, undone]).namings
    assert ident("a1") not in found
    assert found[ident("b1")].root_id == ident("c1")
    assert found[ident("b1")].name == "Bee"


def test_the_order_in_which_decisions_come_here_does_not_matter() -> None:
    events = [merged(1, "a1", "b1"), merged(2, "c1", "a1"), merged(3, "b1", "c1")]
    assert fold_decisions(events) == fold_decisions(events[::-1])


def test_who_uses_a_new_name_means_the_renamed() -> None:
    found = fold_decisions([decision(1, "EntityRenamed", "pg", EntityRenamed(name="pg", to="Main database"))]).namings
    assert found[ident("main-database")].root_id == ident("pg")


def test_a_split_takes_a_merged_name_out_and_moves_what_memories_mean() -> None:
    apart = decision(2, "EntitySplit", "b1", EntitySplit(name="b1", apart=ident("a1"), apart_name="a1"))
    assert ident("a1") not in fold_decisions([merged(1, "a1", "b1"), apart]).namings
    moved = decision(
        3, "EntitySplit", "go", EntitySplit(name="go", apart=ident("the game"), apart_name="x", learnings=("l",))
    )
    assert fold_decisions([moved]).moves["l", ident("go")].moved_to == ident("the game")


def test_five_hundred_names_of_one_thing() -> None:
    found = fold_decisions([merged(number, f"alias{number}", "root") for number in range(1, 501)]).namings
    assert {naming.root_id for naming in found.values()} == {ident("root")}
    assert (
        fold_decisions([decision(1, "EntityRejected", "a1", EntityRejected(name="a1"))]).namings[ident("a1")].rejected
    )


# -- what holds now -------------------------------------------------------------------------------------------------


def stated(object_: str, since: str, until: str | None = None, number: int = 1, by: int | None = None) -> Stated:
    return Stated("project", "uses", object_, since, until, number, by)


def test_what_holds_now_stands_before_what_held_before() -> None:
    told = [stated("MySQL", "2026-01-10", "2026-03-03", 1, 2), stated("PostgreSQL", "2026-03-03", None, 2)]
    [truth] = truths(told, NOW)
    assert truth.text == "PostgreSQL since 3 March, MySQL before"
    assert truth.now == ("PostgreSQL",) and truth.before == ("MySQL",) and truth.memories == (1, 2)


def test_of_what_a_thing_has_once_the_newest_holds() -> None:
    told = [
        Stated("api", "runs_on", "ecs", "2025-01-01", None, 1),
        Stated("api", "runs_on", "eks", "2026-05-01", None, 2),
    ]
    assert [truth.text for truth in truths(told, NOW)] == ["eks since 1 May, ecs before"]


def test_of_what_it_may_have_several_of_all_hold_that_nobody_ended() -> None:
    told = [stated("Redis", "2026-01-01", None, 1), stated("Kafka", "2025-02-01", None, 2)]
    assert truths(told, NOW)[0].text == "Kafka since 1 February 2025, Redis since 1 January"
