"""The routes as a server: requests become structs, answers become bytes, and mistakes become one shape of error."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as Path

from nous import moments
from nous.app import Nous
from nous.errors import (
    BadEvent,
    Conflict,
    Forbidden,
    Forked,
    Misuse,
    NotBuilt,
    NotFound,
    NousError,
    StoreUnavailable,
)
from nous.features.history import operations as history
from nous.kernel import gate
from nous.kernel.access import OWNER, Bearer, Right
from nous.kernel.operations import in_full
from nous.kernel.sharing import TOKEN_SESSION
from nous.kernel.speaker import Speaker, speaker_of_bearer, speaker_of_peer
from nous.kernel.viewer import OWNER_VIEW, viewer_of_bearer
from nous.kernel.views import Written
from nous.shells.web import files, metrics
from nous.shells.web.audit import Audit
from nous.shells.web.guard import BEARER, STATUSES, error_body, is_socket
from nous.shells.web.keys import Keys
from nous.shells.web.lender import SessionPool
from nous.shells.web.once import Identity, once, work_once
from nous.shells.web.openapi import description
from nous.shells.web.rights import check_write, confine, prune, require
from nous.shells.web.routes import ROUTES, Route

log = logging.getLogger("nous")
T = TypeVar("T")

AT_ONCE = 2  # reads that are worked on at the same time: more only get in each other's way, and in that of hooks
LOOK_SECONDS = 0.7
BEAT_SECONDS = 15.0
LONGEST_STREAM = 3600.0
# These look at every memory. For so many seconds the answer may be older than the last event; a review may not.
COSTLY = {"/v1/status": 5.0, "/v1/review": 0.0}
KEPT_SECONDS, MOST_KEPT = 60.0, 100
KINDS: tuple[tuple[type[NousError], str], ...] = (
    (NotFound, "not_found"),
    (Forbidden, "forbidden"),
    (Forked, "conflict"),
    (Conflict, "conflict"),
    (NotBuilt, "not_built"),
    (Misuse, "bad_request"),
    (BadEvent, "bad_request"),
    (StoreUnavailable, "unavailable"),
)
HTTP_CODES = {status: code for code, status in STATUSES.items()}


class Server:
    """What answers under `/v1`, over whatever door a request came in."""

    def __init__(self, lender: SessionPool, keys: Keys, more: Callable[[], dict[str, Any]] = dict):
        self.lender = lender
        self.keys = keys
        self.more = more
        # Threads of its own and few of them: each keeps what it once took from the system.
        self.threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="http")
        self.began = time.time()
        self.counts: dict[tuple[str, str, int], int] = {}
        self.seconds: dict[tuple[str, str], float] = {}
        self.audit = Audit(lender)
        self._last = (0.0, 0)
        self._costly: dict[bytes, tuple[float, int, Any]] = {}

    def attach(self, app: Starlette) -> None:
        """Put every route on an application."""
        for route in ROUTES:
            _add(app, route.path, self._endpoint(route), route.method)
        for method, path, do, right, _ in self.others():
            _add(app, path, self._require(do, path, right), method)
        app.add_route("/openapi.json", self.describe, methods=["GET"])
        app.add_route("/", files.home, methods=["GET"])
        app.add_route("/panel", files.home, methods=["GET"])
        app.add_route("/panel/{path:path}", self.file, methods=["GET"])
        app.add_exception_handler(HTTPException, self.http_problem)  # type: ignore[arg-type]

    def describe(self, request: Request) -> Response:
        """The OpenAPI description of everything that can be asked."""
        return _json(description(ROUTES, [(method, path, says) for method, path, _, _, says in self.others()]))

    def others(self) -> tuple[tuple[str, str, Callable[..., Any], Right | None, str], ...]:
        """What is asked outside the table, with the right that it needs; None where everybody may."""
        return (
            ("POST", "/v1/auth/codes", self.code, "admin", "A one-time code for a browser"),
            ("POST", "/v1/auth/exchange", self.exchange, None, "A token for a one-time code"),
            ("GET", "/v1/auth/whoami", self.whoami, None, "Whether a token is good"),
            ("GET", "/v1/health", self.health, None, "Whether the server can answer"),
            ("GET", "/metrics", self.metrics, "read", "Figures for Prometheus"),
            ("GET", "/v1/changes", self.changes, "read", "What is being written, live"),
        )

    def _require(self, do: Callable[..., Any], path: str, right: Right | None) -> Callable[[Request], Any]:
        """An endpoint for those who have a right, in every project."""

        async def endpoint(request: Request) -> Response:
            if right is not None:
                try:
                    require(bearer := bearer_of(request), right)
                    if right == "admin":
                        gate.require(await self._beside(speaker_of, request, bearer), "serve")
                    _, projects = confine(None, "everything", None, bearer)
                except Forbidden as problem:
                    return problem_of("forbidden", str(problem), problem.hint)
                await self._beside(self.audit.seen, bearer, projects, path)
            answer: Response = await do(request)
            return answer

        return endpoint

    async def _beside(self, work: Callable[..., T], *given: Any) -> T:
        """What some work gives, done in one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work, *given)

    # the table of routes
    def _endpoint(self, route: Route) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            body = await request.body()
            began = time.perf_counter()
            # Who writes waits for whoever writes already, and must not keep those who read waiting with them.
            run = self._beside if route.operation.access in ("read", "search") else run_in_threadpool
            answer: Response = await run(self.answer, route, request, body)
            self._count(route, answer.status_code, time.perf_counter() - began)
            return answer

        return endpoint

    def _count(self, route: Route, status: int, seconds: float) -> None:
        key = (route.method, route.path, status)
        self.counts[key] = self.counts.get(key, 0) + 1
        self.seconds[key[:2]] = self.seconds.get(key[:2], 0.0) + seconds

    def answer(self, route: Route, request: Request, body: bytes) -> Response:
        """What a request gets, whatever happens."""
        try:
            bearer = bearer_of(request)
            require(bearer, route.operation.needs)
            asked = parse_request(route, request, body)
            data, replayed = self._carry_out(route, asked, identity_of(request, bearer), body, request)
            data = prune(data, bearer)
        except NousError as problem:
            code = next((code for kind, code in KINDS if isinstance(problem, kind)), "refused")
            return problem_of(code, str(problem), problem.hint)
        except Exception as problem:
            log.error("%s %s failed", route.method, route.path, exc_info=problem)
            return problem_of("failed", "something went wrong here", "`nous admin logs` says more")
        headers = {"idempotency-replayed": "true"} if replayed else {}
        return Response(msgspec.json.encode(data), media_type="application/json", headers=headers)

    def _carry_out(self, route: Route, asked: Any, who: Identity, body: bytes, request: Request) -> tuple[Any, bool]:
        bearer = bearer_of(request)
        viewer = viewer_of_bearer(bearer)
        match route.operation.access:
            case "read":
                if route.path in COSTLY:
                    found = self._remember_answer(route, self._hold(route, asked, bearer))
                    return (found | self.more() if route.path == "/v1/status" else found), False
                with self.lender.reader() as nous:
                    return route.operation.call(nous, self._confine(nous, route, asked, bearer), viewer), False
            case "search":
                with self.lender.searcher() as nous:
                    return route.operation.call(nous, self._confine(nous, route, asked, bearer), viewer), False
            case _:
                speaker = speaker_of(request, bearer)
                with self.lender.writer() as nous:
                    held = self._admit(nous, route, asked, speaker)
                    if route.operation.access == "work":
                        return work_once(nous, who, route.path, body, lambda: route.operation.call(nous, held, viewer))
                    told = who.session_id or f"{who.client_id or 'http'}-{nous.session_id}"
                    nous.session_id = f"{TOKEN_SESSION}{nous.author}" if nous.author else told

                    def do() -> Written:
                        done: Written = route.operation.call(nous, held, viewer)
                        return done

                    return once(nous, who, route.path, body, do)

    def _admit(self, nous: Nous, route: Route, asked: Any, speaker: Speaker) -> Any:
        """A request to write as far as whoever asks may go, once it has passed the gate."""
        nous.speaker = speaker
        nous.author = speaker.bearer.name if speaker.bearer.token_id else ""
        held = self._confine(nous, route, asked, speaker.bearer)
        check_write(nous, route.operation.action, held, nous.speaker)
        return held

    def _hold(self, route: Route, asked: Any, bearer: Bearer) -> Any:
        with self.lender.reader() as nous:
            return self._confine(nous, route, asked, bearer)

    def _confine(self, nous: Nous, route: Route, asked: Any, bearer: Bearer) -> Any:
        """A request as far as whoever asks may go; of a token it is kept which projects it asked about."""
        held, projects = confine(nous, route.operation.about, asked, bearer)
        self.audit.seen(bearer, projects, f"{route.method} {route.path}")
        return held

    def _read_input(self, route: Route, asked: Any) -> Any:
        with self.lender.reader() as nous:
            return route.operation.call(
                nous, asked, OWNER_VIEW
            )  # what is kept is for everybody; each gets of it what they see

    def _remember_answer(self, route: Route, asked: Any) -> Any:
        """What takes long to find out is asked again only after something was written, and not at every change."""
        key = route.path.encode() + msgspec.json.encode(asked)
        last, now = self._last_event(), time.monotonic()
        known = self._costly.get(key)
        if known and now - known[0] < (KEPT_SECONDS if known[1] == last else COSTLY[route.path]):
            return known[2]
        found = self._read_input(route, asked)
        if len(self._costly) > MOST_KEPT:
            self._costly.clear()
        self._costly[key] = (now, last, found)
        return found

    # who may ask
    async def code(self, request: Request) -> Response:
        """A code that a browser exchanges for a token, once, within a minute."""
        return _json({"code": self.keys.new_code()})

    async def exchange(self, request: Request) -> Response:
        """A token for a code; a code that was used, or is none, is refused."""
        try:
            code = str(parse_body(await request.body())["code"])
        except (Misuse, KeyError):
            return problem_of("bad_request", 'a body like {"code": "…"} is needed')
        found = self.keys.exchange(code)
        if found is None:
            if self.keys.failed():
                return problem_of("too_many", "too many wrong codes", "wait a minute")
            return problem_of("unauthorized", "this code was used, or is too old", "`nous panel` makes a new one")
        return _json({"token": found[0], "expires_at": _moment(found[1])})

    async def whoami(self, request: Request) -> Response:
        """Whether a token is good, whose it is, and until when. Never an error."""
        token = request.headers.get("authorization", "").partition(" ")[2].strip()
        bearer = OWNER if is_socket(request.scope) else None
        if token and bearer is None:
            bearer = await self._beside(self.keys.bearer, token)
        if bearer is None:
            return _json({"ok": False, "expires_at": None})
        who = {"name": bearer.name, "rights": sorted(bearer.rights), "projects": bearer.projects}
        return _json({"ok": True, "expires_at": _moment(bearer.ends)} | who)

    async def health(self, request: Request) -> Response:
        """Whether the server can answer, for whatever watches over it; nothing else is told."""
        try:
            await run_in_threadpool(self._last_event)  # not behind those who read
        except Exception as problem:
            log.error("the database does not answer", exc_info=problem)
            return problem_of("unavailable", "the database does not answer")
        return _json({"ok": True})

    async def metrics(self, request: Request) -> Response:
        """What is remembered, what waits, how hooks and requests are answered, in the text format of Prometheus."""
        return await self._beside(self._metrics)

    def _metrics(self) -> Response:
        with self.lender.reader() as nous:
            lines = [*metrics.of_process(self.more(), self.began), *metrics.of_memory(nous)]
        lines += metrics.of_requests(self.counts, self.seconds)
        return Response("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4; charset=utf-8")

    # the panel's files
    def file(self, request: Request) -> Response:
        """A file of the panel."""
        path: str = request.path_params["path"]
        packs = "gzip" in request.headers.get("accept-encoding", "")
        found = files.serve(path, request.headers.get("if-none-match"), packs)
        return found or problem_of("not_found", f"there is no file {path[:200]!r} in the panel")

    # live
    async def changes(self, request: Request) -> Response:
        """Say when something was written: as a stream, or once with `wait`."""
        try:
            asked = msgspec.convert(dict(request.query_params), history.Live, strict=False)
        except msgspec.ValidationError as wrong:
            return problem_of("bad_request", str(wrong))
        after = asked.after if asked.after is not None else await self._newest()
        if asked.wait is None:
            headers = {"x-accel-buffering": "no"}
            return StreamingResponse(self._stream(after), media_type="text/event-stream", headers=headers)
        deadline = time.monotonic() + asked.wait
        while await self._newest() <= after and time.monotonic() < deadline:
            await asyncio.sleep(min(LOOK_SECONDS, max(0.0, deadline - time.monotonic())))
        return _json(await self._beside(self._list_changes, after))

    async def _stream(self, after: int) -> AsyncIterator[bytes]:
        began = beat = time.monotonic()
        yield b": hello\n\n"
        while time.monotonic() - began < LONGEST_STREAM:
            if await self._newest() > after:
                said = await self._beside(self._list_changes, after)
                after = said["last_event"]
                yield b"event: change\ndata: " + msgspec.json.encode(said) + b"\n\n"
                beat = time.monotonic()
            elif time.monotonic() - beat > BEAT_SECONDS:
                beat = time.monotonic()
                yield b": still here\n\n"
            await asyncio.sleep(LOOK_SECONDS)

    async def _newest(self) -> int:
        """The last event, asked of the database only as often as somebody listens, however many do."""
        at, last = self._last
        if time.monotonic() - at > LOOK_SECONDS / 2:
            last = await self._beside(self._last_event)
            self._last = (time.monotonic(), last)
        return last

    def _last_event(self) -> int:
        with self.lender.reader() as nous:
            return nous.stores.events.last_id()

    def _list_changes(self, after: int) -> dict[str, Any]:
        with self.lender.reader() as nous:
            return history.list_changes(nous, after)

    def http_problem(self, request: Request, problem: HTTPException) -> Response:
        """What the router itself refuses, in the same shape as everything else."""
        path = request.scope["path"][:200]
        said = {404: f"there is no {path}", 405: f"{path} does not take {request.method}"}
        code = HTTP_CODES.get(problem.status_code, "bad_request")
        return problem_of(code, said.get(problem.status_code, str(problem.detail)), headers=problem.headers)


