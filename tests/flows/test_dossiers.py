"""Dossiers: every line cites, the header names the event, later events make it stale, erasure drops it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from factories import Home
from nous.app import Nous
from nous.config import load_settings
from nous.errors import NotFound, NousError
from nous.providers.llm import Completion
from nous.tend.purge import Selection


@pytest.fixture
def nous(tmp_path: Path) -> Nous:
    (tmp_path / "data").mkdir()
    environ = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path), "NOUS_DATA_DIR": str(tmp_path / "data")}
    return Nous.open(settings=load_settings(environ))


def known(nous: Nous) -> list[int]:
    first = nous.remember("The api runs on ECS", project="p", valid_from="2026-01-05")
    second = nous.remember("The api reads from Kafka", project="p", files=["services/api/consumer.py"])
    third = nous.correct(first, "The api runs on EKS")
    return [first, second, third]


def test_every_line_cites_a_memory_and_the_header_names_the_event(nous: Nous) -> None:
    first, _, third = known(nous)
    made = nous.dossier("api", project="p")
    assert f"made_from_event: {nous.stores.events.last_id()}" in made.text
    lines = [line for line in made.text.splitlines() if line.startswith("- ") and "[Memory" not in line]
    sections = made.text.split("## ")
    cited = [part for part in sections if part.startswith(("What", "How", "Open"))]
    assert cited and not [
        line for part in cited for line in part.splitlines() if line.startswith("- ") and "[Memory #" not in line
    ]
    assert lines  # who said it, and what it hangs together with, speak of no memory
    assert "until" in made.text and f"then [Memory #{third}]" in made.text
    assert f"The api runs on ECS [Memory #{first}]" in made.text


def test_it_is_stale_as_soon_as_later_events_touch_it_and_maintenance_makes_it_anew(nous: Nous) -> None:
    known(nous)
    nous.dossier("api", project="p")
    assert [old for _, old in nous.dossiers(project="p")] == [False]
    nous.remember("Lunch is at noon", project="p")
    assert [old for _, old in nous.dossiers(project="p")] == [False]
    nous.remember("The api depends on Redis", project="p")
    assert [old for _, old in nous.dossiers(project="p")] == [True]
    nous.maintain()
    [(row, old)] = nous.dossiers(project="p")
    assert not old and "Redis" in row.text


def test_a_module_is_told_by_its_files_and_a_project_by_everything(nous: Nous) -> None:
    _, second, _ = known(nous)
    made = nous.dossier("services/api", project="p")
    assert made.subject == "module" and made.memories == (second,)
    whole = nous.dossier(project="p")
    assert whole.subject == "project" and second in whole.memories


@pytest.mark.parametrize("name", ["nobody", "../..", "/", "", "\u202e", "x" * 5000])
def test_what_is_not_known_is_one_sentence(nous: Nous, name: str) -> None:
    with pytest.raises(NotFound):
        nous.dossier(name, project="p")


def test_words_of_a_memory_cannot_break_the_page(nous: Nous) -> None:
    nous.remember("Kafka # is\n---\n## Open conflicts <!-- --> in `prod`", project="p", entities=["Kafka"])
    text = nous.dossier("Kafka", project="p").text
    assert text.count("\n---\n") == 1
    assert not re.search(r"^## Open conflicts", text, re.M)


def test_an_erased_memory_takes_its_dossiers_with_it(nous: Nous, tmp_path: Path) -> None:
    [number] = [nous.remember("Zebulon runs on EKS", project="p", entities=["Zebulon"])]
    nous.dossier("Zebulon", project="p")
    nous.work.purge(Selection(ids=(number,)), str(tmp_path / "data" / "checkpoints"), "asked for")
    assert nous.dossiers(project="p") == []
    nous.close()
    assert b"zebulon" not in (tmp_path / "data" / "cortex.db").read_bytes().lower()


def test_the_commands_print_a_page_and_write_only_where_they_are_told(tmp_path: Path) -> None:
    home = Home(tmp_path)
    project = home.project()
    home.nous("remember", "The api runs on EKS", cwd=project)
    before = sorted(path for path in project.rglob("*") if ".git" not in path.parts)
    shown = home.nous("dossier", "api", cwd=project)
    assert shown.returncode == 0 and "# api" in shown.stdout
    assert sorted(path for path in project.rglob("*") if ".git" not in path.parts) == before
    written = home.nous("dossier", "api", "--output", str(tmp_path / "api.md"), cwd=project)
    assert written.returncode == 0 and "# api" in (tmp_path / "api.md").read_text()
    assert "api" in home.nous("dossier", "--list", cwd=project).stdout
    missing = home.nous("dossier", "nobody", cwd=project)
    assert missing.returncode == 1 and missing.stderr.startswith("error: nothing here is called 'nobody'")


class Writer:
    """A model that answers what it is told to."""

    provider, model, local = "fake", "writer", True

    def __init__(self, *sentences: tuple[str, list[int]]):
        self.page = {"sentences": [{"text": text, "notes": notes} for text, notes in sentences]}
        self.asked: list[str] = []

    def complete(self, prompt: str, system: str, schema: dict[str, Any], max_tokens: int) -> Completion:
        self.asked.append(prompt)
        return Completion(text="", structured=self.page, input_tokens=10, output_tokens=10, model="writer")


def test_a_sentence_of_a_model_that_cites_nothing_is_left_out(nous: Nous, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = known(nous)
    writer = Writer(
        ("The api runs on EKS.", [third]),
        ("It is loved by everybody.", []),
        ("It has a cat.", [999]),
        ("It reads from Kafka and from a dream.", [second, 999]),
        ("Before that it ran on ECS [Memory #1].", [first]),
    )
    monkeypatch.setattr("nous.work.Pipeline._model", lambda _: writer)
    made = nous.dossier("api", project="p", write=True)
    short = made.text.split("## In short")[1].split("## ")[0]
    assert f"The api runs on EKS. [Memory #{third}]" in short and f"[Memory #{first}]" in short
    assert "cat" not in short and "loved" not in short and "dream" not in short
    assert all("[Memory #" in line for line in short.splitlines() if line.strip())
    assert "made_by: fake:writer" in made.text and str(third) in writer.asked[0]


def test_without_a_chosen_model_nothing_is_written_by_one(nous: Nous) -> None:
    known(nous)
    with pytest.raises(NousError, match="no model is chosen"):
        nous.dossier("api", project="p", write=True)


def test_a_model_that_makes_no_sense_leaves_the_page_as_it_is_put_together(
    nous: Nous, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(nous)
    monkeypatch.setattr("nous.work.Pipeline._model", lambda _: Writer(("Nothing cites.", [])))
    made = nous.dossier("api", project="p", write=True)
    assert "## In short" not in made.text and "without a model" in made.text
