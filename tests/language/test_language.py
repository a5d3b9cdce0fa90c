"""How messages fall into sentences, and whose words are left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nous.language.sentences import LONGEST, sentences
from nous.language.words import tokens


def texts(message: str) -> list[str]:
    return [one.text for one in sentences(message)]


def test_sentences_are_told_apart_and_names_stay_whole() -> None:
    assert texts("Use app.config.js, e.g. in v1.2.3. Then run it! Why not?") == [
        "Use app.config.js, e.g. in v1.2.3.",
        "Then run it!",
        "Why not?",
    ]
    assert texts("先跑测试。不要提交！") == ["先跑测试。", "不要提交！"]


def test_an_item_knows_the_line_that_announced_it() -> None:
    found = sentences("house rules:\n- no sleeps\n- one topic per commit\n\nthanks")
    assert [(one.text, one.under, one.is_item) for one in found] == [
        ("house rules:", "", False),
        ("no sleeps", "house rules:", True),
        ("one topic per commit", "house rules:", True),
        ("thanks", "", False),
    ]


@pytest.mark.parametrize(
    "pasted",
    [
        "```\nnever do this\n```",
        'Traceback (most recent call last):\n  File "a.py", line 3\nValueError: must never be empty',
        "2026-01-05 10:00:00 ERROR always retry failed jobs",
        "$ make test\nyou must run the migration first",
        "SELECT id FROM users WHERE never = 1;",
        "    at CircImgCollection.show (undo.layers.js:79:1)",
        "apiVersion: v1\nkind: Config",
        "> Anna wrote: always deploy on Fridays",
        "<command-name>/plan</command-name>",
        "Implement the following plan:\n\n# Plan\n\nAlways use tabs in this file.",
        "npm ERR! you must use node 20",
        "const rules = { never: true };",
        "| name | rule |\n| --- | --- |",
        "Copy-Item : Cannot find path 'C:\\Dev\\a b' because it\ndoes not exist.\nAt line:1 char:37\n+ you must",
    ],
)
def test_what_is_pasted_is_not_said(pasted: str) -> None:
    assert texts(pasted) == []
    assert texts(f"We deploy on Tuesdays.\n\n{pasted}")[:1] == ["We deploy on Tuesdays."]


def test_an_error_in_the_midst_of_a_line_ends_what_is_said() -> None:
    said = (
        "I see this on the build Remove-Item : Cannot find path 'C:\\Dev'\nbecause it does not exist.\n\nPlease fix it."
    )
    assert texts(said) == ["I see this on the build", "Please fix it."]
    assert texts("We prefer Get-Content : never cat.\nNever push to main.") == [
        "We prefer Get-Content : never cat.",
        "Never push to main.",
    ]
    assert texts("Sign-In : the button is too small.") == ["Sign-In : the button is too small."]


@pytest.mark.parametrize(
    "thought",
    [
        "The user wants me to use tabs.\n\nI must never use spaces.",
        "You're absolutely right to call this out. We should always write tests first.",
        "Let me think about this: every module needs a test.",
    ],
)
def test_what_an_agent_thinks_below_the_words_is_not_said(thought: str) -> None:
    assert texts(f"use tabs here\n{thought}") == ["use tabs here"]
    assert texts(thought)  # a message of its own is somebody's word
    assert texts("hi\nThe user should be able to sort the list.")[1:] == ["The user should be able to sort the list."]


@given(st.text(max_size=600))
def test_any_text_gives_sentences_within_the_limit_and_of_its_own_characters(message: str) -> None:
    for one in sentences(message):
        assert 0 < len(one.text) <= LONGEST
        assert set(one.text) <= set(message) | {" "}
        tokens(one.text)


FRAMES = (
    "\tfrom app/models/{word}.rb:{line}:in 'save'",
    "app/models/{word}.rb:{line}:in `save': undefined method",
    "\t/go/src/app/{word}.go:{line} +0x1d",
    "   4: app::{word}::handle",
    "#0 /var/www/shop/{word}.php({line}): Shop->order()",
    "#1      main (package:app/{word}.dart:{line}:3)",
    "(ledger 4.1.0) lib/{word}.ex:{line}: Ledger.close/2",
    "    (ledger_web 0.4.2) lib/{word}/page.ex:{line}: LedgerWeb.{word}.open/3",
    "** (LedgerError) nothing fits in {word}.close/2",
    "\t{word}.lua:{line}: in function 'order'",
    "  order, called at src/{word}.hs:{line}:5 in shop-0.1:Shop",
    "thread 'main' panicked at src/{word}.rs:{line}:5:",
    "goroutine {line} [running]:",
    'Exception in thread "main" java.lang.NullPointerException: {word}',
    "E   AssertionError: assert {line} == 4",
    "drwxr-xr-x  2 dev dev {line} Nov 18 {word}",
    "├── {word}",
    "    └── {word}.png",
    "      ^^^^^^",
    "2. Save your idea to {word}.txt           │",
    "The value is no list. Path '{word}[5]', line {line}, position 26.",
    "╰─> For {word} packages take the tool of the system",
)


@given(st.sampled_from(FRAMES), st.from_regex(r"[a-z]{3,9}", fullmatch=True), st.integers(1, 9999))
def test_nobody_speaks_in_a_stack_trace_or_a_listing(frame: str, word: str, line: int) -> None:
    pasted = frame.format(word=word, line=line)
    said = [one.text for one in sentences(f"Saving an order fails:\n{pasted}\n\nPlease keep orders immutable.")]
    assert said == ["Saving an order fails:", "Please keep orders immutable."]


@pytest.mark.parametrize(
    "text",
    [
        "The bug is in app/order.rb:12, in save.",
        "Step 4: keep orders apart.",
        "#4 is fixed by the new parser (see 12).",
    ],
)
def test_who_names_a_place_still_speaks(text: str) -> None:
    assert " ".join(one.text for one in sentences(text)).endswith(text[-12:])


PRINTED = """error: the-system-owns-this

