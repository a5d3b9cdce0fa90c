from __future__ import annotations

import pytest

from nous.kernel.hooks.search_targets import file_in, names_in, searched_by


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("retry_policy", ["retry_policy"]),
        (r"\bretry_policy\b", ["retry_policy"]),
        (r"def retry_policy\(", ["retry_policy"]),
        (r"class RetryPolicy", ["RetryPolicy"]),
        (r"class\s+RetryPolicy", ["RetryPolicy"]),
        ("export const useThing", ["useThing"]),
        ("retry_policy|RetryPolicy", ["retry_policy", "RetryPolicy"]),
        ("(retry_policy|backOff)", ["retry_policy", "backOff"]),
        (r"clock\.now_utc\(", ["now_utc"]),
        ("handler", []),  # anybody's word
        ("TODO", []),
        ("retry_policy|back_off|wait_for", []),  # looks around
        ("retry policy for the client", []),
        (r"retry.*policy", []),
        ("flex items-center gap-1", []),
        ("Energy.*=", []),
        ("", []),
        ("|||", []),
        ("(", []),
    ],
)
def test_a_pattern_that_looks_for_one_thing_names_it(pattern: str, names: list[str]) -> None:
    assert names_in(pattern) == names


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("**/retries.py", "retries.py"),
        ("src/**/retries.py", "retries.py"),
        ("retries.py", "retries.py"),
        ("**/*.py", ""),
        ("**/retr*.py", ""),
        ("src/**", ""),
        ("", ""),
    ],
)
def test_a_glob_that_spells_a_file_out_names_it(pattern: str, name: str) -> None:
    assert file_in(pattern) == name


@pytest.mark.parametrize(
    ("command", "pattern"),
    [
        ("grep -rn retry_policy src", "retry_policy"),
        ("grep -rn 'def retry_policy' --include='*.py' .", "def retry_policy"),
        ("cd app && rg -n --type py retry_policy", "retry_policy"),
        ("git grep -n retry_policy -- src", "retry_policy"),
        ('rg -C 3 -e "RetryPolicy" src | head', "RetryPolicy"),
        ("make test 2>&1 | grep FAILED_tests", ""),  # filters, and searches no files
        ("cat notes.txt", ""),
        ("echo 'grep x", ""),
        ("grep", ""),
    ],
)
def test_a_search_in_a_shell_names_its_pattern(command: str, pattern: str) -> None:
    assert searched_by(command) == pattern
