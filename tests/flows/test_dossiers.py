"""The page of a project as a tidying wrote it: every line cites, and falls with what it rests on."""

from __future__ import annotations

from pathlib import Path

import pytest

from factories import Home
from nous.app import Nous
from nous.config import load_settings
from nous.kernel.log.events import BriefLine, MemoryGroup, PageSection, ProjectTidied, Writer, make_event
from nous.kernel.memory.projection import catch_up


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


def tidied(nous: Nous, page: tuple[PageSection, ...], groups: tuple[MemoryGroup, ...] = ()) -> str:
    """The page of a project after a tidying that wrote this."""
    said = ProjectTidied(reader="tidy@1/fake:x", groups=groups, page=page)
    one = make_event("ProjectTidied", "tidied", said, "tidied:1", project_id="p", by=Writer("tidy", "fs_reconcile"))
    nous.stores.events.append([one], nous.clock())
    catch_up(nous.stores, nous.clock())
    return nous.dossier(project="p").text


def test_a_project_that_was_not_tidied_has_no_page(tmp_path: Path) -> None:
    home = Home(tmp_path)
    project = home.project()
    home.nous("remember", "The api runs on EKS", cwd=project)
    shown = home.nous("debug", "dossier", cwd=project)
    assert shown.returncode == 1 and "nous tidy" in shown.stderr


def test_words_of_a_page_cannot_break_it(nous: Nous) -> None:
    known(nous)
    name = nous.list(project="p")[0].learning_id
    bad = BriefLine("Kafka # is\n---\n## Open conflicts <!-- --> in `prod`", (name,))
    text = tidied(nous, (PageSection("Running\n## it", (bad,)),))
    assert text.count("\n---\n") == 1 and text.count("\n## ") == 1


def test_the_page_of_a_project_is_the_one_a_tidying_wrote(nous: Nous) -> None:
    first, second, third = known(nous)
    names = {one.id: one.learning_id for one in nous.stores.memories.by_id([first, second, third])}
    line = BriefLine("The api runs on EKS.", (names[third],))
    fallen = BriefLine("It ran on ECS.", (names[first], names[third]))
    group = MemoryGroup("hosting", "Where things run.", (names[third],))
    text = tidied(nous, (PageSection("Running it", (line, fallen)),), (group,))
    assert f"## Running it\n\n- The api runs on EKS. [Memory #{third}]" in text and "It ran on ECS." not in text
    assert "1 lines fell" in text and f"- **hosting**: Where things run. [Memory #{third}]" in text
    assert "made_by: tidy@1/fake:x" in text
