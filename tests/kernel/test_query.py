"""What a question asks for."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nous.kernel.recall.query import spans, understand
from nous.language.lexicon import row

NOW = "2026-11-15T12:00:00.000Z"  # a Sunday


@pytest.mark.parametrize(
    ("asked", "intent"),
    [
        ("When did we move to Postgres?", "when"),
        ("How long did the migration take?", "when"),
        ("What broke when we upgraded?", "what"),
        ("Why is the cache disabled?", "why"),
        ("who owns billing", "who"),
        ("Where are delayed jobs kept?", "where"),
        ("How many retries are there?", "how many"),
        ("how do I run the tests", "how"),
        ("staging port", "general"),
    ],
)
def test_the_intent_is_read_from_the_words(asked: str, intent: str) -> None:
    assert understand(asked, NOW).intent == intent


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("on 5 May 2023", date(2023, 5, 5), date(2023, 5, 5)),
        ("on May 5th, 2023", date(2023, 5, 5), date(2023, 5, 5)),
        ("in March 2024", date(2024, 3, 1), date(2024, 3, 31)),
        ("2024-02-03", date(2024, 2, 3), date(2024, 2, 3)),
        ("in 2022", date(2022, 1, 1), date(2022, 12, 31)),
        ("yesterday", date(2026, 11, 14), date(2026, 11, 14)),
        ("last week", date(2026, 11, 2), date(2026, 11, 8)),
        ("last month", date(2026, 10, 1), date(2026, 10, 31)),
        ("in the past 3 days", date(2026, 11, 12), date(2026, 11, 15)),
        ("before May 2023", None, date(2023, 4, 30)),
        ("since 2024-02-03", date(2024, 2, 3), None),
    ],
)
def test_times_are_read_in_the_persons_own_words(asked: str, first: date | None, last: date | None) -> None:
    [span] = spans(f"what happened {asked}?", NOW)
    assert (span.first, span.last) == (first, last)


def test_a_month_without_a_year_is_that_of_any_year_and_may_is_also_a_verb() -> None:
    question = understand("what did we decide in June?", NOW)
    assert question.closeness("2023-06-10T00:00:00.000Z") == 1.0
    assert 0 < question.closeness("2023-07-05T00:00:00.000Z") < 1
    assert question.closeness("2023-09-05T00:00:00.000Z") == 0.0
    assert spans("it may march on", NOW) == []


def test_what_is_told_some_days_later_still_fits() -> None:
    question = understand("the release on 5 May 2023", NOW)
    assert question.closeness("2023-05-12T00:00:00.000Z") > question.closeness("2023-05-25T00:00:00.000Z") > 0
    assert question.closeness("2023-07-01T00:00:00.000Z") == 0.0


def test_the_subject_is_told_apart_from_the_time() -> None:
    question = understand("What did Maria change in src/auth/tokens.py last week?", NOW)
    assert {term.word for term in question.subject} >= {"maria", "tokens"}
    assert understand("What happened last week?", NOW).subject == ()


@given(st.text(max_size=300), st.dates(min_value=date(1990, 1, 1)))
def test_any_text_is_understood_and_closeness_is_a_share(text: str, day: date) -> None:
    question = understand(text + " on 30 february 2023, 31 June, last 99999999 years, in 1999", NOW)
    assert 0.0 <= question.closeness(f"{day.isoformat()}T00:00:00.000Z") <= 1.0


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what broke last Monday?", date(2026, 11, 9), date(2026, 11, 9)),
        ("changes since Friday", date(2026, 11, 13), None),
        ("what did we do this month", date(2026, 11, 1), date(2026, 11, 16)),
        ("what did we do this week", date(2026, 11, 16), date(2026, 11, 16)),
        ("the past 3 days", date(2026, 11, 13), date(2026, 11, 16)),
    ],
)
def test_days_of_the_week_and_the_current_month_are_times(text: str, first: date, last: date | None) -> None:
    [span] = understand(text, "2026-11-16T12:00:00.000Z").spans  # a Monday
    assert (span.first, span.last) == (first, last)


def test_branches_are_recognised() -> None:
    now = "2026-11-16T12:00:00.000Z"
    assert understand("errors on branch feature/login-form", now).branches == ("feature/login-form",)
    assert understand("what is left on main?", now).branches == ("main",)
    assert understand("the release-2 branch fails", now).branches == ("release-2",)
    assert understand("what is the main idea?", now).branches == ()


IN_OTHER_WORDS = {
    "cs": ("proč se faktura neukládá do databáze?", {"faktura", "neukládá", "databáze"}),
    "de": ("Warum wird die Rechnung nicht in der Datenbank gespeichert?", {"rechnung", "datenbank", "gespeichert"}),
    "es": ("¿por qué no se guarda la factura en la base?", {"guarda", "factura", "base"}),
    "fr": ("pourquoi la facture n'est-elle pas gardée dans la base ?", {"facture", "gardée", "base"}),
    "it": ("perché la fattura non viene salvata nella base?", {"fattura", "viene", "salvata", "base"}),
    "nl": ("waarom wordt de factuur niet bewaard in de databank?", {"factuur", "bewaard", "databank"}),
    "pl": ("dlaczego faktura nie jest zapisana w bazie?", {"faktura", "zapisana", "bazie"}),
    "pt": ("por que a fatura não é salva no banco?", {"fatura", "salva", "banco"}),
    "sv": ("varför sparas inte fakturan i vår databas?", {"sparas", "fakturan", "databas"}),
    "tr": ("fatura neden bu tabloya yazılmadı ve nerede?", {"fatura", "tabloya", "yazılmadı"}),
    "fa": ("چرا فاکتور در پایگاه ذخیره نیست", {"فاکتور", "پایگاه", "ذخیره"}),
    "ru": ("почему счёт не сохраняется в базе?", {"счёт", "сохраняется", "базе"}),
    "uk": ("чому рахунок не зберігається в базі?", {"рахунок", "зберігається", "базі"}),
}


@pytest.mark.parametrize("language", sorted(row("asking.joining")))
def test_words_that_only_join_are_not_asked_for_in_any_language(language: str) -> None:
    asked, subject = IN_OTHER_WORDS[language]
    said = {word for word in understand(asked, NOW).words if "'" not in word and word not in ("nest", "estelle")}
    assert subject <= said and not said & frozenset(row("asking.joining")[language].split())


def test_in_english_words_of_other_languages_are_asked_for() -> None:
    assert {"los", "angeles", "la", "carte"} <= understand("is the los angeles office on a la carte?", NOW).words
    assert "des" in understand("why did we drop des for aes?", NOW).words
    assert understand("comment est-ce que vous pouvez", NOW).words  # of nothing else everything is asked for


def test_neighbours_of_which_one_only_joins_are_no_words() -> None:
    said = understand("头像和欢迎语在哪里配置？", NOW).words
    assert {"头像", "欢迎", "配置"} <= said and not said & {"像和", "和欢", "语在", "在哪", "哪里"}
