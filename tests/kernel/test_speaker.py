"""Who speaks: the client's environment or an agent among the ancestors makes a command the agent's."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from nous.kernel import speaker
from nous.kernel.access import OWNER, ROLES, Bearer
from nous.kernel.processes import process_at_port, process_at_socket
from nous.kernel.speaker import (
    AGENT_VARIABLES,
    PERSON,
    has_agent_above,
    program,
    speaker_of_bearer,
    speaker_of_peer,
    speaker_of_process,
)


@pytest.mark.parametrize("name", AGENT_VARIABLES)
def test_a_mark_of_the_client_makes_it_the_agent(name: str) -> None:
    assert speaker_of_process({name: "1"}, "/work").kind == "agent"
    assert speaker_of_process({name: ""}, "/work") == PERSON


def test_variables_that_an_editor_sets_for_its_user_are_no_marks() -> None:
    assert speaker_of_process({"CLAUDE_CONFIG_DIR": "/x", "CLAUDE_CODE_SSE_PORT": "1", "TERM": "xterm"}, "/") == PERSON


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (["claude", "-p", "hi"], "claude"),
        (["/opt/bin/claude"], "claude"),
        (["/usr/bin/node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "--resume"], "claude"),
        (["node", "--no-warnings", "/usr/local/bin/gemini"], "gemini"),
        (["/bin/sh", "/usr/local/bin/claude"], "claude"),
        (["/x/.venv/bin/python", "-m", "pytest", "-q"], "pytest"),
        (["python3", "/home/me/eval/realtalk.py"], "realtalk.py"),
        (["-bash"], ""),
        (["vim", "claude"], "vim"),
        ([], ""),
    ],
)
def test_what_a_command_line_runs(argv: list[str], name: str) -> None:
    assert program(argv) == name


def chain(monkeypatch: pytest.MonkeyPatch, *above: list[str]) -> bool:
    monkeypatch.setattr(speaker, "processes_above", lambda pid: enumerate(above))
    return has_agent_above(1234)


def test_an_agent_is_looked_for_among_all_ancestors_up_to_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chain(monkeypatch, ["bash"], ["env"], ["claude"], ["zsh"])
    assert not chain(monkeypatch, ["bash"], ["tmux"], ["sshd"])
    assert not chain(monkeypatch, ["bash"], ["python", "-m", "pytest"], ["claude"])


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_what_the_client_gave_counts_and_not_what_an_agent_sets(tmp_path: Path) -> None:
    """A shell under the name of an agent starts one of its session, which names another session and another home."""
    code = (
        "import os; from nous.kernel.speaker import *; e = client_environment()\n"
        "print(*(program(a) for _, a in processes_above(os.getppid())), sep=chr(10))\n"
        "print(e[SESSION], e['HOME'], e['KEPT'])"
    )
    told = f"CLAUDE_CODE_SESSION_ID=clean HOME=/forged KEPT=yes '{sys.executable}' -c \"$CODE\"; :"
    script = tmp_path / "claude"
    script.write_text('#!/bin/sh\nCLAUDE_CODE_SESSION_ID=mine HOME=/home sh -c "$TOLD"\n:\n')
    script.chmod(0o755)
    environ = {"PATH": os.environ["PATH"], "CODE": code, "TOLD": told, "CLAUDE_CODE_SESSION_ID": "outer"}
    environ["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p.endswith("src"))
    done = subprocess.run([str(script)], capture_output=True, text=True, env=environ, check=True)
    *above, given = done.stdout.splitlines()
    assert above[1] == "claude" and "pytest" in above
    assert given == "mine /home yes"


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize(
    ("marks", "kind"), [({}, "person"), ({"GEMINI_CLI": "1"}, "agent"), ({"AI_AGENT": ""}, "person")]
)
def test_whoever_is_at_the_other_end_is_known_by_its_process(marks: dict[str, str], kind: str) -> None:
    here, there = socket.socketpair()
    with here, there:
        assert process_at_socket(here) == os.getpid()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code = f"import socket, sys; s = socket.create_connection(('127.0.0.1', {port})); s.recv(1)"
        with subprocess.Popen([sys.executable, "-c", code], env={"PATH": os.environ["PATH"], **marks}) as asking:
            link, client = listener.accept()
            with link:
                assert process_at_port(client[1], port) == asking.pid
                assert speaker_of_peer(client, ("127.0.0.1", port)).kind == kind
                assert speaker_of_peer(("process", asking.pid), ("/run/nous.sock", None)).kind == kind
    assert speaker_of_peer(None, None) == speaker_of_peer(("127.0.0.1", 1), ("127.0.0.1", 2)) == PERSON


def test_a_token_is_a_device_when_it_can_only_sync() -> None:
    assert speaker_of_bearer(OWNER) == PERSON
    for role, kind in (("device", "device"), ("member", "token"), ("admin", "token")):
        bearer = Bearer("ann", frozenset(ROLES[role]), token_id="1")  # type: ignore[index]
        assert speaker_of_bearer(bearer).kind == kind
