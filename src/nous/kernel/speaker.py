"""Who speaks to Nous: worked out once per command, tool call or request, and handed to the gate.

A command that runs inside an agent's session is the agent's word, whoever's account it runs under. The client says so
in the environment of everything it starts; where a shell dropped those variables, the agent is still among the
ancestors of the process. A program that wants to can evade both: SECURITY.md says what is promised.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from nous.kernel.access import OWNER, Bearer, Right
from nous.kernel.processes import process_at_port, processes_above, variables_of

SpeakerKind = Literal["person", "agent", "device", "token", "daemon"]

# What clients set in the shells they start, as their own documentation says. Variables that an editor also sets in the
# terminals of its user are not among them.
AGENT_VARIABLES = (
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_PID",
    "AI_AGENT",
    "AUGMENT_AGENT",
    "CLINE_ACTIVE",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "OPENCODE",
    "QWEN_CODE",
)
SESSION = "CLAUDE_CODE_SESSION_ID"
CLIENT_VARIABLES = (SESSION, "CLAUDE_CONFIG_DIR", "HOME")  # whose session it is, and where its transcript lies
AGENT_PROGRAMS = frozenset({"aider", "claude", "codex", "cursor-agent", "gemini", "opencode", "qwen"})
INTERPRETERS = ("node", "bun", "deno", "python", "bash", "dash", "sh", "zsh")
TEST_RUNNER = "pytest"  # whoever starts the tests, it is the tests that speak


class Speaker(msgspec.Struct, frozen=True):
    """Who speaks. `place` is the directory an agent works in; `bearer` has the rights of whoever asks with a token."""

    kind: SpeakerKind
    bearer: Bearer = OWNER
    place: str = ""

    def may(self, right: Right) -> bool:
        """Whether it has a right."""
        return self.bearer.may(right)


PERSON, DAEMON = Speaker("person"), Speaker("daemon")


def speaker_of_process(environ: Mapping[str, str], place: str) -> Speaker:
    """The agent where a mark of one is found, else the person at the terminal."""
    is_agent = any(environ.get(name) for name in AGENT_VARIABLES) or has_agent_above(os.getppid())
    return Speaker("agent", place=place) if is_agent else PERSON


def speaker_of_peer(client: tuple[str, int] | None, server: tuple[str, int | None] | None) -> Speaker:
    """Who asks with the token of this machine, or over its socket: the agent where the asking process is one's.

    Over the socket the client is named by its process, else by its port; a process that is not found is a person.
    """
    port = server[1] if server else None
    pid = 0 if client is None else client[1] if port is None else process_at_port(client[1], port)
    is_agent = bool(pid) and (not variables_of(pid).keys().isdisjoint(AGENT_VARIABLES) or has_agent_above(pid))
    return Speaker("agent") if is_agent else PERSON


def speaker_of_bearer(bearer: Bearer) -> Speaker:
    """The owner of this machine as a person, a token that can only sync as a device, any other as a token."""
    if not bearer.token_id:
        return PERSON
    return Speaker("device" if bearer.rights == {"sync"} else "token", bearer)


def has_agent_above(pid: int) -> bool:
    """Whether a process or one of its ancestors is an agent's program; the look ends at a test runner."""
    for _, argv in processes_above(pid):
        name = program(argv)
        if name == TEST_RUNNER:
            return False
        if name in AGENT_PROGRAMS:
            return True
    return False


def client_environment() -> dict[str, str]:
    """The environment of this process, in which the client's own variables are what the client gave.

    An agent may set others for a command that it runs. So they are taken from the ancestor that the client started.
    """
    given = environ = dict(os.environ)
    for pid, argv in processes_above(os.getppid()):
        if (name := program(argv)) == TEST_RUNNER:
            return environ
        if name in AGENT_PROGRAMS:
            break
        above = variables_of(pid)
        given = above if SESSION in above else given
    return environ | {name: given[name] for name in CLIENT_VARIABLES if name in given}


def program(argv: Sequence[str]) -> str:
    """What a command line runs: `/usr/bin/node /x/claude-code/cli.js` and `claude -p` are both `claude`."""
    words = [word for word in argv[:4] if word and not word.startswith("-")]
    if not words:
        return ""
    name = os.path.basename(words[0])
    if not name.startswith(INTERPRETERS) or len(words) == 1:
        return name
    script = words[1]
    return "claude" if "/claude-code/" in script else os.path.basename(script).removesuffix(".js")
