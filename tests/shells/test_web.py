"""The service API over real sockets: every read, every write, paging, time, once only, live."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from nous.app import Nous
from nous.shells.web.routes import ROUTES
from nous.shells.web.serving import listen
from shells.web import Site, serving

SAID = [
    ("Use pnpm, not npm.", "preference"),
    ("The staging database is reset every Monday.", "fact"),
    ("Invoices are kept in cents.", "decision"),
    ("The build fails when the cache is cold.", "gotcha"),
    ("Deploy with make release.", "procedure"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site")) as made:
        with Nous.open(settings=made.settings) as nous:
            for text, kind in SAID:
                nous.remember(text, type=kind, project="shop", files=["src/shop/pay.py"], tags=["t"])
            nous.remember("Something else entirely.", project="other")
        yield made


def texts(page: dict[str, Any]) -> list[str]:
    return [item["content"] for item in page["items"]]


def kept(site: Site, text: str = "A thing to decide about.", **more: Any) -> dict[str, Any]:
    """A new memory, as the API gives it."""
    memory: dict[str, Any] = site.good("/v1/memories", {"text": text, "project": "bin"} | more)["memories"][0]
    return memory


def test_memories_come_in_pages_that_meet_without_a_gap(site: Site) -> None:
    every = site.good("/v1/memories?project=shop")
    assert every["total"] == 5 and every["next"] is None
    assert texts(every) == [text for text, _ in reversed(SAID)]
    for sort in ("newest", "oldest", "changed", "surest", "weakest"):
        whole = texts(site.good(f"/v1/memories?project=shop&sort={sort}"))
        found, cursor = [], ""
        while cursor is not None:
            page = site.good(f"/v1/memories?project=shop&sort={sort}&limit=2&cursor={cursor}")
            found += texts(page)
            cursor = page["next"]
        assert found == whole and len(set(found)) == 5, sort


@pytest.mark.parametrize(
    ("asked", "number"),
    [
        ("type=fact,decision", 2),
        ("kind=procedural", 1),
        ("words=CENTS", 1),
        ("words=100%25", 0),
        ("file=pay.py", 5),
        ("file=src/shop/pay.py", 5),
        ("file=y.py", 0),
        ("module=src/shop", 5),
        ("module=src/sho", 0),
        ("tag=t", 5),
        ("tag=x", 0),
        ("pinned=true", 0),
        ("tainted=false", 5),
        ("confirmed=false", 5),
        ("min_confidence=0.99", 0),
        ("max_confidence=0.99", 5),
        ("after=1d", 5),
        ("before=1d", 0),
        ("as_of=1d", 0),
        ("as_at=1d", 0),
        ("as_of=now", 5),
        ("status=archived", 0),
        ("status=all", 5),
        ("entity=PNPM", 1),
    ],
)
def test_every_filter_narrows(site: Site, asked: str, number: int) -> None:
    page = site.good(f"/v1/memories?project=shop&{asked}")
    assert (len(page["items"]), page["total"]) == (number, number)


def test_a_search_says_what_its_scores_are_made_of(site: Site) -> None:
    found = site.good("/v1/search?q=staging+database+reset&project=shop")
    best = found["items"][0]
    assert best["content"] == SAID[1][0]
    assert best["shares"]["text"] > 0 and "words" in best["found_by"] and found["took_ms"] > 0
    assert sum(best["shares"].values()) == pytest.approx(best["score"], abs=1e-4)


def test_one_memory_comes_with_its_story_and_receipts(site: Site) -> None:
    memory = kept(site)
    number = memory["id"]
    site.good(f"/v1/memories/{number}/confirm", {})
    shown = site.good(f"/v1/memories/{number}")
    assert shown["memory"]["confirmed"] and "fading" in shown["explanation"]
    assert site.good(f"/v1/memories/{memory['global_id']}")["memory"]["id"] == number
    story = site.good(f"/v1/memories/{number}/history")["items"]
    assert [entry["type"] for entry in story] == ["LearningExtracted", "LearningConfirmed"]
    assert site.good(f"/v1/memories/{number}/receipts")["effect"]["injected"] == 0
    assert site.get(f"/v1/memories/{number}?as_of=1d").code == "not_found"


def test_a_look_changes_nothing(site: Site) -> None:
    before = site.good("/v1/changes?wait=0")["last_event"]
    for path in ("/v1/status", "/v1/memories", "/v1/search?q=pnpm", "/v1/log", "/v1/review", "/v1/timeline"):
        site.good(path)
    assert site.good("/v1/changes?wait=0")["last_event"] == before


@pytest.mark.parametrize("verb", ["confirm", "pin", "forget", "dispute"])
def test_a_decision_is_made_and_taken_back(site: Site, verb: str) -> None:
    memory = kept(site, f"Something to {verb}.")
    done = site.good(f"/v1/memories/{memory['id']}/{verb}", {})
    after = done["memories"][0]
    assert after != memory and len(done["events"]) == 1
    undone = site.good("/v1/undo", {"events": done["events"]})
    assert undone["undone"] == done["events"]
    assert undone["memories"][0] == memory


def test_what_was_forgotten_can_be_restored_and_what_was_pinned_unpinned(site: Site) -> None:
    number = kept(site, "Something to lose.")["id"]
    assert site.good(f"/v1/memories/{number}/forget", {"reason": "gone"})["memories"][0]["status"] == "archived"
    assert site.good(f"/v1/memories/{number}/restore", {})["memories"][0]["status"] == "active"
    assert site.good(f"/v1/memories/{number}/pin", {})["memories"][0]["pinned"]
    assert not site.good(f"/v1/memories/{number}/unpin", {})["memories"][0]["pinned"]


def test_better_words_take_the_place_of_a_memory(site: Site) -> None:
    number = kept(site, "The gate closes at six.")["id"]
    new, old = site.good(f"/v1/memories/{number}/correct", {"text": "The gate closes at seven."})["memories"]
    assert (new["content"], old["status"]) == ("The gate closes at seven.", "superseded")
    refused = site.post(f"/v1/memories/{number}/restore", {})
    assert refused.status == 422 and "undo" in refused.data["error"]["hint"]


def test_many_at_once_are_one_decision(site: Site) -> None:
    numbers = [kept(site, f"Bulk thing number {n}.", project="bulk", type="progress")["id"] for n in range(7)]
    wanted = {"filter": {"project": "bulk", "type": "progress"}}
    looked = site.good("/v1/memories/bulk", wanted | {"action": "forget", "dry_run": True})
    assert (looked["count"], looked["events"]) == (7, [])
    refused = site.post("/v1/memories/bulk", wanted | {"action": "forget", "expected": 6})
    assert (refused.status, refused.code) == (409, "conflict")
    done = site.good("/v1/memories/bulk", wanted | {"action": "forget", "expected": 7})
    assert done["count"] == 7 and {memory["status"] for memory in done["memories"]} == {"archived"}
    back = site.good("/v1/undo", {"last": 1, "project": "bulk"})
    assert sorted(memory["id"] for memory in back["memories"]) == numbers
    assert site.good("/v1/memories?project=bulk")["total"] == 7
    assert site.good("/v1/memories/bulk", {"action": "pin", "ids": numbers[:2]})["count"] == 2
    assert site.post("/v1/memories/bulk", {"action": "pin"}).code == "bad_request"


def test_the_same_key_does_the_same_thing_once(site: Site) -> None:
    headers = {"Idempotency-Key": "k1", "Nous-Client": "test", "Nous-Session": "s-77"}
    first = site.post("/v1/memories", {"text": "Only once.", "project": "bin"}, headers=headers)
    again = site.post("/v1/memories", {"text": "Only once.", "project": "bin"}, headers=headers)
    assert again.data == first.data and again.headers["idempotency-replayed"] == "true"
    other = site.post("/v1/memories", {"text": "Another thing.", "project": "bin"}, headers=headers)
    assert (other.status, other.code) == (409, "conflict")
    assert site.post("/v1/memories", {"text": "x"}, headers={"Nous-Schema-Version": "9"}).code == "bad_request"
    with Nous.open(settings=site.settings, readonly=True) as nous:
        kept = nous.stores.browse.request("test", "k1")
        assert kept and kept["session_id"] == "s-77" and "Only once" not in str(kept)


def test_the_log_the_diff_and_the_days(site: Site) -> None:
    page = site.good("/v1/log?limit=3")
    rest = site.good(f"/v1/log?limit=3&cursor={page['next']}")
    numbers = [event["event_id"] for event in page["items"] + rest["items"]]
    assert numbers == sorted(numbers, reverse=True) and len(set(numbers)) == 6
    only = site.good("/v1/log?type=LearningPinned")["items"]
    assert only and {event["type"] for event in only} == {"LearningPinned"}
    changed = site.good("/v1/diff?from=1d&project=shop&limit=2")
    assert changed["total"] == 5 and [one["change"] for one in changed["items"]] == ["learned"] * 2
    more = site.good(f"/v1/diff?from=1d&project=shop&limit=4&cursor={changed['next']}")
    assert len(more["items"]) == 3 and more["next"] is None
    assert site.get("/v1/diff?from=now&to=7d").code == "bad_request"
    [today] = site.good("/v1/timeline?project=shop")["items"]
    assert (today["learned"], today["events"]) == (5, 5)


def test_the_status_counts_what_was_there_then(site: Site) -> None:
    assert site.good("/v1/status?project=shop")["memories"] == 5
    assert site.good("/v1/status?project=shop&as_of=1d")["memories"] == 0


def test_settings_say_where_they_come_from(site: Site) -> None:
    rows = {row["name"]: row for row in site.good("/v1/settings")["items"]}
    assert rows["http_port"]["from"] == "default" and rows["http_port"]["variable"] == "NOUS_HTTP_PORT"


def test_somebody_who_waits_is_told_what_was_written(site: Site) -> None:
    last = site.good("/v1/changes?wait=0")["last_event"]
    number = kept(site, "News for whoever listens.")["id"]
    said = site.good(f"/v1/changes?after={last}&wait=10")
    assert said["memories"] == [number] and said["projects"] == ["bin"]


def test_what_other_programs_use(site: Site) -> None:
    memory = kept(site, "Machines talk to machines.")
    event = {"event_type": "LearningConfirmed", "learning_id": memory["global_id"], "idempotency_key": "e1"}
    assert site.good("/v1/events", event)["memories"][0]["confirmed"]
    assert site.good("/v1/events", event)["known"]
    assert site.post("/v1/events", event | {"payload": {"x": 1}}).code == "bad_request"
    told = {"memory_id": str(memory["id"]), "signal": "useful", "session": "s1"}
    assert site.good("/v1/feedback", told)["counted"] and not site.good("/v1/feedback", told)["counted"]
    learned = {"project": "bin", "text": "We decided to keep the ledger in euros.", "session": "ci-1"}
    assert site.good("/v1/artifacts", learned)["ingest_id"] and not site.good("/v1/artifacts", learned)["ingest_id"]
    assert site.good("/v1/backfill", {"dry_run": True})["files"] == 0
    assert site.good("/v1/replay", {"verify": True})["ok"]
    assert site.good("/v1/archive", {"dry_run": True})["events"] == {}


def test_longer_work_is_done_once_under_its_key(site: Site) -> None:
    asked = {"project": "bin", "text": "We decided to keep the till in pounds.", "session": "ci-2"}
    headers = {"Idempotency-Key": "w1", "Nous-Client": "test"}
    first = site.post("/v1/artifacts", asked, headers=headers)
    again = site.post("/v1/artifacts", asked, headers=headers)
    assert first.data["ingest_id"] and again.data == first.data and again.headers["idempotency-replayed"] == "true"
    assert site.post("/v1/artifacts", asked | {"session": "ci-3"}, headers=headers).code == "conflict"


def test_what_can_only_be_told_of_the_present_does_not_pretend_otherwise(site: Site) -> None:
    for route in ROUTES:
        path = route.path.replace("{id}", "1").replace("{name}", "x")
        if route.method == "GET" and "as_of" not in route.operation.takes.__struct_fields__:
            answer = site.get(f"{path}?as_of=1d")
            assert answer.code == "bad_request" and "as_of" in answer.data["error"]["message"], route.path


def test_a_question_that_is_decided_does_not_come_back_with_the_next_look(site: Site) -> None:
    number = kept(site, "The doors are blue.", project="doubts")["id"]
    site.good(f"/v1/memories/{number}/dispute", {})
    [item] = site.good("/v1/review?project=doubts")["items"]
    assert site.good("/v1/review?project=doubts")["waiting"] == {"disputed": 1}
    site.good(f"/v1/review/{item['id']}", {"action": "keep"})
    assert site.good("/v1/review?project=doubts")["items"] == []


def test_no_answer_waits_for_an_acknowledgement(site: Site) -> None:
    """What asyncio asks before it turns Nagle off; without, every answer takes 40 ms more."""
    with listen(0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.proto == socket.IPPROTO_TCP


def test_projects_and_types(site: Site) -> None:
    found = {row["project_id"]: row["memories"] for row in site.good("/v1/projects")["items"]}
    assert found["shop"] == 5
    assert site.good("/v1/types")["items"][0]["type"] == "preference"


def test_the_panel_has_its_own_page_and_nothing_else(site: Site, tmp_path: Path) -> None:
    moved = site.get("/", token=None)
    assert (moved.status, moved.headers["location"]) == (307, "/panel/")
    assert site.get("/panel/nothing.js", token=None).code == "not_found"


def test_reads_do_not_wait_for_those_who_write(site: Site) -> None:
    """Somebody writes for long, others wait to write: reading goes on."""
    with ThreadPoolExecutor(6) as pool:
        with site.server.lender.writer():
            told = [{"text": f"Late {number}.", "project": "late"} for number in range(6)]
            waiting = [pool.submit(site.good, "/v1/memories", one) for one in told]
            for _ in range(5):
                assert site.good("/v1/memories?project=shop")["total"] == 5
            assert not any(one.done() for one in waiting)
        assert all(one.result()["memories"] for one in waiting)