× These packages belong to the system
╰─> For packages of the whole system, always take its own tool
    with the name of the one that you want.

    If you disable this error, we STRONGLY recommend that you always
    pass the '--user' flag to pip.

note: Please ask whoever runs this machine.
hint: The manual says more about it.
"""


@pytest.mark.parametrize(
    ("text", "mine"),
    [
        ("The hosts:\n| env | host |\n|-----|------|\n\nFor deploys:\n1. Before\n    - run the migrations first", 4),
        ("2026-01-05 10:00:00 ERROR boom\n\nPlease fix that. Also:\n\t- never log the token\n\t- use the venv", 4),
        ("$ npm test\n3 failed\n\nnote: we run the tests with pnpm here.", 1),
        ("Our conventions:\n✖ never mock the database\n× no default exports in this repo", 3),
        ("#12 is blocked; we always squash (12)", 2),
    ],
)
def test_who_pasted_something_goes_on_speaking(text: str, mine: int) -> None:
    assert len(sentences(text)) == mine


@pytest.mark.parametrize(
    "printed",
    [
        "fatal: refusing to merge unrelated histories\nhint: You should always specify how to reconcile them.",
        "remote: error: GH006: Protected branch\nremote: You must always use a pull request.",
        "   = help: if this is intentional, prefix it\n   = note: you must never use this",
        "psql: error: connection refused\n\nHINT:  You must always set listen_addresses.",
    ],
)
def test_what_git_rust_and_postgres_print_is_nobodys_wish(printed: str) -> None:
    assert [one.text for one in sentences(f"I get this.\n{printed}")] == ["I get this."]


def test_a_line_of_blanks_is_read_at_once() -> None:
    assert len(sentences("\n".join([" " * 3990 + "x"] * 60))) <= 60


def test_a_program_that_prints_whole_sentences_is_not_the_user() -> None:
    mine = "please always use the venv in env/"
    assert [one.text for one in sentences(f"{PRINTED}\n{mine}")] == [mine]
    own = "note: the importer is slow\n\n    and it must stay that way"
    assert len(sentences(own)) == 2, "who pasted nothing speaks for themselves"