def _add(app: Starlette, path: str, endpoint: Callable[..., Any], method: str) -> None:
    """Answer a path under one method. Starlette would add HEAD to every GET, a search that nobody reads."""
    route = Path(path, endpoint, methods=[method])
    route.methods = {method}
    app.router.routes.append(route)


def parse_request(route: Route, request: Request, body: bytes) -> Any:
    """What is asked, out of the path and the query or the body."""
    try:
        if route.method == "GET":
            given: dict[str, Any] = dict(request.query_params)
        else:
            given = parse_body(body) if body else {}
        given = route.defaults | in_full(route.operation.takes, given) | request.path_params
        return msgspec.convert(given, route.operation.takes, strict=route.method == "POST")
    except msgspec.ValidationError as wrong:
        raise Misuse(str(wrong)) from None


def parse_body(body: bytes) -> dict[str, Any]:
    """The JSON object that a request brings, whatever somebody sent instead."""
    try:
        given = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Misuse("the body is not JSON") from None
    if not isinstance(given, dict):
        raise Misuse("the body must be a JSON object")
    return given


def bearer_of(request: Request) -> Bearer:
    """Who asks: over the socket the owner, else whoever the guard recognised."""
    if is_socket(request.scope):
        return OWNER
    found: Bearer | None = request.scope.get(BEARER)
    if found is None:
        raise Forbidden("nobody knows who asks")
    return found


