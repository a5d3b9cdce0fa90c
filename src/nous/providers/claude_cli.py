"""The user's own `claude` command as a model: one request, nothing of the user's around it, nothing left behind.

`--safe-mode` keeps hooks, plugins and MCP servers out, `--no-session-persistence` leaves no transcript, the working
directory is empty and our own. `NOUS_WORKER` silences our hooks even if they ran.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from typing import Any

from nous.errors import BadOutput, ConfigError, ProviderError
from nous.providers.llm import Choice, Completion, Declined, LoggedOut, Refused, TryLater, count, estimate

DEFAULT_MODEL = "haiku"
# What a session of the client hands down to its children; a worker is nobody's child.
INHERITED = frozenset(
    {
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_ENV_FILE",
        "CLAUDE_PID",
        "CLAUDE_PLUGIN_DATA",
        "CLAUDE_PLUGIN_ROOT",
        "CLAUDE_PROJECT_DIR",
    }
)
# How the client says that it does not know who asks.
_LOGGED_OUT = re.compile(
    r"(?i)/login\b|not logged in|invalid api key|oauth (?:token|authentication)|authentication_error"
)


class ClaudeCli:
    """`claude --print`, isolated. Pays with the user's subscription or whatever the client is logged in with."""

    provider = "claude"
    local = False

    def __init__(self, command: str, model: str, folder: str, environ: Mapping[str, str], timeout: float):
        self.command = command
        self.model = model
        self.folder = folder
        self.environ = worker_environment(environ)
        self.timeout = timeout

    def complete(self, prompt: str, system: str, schema: dict[str, Any], max_tokens: int) -> Completion:
        """What the model handed to the client's structured output, else its words."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="call-", dir=self.folder) as empty:
            environ = {**self.environ, "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(max_tokens)}
            out, err, status = _run(self._order(system, schema), prompt, empty, environ, self.timeout)
        return self._read_output(out, err, status, prompt + system)

    def _order(self, system: str, schema: dict[str, Any]) -> list[str]:
        form = ["--output-format", "json", "--json-schema", json.dumps(schema)]
        isolated = ["--tools", "", "--safe-mode", "--no-session-persistence"]
        return [self.command, "-p", *form, "--model", self.model, "--system-prompt", system, *isolated]

    def _read_output(self, out: str, err: str, status: int, sent: str) -> Completion:
        said = _result(out)
        if said is None:
            raise _failure(err or out, status)
        if said.get("is_error") or status != 0:
            raise _failure(str(said.get("result") or said.get("subtype") or err), status, said)
        if said.get("stop_reason") == "refusal":
            raise Refused("the model declined to answer")
        text = str(said.get("result") or "")
        # Exit 0 does not mean that there is structured output: a model that never calls the tool leaves words only.
        structured = said.get("structured_output")
        if structured is None and not text.strip():
            raise BadOutput("the answer is empty")
        usage = said.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        price = said.get("total_cost_usd")
        return Completion(
            text=text,
            structured=structured,
            input_tokens=sum(count(usage.get(name)) for name in names) or estimate(sent),
            output_tokens=count(usage.get("output_tokens")) or estimate(text),
            model=_model(said.get("modelUsage")) or self.model,
            usd=float(price) if isinstance(price, int | float) else None,
        )


def worker_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a worker: the user's, without what a session hands down, marked as ours."""
    kept = {name: value for name, value in environ.items() if name not in INHERITED}
    ours = {"NOUS_WORKER": "1", "CLAUDE_CODE_MAX_RETRIES": "0", "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}
    return {**kept, **ours}


def _run(order: list[str], prompt: str, cwd: str, environ: dict[str, str], timeout: float) -> tuple[str, str, int]:
    """Output, complaints and status of a process; when its time is up, it ends with everything it started."""
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            order, stdin=pipe, stdout=pipe, stderr=pipe, cwd=cwd, env=environ, text=True, start_new_session=True
        )
    except OSError as problem:
        raise ConfigError(f"cannot run {order[0]}: {problem.strerror}", hint="set llm_command to its path") from None
    with process:
        try:
            out, err = process.communicate(prompt, timeout)
        except subprocess.TimeoutExpired:
            raise ProviderError(f"no answer within {timeout:.0f} seconds") from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    return out, err, process.returncode


def _result(out: str) -> dict[str, Any] | None:
    """The result the client prints: one object, or the last of a list."""
    try:
        said = json.loads(out)
    except ValueError:
        return None
    if isinstance(said, list):
        said = next((one for one in reversed(said) if isinstance(one, dict) and one.get("type") == "result"), None)
    return said if isinstance(said, dict) else None


def _failure(said: str, status: int, result: Mapping[str, Any] | None = None) -> ProviderError:
    sentence = " ".join(said.split())[:200] or "it said nothing"
    code = result.get("api_error_status") if result else None
    if result and result.get("subtype") == "error_max_structured_output_retries":
        return BadOutput("the model did not give the form that was asked for")
    if code in (429, 529) or "rate limit" in sentence.lower() or "usage limit" in sentence.lower():
        return TryLater(f"claude: {sentence}", 900.0)
    if code in (401, 403) or _LOGGED_OUT.search(sentence):
        return LoggedOut(f"claude is not logged in: {sentence}", 401, hint="run `claude` and log in")
    if isinstance(code, int) and 400 <= code < 500:
        return Declined(f"claude ended with status {status}: {sentence}", code)
    return ProviderError(f"claude ended with status {status}: {sentence}")


def _model(usage: object) -> str:
    """The model that did the work, as the client names it."""
    return next(iter(usage), "") if isinstance(usage, dict) else ""


def open_claude(choice: Choice, environ: Mapping[str, str]) -> ClaudeCli:
    """The `claude` that is on the path, or the one the settings name."""
    command = shutil.which(choice.command, path=environ.get("PATH"))
    if command is None:
        raise ConfigError(f"there is no command {choice.command!r}", hint="set llm_command to the path of claude")
    folder = os.path.join(choice.data_dir, "worker")
    return ClaudeCli(os.path.abspath(command), choice.model or DEFAULT_MODEL, folder, environ, choice.timeout)
