"""Personal, project, team and organisation: who sees what, who writes what, and who said it; on both engines, under
attack by every route, through a hub, and in SQL."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode
from uuid import uuid4

import msgspec
import pytest
from bench.postgres import APP, PostgresServer
from msgspec.structs import replace

from factories import NOW, Home, extracted
from flows.simulation import CANARY, BadLink, Hub
from flows.test_devices import say
from nous.app import Nous, system_clock
from nous.config import load_settings
from nous.errors import Forbidden, Misuse, NotFound
from nous.kernel.access import ROLES, Bearer, TeamRole
from nous.kernel.db import views
from nous.kernel.log.events import Contested, Payload
from nous.kernel.recall.worth import line
from nous.kernel.sharing import ORGANISATION
from nous.kernel.stores import Stores, open_stores
from nous.kernel.viewer import OWNER_VIEW, Viewer
from nous.moments import later
from nous.shells.web.routes import ROUTES, Route
from nous.teams import tokens
from nous.teams.hubs import TeamHub
from nous.teams.sync import exchange
from shells.web import Answer, Site, serving

SHOP, TEAM_A, ALL = "The shop sells hats.", "Team a deploys on Fridays.", "Everybody signs commits."
VAULT, TEAM_B = f"The vault opens with {CANARY}.", f"Team b hides {CANARY} behind the clock."
TOLD = {"shop": SHOP, "team:a": TEAM_A, ORGANISATION: ALL, "vault": VAULT, "team:b": TEAM_B}


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A hub with two teams, and something known in every scope."""
    chosen: dict[str, Any] = {"serve_hub": True}
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        chosen["db_path"] = server.url("nous", APP, tenant=uuid4().hex)
    with serving(tmp_path_factory.mktemp("site"), **chosen) as made:
        with Nous.open(settings=made.settings) as nous:
            nous.stores.circles.add("team:a", ["shop"])
            nous.stores.circles.add("team:b", ["vault"])
            for project, text in TOLD.items():
                nous.remember(text, project=project, pin=True)
            nous.work.warm()
        yield made


def given(site: Site, name: str, role: TeamRole, *projects: str, rights: tuple[str, ...] = (), **more: Any) -> str:
    with Nous.open(settings=site.settings) as nous:
        signer = tokens.open_signer(site.settings.data_dir, make=True) if more.pop("signed", False) else None
        chosen = rights or ROLES[role]
        return tokens.make(nous.stores.tokens, name, chosen, system_clock(), projects=projects, signer=signer)[1]


def numbers(site: Site) -> dict[str, int]:
    with Nous.open(settings=site.settings, readonly=True) as nous:
        known = nous.stores.memories.listing(None)
    return {project: next(one.id for one in known if one.content == text) for project, text in TOLD.items()}


def contents(site: Site, path: str, token: str) -> set[str]:
    return {one["content"] for one in site.good(path, token=token)["items"]}


# -- who sees what --------------------------------------------------------------------------------------------------


def test_a_project_is_told_of_its_teams_and_of_the_organisation_and_of_nobody_else(site: Site) -> None:
    with Nous.open(settings=site.settings) as nous:
        for project, known in (
            ("shop", {SHOP, TEAM_A, ALL}),
            ("vault", {VAULT, TEAM_B, ALL}),
            ("elsewhere", {ALL}),
        ):
            assert {one.content for one in nous.list(project=project)} == known
            assert {one.content for one in nous.stores.memories.visible(project)} == known
            asked = "who deploys signs sells opens hides behind the clock?"
            assert {hit.content for hit in nous.recall(asked, project=project, records="memories")} <= known
        told = nous.stores.memories.by_id([numbers(site)["team:a"]])[0]
        assert (told.scope, line(told)[: len(TEAM_A) + 11]) == ("team", f"- {TEAM_A} (team a)")
        with_past = nous.list(project="shop", as_of=nous.clock())
        assert {one.content for one in with_past} == {SHOP, TEAM_A, ALL}


