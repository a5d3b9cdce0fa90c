"""A team: disputes with a thread that a steward settles, what a newcomer is shown, and whose word comes first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from factories import Home, memory
from nous.app import Nous, system_clock
from nous.config import load_settings
from nous.kernel.access import ROLES, TeamRole
from nous.kernel.recall.worth import entries, leading, line
from nous.kernel.sharing import CONTESTED
from nous.teams import tokens
from shells.web import Site, serving

TEXT = "Retries belong in the client."


@pytest.fixture
def nous(tmp_path: Path) -> Any:
    settings = load_settings({"HOME": str(tmp_path), "NOUS_DATA_DIR": str(tmp_path / "data")})
    with Nous.open(settings=replace(settings, disputes="discuss")) as made:
        yield made


def test_a_disputed_memory_is_used_with_a_badge_until_it_is_settled(nous: Nous) -> None:
    number = nous.remember(TEXT, project="shop", pin=True)
    before = nous.get(number).confidence
    nous.dispute(number, "The server retries since May.")
    nous.dispute(number, "Only for reads, I think.")
    found = nous.get(number)
    assert found.confidence == pytest.approx(before * 0.8) and CONTESTED in found.tags and not found.disputed
    assert "(disputed in the team)" in line(found)
    assert entries([found], nous.clock(), "")  # it is shown all the same
    said = [one["said"] for one in nous.call("memories.thread", id=number)["items"]]
    assert said == ["The server retries since May.", "Only for reads, I think."]
    assert [item.kind for item in nous.review(project="shop") if item.memory.id == number] == ["disputed"]
    nous.confirm(number)
    assert CONTESTED not in nous.get(number).tags and nous.get(number).confidence == 1.0
    assert nous.call("memories.thread", id=number)["items"]  # what was said stays
    assert nous.work.compare().differences == []


def test_alone_a_dispute_stops_a_memory_as_before(tmp_path: Path) -> None:
    settings = load_settings({"HOME": str(tmp_path), "NOUS_DATA_DIR": str(tmp_path / "data")})
    with Nous.open(settings=settings) as alone:
        number = alone.remember(TEXT, project="shop")
        before = alone.get(number).confidence
        alone.dispute(number)
        assert alone.get(number).disputed and alone.get(number).confidence == pytest.approx(before / 2)


def test_taking_back_a_dispute_restores_what_was(nous: Nous) -> None:
    number = nous.remember(TEXT, project="shop")
    before = nous.get(number)
    nous.dispute(number, "Is it so?")
    nous.undo(last=1, project="shop")
    after = nous.get(number)
    assert (after.confidence, after.tags) == (before.confidence, before.tags)


def token(site: Site, role: TeamRole) -> str:
    with Nous.open(settings=site.settings) as nous:
        return tokens.make(nous.stores.tokens, role, ROLES[role], system_clock())[1]


def test_on_a_hub_members_discuss_and_a_steward_settles(tmp_path: Path) -> None:
    with serving(tmp_path, serve_hub=True) as site:
        with Nous.open(settings=site.settings) as nous:
            number = nous.remember(TEXT, project="shop")
        member, steward = token(site, "member"), token(site, "steward")
        place = f"/v1/memories/{number}"
        own = site.good("/v1/memories", {"text": "Invoices are kept in cents.", "project": "shop"}, token=member)
        assert site.post(f"/v1/memories/{own['memories'][0]['id']}/confirm", token=member).status == 200
        assert site.post(f"{place}/confirm", token=member).status == 403  # somebody else told it
        found = site.good(f"{place}/dispute", {"reason": "Not since May."}, token=member)
        assert CONTESTED in found["memories"][0]["tags"]
        [asked] = site.good("/v1/review", token=member)["items"]
        for path, body in (
            (f"{place}/confirm", {}),
            (f"{place}/forget", {}),
            (f"{place}/correct", {"text": "Retries belong in the server."}),
            ("/v1/memories/bulk", {"action": "forget", "ids": [number]}),
            ("/v1/memories/bulk", {"action": "forget", "filter": {"project": "shop"}}),
            (f"/v1/review/{asked['id']}", {"action": "keep"}),
            (f"{place}/pin", {}),
            ("/v1/undo", {}),
            ("/v1/undo", {"events": found["events"]}),
            (
                "/v1/events",
                {
                    "event_type": "LearningConfirmed",
                    "learning_id": found["memories"][0]["global_id"],
                    "idempotency_key": "sly",
                },
            ),
        ):
            refused = site.post(path, body, token=member)
            assert (refused.status, refused.code) == (403, "forbidden"), path
        assert site.post(f"{place}/dispute", {"reason": "For reads only."}, token=member).status == 200
        with Nous.open(settings=site.settings, readonly=True) as nous:
            said = nous.call("memories.thread", id=number)["items"]
            assert [one["author"] for one in said] == ["member", "member"]
        assert site.post(f"{place}/confirm", token=steward).status == 200
        assert site.good("/v1/memories?tag=contested", token=member)["total"] == 0


@pytest.mark.parametrize(
    ("own", "ours", "first"),
    [
        ((0.9, "2026-05-01"), (0.7, "2026-01-01"), "own"),  # surer and newer
        ((0.9, "2026-01-01"), (0.7, "2026-05-01"), "ours"),
        ((0.6, "2026-05-01"), (0.7, "2026-01-01"), "ours"),
    ],
)
def test_a_persons_own_is_shown_when_it_is_surer_and_newer(
    own: tuple[float, str], ours: tuple[float, str], first: str
) -> None:
    moment = "T00:00:00.000Z"
    made = {
        "own": memory(id=1, learning_id="l1", content="I use tabs.", scope="global", confidence=own[0]),
        "ours": memory(id=2, learning_id="l2", content="We use spaces.", confidence=ours[0]),
    }
    made["own"] = replace(made["own"], valid_from=own[1] + moment, contradicted_with=("l2",), pinned=True)
    made["ours"] = replace(made["ours"], valid_from=ours[1] + moment, contradicted_with=("l1",), pinned=True)
    for pair in ((made["own"], made["ours"]), (made["ours"], made["own"])):
        assert leading(*pair)[0] is made[first]
    [shown] = entries(made.values(), "2026-06-01" + moment, "")
    assert shown.id == made[first].id


def test_the_commands(home: Home) -> None:
    home.environ["NOUS_DISPUTES"] = "discuss"
    home.nous("remember", TEXT, "--project", "shop")
    number = home.nous("list", "--project", "shop", "--json").stdout.split('"id":')[1].split(",")[0]
    assert home.nous("dispute", number, "Not", "since", "May.").returncode == 0
    assert "Not since May." in home.nous("log", "--memory", number).stdout
    assert "no known project 'empty'" in home.nous("list", "--project", "empty").stderr
    assert home.nous("dispute", "999999").returncode == 1
