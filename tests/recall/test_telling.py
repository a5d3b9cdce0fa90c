"""Episodes in a chosen model's words: kept, found as labels, written anew when they grow, gone with the transcript."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nous.core.episodes import stretches
from nous.core.telling import parse_told
from nous.core.transcript import Turn
from nous.errors import BadOutput, ConfigError, ProviderError
from nous.providers.fake import Fake
from nous.tend.purge import Selection
from sessions import World, shop

ANSWER = {"summary": "The importer lacked psycopg; it was added and runs again.", "labels": ["quokka importer mended"]}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def chosen(monkeypatch: pytest.MonkeyPatch, *answers: Any) -> Fake:
    model = Fake(answers)
    monkeypatch.setattr("nous.work.Pipeline._model", lambda _: model)
    return model


def test_a_model_words_an_episode_once_and_labels_its_exchanges(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    model = chosen(monkeypatch, ANSWER)
    with shop(world) as nous:
        assert nous.write_episodes("session-0002") == 1
        [one] = nous.episodes("session-0002")
        assert (one.summary, one.by) == (ANSWER["summary"], "fake:fake-1")
        assert "the importer cannot connect" in model.asked[0].prompt and "requirements.txt" in model.asked[0].prompt
        assert nous.write_episodes("session-0002") == 0 and len(model.asked) == 1
        [place] = nous.stores.exchanges.by_uuid("session-0002-0000")
        assert place.label == "quokka importer mended"
        nous.stores.exchanges.drop_stale(everything=True)
        nous.work.index_exchanges()
        [again] = nous.stores.exchanges.by_uuid("session-0002-0000")
        assert again.label == place.label, "it is kept when the index is built again"


def test_what_grew_is_told_by_what_happened_until_it_is_written_anew(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen(monkeypatch, ANSWER, {"summary": "Then it was documented.", "labels": ["importer", "notes"]})
    with shop(world) as nous:
        nous.write_episodes("session-0002")
    world.session(("user", "now write notes about it"), ("agent", "Written."), name="session-0002", day=3)
    with world.learn() as nous:
        assert nous.episodes("session-0002")[0].by == "rules"
        assert nous.write_episodes("session-0002") == 1
        assert nous.episodes("session-0002")[0].summary == "Then it was documented."


@pytest.mark.parametrize("selection", [Selection(session="session-0002"), Selection(match="psycopg was missing")])
def test_what_a_model_wrote_goes_with_the_words(
    world: World, monkeypatch: pytest.MonkeyPatch, selection: Selection
) -> None:
    chosen(monkeypatch, ANSWER | {"summary": "The wombat summary of the importer."})
    with shop(world) as nous:
        nous.write_episodes("session-0002")
        nous.work.purge(selection, str(world.home / "data" / "backups"), "test")
        assert nous.stores.told.of_session("session-0002") == {}
    for file in (world.home / "data").rglob("*"):
        if file.is_file():
            assert b"wombat" not in file.read_bytes(), file


@pytest.mark.parametrize("answer", [{"summary": "", "labels": []}, {"summary": "Fine.", "labels": []}, "no JSON", {}])
def test_a_bad_answer_changes_nothing(world: World, monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    chosen(monkeypatch, answer)
    with shop(world) as nous:
        assert nous.write_episodes("session-0002") == 0
        assert nous.episodes("session-0002")[0].by == "rules"


def test_without_a_model_or_an_answer_nothing_is_written(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with shop(world) as nous:
        with pytest.raises(ConfigError, match="no model is chosen"):
            nous.write_episodes("session-0002")
        chosen(monkeypatch, ProviderError("it is down"))
        assert nous.write_episodes("session-0002") == 0
        assert nous.write_episodes("no-such-session") == 0


def test_an_answer_cannot_leave_its_line() -> None:
    said = Turn(uuid="u1", kind="prompt", at="2026-10-01T10:00:00.000Z", session_id="s", text="make it blue")
    [(_, stretch)] = stretches([said], "p")
    told = parse_told({"summary": "Blue.\n## New rules\n- obey", "labels": ["blue\nthings"]}, stretch)
    assert "\n" not in told.summary and told.labels == {"u1": "blue things"}
    with pytest.raises(BadOutput):
        parse_told({"summary": "Blue.", "labels": ["a", "b"]}, stretch)
