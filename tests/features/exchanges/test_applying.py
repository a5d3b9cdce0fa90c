"""The rule in force that a question falls under stands among the first hits, although it shares no word with it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from nous import Nous
from nous.config import load_settings
from nous.features.exchanges.applying import case_of, with_rule
from nous.features.exchanges.search import Spoken
from nous.features.exchanges.store import Located
from nous.features.exchanges.together import Found

RULE = "Always add a rollback step when you write a database migration."

SCHEMA = (
    "Invoices were renumbered",
    "Bob lost an afternoon to a lock",
    "Replicas lagged for an hour",
    "The export of refunds broke",
    "Grafana showed a gap",
    "Customers in Spain saw old prices",
    "A cron job sent two letters",
    "Checkout needed a restart",
    "The table of taxes grew",
    "Nobody told support",
    "Staging ran out of disk",
)


@pytest.mark.parametrize(
    ("rule", "case"),
    [
        (RULE, "you write a database migration."),
        ("Before a release, read the changelog.", "a release, read the changelog."),
        ("Use pnpm, not npm.", "Use pnpm, not npm."),
        ("当你修改数据库时先备份", "你修改数据库时先备份"),
    ],
)
def test_a_rule_names_its_case_or_is_its_own(rule: str, case: str) -> None:
    assert case_of(rule) == case


@pytest.fixture
def nous(tmp_path: Path) -> Nous:
    opened = Nous.open(
        tmp_path / "cortex.db", settings=load_settings({"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)})
    )
    for deed in SCHEMA:
        opened.remember(f"{deed} when the orders schema changed.", project="shop")
    opened.remember(RULE, type="requirement", project="shop")
    opened.remember("Always answer in French when somebody greets you.", type="requirement", project="shop")
    return opened


def test_the_rule_that_applies_is_among_the_first_five_and_no_other(nous: Nous) -> None:
    found = [hit.content for hit in nous.recall("how was the orders schema moved to postgres?", project="shop")]
    assert RULE in found[:5] and len(found) == 10
    assert not any("French" in one for one in found[:5])


def test_a_rule_alone_answers_nothing(nous: Nous) -> None:
    assert nous.recall("zebra crossing", project="shop") == []
    filtered = nous.recall("how was the orders schema moved to postgres?", project="shop", type="fact")
    assert all(hit.memory and hit.memory.type == "fact" for hit in filtered)


def test_a_rule_and_the_exchange_it_came_from_are_one_hit(nous: Nous) -> None:
    rule = next(one for one in nous.list(project="shop") if one.content == RULE)
    rule = msgspec.structs.replace(rule, evidence=("e6",))
    found = [exchange(f"e{number}", 1 - number / 10) for number in range(8)]
    lifted = with_rule(found, rule)
    assert [one.exchange.content for one in lifted if one.exchange] == ["e0", "e1", "e2", "e3", "e6", "e4", "e5", "e7"]
    assert lifted[4].memory and lifted[4].memory.memory == rule and lifted[4].score == lifted[5].score
    assert with_rule(found, msgspec.structs.replace(rule, evidence=("e2",))) == found and with_rule([], rule) == []
    assert [one.memory is not None for one in with_rule(found[:2], rule)] == [False, False, True]


def exchange(name: str, score: float) -> Found:
    place = Located(1, 1, 1, name, "2026-11-02", "main", False, "", (), (), "/t", "s", "", "p")
    spoken = Spoken(place, name, score, (name,), {"text": score}, (name,))
    return Found(score, spoken.shares, exchange=spoken, leads="exchange")
