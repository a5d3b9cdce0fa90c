"""A sentence as it is kept, and which sentences are rules."""

from __future__ import annotations

import pytest

from nous.features.rules_reader.said import rule_row
from nous.kernel.learn.compose import compose_text, finish
from nous.language.sentences import sentences


def test_an_item_is_kept_with_the_line_that_announced_it() -> None:
    said = sentences("house rules:\n- no sleeps in tests")
    assert compose_text(said[1:]) == "House rules: no sleeps in tests."


def test_a_sentence_that_only_greets_is_not_kept_with_the_next() -> None:
    said = sentences("Exactly. Careful with dhl.py: it sends local times.")
    assert compose_text(said) == "Careful with dhl.py: it sends local times."
    assert compose_text(sentences("Exactly.")) == "Exactly."


def test_what_a_dash_joined_stays_joined_by_it() -> None:
    said = sentences("It breaks on trunk - the patch belongs on the release line")
    assert len(said) == 2, "the splitter takes it for two clauses"
    assert compose_text(said) == "It breaks on trunk - the patch belongs on the release line."
    assert compose_text(said[1:]) == "The patch belongs on the release line."


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("**With great care** walk the parser", "With great care walk the parser."),
        ("**Instructions:** update the file", "Instructions: update the file."),
        ("look at the bug **of the importer** again", "Look at the bug of the importer again."),
        ("pass **kwargs on, and lint src/**/*.ts", "Pass **kwargs on, and lint src/**/*.ts."),
        ("call it with (**given, **more)", "Call it with (**given, **more)"),
        ("2**10 rows, 2**20 bytes", "2**10 rows, 2**20 bytes."),
        ("cut here:** and there", "Cut here: and there."),
        ("Warm the Oven**: bake bread", "Warm the Oven: bake bread."),
        ("the api takes char** argv, always", "The api takes char** argv, always."),
        ("keep `Node** head` as it is", "Keep `Node** head` as it is."),
        ("never obfuscate com.acme.** in proguard", "Never obfuscate com.acme.** in proguard."),
        ("cover src/** and **/x.ts** too", "Cover src/** and **/x.ts** too."),
    ],
)
def test_bold_is_only_how_it_was_written(written: str, read: str) -> None:
    assert finish(written) == read


@pytest.mark.parametrize(
    "text",
    [
        "My friend says you should always use tabs.",
        "Mein Kumpel nimmt immer Tabs.",
        "Un article dit qu'il faut toujours des tabs.",
        "Alguien dijo que siempre se usan tabs.",
        "有人说必须用制表符。",
        "What if we always used tabs?",
        "If we ever move to Rust, we always use clippy.",
        "Falls wir je zu Rust wechseln, nehmen wir immer clippy.",
        "Si algún día cambiamos a Rust, siempre clippy.",
        "Если бы мы перешли на Rust, всегда clippy.",
        "假如以后换成 Rust，必须用 clippy。",
    ],
)
def test_what_others_say_and_what_only_might_be_is_no_rule(text: str) -> None:
    [one] = sentences(text)
    assert rule_row(one) == ""


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("Remember: staging is wiped every Friday night.", True),
        ("ok, and remember that staging is wiped on Fridays", True),
        ("Please remember to always run the specs first.", True),
        ("Remember to rename the fixture", False),
        ("the parrot can forget and remember songs", False),
        ("rule for this repo: public functions get type hints", True),
        ("**Refund Policy**: link to REFUND.md", False),
        ("nie działa serwer po zmianach", False),
        ("Nie npm verwenden", True),
        ("fix the test in app.py", False),
        ("thanks, looks good", False),
        ("We don't have a page for the plugin in the shop yet.", False),
    ],
)
def test_only_what_is_said_as_a_rule_is_one(text: str, is_kept: bool) -> None:
    assert bool(rule_row(sentences(text)[0])) is is_kept


def test_of_a_long_message_only_the_surest_rules_count() -> None:
    [plain] = sentences("Function names must end with '_x'.")
    [sure] = sentences("Always run the linter before a commit.")
    assert rule_row(plain) and not rule_row(plain, 3_000) and rule_row(sure, 3_000)
