"""The reader's stages: chances by weights, passages, and reasons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nous.core.extractor.compose import composed, finish
from nous.core.extractor.decide import reasons, standing, weigh, weights
from nous.core.extractor.features import Setting
from nous.core.extractor.said import ASKED_FOR, KEEPS, MOST, SEED, Passage, chosen, passages, settled
from nous.core.language.sentences import Sentence, sentences


def chances(message: str) -> list[float]:
    return [one.chance for one in weigh(sentences(message), Setting(1, "Done."), len(message))]


def test_a_rule_is_likelier_than_an_order_and_an_order_than_thanks() -> None:
    rule, order, thanks = (
        chances(text)[0]
        for text in ("We always use pnpm here, never npm.", "fix the test in app.py", "thanks, looks good")
    )
    assert rule > order > thanks or (rule > KEEPS > order and rule > KEEPS > thanks)


def test_a_question_beside_a_fact_stays_out_of_its_passage() -> None:
    said = sentences("Can you add a docstring? Deploys always go through ./ship.sh, never by hand.")
    found = passages(said, [0.3, 0.5])
    assert [(one.first, one.last) for one in found] == [(0, 0), (1, 1)]


def test_reasons_name_what_counted() -> None:
    [one] = weigh(sentences("We always use pnpm here, never npm."), Setting(1, "Done."), 35)
    assert reasons(one.features) and all("+" in reason for reason in reasons(one.features))


def test_an_item_is_kept_with_the_line_that_announced_it() -> None:
    said = sentences("house rules:\n- no sleeps in tests")
    assert composed(said[1:]) == "House rules: no sleeps in tests."


def test_a_sentence_that_only_greets_is_not_kept_with_the_next() -> None:
    said = sentences("Exactly. Careful with dhl.py: it sends local times.")
    assert composed(said) == "Careful with dhl.py: it sends local times."
    assert composed(sentences("Exactly.")) == "Exactly."


def test_what_a_dash_joined_stays_joined_by_it() -> None:
    said = sentences("It breaks on trunk - the patch belongs on the release line")
    assert len(said) == 2, "the splitter takes it for two clauses"
    assert composed(said) == "It breaks on trunk - the patch belongs on the release line."
    assert composed(said[1:]) == "The patch belongs on the release line."


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


def kept(message: str, *sure: float) -> list[Passage]:
    """What is kept of a message when its sentences had these chances and a passage that of its surest."""
    said = sentences(message)
    weighed = weigh(said, Setting(1, "Done."), len(message))
    ruled = [settled(one) for one in said]
    return chosen(said, [one.features for one in weighed], sure, ruled, weighed=lambda _: max(sure))


def test_what_merely_hangs_at_the_ends_of_a_passage_is_left_out() -> None:
    text = "Great! The share page lists only published files. Drafts stay in the editor. Still an issue."
    assert [(one.first, one.last) for one in kept(text, 0.3, 0.6, 0.3, 0.09)] == [(1, 2)]
    leaning = "The importer reads orders. It must not write to the shop."
    assert [(one.first, one.last) for one in kept(leaning, 0.08, 0.6)] == [(0, 1)]
    joined = "The shop runs on yarn - pnpm breaks its lockfile"
    assert [(one.first, one.last) for one in kept(joined, 0.08, 0.6)] == [(0, 1)]
    assert [(one.first, one.last) for one in kept(joined, 0.6, 0.08)] == [(0, 1)]


@pytest.mark.parametrize(
    "rule",
    [
        "Never use npm - pnpm only.",
        "Remember: no npm here. Use pnpm.",
        "Always run the linter before a commit. Use ruff.",
        "Always write tests in vitest. Not jest.",
        "Rule for this repo: public functions get type hints. Docstrings too.",
        "Important: never touch the legacy folder. Ever. It is frozen.",
    ],
)
def test_a_rule_is_kept_to_its_last_word(rule: str) -> None:
    said = sentences(rule)
    assert [(one.first, one.last) for one in kept(rule, *[0.1] * len(said))] == [(0, len(said) - 1)]


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("Remember: staging is wiped every Friday night.", True),
        ("ok, and remember that staging is wiped on Fridays", True),
        ("Please remember to always run the specs first.", True),
        ("don't forget to tag the release", True),
        ("Remember to rename the fixture", False),
        ("the parrot can forget and remember songs", False),
        ("Then, remember our orders so that the menu improves", False),
        ("I hope the app sorts these and remember them too", False),
        ("rule for this repo: public functions get type hints", True),
        ("Harbour rule: only ships with papers may dock", True),
        ("**Refund Policy**: link to REFUND.md", False),
        ("**Rule:** never commit to main", True),
        ("**Coding Conventions:** files are small, one class per file", True),
        ("Rules for **this repo**: public functions get type hints", True),
        ("Harbour Decision Records: name a shelf", False),
        ("standard: odd output of the tool", False),
    ],
)
def test_only_who_asks_for_it_or_announces_it_settles_it(text: str, is_asked: bool) -> None:
    found = settled(sentences(text)[0])
    assert (found is not None and found[0] == ASKED_FOR) is is_asked


def test_a_polish_no_is_no_rule_in_german() -> None:
    assert settled(sentences("nie działa serwer po zmianach")[0]) is None
    assert settled(sentences("nie rozumiem tego bledu")[0]) is None
    for rule in ("nie direkt auf main pushen", "Nie npm verwenden", "Nie Secrets committen!", "Nie yarn, immer pnpm"):
        assert settled(sentences(rule)[0])


def test_what_only_points_at_something_is_kept_with_it_or_not_at_all() -> None:
    assert kept("I don't want them.", 0.9) == []
    assert kept("It is broken.", 0.9) == []
    assert kept("https://github.com/acme/shop/issues/3#issue-360", 0.9) == []
    assert kept("`fields[name] = (kind, definition)`", 0.9) == []
    assert kept("`DATABASE_URL` is `postgres://localhost/x`", 0.9)
    assert kept("See https://example.com/form for the form.", 0.9) and kept("用户名可以更改", 0.9)
    assert len(kept("It stores the session tokens in redis.", 0.9)) == 1
    [both] = kept("The exporter writes csv files. They go to the reports bucket.", 0.0, 0.9)
    assert (both.first, both.last) == (0, 1)


def test_a_passage_says_when_a_rule_kept_it_and_not_the_weights() -> None:
    assert [one.rule for one in kept("We always use pnpm here, never npm.", 0.05)] == ["a plain rule"]
    assert [one.rule for one in kept("We always use pnpm here, never npm.", 0.9)] == [""]
    assert [one.rule for one in kept("Remember: the demo is on Friday.", 0.01)] == [
        "the user asked for it to be remembered"
    ]


def test_what_holds_for_now_may_be_worth_keeping_and_what_holds_just_once_is_not() -> None:
    assert kept("For now the import reads only the first sheet.", 0.9)
    assert not kept("Skip the import just this once.", 0.9)


@pytest.mark.parametrize(
    "text", ["We don't have a page for the plugin in the shop yet.", "There are currently no tests for this project."]
)
def test_what_is_not_there_yet_is_a_state_of_the_moment(text: str) -> None:
    assert not kept(text, 0.9)
    assert kept("If we don't have a page for it yet, ask before making one.", 0.9)


def test_the_weights_are_words_of_many_projects_and_no_text() -> None:
    assert max(len(gram.split()) for gram in weights().grams) <= 2
    assert len(weights().among) == 1 + len(next(iter(standing([0.0]))))


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=12))
def test_passages_do_not_overlap_and_hold_a_sentence_that_is_kept(given_: list[tuple[float, bool]]) -> None:
    said = [Sentence(f"word{at} is so", at, asks) for at, (_, asks) in enumerate(given_)]
    sure = [chance for chance, _ in given_]
    found = passages(said, sure)
    places = [at for one in found for at in range(one.first, one.last + 1)]
    assert len(places) == len(set(places)) and len(found) <= MOST
    assert all(sure[one.best] == one.chance >= SEED and one.first <= one.best <= one.last for one in found)
    assert all(not said[at].asks or at in {one.best for one in found} for at in places)


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
    assert settled(one) == (0.0, "")


def test_reasons_are_telling_words_and_plain_marks() -> None:
    text = "Please, in this repo, it is always `make check` and not pytest, and the logs are in /var/log."
    [one] = weigh(sentences(text), Setting(1, "Which one shall I run?"), len(text))
    found = [reason.rsplit(" ", 1)[0] for reason in reasons(one.features, most=50)]
    assert {"answers a question", "names code"} <= set(found)
    words = [name.strip("“”") for name in found if name.startswith("“")]
    assert words and not {",", ".", "is", "in", "and", "it"} & set(words)
    assert not [name for name in found if name.split()[0] in {"of", "length", "message", "spoken", "heard", "after"}]
