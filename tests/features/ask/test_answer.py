"""A question answered from memory: sentences with citations, silence where memory does not know, costs booked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fake_model import Fake
from nous import Nous
from nous.config import load_settings
from nous.errors import BadOutput
from nous.features.ask.answer import note_lines, parse_answer
from nous.features.ask.notes import CitedSentence, FoundNote

P = "example.com/team/shop"
QUESTION = "which payment service do we use?"
SAID = {"sentences": [{"text": "Payments go through Mollie.", "notes": [1]}]}


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Any]:
    every: list[Nous] = []

    def open_with(**given: str) -> Nous:
        environ = {"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)}
        settings = load_settings(environ | {f"NOUS_{name.upper()}": value for name, value in given.items()})
        every.append(Nous.open(tmp_path / "memory.db", settings=settings))
        return every[-1]

    yield open_with
    for one in every:
        one.close()


def asking(opened: Any, monkeypatch: pytest.MonkeyPatch, model: Fake, **given: str) -> Nous:
    nous: Nous = opened(**({"llm_provider": "claude"} | given))
    monkeypatch.setattr("nous.app.pipeline.Pipeline.model", lambda _: model)
    nous.remember("The payment service is Mollie, because Stripe is dear", type="decision", project=P)
    nous.remember("Refunds are made in the payment service by hand", project=P)
    nous.remember("A payment service may be slow on the first of a month", project=P)
    return nous


def test_an_answer_cites_its_hits_and_is_booked(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Fake([SAID])
    nous = asking(opened, monkeypatch, model)
    found = nous.ask(QUESTION, project=P)
    assert found.sentences == (CitedSentence("Payments go through Mollie.", (1,)),)
    assert (
        found.model == "fake:fake-1" and found.reason == "" and "Mollie" in " ".join(hit.content for hit in found.hits)
    )
    assert "Mollie" in model.asked[-1].prompt and QUESTION in model.asked[-1].prompt
    [booked] = nous.stores.ledger.recent(5)
    assert (booked["purpose"], booked["status"]) == ("ask", "answered")


def test_where_the_notes_do_not_say_it_says_so(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    nous = asking(opened, monkeypatch, Fake([{"sentences": []}]))
    found = nous.ask(QUESTION, project=P)
    assert found.sentences == () and "memory does not say" in found.reason and found.hits


def test_without_a_model_or_with_one_that_fails_it_stays_a_list(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Fake([{"sentences": "all of them"}])
    failed = asking(opened, monkeypatch, model).ask(QUESTION, project=P)
    assert failed.sentences == () and failed.hits and "nous admin cost" in failed.reason
    plain = asking(opened, monkeypatch, model, llm_provider="none").ask(QUESTION, project=P)
    assert plain.sentences == () and plain.hits and "no model is chosen" in plain.reason
    assert plain.hits[0].content == failed.hits[0].content


def test_what_nobody_remembers_costs_nothing(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Fake([SAID])
    nous = asking(opened, monkeypatch, model)
    found = nous.ask("zebra crossing unicorn", project=P)
    assert found.hits == () and found.reason
    assert [call for call in nous.stores.ledger.recent(5) if call["purpose"] == "ask"] == []


def test_no_secret_and_nothing_private_is_sent(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Fake([SAID])
    nous = asking(opened, monkeypatch, model)
    nous.remember("My payment service account is number nine", tags=["private"], project=P)
    nous.ask(f"{QUESTION} password: hunter2hunter2", project=P)
    assert "hunter2hunter2" not in model.asked[-1].prompt and "number nine" not in model.asked[-1].prompt
    token = "sk-ant-api03-" + "a1b2c3d4" * 8
    assert token not in note_lines([FoundNote("2026-11-01", "exchange", f"use {token}")])


def test_only_sentences_that_cite_a_shown_note_are_believed() -> None:
    given = {
        "sentences": [
            {"text": "One  rests.", "notes": [2, 7, 2]},
            {"text": "One does not.", "notes": []},
            {"text": "One rests on nothing shown.", "notes": [0, 9]},
        ]
    }
    assert parse_answer(given, 3) == (CitedSentence("One rests.", (2,)),)
    assert parse_answer('{"sentences": []}', 3) == ()
    for wrong in ("", "I think so", {"answer": "yes"}, {"sentences": [{"text": 1, "notes": []}]}):
        with pytest.raises(BadOutput):
            parse_answer(wrong, 3)
