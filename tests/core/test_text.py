"""Words as the index and a query see them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nous.core.text import asked_terms, index_terms, is_question, match_any, place_token, query_terms, quoted


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
def test_whatever_a_person_types_becomes_quoted_words(text: str) -> None:
    for term in asked_terms(text):
        assert term.match == quoted(term.word)
        assert not set(term.word) & set('"*^:(){}')
    assert set(match_any(text).replace('"', "").split(" OR ")) == set(query_terms(text)) | (
        set() if query_terms(text) else {""}
    )


def test_a_project_is_one_word_in_the_index() -> None:
    assert place_token("github.com/a/b").isalnum()
    assert place_token("a") != place_token("b")


def test_a_question_is_known_by_its_mark() -> None:
    assert is_question("Really? [photo of a dog]") and is_question("本当？") and not is_question("Sure.")
