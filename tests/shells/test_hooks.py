"""The hook as a real process: it answers, or says nothing, and always ends well and in time."""

from __future__ import annotations

import json
import os
import random
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import NOW, Home, sized
from nous import paths
from nous.identity import context_key, identify
from nous.kernel.hooks.packing import LEAD
from nous.kernel.stores import open_stores
from nous.shells import hooks

ROOT = Path(__file__).resolve().parents[2]
HOOK = ROOT / "plugin" / "hooks" / "hook.py"
PIPE = HOOK.with_name("pipe.py")
RUN_SCRIPT = "import sys; __file__ = sys.argv.pop(1); exec(open(__file__).read())"  # and go on after it
LIMIT_SECONDS = 5.0  # the promise is half a second; a busy machine gets more before a test speaks of failure


def pipe(
    home: Home, name: str, body: str, *, package: bool = True, stdout: int = subprocess.PIPE, **environ: str
) -> subprocess.CompletedProcess[str]:
    """Run hook.py as the client does."""
    extra = [str(ROOT / "src"), sys.executable] if package else []
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HOOK), name, *extra],
        input=body,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        env=home.environ | environ,
        timeout=300,
        check=False,
    )
    assert time.monotonic() - began < LIMIT_SECONDS
    return done


def start(home: Home, project: Path, source: str = "startup") -> str:
    return json.dumps({"session_id": "x", "cwd": str(project), "hook_event_name": "SessionStart", "source": source})


def store_packet(home: Home, key: str, text: str) -> None:
    stores = open_stores(str(home.data / "cortex.db"))
    entries = [[1, "fact", text, 10, 0.5, [], []]]
    stores.cache.put(key, key.split("@")[0], "", json.dumps(entries), 1, NOW)
    stores.close()


def injected(output: str) -> str:
    said = json.loads(output)["hookSpecificOutput"]
    assert said["hookEventName"] == "SessionStart"
    lead, *lines = said["additionalContext"].splitlines()
    assert lead == LEAD
    return "\n".join(lines)


@pytest.mark.parametrize("how", ["pipe", "command"])
def test_a_waiting_packet_is_printed(home: Home, how: str) -> None:
    project = home.project()
    store_packet(home, context_key(identify(str(project)).id, "main"), "- Use pnpm. [Memory #1: 2026-11-09]")
    body = start(home, project)
    done = pipe(home, "SessionStart", body) if how == "pipe" else home.nous("hook", "SessionStart", stdin=body)
    assert (done.returncode, done.stderr) == (0, "")
    assert injected(done.stdout) == "- Use pnpm. [Memory #1: 2026-11-09]"


def test_a_branch_without_packet_gets_that_of_the_project(home: Home) -> None:
    project = home.project()
    store_packet(home, context_key(identify(str(project)).id, ""), "of the project")
    assert injected(pipe(home, "SessionStart", start(home, project)).stdout) == "of the project"


def test_an_unknown_place_gets_what_holds_everywhere(home: Home) -> None:
    store_packet(home, context_key("", ""), "everywhere")
    store_packet(home, context_key(identify(str(home.project("other"))).id, ""), "of another project")
    assert injected(pipe(home, "SessionStart", start(home, home.project("new"))).stdout) == "everywhere"


@pytest.mark.parametrize("name", ["Stop", "SessionEnd", "UserPromptSubmit", "PostToolUse", "NoSuchHook"])
def test_other_hooks_say_nothing(home: Home, name: str) -> None:
    store_packet(home, context_key("", ""), "everywhere")
    done = pipe(home, name, start(home, home.project()))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("body", ["", "{", "[]", "null", '{"cwd": 5}', "\x00\xff", '{"cwd": "/no/such/place"}'])
