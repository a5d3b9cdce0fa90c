"""What the assistant's next words and deeds say about a sentence of the user, and what a text names."""

from __future__ import annotations

import pytest

from features.rules_reader.test_extractor import Tape, of
from nous.kernel.learn import names
from nous.kernel.log.extraction import Learning


def contents(found: list[Learning]) -> list[str]:
    return [one.content for one in found if one.type != "work_state"]


def test_talk_that_nobody_takes_up_is_not_learned() -> None:
    tape = Tape().user("look at it").says("I looked.").user("octopuses have three hearts").says("Nice.").user("next")
    assert contents(tape.learned()) == []


def test_a_command_that_the_user_calls_old_is_not_learned() -> None:
    tape = Tape().user("run the tests").bash("mvn test", "ok").says("They pass.")
    tape.user("mvn is the old way, it is ./gradlew check since march").bash("./gradlew check", "BUILD OK").says("Ok.")
    learned = contents(tape.learned())
    assert not any("Run the tests with `mvn test`" in one for one in learned)


def test_a_missing_program_is_laid_to_the_shell_and_not_to_the_edits_meanwhile() -> None:
    tape = Tape().user("test it").bash("pytest -q", "zsh: command not found: pytest", 127)
    tape.edit("app.py", "a", "b").bash("source .venv/bin/activate && pytest -q", "3 passed").says("Pass.")
    (pattern,) = of(tape.learned(), "error_pattern")
    assert "source .venv/bin/activate && pytest" in pattern
    assert "app.py" not in pattern


def test_a_shell_that_has_to_be_prepared_is_one_lesson_whichever_program_it_lacked() -> None:
    slots = []
    for program in ("pytest", "ruff"):
        tape = Tape().user("go").bash(f"{program} -q", f"zsh: command not found: {program}", 127)
        tape.bash(f"source .venv/bin/activate && {program} -q", "fine").says("Fine.")
        slots += [one.slot for one in tape.learned() if one.type == "error_pattern"]
    assert len(slots) == 2 and len(set(slots)) == 1 and slots[0]


def test_a_call_that_failed_and_passed_with_another_option_is_a_pattern() -> None:
    tape = Tape().user("flash it").bash("west flash", "FATAL ERROR: no runner selected", 1)
    tape.bash("west flash --runner openocd", "done").says("Flashed.")
    assert any("--runner openocd" in one for one in of(tape.learned(), "error_pattern"))


def test_one_added_package_is_no_way_to_install_the_project() -> None:
    tape = Tape().user("add it").bash("npm i -D tailwindcss", "added 61 packages").says("Added.")
    assert of(tape.learned(), "procedure") == []


def test_a_report_that_only_counts_is_no_insight() -> None:
    tape = Tape().user("count the files")
    tape.add("report", "There are 3 files in the project root.", tool_id="a").says("Three.")
    assert of(tape.learned(), "module_insight") == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("the production database is postgres 15", {"production", "postgres"}),
        ("run it with `uv run pytest -q`", {"uv"}),
        ("staging is box-3.harbour.example", {"staging", "box-3.harbour.example"}),
        ("ask lena before you touch the schema", {"lena"}),
        ("MAPS_KEY comes from vault", {"MAPS_KEY", "vault"}),
    ],
)
def test_programs_places_hosts_variables_and_people_are_entities(text: str, wanted: set[str]) -> None:
    assert wanted <= set(names.entities(text))


def test_two_spellings_are_one_entity() -> None:
    assert len(names.entities("we use postgres; here Postgres runs in docker")) == 2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("minSdk is 24", "we raised minSdk to 28 last week"),
        ("staging is box-3.harbour.example", "staging lives on box-7.harbour.example"),
        ("webhook retries: 5 attempts max", "webhook retries: 8 attempts max"),
    ],
)
def test_a_figure_or_a_host_keeps_its_slot_when_it_changes(before: str, after: str) -> None:
    assert names.slot(before) == names.slot(after) is not None


@pytest.mark.parametrize(
    "text", ["let's keep them separate for now", "use the other one for sure", "Status: 14 values in the list"]
)
def test_a_choice_of_nothing_and_a_count_below_a_heading_fill_no_slot(text: str) -> None:
    assert names.slot(text) is None


def test_a_state_of_work_says_what_is_certain_and_guesses_no_goal() -> None:
    tape = Tape().user("the session timeout is 30 minutes").edit("a.py", "T = 20", "T = 30").says("30 minutes.")
    assert of(tape.learned(), "work_state") == ["Last work: Changed a.py."]


def test_a_path_at_the_start_of_a_prompt_is_no_command_to_the_client() -> None:
    tape = Tape().user("cache it").says("I've cached the dataset in /tmp.")
    tape.user("/tmp must never be used for caches, it is a ramdisk").says("Moving it.").user("next")
    assert any("ramdisk" in one for one in contents(tape.learned()))


def test_a_command_that_was_wanted_this_once_is_not_the_way_to_do_it() -> None:
    tape = Tape().user("skip the flaky test just this once").bash("go test -skip Flaky ./...", "ok").says("Skipped.")
    assert not any("Flaky" in one for one in contents(tape.learned()))


def test_what_follows_a_list_is_not_part_of_its_last_item() -> None:
    rules = "house rules for this repo:\n- images are pinned by digest\n- ns prefix is tide-\nnow look at charts/ingest"
    found = contents(Tape().user("hello").says("Hello.").user(rules).says("Looking.").learned())
    assert "House rules for this repo: ns prefix is tide-." in found
    assert not any("tide-" in one and "charts/ingest" in one for one in found)
