"""Dossiers: every line cites, the header names the event, later events make it stale, erasure drops it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from factories import Home
from nous.app import Nous
from nous.config import load_settings
from nous.core.events import BriefLine, MemoryGroup, PageSection, ProjectTidied, Writer, make_event
from nous.errors import NotFound
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


def test_the_page_of_a_project_is_the_one_a_tidying_wrote(nous: Nous) -> None:
    first, second, third = known(nous)
    names = {one.id: one.learning_id for one in nous.stores.memories.by_id([first, second, third])}
    line = BriefLine("The api runs on EKS.", (names[third],))
    fallen = BriefLine("It ran on ECS.", (names[first], names[third]))
    said = ProjectTidied(
        reader="tidy@1/fake:x",
        groups=(MemoryGroup("hosting", "Where things run.", (names[third],)),),
        page=(PageSection("Running it", (line, fallen)),),
    )
    one = make_event("ProjectTidied", "tidied", said, "tidied:1", project_id="p", by=Writer("tidy", "fs_reconcile"))
    nous.stores.events.append([one], nous.clock())
    text = nous.dossier(project="p").text
    assert f"## Running it\n\n- The api runs on EKS. [Memory #{third}]" in text and "It ran on ECS." not in text
    assert "1 lines fell" in text and f"- **hosting**: Where things run. [Memory #{third}]" in text
    assert "made_by: tidy@1/fake:x" in text and "## What holds now" not in text
