"""The contracts of the smaller stores: graph, cache; vectors when they are there."""

from __future__ import annotations

from typing import Any

from factories import NOW, memory
from nous.kernel.capture.transcript import Turn
from nous.kernel.capture.transcripts import COUNTED
from nous.kernel.memory.graph import EdgeRow, Graph
from nous.kernel.memory.packet_cache import Cache
from nous.kernel.stores import Stores
from nous.moments import later

# -- sessions -------------------------------------------------------------------------------------------------------


def begun(stores: Stores, project: str, name: str, at: str) -> None:
    said = Turn(uuid=f"u-{name}", session_id=name, kind="prompt", text="go on", at=at)
    stores.transcripts.see_session(project, f"/{name}.jsonl", [said])


def test_memories_know_how_many_sessions_of_their_project_came_after_them(stores: Stores) -> None:
    old, fresh, other = memory(1), memory(2, valid_from=later(NOW, 250)), memory(3, project_id="q")
    assert stores.uses([old, fresh, other]) == {}
    for at in range(4):
        begun(stores, "p", f"s{at}", later(NOW, 100.0 * at))
    begun(stores, "q", "elsewhere", later(NOW, -100))
    assert {number: use.newer for number, use in stores.uses([old, fresh, other]).items()} == {1: 3, 2: 1}
    asked = stores.uses([old, other], "q")
    assert asked == {}, "no session of q began after them, whatever went on in p"
    for at in range(COUNTED + 10):
        begun(stores, "p", f"more{at:03}", later(NOW, 1000.0 + at))
    assert stores.uses([old])[1].newer == COUNTED


# -- graph ----------------------------------------------------------------------------------------------------------


def edge(source: str, target: str, relation: str = "relates_to", **fields: Any) -> EdgeRow:
    said: dict[str, Any] = {"weight": 1.0, "confidence": 1.0, "status": "active", "valid_from": None}
    return EdgeRow(source, target, relation, created_at=NOW, version=1, **(said | fields))


def test_a_relation_is_kept_once_and_brought_up_to_date(stores: Stores) -> None:
    stores.graph.put([edge("a", "b", status="suggested")])
    stores.graph.put([edge("a", "b", weight=0.5)])
    [row] = stores.graph.of("b")
    assert (row["status"], row["weight"]) == ("active", 0.5)


def test_erasing_a_learning_removes_its_relations(stores: Stores) -> None:
    stores.graph.put([edge("a", "b"), edge("c", "a"), edge("b", "c")])
    stores.graph.drop("a")
    assert [(row["source_id"], row["target_id"]) for row in stores.graph.of("b")] == [("b", "c")]


def test_centrality_counts_what_leads_to_a_learning(stores: Stores) -> None:
    store: Graph = stores.graph
    assert store.centrality("hub") == 0
    store.put([edge(f"n{at}", "hub") for at in range(4)])
    assert store.centrality("hub") == 0.5
    store.put([edge("n9", "hub", status="suggested"), edge("n8", "hub", "supersedes"), edge("hub", "n1")])
    assert store.centrality("hub") == 0.5
    assert stores.graph.centralities(["hub", "n1", "n2"]) == {"hub": 0.5, "n1": 0.2}


# -- cache ----------------------------------------------------------------------------------------------------------


def test_a_packet_is_found_under_its_key_and_replaced(stores: Stores) -> None:
    store: Cache = stores.cache
    assert store.get("p@main") is None
    store.put("p@main", "p", "main", "{1}", 1, NOW)
    store.put("p@main", "p", "main", "{2}", 2, NOW)
    store.put("q@", "q", "", "{3}", 2, NOW)
    assert store.get("p@main") == "{2}"
    store.drop_project("p")
    assert (store.get("p@main"), store.get("q@")) == (None, "{3}")


def test_projects_are_listed_by_when_they_were_seen_last(stores: Stores) -> None:
    stores.cache.see_project("p", "/p", "main", NOW)
    stores.cache.see_project("q", "/q", None, later(NOW, 5))
    stores.cache.see_project("p", "/p", "dev", later(NOW, -5))
    assert [(row["project_id"], row["branch"]) for row in stores.cache.projects()] == [("q", None), ("p", "dev")]
