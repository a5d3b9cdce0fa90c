"""`nous brief`: what sessions begin with, and a person's hand in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from factories import Home


def listed(home: Home, *words: str) -> list[str]:
    done = home.nous("brief", *words, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return [one["text"] for one in found["lines"]]


def start(home: Home) -> list[str]:
    """What the hook tells a session that begins."""
    payload = {"session_id": "s1", "cwd": str(home.home), "hook_event_name": "SessionStart", "source": "startup"}
    said = home.nous("hook", "SessionStart", stdin=json.dumps(payload)).stdout
    text = json.loads(said)["hookSpecificOutput"]["additionalContext"] if said.strip() else ""
    return [line.rpartition(" [Memory")[0].removeprefix("- ") for line in text.splitlines() if line.startswith("- ")]


PUSH, TEST, TABS = "Never push to main.", "Run the tests with make check.", "Indent with tabs."


def taught(home: Home) -> None:
    for text in (TABS, TEST, PUSH):
        home.nous("remember", text, "--type", "requirement")


def test_what_a_person_sets_is_what_the_next_session_is_shown(home: Home) -> None:
    taught(home)
    assert listed(home) == [PUSH, TEST, TABS] == start(home)
    assert listed(home, "edit", "2", "make", "check", "runs the tests.") == [PUSH, "make check runs the tests.", TABS]
    assert listed(home, "pin", "3") == [TABS, PUSH, "make check runs the tests."]
    assert listed(home, "drop", "2") == [TABS, "make check runs the tests."] == start(home)
    assert home.nous("undo").returncode == 0
    assert listed(home) == [TABS, PUSH, "make check runs the tests."]
    assert listed(home, "order", "1", "3", "2") == [TABS, "make check runs the tests.", PUSH] == start(home)
    assert home.nous("undo").returncode == 0
    assert listed(home) == [TABS, PUSH, "make check runs the tests."]
    assert json.loads(home.nous("replay", "--verify", "--json").stdout)["differences"] == []


def test_a_list_has_numbers_citations_and_reasons(home: Home) -> None:
    assert "start with nothing yet" in home.nous("brief").stdout
    taught(home)
    home.nous("brief", "keep", "1")
    said = home.nous("brief").stdout
    assert "  1. Never push to main." in said and "#3: you kept it on" in said and "#2: you taught it on" in said


def test_keeping_a_pinned_line_leaves_it_pinned(home: Home) -> None:
    taught(home)
    assert listed(home, "pin", "3") == [TABS, PUSH, TEST]
    assert listed(home, "keep", "1") == [TABS, PUSH, TEST]
    assert "you pinned it" in home.nous("brief").stdout
    listed(home, "unpin", "1")
    assert "you pinned it" not in home.nous("brief").stdout
    assert home.nous("brief", "unpin", "1").returncode == 2


def test_bad_input_gets_one_sentence_and_changes_nothing(home: Home) -> None:
    taught(home)
    wrong = (["drop", "9"], ["drop"], ["drop", "x"], ["drop", "1", "2"], ["edit", "1"], ["order", "1", "1"], ["frob"])
    for words in wrong:
        done = home.nous("brief", *words)
        assert done.returncode in (1, 2) and done.stderr.startswith("error: "), (words, done.stderr)
        assert "Traceback" not in done.stderr
    assert listed(home) == [PUSH, TEST, TABS]


def test_a_purge_erases_what_a_person_wrote_into_the_brief(home: Home, tmp_path: Path) -> None:
    home.nous("remember", "The vault opens with a key of Marisol.", "--type", "requirement")
    home.nous("brief", "edit", "1", "Zanzibarian keys open the vault.")
    assert listed(home) == ["Zanzibarian keys open the vault."]
    done = json.loads(home.nous("purge", "1", "--yes", "--json").stdout)
    assert done["remaining"] == []
    assert listed(home) == [] and "Zanzibarian" not in home.nous("log").stdout
    kept = [path for path in home.data.rglob("*") if path.is_file()]
    assert kept and not any(b"Zanzibarian" in path.read_bytes() for path in kept)


def test_a_role_gets_the_brief_and_what_it_needs_of_a_subject(home: Home) -> None:
    taught(home)
    for kind, text in (
        ("decision", "Invoices are kept in cents."),
        ("dead_end", "Parsing invoices with a pattern does not work."),
        ("error_pattern", "The invoice worker fails with LockTimeout: raise lock_wait."),
        ("procedure", "Rebuild the invoices with make invoices."),
        ("gotcha", "The search index needs a restart after a mapping change."),
    ):
        home.nous("remember", text, "--type", kind)
        # what is taught stands at the start; here it should be a role's
        home.nous("brief", "drop", str(listed(home).index(text) + 1))
    found = json.loads(home.nous("brief", "--role", "planner", "invoices", "--json").stdout)
    assert [one["text"] for one in found["lines"]] == [PUSH, TEST, TABS]
    told = {one["type"] for one in found["memories"]}
    assert found["about_subject"] and {"decision", "dead_end"} <= told and "procedure" not in told
    assert "procedure" in [
        one["type"] for one in json.loads(home.nous("brief", "--role", "coder", "--json").stdout)["memories"]
    ]
    qa = home.nous("brief", "--role", "qa", "weather").stdout
    assert "LockTimeout" in qa and "Nothing is known about 'weather'" in qa
    old = home.nous("brief", "qa", "invoices")
    assert "nous brief --role qa" in old.stderr and "make invoices" in old.stdout
