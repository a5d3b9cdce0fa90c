"""What sentences say of two named things, and what they only seem to say."""

from __future__ import annotations

import pytest

from nous.core.extraction import Triple, relation_problem
from nous.core.extractor.triples import triples
from nous.core.language.lexicon import row


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("The api runs on eks.", ("api", "runs_on", "eks")),
        ("billing depends on redis 7", ("billing", "depends_on", "redis 7")),
        ("The worker reads queue orders.", ("worker", "reads", "queue orders")),
        ("The dev server listens on port 8080.", ("dev server", "listens_on", "port 8080")),
        ("orders-service now publishes to Kafka.", ("orders-service", "writes", "Kafka")),
        ("Tests are run with `make test`.", ("Tests", "run_with", "make test")),
        ("The ingest job writes to the events table because it is fast.", ("ingest job", "writes", "events table")),
        ("OrderService extends BaseService.", ("OrderService", "extends", "BaseService")),
        ("src/auth/session.py imports jose.", ("src/auth/session.py", "imports", "jose")),
        ("We use pnpm, not npm.", ("project", "uses", "pnpm")),
        ("We're running on Django 5.1 now.", ("project", "runs_on", "Django 5.1")),
        ("Flags live in our own postgres table.", ("Flags", "lives_in", "postgres table")),
        ("claims-core is on JDK 21 since last sprint.", ("claims-core", "runs_on", "JDK 21")),
        ("We build with JDK 17.", ("project", "built_with", "JDK 17")),
        ("Artifacts come from Nexus.", ("Artifacts", "comes_from", "Nexus")),
        ("The api sits behind nginx.", ("api", "sits_behind", "nginx")),
        ("The water dashboard is managed by Ops.", ("water dashboard", "managed_by", "Ops")),
    ],
)
def test_a_plain_statement_gives_its_relation(said: str, expected: tuple[str, str, str]) -> None:
    assert triples(said) == (Triple(*expected),)


def test_every_clause_may_state_one() -> None:
    found = triples("The frontend is written in TypeScript, and the backend is deployed to Fly.io.")
    assert found == (Triple("frontend", "written_in", "TypeScript"), Triple("backend", "deployed_to", "Fly.io"))


@pytest.mark.parametrize(
    "said",
    [
        "It uses redis.",
        "That needs Docker.",
        "Never use npm here.",
        "We don't use redis.",
        "The api does not use redis.",
        "The api no longer uses redis.",
        "The team needs coffee.",
        "The team is on holiday.",
        "We are on it.",
        "oauth2-proxy sits in front now.",
        "You need to use the new one.",
        "Please use ultrathink for this.",
        "redis uses redis.",
    ],
)
def test_what_names_no_two_things_gives_none(said: str) -> None:
    assert triples(said) == ()


def test_every_predicate_keeps_the_contract() -> None:
    assert not [name for name in row("triples.predicates") if relation_problem(Triple("a", name, "b"))]
