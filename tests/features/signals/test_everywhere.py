"""What a person says in two projects may hold in all: they are asked. Nothing of one project is told in another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factories import NOW
from kernel.test_capture import lines, record
from nous.app import Nous
from nous.config import load_settings
from nous.features.signals.observe import observe_due
from nous.kernel.capture.intake import Intake
from nous.kernel.learn.learn import WorkerOptions, learn_all
from nous.kernel.memory.projection import compare_with_replay
from nous.kernel.recall.worth import start_text
from nous.kernel.stores import Stores
from nous.language.text import Wanted

RULE = "Always ask me before you start implementing."
SAME = "Please always ask me before implementing."


def tell(stores: Stores, folder: Path, session: str, *prompts: str, day: int = 1, **fields: Any) -> None:
    """A session of some prompts that is over, learned."""
    file = folder / f"{session}.jsonl"
    more = {"sessionId": session, "timestamp": f"2026-11-{day:02}T10:00:00.000Z"} | fields
    file.write_bytes(lines(*(record(text, **more) for text in prompts)))
    Intake(stores, lambda: NOW).take_in(str(file), "fs_watch")
    learn_all(stores, "w", lambda: NOW, WorkerOptions())


def observe(stores: Stores) -> None:
    observe_due(stores, lambda: NOW)


def about(stores: Stores, word: str) -> list[Any]:
    numbers = [number for number, _ in stores.memories.search_text(Wanted((word,)), 50)]
    return [one for one in stores.memories.by_id(numbers) if one.status == "active"]


@pytest.fixture
def nous(tmp_path: Path) -> Nous:
    for folder in ("data", "one", "two", "three"):
        (tmp_path / folder).mkdir()
    environ = {
        "HOME": str(tmp_path),
        "NOUS_DATA_DIR": str(tmp_path / "data"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
    }
    return Nous.open(settings=load_settings(environ))


def told(nous: Nous, folder: Path, said: dict[str, str], **fields: Any) -> list[str]:
    """Something is said in each of some projects; the questions that follow in the last of them."""
    for day, (project, text) in enumerate(said.items(), 1):
        tell(nous.stores, folder, f"s-{project}", text, day=day, cwd=str(folder / project), **fields)
        observe(nous.stores)
    return [one.id for one in nous.questions(project=str(folder / project)) if one.kind == "everywhere"]


def seen_in(nous: Nous, folder: Path, project: str) -> list[str]:
    """What is visible in a project."""
    place = nous.project(str(folder / project)).id
    return [one.content for one in nous.stores.memories.visible(place) if one.status == "active"]


def test_a_rule_said_in_two_projects_holds_everywhere_when_the_person_says_so(nous: Nous, tmp_path: Path) -> None:
    [item] = told(nous, tmp_path, {"one": RULE, "two": SAME})
    assert seen_in(nous, tmp_path, "three") == [], "nothing holds everywhere unasked"
    nous.decide(item, "keep")
    [shown] = seen_in(nous, tmp_path, "three")
    assert "ask me before implementing" in shown
    [memory] = [one for one in about(nous.stores, "implementing") if one.scope == "global"]
    assert start_text(memory), "it was said twice and a person confirmed it"
    assert {one.kind for one in nous.questions(all_projects=True)} & {"everywhere", "scope"} == set()
    assert compare_with_replay(nous.stores, NOW).differences == []
    nous.undo(all_projects=True)
    assert seen_in(nous, tmp_path, "three") == []


def test_no_is_no(nous: Nous, tmp_path: Path) -> None:
    [item] = told(nous, tmp_path, {"one": RULE, "two": SAME})
    nous.decide(item, "reject")
    assert seen_in(nous, tmp_path, "three") == [] and len(seen_in(nous, tmp_path, "two")) == 1
    assert told(nous, tmp_path, {"two": SAME}) == []


def test_a_question_about_one_project_has_no_word_of_another(nous: Nous, tmp_path: Path) -> None:
    assert told(nous, tmp_path, {"one": RULE, "two": SAME})
    where = nous.project(str(tmp_path / "two")).id
    shown = [*nous.questions(project=where, kind="everywhere"), *nous.stores.near_misses.recent(where)]
    assert len(shown) == 2 and "before you start" not in str(shown)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (RULE, "Write the summary into a file of its own, please."),  # something else
        ("Always run src/seed.py before you start.", "Always run src/seed.py before you start."),  # a name
        ("Always use port 8080 for the server.", "Always use port 8080 for the server."),  # a number
        ("Never deploy this app on a Friday.", "Never deploy this app on a Friday."),  # "this"
        ("On this branch we never run the migrations.", "On this branch we never run the migrations."),
    ],
)
def test_what_belongs_to_a_project_stays_there(nous: Nous, tmp_path: Path, one: str, two: str) -> None:
    assert told(nous, tmp_path, {"one": one, "two": two}) == []
    assert seen_in(nous, tmp_path, "three") == []


def test_a_template_pasted_into_two_projects_is_no_rule(nous: Nous, tmp_path: Path) -> None:
    template = f"{RULE}\nAlways run the linter before you finish.\nAlways write a summary of all that was done."
    assert told(nous, tmp_path, {"one": template, "two": template}) == []


@pytest.mark.parametrize("fields", [{"entrypoint": "sdk-cli"}, {"isSidechain": True, "agentId": "a1"}])
def test_nobody_but_a_person_says_it_in_two_projects(nous: Nous, tmp_path: Path, fields: dict[str, Any]) -> None:
    assert told(nous, tmp_path, {"one": RULE, "two": SAME}, **fields) == []


def test_said_twice_in_one_project_it_stays_there(nous: Nous, tmp_path: Path) -> None:
    tell(nous.stores, tmp_path, "s0", RULE, day=1, cwd=str(tmp_path / "one"))
    assert told(nous, tmp_path, {"one": SAME}) == []
