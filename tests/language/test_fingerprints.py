"""The same error has the same fingerprint, whatever differs from run to run."""

from __future__ import annotations

import pytest

from nous.language.fingerprints import error_lines, fingerprints, shape

SAME = (
    (
        (
            'Traceback (most recent call last):\n  File "/home/a/x.py", line 3, in <module>\n'
            "ModuleNotFoundError: No module named 'psycopg'"
        ),
        (
            'Traceback (most recent call last):\n  File "/srv/y.py", line 99, in run\n'
            "ModuleNotFoundError: No module named 'psycopg'"
        ),
    ),
    (
        "src/app.ts(12,5): error TS2304: Cannot find name 'Buffer'.",
        "lib/app.ts(340,17): error TS2304: Cannot find name 'Buffer'.",
    ),
    (
        "npm ERR! code ELIFECYCLE\nError: listen EADDRINUSE: address already in use :::3000 (pid 4411)",
        "Error: listen EADDRINUSE: address already in use :::8080 (pid 12)\nat Server.setupListenHandle",
    ),
    (
        "\x1b[31mfatal: unable to access 'https://host/a.git/': Could not resolve host\x1b[0m",
        "fatal: unable to access 'https://other/b.git/': Could not resolve host",
    ),
)


@pytest.mark.parametrize(("first", "again"), SAME)
def test_the_same_error_met_again_shares_a_fingerprint(first: str, again: str) -> None:
    assert set(fingerprints(first)) & set(fingerprints(again))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ModuleNotFoundError: No module named 'psycopg'", "ModuleNotFoundError: No module named 'requests'"),
        ("error TS2304: Cannot find name 'Buffer'.", "error TS2304: Cannot find name 'window'."),
        ("KeyError: 'user'", "ValueError: invalid literal for int()"),
    ],
)
def test_different_errors_share_none(one: str, other: str) -> None:
    assert not set(fingerprints(one)) & set(fingerprints(other))


@pytest.mark.parametrize(
    "quiet", ["", "Exit code 1", "all 12 tests passed", "Traceback (most recent call last):", "error"]
)
def test_what_names_no_error_has_none(quiet: str) -> None:
    assert fingerprints(quiet) == ()


def test_the_line_that_names_the_error_comes_first() -> None:
    output = "collected 3 items\nFAILED tests/test_a.py::test_b\nE   AssertionError: wrong total\n1 failed in 0.3s"
    assert error_lines(output)[0].startswith("E   AssertionError")


def test_a_shape_keeps_names_and_loses_places() -> None:
    assert (
        shape("/a/b/worker.py:12: error: Module 'flask_login' is missing at 0x7f3a12")
        == "worker py error module flask_login is missing at"
    )


def test_a_huge_output_is_read_at_its_end() -> None:
    assert fingerprints("noise\n" * 500_000 + "KeyError: 'user_settings'") == fingerprints("KeyError: 'user_settings'")


@pytest.mark.parametrize(
    "said",
    [
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        "Error: Sibling tool call errored",
        "<tool_use_error>Error: No such tool available: Task</tool_use_error>",
        "Error: [Request interrupted by user for tool use]",
    ],
)
def test_what_the_client_says_of_its_own_tools_is_no_error_of_the_project(said: str) -> None:
    assert fingerprints(said) == () and error_lines(said) == []
    assert fingerprints(f"{said}\nModuleNotFoundError: No module named 'psycopg'") != ()
