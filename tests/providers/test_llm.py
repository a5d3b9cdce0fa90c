"""Model providers against a server on the loopback interface that says what a test wants it to say."""

from __future__ import annotations

import json
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from nous.errors import BadOutput, ConfigError, ProviderError
from nous.providers import llm
from nous.providers.claude_cli import worker_environment
from nous.providers.llm import (
    UNKNOWN,
    Choice,
    Completion,
    CutOff,
    Llm,
    LoggedOut,
    Price,
    Refused,
    TryLater,
    Unreachable,
    cost,
    estimate,
    open_llm,
    price_of,
)

SCHEMA = {"type": "object", "properties": {"learnings": {"type": "array"}}}
FOUND: dict[str, Any] = {"learnings": [{"content": "Use pnpm."}]}


class Reply(NamedTuple):
    """One answer of the server."""

    body: Any = None
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    wait: float = 0.0
    break_off: bool = False


class Server:
    """Answers from a script and keeps what it was sent."""

    def __init__(self) -> None:
        self.script: list[Reply] = []
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), handler(self))
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"


def handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            server.requests.append((self.path, headers, json.loads(raw)))
            reply = server.script.pop(0)
            time.sleep(reply.wait)
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            try:
                self.send_response(reply.status)
                for name, value in reply.headers:
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body) + (100 if reply.break_off else 0)))
                self.end_headers()
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                pass

    return Handler


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield made
    made.http.shutdown()
    made.http.server_close()
    thread.join(5)