def test_a_member_sees_their_teams_and_everybody_sees_the_organisation(site: Site) -> None:
    ann, both = given(site, "ann", "member", "team:a"), given(site, "dan", "member", "team:a", "team:b")
    assert contents(site, "/v1/memories?project=shop", ann) == {SHOP, TEAM_A, ALL}
    assert contents(site, "/v1/memories?project=team:a", ann) == {TEAM_A, ALL}
    assert contents(site, "/v1/search?project=shop&q=deploys+signs+clock", ann) <= {SHOP, TEAM_A, ALL}
    assert site.get("/v1/memories?project=vault", token=ann).status == 403
    assert contents(site, "/v1/memories?project=vault", both) == {VAULT, TEAM_B, ALL}
    guest = given(site, "guest", "reader", "shop")  # of a project, and of no team
    assert contents(site, "/v1/memories?project=shop", guest) == {SHOP}
    assert site.get(f"/v1/memories/{numbers(site)['team:a']}", token=guest).status == 404
    packet = {"project": "shop", "session": "s"}
    assert TEAM_A in site.good("/v1/context", packet, token=ann)["additional_context"]
    assert site.post("/v1/context", packet, token=guest).status == 403


def test_membership_is_asked_for_at_every_request(site: Site) -> None:
    token = given(site, "eve", "member", "team:c", signed=True)
    assert site.get("/v1/memories?project=shop", token=token).status == 403
    with Nous.open(settings=site.settings) as nous:
        nous.stores.circles.add("team:c", ["shop"])
        assert contents(site, "/v1/memories?project=shop", token) == {SHOP, ALL}  # of another team of this project
        nous.stores.circles.remove("team:c")
    assert site.get("/v1/memories?project=shop", token=token).status == 403


ASKED = "who deploys signs sells opens hides behind the clock?"
SEARCHED = f"/v1/search?project=shop&limit=20&q={quote(ASKED)}"


def test_one_callers_search_changes_nobody_elses_answer(site: Site) -> None:
    guest, ann = given(site, "visitor", "reader", "shop"), given(site, "anna", "member", "team:a")

    def answers() -> list[set[str]]:
        return [contents(site, path, token) for path in (SEARCHED, "/v1/memories?project=shop") for token in (ann, "")]

    before = answers()
    assert all(TEAM_A in found for found in before), before
    assert contents(site, SEARCHED, guest) == {SHOP} and answers() == before


def test_callers_beside_each_other_each_see_their_own(site: Site) -> None:
    guest, ann = given(site, "beside", "reader", "shop"), given(site, "annie", "member", "team:a")
    with ThreadPoolExecutor(8) as several:
        asked = [(who, path) for who in (guest, ann, "") * 8 for path in (SEARCHED, "/v1/memories?project=shop")]
        found = list(several.map(lambda one: contents(site, one[1], one[0]), asked))
    for (who, path), told in zip(asked, found, strict=True):
        assert told == {SHOP} if who == guest else TEAM_A in told, (who == guest, path, told)


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_sql_gives_a_viewer_their_projects_and_teams_alone(engine: str, request: pytest.FixtureRequest) -> None:
    url = ":memory:"
    if engine == "postgres":
        url = request.getfixturevalue("postgres").url("nous", APP, tenant=uuid4().hex)
    stores = open_stores(url)
    stores.circles.add("team:a", ["shop"])
    for number, place in enumerate(("shop", "team:a", ORGANISATION, "vault")):
        say(stores, extracted(f"l{number}", f"Told for {place}.", project_id=place))

    def told(viewer: Viewer, project: str | None = None) -> list[set[str]]:
        listed = stores.memories.listing(project, viewer=viewer)
        paged = stores.browse.memories(
            {"project_id": project}, sort="newest", limit=9, cursor=None, as_of=None, viewer=viewer
        )
        then = stores.memories.listing(project, viewer=viewer, as_of=10**6)
        again = stores.memories.by_id([number for number, _ in paged])
        assert stores.browse.count({"project_id": project}, None, viewer) == len(paged)
        return [{one.project_id for one in found} for found in (listed, then, again)]

    guest = Viewer("guest", frozenset({"shop"}), frozenset())
    member = Viewer("ann", frozenset({"shop"}), frozenset({"team:a"}))
    assert told(guest) == told(guest, "shop") == [{"shop"}] * 3
    assert told(member) == told(member, "shop") == [{"shop", "team:a"}] * 3
    assert told(OWNER_VIEW) == [{"shop", "team:a", ORGANISATION, "vault"}] * 3
    assert {one.project_id for one in stores.memories.visible("shop", viewer=member)} == {"shop", "team:a"}
    stores.close()


