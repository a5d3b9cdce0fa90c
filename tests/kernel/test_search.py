"""Recall as a caller sees it: what comes back, what never does, and why."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from nous.app import Nous
from nous.config import load_settings
from nous.errors import NousError
from nous.kernel.log.events import Edge, Event
from nous.kernel.log.extraction import RelationName
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.recall.embedding import embed_waiting
from nous.kernel.recall.embeddings import EmbeddingQueue
from nous.kernel.recall.ranking import PARTS
from nous.kernel.recall.retrievers import RETRIEVERS, Ask, Hits, Retriever
from nous.kernel.recall.vector_cache import Matrix
from nous.kernel.recall.vectors import Vectors
from nous.kernel.recall.weights import Weights
from nous.providers import Embeddable
from nous.providers.hashed import Hashed

P = "project-a"
NOW = "2026-11-10T12:00:00.000Z"


@pytest.fixture
def nous(tmp_path: Path) -> Iterator[Nous]:
    settings = load_settings({"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)})
    with Nous.open(tmp_path / "memory.db", settings=settings) as opened:
        opened.clock = lambda: NOW
        yield opened


def said(nous: Nous, query: str, **options: Any) -> list[str]:
    return [hit.content for hit in nous.recall(query, **({"project": P} | options))]


DEVELOPER = [
    "The loader is getUserById in src/auth/tokens.py",
    "Pylint E1101 is a false alarm for apsw",
    "Never commit with --no-verify",
    "Node is pinned to 20.11.1",
    "Staging runs on port 8443",
    "Вся документация на русском языке",
    "数据库迁移用 make migrate",
    "Die Prüfsumme wird nächtlich geprüft",
    "Celebrate releases with 🎉 in the channel",
]


@pytest.fixture
def developer(nous: Nous) -> Nous:
    for at, text in enumerate(DEVELOPER):
        nous.remember(text, project=P, ref=f"d{at}")
    return nous


@pytest.mark.parametrize(
    ("query", "at"),
    [
        ("getUserById", 0),
        ("get_user_by_id", 0),
        ("get user by id", 0),
        ("src/auth/tokens.py", 0),
        ("tokens.py", 0),
        ("auth", 0),
        ("E1101", 1),
        ("1101", 1),
        ("--no-verify", 2),
        ("no-verify", 2),
        ("20.11.1", 3),
        ("node version 20", 3),
        ("which port does staging use?", 4),
        ("running on ports", 4),
        ("документация", 5),
        ("数据库", 6),
        ("prufsumme", 7),
    ],
)
def test_things_of_code_and_of_every_language_are_found(developer: Nous, query: str, at: int) -> None:
    assert said(developer, query)[0] == DEVELOPER[at]


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "a AND",
        "NEAR(x, 2",
        "content:*",
        "(((",
        "''; DROP TABLE memories",
        "^x",
        "\0",
        "🎉🎉",
        "-",
        "x" * 100_000,
        "port " * 20_000,
        "* OR *",
    ],
)
def test_whatever_is_typed_is_only_ever_words(developer: Nous, query: str) -> None:
    assert all(hit.memory and hit.memory.project_id == P for hit in developer.recall(query, project=P))


def test_an_unknown_word_finds_nothing_rather_than_noise(developer: Nous) -> None:
    assert said(developer, "xyzzyqux") == said(developer, "flurbo gnarf") == said(developer, "") == []


def test_meaning_finds_what_no_word_does(nous: Nous) -> None:
    nous.remember_many([{"text": t, "ref": t} for t in ("The car is parked outside", "We bake bread daily")], project=P)
    if nous.embedder is None or isinstance(nous.embedder, Hashed):
        pytest.skip("no embedder that knows meaning")
    hits = nous.recall("the automobile is parked", project=P)
    assert hits[0].content == "The car is parked outside"
    assert "meaning" in hits[0].found_by


def test_another_projects_memories_never_come_back(nous: Nous) -> None:
    for project in (P, "project-b"):
        rows = [{"text": f"The staging port of {project} is {at}", "ref": f"{at}"} for at in range(300)]
        nous.remember_many(rows, project=project)
    nous.remember("The staging port policy is global", project="project-b", scope="global")
    for query in ("staging port", "project-b staging", "which haven is used"):
        assert all("project-b" not in text for text in said(nous, query, limit=1000))
    assert "The staging port policy is global" in said(nous, "port policy")
    assert any("project-b" in text for text in said(nous, "staging port", all_projects=True, limit=1000))


def test_what_was_superseded_archived_or_purged_never_comes_back(nous: Nous) -> None:
    old = nous.remember("Staging runs on port 8443", project=P, ref="port")
    gone = nous.remember("Staging logs go to syslog", project=P)
    nous.recall("staging", project=P)
    new = nous.remember("Staging runs on port 9443", project=P, ref="port")
    nous.forget(gone)
    for _ in range(3):  # the first asks the database, the next ones the index in memory
        assert [hit.id for hit in nous.recall("staging port syslog", project=P)] == [new]
    assert nous.get(old).status == "superseded"
    assert new not in [hit.id for hit in nous.recall("staging", project=P, as_of="2026-11-09")]


def test_a_ref_is_the_callers_own_key(nous: Nous) -> None:
    first = nous.remember("The port is 1", project=P, ref="k")
    assert nous.remember("The port is 1", project=P, ref="k") == first
    assert nous.remember("The port is 1", project=P, ref="other") != first
    second = nous.remember("The port is 2", project=P, ref="k")
    assert nous.get(first).status == "superseded"
    assert nous.get(second).ref == "k"
    rows = [{"text": "a", "ref": "x"}, {"text": "b", "ref": "x"}, {"text": "b", "ref": "x"}, {"text": "c", "ref": "y"}]
    a, b, again, c = nous.remember_many(rows, project=P)
    assert b == again
    assert [nous.get(number).status for number in (a, b, c)] == ["superseded", "active", "active"]
    with pytest.raises(NousError, match="does not fit"):
        nous.remember_many([{"words": "x"}], project=P)


def conversation(nous: Nous) -> list[int]:
    told = ["We went away for a week", "Where did you go?", "To the lake, it was cold", "Nice!", "The budget is due"]
    rows = [{"text": text, "type": "episode", "session": "talk", "ref": f"t{at}"} for at, text in enumerate(told)]
    return nous.remember_many(rows, project=P)


def test_an_answer_is_found_by_its_question(nous: Nous) -> None:
    numbers = conversation(nous)
    ids = [hit.id for hit in nous.recall("where did you go away?", project=P)]
    assert set(ids[:3]) == set(numbers[:3])
    assert nous.explain(numbers[2]).asked == "Where did you go?"


def test_what_was_said_in_answer_to_a_question_counts_more_but_not_for_a_time(nous: Nous) -> None:
    numbers = conversation(nous)
    shares = {hit.id: hit.shares for hit in nous.recall("was the lake cold?", project=P)}
    answering = {number for number in numbers if nous.stores.sequences.get_question(number)}
    assert answering <= set(shares)
    assert {number for number, parts in shares.items() if "answer" in parts} == answering == {numbers[2]}
    timed = nous.recall("when was the lake cold?", project=P)
    assert timed and not any("answer" in hit.shares for hit in timed)


def test_context_is_the_same_told_at_once_or_one_by_one_and_after_a_replay(nous: Nous) -> None:
    conversation(nous)
    at_once = context_of(nous)
    other = nous.remember("Alone", project=P)
    for at, (content, *_) in enumerate(at_once):
        nous.remember(content, project=P, type="episode", session="again", ref=f"again{at}")
    assert context_of(nous, above=other) == at_once
    assert compare_with_replay(nous.stores.events, nous.stores.memories, NOW).differences == []


def context_of(nous: Nous, above: int = 0) -> list[tuple[str, str, str]]:
    return [row[1][1:2] + row[1][4:6] for row in nous.stores.memories.rows_of("memories_fts") if row[0][0] > above]


def test_one_that_is_about_the_time_asked_for_comes_first(nous: Nous) -> None:
    for month in ("03", "06", "09"):
        nous.remember(f"The release train left, take {month}", project=P, valid_from=f"2026-{month}-10", ref=month)
    assert said(nous, "release train in June")[0].endswith("06")
    assert [text[-2:] for text in said(nous, "what happened in September 2026?")] == ["09"]


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({"type": "decision"}, 1),
        ({"kind": "procedural"}, 1),
        ({"scope": "global"}, 1),
        ({"entity": "redis"}, 1),
        ({"tag": "infra"}, 1),
        ({"file": "tokens.py"}, 1),
        ({"module": "src/auth"}, 1),
        ({"after": "2026-11-01"}, 4),
        ({"before": "2026-02-01"}, 1),
        ({"min_confidence": 0.99}, 0),
        ({}, 5),
    ],
)
def test_every_filter_narrows(nous: Nous, filters: dict[str, Any], count: int) -> None:
    nous.remember(
        "cache of sessions is Redis", project=P, type="decision", ref="1", entities=["Redis"], valid_from="2026-01-05"
    )
    nous.remember("cache warm-up: run make warm", project=P, type="procedure", ref="2", tags=["infra"])
    nous.remember("cache keys carry a version", project=P, ref="3", scope="global")
    nous.remember("cache of tokens lasts a day", project=P, ref="4", files=["src/auth/tokens.py"])
    nous.remember("cache is cleared on deploy", project=P, ref="5")
    assert len(nous.recall("cache", project=P, **filters)) == count


def test_shares_add_up_and_say_who_found_it(developer: Nous) -> None:
    hit = developer.recall("staging port", project=P)[0]
    assert sum(hit.shares.values()) == pytest.approx(hit.score)
    assert "words" in hit.found_by
    assert hit.shares["text"] > 0


def test_why_not_names_the_reason(developer: Nous) -> None:
    port, verify = developer.recall("staging port", project=P)[0].id, developer.recall("no-verify", project=P)[0].id
    assert developer.why_not("staging port", port, project=P).returned
    assert "no word" in developer.why_not("staging port", verify, project=P).reason
    assert "another project" in developer.why_not("staging port", port, project="elsewhere").reason
    many = developer.remember_many(
        [{"text": f"port {at} is for staging", "ref": f"p{at}"} for at in range(9)], project=P
    )
    found = developer.why_not("staging port", many[0], project=P, limit=1)
    assert not found.returned and found.rank and found.rank > 1 and set(found.matched) == {"port", "staging"}
    developer.forget(port)
    assert "archived" in developer.why_not("staging port", port, project=P).reason


def test_related_memories_are_reached_and_have_no_say_in_what_answers(nous: Nous) -> None:
    a, b, c = nous.remember_many(
        [{"text": t, "ref": t} for t in ("The queue uses Postgres", "Zebra stripes are odd", "Lone walrus")], project=P
    )
    link(nous, a, b, "depends_on")
    link(nous, b, c, "refines")

    def reach(**asked: Any) -> list[tuple[int, int]]:
        items = nous.call("memories.related", id=a, **asked)["items"]
        return [(one["memory"]["id"], one["depth"]) for one in items]

    assert reach() == [(b, 1), (c, 2)]
    assert reach(depth=1) == reach(min_strength=0.99) == [(b, 1)]
    assert reach(direction="in") == reach(relations=["refines"]) == []
    assert [hit.id for hit in nous.recall("queue postgres", project=P)] == [a]
    assert [link.memory_id for link in nous.explain(a).links] == [b]


def link(nous: Nous, source: int, target: int, relation: RelationName) -> None:
    one, other = nous.get(source), nous.get(target)
    event = Event(
        learning_id=one.learning_id,
        event_type="EdgeAccepted",
        idempotency_key=f"edge:{source}:{target}",
        payload=Edge(target=other.learning_id, relation=relation),
        session_id="s",
        project_id=one.project_id,
        source="user_review",
    )
    nous.stores.events.append([event], NOW)
    catch_up(nous.stores, NOW)


def test_a_memory_about_a_file_that_is_gone_is_marked(nous: Nous, tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    for name in ("here.py", "gone.py"):
        (root / name).write_text("x")
    nous.clock = lambda: "2020-01-01T00:00:00.000Z"
    nous.remember("The parser lives in gone.py", project=str(root), files=["gone.py"])
    nous.remember("The lexer lives in here.py", project=str(root), files=["here.py"])
    nous.remember("The linter will live in planned.py", project=str(root), files=["planned.py"])
    (root / "gone.py").unlink()
    assert nous.recall("parser", project=str(root))[0].stale == ("its code is gone",)
    assert nous.recall("linter", project=str(root))[0].stale == ()
    assert nous.recall("lexer", project=str(root))[0].stale == ()


# -- vectors --------------------------------------------------------------------------------------------------------


class Counting(Hashed):
    """Counts what it is asked."""

    def __init__(self, model: str = "counting/1", remote: bool = False):
        self.name, self.is_remote, self.seen = model, remote, list[str]()

    @property
    def model(self) -> str:  # type: ignore[override]
        return self.name

    @property
    def remote(self) -> bool:  # type: ignore[override]
        return self.is_remote

    def documents(self, passages: Any) -> list[bytes]:
        self.seen += [passage.text for passage in passages]
        return super().documents(passages)


def test_another_model_embeds_everything_again_and_vectors_are_never_mixed(nous: Nous) -> None:
    nous.remember_many([{"text": f"fact {at}", "ref": f"{at}"} for at in range(5)], project=P)
    other = Counting()
    steps: list[tuple[int, int]] = []
    assert nous.stores.embeddings.waiting() == 0
    assert (
        embed_waiting(
            nous.stores.embeddings, nous.stores.vectors, other, progress=lambda done, of: steps.append((done, of))
        )
        == 5
    )
    assert steps == [(5, 5)]
    assert set(nous.stores.vectors.models().values()) == {5}
    first, second = (nous.stores.vectors.known_model(name) for name in nous.stores.vectors.models())
    assert first is not None and second is not None
    vector = other.documents([Embeddable("fact 1")])[0]
    for model_id in (first, second):
        found = nous.stores.vectors.nearest(model_id, vector, 5, None)
        assert len(found) == 5
    assert max(score for _, score in nous.stores.vectors.nearest(second, vector, 1, None)) == pytest.approx(1, abs=1e-3)


def test_the_same_words_are_embedded_once(nous: Nous) -> None:
    embedder = Counting()
    for project in ("a", "b", "c"):
        nous.remember("The same sentence", project=project, ref="r")
    embed_waiting(nous.stores.embeddings, nous.stores.vectors, embedder)
    nous.remember("The same sentence", project="d", ref="r")
    embed_waiting(nous.stores.embeddings, nous.stores.vectors, embedder)
    assert embedder.seen == ["The same sentence"]


def test_code_and_private_words_never_go_to_a_remote_model(nous: Nous) -> None:
    nous.remember("def secret(): return 1", type="code", project=P, ref="1")
    nous.remember("my address", tags=["private"], project=P, ref="2")
    nous.remember("open words", project=P, ref="3")
    embedder = Counting("far/1", remote=True)
    embed_waiting(nous.stores.embeddings, nous.stores.vectors, embedder)
    assert embedder.seen == ["open words"]
    assert nous.stores.embeddings.waiting() == 0


def test_the_index_in_memory_finds_what_the_scan_finds_also_when_only_signs_are_held(
    nous: Nous, monkeypatch: pytest.MonkeyPatch
) -> None:
    nous.remember_many([{"text": f"memory {at} about topic {at % 17}", "ref": f"{at}"} for at in range(300)], project=P)
    assert nous.embedder
    model = nous.stores.vectors.known_model(nous.embedder.model)
    assert model is not None
    vector = nous.embedder.query("topic 5", {})
    asks_once = Vectors(nous.stores.db, EmbeddingQueue(nous.stores.db))
    scan = asks_once.nearest(model, vector, 10, P)
    matrix = Matrix(nous.stores.db, model, nous.embedder.dims)
    matrix.refresh()
    assert scores(matrix.nearest(vector, 10, P)) == pytest.approx(scores(scan), abs=1e-5)
    monkeypatch.setattr("nous.kernel.recall.vector_cache.PACKED_FROM", 100)
    packed = Matrix(nous.stores.db, model, nous.embedder.dims)
    packed.refresh()
    assert packed.is_packed
    assert scores(packed.nearest(vector, 5, P)) == pytest.approx(scores(scan[:5]), abs=0.05)


def scores(found: list[tuple[int, float]]) -> list[float]:
    return [score for _, score in found]


def test_erasing_leaves_no_word_in_a_neighbours_context_and_no_vector(nous: Nous) -> None:
    numbers = conversation(nous)
    from nous.kernel.memory.surroundings import forget_told

    with nous.stores.db.transaction():
        nous.stores.memories.drop_text(numbers[1])
        forget_told(nous.stores.sequences, nous.stores.vectors, numbers[1])
    assert not any("Where did you go" in "".join(row) for row in context_of(nous))
    assert nous.stores.vectors.models_of(numbers[1]) == []


def test_search_works_without_any_embedder_and_on_a_database_that_cannot_be_written(nous: Nous, tmp_path: Path) -> None:
    nous.remember("Staging runs on port 8443", project=P)
    with Nous.open(tmp_path / "memory.db", settings=nous.settings, readonly=True) as reader:
        assert said(reader, "staging port") == ["Staging runs on port 8443"]
    nous.__dict__["embedder"] = None
    assert said(nous, "staging port") == ["Staging runs on port 8443"]


def test_common_words_do_not_make_a_search_unbounded(nous: Nous, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nous.kernel.recall.retrievers.text.MOST_MATCHES", 20)
    rows = [{"text": f"the build uses make target{at}", "ref": f"{at}"} for at in range(60)]
    nous.remember_many([*rows, {"text": "the build uses a rare gizmo", "ref": "g"}], project=P)
    assert said(nous, "build uses make gizmo")[0] == "the build uses a rare gizmo"
    assert said(nous, "build uses make target7")[0] == "the build uses make target7"
    assert len(said(nous, "build")) == 10


def test_neither_remembering_nor_a_single_question_loads_numpy(tmp_path: Path) -> None:
    script = (
        "import sys; from nous import Nous; n = Nous.open(sys.argv[1]); n.remember('Staging is on 8443', project='p');"
        "assert n.recall('staging 8443', project='p'); n.close();"
        "assert not {'numpy', 'wordllama', 'tokenizers'} & set(sys.modules)"
    )
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), "NOUS_DATA_DIR": str(tmp_path)}
    subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "m.db")], check=True, env=environ | {"HOME": str(tmp_path)}
    )


def test_words_that_are_all_common_still_find_what_has_most_of_them(
    nous: Nous, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nous.kernel.recall.retrievers.text.MOST_MATCHES", 2)
    pairs = ("alpha beta", "beta gamma", "gamma alpha")
    rows = [{"text": f"{pair} {number}", "ref": f"{pair}-{number}"} for number in range(3) for pair in pairs]
    nous.remember_many(rows, project=P)
    assert nous.recall("alpha beta gamma", project=P)


def test_weights_decide(nous: Nous) -> None:
    nous.work.weights = Weights(text=0.0, vector=0.0, substance=9.0)
    nous.remember("Staging runs on port 8443", project=P)
    [hit] = nous.recall("staging port", project=P)
    assert "text" not in hit.shares and hit.shares["substance"] > 0.9 * hit.score


def test_scores_fall_from_one_hit_to_the_next_however_many_are_asked_for(nous: Nous) -> None:
    rows = [
        {"text": f"Port {at} of staging" + ", where Mary Smith works" * (at % 3), "ref": f"{at}"} for at in range(60)
    ]
    nous.remember_many(rows, project=P)
    scores_ = [hit.score for hit in nous.recall("who uses a staging port?", project=P, limit=40)]
    assert len(scores_) == 40 and scores_ == sorted(scores_, reverse=True)


def test_a_branch_that_is_named_counts(nous: Nous) -> None:
    numbers = [nous.remember(f"The form fails with code {at}", project=P, ref=f"{at}") for at in range(3)]
    for number, branch in zip(numbers, ("main", "feature/form", None), strict=True):
        memory = msgspec.structs.replace(nous.get(number), branch=branch, version=number + 1000)
        nous.stores.memories.save([memory])
    for query, expected in (("form fails on branch feature/form", numbers[1]), ("form fails on main", numbers[0])):
        assert [hit.id for hit in nous.recall(query, project=P) if "concept" in hit.shares] == [expected]


def test_why_not_has_a_sentence_for_every_reason(nous: Nous) -> None:
    a = nous.remember("Staging runs on port 8443", project=P, ref="k")
    b = nous.remember("Staging runs on port 9443", project=P, ref="k")
    c = nous.remember("Zebra stripes are odd", project=P)
    reasons = {
        "superseded": nous.why_not("staging port", a, project=P),
        "returned": nous.why_not("staging port", b, project=P),
        "shares no word": nous.why_not("staging port", c, project=P),
        "another project": nous.why_not("staging port", b, project="elsewhere"),
        "no words": nous.why_not("", b, project=P),
    }
    for words, found in reasons.items():
        assert words in found.reason and found.returned == (words == "returned")


def test_a_new_way_to_find_memories_is_one_line(nous: Nous, monkeypatch: pytest.MonkeyPatch) -> None:
    """A retriever that nothing else knows brings a memory that shares neither words nor meaning with the question."""
    number = nous.remember("Invoices are numbered by fiscal year.", project="p")

    def find(ask: Ask) -> Hits:
        assert ask.question.terms and ask.project_id == "p"
        return Hits((number,), {number: 1.0})

    assert number not in [hit.id for hit in nous.recall("zebra crossing", project="p")]
    monkeypatch.setattr("nous.kernel.recall.search.RETRIEVERS", (*RETRIEVERS, Retriever("guess", None, find)))
    [hit] = nous.recall("zebra crossing", project="p")
    assert hit.id == number and hit.found_by == ("guess",)


def test_every_retriever_gives_a_part_of_a_score_that_has_a_weight() -> None:
    parts = [retriever.part for retriever in RETRIEVERS if retriever.part]
    assert set(parts) <= set(PARTS) and len(parts) == len(set(parts))
    assert len({retriever.name for retriever in RETRIEVERS}) == len(RETRIEVERS)


def test_a_date_in_a_question_does_not_hide_what_answers_it(nous: Nous) -> None:
    told = ["Joanna took a trip to Woodhaven", *(f"Joanna hung lantern {at} in hall {at}" for at in range(300))]
    nous.remember_many([{"text": text, "type": "episode", "valid_from": "2022-07-12"} for text in told], project=P)
    assert said(nous, "What trip did Joanna take on 25 May 2021?")
    assert said(nous, "zebra crossing unicorn on 25 May 2021") == []
