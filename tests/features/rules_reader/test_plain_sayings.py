"""Corrections, decisions and statements in plain words, in many languages; and remarks that only sound alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nous.features.rules_reader.extractor import extract
from nous.kernel.capture.transcript import Turn
from nous.kernel.log.extraction import Learning
from nous.language.sentences import sentences
from nous.language.standing import standing_row

PAIRS = Path(__file__).parents[2] / "data" / "said-pairs.jsonl"

SAID = (
    ("No, here we use pnpm.", "corrected"),
    ("Nein, bei uns heißt der Zweig develop und nicht main.", "corrected"),
    ("Non, les dates sont au format ISO, pas en français", "corrected"),
    ("Нет, у нас миграции пишутся руками, а не генерируются", "corrected"),
    ("不对，这里用的是 pnpm，不是 npm", "corrected"),
    ("Feature flags come from LaunchDarkly, not from the env.", "contrast"),
    ("ok, redis it is, for the queue", "chosen"),
    ("We'll host it on Hetzner because of the price.", "chosen"),
    ("vale, nos quedamos con MySQL", "chosen"),
    ("zostajemy przy Reduxie, bo zespół go zna", "chosen"),
    ("キューはRedisにしましょう", "chosen"),
    ("每个函数都要有类型注解", "universal"),
    ("chaque endpoint doit avoir un test", "universal"),
    ("Logs in English, comments in English, UI in German.", "in_language"),
    ("After changing the schema run `npx prisma generate`.", "when_done"),
    ("The CI machine has no internet.", "surroundings"),
    ("PRs go against develop.", "of_a_kind"),
    ("session lifetime = 30 min", "equals"),
    ("No silent excepts anywhere in the mailer.", "of_all"),
    ("Do not open a browser in component tests.", "of_all"),
    ("Stop inventing options that nobody asked for.", "of_all"),
    ("No direct pushes to main, ever.", "of_all"),
    ("I want spaces, never tabs, in YAML files.", "contrast"),
    ("Keep functions below 40 lines, always.", "order"),
    ("I always want to see the diff before you commit.", "order"),
    ("I never want you to amend pushed commits.", "order"),
    ("We write table driven tests.", "practice"),
    ("Wrap comments at 88 characters in this service.", "of_all"),
    ("The raw events table is partitioned by day.", "stated"),
    ("Wszystkie daty w bazie są w UTC.", "stated"),
)
REMARKS = (
    "no, the button is still red", "nope, same error", "not that one, the one below", "ok let's go with option 2",
    "we'll do that later because I am tired", "no, on the dashboard page the chart is missing",
    "the tests are red, not green", "no, it returns 404, not 200", "our server is not responding at 3000",
    "no more errors, everything works now", "actually we changed the layout yesterday", "Nein, das Feld ist leer",
    "нет, кнопка не работает", "不对，按钮应该是蓝色的，不是红色的", "every card shows the wrong price",
    "wrong, the total is 100 not 90", "logs go to the wrong file", "maybe we should use Redis",
    "Don't run the integration tests now.", "Do not show the price in the cards.", "Keep the modal open, always.",
    "Stop adding the button that I removed.", "I never want to see this error again.", "We write up the results later.",
    "I want three columns, never four, on this page.", "No response in 30 seconds, ever.", "We always want more users.",
    "The rule is: when the ball hits a wall the game ends.", "Prefer option B over option A.",
    "Prices are not saved.", "The users say that groups are torn apart in seating.py.", "Friday it is then.",
)  # fmt: skip


@pytest.mark.parametrize(("text", "row"), SAID)
def test_a_plain_saying_is_a_rule(text: str, row: str) -> None:
    assert [standing_row(one) for one in sentences(text)] == [row]


@pytest.mark.parametrize("text", REMARKS)
def test_a_remark_that_sounds_alike_is_none(text: str) -> None:
    assert [row for one in sentences(text) if (row := standing_row(one))] == []


def learned(text: str) -> list[str]:
    turn = Turn(uuid="u1", kind="prompt", at="", session_id="s", text=text)
    return [one.content for one in extract([turn]) if isinstance(one, Learning)]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "You forgot the tenant id, every query has to filter by tenant_id.",
            "every query has to filter by tenant_id.",
        ),
        ("Wrong again. The customer table is called accounts.", "The customer table is called accounts."),
        ("every migration gets a down(), I had to restore a dump by hand", "every migration gets a down()"),
        ("Remember, the demo is static.", ""),
        ("Never use floats for money; use Decimal.", "Never use floats for money; use Decimal."),
        ("Avoid nested ternaries; write an if.", "Avoid nested ternaries; write an if."),
        ("Never rename a column; I read them elsewhere.", "Never rename a column."),
        ("Don't change the header; change the footer.", ""),
        ("The rule is: every query goes through the repository.", "every query goes through the repository."),
    ],
)
def test_what_is_refused_or_told_around_a_rule_is_not_needed(message: str, kept: str) -> None:
    assert (kept.lower() in " ".join(learned(message)).lower()) if kept else not learned(message)


def test_of_the_sayings_of_a_stranger_six_in_ten_are_taken() -> None:
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    said = {pair[side] for pair in pairs for side in ("old", "new")}
    taken = [text for text in said if any(standing_row(one) for one in sentences(text))]
    assert len(taken) > 0.55 * len(said)
