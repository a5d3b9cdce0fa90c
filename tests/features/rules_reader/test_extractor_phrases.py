"""What single prompts teach: many phrasings in several languages that must be kept, and many that must not."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from nous.features.rules_reader.extractor import extract
from nous.kernel.capture.transcript import Turn, TurnKind
from nous.kernel.log.extraction import Learning
from nous.language import cues
from nous.language.cues import Cue
from nous.language.lexicon import folded_pattern
from nous.language.lowered import needed_strings
from nous.redact import redact_turn

DATA = Path(__file__).parents[2] / "data" / "learning"


class Case(NamedTuple):
    """A prompt, what preceded it, and what must be learned from it."""

    types: tuple[str, ...]
    words: tuple[str, ...]
    user: str
    said: str
    ran: str


def _lines(name: str) -> list[str]:
    lines = (DATA / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("# ")]


def _kept() -> list[Case]:
    cases: list[Case] = []
    said = ran = ""
    for line in _lines("kept.txt"):
        types, words, user = (part.strip() for part in line.split(" | ", 2))
        if user.startswith("> "):
            said = user[2:]
        elif user.startswith("$ "):
            ran = user[2:]
        else:
            wanted = tuple(word.strip().lower() for word in words.split("&"))
            cases.append(Case(tuple(types.split(",")), wanted, user, said, ran))
            said = ran = ""
    return cases


def _turn(place: int, kind: TurnKind, text: str = "") -> Turn:
    return Turn(uuid=f"u{place}", kind=kind, at="2026-01-05T10:00:00Z", session_id="s", text=text, branch="main")


def session(user: str, said: str = "", ran: str = "", after: str = "Understood.") -> list[Turn]:
    """An exchange that did something, the prompt, the assistant's answer to it, and the next prompt."""
    turns = [_turn(1, "prompt", "please continue with the task")]
    if ran:
        call = Turn(
            uuid="u2",
            kind="tool_call",
            at="",
            session_id="s",
            tool="Bash",
            tool_id="x",
            input={"command": ran},
        )
        turns += [call, Turn(uuid="u3", kind="tool_result", at="", session_id="s", tool_id="x", text="ok")]
    turns += [
        _turn(4, "reply", said or "Done."),
        _turn(5, "prompt", user.replace("\\n", "\n")),
        _turn(6, "reply", after),
    ]
    turns += [_turn(7, "prompt", "next"), _turn(8, "reply", "Ok.")]
    return [redact_turn(turn)[0] for turn in turns]


def learned(turns: list[Turn]) -> list[Learning]:
    return [one for one in extract(turns) if isinstance(one, Learning)]


def _is_kept(case: Case) -> bool:
    found = learned(session(case.user, case.said, case.ran))
    return any(all(word in one.content.lower() for word in case.words) and "u5" in one.evidence for one in found)


def test_what_is_said_as_a_rule_is_kept() -> None:
    assert [case.user for case in _kept() if not _is_kept(case)] == []


def test_what_is_not_worth_keeping_teaches_nothing() -> None:
    prompts = _lines("ignored.txt")
    taken = [prompt for prompt in prompts if learned(session(prompt))]
    assert len(taken) <= 0.01 * len(prompts), taken


def test_most_are_given_a_type_that_fits() -> None:
    cases = [case for case in _kept() if case.types != ("*",) and _is_kept(case)]
    fitting = [case for case in cases if any(one.type in case.types for one in learned(session(case.user, case.said)))]
    assert len(fitting) >= 0.85 * len(cases)


@pytest.mark.parametrize("case", _kept()[::7], ids=lambda case: case.user[:60])
def test_the_same_words_from_another_model_teach_nothing(case: Case) -> None:
    """In a subagent's file the prompts are the main assistant's words."""
    turns = [msgspec.structs.replace(turn, agent_id="a1") for turn in session(case.user)]
    assert all(one.type not in ("preference", "requirement", "decision") for one in learned(turns))


CUES = {name: one for name, one in vars(cues).items() if isinstance(one, Cue)}


@pytest.mark.parametrize("name", CUES)
def test_what_a_cue_needs_stands_in_whatever_it_fits(name: str) -> None:
    texts = [line for file in ("kept.txt", "ignored.txt") for line in _lines(file)]
    for script, pattern in CUES[name].patterns.items():
        needs = CUES[name]._pattern(script).needs
        fitting = [lowered for lowered in map(str.lower, texts) if pattern.search(lowered)]
        assert all(any(one in lowered for one in needs) for lowered in fitting)


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        (r"\bno longer\b|\bgone(?: for good)?\b", ("gone", "no longer")),
        (r"(?:please )?remember (?:that|this)", ("remember th",)),
        (r"(?:on|off)+ again|back\s?on", (" again", "back")),
        (r"\w+ed|moved", ("ed",)),
        (r"gone|\w*", ("",)),
    ],
)
def test_a_pattern_needs_what_each_of_its_branches_cannot_do_without(pattern: str, needs: tuple[str, ...]) -> None:
    assert needed_strings(pattern) == needs


@pytest.mark.parametrize("name", ["over.replaces", "over.old_first", "over.left", "over.turned"])
def test_a_way_to_say_that_something_is_over_is_found_where_its_pattern_fits(name: str) -> None:
    texts = [*_lines("kept.txt"), *_lines("changes.txt"), *map(str.upper, _lines("changes.txt"))]
    way = folded_pattern(name)
    fitting = [text for text in texts if way.pattern.search(text)]
    assert fitting
    assert all(way.search(text) and list(way.finditer(text)) for text in fitting)
