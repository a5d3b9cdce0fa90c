"""Asking the daemon, which has everything loaded, in place of loading it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec

from nous.shells import hooks
from nous.shells.daemon import control

if TYPE_CHECKING:
    from nous.config import Settings
    from nous.kernel.operations import Operation

SECONDS = 3.0  # to wait for the daemon; after that the command finds the answer itself


def ask_daemon(settings: Settings, operation: Operation, asked: Any) -> Any | None:
    """What the daemon of these settings answers; None where it does not, so that the command finds it itself."""
    route = operation.route
    if route is None or not control.answers_for(settings):
        return None
    fields = {name: value for name, value in msgspec.to_builtins(asked).items() if value is not None}
    words = {name: str(value).lower() if isinstance(value, bool) else value for name, value in fields.items()}
    request = f"{route.method} {route.path}?{urlencode(words)} HTTP/1.0\r\nhost: nous\r\n\r\n"
    try:
        reply = hooks.exchange(hooks.connect(settings.socket_path, SECONDS), request.encode(), SECONDS)
        head, _, body = reply.partition(b"\r\n\r\n")
        return msgspec.json.decode(body, type=operation.gives) if b" 200 " in head[:16] else None
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return None