@pytest.fixture(autouse=True)
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Waiting between tries is noted, not done."""
    taken: list[float] = []
    monkeypatch.setattr(llm.post, "__defaults__", (taken.append,))
    return taken


def choice(provider: str, url: str = "", **fields: Any) -> Choice:
    given: dict[str, Any] = {"model": "haiku", "command": "claude", "timeout": 5.0, "data_dir": "/nowhere"} | fields
    return Choice(provider=provider, base_url=url, **given)


KEYS = {"ANTHROPIC_API_KEY": "key-a", "OPENAI_API_KEY": "key-o"}


def opened(provider: str, server: Server, **fields: Any) -> Llm:
    found = open_llm(choice(provider, server.url, **fields), KEYS)
    assert found is not None
    return found


def ask(model: Llm) -> Completion:
    return model.complete("the prompt", "the system", SCHEMA, 500)


def tool_use(**fields: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "name": "record_learnings", "input": FOUND}
    usage = {"input_tokens": 100, "cache_read_input_tokens": 20, "output_tokens": 7}
    return {"model": "claude-haiku-4-5-1", "content": [block], "stop_reason": "tool_use", "usage": usage} | fields


def completion(content: Any = None, **fields: Any) -> dict[str, Any]:
    first = {
        "message": {"content": json.dumps(FOUND) if content is None else content},
        "finish_reason": "stop",
    } | fields
    return {"model": "m", "choices": [first], "usage": {"prompt_tokens": 100, "completion_tokens": 7}}


GOOD: dict[str, Callable[[], Any]] = {"anthropic": tool_use, "openai": completion}
BOTH = pytest.mark.parametrize("provider", sorted(GOOD))


# -- both over HTTP -------------------------------------------------------------------------------------------------


def test_anthropic_is_asked_by_one_forced_tool_call(server: Server) -> None:
    server.script = [Reply(tool_use())]
    answer = ask(opened("anthropic", server))
    assert (answer.structured, answer.input_tokens, answer.output_tokens) == (FOUND, 120, 7)
    assert answer.model == "claude-haiku-4-5-1"
    [(path, headers, body)] = server.requests
    assert (path, headers["x-api-key"], headers["anthropic-version"]) == ("/v1/messages", "key-a", "2023-06-01")
    assert body["tool_choice"] == {"type": "tool", "name": body["tools"][0]["name"]}
    assert body["tools"][0]["input_schema"] == SCHEMA
    [task] = body["system"]
    assert (task["text"], task["cache_control"], body["max_tokens"]) == ("the system", {"type": "ephemeral"}, 500)
    assert body["messages"] == [{"role": "user", "content": "the prompt"}]


def test_an_openai_endpoint_is_asked_for_json_by_schema(server: Server) -> None:
    server.script = [Reply(completion())]
    answer = ask(opened("openai", server))
    assert (json.loads(answer.text), answer.input_tokens, answer.output_tokens) == (FOUND, 100, 7)
    [(path, headers, body)] = server.requests
    assert (path, headers["authorization"]) == ("/chat/completions", "Bearer key-o")
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert body["max_tokens"] == 500
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_a_server_that_knows_no_schemas_is_asked_more_simply_and_only_once(server: Server) -> None:
    refusal = Reply({"error": {"message": "response_format is not supported"}}, 400)
    server.script = [refusal, refusal, Reply(completion()), Reply(completion())]
    model = opened("openai", server)
    assert json.loads(ask(model).text) == FOUND
    ask(model)
    forms = [body.get("response_format", {}).get("type") for _, _, body in server.requests]
    assert forms == ["json_schema", "json_object", None, None]


@BOTH
@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_busy_server_is_asked_again(server: Server, naps: list[float], provider: str, status: int) -> None:
    server.script = [Reply({}, status), Reply({}, status), Reply(GOOD[provider]())]
    ask(opened(provider, server))
    assert len(server.requests) == 3
    assert 0.5 < naps[0] < naps[1] < 5


@BOTH
def test_the_server_says_how_long_to_wait(server: Server, naps: list[float], provider: str) -> None:
    server.script = [Reply({}, 429, (("retry-after", "3"),)), Reply(GOOD[provider]())]
    ask(opened(provider, server))
    assert naps == [3.0]


@BOTH
def test_a_long_wait_is_left_to_the_caller(server: Server, naps: list[float], provider: str) -> None:
    server.script = [Reply({"error": {"message": "slow down"}}, 429, (("retry-after", "600"),))]
    with pytest.raises(TryLater, match="429: slow down") as busy:
        ask(opened(provider, server))
    assert (busy.value.retry_after, naps, len(server.requests)) == (600.0, [], 1)


@BOTH
def test_a_server_that_stays_busy_is_left_alone_after_three_tries(server: Server, provider: str) -> None:
    server.script = [Reply({}, 529)] * 3
    with pytest.raises(TryLater):
        ask(opened(provider, server))
    assert len(server.requests) == 3


@BOTH
@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_of_the_server_is_one_sentence_and_not_repeated(server: Server, provider: str, status: int) -> None:
    server.script = [Reply({"error": {"message": "no such\nthing"}}, status)]
    with pytest.raises(ProviderError, match=f"the provider answered {status}: no such thing") as refused:
        ask(opened(provider, server))
    assert not isinstance(refused.value, TryLater)
    assert "key" not in str(refused.value)


@BOTH
def test_a_slow_server_is_not_waited_for_and_not_asked_again(server: Server, provider: str) -> None:
    server.script = [Reply(GOOD[provider](), wait=0.5)]
    with pytest.raises(ProviderError, match="no answer within"):
        ask(opened(provider, server, timeout=0.1))
    assert len(server.requests) == 1, "it may have been answered, and paid for"


@BOTH
def test_an_answer_that_is_cut_by_the_network_is_an_error(server: Server, provider: str) -> None:
    server.script = [Reply(json.dumps(GOOD[provider]()).encode()[:40], break_off=True)]
    with pytest.raises(ProviderError, match="not JSON"):
        ask(opened(provider, server))


@BOTH
@pytest.mark.parametrize(
    "body", [b"<html>gateway</html>", b"", [1], {}, {"content": 7}, {"choices": []}, {"choices": [3]}]
)
def test_an_answer_of_another_kind_is_bad_output(server: Server, provider: str, body: Any) -> None:
    server.script = [Reply(body)]
    with pytest.raises(BadOutput):
        ask(opened(provider, server))


@BOTH
def test_nobody_there_is_told_apart_from_a_failed_answer(server: Server, provider: str) -> None:
    gone = open_llm(choice(provider, "http://127.0.0.1:9"), KEYS)
    assert gone is not None
    with pytest.raises(Unreachable, match=r"cannot reach 127\.0\.0\.1"):
        ask(gone)


@BOTH
def test_a_redirect_does_not_carry_the_key_away(server: Server, provider: str) -> None:
    server.script = [Reply({}, 302, (("location", server.url + "/elsewhere"),))] * 2
    with pytest.raises(ProviderError, match="302"):
        ask(opened(provider, server))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("provider", "body", "expected"),
    [
        ("anthropic", tool_use(stop_reason="refusal", content=[]), Refused),
        ("openai", completion(finish_reason="content_filter"), Refused),
        ("openai", completion(message={"refusal": "I cannot"}), Refused),
        ("anthropic", tool_use(stop_reason="max_tokens"), CutOff),
        ("openai", completion('{"learnings": [{"con', finish_reason="length"), CutOff),
    ],
)
def test_refusals_and_broken_answers_have_their_own_names(
    server: Server, provider: str, body: Any, expected: type[Exception]
) -> None:
    server.script = [Reply(body)]
    with pytest.raises(expected) as stopped:
        ask(opened(provider, server))
    if isinstance(stopped.value, CutOff):
        assert stopped.value.answer.output_tokens == 7


def test_tokens_nobody_counted_are_estimated(server: Server) -> None:
    server.script = [Reply(completion() | {"usage": None})]
    answer = ask(opened("openai", server))
    assert answer.input_tokens == estimate("the promptthe system") > 0
    assert answer.output_tokens > 0


# -- choosing -------------------------------------------------------------------------------------------------------


def test_none_chosen_is_none_opened() -> None:
    assert open_llm(choice("none"), KEYS) is None


@pytest.mark.parametrize(
    ("given", "environ", "words"),
    [
        (choice("oracle"), KEYS, "there is no model provider 'oracle'"),
        (choice("anthropic"), {}, "no ANTHROPIC_API_KEY"),
        (choice("anthropic", "http://models.example.com"), KEYS, "not encrypted"),
        (choice("openai"), {}, "no OPENAI_API_KEY"),
        (choice("openai", model=""), KEYS, "no llm_model is set"),
        (choice("claude", command="no-such-claude"), {"PATH": "/usr/bin"}, "no command 'no-such-claude'"),
    ],
)
def test_a_choice_that_cannot_work_is_one_sentence(given: Choice, environ: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        open_llm(given, environ)


def test_a_key_does_not_travel_unencrypted() -> None:
    model = open_llm(choice("openai", "http://gpu.example.com/v1"), KEYS)
    assert getattr(model, "key", None) == ""


def test_prices() -> None:
    assert cost(Price(1, 5), 12_000, 1_000) == pytest.approx(0.017)
    assert price_of("claude-haiku-4-5") == Price(1.0, 5.0)
    assert price_of("llama3", local=True) == Price(0.0, 0.0)
    assert price_of("brand-new") == UNKNOWN
    assert price_of("brand-new", given=Price(2, 3)) == Price(2, 3)


def test_an_estimate_is_rather_too_high() -> None:
    assert estimate("four words of text") >= 4
    assert estimate("漢字" * 50) >= 100


# -- the command line client ----------------------------------------------------------------------------------------

RESULT: dict[str, Any] = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": json.dumps(FOUND),
    "structured_output": FOUND,
    "total_cost_usd": 0.002,
    "usage": {"input_tokens": 90, "cache_creation_input_tokens": 10, "output_tokens": 5},
    "modelUsage": {"claude-haiku-5-5": {}},
}


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Llm]:
    """A stand-in for the client, written in shell; the model that runs it."""

    def make(body: str, timeout: float = 10.0) -> Llm:
        command = tmp_path / "claude"
        command.write_text(f"#!/bin/sh\n{body}\n")
        command.chmod(command.stat().st_mode | stat.S_IXUSR)
        environ = {"PATH": os.environ["PATH"], "CLAUDECODE": "1", "CLAUDE_CODE_MESSAGING_TOKEN": "t", "HOME": "/h"}
        given = choice("claude", command=str(command), data_dir=str(tmp_path / "data"), timeout=timeout)
        found = open_llm(given, environ)
        assert found is not None
        return found

    return make


def says(result: object, status: int = 0) -> str:
    return f"cat > /dev/null\ncat <<'END'\n{json.dumps(result)}\nEND\nexit {status}"


def test_the_client_is_run_isolated_in_an_empty_directory(script: Callable[[str], Llm], tmp_path: Path) -> None:
    note = tmp_path / "note"
    model = script(f'{{ printf "%s\\n" "$@"; pwd; ls -A; cat; env; }} > {note}\n' + says(RESULT))
    answer = ask(model)
    assert (answer.structured, answer.input_tokens, answer.output_tokens) == (FOUND, 100, 5)
    assert (answer.usd, answer.model) == (0.002, "claude-haiku-5-5")
    said = note.read_text()
    lines = said.splitlines()
    assert lines[:3] == ["-p", "--output-format", "json"]
    assert lines[lines.index("--tools") + 1] == ""
    assert {"--safe-mode", "--no-session-persistence", "--json-schema", "haiku"} <= set(lines)
    assert str(tmp_path / "data" / "worker") in said and "the prompt" in said
    assert {"NOUS_WORKER=1", "CLAUDE_CODE_MAX_RETRIES=0"} <= set(lines)
    assert "CLAUDECODE=" not in said and "MESSAGING_TOKEN" not in said
    assert os.listdir(tmp_path / "data" / "worker") == [], "nothing stays behind"


def test_success_without_structured_output_still_has_its_words(script: Callable[[str], Llm]) -> None:
    plain = {name: value for name, value in RESULT.items() if name != "structured_output"}
    answer = ask(script(says(plain)))
    assert answer.structured is None
    assert json.loads(answer.text) == FOUND


@pytest.mark.parametrize(
    ("body", "expected", "words"),
    [
        (says(RESULT | {"structured_output": None, "result": ""}), BadOutput, "empty"),
        (
            says({"type": "result", "subtype": "error_max_structured_output_retries", "is_error": True}, 1),
            BadOutput,
            "form",
        ),
        (says(RESULT | {"is_error": True, "api_error_status": 429, "result": "busy"}, 1), TryLater, "busy"),
        (says(RESULT | {"is_error": True, "result": "Claude usage limit reached"}, 1), TryLater, "usage limit"),
        (
            says(RESULT | {"is_error": True, "result": "Invalid API key"}, 1),
            LoggedOut,
            "not logged in: Invalid API key",
        ),
        (says(RESULT | {"is_error": True, "api_error_status": 403, "result": "no"}, 1), LoggedOut, "not logged in: no"),
        (says(RESULT | {"stop_reason": "refusal"}), Refused, "declined"),
        ("echo 'Please run /login' >&2; exit 3", LoggedOut, "Please run /login"),
        ("echo 'out of memory' >&2; exit 3", ProviderError, "status 3: out of memory"),
        ("exit 0", ProviderError, "it said nothing"),
        ("sleep 60 & sleep 60", ProviderError, "no answer within"),
    ],
)
def test_what_goes_wrong_with_the_client_is_one_sentence(
    script: Callable[..., Llm], body: str, expected: type[Exception], words: str
) -> None:
    with pytest.raises(expected, match=words):
        ask(script(body, timeout=0.3 if "sleep" in body else 10.0))


def test_a_prompt_that_the_client_never_reads_does_no_harm(script: Callable[[str], Llm]) -> None:
    model = script("exec < /dev/null; sleep 0.2; " + says(RESULT))
    assert model.complete("x" * 500_000, "s", SCHEMA, 500).structured == FOUND


def test_a_worker_is_nobodys_child() -> None:
    kept = worker_environment({"CLAUDE_CODE_SESSION_ID": "s", "CLAUDE_CODE_OAUTH_TOKEN": "o", "HOME": "/h"})
    assert "CLAUDE_CODE_SESSION_ID" not in kept
    assert kept["CLAUDE_CODE_OAUTH_TOKEN"] == "o", "what the client logs in with stays"