# -- under attack ----------------------------------------------------------------------------------------------------


def attacked(site: Site, route: Route, token: str, number: int, project: str | None) -> Answer:
    """One request of a route about a memory and a project that are another team's."""
    path = route.path.replace("{id}", str(number)).replace("{item}", quote(f"disputed:{number}"))
    path, fields = path.replace("{name}", "clock"), dict(route.operation.example)
    known = route.operation.takes.__struct_fields__
    fields |= {"project": project} if "project" in known and project else {}
    fields |= {"memory_id": str(number)} if "memory_id" in known else {}
    if "ids" in known:
        fields = {"action": "forget", "ids": [number]}
    if "seen" in known:
        fields |= {"seen": ["vault", "team:b"]}
    if "query" in known:
        fields["query"] = CANARY
    if "question" in known:
        fields["question"] = CANARY
    if route.method == "GET":
        return site.get(f"{path}?{urlencode(fields)}", token=token)
    return site.post(path, fields, token=token)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_by_no_route_does_a_member_reach_another_team(site: Site, route: Route) -> None:
    everything = given(site, "mallory", "admin", "team:a")
    with Nous.open(settings=site.settings, readonly=True) as nous:
        hidden = nous.stores.memories.by_id([numbers(site)["vault"], numbers(site)["team:b"]])
        before = [nous.stores.events.of_learning(one.learning_id) for one in hidden]
    for one in hidden:
        for project in (
            "vault",
            "team:b",
            None,
            *(("shop", ORGANISATION) if route.operation.access in ("read", "search") else ()),
        ):
            answer = attacked(site, route, everything, one.id, project)
            assert CANARY.encode() not in answer.body.replace(f'"{CANARY}"'.encode(), b""), (project, answer.body)
    with Nous.open(settings=site.settings, readonly=True) as nous:
        assert [nous.stores.events.of_learning(one.learning_id) for one in hidden] == before


@pytest.mark.parametrize(
    "route", [one for one in ROUTES if one.operation.access in ("read", "search")], ids=lambda one: one.path
)
def test_by_no_route_does_a_guest_of_a_project_see_its_team(site: Site, route: Route) -> None:
    guest = given(site, f"guest {route.path}", "admin", "shop")
    for project in ("shop", None):
        answer = attacked(site, route, guest, numbers(site)["shop"], project)
        seen = [text for text in (TEAM_A, ALL) if text.encode() in answer.body]
        places = [answer.body.find(text.encode()) for text in seen]
        assert not seen, [answer.body[max(0, at - 600) : at + 100] for at in places]


def test_sql_shows_what_holds_in_the_project_alone(site: Site) -> None:
    if "://" in site.settings.db_path:
        with Nous.open(settings=site.settings) as nous, pytest.raises(Misuse, match="database that is a file"):
            nous.sql("SELECT content FROM memories", project="shop")
        return
    for project, known in (("shop", {SHOP, TEAM_A, ALL}), ("vault", {VAULT, TEAM_B, ALL}), ("elsewhere", {ALL})):
        found = {text for (text,) in views.ask(site.settings.db_path, "SELECT content FROM memories", project)[1]}
        assert known <= found and found.isdisjoint({*TOLD.values()} - known)
    for table in ("circles", "main.circles", "chain_projects", "devices"):
        with pytest.raises(Misuse):
            views.ask(site.settings.db_path, f"SELECT * FROM {table}", "shop")


