"""Proposed edits: shown as diffs, written when accepted, not injected any more, and taken out to the byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factories import NOW, extracted
from nous.app import Nous
from nous.config import load_settings
from nous.core.events import Event, Reinforced, Weakened, Writer, make_event
from nous.core.memory import Memory
from nous.core.placing import addition_to, diff_of, file_for, skill_of, steps_of, without
from nous.core.worth import refusal
from nous.errors import NousError
from nous.remember.projection import catch_up, compare_with_replay
from remember.test_observe import observe, session


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
    nous.decide(item.id, "keep")
    assert file.read_bytes().endswith(b"\n\n## Said in earlier sessions\n\n- Ask before you change the schema.\n")
    memory = nous.stores.memories.get(1)
    assert memory and refusal(memory, NOW, "") == "it stands in the instructions of the project"
    assert not [one for one in nous.review(project="p") if one.kind == "placement"]
    assert compare_with_replay(nous.stores, NOW).differences == []
    nous.undo(all_projects=True)
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


def placements(nous: Nous) -> dict[int, str]:
    return {one.memory.id: one.why for one in nous.questions(project="p") if one.kind == "placement"}


def test_what_is_taught_and_corrected_in_a_hot_spot_is_proposed_before_it_was_told_three_times(nous: Nous) -> None:
    def trap(name: str, content: str, file: str) -> Event:
        return extracted(name, content, type="gotcha", files=(file,))

    known = [trap(f"h{n}", f"Trap number {n} of the login waits.", "api/auth/login.py") for n in range(3)]
    cold = trap("c0", "The export is slow on Mondays.", "api/export/run.py")
    by = Writer("t0", "observer")
    gained = {name: Reinforced(reinforcement_delta=0.1, evidence=(f"{name}1",)) for name in ("h0", "h1", "c0")}
    again = [make_event("LearningReinforced", name, said, name, project_id="p", by=by) for name, said in gained.items()]
    nous.stores.events.append([*known, cold, *again], NOW)
    catch_up(nous.stores, NOW)
    assert list(placements(nous)) == [1], "twice is not hot"
    more = Weakened(reinforcement_delta=-0.1, reason="corrected")
    nous.stores.events.append([make_event("LearningWeakened", "h1", more, "w", project_id="p", by=by)], NOW)
    catch_up(nous.stores, NOW)
    hot = {one.content: one.id for one in nous.stores.memories.listing("p", limit=99)}
    found = placements(nous)
    assert set(found) == {1, hot["Trap number 0 of the login waits."], hot["Trap number 1 of the login waits."]}
    told = found[hot["Trap number 1 of the login waits."]]
    assert "api/auth was taught again or corrected 3 times" in told and "+- Trap number 1" in told


STEPS = [("mix ecto.migrate", "ok", False), ("mix compile", "ok", False)]


def watched(nous: Nous, folder: Path, sessions: int) -> Memory:
    """Sessions of a project that take the same two steps; the memory that comes of them."""
    for day in range(1, sessions + 1):
        session(nous.stores, folder, f"w{day}", STEPS, day)
    observe(nous.stores)
    found = [one for one in nous.stores.memories.listing(None, limit=99) if one.type == "workflow_recipe"]
    assert len(found) == 1
    nous.stores.cache.see_project(found[0].project_id, str(folder / "app"), None, NOW)
    return found[0]


def test_steps_of_three_sessions_are_proposed_as_a_skill_written_and_removed(nous: Nous, tmp_path: Path) -> None:
    memory = watched(nous, tmp_path, 3)
    assert refusal(memory, NOW, "") == "it is proposed as a skill and nobody accepted it"
    [item] = [one for one in nous.questions(all_projects=True) if one.memory.id == memory.id]
    file = tmp_path / "app" / ".claude" / "skills" / "mix-ecto-migrate-then-mix-compile" / "SKILL.md"
    assert item.kind == "placement" and "done in 3 sessions" in item.why and "+1. `mix ecto.migrate`" in item.why
    assert not (tmp_path / "app" / ".claude").exists(), "nothing is written unasked"
    nous.decide(item.id, "keep")
    assert file.read_text().startswith('---\nname: mix-ecto-migrate-then-mix-compile\ndescription: "Usual steps')
    assert file.read_text().endswith("1. `mix ecto.migrate`\n2. `mix compile`\n")
    kept = nous.stores.memories.get(memory.id)
    assert kept and refusal(kept, NOW, "") == "it stands in the instructions of the project"
    assert compare_with_replay(nous.stores, NOW).differences == []
    nous.undo(all_projects=True)
    assert not (tmp_path / "app" / ".claude").exists(), "with the folders that were made for it"


def test_a_skill_of_that_name_is_left_alone(nous: Nous, tmp_path: Path) -> None:
    memory = watched(nous, tmp_path, 3)
    file = tmp_path / "app" / ".claude" / "skills" / "mix-ecto-migrate-then-mix-compile" / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    assert memory.id not in {one.memory.id for one in nous.questions(all_projects=True)}
    with pytest.raises(NousError, match="is there already"):
        nous.decide(f"placement:{memory.id}", "keep")
    assert file.read_text() == "mine"
    other = file.parent.parent / "other" / "SKILL.md"
    other.parent.mkdir()
    other.write_text("theirs")
    file.unlink()
    nous.decide(f"placement:{memory.id}", "keep")
    nous.undo(all_projects=True)
    assert not file.exists() and other.read_text() == "theirs"


def test_steps_of_two_sessions_are_nothing(nous: Nous, tmp_path: Path) -> None:
    for day in (1, 2):
        session(nous.stores, tmp_path, f"w{day}", STEPS, day)
    observe(nous.stores)
    assert not [one for one in nous.stores.memories.listing(None, limit=99) if one.type == "workflow_recipe"]


def test_a_skill_is_named_and_quoted_whatever_its_commands_are() -> None:
    said = "Usual steps here: `npm run \"x: y\"`, then `cd web && npm test -- --grep='a'`."
    assert file_for(said) == ".claude/skills/npm-run-x-y-then-cd-web-npm-test-grep-a/SKILL.md"
    assert json.loads(skill_of(said).decode().splitlines()[2].removeprefix("description: ")) == said
    assert file_for("Run `a b`.") == "CLAUDE.md"
    assert steps_of("`npm ci` works here. Usual steps here: `a b`, then `c d`.") == ["a b", "c d"]
