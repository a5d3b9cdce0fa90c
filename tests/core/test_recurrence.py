"""Said again: which sentences are occasions, and what several of them show together."""

from __future__ import annotations

from nous.core.occasion import Occasion
from nous.core.recurrence import Recurrence, occasions_of, pasted, sayings, says_the_same
from nous.core.transcript import Turn


def prompt(text: str, uuid: str = "u1", **fields: object) -> Turn:
    return Turn(uuid=uuid, kind="prompt", at="2026-11-01T10:00:00.000Z", session_id="s1", text=text, **fields)  # type: ignore[arg-type]


def said(text: str, session: str, chance: float = 0.3, record: str = "") -> Occasion:
    return Occasion(record or f"{session}-{text[:9]}", 0, f"2026-11-0{session[-1]}", text, chance, session)


def test_a_rule_is_an_occasion_and_talk_is_not() -> None:
    found = [one.text for one in sayings([prompt("Always ask me before you change the schema.")])]
    assert found == ["Always ask me before you change the schema."]
    for talk in (
        "Does this make sense?",
        "Try that again now.",
        "Make the button blue.",
        "continue",
        "/compact now please",
        "https://example.org/a/b",
        "ok",
    ):
        assert sayings([prompt(talk)]) == [], talk


def test_a_robots_prompt_and_a_subagents_are_no_occasions() -> None:
    rule = "Always ask me before you change the schema."
    assert sayings([prompt(rule, headless=True)]) == []
    assert sayings([prompt(rule, agent_id="a1")]) == []


def test_a_template_that_is_pasted_every_day_is_no_occasion() -> None:
    text = ["Never touch the seeds file.", "Run all the tests first.", "Write the report to notes."]
    today = [Occasion("today", nth, "", one, 0.3, "s2") for nth, one in enumerate(text)]
    known = {one.key: {"yesterday"} for one in today[:2]}
    assert pasted(today, known) == {"today", "yesterday"}
    assert pasted(today, {today[0].key: {"yesterday"}}) == set(), "one sentence of three is said, not pasted"
    assert pasted(today[:1], known) == set(), "a rule that stands alone may be said word for word"


def test_meaning_decides_and_letters_where_the_table_knows_none() -> None:
    assert says_the_same("Ask me first.", "Please ask me before.", 0.8)
    assert not says_the_same("Ask me first.", "Please ask me before.", 0.7)
    assert not says_the_same("重启后端服务", "所有文字对应多语言", 0.9)
    assert says_the_same("重启后端服务", "请重启后端", 0.9)


def test_two_sessions_are_kept_and_one_session_is_not() -> None:
    first, second = said("Never touch the seeds file.", "s1"), said("Please never touch the seeds.", "s2")
    assert occasions_of(second, [(first, 0.9)]).is_kept
    twice = said("Please never touch the seeds.", "s1")
    assert not occasions_of(twice, [(first, 0.9)]).is_kept
    assert not occasions_of(second, [(first, 0.5)]).is_kept


def test_what_leans_on_words_before_it_gets_no_memory_of_its_own() -> None:
    assert not Recurrence((said("They should work as before.", "s1"), said("They should work now.", "s2"))).is_kept


def test_confidence_grows_with_sessions_and_the_clearest_is_kept() -> None:
    unclear, clear = said("No seeds!", "s1", 0.5), said("Never edit or run the seeds file.", "s2", 0.4)
    two = Recurrence((unclear, clear))
    five = Recurrence((unclear, clear, *(said("Leave the seeds alone.", f"s{day}", 0.3) for day in (3, 4, 5))))
    assert two.clearest is clear
    assert two.confidence < five.confidence <= 0.9


def test_a_pasted_document_is_no_occasion() -> None:
    rules = "\n".join(f"- Always check rule number {number} before you change the schema." for number in range(60))
    assert sayings([prompt(rules)]) == []
    assert sayings([prompt("x" * 7000 + " Always ask me before you change the schema.")]) == []
