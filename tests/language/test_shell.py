"""A shell command as the shell reads it."""

from __future__ import annotations

import pytest

from nous.language.shell import MOST_COMMANDS, ShellCommand, commands_in, wrappers


def programs(script: str) -> list[str]:
    return [command.program for command in commands_in(script)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("a && b || c; d | e & f\ng", ["a", "b", "c", "d", "e", "f", "g"]),
        ("(a; b) | c", ["a", "b", "c"]),
        ("if ! a; then b; else c; fi", ["a", "b", "c"]),
        ("while a; do b; done", ["a", "b"]),
        ("X=1 Y='2 3' a b", ["a"]),
        ("a 'b; c' \"d && e\" f\\;g", ["a"]),
        ("a # b; c\nd", ["a", "d"]),
        ("a#b c", ["a#b"]),
        ("echo $(a $(b)) `c`", ["echo", "a", "b", "c"]),
        ('echo "x $(a "y") z"', ["echo", "a"]),
        ("diff <(a) <(b)", ["diff", "a", "b"]),
        ("cat <<EOF | a\nb; c\nEOF\nd", ["cat", "a", "d"]),
        ("cat <<-'EOF'\n\tb\n\tEOF\nd", ["cat", "d"]),
        ("a 2>&1 >out.txt", ["a"]),
        ("echo ${A:-b c}; d", ["echo", "d"]),
        ("echo $((1 + 2)); d", ["echo", "d"]),
        ("bash -c 'a; b'", ["bash", "a", "b"]),
        ("bash -euo pipefail -c 'a'", ["bash", "a"]),
        ("sudo -u x -- timeout 5 a", ["sudo", "timeout", "a"]),
        ("/usr/bin/env A=b C:\\\\x\\\\a.exe", ["env", "a"]),
        ("find . -exec a {} \\; -exec b {} +", ["find", "a", "b"]),
        ("echo 'never closed", ["echo"]),
        ("echo $(never closed", ["echo", "never"]),
        ("", []),
        (") ) ;; >", []),
    ],
)
def test_every_command_is_found(script: str, expected: list[str]) -> None:
    assert [name for name in programs(script) if name not in ("1", "+", "2")] == expected


def test_where_output_goes_is_known() -> None:
    def shown(script: str) -> list[bool]:
        return [command.is_shown for command in commands_in(script) if command.program == "a"]

    for script in ("a", "a | head", "echo $(a)", "x; a | jq .b | tee f", "bash -c 'a'", "a >&2", "a 2>/dev/null"):
        assert shown(script) == [True], script
    for script in ("a > f", "X=$(a)", "a | wc -l", "a | docker login --password-stdin", "export X=$(a)", "b --x $(a)"):
        assert shown(script) == [False], script
    assert commands_in("X=$(a b)")[0] == ShellCommand(("a", "b"), is_shown=False, into="X")
    assert commands_in("a <<< 'text'")[0].fed == "text"
    assert commands_in("a > out.txt")[0].writes == ("out.txt",)


def test_hostile_scripts_end_soon() -> None:
    for piece in ("$(", "`", "(", "bash -c '", "a;", "<<E\n", "'", '"', "sudo ", "$((", "${", "echo $(a) "):
        assert len(commands_in(piece * 5000)) <= MOST_COMMANDS


def test_the_table_of_wrappers_is_read() -> None:
    assert wrappers()["timeout"][0].skips == 1
    assert len(wrappers()) > 80