def test_teams_of_one_name_are_apart_between_tenants(postgres: PostgresServer) -> None:
    import psycopg

    here, there = (open_stores(postgres.url("nous", APP, tenant=uuid4().hex)) for _ in range(2))
    here.circles.add("team:a", ["shop"])
    say(here, extracted("l1", f"Use {CANARY}.", project_id="team:a", scope="team"))
    assert there.circles.list_known() == {} and there.memories.visible("shop") == []
    there.circles.add("team:a", ["shop"])
    assert [one.learning_id for one in here.memories.visible("shop")] == ["l1"]
    assert there.memories.visible("shop") == []
    with psycopg.connect(postgres.url("nous", APP)) as raw:  # without a tenant there is nothing at all
        for table in ("circles", "chain_projects"):
            assert raw.execute(f"SELECT * FROM nous.{table}").fetchall() == []
    here.close()
    there.close()


# -- who writes what -------------------------------------------------------------------------------------------------


def test_a_steward_writes_for_a_team_and_an_admin_for_all_and_members_remark(site: Site) -> None:
    member, steward = given(site, "m", "member", "team:a"), given(site, "s", "steward", "team:a")
    admin = given(site, "root", "admin", "team:a")
    said = {"text": "Team a reviews in pairs.", "project": "team:a"}
    refused = site.post("/v1/memories", said, token=member)
    assert (refused.status, "right steward" in refused.data["error"]["message"]) == (403, True)
    assert site.good("/v1/memories", said, token=steward)["memories"][0]["scope"] == "team"
    for_all = {"text": "Everybody rests on Sundays.", "project": ORGANISATION, "scope": "organisation"}
    assert site.post("/v1/memories", for_all, token=steward).status == 403
    assert site.good("/v1/memories", for_all, token=admin)["memories"][0]["scope"] == "organisation"
    assert site.post("/v1/memories", said | {"project": "team:b"}, token=admin).status == 403
    place = f"/v1/memories/{numbers(site)['team:a']}"
    before = site.good(place, token=member)["memory"]
    for path, body in (
        (f"{place}/confirm", {}),
        (f"{place}/forget", {}),
        (f"{place}/unpin", {}),
        (f"{place}/correct", {"text": "Team a never deploys."}),
        ("/v1/memories/bulk", {"action": "forget", "ids": [numbers(site)["team:a"]]}),
    ):
        assert site.post(path, body, token=member).status == 403, path
    assert site.good(place, token=member)["memory"] == before
    assert site.post(f"{place}/dispute", {"reason": "Not in May."}, token=member).status == 200
    assert site.post(f"{place}/confirm", token=member).status == 403
    assert site.post(f"{place}/confirm", token=steward).status == 200


def test_what_is_personal_is_never_merged_into_a_team(tmp_path: Path) -> None:
    settings = load_settings({"HOME": str(tmp_path), "NOUS_DATA_DIR": str(tmp_path / "data")})
    with Nous.open(settings=settings) as nous:
        nous.stores.circles.add("team:a", ["shop"])
        own = nous.remember("We deploy on Fridays.", project="shop", scope="global")
        ours = nous.remember("We deploy on Fridays.", project="team:a")
        assert own != ours and nous.get(own).scope == "global" and nous.get(ours).scope == "team"
        with pytest.raises(Misuse, match="say for which team"):
            nous.remember("No team named.", project="shop", scope="team")
        with pytest.raises(NotFound, match="there is no team:z here"):
            nous.remember("Unknown.", project="team:z")
        nous.stores.circles.replace({"team:a": ["shop"]}, ())
        with pytest.raises(Forbidden, match="right steward"):
            nous.remember("May not.", project="team:a")


# -- through a hub ---------------------------------------------------------------------------------------------------


