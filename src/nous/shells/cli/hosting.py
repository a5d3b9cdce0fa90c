"""The daemon's side of `shells/quick.py`: a command run where everything is loaded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import click
import msgspec

from nous import __version__
from nous.app import Nous
from nous.config import Settings, load_settings
from nous.shells.cli import load
from nous.shells.cli.common import HOST
from nous.shells.cli.printing import PAGE, Page
from nous.shells.quick import END, NAMES

Lend = Callable[[str], AbstractContextManager[Nous]]


class Asked(msgspec.Struct, frozen=True):
    """A command as it was typed elsewhere, and where."""

    place: str
    width: int
    argv: list[str]
    environ: dict[str, str]


def run_command(body: bytes, settings: Settings, lend: Lend) -> bytes:
    """What a command prints; nothing where it has to run by itself, since it fails or other settings hold."""
    asked = _read(body)
    if asked is None or load_settings(asked.environ) != settings:
        return b""
    page = Page(asked.width, asked.environ)
    name, *words = asked.argv
    with lend(name) as nous:
        nous.place = asked.place
        tokens = HOST.set(nous), PAGE.set(page)
        try:
            command = load(name)
            with command.make_context(name, words, parent=click.Context(click.Group("nous"), info_name="nous")) as made:
                command.invoke(made)
            nous.refresh()
        except (Exception, click.exceptions.Exit):
            return b""
        finally:
            HOST.reset(tokens[0])
            PAGE.reset(tokens[1])
            nous.place = ""
    return page.out.encode() + END + page.err.encode()


def _read(body: bytes) -> Asked | None:
    version, place, width, count, *rest = body.decode().split(END.decode())
    argv, passed = rest[: int(count)], rest[int(count) :]
    if version != __version__ or argv[0] not in NAMES:
        return None
    return Asked(place, int(width), argv, dict(one.split("=", 1) for one in passed))
