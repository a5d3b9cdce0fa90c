"""What decided a matter: the question, the answers and the outcome, in whole sentences, and nothing beside."""

from __future__ import annotations

from nous.features.exchanges.decision_text import Voice, deciding, spoken_part, telling, whole_sentences
from nous.kernel.hooks.packing import estimate_tokens

SEATS = [
    Voice(True, "Groups get split across rows by assign_seats. The ushers complain about it every evening."),
    Voice(False, "assign_seats fills row by row. I'd sort groups by size and fill from the front, largest first."),
    Voice(True, "Largest first is right, but never fill a row to the last seat: one aisle seat per row stays empty."),
    Voice(False, "One aisle seat per row stays free. Should a group of one count as a group?"),
    Voice(True, "Pairs and up."),
    Voice(
        False, "Let me run the tests. Settled: assign_seats seats groups largest first and keeps one aisle seat free."
    ),
    Voice(True, "ok, commit this and push"),
]
PROMPT = "assign_seats splits groups across rows again"
SUBJECTS = telling("assign_seats groups rows")


def told(voices: list[Voice], prompt: str = PROMPT, room: int = 400) -> list[tuple[str, str]]:
    return [(line.who, line.text) for line in deciding(voices, prompt, SUBJECTS, room)]


def test_the_question_the_correction_and_the_outcome_come_in_their_order() -> None:
    first, *between, last = told(SEATS)
    assert first == ("asked", SEATS[0].text)
    assert ("user", SEATS[2].text) in between
    assert last[0] == "agent" and last[1].startswith("Settled: assign_seats seats groups largest first")


def test_a_word_is_told_with_the_question_that_it_answers() -> None:
    assert ("user", "(Should a group of one count as a group?) Pairs and up.") in told(SEATS)


def test_errands_questions_and_next_steps_are_left_out() -> None:
    said = " ".join(text for _, text in told(SEATS))
    assert "push" not in said and "run the tests" not in said and "I'd sort" not in said


def test_sentences_stay_whole_and_within_the_room() -> None:
    known = {sentence for voice in SEATS for sentence in whole_sentences(voice.text)}
    for room in (30, 60, 120):
        lines = told(SEATS, room=room)
        assert sum(estimate_tokens(text) for _, text in lines) <= room + 20
        for _, text in lines:
            assert any(sentence in text for sentence in known) and not text.endswith("…")


def test_a_brief_answer_is_told_whole_or_not_at_all() -> None:
    answer = "Largest first, always. Then pairs."
    voices = [SEATS[0], Voice(False, "Which groups go first in assign_seats?"), Voice(True, answer)]
    [_, (_, said), *_] = told([*voices, Voice(False, "assign_seats: largest groups first, then pairs.")])
    assert said.endswith(answer)


def test_what_is_about_something_else_is_no_outcome() -> None:
    voices = [SEATS[0], Voice(False, "The tests pass and the branch is pushed to the remote.")]
    assert told(voices) == []


def test_what_nobody_answered_was_not_decided() -> None:
    assert told([SEATS[0], SEATS[5], SEATS[6]]) == []


def test_an_item_of_several_answers_is_told_where_it_names_something() -> None:
    asked = Voice(False, "Which groups go first in assign_seats? And what of the rows?")
    answered = Voice(
        True, "1. largest groups first as before and then the rest\n2. assign_seats leaves rows to `fill_rows`"
    )
    said = told([SEATS[0], asked, answered, SEATS[5]])
    assert [text for who, text in said if who == "user"] == ["assign_seats leaves rows to `fill_rows`"]


def test_pasted_paths_and_parts_of_a_page_are_not_spoken() -> None:
    pasted = "DOM Path: div#root > div.flex > button.px-3\nReact Component: Sidebar\nThe button is too small."
    assert spoken_part(pasted) == "The button is too small."
