"""The HTTP door under attack: other pages and names, paths, floods, slowness, guessing, and what is left behind."""

from __future__ import annotations

import json
import logging
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from factories import Home
from nous.app import Nous
from nous.shells.web import guard, keys
from shells.web import Answer, Site, serving

SECRET = "The vault is behind the clock."


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site")) as made:
        with Nous.open(settings=made.settings) as nous:
            nous.remember(SECRET, project="p")
        yield made


@pytest.fixture
def site(one: Site) -> Site:
    """The server as if nobody had tried anything yet."""
    one.guard.keys = one.server.keys = keys.Keys(one.token)
    return one


def raw(site: Site, said: bytes, seconds: float = 5.0) -> bytes:
    """What a server answers to bytes."""
    with socket.create_connection(("127.0.0.1", site.port), timeout=seconds) as link:
        link.sendall(said)
        found = b""
        try:
            while chunk := link.recv(65536):
                found += chunk
        except (TimeoutError, ConnectionResetError):
            pass
        return found


def connected(site: Site) -> socket.socket:
    return socket.create_connection(("127.0.0.1", site.port), timeout=10)


def is_closed(link: socket.socket) -> bool:
    """Whether the other side ends a connection without a word."""
    try:
        return link.recv(100) == b""
    except ConnectionResetError:
        return True


def tells_nothing(answer: Answer) -> bool:
    """Whether an answer holds neither what is remembered nor permission for another page to read it."""
    return SECRET.encode() not in answer.body and not any(name.startswith("access-control") for name in answer.headers)


# -- other web pages and other names --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    ["evil.example:{port}", "127.0.0.1.evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "localhost.:{port}"],
)
def test_a_name_that_was_bound_to_this_machine_gets_nothing_even_with_the_token(site: Site, host: str) -> None:
    for path in ("/v1/memories", "/panel/", "/v1/auth/exchange"):
        answer = site.get(path, headers={"Host": host.format(port=site.port)})
        assert (answer.status, answer.code) == (421, "wrong_host") and tells_nothing(answer)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost:{port}"},  # another name of this machine is another page
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_page_can_neither_read_nor_write_even_with_the_token(site: Site, headers: dict[str, str]) -> None:
    given = {name: value.format(port=site.port) for name, value in headers.items()}
    for method, path in (("GET", "/v1/memories"), ("POST", "/v1/memories"), ("POST", "/v1/auth/exchange")):
        answer = site.ask(method, path, {"text": "planted"} if method == "POST" else None, headers=given)
        assert (answer.status, answer.code) == (403, "forbidden") and tells_nothing(answer)
    assert site.good("/v1/memories?status=all")["total"] == 1


def test_a_foreign_form_and_a_preflight_get_nowhere(site: Site) -> None:
    plain = {"Content-Type": "text/plain", "Origin": "https://evil.example"}
    posted = site.ask("POST", "/v1/memories", b'{"text":"planted"}', token=None, headers=plain)
    asked = site.ask("OPTIONS", "/v1/memories", headers={"Access-Control-Request-Method": "POST"})
    assert posted.status == 403 and asked.status == 405
    assert tells_nothing(posted) and tells_nothing(asked)


def test_our_own_page_may_ask(site: Site) -> None:
    own = {"Origin": site.url, "Sec-Fetch-Site": "same-origin"}
    assert site.good("/v1/memories", headers=own)["total"] == 1


def test_every_answer_forbids_frames_sniffing_and_scripts_from_elsewhere(site: Site) -> None:
    for path, token in (("/panel/", None), ("/v1/status", ""), ("/v1/status", None), ("/nothing", "")):
        headers = site.get(path, token=token).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "require-trusted-types-for 'script'" in policy and "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"


# -- tokens and codes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["", "x", "panel.99999999999.x.y", "panel.99999999999.x." + "0" * 64, "é" * 9])
def test_without_the_right_token_nothing_is_told(site: Site, given: str) -> None:
    headers = {"Authorization": f"Bearer {given}".encode("latin-1", "replace").decode("latin-1")} if given else {}
    for path in ("/v1/memories", "/v1/search?q=vault", "/openapi.json", "/v1/changes", "/v1/auth/codes", "/metrics"):
        answer = site.ask("POST" if path.endswith("codes") else "GET", path, token=None, headers=headers)
        assert answer.status in (401, 429) and tells_nothing(answer)
    assert site.get("/v1/auth/whoami", token=None).data == {"ok": False, "expires_at": None}


