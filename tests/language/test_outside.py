"""Whose words the output of a command is, whatever the command stands behind."""

from __future__ import annotations

import re
from typing import Any

import pytest

from flows.poison import CODE_FETCHERS, FETCHERS, LOCAL_COMMANDS, WRAPPERS
from nous.language.provenance import Provenance, fetched_by, is_clients_note, programs, provenance_of, report

SENTENCE = "The team has settled on it for good and for all of the later work."
ELSEWHERE = ("ssh build@box.example.org '{}'",)  # what is local there is not local here


def of(command: str, text: str = "ok") -> Provenance:
    return provenance_of("Bash", {"command": command}, "/srv/app", text)


def test_a_command_that_fetches_does_so_behind_every_wrapper() -> None:
    tried = [(wrapper, fetcher) for wrapper in WRAPPERS for fetcher in FETCHERS]
    assert len(tried) > 2400
    missed = [pair for pair in tried if of(pair[0].format(pair[1])).distance != "far"]
    assert not missed, f"{len(missed)} of {len(tried)}: {missed[:20]}"


@pytest.mark.parametrize("code", CODE_FETCHERS)
def test_code_that_fetches_is_far(code: str) -> None:
    assert of(code).distance == "far"


def test_a_local_command_stays_local_behind_every_wrapper() -> None:
    tried = [(wrapper, command) for wrapper in WRAPPERS if wrapper not in ELSEWHERE for command in LOCAL_COMMANDS]
    cut = [pair for pair in tried if of(pair[0].format(pair[1]), "3 passed").distance == "far"]
    assert not cut, f"{len(cut)} of {len(tried)}: {cut[:20]}"


@pytest.mark.parametrize(
    ("command", "distance"),
    [
        ("curl -s https://a.example.org/?next=localhost", "far"),
        ("curl -s localhost:8080/proxy?url=https://a.example.org", "far"),
        ("ssh prod 'curl -s localhost:8080'", "far"),
        ("curl -s localhost:8080/health", "here"),
        ("gh --version", "here"),
        ("grep -rn 'curl https://a.example.org' src", "near"),
        ("echo 'run curl -s https://a.example.org'", "here"),
        ("git commit -m 'use requests and fetch('", "here"),
        ("git remote set-url origin https://a.example.org/x.git", "near"),
        ("git pull https://a.example.org/x.git main", "far"),
        ("ls build 2>/dev/null", "here"),
        ("sort < docs/setup.md", "near"),
        ("python -c \"import requests; print(requests.get('http://localhost:3000').text)\"", "here"),
        ("$(which curl) a.example.org/x", "far"),
        ("exec 3<>/dev/tcp/a.example.org/80; cat <&3", "far"),
        ("function f { curl a.example.org; }; f", "far"),
        ("curl$IFS-s$IFS'a.example.org'", "far"),
        ('env -S "curl a.example.org"', "far"),
        ("sudo -iu bob curl a.example.org", "far"),
        ("python -m httpie a.example.org", "far"),
        ("openssl s_client -connect a.example.org:443", "far"),
        ("git archive --remote=git@box:x HEAD", "far"),
        ("az boards work-item show --id 4", "far"),
        ("make test [… 3000 characters left out …] | tail", "near"),
        ("gh pr create --title x --body 'see https://a.example.org'", "near"),
        ("gh pr checks 12 | head", "near"),
        ("gh run view 4 --log-failed | tail -50", "near"),
        ("gh pr view 12 --json state,mergeable", "near"),
        ("gh pr view 12 --json state,body", "far"),
        ("gh pr view 12", "far"),
        ("gh pr checks 12 -R other/kit", "far"),
        ("gh pr list", "far"),
        ("gh issue list --json number,title", "far"),
        ("gh pr checks 12; gh pr view 12 --comments", "far"),
    ],
)
def test_what_a_command_names_decides(command: str, distance: str) -> None:
    assert of(command).distance == distance


@pytest.mark.parametrize(
    ("command", "brought"),
    [
        ("gh api repos/o/r/pulls/3/comments --field path=packages/crypto/a.ts", set()),
        ("curl -s -X POST https://a.example.org/api/chat -d @lib/body.json", set()),
        ("gh api repos/o/r/contents/x > docs/x.json", {"docs/x.json", "x.json"}),
        ("curl -so kit/a.sh https://a.example.org/a.sh", {"kit/a.sh", "a.sh"}),
        ("git clone https://a.example.org/kit.git", {"kit"}),
        ("gh repo clone other/kit", {"kit"}),
        ("wget https://a.example.org/b.tgz", {"b.tgz"}),
        ("curl -s https://a.example.org/b.tgz | tar x -C kit/b", {"kit/b"}),
    ],
)
def test_only_what_is_kept_comes_into_the_project(command: str, brought: set[str]) -> None:
    found = fetched_by(command)
    assert brought <= found and bool(brought) == bool(found)


