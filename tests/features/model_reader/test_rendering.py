"""How a session looks to a model: roles, outcomes, dates, what is folded and how it ends."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nous.features.model_reader.rendering import CUT, ENDED, excerpt, telling
from nous.kernel.capture.transcript import Turn, TurnKind


def turn(number: int, kind: TurnKind, text: str = "", day: int = 9, **fields: Any) -> Turn:
    at = f"2026-11-{day:02}T10:00:00.000Z"
    return Turn(uuid=f"u{number}", kind=kind, at=at, session_id="s", text=text, **fields)


def command(number: int, words: str, output: str | None = "", failed: bool = False) -> list[Turn]:
    call = turn(number, "tool_call", tool="Bash", tool_id=f"c{number}", input={"command": words})
    if output is None:
        return [call]
    return [call, turn(number + 1, "tool_result", output, tool_id=f"c{number}", failed=failed)]


def look(number: int, path: str, failed: bool = False) -> list[Turn]:
    call = turn(number, "tool_call", tool="Read", tool_id=f"r{number}", input={"file_path": path})
    return [call, turn(number + 1, "tool_result", "1 | secret of the file", tool_id=f"r{number}", failed=failed)]


def shown(*turns: Turn, budget: int = 20_000, **how: Any) -> list[str]:
    return excerpt(turns, budget, **how).text.splitlines()


def test_every_command_has_one_line_that_says_how_it_ended() -> None:
    noise = "\n".join(f"building module {number}" for number in range(300))
    rows = shown(
        turn(0, "prompt", "Ship it."),
        *command(1, "make build", noise + "\nTypeError: x is undefined\n" + noise + "\n3 passed, 1 failed", True),
        *command(3, "git add -A", ""),
        *command(5, "make deploy", noise + "\nDeployed: all checks passed\n" + noise),
    )
    ends = [row for row in rows if " output" in row]
    assert len(ends) == 3
    assert "TypeError: x is undefined" in ends[0] and "3 passed, 1 failed" in ends[0] and "output, failed]" in ends[0]
    assert ends[1] == "[T5 output] (no output)"
    assert "all checks passed" in ends[2]


def test_how_a_command_ended_is_there_even_when_room_is_short() -> None:
    talk = [turn(100 + number, "reply", "I look around here and there. " * 40) for number in range(80)]
    run = command(1, "make test", "collecting\n" * 200 + "12 passed")
    text = "\n".join(shown(turn(0, "prompt", "Test it."), *run, *talk, budget=4_000))
    assert "make test" in text and "12 passed" in text


def test_what_a_tool_or_an_agent_says_is_never_the_assistants() -> None:
    rows = shown(
        turn(0, "prompt", "Go."),
        *command(1, "echo hi", "hi"),
        turn(3, "report", "I found two bugs."),
        turn(4, "compaction", "Earlier the parser was written."),
        turn(5, "error", "overloaded"),
        turn(6, "reply", "Fine."),
    )
    assert [row for row in rows if "assistant]" in row] == ["[T7 assistant] Fine."]
    assert "[T4 an agent reports] I found two bugs." in rows and "[T6 error] overloaded" in rows


def test_files_that_were_looked_at_share_a_line_and_are_named_once() -> None:
    rows = shown(
        turn(0, "prompt", "Look."),
        *look(1, "src/a.py"),
        turn(3, "thinking", "hm"),
        *look(4, "src/b.py"),
        *command(6, "ls -la src", "a.py\nb.py"),
        turn(8, "reply", "I see."),
        *look(9, "src/a.py"),
        turn(11, "reply", "Again."),
    )
    assert rows == [
        "[T1 user, 2026-11-09] Look.",
        "[T2 looks at] src/a.py; src/b.py; ls -la src",
        "[T9 assistant] I see.",
        "[T12 assistant] Again.",
        ENDED,
    ]


def test_a_look_that_failed_is_shown_with_its_error() -> None:
    rows = shown(turn(0, "prompt", "Look."), *look(1, "src/gone.py", failed=True))
    assert any("src/gone.py" in row for row in rows) and any("output of Read, failed]" in row for row in rows)


def test_a_listing_that_does_more_is_a_command() -> None:
    rows = shown(turn(0, "prompt", "Go."), *command(1, "ls src && make test", "4 passed"))
    assert rows[1:3] == ["[T2 runs Bash] ls src && make test", "[T3 output] 4 passed"]


def test_each_day_is_dated_once_where_the_user_speaks() -> None:
    rows = shown(turn(0, "prompt", "One."), turn(1, "prompt", "Two."), turn(2, "prompt", "Three.", day=11))
    assert rows[:3] == ["[T1 user, 2026-11-09] One.", "[T2 user] Two.", "[T3 user, 2026-11-11] Three."]


def test_the_last_line_says_whether_it_ended_or_was_cut_and_nobody_can_fake_it() -> None:
    fake = turn(0, "prompt", f"{ENDED} {CUT}")
    assert shown(fake)[-1] == ENDED and shown(fake, is_cut=True)[-1] == CUT
    assert "\n".join(shown(fake)).count(ENDED) == 1 and CUT not in shown(fake)[0]


@pytest.mark.parametrize("limit", [60, 160, 400])
def test_an_output_is_cut_around_what_tells(limit: int) -> None:
    quiet = "\n".join(f"downloading part {number} of the thing" for number in range(100))
    assert "ENOENT: not found" in telling(f"{quiet}\nENOENT: not found\n{quiet}", limit)
    assert "7 passed" in telling(f"{quiet}\n7 passed\n{quiet}", limit)


def test_the_agents_own_lists_print_nothing() -> None:
    call = turn(1, "tool_call", tool="TodoWrite", tool_id="t", input={"todos": [{"content": "Ship"}]})
    tick = turn(3, "tool_call", tool="TaskUpdate", tool_id="u", input={"taskId": "1", "status": "completed"})
    rows = shown(turn(0, "prompt", "Go."), call, turn(2, "tool_result", "Todos were modified.", tool_id="t"), tick)
    assert not [row for row in rows if "modified" in row or "left out" in row or "TaskUpdate" in row]


def test_a_terminals_colours_are_not_shown() -> None:
    assert telling("\x1b[1A\x1b[2K\x1b[31m1 failed\x1b[39m", 100) == "1 failed"


@given(st.text(max_size=3000), st.integers(40, 600))
def test_an_output_stays_within_its_limit(output: str, limit: int) -> None:
    assert len(telling(output, limit)) <= limit


def test_what_came_of_an_exchange_is_shown_before_the_steps_that_led_there() -> None:
    steps = [
        one for number in range(60) for one in command(10 + 2 * number, f"make step-{number} ARG={'x' * 60}", "ok")
    ]
    outcome = "The cause was the pool. " + "Each worker holds two connections. " * 25 + "So 40 is the limit."
    rows = shown(
        turn(0, "prompt", "Why does it stall?"),
        *steps,
        turn(200, "reply", outcome),
        turn(201, "prompt", "ok"),
        budget=3000,
    )
    assert any("So 40 is the limit." in row and "[...]" not in row for row in rows)


def edit(number: int, path: str, failed: bool = False) -> list[Turn]:
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    call = turn(number, "tool_call", tool="Edit", tool_id=f"e{number}", input=given)
    return [
        call,
        turn(number + 1, "tool_result", "done" if not failed else "no match", tool_id=f"e{number}", failed=failed),
    ]


def test_edits_in_a_row_are_one_line_with_names_and_counts() -> None:
    rows = shown(
        turn(0, "prompt", "Rename it."),
        *edit(1, "a.py"),
        *edit(3, "b.py"),
        *edit(5, "a.py"),
        *edit(7, "c.py", failed=True),
        *edit(9, "c.py"),
    )
    assert rows[1] == "[T2 edits] a.py ×2, b.py"
    assert rows[2].startswith("[T8 edits] c.py") and "failed" in rows[3] and rows[4] == "[T10 edits] c.py"
    assert rows[5:] == [ENDED]


def test_a_command_of_usual_length_is_shown_whole() -> None:
    words = "docker compose -f deploy/compose.yml run --rm " + " ".join(f"--set key{n}=value{n}" for n in range(10))
    assert f"[T2 runs Bash] {words}" in shown(turn(0, "prompt", "Go."), *command(1, words))


def test_a_long_text_that_comes_again_is_named_and_not_repeated() -> None:
    rules = "Never push to main. " * 30
    rows = shown(turn(0, "prompt", rules), turn(1, "reply", "Yes."), turn(2, "prompt", rules))
    assert rows[2] == "[T3 user] (as T1)"
    assert sum("Never push" in row for row in rows) == 1


def test_what_is_typed_behind_a_command_is_shown_once() -> None:
    words = "bring back the footer of the login page, with the status indicator in it"
    typed = turn(0, "context", input={"from": "command", "command": f"/quick {words}"})
    rows = shown(typed, turn(1, "prompt", words), turn(2, "prompt", "Go on."), turn(3, "prompt", "Go on."))
    assert rows[:2] == [f"[T1 user runs a command] /quick {words}", "[T2 user] (as T1)"]
    assert rows[3] == "[T4 user] Go on.", "a short answer is not hidden"


def test_a_form_is_shown_as_its_questions_and_choices() -> None:
    options = [{"label": "Both", "description": "Long reasons for both. " * 9}, {"label": "Neither"}]
    form = {"questions": [{"question": "Which one?", "header": "Kind", "options": options}, "odd", {"options": 7}]}
    asks = turn(1, "tool_call", tool="AskUserQuestion", tool_id="q", input=form)
    assert shown(turn(0, "prompt", "Go."), asks)[1] == "[T2 asks the user] Which one? (Both / Neither)"
    odd = turn(1, "tool_call", tool="AskUserQuestion", tool_id="q", input={"questions": "?"})
    assert shown(turn(0, "prompt", "Go."), odd)[1].startswith("[T2 asks the user] ")


def test_terminal_output_in_a_fence_is_told_by_the_line_that_matters() -> None:
    noise = "".join(f"compiling module {number}\n" for number in range(200))
    pasted = f"It fails:\n```\n{noise}error: missing symbol main\n{noise}```\nPlease mend it."
    row = shown(turn(0, "prompt", pasted))[0]
    assert "It fails: (printed: " in row and "error: missing symbol main" in row and "Please mend it." in row
    assert row.count("compiling module") < 10


def test_code_in_a_fence_is_not_taken_for_output() -> None:
    code = "```python\n" + "".join(f"value_{number} = {number}\n" for number in range(9)) + "```"
    assert "value_4 = 4" in shown(turn(0, "prompt", f"Use this:\n{code}"))[0]


def test_a_slash_command_is_the_users_order_and_other_context_is_not_shown() -> None:
    ordered = turn(1, "context", "The command's own long text.", input={"from": "command", "command": "/quick fix it"})
    rows = shown(turn(0, "prompt", "Hello."), ordered, turn(2, "context", "a file that was attached"))
    assert rows[1:] == ["[T2 user runs a command] /quick fix it", ENDED]
