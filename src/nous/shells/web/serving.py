"""Listening on HTTP: the address, who finds it, and a server without a daemon."""

from __future__ import annotations

import ipaddress
import json
import logging
import os
import socket
import ssl
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from nous import paths
from nous.config import Settings
from nous.errors import ConfigError, NousError
from nous.shells.web.keys import machine_token

if TYPE_CHECKING:
    from nous.shells.web.hook_connection import Respond, Wake

log = logging.getLogger("nous")

LOOPBACK = "127.0.0.1"
FILE = "http.json"


def listen(port: int, bind: str = LOOPBACK) -> socket.socket:
    """A socket that only this machine can connect to, unless another address is given."""
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    # Named as TCP, or asyncio leaves Nagle on, and an answer of two pieces waits 40 ms for an acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((bind, port))
    except OSError as problem:
        listener.close()
        hint = "another program has it: say another one in `http_port`, or 0 for any that is free"
        raise NousError(f"cannot listen on port {port}: {problem.strerror or problem}", hint=hint) from None
    listener.listen(128)
    return listener


def address(listener: socket.socket) -> str:
    """Present a socket is reached."""
    return f"http://{LOOPBACK}:{listener.getsockname()[1]}"


def publish(data_dir: str, url: str) -> None:
    """Say where the server is, for the commands of the same user."""
    path = os.path.join(data_dir, FILE)
    partial = f"{path}.{os.getpid()}"
    with open(partial, "w", encoding="utf-8", opener=paths.private) as file:
        json.dump({"url": url, "pid": os.getpid()}, file)
    os.replace(partial, path)


def withdraw(data_dir: str) -> None:
    """The server is gone; what another one said meanwhile stays."""
    said = find_published(data_dir)
    if said and said["pid"] == os.getpid():
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(data_dir, FILE))


def find_published(data_dir: str) -> dict[str, Any] | None:
    """Present a server said it is: `url` and `pid`; None when none did, or its process is gone."""
    try:
        with open(os.path.join(data_dir, FILE), encoding="utf-8") as file:
            said: dict[str, Any] = json.load(file)
        os.kill(said["pid"], 0)
        return said
    except (OSError, ValueError, KeyError, TypeError):
        return None


def ask(settings: Settings, method: str, path: str, body: Any = None, seconds: float = 10.0) -> Any:
    """What the server of this user answers; a sentence when it does not."""
    import http.client  # not for who only wants the address

    said = find_published(settings.data_dir)
    if said is None:
        raise NousError("nothing answers on HTTP", hint="`nous up` starts the daemon, which does")
    place = said["url"].removeprefix("http://")
    link = http.client.HTTPConnection(place, timeout=seconds)
    headers = {"authorization": f"Bearer {machine_token(settings.data_dir)}", "nous-client": "cli"}
    try:
        link.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = link.getresponse()
        data = json.loads(answer.read() or b"null")
    except (OSError, ValueError) as problem:
        told = f"the server at {said['url']} does not answer: {problem}"
        raise NousError(told, hint="`nous admin restart`") from None
    finally:
        link.close()
    if answer.status >= 400:
        raise NousError(data["error"]["message"], hint=data["error"]["hint"])
    return data


def is_loopback(bind: str) -> bool:
    """Whether an address is one that only this machine can reach."""
    try:
        return ipaddress.ip_address(bind).is_loopback
    except ValueError:
        raise ConfigError(f"{bind!r} is no address", hint="say 127.0.0.1, or 0.0.0.0 for every network") from None


def tls(settings: Settings) -> ssl.SSLContext | None:
    """How the server proves who it is, and asks it of others; None without a certificate.

    Nobody listens on a network in the clear unless the settings say that something in front of it speaks https.
    """
    if not settings.tls_cert_file:
        if settings.tls_client_ca_file:
            raise ConfigError("tls_client_ca_file needs tls_cert_file", hint="a server that asks shows one itself")
        if not is_loopback(settings.http_bind) and not settings.tls_elsewhere:
            hint = "set tls_cert_file, or tls_elsewhere where a proxy or a private network takes care of it"
            raise ConfigError(f"listening on {settings.http_bind} without https would show every token", hint=hint)
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(settings.tls_cert_file, settings.tls_key_file or None)
        if settings.tls_client_ca_file:
            context.load_verify_locations(settings.tls_client_ca_file)
            context.verify_mode = ssl.CERT_REQUIRED
    except (OSError, ssl.SSLError) as problem:
        said = problem.strerror or problem
        raise ConfigError(f"the certificates cannot be used: {said}", hint="PEM files are needed") from None
    return context


def make_server(
    app: Any, secured: ssl.SSLContext | None = None, answer_hooks: tuple[Respond, Wake] | None = None
) -> Any:
    """A server for an application, as all of ours are: patient with nobody, silent about addresses."""
    import uvicorn

    from nous.shells.web.guard import Patience
    from nous.shells.web.hook_connection import hook_connection

    config = uvicorn.Config(
        app,
        http=hook_connection(*answer_hooks) if answer_hooks else Patience,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=1,  # an open panel waits for changes, and nobody waits for it
    )
    config.load()
    config.ssl = secured  # made of the settings, and refused with a sentence
    return uvicorn.Server(config)