def test_a_code_works_once_and_its_token_until_it_ends(site: Site) -> None:
    code = site.good("/v1/auth/codes", {})["code"]
    own = {"Origin": site.url}
    first = site.post("/v1/auth/exchange", {"code": code}, token=None, headers=own)
    assert first.status == 200
    token = first.data["token"]
    assert site.good("/v1/memories", token=token)["total"] == 1
    assert site.good("/v1/auth/whoami", token=token)["ok"]
    again = site.post("/v1/auth/exchange", {"code": code}, token=None, headers=own)
    assert (again.status, again.code) == (401, "unauthorized")
    site.server.keys.clock = lambda: time.time() + keys.PANEL_SECONDS + 1
    assert site.get("/v1/memories", token=token).status == 401


@pytest.mark.parametrize("body", [b'{"text":"\xff"}', b"[" * 50_000, b'{"a":' * 50_000, b"[]", b"1", b"\xff", b""])
def test_a_body_that_is_no_json_object_is_refused_in_a_sentence_at_every_route(site: Site, body: bytes) -> None:
    for path in ("/v1/auth/exchange", "/v1/memories", "/v1/feedback"):
        answer = site.ask("POST", path, body)
        assert (answer.status, answer.code) == (400, "bad_request"), path


def test_an_old_code_is_void_and_guessing_voids_those_that_wait(site: Site) -> None:
    old = site.server.keys.new_code()
    site.server.keys.clock = lambda: time.time() + keys.CODE_SECONDS + 1
    assert site.post("/v1/auth/exchange", {"code": old}, token=None).status == 401
    waiting = site.server.keys.new_code()
    for guess in range(keys.WRONG_CODES):
        site.post("/v1/auth/exchange", {"code": f"guess-{guess}"}, token=None)
    assert site.post("/v1/auth/exchange", {"code": waiting}, token=None).status == 401


def test_guessing_is_slowed_down_and_never_locks_the_owner_out(site: Site) -> None:
    found = [site.get("/v1/memories", token=f"guess-{n}") for n in range(keys.MOST_FAILURES + 5)]
    assert [answer.status for answer in found] == [401] * keys.MOST_FAILURES + [429] * 5
    assert 1 <= int(found[-1].headers["retry-after"]) <= 61
    assert site.get("/v1/memories").status == 200
    site.server.keys.clock = lambda: time.time() + keys.WINDOW_SECONDS + 1
    assert site.get("/v1/memories", token="guess").status == 401


def test_the_token_is_a_file_of_its_owner_and_a_new_one_ends_the_old(site: Site) -> None:
    path = Path(keys.token_path(site.settings.data_dir))
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    keys.machine_token(site.settings.data_dir)
    assert path.stat().st_mode & 0o777 == 0o600
    panel = site.server.keys.exchange(site.server.keys.new_code())
    assert panel
    newer = keys.Keys(keys.machine_token(site.settings.data_dir, anew=True))
    assert newer.expiry(site.token) is None and newer.expiry(panel[0]) is None


# -- paths, methods, sizes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/panel/../../errors.py",
        "/panel/..%2f..%2ferrors.py",
        "/panel/%2e%2e/%2e%2e/errors.py",
        "/panel//etc/passwd",
        "/panel/%2fetc%2fpasswd",
        "/panel/..\\..\\errors.py",
        "/panel/index.html%00.png",
        "/panel/__init__.py",
    ],
)
def test_a_path_leads_nowhere_but_to_the_panel(site: Site, path: str) -> None:
    said = raw(site, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nConnection: close\r\n\r\n".encode())
    assert said.split(b" ")[1] in (b"404", b"400") and b"root:" not in said and b"NousError" not in said


def test_hooks_and_health_are_not_on_this_door(site: Site) -> None:
    for path in ("/hooks/SessionStart", "/health"):
        assert site.post(path, {}).status == 404


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "HEAD"])
def test_a_wrong_method_is_refused(site: Site, method: str) -> None:
    answer = site.ask(method, "/v1/memories")
    assert answer.status == 405


