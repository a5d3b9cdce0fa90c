"""What a word of another language is called in English."""

from __future__ import annotations

import pytest

from nous.kernel.recall.glossary import in_english
from nous.kernel.recall.query import understand
from nous.language.lexicon import lines, row

NOW = "2026-11-15T12:00:00.000Z"


@pytest.mark.parametrize(
    ("word", "english"),
    [
        ("navigateurs", ["browser"]),  # with an ending
        ("tâches", ["task"]),  # with accents
        ("Schlüssel", ["key"]),
        ("соединение", ["connection"]),
        ("头像", []),  # unknown
        ("rechnung", ["bill", "invoice"]),
        ("boutonnière", []),  # more than an ending
        ("git", []),
    ],
)
def test_a_word_of_another_language_has_its_english_names(word: str, english: list[str]) -> None:
    assert in_english([word]) == dict.fromkeys(english, word)


def test_english_questions_are_asked_in_their_own_words_alone() -> None:
    assert understand("quels navigateurs sont pris en charge ?", NOW).in_english == {"browser": "navigateurs"}
    assert understand("which champ has the host of the order in it?", NOW).in_english == {}


@pytest.mark.parametrize("line", lines(row("glossary.english")))
def test_a_row_is_one_english_word_and_what_it_is_called(line: str) -> None:
    english, _, others = line.partition(": ")
    assert english.isalpha() and english.isascii() and len(others.split()) >= 4
    assert english not in others.split()
