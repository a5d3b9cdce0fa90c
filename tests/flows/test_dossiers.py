"""The page of a project: every line cites, the header names the event."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from factories import Home
from nous.app import Nous
from nous.config import load_settings
from nous.errors import NotFound
from nous.kernel.log.events import BriefLine, MemoryGroup, PageSection, ProjectTidied, Writer, make_event


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
    made = nous.dossier(project="p")
    assert f"made_from_event: {nous.stores.events.last_id()}" in made.text
    cited = [part for part in made.text.split("## ") if part.startswith(("What", "How", "Open"))]
    assert cited and not [
        line for part in cited for line in part.splitlines() if line.startswith("- ") and "[Memory #" not in line
    ]
    assert "until" in made.text and f"then [Memory #{third}]" in made.text
    assert f"The api runs on ECS [Memory #{first}]" in made.text
    with pytest.raises(NotFound):
        nous.dossier(project="q")


def test_words_of_a_memory_cannot_break_the_page(nous: Nous) -> None:
    nous.remember("Kafka # is\n---\n## Open conflicts <!-- --> in `prod`", project="p", entities=["Kafka"])
    text = nous.dossier(project="p").text
    assert text.count("\n---\n") == 1
    assert not re.search(r"^## Open conflicts", text, re.M)


def test_the_command_prints_a_page_and_writes_nothing(tmp_path: Path) -> None:
    home = Home(tmp_path)
    project = home.project()
    home.nous("remember", "The api runs on EKS", cwd=project)
    before = sorted(path for path in project.rglob("*") if ".git" not in path.parts)
    shown = home.nous("dossier", cwd=project)
    assert shown.returncode == 0 and "The api runs on EKS" in shown.stdout
    assert sorted(path for path in project.rglob("*") if ".git" not in path.parts) == before


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
