"""Secrets known by what printed them or by who said them: none is written anywhere, and plain text stays."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from factories import NOW, sized
from features.erasure.test_scan import queue
from flows import leaks, printed
from flows.test_secrets import Place
from kernel.test_capture import lines
from nous.features.erasure.scan import scan
from nous.kernel.capture.transcript import Turn, parse_line
from nous.kernel.stores import Stores
from nous.redact import Discretion, redact_text
from nous.redact.commands import rows, secret_output


def turn(kind: Any, text: str = "", **fields: Any) -> Turn:
    return Turn(uuid="u", kind=kind, at=NOW, session_id="s", text=text, **fields)


def kept(*turns: Turn) -> list[Turn]:
    """The turns of a session as they are written."""
    discretion, counted = Discretion(), Counter[str]()
    clean = [discretion.clean(one, counted) for one in turns]
    return [discretion.hide(one) for one in clean]


def ran(command: str, output: str, tool: str = "Bash", **given: Any) -> tuple[Turn, Turn]:
    call = turn("tool_call", tool=tool, tool_id="t", input={"command": command} | given if command else given)
    return call, turn("tool_result", output, tool_id="t")


def test_what_a_command_prints_is_removed_whole_and_not_repeated() -> None:
    cases = [one for seed in range(sized(1, 20)) for way in (False, True) for one in printed.printed(seed, way)]
    assert len({one.command for one in cases}) >= 300
    left, repeated = [], []
    for one in cases:
        reply = turn("reply", f"It says {one.secrets[0]} there.")
        _, result, said = kept(*ran(one.command, one.output), reply)
        left += [one.command for secret in one.secrets if secret in result.text]
        shows_settings = secret_output(one.command).shows == "settings"  # their values may be any words
        repeated += [one.command] if one.secrets[0] in said.text and not shows_settings else []
    assert not left, f"{len(left)} of {len(cases)}: {left[:20]}"
    assert not repeated, f"{len(repeated)} of {len(cases)}: {repeated[:20]}"


# A password as a program prints it beside its name, and what an agent says when it has seen one.
PRINTED_AS = (
    "Key                 Value\n---                 -----\nlease_id            database/creds/x\npassword            @",
    '{"data": {"password": "@"}}',
    "password: @",
    "password\t@",
    "| password | @ |",
    " password -> @",
)
CONCLUSIONS = (
    "It says @ there.",
    "So the database password is @.",
    "psql -U app -W @ works",
    "connect with app/@ on db",
)


@pytest.mark.parametrize("value", ["velvetquartz", "Bello", "4711", "app-rw-77", "zq.kdm", "Jo@zq", "correct horse"])
def test_no_conclusion_repeats_the_value_of_a_name_for_secrets(value: str) -> None:
    for command, shape, said in product(("vault read database/creds/x", "op item get db"), PRINTED_AS, CONCLUSIONS):
        shown = kept(*ran(command, shape.replace("@", value)), turn("reply", said.replace("@", value)))
        assert value not in shown[1].text + shown[2].text, (command, shape, said)
    told = kept(
        *ran("vault read kv/x", "host  db7.example.net\nttl  768h"), turn("reply", "It runs on db7.example.net.")
    )
    assert told[2].text == "It runs on db7.example.net."


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("export -p", 'declare -x HOMEQ="/root"\ndeclare -x ZKK="@"'),
        ("declare -x", 'declare -x ZKK="@"'),
        ("git show HEAD:.env", "FOO=@"),
        ("git show HEAD:.env", "# mine\nfoo: @"),
        ("git diff .env", "--- a/.env\n+++ b/.env\n-FOO=1\n+FOO=@"),
        ("python -c \"print(open('.env').read())\"", "FOO=@"),
        ("node -e \"console.log(fs.readFileSync('.env','utf8'))\"", "FOO=@"),
        ("grep -r FOO . --include=.env", "./.env:FOO=@"),
        ("grep -rn FOO .", "./app.py:3:x = 1\n./.env:3:FOO=@"),
        ("rg FOO -uu", ".env\n3:FOO=@"),
        ("rg FOO -uu", "deploy/.env.local:3:FOO=@"),
        ("base64 .env", "@"),
        ("base64 -w0 < .env.production", "@"),
        ("od -c .env", "@"),
        ("pm2 env 0", "FOOQ: @"),
        ("ps eww 1", "1 ? S 0:00 node FOOQ=@"),
    ],
)
def test_values_of_a_settings_file_are_cut_whatever_shows_them(command: str, output: str) -> None:
    for value in ("k7Q2mZ9pLx4R", "onlyletters", "two words"):
        assert value not in kept(*ran(command, output.replace("@", value)))[1].text


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("ls -a", ".\n.env\n.env.example\nREADME.md"),
        ("git diff src/a.py", "+++ b/src/a.py\n+FOO = compute()\n+BAR = other()"),
        ("rg foo", "src/a.py:3:FOO = 1\nsrc/b.py:4:BAR=2"),
        ("git add .env", "[main 1234abc] settings\n 1 file changed: .env"),
        ("ps -ef", "root 1 node --x=3"),
    ],
)
def test_what_shows_no_settings_stays(command: str, output: str) -> None:
    assert kept(*ran(command, output))[1].text == output


def test_every_row_of_the_table_has_a_program() -> None:
    assert len(rows()) > 100
    assert all(row.words for of in rows().values() for row in of)


def test_what_is_not_seen_leaves_the_output_alone() -> None:
    cut = [one for one in printed.NOT_SHOWN if kept(*ran(one, printed.PLAIN_OUTPUT))[1].text != printed.PLAIN_OUTPUT]
    assert not cut, f"{len(cut)} of {len(printed.NOT_SHOWN)}: {cut}"


def test_a_secret_that_is_said_is_removed_in_every_language() -> None:
    said = [one for seed in range(sized(2, 40)) for one in printed.sayings(seed)]
    left = [(language, text) for language, text, secret in said if secret in kept(turn("prompt", text))[0].text]
    assert not left, f"{len(left)} of {len(said)}: {left[:20]}"


@pytest.mark.parametrize(("question", "answer"), printed.QUESTIONS)
def test_an_answer_to_a_question_for_a_code_is_removed(question: str, answer: str) -> None:
    for seed in range(5):
        text, secret = printed.fill(answer, random.Random(f"{question}{seed}"))
        assert secret not in kept(turn("reply", f"Good. {question}"), turn("prompt", text))[1].text
        given = {"answers": {question: text}, "options": {question: ["skip"]}}
        [asked] = kept(turn("answer", f'"{question}"="{text}"', tool_id="q", input=given))
        assert secret not in asked.text + str(asked.input)


def test_plain_words_stay() -> None:
    cut = [text for text in printed.PLAIN if redact_text(text)[0] != text]
    assert not cut, f"{len(cut)} of {len(printed.PLAIN)}: {cut}"
    for question, answer in printed.PLAIN_ANSWERS:
        assert kept(turn("reply", question), turn("prompt", answer))[1].text == answer
    assert len(printed.PLAIN) + len(printed.PLAIN_ANSWERS) + len(printed.NOT_SHOWN) >= 250


def test_no_byte_that_was_written_holds_what_was_printed_or_said(tmp_path: Path) -> None:
    place = Place(tmp_path)
    first = leaks.record("p", "user", "Always run make check before you commit.")
    for at, one in enumerate(list(printed.printed(7, behind=True))[:: sized(4, 1)]):
        session = f"p{at}"
        records = [
            first | {"sessionId": session, "uuid": f"first-{at}"},
            leaks._call(session, "Bash", {"command": one.command}),
            leaks._result(session, one.output),
            leaks._said(session, "Done, it works now."),
        ]
        place.tell(session, one.command, records, tuple(word for word in one.secrets if not word.isdigit()))
    for at, (_, text, secret) in enumerate(printed.sayings(7)):
        if len(secret) > 5 and not secret.isdigit():  # a few digits stand by chance in some hash of the log
            place.tell(f"w{at}", text, [leaks.record(f"w{at}", "user", f"Note that {text}")], (secret,))
    place.learn().close()
    leaked = leaks.found_in(place.data, place.wanted)
    assert not leaked, f"{len(leaked)} of {len(place.wanted)}: {sorted(leaked)[:20]}"


WORD = "velvetquartz"


def test_a_file_that_took_a_secret_is_one() -> None:
    write = ran("op read op://a/b > /tmp/pw.out", "")
    for read in (ran("cat /tmp/pw.out", WORD), ran("base64 < /tmp/pw.out", WORD)):
        assert WORD not in kept(*write, *read)[3].text
    assert kept(*ran("cat /tmp/pw.out", WORD))[1].text == WORD


def test_a_shell_in_the_background_goes_on_printing_secrets() -> None:
    start = ran("vault token create", "Command running in background with ID: b7")
    call = turn("tool_call", tool="BashOutput", tool_id="t2", input={"bash_id": "b7"})
    assert WORD not in kept(*start, call, turn("tool_result", WORD, tool_id="t2"))[3].text
    other = turn("tool_call", tool="BashOutput", tool_id="t2", input={"bash_id": "b8"})
    assert kept(*start, other, turn("tool_result", WORD, tool_id="t2"))[3].text == WORD


@pytest.mark.parametrize(
    "path", ["/run/secrets/db", "/a/.vault-token", "/a/db_password.txt", "/a/client_secret_7.json"]
)
def test_a_file_that_holds_nothing_else_is_not_read(path: str) -> None:
    assert WORD not in kept(*ran("", WORD, tool="Read", file_path=path))[1].text


@pytest.mark.parametrize("path", ["/a/token.py", "/a/secrets.ts", "/a/tokens.txt", "/a/password_test.go", "/a/key.rs"])
def test_code_that_is_called_like_a_secret_is_read(path: str) -> None:
    assert kept(*ran("", WORD, tool="Read", file_path=path))[1].text == WORD


def test_a_password_manager_may_be_a_tool() -> None:
    assert WORD not in kept(*ran("", WORD, tool="mcp__1password__get_item", item="db"))[1].text
    assert WORD in kept(*ran("", WORD, tool="mcp__tracker__get_issue", id=4))[1].text


def test_a_command_that_the_user_typed_counts_as_well() -> None:
    def typed(text: str) -> list[Turn]:
        turns = parse_line(lines(leaks.record("s", "user", text)).strip())
        assert isinstance(turns, list)
        return turns

    shown = [*typed("<bash-input>pass show work/db</bash-input>"), *typed(f"<bash-stdout>{WORD}</bash-stdout>")]
    assert WORD not in "".join(one.text for one in kept(*shown))
    other = [*typed("<bash-input>ls</bash-input>"), *typed(f"<bash-stdout>{WORD}</bash-stdout>")]
    assert WORD in "".join(one.text for one in kept(*other))


def test_scan_knows_the_same(stores: Stores, tmp_path: Path) -> None:
    queue(stores, *ran("op read op://a/b", WORD), turn("prompt", "my PIN is 4711"))
    [finding] = scan(stores, str(tmp_path)).findings
    assert finding.kinds == {"command-output": 1, "password": 1}


def test_scan_finds_nothing_in_what_was_cleaned(stores: Stores, tmp_path: Path) -> None:
    queue(stores, *kept(*ran("op read op://a/b", WORD), turn("prompt", "my PIN is 4711")))
    assert not scan(stores, str(tmp_path)).findings
