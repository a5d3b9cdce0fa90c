"""Packets stay in budget, say nothing twice, and say the same for the same."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import NOW, memory
from nous.kernel.hooks.packing import (
    BRIEF_LINES,
    HARD_LIMIT_UTF16,
    WORK_LINES,
    Entry,
    estimate_tokens,
    is_work,
    pack,
    with_mark,
)
from nous.kernel.memory.memory import Memory
from nous.kernel.recall.worth import BY_HAND, entries, entry, is_injectable, line, need, need_score, start_text
from nous.kernel.types import TYPES
from nous.moments import later
from nous.providers.builtin import TABLE, TOKENIZER

SHOWN = sorted(name for name, kind in TYPES.items() if kind.is_shown)
said = st.builds(
    lambda word, times: "- " + word * times, st.sampled_from(["word ", "ключ ", "設定", "🙂", "x"]), st.integers(0, 90)
)
kinds = st.tuples(st.sampled_from(SHOWN), said, st.floats(0, 2))


def numbered(rows: list[tuple[str, str, float]]) -> list[Entry]:
    """Entries as they may wait in a cache."""
    return [
        Entry(n, type_, line, estimate_tokens(line), trust, [], []) for n, (type_, line, trust) in enumerate(rows, 1)
    ]


def taught(id: int, content: str, **fields: Any) -> Memory:
    """A memory that a person wrote."""
    return memory(id, content, source=BY_HAND, **fields)


def pools() -> st.SearchStrategy[list[Entry]]:
    return st.lists(kinds, max_size=60).map(numbered)


@given(pools(), st.integers(50, 3000))
def test_a_packet_never_exceeds_its_limits(pool: list[Entry], budget: int) -> None:
    packet = pack(pool, budget)
    assert estimate_tokens(packet.text) <= max(budget, 0)
    assert len(packet.text.encode("utf-16-le")) // 2 <= HARD_LIMIT_UTF16
    work = [is_work(one) for one in pool if one.id in packet.memory_ids]
    assert work.count(False) <= BRIEF_LINES and work.count(True) <= WORK_LINES
    assert len(set(packet.memory_ids)) == len(packet.memory_ids)


@given(pools(), st.integers(0, 10_000))
def test_the_order_of_entries_does_not_matter(pool: list[Entry], seed: int) -> None:
    shuffled = list(pool)
    random.Random(seed).shuffle(shuffled)
    assert pack(pool, 800) == pack(shuffled, 800)


@given(pools(), st.sets(st.integers(1, 60)))
def test_what_was_seen_is_not_shown(pool: list[Entry], seen: set[int]) -> None:
    assert not seen & set(pack(pool, 1500, seen=seen).memory_ids)


def test_work_stands_after_what_is_known() -> None:
    pool = numbered([("work_state", "- half done", 9.0), ("requirement", "- a rule", 1.0)])
    assert pack(pool, 300).text.splitlines()[1:] == ["- a rule", "- half done"]


def test_nothing_to_say_is_an_empty_text() -> None:
    assert pack([], 1500).text == ""


def test_a_line_cites_its_memory() -> None:
    assert line(memory(7, "Use pnpm.")) == "- Use pnpm. [Memory #7: 2026-11]"


def test_the_same_thing_said_twice_is_said_once() -> None:
    twice = [taught(1, "Tests run with make check."), taught(2, "Tests run with make check", strength=0.9)]
    assert [one.id for one in entries(twice, NOW, "")] == [2]


def test_a_start_compares_rules_only_with_those_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def compare(one: str, other: str) -> bool:
        asked.append(one)
        return False

    monkeypatch.setattr("nous.kernel.recall.worth.is_same_rule", compare)
    entries([taught(n, f"Always run `make check-{n}` before pushing.") for n in range(1, 2001)], NOW, "")
    assert 0 < len(asked) < 2000  # each of a thousand with each of the others would be a million


def test_worth_never_rises_with_age() -> None:
    ages = [need_score(memory(), later(NOW, 86400.0 * days)) for days in (0, 1, 10, 100, 1000)]
    assert ages == sorted(ages, reverse=True)


def test_a_pinned_memory_does_not_fade() -> None:
    assert need_score(memory(pinned=True), NOW) == need_score(memory(pinned=True), later(NOW, 86400.0 * 900))


ORDERS = (
    "Let's wipe the staging volume and begin anew.",
    "Looks good. Please delete the feature branch now.",
    "Just force push it.",
    "I want you to clear the tables and seed them again.",
    "Lösche die alte Datenbank.",
    "删除数据库里的旧数据",
)
NO_ORDERS = (
    "Never delete a migration that was released.",
    "Don't force-push to main.",
    "Drop the test database before every run.",
    "When a booking is cancelled, remove its records too.",
    "Users should be able to delete their accounts.",
    "Remove the old tariff altogether.",
    "不要删除数据库",
)


@pytest.mark.parametrize("said", ORDERS)
def test_an_order_to_destroy_something_is_not_shown_unasked_unless_a_person_wants_it(said: str) -> None:
    assert need(memory(1, said, confidence=0.9), NOW).refused == "it was an order to destroy something"
    assert is_injectable(memory(1, said, confirmed=True), NOW, "")


@pytest.mark.parametrize("said", NO_ORDERS)
def test_bans_rules_and_what_a_product_does_are_no_such_orders(said: str) -> None:
    assert is_injectable(memory(1, said), NOW, "")


def test_only_what_is_true_here_and_now_is_shown() -> None:
    assert is_injectable(memory(), NOW, "main")
    for wrong in (
        memory(status="superseded"),
        memory(status="archived"),
        memory(tainted=True),
        memory(disputed=True),
        memory(valid_until=NOW),
        memory(type="work_state", branch="feature/x"),
    ):
        assert not is_injectable(wrong, NOW, "main")
    assert is_injectable(memory(type="work_state", branch="main"), NOW, "main")


def test_recent_work_is_recent() -> None:
    left_off = memory(type="work_state", branch="main")
    assert is_injectable(left_off, later(NOW, 86400.0 * 20), "main")
    assert not is_injectable(left_off, later(NOW, 86400.0 * 40), "main")


def test_an_entry_may_be_marked_or_refused_at_the_last_moment() -> None:
    one, two = entry(memory(1, "Use pnpm."), NOW), entry(memory(2, "Tests run with make."), NOW)
    packet = pack([one, two], 800, check=lambda each: with_mark(each, "may be outdated") if each.id == 1 else None)
    assert packet.memory_ids == (1,)
    assert "- Use pnpm. (may be outdated) [Memory #1: 2026-11]" in packet.text


def test_a_date_is_to_the_day_where_the_day_matters() -> None:
    assert line(memory(7, "The parser is half done.", type="work_state")).endswith("[Memory #7: 2026-11-10]")


# -- what comes first ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("likelier", "less"),
    [
        ({"strength": 0.7}, {}),
        ({"confidence": 0.9}, {"confidence": 0.5}),
        ({"last_said_at": NOW}, {"valid_from": "2026-01-01T00:00:00.000Z"}),
        ({"pinned": True, "type": "decision"}, {"strength": 1.0, "confidence": 1.0, "type": "preference"}),
    ],
)
def test_what_is_sure_and_proved_comes_first(likelier: dict[str, Any], less: dict[str, Any]) -> None:
    one, other = ({"content": "Tests run before a release."} | said for said in (likelier, less))
    assert need_score(memory(**one), NOW) > need_score(memory(**other), NOW)


RULES_6 = {"extractor": "rules-6"}
AT_A_START: tuple[tuple[str, dict[str, Any], str], ...] = (
    # what was said, what is known of it, what a start shows
    ("Never push to main.", {"type": "requirement"}, "Never push to main."),
    ("Fix the header. Never push to main. Looks great now!", {"type": "requirement"}, "Never push to main."),
    ("Function names must end with '_q'.", {"type": "requirement"}, "Function names must end with '_q'."),
    ("We deploy with `make ship`.", {"type": "requirement"}, "We deploy with `make ship`."),
    ("Bump the price to 2.", {"type": "requirement"}, ""),
    ("I want a blue button on the left.", {"type": "requirement"}, ""),
    ("Can we always use tabs?", {"type": "requirement"}, ""),
    ("The list still shows the old rows.", {"type": "requirement"}, ""),
    ("The swatch must always be on top.", {"type": "requirement"}, ""),
    (
        "The swatch must always be on top.",
        {"type": "requirement", "strength": 0.7},
        "The swatch must always be on top.",
    ),
    ("Never push to main.", {"type": "requirement", "strength": 0.0}, ""),
    ("Staging is reset at night, says make.", {"type": "requirement", "tags": ("rule",)}, "whole"),
    ("Run the tests with `make check`", {"type": "procedure"}, "whole"),
    ("`make` failed with “no rule”; fixed by `touch x`.", {"type": "error_pattern"}, ""),
    ("Always returns a list.", {"type": "code_description", "source": BY_HAND}, ""),
    ("The office is in Bern.", {"type": "fact", "source": BY_HAND}, "whole"),
    ("The office is in Bern.", {"type": "fact", "confirmed": True}, "whole"),
    ("The office is in Bern.", {"type": "fact", "pinned": True}, "whole"),
    ("The office was in Bern once.", {"type": "fact"}, ""),
    ("Never push to main.", {"type": "requirement", "source": "agent", "extractor": "agent"}, ""),
    ("The parser is half done.", {"type": "work_state"}, "whole"),
)


@pytest.mark.parametrize(("said", "known", "shown"), AT_A_START)
def test_a_start_shows_rules_commands_work_and_what_a_person_stands_for(
    said: str, known: dict[str, Any], shown: str
) -> None:
    one = memory(1, said, **(RULES_6 | known))
    expected = said if shown == "whole" else shown
    assert start_text(one) == expected
    assert [found.line.partition(" [")[0] for found in entries([one], NOW, "")] == ([f"- {expected}"] if shown else [])
    assert (need(one, NOW).refused is None) is bool(shown)


def test_what_anybody_guesses_is_told_once_it_proved_itself_again() -> None:
    seen_once = {"type": "procedure"} | RULES_6
    assert start_text(memory(1, "Start it with `npm run dev`", **seen_once)) == ""
    assert start_text(memory(1, "Start it with `npm run dev`", strength=0.6, **seen_once))
    assert start_text(memory(1, "Build with `make` (plain `tsc` fails: no tsconfig)", **seen_once))
    assert start_text(memory(1, "Run the tests with `npm test`", **seen_once))


def test_what_a_model_calls_a_rule_is_shown_in_its_words() -> None:
    said = {"content": "Dates are UTC everywhere.", "extractor": "extract-1f2e"}
    assert start_text(memory(1, type="requirement", **said)) == "Dates are UTC everywhere."
    other = said | {"content": "Dates were talked about at length."}
    assert start_text(memory(1, type="decision", **other)) == ""


def test_a_person_comes_before_rules_rules_before_commands_and_the_last_word_first() -> None:
    rule = {"type": "requirement", "tags": ("rule",)} | RULES_6
    pool = [
        memory(1, "Run the tests with `make check`", type="procedure", **RULES_6),
        memory(2, "Never use tabs.", valid_from="2026-01-01T00:00:00.000Z", **rule),
        memory(3, "Never amend a commit.", **rule),
        taught(4, "The office is in Bern."),
        memory(5, "Half done.", type="work_state", **RULES_6),
        memory(6, "Answer in English.", pinned=True, **rule),
    ]
    assert [one.id for one in entries(pool, NOW, "")] == [6, 4, 3, 2, 1, 5]
    assert pack(entries(pool, NOW, ""), 800).memory_ids == (6, 4, 3, 2, 1, 5)


def test_of_last_work_the_latest_of_each_branch_is_shown() -> None:
    days = [f"2026-11-{day:02}T12:00:00.000Z" for day in range(1, 5)]
    work = [memory(n, f"Part {n} is half done.", type="work_state", valid_from=day) for n, day in enumerate(days)]
    aside = memory(7, "The retries wait for a test.", type="work_state", valid_from=days[0], branch="feat/retries")
    assert [one.id for one in entries([*work, taught(10, "Use pnpm.")], NOW, "")] == [10, 3]
    assert {one.id for one in entries([*work, aside], NOW, "feat/retries")} == {3, 7}


# -- contradictions -------------------------------------------------------------------------------------------------


def test_two_memories_that_disagree_stand_side_by_side_with_their_dates() -> None:
    old = taught(1, "Retries belong in the client.", valid_from="2026-10-01T00:00:00.000Z", contradicted_with=("l2",))
    new = taught(2, "Retries belong in the service.", contradicted_with=("l1",))
    assert [one.id for one in entries([old, new], NOW, "")] == [2], "a start shows what was said last"
    both = entry(new, NOW, other=old)
    assert both.line == (
        "- Sessions disagree, so check before relying on either: Retries belong in the service. "
        '[Memory #2: 2026-11-10] but also "Retries belong in the client." [Memory #1: 2026-10-01]'
    )
    assert pack([both], 800).memory_ids == (2, 1)
    assert pack([both], 800, seen={1}).text == ""


@pytest.mark.parametrize("end", [{"status": "superseded"}, {"tainted": True}, {"valid_until": NOW}])
def test_a_side_that_no_longer_stands_is_not_shown(end: dict[str, object]) -> None:
    old = memory(1, "Retries belong in the client.", contradicted_with=("l2",), **end)
    [alone] = entries([old, taught(2, "Retries belong in the service.", contradicted_with=("l1",))], NOW, "")
    assert alone.line == "- Retries belong in the service. [Memory #2: 2026-11]"


# -- what a text costs ----------------------------------------------------------------------------------------------

SPOKEN = [
    "Always run the migrations with `make migrate-safe` in this repo, never with alembic directly.",
    "src/billing/retry.py: `charge_once(order_id, attempt=3)` raises StripeError after 30 s.",
    "commit 9f8c2a1e7b3d4f5a6c7d8e9f0a1b2c3d4e5f6071 broke the nightly export on 2026-11-02",
    "Die Einstellungen für größere Änderungen stehen in der Datei `config/größen.yaml`.",
    "Les réglages de l'équipe sont dans le fichier à la racine du projet.",
    "ключ хранится в файле настроек и никогда не попадает в git",
    "設定はすべて環境変数から読み込まれます",
    "用户要求所有的测试必须在提交之前运行",
    "🙂 the deploy bot reacts with 🚀 when the release is out",
]


@pytest.fixture(scope="module")
def real_count() -> dict[str, int]:
    """The texts of this file's list and of the sample transcripts, with what a real tokenizer makes of them."""
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_file(os.path.join(TABLE, TOKENIZER))
    docs = Path(__file__).resolve().parents[2].joinpath("docs", "concepts").glob("*.md")
    prose = [
        line for path in docs for line in path.read_text(encoding="utf-8").splitlines() if 60 < len(line.strip()) < 400
    ]
    texts = [f"- {text} [Memory #{n + 1}: 2026-11-10]" for n, text in enumerate([*SPOKEN, *prose])]
    return {text: len(tokenizer.encode(text, add_special_tokens=False).ids) for text in texts}


def test_a_line_is_estimated_within_a_quarter(real_count: dict[str, int]) -> None:
    wrong = {text: (estimate_tokens(text), count) for text, count in real_count.items()}
    assert {text: pair for text, pair in wrong.items() if not 0.75 <= pair[0] / pair[1] <= 1.25} == {}


def test_a_packet_is_estimated_within_a_tenth(real_count: dict[str, int]) -> None:
    assert len(real_count) > 40
    assert 0.9 <= sum(map(estimate_tokens, real_count)) / sum(real_count.values()) <= 1.1


def test_a_memory_that_two_lines_cite_is_named_once() -> None:
    [one] = numbered([("fact", "Port 5433 is taken.", 0.5)])
    one = one._replace(id=1, beside=(3,))
    assert pack([one, one._replace(id=2)], 500).memory_ids == (2, 3, 1)