def speaker_of(request: Request, bearer: Bearer) -> Speaker:
    """Who speaks: a token for itself, a panel for the person in front of it, a script for whoever started it."""
    if bearer.token_id or bearer.ends != OWNER.ends:
        return speaker_of_bearer(bearer)
    return speaker_of_peer(request.scope.get("client"), request.scope.get("server"))


def identity_of(request: Request, bearer: Bearer = OWNER) -> Identity:
    """Who asks, as the headers say; with a token of its own a client goes by that token's name."""
    names = {
        "client_id": "nous-client",
        "session_id": "nous-session",
        "project_id": "nous-project",
        "source": "nous-source",
        "tenant_id": "nous-tenant",
        "idempotency_key": "idempotency-key",
        "schema_version": "nous-schema-version",
    }
    given = {field: request.headers.get(header, "")[:200] for field, header in names.items()}
    if bearer.token_id:
        given["client_id"] = bearer.name
    return Identity(**{field: value for field, value in given.items() if value})


def problem_of(code: str, message: str, hint: str | None = None, headers: Any = None) -> Response:
    """An error in its one shape."""
    return Response(error_body(code, message, hint), STATUSES[code], headers, media_type="application/json")


def _json(data: Any) -> Response:
    return Response(msgspec.json.encode(data), media_type="application/json")


def _moment(seconds: float | None) -> str | None:
    from datetime import UTC, datetime

    if seconds is None or seconds == float("inf"):
        return None
    return moments.text(datetime.fromtimestamp(seconds, UTC))