@pytest.fixture(params=["sqlite", "postgres"])
def hub(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hub]:
    if request.param == "sqlite":
        made = Hub(tmp_path)
    else:
        server: PostgresServer = request.getfixturevalue("postgres")
        made = Hub(tmp_path, url=server.url("nous", APP, tenant=uuid4().hex))
    made.stores.circles.add("team:a", ["shop"])
    made.stores.circles.add("team:b", ["vault"])
    yield made
    made.stores.close()


def bearer(hub: Hub, name: str, role: TeamRole, *given: str) -> Bearer:
    return Bearer(name, frozenset(ROLES[role]), hub.stores.circles.widen(given), name)


def carrier(hub: Hub, who: Bearer) -> TeamHub:
    return TeamHub(BadLink(hub, random.Random(0), who=who), frozenset({"*"}))


def known(stores: Stores) -> set[str]:
    return {one.learning_id for one in stores.memories.listing(None, status=None, limit=1000)}


def test_devices_get_what_their_people_see_and_hear_who_said_it(hub: Hub) -> None:
    ann, bob = bearer(hub, "ann", "steward", "team:a"), bearer(hub, "bob", "member", "team:b")
    cid = bearer(hub, "cid", "member", "team:a")
    here, there, third = (open_stores(":memory:") for _ in range(3))
    exchange(here, carrier(hub, ann), NOW)
    assert here.circles.list_known() == {"team:a": {"shop"}, ORGANISATION: {"*"}} and here.circles.list_writable() == {
        "team:a"
    }
    say(
        here,
        extracted("l1", SHOP, project_id="shop"),
        extracted("l2", TEAM_A, project_id="team:a", scope="team"),
        extracted("l3", f"My own {CANARY}.", project_id="shop", scope="global"),
        extracted("l4", f"Of another project {CANARY}.", project_id="elsewhere"),
    )
    say(there, extracted("l5", VAULT, project_id="vault"))
    for stores, who in ((here, ann), (there, bob), (third, cid), (here, ann), (there, bob)):
        assert exchange(stores, carrier(hub, who), later(NOW, 5)).troubles == ()
    assert known(hub.stores) == {"l1", "l2", "l5"}  # what this token may not tell stays, though it shares everything
    assert known(third) == {"l1", "l2"} and known(there) == {"l5"}
    assert third.devices.written_by(["l1", "l2"]) == {"l1": "ann", "l2": "ann"}
    assert hub.stores.devices.written_by(["l1", "l5"]) == {"l1": "ann", "l5": "bob"}
    assert [one.learning_id for one in third.memories.visible("shop")] == ["l2", "l1"]
    assert third.memories.visible("elsewhere") == []
    hub.stores.circles.remove("team:a", "shop")
    hub.stores.circles.add("team:a", ["other"])
    exchange(third, carrier(hub, bearer(hub, "cid", "member", "team:a")), later(NOW, 9))
    assert [one.learning_id for one in third.memories.visible("other")] == ["l2"]
    for stores in (here, there, third):
        stores.close()


