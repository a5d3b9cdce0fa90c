"""Words as the index and a query see them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nous.language.text import STOP_WORDS, any_word_of, asked_terms, index_terms, is_question, query_terms


@pytest.mark.parametrize(
    ("written", "whole", "some"),
    [
        ("getUserById", "getuserbyid", {"get", "user"}),
        ("get_user_by_id", "getuserbyid", {"get", "user"}),
        ("src/auth/tokens.py", "srcauthtokenspy", {"src", "auth", "tokens", "py"}),
        ("E1101", "e1101", {"1101"}),
        ("--no-verify", "noverify", {"verify"}),
        ("3.11.2", "3112", {"11"}),
        ("HTTPServer2", "httpserver2", {"http", "server"}),
    ],
)
def test_an_identifier_is_asked_for_whole_and_by_its_parts(written: str, whole: str, some: set[str]) -> None:
    words = {term.word for term in asked_terms(written)}
    assert {whole} | some <= words
    assert {whole} | some <= {word.lower() for word in (*index_terms(written).split(), *query_terms(written))}


def test_words_that_only_ask_are_left_out_unless_there_are_no_others() -> None:
    assert [term.word for term in asked_terms("What is the staging port?")] == ["staging", "port"]
    assert [term.word for term in asked_terms("what is it")] == ["what", "is", "it"]
    assert asked_terms("") == asked_terms("?!… 🙂") == []


def test_scripts_without_spaces_are_found_by_pairs_of_characters() -> None:
    assert "数据" in index_terms("使用数据库迁移").split()
    assert "数据" in {term.word for term in asked_terms("数据库")}


@given(st.text())
def test_whatever_a_person_types_becomes_words(text: str) -> None:
    for term in asked_terms(text):
        assert not set(term.word) & set('"*^:(){}')
    wanted, words = any_word_of(text, "p"), query_terms(text)
    telling = tuple(word for word in words if word not in STOP_WORDS)
    assert (wanted.words if wanted else ()) == (telling or tuple(words))


def test_what_is_alike_is_looked_for_by_telling_words() -> None:
    wanted = any_word_of("The port of the staging box is 8080")
    assert wanted and wanted.words == ("port", "staging", "box", "8080")
    idle = any_word_of("do it")
    assert idle and idle.words == ("do", "it")


def test_a_question_is_known_by_its_mark() -> None:
    assert is_question("Really? [photo of a dog]") and is_question("本当？") and not is_question("Sure.")
