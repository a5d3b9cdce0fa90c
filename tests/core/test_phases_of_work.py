"""In which phase a session is, told from what it does; one odd call does not change it."""

from __future__ import annotations

from core.test_signals import Script
from nous.core.phases import PHASE_SHARES, PHASES, phase_of, phases_of, share_of
from nous.core.session import Story


def at_end(script: Script) -> str | None:
    return phase_of(Story(script.turns))


def test_what_is_done_tells_the_phase() -> None:
    assert at_end(Script()) is None
    assert at_end(Script().add("prompt", text="Write a plan before you code.").call("AskUserQuestion")) == "define"
    assert at_end(Script().read("a.py").read("b.py").read("c.py")) == "explore"
    assert at_end(Script().edit("a.py").edit("b.py").edit("c.py")) == "implement"
    assert at_end(Script().run("pytest -q").run("ruff check").run("mypy src")) == "validate"
    assert at_end(Script().edit("a.py").run("git commit -m x")) == "reflect"


def test_an_edit_after_a_failure_refines() -> None:
    script = Script().edit("a.py").run("pytest", "1 failed", True)
    assert at_end(script.edit("a.py").edit("a.py").edit("a.py")) == "refine"


def test_one_odd_call_does_not_change_the_phase() -> None:
    script = Script().edit("a.py").edit("b.py").edit("c.py").read("d.py")
    assert at_end(script) == "implement"
    assert at_end(script.read("e.py").read("f.py")) == "explore"
    assert len(set(phases_of(Story(script.turns)))) == 2


def test_the_shares_of_a_phase_are_a_whole() -> None:
    for phase in PHASES:
        assert abs(sum(PHASE_SHARES[phase].values()) - 1.0) < 1e-9, phase
    assert share_of("implement", "gotcha") == 0.3 and share_of("implement", "fact") == 0.05
