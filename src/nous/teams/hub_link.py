"""The way to a hub over HTTP: TLS wherever it leaves this machine, a token, and errors in one sentence."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from nous.errors import ConfigError, Forked, NousError
from nous.providers.remote import LOCAL_HOSTS
from nous.teams.sealing import read_secret

SECONDS = 60.0
LARGEST = 64_000_000


class HubAway(NousError):
    """The hub does not answer."""


class HttpLink:
    """A hub at an address; inside `with` all requests of a round go over one connection."""

    def __init__(self, url: str, token: str, ca_file: str = "", cert_file: str = ""):
        place = urlsplit(url)
        if place.scheme not in ("http", "https") or not place.hostname or place.path.strip("/") or place.query:
            raise ConfigError(f"{url!r} is no address of a hub", hint="say https://hub.example.org")
        if place.scheme == "http" and place.hostname not in LOCAL_HOSTS:
            raise ConfigError("a hub on another machine is asked over https only", hint=f"say https://{place.netloc}")
        self.name = f"{place.scheme}://{place.netloc.rpartition('@')[2]}".lower()
        self._host, self._port = place.hostname, place.port
        self._tls = _context(ca_file, cert_file) if place.scheme == "https" else None
        self._token = token
        self._kept: http.client.HTTPConnection | None = None

    def __enter__(self) -> HttpLink:
        self._kept = self._connect()
        return self

    def __exit__(self, *_: object) -> None:
        if self._kept:
            self._kept.close()
        self._kept = None

    def ask(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        """What the hub answers."""
        headers = {"authorization": f"Bearer {self._token}", "content-type": "application/json"}
        request = (method, path, json.dumps(body).encode(), headers)
        link = self._kept or self._connect()
        try:
            try:
                status, said = _send(link, *request)
            except ConnectionError:  # the hub let go of a connection that was kept for long; it takes nothing in twice
                link.close()
                status, said = _send(link, *request)
        except (OSError, http.client.HTTPException) as problem:
            raise HubAway(f"the hub at {self.name} does not answer: {_why(problem)}") from None
        finally:
            if link is not self._kept:
                link.close()
        return _data(self.name, status, said)

    def _connect(self) -> http.client.HTTPConnection:
        if self._tls is not None:
            return http.client.HTTPSConnection(self._host, self._port, timeout=SECONDS, context=self._tls)
        return http.client.HTTPConnection(self._host, self._port, timeout=SECONDS)


def _send(
    link: http.client.HTTPConnection, method: str, path: str, body: bytes, headers: dict[str, str]
) -> tuple[int, bytes]:
    link.request(method, path, body, headers)
    answer = link.getresponse()
    said = answer.read(LARGEST)
    if not answer.isclosed():  # it says more than anybody reads
        link.close()
    return answer.status, said


def _data(name: str, status: int, said: bytes) -> Any:
    """What an answer says; a refusal as the error that it is."""
    try:
        data = json.loads(said)
        error = data["error"] if status >= 400 else None
    except (ValueError, KeyError, TypeError):
        raise HubAway(f"{name} answers, but is no hub (status {status})") from None
    if error is None:
        return data
    message, hint = str(error.get("message")), error.get("hint")
    if status == 409:
        raise Forked(message, hint=hint)
    if status in (429, 500, 502, 503, 504):
        raise HubAway(f"the hub at {name} cannot answer now: {message}")
    raise NousError(f"the hub at {name} refused: {message}", hint=hint)


def _why(problem: Exception) -> str:
    return str(getattr(problem, "verify_message", "") or getattr(problem, "strerror", "") or problem or type(problem))


def _context(ca_file: str, cert_file: str) -> ssl.SSLContext:
    """TLS as it should be: no old versions, the other side proven, and a certificate of our own where one is asked."""
    try:
        context = ssl.create_default_context(cafile=ca_file or None)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if cert_file:
            context.load_cert_chain(cert_file)
    except (OSError, ssl.SSLError) as problem:
        raise ConfigError(f"the certificates of the hub cannot be used: {_why(problem)}") from None
    return context


def read_token(path: str) -> str:
    """The token in a file, which only its owner may read."""
    token = read_secret(path, "token")
    if not token.isascii() or not token or any(char.isspace() for char in token):
        raise ConfigError(f"{path} holds no token", hint="`nous admin token create` on the hub prints one")
    return token
