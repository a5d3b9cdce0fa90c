"""Hooks on the daemon's Unix socket, answered without the layers of a web application: a session waits for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from nous.shells.hooks import MOST_BYTES, note
from nous.shells.web.guard import Patience, is_socket

Respond = Callable[[str, bytes, Mapping[str, str]], bytes]
Wake = Callable[[str, bytes], None]

BEGINS = b"POST /hooks/"
MOST_HEAD = 16_384
THREADS = 16


class HookRequest:
    """The bytes of one request, as far as they have come."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.begin = self.end = -1

    def add(self, data: bytes) -> None:
        """Take in some more bytes."""
        self.data += data
        if self.begin < 0 and (found := self.data.find(b"\r\n\r\n")) >= 0:
            self.begin = found + 4
            length = self.headers().get("content-length", "0")
            self.end = self.begin + (int(length) if length.isdecimal() else 0)

    @property
    def is_whole(self) -> bool:
        return 0 <= self.end <= len(self.data)

    @property
    def is_too_large(self) -> bool:
        return self.end - self.begin > MOST_BYTES or (self.begin < 0 and len(self.data) > MOST_HEAD)

    def headers(self) -> dict[str, str]:
        """The headers, by their names in lower case."""
        lines = self.data[: self.begin].decode("latin-1").split("\r\n")[1:]
        pairs = (line.partition(":") for line in lines if line)
        return {name.strip().lower(): value.strip() for name, _, value in pairs}

    def name(self) -> str:
        """The hook that is asked for."""
        return bytes(self.data[len(BEGINS) :].split(b" ", 1)[0]).decode("latin-1")

    def body(self) -> bytes:
        """The client's payload."""
        return bytes(self.data[self.begin : self.end])


def reply(said: bytes) -> bytes:
    """The answer as HTTP."""
    status = b"200 OK\r\nContent-Type: application/json" if said else b"204 No Content"
    return b"HTTP/1.1 %b\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (status, len(said), said)


def hook_connection(respond: Respond, wake: Wake) -> type[Patience]:
    """Connections that answer hooks on the Unix socket themselves, and hand everything else to the application."""
    threads = ThreadPoolExecutor(THREADS, thread_name_prefix="nous-hook")

    class HookConnection(Patience):
        request: HookRequest | None = None
        is_decided = False

        def data_received(self, data: bytes) -> None:
            if not self.is_decided:
                self.is_decided = True
                if data.startswith(BEGINS) and is_socket({"server": self.server}):
                    self.request = HookRequest()
            if self.request is None:
                super().data_received(data)
                return
            self.request.add(data)
            if self.request.is_too_large:
                self.transport.close()
            elif self.request.is_whole:
                self._stop_waiting()
                threads.submit(self._answer, self.request)

        def _answer(self, request: HookRequest) -> None:
            name, body = request.name(), request.body()
            said = b""
            try:
                said = respond(name, body, request.headers())
                wake(name, body)
            except Exception as problem:  # a session must not wait for an answer that nobody gives
                note(os.environ, name, problem)
            finally:
                self.loop.call_soon_threadsafe(self._send, said)

        def _send(self, said: bytes) -> None:
            if not self.transport.is_closing():
                self.transport.write(reply(said))
                self.transport.close()

    return HookConnection
