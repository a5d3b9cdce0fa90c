"""A stand-in for the Messages API: answers from a script, and remembers every request it was sent.

It runs in threads of the test process and listens on 127.0.0.1 only. `Stub.script` holds the replies still to come;
when it is empty, or when the request is one of the client's side errands (a title, a summary: they offer no tools), the
answer is the word "Done.".
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from types import TracebackType
from typing import Any, Self

import msgspec

SUMMARY_SECONDS = 2.0  # a real model takes longer, and the daemon hears meanwhile that the context is cut


class Reply(msgspec.Struct, frozen=True):
    """One scripted turn of the model: words, or the call of one tool, or both."""

    text: str = ""
    tool: str | None = None
    arguments: dict[str, Any] = {}


class Request(msgspec.Struct, frozen=True):
    """One request as it arrived."""

    session: str
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """Everything the model would read: system prompt and messages of every role, whatever their form."""
        return "\n".join(strings([self.body.get("system"), self.body.get("messages")]))

    @property
    def is_errand(self) -> bool:
        """Whether the client asks on its own behalf and not for the user's turn."""
        return not self.body.get("tools")

    @property
    def is_compaction(self) -> bool:
        """Whether the client asks for the summary that takes the place of what was said."""
        return any("detailed summary of" in said for said in strings(self.body.get("messages", [])[-1:]))


def strings(value: object) -> Iterator[str]:
    """Every string inside a JSON value, in order; this is why both forms of injected text are found."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


class Stub:
    """The server, to be used in a `with` statement."""

    def __init__(self, script: Iterable[Reply] = ()) -> None:
        self.script = list(script)
        self.requests: list[Request] = []
        self.ids = count(1)
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(self))
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """What `ANTHROPIC_BASE_URL` must say."""
        return f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)

    def answer(self, request: Request) -> dict[str, Any]:
        """The message for one request, which is now on record."""
        if request.is_compaction:
            time.sleep(SUMMARY_SECONDS)
        with self.lock:
            self.requests.append(request)
            reply = self.script.pop(0) if self.script and not request.is_errand else Reply("Done.")
            number = next(self.ids)
        return message(reply, number, str(request.body.get("model", "stub")))


def message(reply: Reply, number: int, model: str) -> dict[str, Any]:
    """A whole assistant message in the form the API gives it."""
    content: list[dict[str, Any]] = []
    if reply.text or not reply.tool:
        content.append({"type": "text", "text": reply.text})
    if reply.tool:
        call = {"type": "tool_use", "id": f"toolu_{number:06d}", "name": reply.tool, "input": reply.arguments}
        content.append(call)
    return {
        "id": f"msg_{number:06d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if reply.tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }


def stream(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same message as the events of a streamed answer."""
    yield {"type": "message_start", "message": whole | {"content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        empty: dict[str, Any]
        if block["type"] == "text":
            empty, delta = {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty, delta = {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": block | empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": whole["usage"]}
    yield {"type": "message_stop"}


def handler_of(stub: Stub) -> type[BaseHTTPRequestHandler]:
    """The request handler that answers for one stub."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Small writes must not wait for the peer's delayed acknowledgement: 40 ms on each of them.
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the test's output is the report."""

        def do_GET(self) -> None:
            self.send(404, "application/json", b'{"type":"error","error":{"type":"not_found_error","message":"stub"}}')

        do_HEAD = do_GET

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            path = self.path.partition("?")[0]
            if path == "/v1/messages/count_tokens":
                self.send(200, "application/json", json.dumps({"input_tokens": len(raw) // 4}).encode())
            elif path == "/v1/messages":
                self.send_message(Request(self.headers.get("x-claude-code-session-id", ""), json.loads(raw)))
            else:
                self.do_GET()

        def send_message(self, request: Request) -> None:
            whole = stub.answer(request)
            if not request.body.get("stream"):
                self.send(200, "application/json", json.dumps(whole).encode())
                return
            events = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in stream(whole))
            self.send(200, "text/event-stream", events.encode())

        def send(self, status: int, kind: str, body: bytes) -> None:
            try:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client went away, which a test may well want

    return Handler