def test_a_strange_payload_is_answered_with_silence(home: Home, body: str) -> None:
    home.data.mkdir()
    done = pipe(home, "SessionStart", body)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    1e308,
    "",
    "x" * 200_000,
    [],
    {},
    "\ud800",
    "\0",
    "../../etc",
    ["a"] * 50,
    {"a": {"b": 1}},
)
ODD_WORLDS: tuple[dict[str, Any], ...] = (
    {},
    {"HOME": ""},
    {"NOUS_DATA_DIR": "relative"},
    {"NOUS_DATA_DIR": "/dev/null/x"},
    {"NOUS_DATA_DIR": "/tmp/" + "d" * 300},
    {"NOUS_SESSION_START_TOKENS": "-5"},
    {"NOUS_SESSION_START_TOKENS": "9" * 30},
    {"LC_ALL": "C", "TMPDIR": "/nonexistent", "PATH": ""},
)


def odd_payload(chance: random.Random, usual: dict[str, object]) -> str:
    """A payload that is cut, nested, doubled, of another kind, or has some of its fields changed."""
    changed = usual | {name: chance.choice(ODD_VALUES) for name in chance.sample(sorted(usual), 3)}
    whole = json.dumps(usual)
    made = (
        whole[: chance.randrange(len(whole))],
        "[" * 200_000,
        '{"a":' * 50_000,
        "\ufeff" + whole,
        f"{whole}\0{whole}",
    )
    return chance.choice((*made, json.dumps(chance.choice(ODD_VALUES)), *[json.dumps(changed)] * 6))


def test_no_payload_and_no_world_makes_a_hook_fail_or_block(home: Home) -> None:
    project = home.project()
    store_packet(home, context_key(identify(str(project)).id, "main"), "- Use pnpm. [Memory #1: 2026-11-09]")
    usual: dict[str, object] = json.loads(start(home, project)) | {
        "transcript_path": "/x.jsonl",
        "prompt": "make",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_response": {"stdout": "x"},
    }
    chance, log = random.Random(189), home.data / "hook.log"
    for _ in range(sized(16, 400)):
        name = chance.choice(
            ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "Nope", "../x", "")
        )
        body, world = odd_payload(chance, usual), chance.choice(ODD_WORLDS)
        lines = len(log.read_text().splitlines()) if log.exists() else 0
        done = pipe(home, name, body, **world)
        assert (done.returncode, done.stderr) == (0, ""), (name, body[:200], world)
        said = json.loads(done.stdout) if done.stdout else {}
        assert set(said) <= {"hookSpecificOutput"} and "decision" not in done.stdout, (name, body[:200], world)
        told = log.read_text().splitlines()[lines:] if log.exists() else []
        assert len(told) <= 1 and all(len(line) < 400 for line in told), (name, body[:200], told)


def test_a_huge_payload_is_no_problem(home: Home) -> None:
    store_packet(home, context_key("", ""), "everywhere")
    body = json.dumps({"cwd": str(home.home), "padding": "x" * 20_000_000})
    assert pipe(home, "SessionStart", body).returncode == 0


def test_no_database_means_silence_and_creates_nothing(home: Home) -> None:
    done = pipe(home, "SessionStart", start(home, home.project()))
    assert (done.returncode, done.stdout) == (0, "")
    assert not home.data.exists()


@pytest.mark.parametrize("content", [b"", b"this is no database" * 100, b"SQLite format 3\x00" + b"\xff" * 2000])
def test_a_broken_database_is_logged_and_silent(home: Home, content: bytes) -> None:
    home.data.mkdir()
    (home.data / "cortex.db").write_bytes(content)
    done = pipe(home, "SessionStart", start(home, home.project()))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "SessionStart" in (home.data / "hook.log").read_text()


def test_a_worker_of_ours_fires_no_hook(home: Home) -> None:
    store_packet(home, context_key("", ""), "everywhere")
    body = start(home, home.project())
    assert pipe(home, "SessionStart", body, NOUS_WORKER="1").stdout == ""
    assert home.nous("hook", "SessionStart", stdin=body, NOUS_WORKER="1").stdout == ""


