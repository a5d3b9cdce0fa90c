"""`nous calibrate`: what a model is shown, and what comes of its choice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from nous.app import Nous
from nous.errors import NousError, ProviderError
from nous.providers.fake import Fake
from nous.recall.calibration import Work, contest
from nous.shells.cli.calibrate import calibrate

NOW = "2026-11-10T12:00:00.000Z"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    (project / "Cargo.toml").write_text("")
    for name in ("HOME", "NOUS_DATA_DIR", "CLAUDE_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("NOUS_LLM_PROVIDER", "claude")
    monkeypatch.chdir(project)
    return project


@pytest.fixture
def nous(place: Path) -> Iterator[Nous]:
    with Nous.open() as opened:
        opened.clock = lambda: NOW
        yield opened


def fill(nous: Nous, count: int) -> list[int]:
    rows: list[dict[str, Any]] = [{"text": f"Fact {at} about rust and cargo crate{at}"} for at in range(8)]
    rows += [{"text": f"Note {at} speaks of gardening bed{at}"} for at in range(count - 8)]
    return nous.remember_many(rows)


def answering(monkeypatch: pytest.MonkeyPatch, *answers: Any) -> Fake:
    model = Fake(answers)
    monkeypatch.setattr("nous.work.Pipeline._model", lambda _: model)
    return model


def test_a_choice_is_compared_with_our_ranking(nous: Nous, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = fill(nous, 30)
    nous.remember("fn secret() {} // rust cargo", type="code")
    model = answering(monkeypatch, {"best": [*numbers[:8], *numbers[-2:]]})
    [found] = nous.calibrate()
    assert (found.memories, found.shown, found.model) == (30, 30, "fake:fake-1")
    assert set(numbers[:8]) <= set(found.ours) and 0.8 <= found.overlap <= 1.0
    [call] = model.asked
    assert "Built with: cargo, rust" in call.prompt and f"[{numbers[0]}] fact: Fact 0" in call.prompt
    assert "secret()" not in call.prompt, "code is not sent"
    assert "{" not in call.prompt.replace("{}", "")
    [booked] = nous.stores.ledger.recent(5)
    assert (booked["purpose"], booked["status"]) == ("calibrate", "answered")


@pytest.mark.parametrize(("count", "shown"), [(99, 99), (100, 100), (140, 100), (501, 8)])
def test_how_much_is_shown_depends_on_how_much_there_is(nous: Nous, count: int, shown: int) -> None:
    numbers = fill(nous, count)
    work = Work((), ("cargo", "rust"), "")
    found = contest(nous.stores, work, nous.project().id, NOW, None, nous.settings.weights)
    assert (found.memories, len(found.shown)) == (count, shown)
    assert set(numbers[:8]) <= {memory.id for memory in found.shown}


@pytest.mark.parametrize("answer", ["the first ten", {"best": [10**9]}, ProviderError("down")])
def test_no_choice_is_said_and_booked(nous: Nous, monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    fill(nous, 20)
    answering(monkeypatch, answer)
    with pytest.raises(ProviderError, match="gave no choice"):
        nous.calibrate()
    assert nous.stores.ledger.recent(5)[0]["status"] in ("malformed", "failed")


def test_without_a_model_or_without_memories_it_says_so(nous: Nous, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        model = answering(patched)
        with pytest.raises(NousError, match="nothing to rank"):
            nous.calibrate()
    assert model.asked == []
    with pytest.raises(NousError, match="no model is chosen"):
        Nous(nous.stores, msgspec.structs.replace(nous.settings, llm_provider="none")).calibrate()


def test_the_command_prints_figures_and_weights(nous: Nous, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = fill(nous, 12)
    nous.close()
    answering(monkeypatch, {"best": numbers[:10]}, {"best": numbers[:10]})
    shown = CliRunner().invoke(calibrate, [], catch_exceptions=False).output
    assert "too few memories to tell" in shown and "in common with our best 10" in shown
    data = json.loads(CliRunner().invoke(calibrate, ["--json"], catch_exceptions=False).output)
    assert data["weights"]["text"] == 0.4 and data["projects"][0]["chosen"] == numbers[:10]
