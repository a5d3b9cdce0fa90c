"""Hooks on the Unix socket: whole whatever the pieces they come in, and everything else goes on to the application."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from nous.shells.hooks import MOST_BYTES
from nous.shells.web.hook_connection import MOST_HEAD, HookRequest, reply


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[begin:end] for begin, end in pairwise(places)]


@given(st.binary(max_size=400), st.lists(st.integers(0, 1000), max_size=6))
def test_a_request_is_the_same_in_whatever_pieces_it_comes(body: bytes, cuts: list[int]) -> None:
    head = b"POST /hooks/SessionStart HTTP/1.0\r\nNous-Prompt-Tokens: 300\r\nContent-Length: %d\r\n\r\n" % len(body)
    request = HookRequest()
    *before, last = pieces(head + body, cuts)
    for piece in before:
        request.add(piece)
        assert not request.is_whole
    request.add(last)
    assert request.is_whole and not request.is_too_large
    assert (request.name(), request.body()) == ("SessionStart", body)
    assert request.headers()["nous-prompt-tokens"] == "300"


def test_too_much_is_refused_before_it_has_come() -> None:
    large, endless = HookRequest(), HookRequest()
    large.add(b"POST /hooks/Stop HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % (MOST_BYTES + 1))
    endless.add(b"POST /hooks/Stop HTTP/1.0\r\nX: " + b"x" * MOST_HEAD)
    assert large.is_too_large and endless.is_too_large


def test_a_length_that_is_no_number_means_no_body() -> None:
    request = HookRequest()
    request.add(b"POST /hooks/Stop HTTP/1.0\r\nContent-Length: -5\r\n\r\nrest")
    assert request.is_whole and request.body() == b""


def test_an_answer_says_how_long_it_is() -> None:
    assert reply(b"{}").endswith(b"Content-Length: 2\r\nConnection: close\r\n\r\n{}")
    assert reply(b"").startswith(b"HTTP/1.1 204 ")