def test_a_closed_stdout_does_no_harm(home: Home) -> None:
    store_packet(home, context_key("", ""), "everywhere " * 5000)
    read, write = os.pipe()
    os.close(read)
    done = pipe(home, "SessionStart", start(home, home.project()), stdout=write)
    os.close(write)
    assert done.returncode == 0


def test_no_home_is_no_problem(home: Home) -> None:
    done = pipe(home, "SessionStart", "{}", HOME="", NOUS_DATA_DIR="", XDG_DATA_HOME="")
    assert (done.returncode, done.stdout) == (0, "")


def test_without_the_package_the_command_on_the_path_is_asked(home: Home) -> None:
    tools = home.root / "bin"
    tools.mkdir()
    fake = tools / "nous"
    fake.write_text('#!/bin/sh\necho "asked: $1 $2"\n')
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    done = pipe(home, "SessionStart", "{}", package=False, PATH=f"{tools}:{os.environ['PATH']}")
    assert done.stdout == "asked: hook SessionStart\n"


@contextmanager
def daemon(home: Home, reply: bytes | None) -> Iterator[list[bytes]]:
    """Something that listens where the daemon would: it replies with these bytes, or hangs."""
    home.data.mkdir(exist_ok=True)
    heard: list[bytes] = []
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(home.data / "nous.sock"))
    listener.listen()

    clients: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            clients.append(client)
            heard.append(client.recv(65536))
            if reply is not None:
                client.sendall(reply)
                client.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield heard
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        for each in (listener, *clients):
            each.close()


def test_the_daemons_answer_is_passed_on_as_it_is(home: Home) -> None:
    with daemon(home, b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nword") as heard:
        done = pipe(home, "SessionStart", '{"a": 1}')
    assert done.stdout == "word"
    assert heard[0].startswith(b"POST /hooks/SessionStart HTTP/1.0\r\n")
    assert heard[0].endswith(b'{"a": 1}')


@pytest.mark.parametrize("reply", [None, b"", b"HTTP/1.1 500 Oops\r\n\r\nno", b"garbage"])
def test_a_daemon_that_hangs_or_fails_is_replaced_by_the_database(home: Home, reply: bytes | None) -> None:
    store_packet(home, context_key("", ""), "everywhere")
    with daemon(home, reply):
        done = pipe(home, "SessionStart", start(home, home.project()))
    assert injected(done.stdout) == "everywhere"


def test_a_socket_path_that_is_too_long_has_a_short_name(home: Home) -> None:
    deep = home.root / ("d" * 120)
    short = paths.socket_path({"NOUS_DATA_DIR": str(deep)})
    assert len(short) < 60
    done = pipe(home, "SessionStart", start(home, home.project()), NOUS_DATA_DIR=str(deep))
    assert (done.returncode, done.stdout) == (0, "")


segment = st.from_regex(r"/[a-z]{1,30}(/[a-z]{1,30}){0,3}", fullmatch=True)


@given(st.dictionaries(st.sampled_from(["HOME", "NOUS_DATA_DIR", "XDG_DATA_HOME", "NOUS_SOCKET_PATH"]), segment))
def test_the_pipe_and_the_package_agree_on_the_address(environ: dict[str, str]) -> None:
    script: dict[str, object] = {"__name__": "pipe"}
    exec(compile(PIPE.read_text(), str(PIPE), "exec"), script)
    script["raw"] = {name.encode(): value.encode() for name, value in environ.items()}
    address = script["address"]
    assert callable(address)
    expected = paths.socket_path(environ) if environ.get("HOME") or len(environ) else ""
    if said := address():
        assert said == expected


@pytest.mark.parametrize("how", ["variable", "file"])
def test_the_budget_is_kept_without_a_daemon_too(home: Home, how: str) -> None:
    store_packet(home, context_key("", ""), "- a rule that costs more than a few tokens")
    if how == "variable":
        home.environ["NOUS_SESSION_START_TOKENS"] = "20"
    else:
        (home.data / "config.toml").write_text("session_start_tokens = 20\n")
    assert pipe(home, "SessionStart", start(home, home.project())).stdout == ""


# -- waking ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def starter(home: Home) -> Path:
    """In the place of the interpreter: something that notes that a daemon would have been started, and where."""
    script = home.root / "python"
    noted = f'echo "$(pwd) $*" >> "{home.root}/started"\necho "$NOUS_DATA_DIR" >> "{home.root}/places"\n'
    script.write_text(f"#!/bin/sh\n{noted}")
    script.chmod(0o700)
    return script


def started(home: Home) -> list[str]:
    """What was started so far; it happens behind the hooks."""
    time.sleep(0.5)
    note = home.root / "started"
    return note.read_text().splitlines() if note.exists() else []


def send(home: Home, name: str, python: Path, **environ: str) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HOOK), name, str(ROOT / "src"), str(python)],
        input=start(home, home.home),
        capture_output=True,
        text=True,
        env={key: value for key, value in home.environ.items() if key != "NOUS_NO_AUTOSTART"} | environ,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["SessionStart", "Stop", "SessionEnd", "SubagentStop", "PreCompact"])
