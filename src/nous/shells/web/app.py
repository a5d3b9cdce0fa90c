"""The daemon's application: health on the Unix socket, everything else on both doors. Hooks never come this far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from nous import __version__
from nous.shells.web.guard import Guard
from nous.shells.web.server import Server


def create_app(server: Server) -> Starlette:
    """Everything under `/v1`, and the panel."""
    app = Starlette()
    server.attach(app)
    return app


def with_health(app: Starlette, health: Callable[[], dict[str, Any]]) -> Starlette:
    """The application that also tells how the daemon is."""

    def report(request: Request) -> Response:
        return Response(msgspec.json.encode({"version": __version__} | health()), media_type="application/json")

    app.add_route("/health", report, methods=["GET"])
    return app


def guard_app(app: Starlette, server: Server) -> Guard:
    """The application behind its guard."""
    names = server.lender.settings.http_hosts.lower().replace(",", " ").split()
    return Guard(app, server.keys, names=frozenset(names))
