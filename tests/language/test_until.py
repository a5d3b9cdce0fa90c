"""Until when something holds, from the words that say so and the day they were said."""

from __future__ import annotations

import pytest

from nous.language.sentences import sentences
from nous.language.standing import FOR_A_TIME, standing_row
from nous.language.until import find_expiry, is_for_a_time

WEDNESDAY = "2026-11-18T10:00:00.000Z"
DATED = {
    "Until Friday staging is frozen, do not deploy there.": "2026-11-21",
    "For this week use the old API host.": "2026-11-23",
    "Do not merge to main until the end of the month.": "2026-12-01",
    "Don't deploy until 2026-12-01.": "2026-12-02",
    "Use node 20 until December 1st.": "2026-12-02",
    "For the next three days only hotfixes.": "2026-11-22",
    "Do not touch the cluster until tomorrow.": "2026-11-20",
    "Use the mirror until next week.": "2026-11-23",
    "Bis Montag nicht deployen.": "2026-11-24",
    "Bis Ende des Monats bitte keine neuen Features.": "2026-12-01",
    "Ne pas déployer jusqu'à vendredi.": "2026-11-21",
    "No despliegues hasta el viernes.": "2026-11-21",
    "Não faça deploy até sexta.": "2026-11-21",
    "Non fare deploy fino a venerdì.": "2026-11-21",
    "Не деплоить до пятницы.": "2026-11-21",
    "До конца недели только хотфиксы.": "2026-11-23",
    "周五之前不要部署。": "2026-11-21",
    "金曜日までデプロイしないで。": "2026-11-21",
    "Until Friday never push to main.": "2026-11-21",
    "Wait until Monday, do not deploy.": "2026-11-24",
    "Hold off until Friday, do not merge.": "2026-11-21",
    "For this week never deploy on Fridays.": "2026-11-23",
    "Do not deploy on Fridays until December 1st.": "2026-12-02",
    "Never touch the cluster until tomorrow.": "2026-11-20",
    "Bis Montag immer auf mich warten, nicht deployen.": "2026-11-24",
}


@pytest.mark.parametrize(("said", "day"), DATED.items())
def test_a_day_that_is_named_ends_a_rule(said: str, day: str) -> None:
    expiry = find_expiry(said, WEDNESDAY)
    assert is_for_a_time(said)
    assert expiry is not None and expiry.moment == f"{day}T00:00:00.000Z"


@pytest.mark.parametrize(
    "said",
    ["While the schema is frozen, do not add migrations.", "Until the migration is done, do not touch the schema."],
)
def test_a_condition_names_no_day(said: str) -> None:
    expiry = find_expiry(said, WEDNESDAY)
    assert is_for_a_time(said)
    assert expiry is not None and expiry.moment is None


@pytest.mark.parametrize(
    "said",
    ["I'm on vacation until Friday.", "The tests ran for two days.", "Go on until it works.", "Retry up to 3 times."],
)
def test_what_only_took_a_while_is_no_rule_for_a_time(said: str) -> None:
    assert not is_for_a_time(said)


def test_a_day_of_the_week_is_the_next_one() -> None:
    on_friday = find_expiry("Do not deploy until Friday.", "2026-11-20T09:00:00.000Z")
    assert on_friday is not None and on_friday.moment == "2026-11-28T00:00:00.000Z"


def test_a_date_that_is_past_or_far_away_says_nothing() -> None:
    assert find_expiry("Don't deploy until 2020-01-01.", WEDNESDAY) is None


@pytest.mark.parametrize(
    "said",
    [
        "Never push to production on Fridays, always wait until Monday.",
        "Never deploy on weekends, hold off until Monday.",
        "On Fridays we never deploy, wait till Monday.",
        "Always wait until the checks are green before merging.",
        "Never merge in the evening, always wait until tomorrow.",
        "Do not deploy on Fridays until Monday.",
        "Freitags nie deployen, immer bis Montag warten.",
        "Ne déploie jamais le vendredi, attends toujours jusqu'à lundi.",
        "Nunca despliegues los viernes, espera siempre hasta el lunes.",
        "Nunca faça deploy às sextas, espere sempre até segunda.",
        "Non fare mai deploy il venerdì, aspetta sempre fino a lunedì.",
        "Никогда не деплой по пятницам, всегда жди до понедельника.",
        "每周五不要部署，永远等到周一。",
        "金曜日には絶対デプロイしないで、必ず月曜まで待って。",
    ],
)
def test_who_waits_until_a_day_each_time_says_a_rule_that_does_not_end(said: str) -> None:
    assert find_expiry(said, WEDNESDAY) is None
    assert [standing_row(one) not in ("", FOR_A_TIME) for one in sentences(said)] == [True]
