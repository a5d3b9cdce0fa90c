"""The daemon's application: hooks and health on the Unix socket, everything else on both doors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool

from nous import __version__
from nous.shells.web.guard import Guard
from nous.shells.web.openapi import finished
from nous.shells.web.server import Server

Respond = Callable[[str, bytes, Mapping[str, str]], bytes]


def create_app(server: Server) -> FastAPI:
    """Everything under `/v1`, and the panel."""
    app = FastAPI(
        title="Nous",
        version=__version__,
        summary="Long-term memory for coding agents",
        description="docs/reference/http-api.md says the same for people.",
        docs_url=None,
        redoc_url=None,
    )
    server.attach(app)
    describe = app.openapi
    app.openapi = lambda: finished(describe())  # type: ignore[method-assign]
    return app


def with_hooks(
    app: FastAPI, respond: Respond, wake: Callable[[str, bytes], None], health: Callable[[], dict[str, Any]]
) -> FastAPI:
    """The application with what the daemon can do besides: answer a hook, be woken, tell how it is."""

    @app.post("/hooks/{name}", include_in_schema=False)
    async def hook(name: str, request: Request) -> Response:
        body = await request.body()
        said = await run_in_threadpool(respond, name, body, request.headers)
        await run_in_threadpool(wake, name, body)
        return Response(said, media_type="application/json") if said else Response(status_code=204)

    @app.get("/health", include_in_schema=False)
    def report() -> dict[str, Any]:
        return {"version": __version__} | health()

    return app


def guarded(app: FastAPI, server: Server) -> Guard:
    """The application behind its guard."""
    names = server.lender.settings.http_hosts.lower().replace(",", " ").split()
    return Guard(app, server.keys, names=frozenset(names))
