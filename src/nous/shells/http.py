"""The daemon's HTTP API, on a Unix socket. Plain functions; the server runs them in threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool

from nous import __version__


def create_app(
    respond: Callable[[str, bytes, Mapping[str, str]], bytes],
    wake: Callable[[str, bytes], None],
    health: Callable[[], dict[str, Any]],
) -> FastAPI:
    """The API over three things the daemon can do: answer a hook, be woken, tell how it is."""
    app = FastAPI(title="Nous", version=__version__, docs_url=None, redoc_url=None)

    @app.post("/hooks/{name}")
    async def hook(name: str, request: Request) -> Response:
        body = await request.body()
        said = await run_in_threadpool(respond, name, body, request.headers)
        await run_in_threadpool(wake, name, body)
        return Response(said, media_type="application/json") if said else Response(status_code=204)

    @app.get("/health")
    def how_are_you() -> dict[str, Any]:
        return {"version": __version__} | health()

    return app
