"""The daemon's application: health on the Unix socket, everything else on both doors. Hooks never come this far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI

from nous import __version__
from nous.shells.web.guard import Guard
from nous.shells.web.openapi import finished
from nous.shells.web.server import Server


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


def with_health(app: FastAPI, health: Callable[[], dict[str, Any]]) -> FastAPI:
    """The application that also tells how the daemon is."""

    @app.get("/health", include_in_schema=False)
    def report() -> dict[str, Any]:
        return {"version": __version__} | health()

    return app


def guarded(app: FastAPI, server: Server) -> Guard:
    """The application behind its guard."""
    names = server.lender.settings.http_hosts.lower().replace(",", " ").split()
    return Guard(app, server.keys, names=frozenset(names))
