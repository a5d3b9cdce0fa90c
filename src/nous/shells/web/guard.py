"""Who comes in by HTTP: this machine, no other web page, with a token, and with no more than can be taken in.

Requests over the Unix socket pass: only its owner can open it. Everything else is checked before a byte of its body is
read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple

import h11
import msgspec
from starlette.concurrency import run_in_threadpool
from uvicorn.protocols.http.h11_impl import H11Protocol

from nous.kernel.processes import process_at_socket
from nous.shells.web.keys import Keys

AsgiScope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[AsgiScope, Receive, Send], Awaitable[None]]

PANEL = "/panel/"
BEARER = "nous.bearer"  # where a request says who asks
OPEN = frozenset({"/", "/panel", "/favicon.ico", "/v1/auth/exchange", "/v1/auth/whoami", "/v1/health"})
ON_SOCKET_ONLY = ("/hooks/", "/health")
BODY, LARGE_BODY = 1_000_000, 16_000_000
LARGE = frozenset({"/v1/artifacts", "/v1/sync/pull", "/v1/sync/push", "/v1/sync/sweep"})
ARRIVE_SECONDS = 10.0
MOST_CONNECTIONS = 512
HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
STATUSES = {
    "bad_request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "bad_method": 405,
    "too_slow": 408,
    "conflict": 409,
    "too_large": 413,
    "wrong_host": 421,
    "refused": 422,
    "too_many": 429,
    "failed": 500,
    "not_built": 501,
    "unavailable": 503,
}


class TurnedAway(NamedTuple):
    """Why somebody does not come in."""

    code: str
    message: str
    hint: str | None = None
    retry_after: float | None = None


def error_body(code: str, message: str, hint: str | None = None) -> bytes:
    """The one shape of an error."""
    return msgspec.json.encode({"error": {"code": code, "message": message, "hint": hint}})


class Guard:
    """Lets requests through to an application, or says why not."""

    def __init__(
        self,
        app: App,
        keys: Keys,
        arrive_seconds: float = ARRIVE_SECONDS,
        names: frozenset[str] = frozenset(),
    ):
        self.names = names  # under which the server is known beside those of this machine
        self.app = app
        self.keys = keys
        self.arrive_seconds = arrive_seconds

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not is_socket(scope):
            await self._guard(scope, receive, send)
        elif scope["type"] != "websocket":
            await self.app(scope, receive, send)

    async def _guard(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS, *_caching(scope["path"])]
            await send(message)

        body: bytes | TurnedAway | None = self.refusal(scope)
        if body is None and not is_open(scope["path"]):
            body = await self._recognise(scope)
        if body is None:
            body = await self._receive_all(receive, _limit(scope["path"]))
        if isinstance(body, TurnedAway):
            await _refuse(body, sending)
        else:
            await self.app(scope, _handed_on(body, receive), sending)

    async def _receive_all(self, receive: Receive, limit: int) -> bytes | TurnedAway:
        """The whole body, unless it is too large or takes too long."""
        found: bytes = b""
        try:
            async with asyncio.timeout(self.arrive_seconds):
                while True:
                    message = await receive()
                    found += message.get("body", b"")
                    if len(found) > limit:
                        return TurnedAway("too_large", f"the body is larger than {limit} bytes")
                    if not message.get("more_body", False):
                        return found
        except TimeoutError:
            return TurnedAway("too_slow", "the request did not arrive in time")

    def refusal(self, scope: AsgiScope) -> TurnedAway | None:
        """Why a request is not let in, by its head alone."""
        headers = _headers(scope)
        path: str = scope["path"]
        if path.startswith(ON_SOCKET_ONLY):
            return TurnedAway("not_found", f"there is no {path}")
        if refused := _is_foreign(headers, scope["server"][1], self.names):
            return refused
        if _length(headers) > _limit(path):
            return TurnedAway("too_large", f"the body is larger than {_limit(path)} bytes")
        return None

    async def _recognise(self, scope: AsgiScope) -> TurnedAway | None:
        """Note who comes; why not, when it is nobody we know. A token may have to be looked up, so others go on."""
        kind, _, token = _headers(scope).get(b"authorization", b"").decode("latin-1").partition(" ")
        bearer = await run_in_threadpool(self.keys.bearer, token.strip()) if kind.lower() == "bearer" else None
        if bearer is not None:
            scope[BEARER] = bearer
            return None
        if wait := self.keys.failed():
            return TurnedAway("too_many", "too many wrong tokens", "wait a minute", wait)
        hint = (
            "`nous panel` opens the panel; a script reads http.token in the data directory, or has a token of its own"
        )
        return TurnedAway("unauthorized", "a token is needed", hint)


def is_open(path: str) -> bool:
    """Whether a path answers without a token."""
    return path in OPEN or path.startswith(PANEL)


def is_socket(scope: AsgiScope) -> bool:
    """Whether a request came over the Unix socket: that has no port."""
    server = scope.get("server")
    return server is None or server[1] is None


def _headers(scope: AsgiScope) -> dict[bytes, bytes]:
    return dict(scope["headers"])


def _is_foreign(headers: dict[bytes, bytes], port: int, names: frozenset[str]) -> TurnedAway | None:
    """Whether a request was meant for another name, or comes from another web page.

    A name that the settings give may come with any port: something in front of the server may have another one.
    """
    host = headers.get(b"host", b"").decode("latin-1").lower()
    name, _, given = host.rpartition(":")
    is_here = name in HOSTS and given == str(port)
    if not is_here and (name if given.isdigit() else host) not in names:
        return TurnedAway("wrong_host", "this is not the host you asked for", f"ask 127.0.0.1:{port}")
    origin = headers.get(b"origin")
    if origin is not None and origin.decode("latin-1").lower() not in (f"http://{host}", f"https://{host}"):
        return TurnedAway("forbidden", "another web page may not ask")
    if headers.get(b"sec-fetch-site", b"none") not in (b"same-origin", b"none"):
        return TurnedAway("forbidden", "another web page may not ask")
    return None


def _limit(path: str) -> int:
    return LARGE_BODY if path in LARGE else BODY


def _length(headers: dict[bytes, bytes]) -> int:
    given = headers.get(b"content-length", b"0")
    return int(given) if given.isdigit() else 0


def _caching(path: str) -> tuple[tuple[bytes, bytes], ...]:
    """Answers are nobody's to keep; the panel's files are asked about again each time."""
    return () if path.startswith(PANEL) else ((b"cache-control", b"no-store"),)


def _handed_on(body: bytes, receive: Receive) -> Receive:
    """A body that has arrived, for whoever asks; what follows is only whether somebody still listens."""
    waiting = [body]

    async def hand_on() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return hand_on


async def _refuse(refused: TurnedAway, send: Send) -> None:
    body = error_body(refused.code, refused.message, refused.hint)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if refused.retry_after is not None:
        headers.append((b"retry-after", str(int(refused.retry_after) + 1).encode()))
    await send({"type": "http.response.start", "status": STATUSES[refused.code], "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Patience(H11Protocol):
    """A connection that has to send the head of each request within some seconds: nobody holds it for nothing."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.access_log = False  # an address may hold a code
        if pid := process_at_socket(transport.get_extra_info("socket")):
            self.client = ("process", pid)
        if not is_socket({"server": self.server}) and len(self.connections) > MOST_CONNECTIONS:
            transport.close()
            return
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._wait_for_head()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(ARRIVE_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
