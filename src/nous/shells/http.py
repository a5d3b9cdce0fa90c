"""The daemon's HTTP API, on a Unix socket. Plain functions; the server runs them in threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool

from nous import __version__
from nous.shells import hooks


def create_app(
    find: Callable[[str], str | None], wake: Callable[[str, bytes], None], health: Callable[[], dict[str, Any]]
) -> FastAPI:
    """The API over three things the daemon can do: find a packet, be woken, tell how it is."""
    app = FastAPI(title="Nous", version=__version__, docs_url=None, redoc_url=None)

    @app.post("/hooks/{name}")
    async def hook(name: str, request: Request) -> Response:
        body = await request.body()
        said = await run_in_threadpool(_answer, name, body)
        wake(name, body)
        return Response(said, media_type="application/json") if said else Response(status_code=204)

    def _answer(name: str, body: bytes) -> bytes:
        try:
            return hooks.answer(name, body, find)
        except Exception as problem:
            import os

            hooks.note(os.environ, name, problem)
            return b""

    @app.get("/health")
    def how_are_you() -> dict[str, Any]:
        return {"version": __version__} | health()

    return app