def test_a_hook_wakes_the_daemon_once_in_a_while(home: Home, starter: Path, name: str) -> None:
    home.data.mkdir()
    for _ in range(3):
        send(home, name, starter)
    assert started(home) == ["/ -m nous up --foreground"]
    os.utime(home.data / "daemon.woken", (0, 0))
    send(home, name, starter)
    assert len(started(home)) == 2


def test_a_daemon_keeps_its_memory_where_whoever_woke_it_does(home: Home, starter: Path) -> None:
    """A place named from the directory of a session is another one from the root, where daemons work."""
    send(home, "Stop", starter, NOUS_DATA_DIR="no-such-folder")
    assert len(started(home)) == 1
    assert (home.root / "places").read_text().split() == [os.path.abspath("no-such-folder")]


def test_hooks_in_between_and_forbidden_ones_wake_nobody(home: Home, starter: Path) -> None:
    home.data.mkdir()
    for name in ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure"):
        send(home, name, starter)
    send(home, "Stop", starter, NOUS_NO_AUTOSTART="1")
    assert started(home) == []


def test_a_hook_that_only_wakes_loads_next_to_nothing(home: Home, starter: Path) -> None:
    count = f"{RUN_SCRIPT}; print(sorted(n for n in sys.modules if 'nous' in n))"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", count, str(HOOK), "Stop", str(ROOT / "src"), str(starter)],
        input="{}",
        capture_output=True,
        text=True,
        env=home.environ,
        timeout=300,
        check=False,
    )
    assert done.stdout.strip() == "['nous', 'nous.shells', 'nous.shells.waking']"


