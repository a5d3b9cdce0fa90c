"""A port that belongs to another program: the daemon takes a free one, and everything that needs it finds it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from factories import Home
from nous.config import load_settings
from nous.shells.web import serving


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which another program listens."""
    with socket.socket() as other:
        other.bind((serving.LOOPBACK, 0))
        other.listen()
        yield other.getsockname()[1]


def said(home: Home, *words: str) -> Any:
    done = home.nous(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_taken_port_is_replaced_by_a_free_one_that_everybody_finds(home: Home, taken: int) -> None:
    home.environ["NOUS_HTTP_PORT"] = str(taken)
    said(home, "up")
    settings = load_settings(home.environ)
    published = serving.find_published(settings.data_dir)
    assert published is not None and not published["url"].endswith(f":{taken}")
    assert said(home, "status")["daemon"]["http"] == published["url"]
    assert said(home, "panel", "--no-browser")["url"].startswith(f"{published['url']}/panel/")
    assert serving.ask(settings, "GET", "/v1/status")["version"]
    [http] = [check for check in said(home, "doctor")["checks"] if check["check"] == "http"]
    assert (
        http["ok"] and published["url"] in http["found"] and f"port {taken} belongs to another program" in http["found"]
    )
    assert f"port {taken} belongs to another program" in home.nous("status").stdout
    assert published["url"] in home.nous("up").stdout, "who starts it again is told where it is"


def test_a_free_port_is_used_and_nothing_is_said_of_others(home: Home, taken: int) -> None:
    with socket.socket() as probe:
        probe.bind((serving.LOOPBACK, 0))
        free = probe.getsockname()[1]
    home.environ["NOUS_HTTP_PORT"] = str(free)
    said(home, "up")
    assert said(home, "status")["daemon"]["http"] == f"http://127.0.0.1:{free}"
    assert "belongs to another program" not in home.nous("doctor").stdout + home.nous("status").stdout
