"""Proposed edits: shown as diffs, written when accepted, not injected any more, and taken out to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from factories import NOW, extracted
from nous.app import Nous
from nous.config import load_settings
from nous.kernel.log.events import Reinforced, Writer, make_event
from nous.kernel.memory.placing import addition_to, diff_of, without
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.recall.worth import refusal
from nous.shells.cli.log import _undone_lines
from nous.shells.cli.review import _find_placed, screen


@pytest.mark.parametrize("before", [b"", b"# Project", b"# Project\n", b"# Project\n\n", "# Café\r\n- x\r\n".encode()])
def test_an_addition_is_one_line_and_goes_without_a_trace(before: bytes) -> None:
    added = addition_to(before, "Ask before you change the schema.")
    assert (before + added).endswith(b"- Ask before you change the schema.\n")
    assert without(before + added, added) == before
    second = addition_to(before + added, "Use tabs.")
    assert second == b"- Use tabs.\n", "the heading is written once"
    assert without(before + added + second, added) is not None
    assert diff_of(before, added, "CLAUDE.md").count("\n+- Ask") == 1


def test_what_somebody_changed_since_is_left_alone() -> None:
    added = addition_to(b"# P\n", "Ask first.")
    assert without(b"# P\n\n## Said in earlier sessions\n\n- Ask first, always.\n", added) is None


@pytest.fixture
def nous(tmp_path: Path) -> Nous:
    environ = {
        "HOME": str(tmp_path),
        "NOUS_DATA_DIR": str(tmp_path / "data"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
    }
    (tmp_path / "data").mkdir()
    found = Nous.open(settings=load_settings(environ))
    found.stores.cache.see_project("p", str(tmp_path / "app"), None, NOW)
    (tmp_path / "app").mkdir()
    rule = extracted("l1", "Ask before you change the schema.", type="requirement", evidence=("u1",))
    again = [
        make_event("LearningReinforced", "l1", Reinforced(reinforcement_delta=0.1, evidence=(f"u{n}",)), f"r{n}",
                   project_id="p", by=Writer(f"s{n}", "observer"))
        for n in (2, 3)
    ]  # fmt: skip
    found.stores.events.append([rule, *again], NOW)
    catch_up(found.stores, NOW)
    return found


def test_a_rule_told_in_three_sessions_is_proposed_accepted_and_undone(nous: Nous, tmp_path: Path) -> None:
    file = tmp_path / "app" / "CLAUDE.md"
    file.write_bytes(b"# App\n\nRun `make`.")
    [item] = [one for one in nous.review(project="p") if one.kind == "placement"]
    assert "+- Ask before you change the schema." in item.why and "told in 3 sessions" in item.why
    assert file.read_bytes() == b"# App\n\nRun `make`.", "nothing is written unasked"
    assert "  k write it to CLAUDE.md · r do not · l later (ask me another day) · u undo · q quit" in screen(item, 1, 1)
    nous.decide(item.id, "keep")
    assert _find_placed(nous, item, "keep") == str(file)
    assert file.read_bytes().endswith(b"\n\n## Said in earlier sessions\n\n- Ask before you change the schema.\n")
    memory = nous.stores.memories.get(1)
    assert memory and refusal(memory, NOW, "") == "it stands in the instructions of the project"
    assert not [one for one in nous.review(project="p") if one.kind == "placement"]
    assert compare_with_replay(nous.stores, NOW).differences == []
    done = nous.undo(all_projects=True)
    assert done.files == (str(file),)
    numbers = {"l1": 1}
    assert f"taken out of {file}" in list(_undone_lines(done, numbers, {}))
    assert f"{file} stays: it was changed since" in list(_undone_lines(done._replace(files=()), numbers, {}))
    assert file.read_bytes() == b"# App\n\nRun `make`."
    memory = nous.stores.memories.get(1)
    assert memory and refusal(memory, NOW, "") is None


def test_a_file_that_was_made_for_it_goes_again(nous: Nous, tmp_path: Path) -> None:
    nous.decide("placement:1", "keep")
    assert (tmp_path / "app" / "CLAUDE.md").exists()
    nous.undo(all_projects=True)
    assert not (tmp_path / "app" / "CLAUDE.md").exists()


def test_no_is_no_and_keeps_the_memory(nous: Nous, tmp_path: Path) -> None:
    nous.decide("placement:1", "reject")
    memory = nous.stores.memories.get(1)
    assert memory and memory.status == "active"
    assert not [one for one in nous.review(project="p") if one.kind == "placement"]
    assert not (tmp_path / "app" / "CLAUDE.md").exists()
