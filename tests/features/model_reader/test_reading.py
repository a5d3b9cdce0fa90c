"""A reading is checked item by item: what is bad is refused with its reason, and the rest counts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nous.errors import BadOutput
from nous.kernel.learn.reading import MOST_MEMORIES, check_reading, memory_type

SESSION = "5e55-1"
MEMORY: dict[str, Any] = {
    "text": "Run `make check` before every commit.",
    "type": "rule",
    "by": "user",
    "evidence": ["r1"],
}
GOOD: dict[str, Any] = {
    "session": SESSION,
    "at": "2026-03-02T10:00:00.000Z",
    "title": "A check before commits",
    "summary": "The user wants a check before each commit.",
    "outcome": "done",
    "open": ["Write it down in the README", {"text": "Tell the team", "who": "Ana"}],
    "topics": ["commits"],
    "memories": [MEMORY],
    "gone": [{"known": "s0#1", "why": "no longer true", "evidence": ["r1"]}],
    "edits": [{"known": "s0#2", "text": "The port is 8081.", "evidence": ["r1"]}],
    "things": [{"name": "Make", "kind": "tool", "also": ["make"], "is": "runs the checks"}],
    "relations": [{"from": "commit", "how": "needs", "to": "Make", "memory": 0}],
    "because": [{"cause": "no check", "effect": "broken main", "evidence": ["r1"]}],
    "brief": [{"text": "Run `make check` before a commit.", "from": [f"{SESSION}#0"]}],
}


def reasons(answer: object) -> list[str]:
    return [one.reason for one in check_reading(answer, SESSION).refused]


def test_a_whole_reading_is_taken_as_it_is() -> None:
    reading, refused, is_partial = check_reading(GOOD, SESSION)
    assert refused == [] and not is_partial
    assert reading.memories[0] is not None and reading.memories[0].text == MEMORY["text"]
    assert [(one.text, one.who) for one in reading.open] == [
        ("Write it down in the README", ""),
        ("Tell the team", "Ana"),
    ]
    assert (reading.relations[0].from_, reading.things[0].is_) == ("commit", "runs the checks")
    assert reading.brief is not None and reading.brief[0].from_ == (f"{SESSION}#0",)
    assert reading.outcome == "done"


@pytest.mark.parametrize(
    "text",
    [
        "Here is the reading you asked for:\n```json\n{}\n```\nThat is all.",
        "\ufeff{}",
        'I saw {"a": 1} in the session. {}',
    ],
)
def test_words_around_the_document_do_no_harm(text: str) -> None:
    reading, refused, is_partial = check_reading(text.replace("{}", json.dumps(GOOD)), SESSION)
    assert (len(reading.memories), refused, is_partial) == (1, [], False)


def test_of_half_an_answer_the_whole_items_count_and_no_brief() -> None:
    many = GOOD | {"memories": [MEMORY | {"text": f"Rule number {n}."} for n in range(3)]}
    text = json.dumps(many)
    cut = text[: text.index("Rule number 2")]
    reading, _, is_partial = check_reading(cut, SESSION)
    assert is_partial and reading.brief is None
    assert [one.text for one in reading.memories if one] == ["Rule number 0.", "Rule number 1."]


@pytest.mark.parametrize("cut", range(1, len(json.dumps(GOOD)), 7))
def test_wherever_an_answer_breaks_off_nothing_breaks(cut: int) -> None:
    try:
        reading = check_reading(json.dumps(GOOD)[:cut], SESSION).reading
    except BadOutput:
        return
    assert reading.session == SESSION and reading.brief is None


@pytest.mark.parametrize("answer", ["", "I could not read it.", "[1, 2]", "{", 7, [GOOD], {}, {"learnings": []}])
def test_what_is_no_reading_is_said_to_be_none(answer: object) -> None:
    with pytest.raises(BadOutput):
        check_reading(answer, SESSION)


def test_a_reading_of_another_session_is_not_taken() -> None:
    with pytest.raises(BadOutput, match="another session"):
        check_reading(GOOD | {"session": "5e55-2"}, SESSION)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"text": ""}, "text"),
        ({"text": 7}, "Expected `str`"),
        ({"text": "x" * 401}, "longer than 400"),
        ({"type": "poem"}, "unknown type 'poem'"),
        ({"evidence": []}, "length >= 1"),
        ({"by": "nobody"}, "nobody"),
        ({"until": "next week"}, "no date"),
        ({"scope": "galaxy"}, "galaxy"),
    ],
)
def test_one_bad_memory_is_refused_and_the_others_keep_their_numbers(change: dict[str, Any], reason: str) -> None:
    other = MEMORY | {"text": "The port is 8080."}
    reading, refused, _ = check_reading(GOOD | {"memories": [MEMORY | change, other]}, SESSION)
    assert reading.memories[0] is None and reading.memories[1] is not None
    assert len(refused) == 1 and reason in refused[0].reason


@pytest.mark.parametrize("item", [None, "a sentence", 7, [], {"known": 3}])
@pytest.mark.parametrize("name", ["gone", "edits", "again", "things", "relations", "because", "questions", "brief"])
def test_a_bad_item_of_any_list_is_refused_alone(name: str, item: object) -> None:
    reading, refused, _ = check_reading(GOOD | {name: [*GOOD.get(name, []), item]}, SESSION)
    assert [one.reason.split(":")[0] for one in refused] == [name]
    assert len(getattr(reading, name) or ()) == len(GOOD.get(name, []))


def test_a_secret_is_refused_and_not_repeated_in_the_reason() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    said = MEMORY | {"text": f"The token is {secret}."}
    reading, refused, _ = check_reading(GOOD | {"memories": [said], "summary": f"They used {secret}."}, SESSION)
    assert reading.memories == (None,)
    assert [one.reason for one in refused] == ["memories: it holds a secret"]
    assert secret not in str(refused) and secret not in reading.summary


def test_five_hundred_memories_are_cut_with_one_reason() -> None:
    many = GOOD | {"memories": [MEMORY | {"text": f"Rule number {n}."} for n in range(500)]}
    assert len(check_reading(many, SESSION).reading.memories) == MOST_MEMORIES
    assert reasons(many) == [f"memories: 500 are more than {MOST_MEMORIES}"]


def test_a_list_that_is_none_is_named() -> None:
    assert reasons(GOOD | {"gone": "nothing"}) == ["gone is no list"]


def test_readers_words_for_types_are_those_of_the_registry() -> None:
    assert [memory_type(one) for one in ("rule", "command", "error_fix", "gotcha")] == [
        "requirement",
        "procedure",
        "error_pattern",
        "gotcha",
    ]


@pytest.mark.parametrize(
    ("named", "by"), [("assistant", "agent"), ("output", "tool"), ("user", "user"), (None, "agent")]
)
def test_whose_word_it_is_may_be_named_as_the_transcript_names_it(named: str | None, by: str) -> None:
    checked = check_reading({"memories": [GOOD["memories"][0] | {"by": named}]}, SESSION)
    assert checked.refused == [] and [one and one.by for one in checked.reading.memories] == [by]