def test_a_member_keeps_what_only_a_steward_may_tell_and_a_remark_goes(hub: Hub) -> None:
    ann, cid = bearer(hub, "ann", "steward", "team:a"), bearer(hub, "cid", "member", "team:a")
    here, third = open_stores(":memory:"), open_stores(":memory:")
    say(here, extracted("l2", TEAM_A, project_id="team:a", scope="team"))
    for stores, who in ((here, ann), (here, ann), (third, cid)):
        exchange(stores, carrier(hub, who), later(NOW, 5))
    made = replace(extracted("l2", key="pin", project_id="team:a"), source="user_review")
    say(third, replace(made, event_type="LearningPinned", payload=Payload()), now=later(NOW, 6))
    remark = replace(made, event_type="LearningContested", payload=Contested(reason="Not in May."))
    say(third, replace(remark, idempotency_key="remark"), now=later(NOW, 7))
    exchange(third, carrier(hub, cid), later(NOW, 8))
    [told] = hub.stores.memories.by_learning(["l2"]).values()
    assert "contested" in told.tags and not told.pinned
    here.close()
    third.close()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"project_id": "vault"}, "for other projects"),
        ({"stream_id": "l5"}, "for other projects"),  # under the name of one's own project
        ({"project_id": "team:a"}, "right steward"),
        ({"project_id": ORGANISATION}, "right admin"),
    ],
)
def test_a_hub_refuses_what_a_token_may_not_tell(hub: Hub, change: dict[str, str], reason: str) -> None:
    say(hub.stores, extracted("l5", VAULT, project_id="vault"))
    here = open_stores(":memory:")
    event = replace(
        extracted(change.get("stream_id", "l1"), project_id=change.get("project_id", "shop")), source="user"
    )
    say(here, event)
    here.devices.publish(hub.name, next(here.devices.list_unpublished(hub.name)), NOW)
    pushed = list(here.devices.list_written(only=here.devices.publishing(hub.name)))
    body = {"events": [msgspec.to_builtins(one) for one in pushed]}
    before = hub.stores.events.count()
    with pytest.raises(Forbidden, match=reason):
        hub.ask("POST", "/v1/sync/push", body, bearer(hub, "cid", "member", "team:a"))
    assert hub.stores.events.count() == before
    here.close()


def test_nobody_goes_on_with_anothers_chain_and_nobody_asks_for_more(hub: Hub) -> None:
    ann, cid = bearer(hub, "ann", "member", "team:a"), bearer(hub, "cid", "member", "team:a")
    here = open_stores(":memory:")
    say(here, extracted("l1", SHOP, project_id="shop"))
    exchange(here, carrier(hub, ann), NOW)
    say(here, extracted("l9", "Not ann's.", project_id="shop"), now=later(NOW, 5))
    with pytest.raises(Forbidden, match="is ann's"):
        exchange(here, carrier(hub, cid), later(NOW, 6))
    assert known(hub.stores) == {"l1"}
    say(hub.stores, extracted("l5", VAULT, project_id="vault"), now=later(NOW, 7))
    said = hub.ask(
        "POST", "/v1/sync/pull", {"seen": None, "known": {}}, cid
    )  # what a body says of itself counts nothing
    assert CANARY not in json.dumps(said) and "l1" in json.dumps(said)
    told = hub.ask("POST", "/v1/sync/heads", {"seen": ["vault"], "writes": ["team", "organisation"]}, cid)
    assert told["writes"] == [] and set(told["circles"]) == {"team:a", ORGANISATION}
    here.close()


# -- the commands ----------------------------------------------------------------------------------------------------


def test_the_commands(home: Home) -> None:
    assert "no teams" in home.nous("team", "list").stdout
    assert home.nous("token", "create", "ann", "--team", "payments").returncode == 1
    assert "payments              shop" in home.nous("team", "add", "payments", "shop").stdout
    for wrong in ("", "two words", "a,b", "*", "organisation"):
        assert home.nous("team", "add", wrong, "shop").returncode == 2, wrong
    made = json.loads(home.nous("token", "create", "ann", "--team", "payments", "--json").stdout)
    assert made["projects"] == ["team:payments"]
    assert home.nous("remember", "Ship", "on", "Mondays.", "--team", "payments").returncode == 0
    assert home.nous("remember", "Sign commits.", "--organisation").returncode == 0
    assert home.nous("remember", "x", "--team", "payments", "--organisation").returncode == 2
    listed = home.nous("list", "--project", "shop").stdout
    assert "Ship on Mondays. [team payments]" in listed and "Sign commits. [organisation]" in listed
    assert "Ship on Mondays." not in home.nous("list", "--project", "elsewhere").stdout
    assert "payments" not in home.nous("team", "remove", "payments").stdout
    assert home.nous("team", "remove", "payments").returncode == 1
    assert "Ship on Mondays." not in home.nous("list", "--project", "shop").stdout
