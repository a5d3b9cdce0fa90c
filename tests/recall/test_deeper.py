"""What recall does beyond finding: a reranker's order, an imagined answer; and that both may fail."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from nous.app import Nous
from nous.config import load_settings
from nous.core.hypothesis import parse_note
from nous.core.weights import Weights
from nous.errors import BadOutput, ConfigError, ProviderError
from nous.providers.fake import Fake
from nous.providers.hashed import Hashed
from nous.recall import deeper

P = "project-a"
NOW = "2026-11-10T12:00:00.000Z"
PORTS = [
    "The staging port is 8443",
    "The port of the database is 5432",
    "The port of the cache is 6379",
    "A port below 1024 needs root",
]


class ByLength:
    """The longest text is the best."""

    model, usd = "stand-in/length", 0.0

    def __init__(self, *, remote: bool = False, problem: Exception | None = None, extra: int = 0):
        self.remote, self.problem, self.extra = remote, problem, extra
        self.asked: list[tuple[str, list[str]]] = []

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((query, list(texts)))
        if self.problem:
            raise self.problem
        return [float(len(text)) for text in texts] + [0.0] * self.extra


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Any]:
    every: list[Nous] = []

    def open_with(**given: str) -> Nous:
        environ = {"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)}
        settings = load_settings(environ | {f"NOUS_{name.upper()}": value for name, value in given.items()})
        every.append(Nous.open(tmp_path / "memory.db", settings=settings))
        every[-1].clock = lambda: NOW
        return every[-1]

    deeper._said.clear()
    yield open_with
    for one in every:
        one.close()


def ports(opened: Any, reranker: Any, monkeypatch: pytest.MonkeyPatch, **given: str) -> Nous:
    nous: Nous = opened(reranker="cohere:stand-in", **given)
    monkeypatch.setattr("nous.work.open_reranker", lambda *_: reranker)
    for text in PORTS:
        nous.remember(text, project=P)
    return nous


def test_the_order_is_the_rerankers_and_the_explanation_stays_true(opened: Any, monkeypatch: Any) -> None:
    reranker = ByLength()
    nous = ports(opened, reranker, monkeypatch)
    hits = nous.recall("which port", project=P)
    assert [hit.content for hit in hits] == sorted(PORTS, key=len, reverse=True)
    assert [hit.score for hit in hits] == pytest.approx([sum(hit.shares.values()) for hit in hits])
    assert (hits[0].shares["reranker"], hits[-1].shares["reranker"]) == (10.0, 0.0)
    assert len(nous.recall("which port", project=P, limit=2)) == 2
    assert len(reranker.asked[-1][1]) == 4, "more than are returned are looked at"


def test_a_weight_of_zero_leaves_the_order_to_the_scores(opened: Any, monkeypatch: Any) -> None:
    plain = [hit.content for hit in ports(opened, None, monkeypatch).recall("which port", project=P)]
    monkeypatch.setattr("nous.work.open_reranker", lambda *_: ByLength())
    light = opened(reranker="cohere:x")
    light.work.weights = Weights(reranker=0.0)
    assert [hit.content for hit in light.recall("which port", project=P)] == plain


def test_only_the_best_twenty_are_reranked(opened: Any, monkeypatch: Any) -> None:
    reranker = ByLength()
    nous = ports(opened, reranker, monkeypatch)
    nous.remember_many(
        [{"text": f"Nobody knows why {chr(97 + at % 26) * (3 + at)} wants a port"} for at in range(40)], project=P
    )
    hits = nous.recall("which port", project=P, limit=30)
    assert len(reranker.asked[-1][1]) == 20
    assert len(hits) == 30 and all("reranker" in hit.shares for hit in hits[:20])
    assert not any("reranker" in hit.shares for hit in hits[20:])


def test_a_remote_reranker_never_sees_code_private_words_or_secrets(opened: Any, monkeypatch: Any) -> None:
    reranker = ByLength(remote=True)
    nous = ports(opened, reranker, monkeypatch)
    nous.remember("def port(): return 8443  # the port", type="code", project=P)
    nous.remember("The port of my own server is 2222", tags=["private"], project=P)
    hits = nous.recall("which port has staging, database, cache, root? password: hunter2hunter2", project=P)
    [(query, texts)] = reranker.asked
    assert set(texts) == set(PORTS) and "hunter2hunter2" not in query
    assert any("my own server" in hit.content for hit in hits), "it is still found"


@pytest.mark.parametrize(
    "reranker", [ByLength(problem=ProviderError("down")), ByLength(problem=ConfigError("no key")), ByLength(extra=1)]
)
def test_a_failing_reranker_leaves_the_order_and_says_so_once(
    opened: Any, monkeypatch: Any, caplog: Any, reranker: ByLength
) -> None:
    plain = [hit.content for hit in ports(opened, None, monkeypatch).recall("which port", project=P)]
    monkeypatch.setattr("nous.work.open_reranker", lambda *_: reranker)
    nous = opened(reranker="cohere:x")
    with caplog.at_level(logging.WARNING, "nous"):
        for _ in range(2):
            assert [hit.content for hit in nous.recall("which port", project=P)] == plain
    assert sum("the reranker failed" in one.message for one in caplog.records) == 1


# -- an imagined answer -----------------------------------------------------------------------------------------------

KNOWN = "Deploys go through kubectl rollout in the production cluster"
QUESTION = "shipping"
NOTE = {"note": "Deploys go through kubectl rollout in the production cluster."}


def asking(opened: Any, monkeypatch: Any, model: Fake, **given: str) -> Nous:
    nous: Nous = opened(**({"llm_provider": "claude"} | given))
    monkeypatch.setattr("nous.work.Pipeline._model", lambda _: model)
    monkeypatch.setattr("nous.work.open_embedder", lambda *_: Hashed())
    for text in (KNOWN, "Tabs are four spaces wide", "Lunch is at noon"):
        nous.remember(text, project=P)
    return nous


def test_where_little_is_found_an_imagined_answer_finds_more(opened: Any, monkeypatch: Any) -> None:
    model = Fake([NOTE])
    nous = asking(opened, monkeypatch, model)
    [hit] = [hit for hit in nous.recall(QUESTION, project=P) if hit.content == KNOWN]
    assert "hypothesis" in hit.found_by
    [call] = model.asked
    assert QUESTION in call.prompt and "kubectl" not in call.prompt, "the question alone is sent"
    assert call.max_tokens == 100
    [booked] = nous.stores.ledger.recent(5)
    assert (booked["purpose"], booked["status"]) == ("hyde", "answered")


def test_without_it_nothing_is_found(opened: Any, monkeypatch: Any) -> None:
    model = Fake([NOTE])
    assert asking(opened, monkeypatch, model, llm_provider="none").recall(QUESTION, project=P) == []
    assert asking(opened, monkeypatch, model, daily_tokens="0").recall(QUESTION, project=P) == []
    assert model.asked == []


def test_where_enough_is_found_nobody_is_asked(opened: Any, monkeypatch: Any) -> None:
    model = Fake([NOTE])
    nous = asking(opened, monkeypatch, model)
    for text in PORTS:
        nous.remember(text, project=P)
    assert len(nous.recall("port", project=P)) >= 3
    assert model.asked == []


@pytest.mark.parametrize(
    "answer", [ProviderError("down"), "no note", {"note": "…"}, {"note": "A zebra met a unicorn."}]
)
def test_a_model_that_fails_or_dreams_changes_nothing(opened: Any, monkeypatch: Any, answer: Any) -> None:
    assert asking(opened, monkeypatch, Fake([answer])).recall("zebra crossing unicorn", project=P) == []


@pytest.mark.parametrize("given", ["", "[]", "{}", {"note": 3}, {"note": "x", "more": 1}, {"note": "  "}, None])
def test_a_note_is_read_strictly(given: Any) -> None:
    with pytest.raises(BadOutput):
        parse_note(given)


def test_a_note_may_be_text_or_read_already() -> None:
    assert parse_note('{"note": "a  port"}') == parse_note({"note": "a port"}) == "a port"
