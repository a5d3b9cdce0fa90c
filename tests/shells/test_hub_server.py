"""A hub over real sockets: with tokens, with https, with certificates on both sides, and as real processes."""

from __future__ import annotations

import datetime
import http.client
import ipaddress
import json
import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from msgspec.structs import replace

from factories import NOW, Home, extracted
from flows.test_devices import say
from nous.app import Nous, system_clock
from nous.config import load_settings
from nous.errors import ConfigError, NousError
from nous.kernel.access import ROLES
from nous.kernel.stores import Stores, open_stores
from nous.shells.web import serving as server
from nous.teams import tokens
from nous.teams.hub_link import HttpLink, HubAway, read_token
from nous.teams.hubs import SealedHub, TeamHub
from nous.teams.sync import exchange
from shells.web import Site, serving

DAY = datetime.timedelta(days=1)


class Authority:
    """Somebody who vouches for servers and clients."""

    def __init__(self, folder: Path, name: str):
        self.folder, self.name = folder, name
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = self._signed(name, self.key, is_authority=True)
        self.file = str(folder / f"{name}.pem")
        Path(self.file).write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))

    def _signed(self, name: str, key: Any, is_authority: bool = False) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, self.name)])
        places = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        key_id = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        made = x509.CertificateBuilder().subject_name(named).issuer_name(issuer).public_key(key.public_key())
        made = made.serial_number(x509.random_serial_number()).not_valid_before(now - DAY).not_valid_after(now + DAY)
        made = made.add_extension(x509.BasicConstraints(is_authority, None), True).add_extension(places, False)
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        made = made.add_extension(signer, False).add_extension(_use(is_authority), True)
        return made.add_extension(key_id, False).sign(self.key, hashes.SHA256())

    def gives(self, name: str) -> str:
        """A file with a certificate and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        pem = self._signed(name, key).public_bytes(serialization.Encoding.PEM)
        form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        path = self.folder / f"{name}.both.pem"
        path.write_bytes(pem + key.private_bytes(serialization.Encoding.PEM, *form))
        return str(path)


def _use(is_authority: bool) -> x509.KeyUsage:
    """What a key is for; newer Pythons ask for it."""
    signs = is_authority  # certificates, and not what is sent
    return x509.KeyUsage(not signs, False, False, False, False, signs, signs, False, False)


def token_of(site: Site, name: str = "ann", role: str = "member", **more: Any) -> str:
    with Nous.open(settings=site.settings) as nous:
        return tokens.make(nous.stores.tokens, name, ROLES[role], system_clock(), **more)[1]  # type: ignore[index]


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("hub"), serve_hub=True) as made:
        yield made


@pytest.fixture
def stores() -> Iterator[Stores]:
    made = open_stores(":memory:")
    yield made
    made.close()


def test_devices_exchange_over_http(hub: Site, stores: Stores) -> None:
    other = open_stores(":memory:")
    say(stores, extracted("l1", "Ports start at 8000.", project_id="p"))
    link = HttpLink(hub.url, token_of(hub, role="device"))
    assert exchange(stores, TeamHub(link, frozenset({"p"})), NOW).went == 1
    assert exchange(other, TeamHub(HttpLink(hub.url, token_of(hub, "bob")), frozenset({"p"})), NOW).came == 1
    found = hub.good("/v1/search?q=ports", token=token_of(hub, "carl"))
    assert found["items"][0]["content"] == "Ports start at 8000."
    sealed = SealedHub(HttpLink(hub.url, token_of(hub, "ann")), "correct horse battery")
    assert exchange(stores, sealed, NOW).went == 1
    assert exchange(other, SealedHub(HttpLink(hub.url, token_of(hub, "bob")), "another one"), NOW).came == 0
    other.close()


def test_a_round_takes_one_connection_and_another_where_the_hub_let_go(
    hub: Site, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, made, connect = token_of(hub, role="device"), list[str](), http.client.HTTPConnection.connect

    def counted(link: http.client.HTTPConnection) -> None:
        made.append(link.host)
        connect(link)

    monkeypatch.setattr(http.client.HTTPConnection, "connect", counted)
    say(stores, extracted("l1", "Ports start at 8000.", project_id="p"))
    with HttpLink(hub.url, token) as link:
        assert exchange(stores, TeamHub(link, frozenset({"p"})), NOW).went == 1 and len(made) == 1
        assert link._kept and link._kept.sock
        link._kept.sock.shutdown(socket.SHUT_RDWR)
        assert exchange(stores, TeamHub(link, frozenset({"p"})), NOW).troubles == () and len(made) == 2


@pytest.mark.parametrize(
    ("role", "more", "said"),
    [("reader", {}, "may not sync"), ("member", {"days": 0.0}, "")],
)
def test_a_token_that_may_not_sync_is_told_so(
    hub: Site, stores: Stores, role: str, more: dict[str, Any], said: str
) -> None:
    token = token_of(hub, "eve", role, **more) if said else "nous_" + "0" * 12 + "_" + "A" * 43
    with pytest.raises(NousError, match=said or "a token is needed"):
        exchange(stores, TeamHub(HttpLink(hub.url, token), frozenset({"p"})), NOW)


def test_a_token_for_one_project_exchanges_that_one(hub: Site, stores: Stores) -> None:
    say(stores, extracted("l1", project_id="p"), extracted("l2", project_id="q"))
    link = HttpLink(hub.url, token_of(hub, "eve", "member", projects=["p"]))
    assert exchange(stores, TeamHub(link, frozenset({"*"})), NOW).went == 1


def test_what_is_no_hub_says_so(tmp_path: Path, stores: Stores) -> None:
    with serving(tmp_path) as site:
        with pytest.raises(NousError, match="this is no hub"):
            exchange(stores, TeamHub(HttpLink(site.url, site.token), frozenset({"p"})), NOW)
        assert site.good("/v1/health", token=None) == {"ok": True}


def test_nobody_claims_to_be_another_owner(hub: Site) -> None:
    body = {"sealed": True, "owner": "ann"}
    assert hub.good("/v1/sync/pull", body, token=token_of(hub, "mallory"))["events"] == []


@pytest.mark.parametrize(
    "body", [{"events": [{}]}, {"events": 5}, {"sealed": [{"device": "x"}]}, {"known": {"a": "b"}}, {"limit": 10**9}]
)
def test_what_is_no_event_is_refused(hub: Site, body: dict[str, Any]) -> None:
    for path in ("/v1/sync/push", "/v1/sync/pull", "/v1/sync/sweep"):
        assert hub.post(path, body, token=token_of(hub)).status == 400


# -- https ------------------------------------------------------------------------------------------------------------


def test_a_hub_proves_itself_and_asks_for_a_certificate(tmp_path: Path, stores: Stores) -> None:
    ours, theirs = Authority(tmp_path, "ours"), Authority(tmp_path, "theirs")
    given = {"tls_cert_file": ours.gives("server"), "tls_client_ca_file": ours.file, "serve_hub": True}
    with serving(tmp_path, **given) as site:
        token, url = token_of(site), site.url.replace("http://", "https://")
        good = HttpLink(url, token, ours.file, ours.gives("device"))
        assert exchange(stores, TeamHub(good, frozenset({"p"})), NOW).troubles == ()
        for ca_file, cert_file in ((ours.file, ""), (ours.file, theirs.gives("stranger")), (theirs.file, "")):
            with pytest.raises(HubAway, match="does not answer"):
                HttpLink(url, token, ca_file, cert_file).ask("POST", "/v1/sync/heads", {})
        with pytest.raises(HubAway):  # in the clear
            HttpLink(site.url, token).ask("POST", "/v1/sync/heads", {})
        with pytest.raises(ConfigError, match="certificates"):
            HttpLink(url, token, ours.file, str(tmp_path / "nothing.pem"))
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.load_cert_chain(ours.gives("old"))
        with pytest.warns(DeprecationWarning, match="TLSv1_1"):
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        link = http.client.HTTPSConnection("127.0.0.1", site.port, timeout=30, context=old)
        with pytest.raises((ssl.SSLError, OSError)):
            link.request("GET", "/v1/health")
        link.close()


def test_nobody_listens_on_a_network_in_the_clear(tmp_path: Path) -> None:
    settings = load_settings({"HOME": str(tmp_path), "NOUS_DATA_DIR": str(tmp_path)})
    assert server.tls(settings) is None
    with pytest.raises(ConfigError, match="without https"):
        server.tls(replace(settings, http_bind="0.0.0.0"))
    assert server.tls(replace(settings, http_bind="0.0.0.0", tls_elsewhere=True)) is None
    with pytest.raises(ConfigError, match="no address"):
        server.tls(replace(settings, http_bind="nowhere"))
    with pytest.raises(ConfigError, match="cannot be used"):
        server.tls(replace(settings, tls_cert_file=str(tmp_path / "nothing")))
    with pytest.raises(ConfigError, match="tls_client_ca_file needs"):
        server.tls(replace(settings, tls_client_ca_file="x"))


@pytest.mark.parametrize("url", ["http://hub.example.org", "ftp://x", "https://", "hub", "https://x/path"])
def test_an_address_that_is_none_or_in_the_clear_is_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        HttpLink(url, "token")


def test_only_names_that_were_given_are_answered(tmp_path: Path) -> None:
    with serving(tmp_path, http_hosts="hub.example.org") as site:
        for host, status in (("hub.example.org", 200), ("hub.example.org:8443", 200), ("evil.example.org", 421)):
            assert site.get("/v1/types", headers={"Host": host}).status == status
        own = {"Host": "hub.example.org", "Origin": "https://hub.example.org"}
        assert site.get("/v1/types", headers=own).status == 200
        foreign = {"Host": "hub.example.org", "Origin": "https://evil.example.org"}
        assert site.get("/v1/types", headers=foreign).status == 403


def test_a_token_file_is_its_owners(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("nous_x\n")
    file.chmod(0o644)
    with pytest.raises(ConfigError, match="others can read"):
        read_token(str(file))
    file.chmod(0o600)
    assert read_token(str(file)) == "nous_x"
    for wrong in ("", "two words"):
        file.write_text(wrong)
        with pytest.raises(ConfigError, match="no token"):
            read_token(str(file))
    with pytest.raises(ConfigError, match="cannot be read"):
        read_token(str(tmp_path / "nothing"))


# -- as processes -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_team_through_a_hub_in_a_process_of_its_own(home: Home, tmp_path: Path) -> None:
    centre = Home(tmp_path / "centre")
    process = subprocess.Popen(
        [sys.executable, "-m", "nous", "hub", "serve", "--port", "0"], env=centre.environ, stderr=subprocess.DEVNULL
    )
    try:
        told = centre.data / "http.json"
        deadline = time.monotonic() + 90
        while not told.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        url = json.loads(told.read_text())["url"]
        other = Home(tmp_path / "other")
        for one in (home, other):
            made = json.loads(centre.nous("token", "create", one.data.parent.name, "--json").stdout)
            file = one.data.parent / "token"
            file.write_text(made["token"])
            file.chmod(0o600)
            one.environ |= {"NOUS_HUB_TOKEN_FILE": str(file), "NOUS_TEAM_PROJECTS": "shop"}
        home.nous("remember", "The shop sells qzxvhats.", "--project", "shop")
        assert home.nous("sync", url).returncode == 0
        done = other.nous("sync", url)
        assert done.returncode == 0 and done.stdout.startswith("received 1 event,"), done.stderr
        assert "qzxvhats" in other.nous("recall", "qzxvhats", "--project", "shop").stdout
        assert "POST /v1/sync/push" in centre.nous("token", "uses").stdout
    finally:
        process.terminate()
        process.wait(60)
    away = home.nous("sync", url)
    assert away.returncode == 1 and "does not answer" in away.stdout
    assert home.nous("sync", "http://hub.example.org").returncode == 1
    assert os.path.exists(home.data)
