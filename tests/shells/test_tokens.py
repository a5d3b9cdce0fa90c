"""Tokens under attack: by every route there is, expired, revoked, forged, downgraded, of another server, beyond their
rights and beyond their projects; and what is kept of their use."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from msgspec.structs import replace

from factories import Home
from nous.app import Nous, system_clock
from nous.features.erasure import purge
from nous.kernel.access import RIGHTS, ROLES
from nous.moments import later
from nous.shells.web.app import create_app
from nous.shells.web.guard import is_open
from nous.shells.web.routes import ROUTES, Route
from nous.teams import tokens
from shells.web import Answer, Site, serving

SECRET, OPEN = "qzxvkanary lies behind the clock", "the shop sells hats"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site")) as made:
        with Nous.open(settings=made.settings) as nous:
            nous.remember(f"{SECRET}.", project="vault")
            nous.remember(f"{OPEN}.", project="shop")
        yield made


def given(site: Site, name: str, rights: tuple[str, ...] = ROLES["member"], **more: Any) -> str:
    """A new token of a server."""
    with Nous.open(settings=site.settings) as nous:
        signer = tokens.open_signer(site.settings.data_dir, make=True) if more.pop("signed", False) else None
        return tokens.make(nous.stores.tokens, name, rights, more.pop("now", system_clock()), signer=signer, **more)[1]


def number_of(site: Site, words: str) -> str:
    with Nous.open(settings=site.settings, readonly=True) as nous:
        return next(str(one.id) for one in nous.stores.memories.listing(None) if words in one.content)


def asked(site: Site, route: Route, token: str | None, of: str = SECRET, **more: Any) -> Answer:
    """One request of a route as its example says, about a memory and its project."""
    number, project = number_of(site, of), "vault" if of == SECRET else "shop"
    path = route.path.replace("{id}", number).replace("{item}", "disputed:nobody").replace("{name}", quote("clock"))
    fields = dict(route.operation.example)
    if "project" in route.operation.takes.__struct_fields__:
        fields["project"] = project
    if "memory_id" in route.operation.takes.__struct_fields__:
        fields["memory_id"] = number
    if "ids" in route.operation.takes.__struct_fields__:
        fields = {"action": "forget", "ids": [int(number)], "dry_run": True}
    if route.method == "GET":
        return site.get(f"{path}?{urlencode(fields)}" if fields else path, token=token, **more)
    return site.post(path, fields, token=token, **more)


def tells(answer: Answer) -> bool:
    return SECRET.encode() in answer.body


def events(site: Site) -> int:
    with Nous.open(settings=site.settings, readonly=True) as nous:
        return nous.stores.events.last_id()


# -- no route is forgotten ------------------------------------------------------------------------------------------


def test_every_path_of_the_server_is_in_the_table_or_asks_for_a_right_or_is_open(site: Site) -> None:
    app = create_app(site.server)
    known = {route.path for route in ROUTES} | {path for _, path, _, right, _ in site.server.others() if right}
    for route in app.routes:
        path: str = getattr(route, "path", "")
        is_known = path in known or is_open(path.replace("{path:path}", "x")) or path == "/openapi.json"
        assert is_known, f"{path} answers whoever has any token"


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_route_refuses_bad_tokens_missing_rights_and_other_projects(site: Site, route: Route) -> None:
    site.server.keys._failures.clear()
    before = events(site)
    now = system_clock()
    lacking = tuple(right for right in RIGHTS if right not in (route.operation.needs, "admin"))
    other = given(site, "other", RIGHTS, projects=["shop"])
    cases = {
        "none": (None, 401),
        "ended": (given(site, "old", RIGHTS, now=later(now, -100 * 86400)), 401),
        "unknown": ("nous_" + "0" * 12 + "_" + "A" * 43, 401),
        "lacking": (given(site, "lacking", lacking), 403),
    }
    for name, (token, status) in cases.items():
        answer = asked(site, route, token)
        assert answer.status == status and not tells(answer), (name, answer.body)
    answer = asked(site, route, other)
    assert answer.status in ((200,) if route.operation.about == "nothing" else (400, 403, 404)), answer.body
    assert not tells(answer)
    assert events(site) == before


@pytest.mark.parametrize(
    "route",
    [route for route in ROUTES if route.operation.access == "read"],
    ids=lambda route: f"{route.method} {route.path}",
)
def test_a_token_for_one_project_reads_it_and_nothing_of_another(site: Site, route: Route) -> None:
    token = given(site, "shop", ROLES["reader"], projects=["shop"])
    answer = asked(site, route, token, OPEN)
    is_closed = route.operation.about == "everything" or route.operation.needs != "read"
    is_missing = (
        route.path == "/v1/impact" or route.operation.about == "session"
    )  # no code was read here, no session kept
    assert answer.status == (403 if is_closed else 404 if is_missing else 200)
    assert not tells(answer)
    unnamed = site.get(route.path.replace("{id}", number_of(site, OPEN)).replace("{name}", "x"), token=token)
    assert not tells(unnamed)
    if (
        "all_projects" in route.operation.takes.__struct_fields__
        and not is_closed
        and route.operation.about == "project"
    ):
        path = route.path + "?" + urlencode({**route.operation.example, "all_projects": "true"})
        assert site.get(path, token=token).status in (400, 403)


def test_a_token_with_its_right_and_project_is_answered(site: Site) -> None:
    token = given(site, "ann", ROLES["member"], projects=["shop"])
    assert [one["content"] for one in site.good("/v1/memories", token=token)["items"]] == [f"{OPEN}."]
    written = site.good("/v1/memories", {"text": "Hats come in three sizes."}, token=token)
    assert written["memories"][0]["project_id"] == "shop"
    everywhere = {"text": "Everywhere.", "scope": "global"}
    assert site.post("/v1/memories", everywhere, token=token).status == 403
    who = site.good("/v1/auth/whoami", token=token)
    assert (who["ok"], who["name"], who["projects"]) == (True, "ann", ["shop"])
    assert who["rights"] == ["read", "sync", "write"]


def test_no_token_makes_a_code_for_a_panel_but_an_admins(site: Site) -> None:
    assert site.post("/v1/auth/codes", {}, token=given(site, "ann", ROLES["steward"])).status == 403
    assert site.post("/v1/auth/codes", {}, token=given(site, "root", ROLES["admin"], projects=["shop"])).status == 403
    assert site.post("/v1/auth/codes", {}, token=given(site, "root", ROLES["admin"])).status == 200
    for path in ("/metrics", "/v1/changes?wait=0"):
        assert site.get(path, token=given(site, "ann", ROLES["device"])).status == 403
        assert site.get(path, token=given(site, "ann", ROLES["reader"], projects=["shop"])).status == 403
        assert site.get(path, token=given(site, "ann", ROLES["reader"])).status == 200


def test_undoing_and_deciding_stay_inside_a_project(site: Site) -> None:
    token = given(site, "ann", ROLES["member"], projects=["shop"])
    with Nous.open(settings=site.settings) as nous:
        foreign = nous.stores.memories.get(int(number_of(site, SECRET)))
        assert foreign
        nous.confirm(foreign.id)
        nous.dispute(int(number_of(site, OPEN)))
        numbers = [event.event_id for event in nous.stores.events.of_learning(foreign.learning_id)]
    assert site.post("/v1/undo", {"events": numbers}, token=token).status in (400, 422)
    assert site.post("/v1/review/" + quote(f"disputed:{foreign.id}"), {"action": "keep"}, token=token).status == 404
    own = site.post("/v1/review/" + quote(f"disputed:{number_of(site, OPEN)}"), {"action": "keep"}, token=token)
    assert own.status == 200, own.data
    mixed = {"action": "forget", "ids": [int(number_of(site, OPEN)), foreign.id]}
    assert site.post("/v1/memories/bulk", mixed, token=token).status == 404
    with_filter = {"action": "forget", "filter": {"all_projects": True}}
    assert site.post("/v1/memories/bulk", with_filter, token=token).status == 403
    with Nous.open(settings=site.settings, readonly=True) as nous:
        assert nous.stores.memories.get(foreign.id).confirmed  # type: ignore[union-attr]


# -- ends ------------------------------------------------------------------------------------------------------------


def test_a_token_ends_when_it_is_revoked_and_when_its_time_is_over(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for signed in (False, True):
        token = given(site, f"bob-{signed}", signed=signed)
        assert site.get("/v1/types", token=token).status == 200
        with Nous.open(settings=site.settings) as nous:
            assert len(tokens.revoke(nous.stores.tokens, f"bob-{signed}", nous.clock())) == 1
            assert tokens.revoke(nous.stores.tokens, f"bob-{signed}", nous.clock()) == []
        assert site.get("/v1/types", token=token).status == 401
        ended = given(site, "late", signed=signed, now=later(system_clock(), -2 * 86400), days=1)
        assert site.get("/v1/types", token=ended).status == 401


def test_a_write_that_is_sent_again_is_done_once_and_only_for_whoever_sent_it(site: Site) -> None:
    ann, bob = given(site, "ann2"), given(site, "bob2")
    said, key = {"text": "Said once.", "project": "shop"}, {"Idempotency-Key": "k1", "Nous-Client": "ann2"}
    first = site.post("/v1/memories", said, token=ann, headers=key)
    again = site.post("/v1/memories", said, token=ann, headers=key)
    assert again.headers["idempotency-replayed"] == "true" and again.data["events"] == first.data["events"]
    assert "idempotency-replayed" not in site.post("/v1/memories", said, token=bob, headers=key).headers


# -- forged, downgraded, of another server ---------------------------------------------------------------------------


def _parts(token: str) -> tuple[dict[str, Any], dict[str, Any], str]:
    head, body, signature = token.split(".")
    return (*(json.loads(base64.urlsafe_b64decode(part + "==")) for part in (head, body)), signature)


def _packed(*parts: Any) -> str:
    return ".".join(
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") if isinstance(part, dict) else part
        for part in parts
    )


def forgeries(site: Site, tmp_path: Path) -> dict[str, str]:
    """What somebody without the key could make of a signed token."""
    import jwt

    good = given(site, "svc", ROLES["reader"], signed=True)
    head, body, signature = _parts(good)
    signer = tokens.open_signer(site.settings.data_dir)
    other = tokens.open_signer(str(tmp_path), make=True)
    assert signer and other
    more = body | {"rights": list(RIGHTS)}
    key = base64.urlsafe_b64encode(signer.public_key.encode()).decode()
    return {
        "no signature": _packed({"alg": "none", "typ": "JWT"}, body, ""),
        "no algorithm": _packed({"typ": "JWT"}, body, signature),
        "more rights": _packed(head, more, signature),
        "later end": _packed(head, body | {"exp": body["exp"] + 10**6}, signature),
        "signed by another server": other.sign({**body, "aud": signer.audience}),
        "for another server": other.sign(body),
        "an HMAC with the public key": jwt.encode(more, key, algorithm="HS256"),
        "an HMAC": jwt.encode(more, "x" * 64, algorithm="HS512"),
        "no id": signer.sign({name: value for name, value in body.items() if name != "jti"}),
        "no end": signer.sign({name: value for name, value in body.items() if name != "exp"}),
        "an id that was never given": signer.sign({**body, "jti": "0" * 12}),
        "more rights than were given": signer.sign(more),
        "other words": good[:-4] + ("AAAA" if good[-4:] != "AAAA" else "BBBB"),
        "cut": good[:-10],
        "a critical header": _packed(head | {"crit": ["x"]}, body, signature),
    }


def test_no_forged_or_downgraded_token_is_taken(site: Site, tmp_path: Path) -> None:
    for name, token in forgeries(site, tmp_path).items():
        site.server.keys._failures.clear()
        answer = site.get("/v1/types", token=token)
        assert answer.status == 401, name
        assert site.get("/v1/auth/whoami", token=token).data["ok"] is False, name


@pytest.mark.parametrize("wrong", ["x", "", "nous_", "nous_000000000000_", "nous_zz", "a.b.c", "é.é.é", "." * 9])
def test_what_is_no_token_is_refused(site: Site, wrong: str) -> None:
    site.server.keys._failures.clear()
    headers = {"Authorization": f"Bearer {wrong}".encode("latin-1", "replace").decode("latin-1")}
    assert site.get("/v1/types", token=None, headers=headers).status == 401


def test_one_letter_of_a_token_is_enough_to_refuse_it(site: Site) -> None:
    token = given(site, "carol")
    for at in (6, 20, len(token) - 1):
        site.server.keys._failures.clear()
        wrong = token[:at] + ("b" if token[at] != "b" else "c") + token[at + 1 :]
        assert site.get("/v1/types", token=wrong).status == 401


# -- what is kept ----------------------------------------------------------------------------------------------------


def test_only_hashes_are_kept_and_files_are_their_owners(site: Site) -> None:
    made = [given(site, "dan"), given(site, "dan", signed=True)]
    for path in Path(site.settings.data_dir).iterdir():
        data = path.read_bytes() if path.is_file() else b""
        assert not [token for token in made if token.encode() in data], path
    assert (Path(site.settings.data_dir) / "token.key").stat().st_mode & 0o777 == 0o600


def test_who_asked_about_which_project_is_kept_and_purged_with_it(tmp_path: Path) -> None:
    with serving(tmp_path) as site:
        with Nous.open(settings=site.settings) as nous:
            nous.remember(f"{SECRET}.", project="vault")
            nous.remember(f"{OPEN}.", project="shop")
        ann = given(site, "ann")
        for _ in range(3):
            site.good("/v1/memories?project=vault", token=ann)
        site.good(f"/v1/memories/{number_of(site, OPEN)}", token=ann)
        site.good("/v1/memories", token=ann)
        site.good("/v1/memories?project=vault")  # the owner
        site.server.audit.flush()
        with Nous.open(settings=site.settings) as nous:
            found = {(row["name"], row["project_id"], row["route"]): row["times"] for row in uses(nous)}
            assert found == {
                ("ann", "vault", "GET /v1/memories"): 3,
                ("ann", "shop", "GET /v1/memories/{id}"): 1,
                ("ann", "", "GET /v1/memories"): 1,
            }
            folder = str(tmp_path / "copies")
            nous.work.purge(purge.Selection(project="vault"), folder, "asked for")
            assert {row["project_id"] for row in uses(nous)} == {"shop", ""}
            old = replace(nous.stores.tokens.listing()[0].bearer())
            nous.stores.tokens.note(
                old, "shop", "GET /v1/log", 1, "2020-01-01T00:00:00.000Z", "2020-01-01T00:00:00.000Z"
            )
            assert nous.stores.pruning.prune("2021-01-01T00:00:00.000Z") == {"audit_log": 1}


def uses(nous: Nous) -> list[dict[str, Any]]:
    return nous.stores.tokens.uses(None, "2020-01-01", 1000)


def test_the_commands(home: Home) -> None:
    made = json.loads(home.nous("token", "create", "ann", "--role", "reader", "--days", "7", "--json").stdout)
    assert re.fullmatch(r"nous_[0-9a-f]{12}_\S{43}", made["token"]) and made["rights"] == ["read"]
    plain = home.nous("token", "create", "svc", "--signed", "--can", "sync", "--for-project", "shop")
    assert plain.stdout.count(".") == 2 and "shown only now" in plain.stderr
    listed = home.nous("token", "list").stdout
    assert "ann" in listed and "every project" in listed and "shop" in listed and made["token"] not in listed
    assert "BEGIN PUBLIC KEY" in home.nous("token", "key").stdout
    assert home.nous("token", "revoke", made["token_id"]).stdout == "1 tokens ended\n"
    assert "revoked" in home.nous("token", "list").stdout
    assert home.nous("token", "uses").stdout == "nobody asked with a token\n"
    assert home.nous("token", "revoke", "nobody").returncode == 1
    assert home.nous("token", "create", " ").returncode == 2
    assert home.nous("token", "create", "eve", "--days", "0").returncode == 2
    assert home.nous("token", "create", "eve", "--role", "king").returncode == 2
