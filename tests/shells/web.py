"""A server in this process for the tests of the HTTP door: real sockets, a real guard, a home that is thrown away."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nous.app import Nous
from nous.config import Settings, load_settings
from nous.shells.web.app import create_app, guard_app
from nous.shells.web.guard import Guard
from nous.shells.web.keys import Keys, machine_token
from nous.shells.web.lender import SessionPool
from nous.shells.web.server import Server
from nous.shells.web.serving import address, listen, make_server, tls


class Answer:
    """What came back."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes):
        self.status = status
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.body = body

    @property
    def data(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of an error."""
        said: str = self.data["error"]["code"]
        return said


class Site:
    """A running server and how to ask it."""

    def __init__(self, settings: Settings, url: str, server: Server, guard: Guard):
        self.guard = guard
        self.settings = settings
        self.url = url
        self.server = server
        self.port = int(url.rpartition(":")[2])
        self.token = machine_token(settings.data_dir)

    def ask(
        self, method: str, path: str, body: Any = None, *, token: str | None = "", headers: Mapping[str, str] = {}
    ) -> Answer:
        """One request on a connection of its own; `token` None sends none, empty the machine's."""
        link = HTTPConnection("127.0.0.1", self.port, timeout=30)
        given = dict(headers)
        if token is not None:
            given.setdefault("Authorization", f"Bearer {token or self.token}")
        try:
            raw = body if isinstance(body, bytes) or body is None else json.dumps(body)
            link.request(method, path, raw, given)
            reply = link.getresponse()
            return Answer(reply.status, dict(reply.getheaders()), reply.read())
        finally:
            link.close()

    def get(self, path: str, **more: Any) -> Answer:
        return self.ask("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> Answer:
        return self.ask("POST", path, {} if body is None else body, **more)

    def good(self, path: str, body: Any = None, **more: Any) -> Any:
        """The data of an answer that must be good."""
        answer = self.get(path, **more) if body is None else self.post(path, body, **more)
        assert answer.status == 200, (path, answer.status, answer.body)
        return answer.data


@contextmanager
def serving(folder: Path, **chosen: Any) -> Iterator[Site]:
    """A server over a fresh memory, on a free port, with settings of its own."""
    environ = {
        "HOME": str(folder),
        "NOUS_DATA_DIR": str(folder / "data"),
        "CLAUDE_CONFIG_DIR": str(folder / ".claude"),
    }
    settings = replace(load_settings(environ), **chosen)
    Nous.open(settings=settings).close()
    lender = SessionPool(settings)
    server = Server(lender, Keys(machine_token(settings.data_dir), known=lender.recognised))
    listener = listen(0)
    app = guard_app(create_app(server), server)
    running = make_server(app, tls(settings))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.005)
    try:
        yield Site(settings, address(listener), server, app)
    finally:
        running.should_exit = True
        thread.join(20)
        listener.close()
        lender.close()
