"""The panel's files, out of the package. What is not listed there does not exist, whatever a path says."""

from __future__ import annotations

import gzip
import hashlib
import os
from functools import lru_cache
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "panel")
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
    ".map": "application/json",
}
PACKED = (".html", ".css", ".js", ".mjs", ".json", ".svg", ".txt", ".map")


class Sent(NamedTuple):
    """A file as it is sent."""

    data: bytes
    packed: bytes | None
    kind: str
    tag: str


def list_files(folder: str = FOLDER) -> dict[str, str]:
    """Every file of the panel by the path it is asked for."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if os.path.splitext(name)[1] in KINDS:
                found[os.path.relpath(path, folder).replace(os.sep, "/")] = path
    return found


@lru_cache(maxsize=256)
def _load(path: str, changed: int) -> Sent:
    with open(path, "rb") as file:
        data = file.read()
    end = os.path.splitext(path)[1]
    packed = gzip.compress(data, 6, mtime=0) if end in PACKED and len(data) > 500 else None
    return Sent(data, packed, KINDS[end], f'"{hashlib.sha256(data).hexdigest()[:20]}"')


def serve(path: str, known: str | None, takes_gzip: bool, folder: str = FOLDER) -> Response | None:
    """A file of the panel; None when there is none."""
    name = path or "index.html"
    place = list_files(folder).get(name)
    if place is None:
        return None
    file = _load(place, os.stat(place).st_mtime_ns)
    headers = {"etag": file.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if known == file.tag:
        return Response(status_code=304, headers=headers)
    if file.packed and takes_gzip:
        return Response(file.packed, headers=headers | {"content-encoding": "gzip"}, media_type=file.kind)
    return Response(file.data, headers=headers, media_type=file.kind)


def home(request: Request) -> Response:
    """Where a browser is sent that asks for nothing in particular."""
    return RedirectResponse("/panel/", status_code=307)
