"""nous cost and nous read: what was asked, what is left, and the switch."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from factories import Home
from nous.app import system_clock
from shells.test_bad_input import is_one_sentence, transcript
from shells.test_bad_input import record as told

RULE = "in this repo dependencies are always added with `uv add`, never with pip install"
STORY = (
    "The invoices looked odd on Monday; the billing worker had kept its old schema until Ana came and did a restart."
)
FINDING = {
    "text": "The billing worker keeps the old schema until somebody restarts it.",
    "type": "gotcha",
    "by": "user",
    "evidence": ["T2"],
}


@pytest.fixture
def endpoint() -> Iterator[tuple[str, list[Any]]]:
    """A chat endpoint on the loopback that always finds the same, and what it was sent."""
    sent: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            sent.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            message = {"content": json.dumps({"memories": [FINDING]})}
            usage = {"prompt_tokens": 1200, "completion_tokens": 80}
            body = json.dumps({"model": "tiny", "choices": [{"message": message}], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", sent
    server.shutdown()
    server.server_close()
    thread.join(5)


def record(text: str) -> bytes:
    """A prompt of just now: old sessions are read only on demand."""
    return told(text, timestamp=system_clock())


def ask(home: Home, *words: str) -> Any:
    done = home.nous(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def choose(home: Home, url: str, **settings: str) -> None:
    chosen = {"NOUS_LLM_PROVIDER": "openai", "NOUS_LLM_MODEL": "tiny", "NOUS_LLM_BASE_URL": url}
    home.environ.update(chosen | {f"NOUS_{name.upper()}": value for name, value in settings.items()})


def test_without_a_choice_nothing_is_asked_and_nothing_costs(home: Home) -> None:
    transcript(home, record(RULE))
    ask(home, "backfill")
    said = ask(home, "cost")
    assert (said["provider"], said["state"], said["month"]["calls"]) == ("none", "no model is chosen", 0)
    assert is_one_sentence(home.nous("read"))


def test_a_chosen_model_reads_once_and_the_ledger_says_so(home: Home, endpoint: tuple[str, list[Any]]) -> None:
    url, sent = endpoint
    choose(home, url, llm_input_usd="1", llm_output_usd="5")
    transcript(home, record(RULE) + record(STORY))
    ask(home, "backfill")
    assert ask(home, "read", "--all-projects")["calls"] == 0, "the session may still be going on"
    first = ask(home, "read", "--all-projects", "--now")
    assert (first["calls"], first["learned"], first["failed"]) == (1, 1, 0)
    assert ask(home, "read", "--all-projects", "--now")["calls"] == 0
    assert len(sent) == 1

    said = ask(home, "cost", "--calls", "5")
    assert said["state"] == "ready"
    assert said["today"] == {"calls": 1, "input_tokens": 1200, "output_tokens": 80, "usd": 0.0016}
    assert said["remaining"] == {"tokens": 150_000 - 1280, "usd": 0.1484}
    [row] = said["by_model"]
    assert (row["provider"], row["model"], row["learned"]) == ("openai", "tiny", 1)
    assert row["version"].startswith("read@")
    assert [call["status"] for call in said["calls"]] == ["answered"]

    memories = ask(home, "list", "--all-projects")["memories"]
    told = [each["extractor"] for each in memories if "billing worker" in each["content"]]
    assert any(extractor.endswith("/openai:tiny") for extractor in told)


def test_the_switch_stops_and_allows(home: Home, endpoint: tuple[str, list[Any]]) -> None:
    url, sent = endpoint
    choose(home, url)
    transcript(home, record(RULE))
    ask(home, "backfill")
    assert "switched off" in ask(home, "cost", "--off")["state"]
    assert "switched off" in ask(home, "read", "--all-projects", "--now")["stopped"]
    assert sent == []
    assert ask(home, "cost", "--on")["state"] == "ready"
    assert ask(home, "read", "--all-projects", "--now")["calls"] == 1


def test_lines_for_a_person(home: Home) -> None:
    done = home.nous("cost", NOUS_LLM_PROVIDER="claude", NOUS_LLM_MODEL="haiku")
    assert done.stdout.splitlines() == [
        "model      claude (haiku): ready",
        "today      0 calls, 0 tokens in, 0 out, $0.0000",
        "30 days    0 calls, 0 tokens in, 0 out, $0.0000",
        "left today 150,000 of 150,000 tokens, $0.1500 of $0.15 (until midnight UTC)",
    ]


@pytest.mark.parametrize(
    "environ",
    [
        {"NOUS_LLM_PROVIDER": "oracle"},
        {"NOUS_LLM_PROVIDER": "anthropic"},
        {"NOUS_LLM_PROVIDER": "claude", "NOUS_LLM_COMMAND": "no-such-client"},
        {"NOUS_DAILY_USD": "-1"},
    ],
)
def test_a_choice_that_cannot_work_is_one_sentence(home: Home, environ: dict[str, str]) -> None:
    home.environ |= environ
    assert is_one_sentence(home.nous("read"))