def hostile_server(path: Path, say: Callable[[socket.socket], None]) -> tuple[threading.Thread, list[bytes]]:
    """Somebody who listens at a socket; what they were told."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(1)
    told: list[bytes] = []

    def serve() -> None:
        listener.settimeout(20)
        try:
            client, _ = listener.accept()
            with client:
                client.settimeout(0.5)
                try:
                    told.append(client.recv(65536))
                    say(client)
                except OSError:
                    pass
        except OSError:
            pass
        finally:
            listener.close()

    thread = threading.Thread(target=serve)
    thread.start()
    return thread, told


@pytest.mark.parametrize("how", ["others may write", "another owner"])
def test_a_socket_in_a_directory_of_others_is_told_nothing(home: Home, how: str) -> None:
    folder = home.root / "theirs"
    folder.mkdir(mode=0o700)
    thread, told = hostile_server(folder / "n.sock", lambda client: client.sendall(b"HTTP/1.0 200 OK\r\n\r\nevil"))
    if how == "others may write":
        folder.chmod(0o777)
    elif os.geteuid() == 0:
        os.chown(folder, 12345, 12345)
    else:
        pytest.skip("only root can give a directory away")
    for run in (pipe(home, "SessionStart", start(home, home.project()), NOUS_SOCKET_PATH=str(folder / "n.sock")),):
        assert (run.returncode, run.stdout) == (0, "")
    thread.join()
    assert told == [b""], "the payload went to somebody else"
    assert not hooks.ask_daemon("SessionStart", b"{}", str(folder / "n.sock"))


def test_a_daemon_does_not_listen_where_others_may_write(home: Home) -> None:
    folder = home.root / "theirs"
    folder.mkdir()
    folder.chmod(0o777)
    done = home.nous("up", "--foreground", NOUS_SOCKET_PATH=str(folder / "n.sock"))
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        1,
        "error: others can write to the directory of the daemon's socket",
    )


@pytest.mark.parametrize("how", ["pipe", "command"])
def test_a_socket_that_drips_is_not_waited_for(home: Home, how: str) -> None:
    home.data.mkdir(mode=0o700)
    drops = []

    def drip(client: socket.socket) -> None:
        for _ in range(1000):
            client.sendall(b"H")
            drops.append(1)
            time.sleep(0.02)

    thread, _ = hostile_server(home.data / "nous.sock", drip)
    body = start(home, home.project())
    done = pipe(home, "Stop", body) if how == "pipe" else home.nous("hook", "Stop", stdin=body)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    thread.join()
    assert len(drops) < 400, "it waited until the last drop"


@pytest.mark.parametrize("how", ["pipe", "command"])
def test_a_payload_too_large_to_be_answered_in_time_is_left(home: Home, how: str) -> None:
    body = json.dumps({"session_id": "x", "cwd": "/", "tool_response": "x" * 20_000_000})
    done = pipe(home, "PostToolUse", body) if how == "pipe" else home.nous("hook", "PostToolUse", stdin=body)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_no_alarm_is_left_when_the_interpreter_ends(home: Home) -> None:
    look = f"{RUN_SCRIPT}; import _signal; print(_signal.getitimer(_signal.ITIMER_REAL))"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", look, str(HOOK), "Stop", str(ROOT / "src"), ""],
        input="{}",
        capture_output=True,
        text=True,
        env=home.environ,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "(0.0, 0.0)")


@pytest.mark.parametrize("name", ["SessionStart", "PostToolUse"])
def test_a_hook_that_ran_out_of_time_says_so_to_the_doctor(home: Home, name: str) -> None:
    home.data.mkdir(mode=0o700)
    command = [sys.executable, "-I", "-S", str(HOOK), name, str(ROOT / "src"), sys.executable]
    hanging = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=home.environ)
    assert (hanging.wait(60), hanging.communicate()[0]) == (0, b"")  # nobody closes its input
    assert f" {name} ran out of time\n" in (home.data / "hook.log").read_text()
    assert oct((home.data / "hook.log").stat().st_mode & 0o777) == "0o600"
    found = {one["check"]: one for one in json.loads(home.nous("doctor", "--json").stdout)["checks"]}
    assert not found["hooks"]["ok"] and "1 of them out of time" in found["hooks"]["found"]


def test_both_ways_of_a_hook_have_the_same_time() -> None:
    read = "import sys; sys.path.append(sys.argv.pop(1)); import pipe; print(pipe.SOCKET_SECONDS, pipe.HARD_SECONDS)"
    folder = str(PIPE.parent)
    for name in ("SessionStart", "Stop"):
        done = subprocess.run([sys.executable, "-c", read, folder, name], capture_output=True, text=True, check=True)
        assert tuple(map(float, done.stdout.split())) == hooks.SECONDS.get(name, hooks.USUAL_SECONDS)