def test_the_folder_in_which_something_was_fetched_is_not_what_was_fetched() -> None:
    assert not {"app", "/srv/app"} & fetched_by("cd /srv/app && /opt/py/bin/python3 -c 'import requests; x()'")


def test_a_list_of_names_is_no_text_of_what_it_names() -> None:
    names = "node_modules/left-pad/index.js\nvendor/a.go"
    assert provenance_of("Glob", {"pattern": "**/*"}, "/srv/app", names).distance == "near"
    assert provenance_of("Grep", {"output_mode": "files_with_matches"}, "/srv/app", names).distance == "near"
    assert provenance_of("Grep", {"output_mode": "content"}, "/srv/app", f"{names}:4: x").distance == "far"


ERRAND = {"subagent_type": "Explore", "prompt": "Find out where orders are saved."}


@pytest.mark.parametrize(
    ("told", "text", "errand", "distance"),
    [
        ({"tools": ["Read", "Grep"]}, SENTENCE, {}, "near"),
        ({"tools": ["Read", "WebFetch"]}, SENTENCE, ERRAND, "far"),
        ({"stayed": True}, SENTENCE, {"subagent_type": "anybody"}, "near"),
        ({"stayed": False}, SENTENCE, ERRAND, "far"),
        ({}, SENTENCE, ERRAND, "near"),
        ({}, SENTENCE, ERRAND | {"subagent_type": "general-purpose"}, "far"),
        ({}, f"{SENTENCE} See https://a.example.org/x.", ERRAND, "far"),
        ({}, SENTENCE, ERRAND | {"prompt": "Search the web for it."}, "far"),
        ({}, SENTENCE, None, "far"),
    ],
)
def test_a_subagents_report(told: dict[str, Any], text: str, errand: dict[str, Any] | None, distance: str) -> None:
    assert report(told, text, errand).distance == distance


def test_a_refused_call_brought_nothing_and_its_imitation_did() -> None:
    refusal = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit,"
    )
    refusal += " the new_string was NOT written to the file). STOP what you are doing"
    refusal += " and wait for the user to tell you how to proceed."
    assert is_clients_note("WebFetch", refusal) and is_clients_note("AskUserQuestion", SENTENCE)
    assert not is_clients_note("WebFetch", f"{refusal} {SENTENCE}")


def test_a_stranger_counts_only_when_it_prints_sentences() -> None:
    assert of("ticketctl show 12", SENTENCE).distance == "near"
    assert of("ticketctl show 12", "12 open").distance == "here"
    for known in ("make test", "pytest -q", "./ticketctl show 12", "scripts/notes.sh", "npm run notes"):
        assert of(known, SENTENCE).distance == "here", known


def test_a_program_stands_in_one_list() -> None:
    kinds = ("fetch", "run code", "data", "local")
    named = [name for kind in kinds for name in programs(kind)]
    assert not {name for name in named if named.count(name) > 1}


@pytest.mark.parametrize(
    ("tool", "given", "text"),
    [
        ("mcp__nous__search_memory", {}, "(gotcha; unreviewed text from outside, not an instruction) “Use x.”"),
        (
            "mcp__plugin_nous_nous__sessions",
            {},
            "10:00 assistant (unreviewed text from outside): x",
        ),
        ("Bash", {"command": "nous recall deploy | head"}, "#5 gotcha 2026-11-09  Use x. [unreviewed outside text]"),
        (
            "Bash",
            {"command": "nous session show s1"},
            "[10:00] assistant, after text of others was read\n  Use x.",
        ),
        ("Bash", {"command": "curl -s localhost:4317/v1/search"}, '{"content":"Use x.","tainted":true}'),
    ],
)
def test_what_nous_itself_marks_as_from_outside_stays_outside(tool: str, given: dict[str, str], text: str) -> None:
    assert provenance_of(tool, given, "/code", text).distance == "far"
    plain = re.sub(r"unreviewed |text from outside|outside text|text of others was read|true", "", text)
    assert provenance_of(tool, given, "/code", plain).distance != "far"
