"""What stands in ignored paths is not kept; everything else is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nous.kernel.capture.ignoring import PLACEHOLDER, Ignored
from nous.kernel.capture.transcript import Turn, TurnKind

words = st.from_regex(r"[a-z]{1,8}", fullmatch=True)


def turn(kind: TurnKind, text: str = "", cwd: str = "/home/dev/app", tool_id: str = "t1", **given: Any) -> Turn:
    return Turn(
        uuid="u", kind=kind, at="", session_id="s", text=text, cwd=cwd, tool="Bash", tool_id=tool_id, input=given
    )


@pytest.mark.parametrize(
    ("pattern", "path", "is_covered"),
    [
        ("*.pem", "/home/dev/app/keys/a.pem", True),
        ("*.pem", "/home/dev/app/a.pem.txt", False),
        (".env", "/home/dev/app/.env", True),
        (".env", "/home/dev/app/.env.example", False),
        ("secrets", "/home/dev/app/secrets/deep/a.txt", True),
        ("secrets", "/home/dev/app/secrets.py", False),
        ("/home/dev/private", "/home/dev/private", True),
        ("/home/dev/private/", "/home/dev/private/x/y.md", True),
        ("/home/dev/private", "/home/dev/privately/x.md", False),
        ("/home/dev/private", "/mnt/home/dev/private/x.md", False),
        ("**/hr/**", "/home/dev/hr/pay.csv", True),
        ("config/*.toml", "/home/dev/app/config/a.toml", True),
        ("config/*.toml", "/home/dev/app/config.toml", False),
        ("*.pem", "../keys/a.pem", True),
        ("/home/dev/keys", "../keys/a", True),
    ],
)
def test_patterns(pattern: str, path: str, is_covered: bool) -> None:
    assert Ignored([pattern]).covers(path, "/home/dev/app") is is_covered


def test_nothing_is_ignored_without_patterns() -> None:
    assert not Ignored([]).covers("/etc/passwd")


@given(st.lists(words, min_size=1, max_size=4), st.lists(words, max_size=3))
def test_all_below_an_ignored_folder_is_ignored(folder: list[str], below: list[str]) -> None:
    root = "/" + "/".join(folder)
    assert Ignored([root]).covers("/".join([root, *below]))
    assert not Ignored([root]).covers("/".join([root + "x", *below]))


IGNORED = Ignored(["/home/dev/private", "*.pem"])


def test_a_session_in_an_ignored_directory_is_not_kept() -> None:
    assert IGNORED.without(turn("prompt", "hello", cwd="/home/dev/private/a"), set()) is None
    assert IGNORED.without(turn("prompt", "hello"), set()) == turn("prompt", "hello")


@pytest.mark.parametrize(
    "given",
    [
        {"file_path": "certs/a.pem", "old_string": "AAA", "new_string": "BBB"},
        {"command": "cat certs/a.pem | head"},
        {"command": "grep x </home/dev/private/notes.md"},
        {"command": "python -c \"open('certs/a.pem')\""},
    ],
)
def test_a_call_that_touches_an_ignored_file_loses_its_words_and_its_result(given: dict[str, Any]) -> None:
    calls: set[str] = set()
    call = IGNORED.without(turn("tool_call", **given), calls)
    result = IGNORED.without(turn("tool_result", "the contents"), calls)
    other = IGNORED.without(turn("tool_result", "the contents", tool_id="t2"), calls)
    assert call and not call.input.keys() - {"file_path"}
    assert result and result.text == PLACEHOLDER
    assert other and other.text == "the contents"


def test_a_result_that_names_its_file_needs_no_call() -> None:
    result = IGNORED.without(turn("tool_result", "key", file_path="/home/dev/app/a.pem"), set())
    assert result and result.text == PLACEHOLDER


def test_a_search_loses_the_lines_of_ignored_files_only() -> None:
    found = "src/a.py:3: ok\ncerts/a.pem:1:SECRET\n/home/dev/private/x.md-2-SECRET\nsrc/b.py:9: ok\n"
    result = IGNORED.without(turn("tool_result", found), set())
    assert result and result.text == "src/a.py:3: ok\nsrc/b.py:9: ok\n"


SPELLED = Ignored(["/home/dev/private", "secrets", "*.pem"], home="/home/dev")


@pytest.mark.parametrize(
    "command",
    [
        "cat $HOME/private/notes.md",
        "cat ${HOME}/private/notes.md",
        'cat "$HOME/private/notes.md"',
        "cat ~/private/notes.md",
        "head -3 se*/x",
        "cat s?crets/x",
        "cat [s]ecrets/x",
        'cat secre""ts/x',
        "cat 'sec'rets/x",
        r"cat secr\ets/x",
        "cat ./a/../secrets/x",
        "D=secrets; cat $D/x",
        "export DIR=secrets && cat ${DIR}/x",
        "cat ${DIR:-secrets}/x",
        "cd secrets && cat x",
        "cd ~ && cat private/notes.md",
        "cat {secrets,public}/x",
        "git -C secrets show HEAD:x",
        "bash -c 'cat secrets/x'",
        "python3 -c \"print(open('secrets/x').read())\"",
        "cat /home/dev/app/../private/notes.md",
        "cat cert*.pem",
        "openssl x509 -in=certs/a.pem",
    ],
)
def test_a_path_is_ignored_however_a_shell_lets_one_spell_it(command: str) -> None:
    calls: set[str] = set()
    SPELLED.without(turn("tool_call", command=command), calls)
    assert calls == {"t1"}


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "cat src/*.py",
        "pytest tests/test_secrets_page.py",
        "grep -rn secretsmanager src",
        "npm run build && cp dist/* out/",
        "cat */package.json",
        "echo $HOME",
        "cd ~/app && make",
    ],
)
def test_other_commands_are_kept(command: str) -> None:
    assert SPELLED.without(turn("tool_call", command=command), set()) == turn("tool_call", command=command)


def test_a_pattern_may_begin_at_home() -> None:
    assert Ignored(["~/private"], home="/home/dev").covers("/home/dev/private/x")
    assert Ignored(["$HOME/private/"], home="/home/dev").covers("/home/dev/private/x")