def test_a_hundred_megabytes_are_not_taken_in(site: Site) -> None:
    head = f"POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nAuthorization: Bearer {site.token}\r\n"
    said = raw(site, head.encode() + b"Content-Length: 100000000\r\n\r\n")
    assert said.split(b" ")[1] == b"413" and b"too_large" in said  # before a byte of it was sent
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", site.port), timeout=10) as link:
        link.sendall(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n")
        sent = 0
        try:
            while sent < 100_000_000:
                link.sendall(chunk)
                sent += len(chunk)
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert sent < 20_000_000 and time.monotonic() - began < 10
    assert site.get("/v1/memories").status == 200


def test_too_large_a_head_is_refused(site: Site) -> None:
    filler = b"X-Filler: " + b"x" * 200_000
    said = raw(site, f"GET /v1/memories HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n".encode() + filler + b"\r\n\r\n")
    assert said == b"" or said.split(b" ")[1] in (b"400", b"431")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b"{", b'{"text": 5}', b'{"text": ""}', b"\xff\xfe", b"[" * 50_000]
)
def test_a_body_that_makes_no_sense_is_one_sentence(site: Site, body: bytes) -> None:
    answer = site.ask("POST", "/v1/memories", body)
    assert (answer.status, answer.code) == (400, "bad_request") and answer.data["error"]["message"]


# -- slowness -------------------------------------------------------------------------------------------------------


def test_connections_that_say_nothing_are_closed_and_others_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "ARRIVE_SECONDS", 1.0)
    with serving(tmp_path) as site, ExitStack() as stack:
        links = [stack.enter_context(connected(site)) for _ in range(100)]
        for link in links[:50]:
            link.sendall(b"GET /v1/memories HTTP/1.1\r\nX-Slow: ")
        began = time.monotonic()
        assert site.get("/v1/memories").status == 200 and time.monotonic() - began < 1
        time.sleep(0.5)
        for link in links[:50]:
            link.sendall(b"x")  # a drop now and then does not help
        assert all(is_closed(link) for link in links)
        assert time.monotonic() - began < 8


def test_a_body_that_does_not_come_is_not_waited_for(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site.guard, "arrive_seconds", 1.0)
    head = f"POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nAuthorization: Bearer {site.token}\r\n"
    with ExitStack() as stack:
        links = [stack.enter_context(connected(site)) for _ in range(20)]
        for link in links:
            link.sendall(head.encode() + b"Content-Length: 50\r\n\r\n{")
        began = time.monotonic()
        assert site.get("/v1/memories").status == 200  # those that wait for their body hold no place
        assert time.monotonic() - began < 1
        assert all(link.recv(100).startswith(b"HTTP/1.1 408") for link in links)
        assert time.monotonic() - began < 8


# -- what is left behind --------------------------------------------------------------------------------------------


def test_no_token_and_no_code_is_ever_written_to_a_log(
    site: Site, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    code = site.good("/v1/auth/codes", {})["code"]
    token = site.post("/v1/auth/exchange", {"code": code}, token=None).data["token"]
    site.get(f"/v1/memories?cursor={token}", token=token)
    site.get("/v1/nope", token=token)
    raw(site, f"GET /panel/?code={code} HTTP/1.1\r\nHost: nowhere\r\n\r\n".encode())
    raw(site, f"BROKEN {token}\r\n\r\n".encode())
    said = caplog.text + "".join(capfd.readouterr())
    assert not [secret for secret in (site.token, token, code) if secret in said]


@pytest.mark.slow
def test_a_real_daemon_keeps_tokens_out_of_its_files(home: Home) -> None:
    assert home.nous("up").returncode == 0
    opened = json.loads(home.nous("panel", "--no-browser", "--json").stdout)
    url, _, code = opened["url"].partition("/panel/#code=")
    said = json.loads((home.data / "http.json").read_text())
    assert said["url"] == url and (home.data / "http.json").stat().st_mode & 0o777 == 0o600
    port = int(url.rpartition(":")[2])
    token = (home.data / "http.token").read_text().strip()
    head = f"GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=10) as link:
        link.sendall(f"{head}Authorization: Bearer {token}\r\n\r\n".encode())
        assert link.recv(65536).startswith(b"HTTP/1.1 200")
    listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    assert [place for place in listening if place.endswith(f":{port:04X}")][:1] == [f"0100007F:{port:04X}"]
    assert home.nous("down").returncode == 0
    kept = {
        path.name: path.read_bytes() for path in home.data.iterdir() if path.is_file() and path.name != "http.token"
    }
    assert "http.json" not in kept
    assert [name for name, data in kept.items() if token.encode() in data or code.encode() in data] == []
