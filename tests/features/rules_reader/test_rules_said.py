"""Sentences that are said as rules, those that only sound like it, and two ways to say one rule."""

from __future__ import annotations

import pytest

from nous.features.rules_reader.said import from_words
from nous.kernel.capture.session import Story
from nous.kernel.capture.transcript import Turn
from nous.language.sentences import sentences
from nous.language.standing import is_same_rule, is_wide, standing_row, standing_text

RULES = (
    "Never push to main without a review.",
    "Please always run the formatter at the end of your work.",
    "From now on, start function names with 'q_'.",
    "Function names in the jobs package must end with '_q'.",
    "Uploads must not be larger than 30 MB now.",
    "Correction: event names must be kebab-case.",
    "Money amounts are always integer cents, never floats.",
    "We deploy with `make ship`.",
    "we use Ruby 3 here, not Ruby 2",
    "Deploy with `make ship`.",
    "Use pnpm, not npm.",
    "Don't run pytest directly, use `make check` instead.",
    "I prefer one-line commit messages.",
    "Do not edit the lock file by hand again.",
    "Ask before you add a dependency.",
    "Do not commit unless I ask you to.",
    "Because the node has little memory, we decided to use plain sockets.",
    "ok decided: one repository per theme",
    "Remember: staging is reset every night.",
    "The staging host is stg7.example.org.",
    "The dev server runs on port 4000.",
    "Pull requests must have a picture if they touch the page.",
    "Answer in German.",
    "Until Friday do not deploy to staging.",
    "For the next two weeks always deploy to the spare region.",
    "While the schema is frozen, do not add migrations.",
    "Another important practice is to use the tracer in all handlers.",
    "I want you to start using annotations for methods.",
    "Immer mit Tabulatoren einrücken.",
    "以后所有接口都必须返回 JSON。",
    "Never commit directly to main, always open a pull request.",
    "Always open a pull request before merging.",
    "Always open an issue before you start work.",
    "Always open PRs against develop.",
    "Always close the connection in a finally block.",
    "Always leave the changelog to the release script.",
    "Always welcome first-time contributors with a label.",
    "所有日期字段必须使用 ISO 格式。",
    "必ず strict モードを使うこと。",
    "Nunca guardamos fechas locales, siempre usamos UTC.",
    "Nikdy neměň vygenerované soubory.",
    "Os nomes das tabelas sempre em inglês.",
    "We always squash before a merge.",
    "The worker thread must never block.",
    "Icons have to be svg.",
    "The api now always listens on port 4700.",
    "Everything runs through `make`, it sets the paths.",
    "All labels go through the catalogue.",
    "Bootstrap only, no custom css.",
    "After a talk with ops we're going with Nomad instead of Kubernetes.",
    "Let's do cron jobs, we don't need another queue.",
    "We stay on one thread: the sandbox has no workers.",
    "Decision from the meeting: plain sockets.",
    "Wir nehmen Caddy statt Nginx, weil es weniger braucht.",
    "Abbiamo deciso di non usare cookie.",
    "Preact it is.",
    "Prefer early returns over nested ifs.",
)
NONE = (
    "Bump the price to 2.",
    "The button should be blue.",
    "It always crashes when I save.",
    "You never listen.",
    "The values are always wrong.",
    "Never gonna give you up, they sang.",
    "Should we always use tabs?",
    "I'm always open to ideas.",
    "We are always open, ask away.",
    "Questions are always welcome.",
    "Do not create them again.",
    "Skip the tests, just this once.",
    "I'm on vacation until Friday.",
    "Go on until it works.",
    "The tests ran for two weeks.",
    "This must always be checked.",
    "I want a list with two columns.",
    "Maybe we should always cache it.",
    "We used to deploy by hand.",
    "Try again.",
    "nie działa serwer",
    "Nie geht das durch.",
    "Ça ne marche jamais.",
    "Ich muss immer den Rechner neu starten.",
    "Siempre tenemos problemas con el puerto.",
    "Errores siempre en el mismo archivo.",
    "Buttons have to be bigger.",
    "Everything goes through twice.",
    "Let's do the header first, we don't have time.",
    "Friday it is then.",
    "We stay here because it rains.",
    "Wir nehmen lieber das rote statt dem blauen Icon.",
    "Always show a spinner when the...",
)


@pytest.mark.parametrize("said", RULES)
def test_a_rule_is_one(said: str) -> None:
    [one] = sentences(said)
    row = standing_row(one)
    assert row and is_wide(row, said)


@pytest.mark.parametrize("said", NONE)
def test_what_only_sounds_like_a_rule_is_none(said: str) -> None:
    assert standing_text(said, widely=False) == ""


def test_what_concerns_one_subject_is_no_rule_for_every_session() -> None:
    said = "The swatch must always be on top."
    assert standing_text(said) == "" and standing_text(said, widely=False) == said


def test_a_warning_waits_for_the_file_that_it_names() -> None:
    said = "Careful with app/clock.py: its times are naive."
    assert standing_text(said) == "" and standing_text(said, widely=False) == said


def test_a_rule_is_taken_out_of_the_message_around_it() -> None:
    said = "The header is off. Never push to main. Can you fix it now?"
    assert standing_text(said) == "Never push to main."


@pytest.mark.parametrize("back", ["No wait, scratch that.", "Ach, vergiss es.", "Never mind."])
def test_a_rule_that_is_taken_back_at_once_is_none(back: str) -> None:
    def kept(text: str) -> int:
        turns = [Turn(uuid="u", kind="prompt", at="2026-01-01T00:00:00Z", session_id="s", text=text, cwd="/w")]
        return len(list(from_words(Story(turns))))

    said = "Always show a spinner while it loads."
    assert (kept(f"{said} {back}"), kept(f"{said} Never push to main.")) == (0, 2)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("Do not update the seeds.", "Never edit the seeds please, and do not run them.", True),
        ("If anything is unclear, please ask.", "Ask clarifying questions before starting.", True),
        ("Never skip the hooks, I mean it.", "Never skip the hooks (not `git commit --no-verify`)", True),
        ("Never push to main.", "Never commit secrets.", False),
        ("Use tabs.", "Use pnpm.", False),
    ],
)
def test_two_ways_to_say_one_rule(one: str, other: str, is_same: bool) -> None:
    assert is_same_rule(one, other) is is_same_rule(other, one) is is_same
