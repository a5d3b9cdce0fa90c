"""How alike two texts are, and when likeness deceives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nous.kernel.learn.relate import differ_in_kind
from nous.language.likeness import cosine, jaccard, rarity, stem, tokens

WORDS = st.lists(st.sampled_from(["red", "green", "blue", "fast", "slow", "query", "index", "cache"]), max_size=8)


@given(WORDS, WORDS)
def test_jaccard_is_symmetric_and_between_zero_and_one(one: list[str], other: list[str]) -> None:
    assert jaccard(one, other) == jaccard(other, one)
    assert 0.0 <= jaccard(one, other) <= 1.0


@given(WORDS.filter(bool), WORDS)
def test_cosine_is_symmetric_and_one_with_itself(one: list[str], other: list[str]) -> None:
    first, second = " ".join(one), " ".join(other)
    weights = rarity([first, second])
    assert cosine(first, second, weights) == pytest.approx(cosine(second, first, weights))
    assert cosine(first, first, weights) == pytest.approx(1.0)


def test_a_worked_jaccard() -> None:
    assert jaccard("abc", "bcd") == 0.5


@pytest.mark.parametrize(
    ("one", "other"),
    [("tests", "test"), ("running", "run"), ("migrations", "migration"), ("queries", "query"), ("deployed", "deploy")],
)
def test_common_endings_do_not_matter(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_chinese_is_compared_by_pairs_of_characters() -> None:
    assert jaccard(tokens("测试数据库每天重置"), tokens("测试数据库每天都重置")) > 0.6


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the auth module goes through auth_repo", "the mail module goes through mail_repo"),
        ("timeout for export is 65 seconds", "timeout for export is 48 seconds"),
        ("for search we use a timeout of 5 seconds", "for export we use a timeout of 5 seconds"),
        ("the owner of media is team red", "the owner of quota is team red"),
        ("always commit the lock file", "never commit the lock file"),
        ("tax tests need the fixture set `tax-32`", "mail tests need the fixture set `mail-96`"),
    ],
)
def test_the_same_frame_with_other_words_differs_in_kind(one: str, other: str) -> None:
    assert differ_in_kind(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Run the tests with make check.", "Always run the tests with make check."),
        ("Format with `just fmt` before committing.", "Format with `just fmt` before committing anything."),
        ("Quiz ids are ulids, never integers.", "Quiz ids are ULIDs, never integers, since the app sorts by them."),
    ],
)
def test_more_detail_is_not_another_thing(one: str, other: str) -> None:
    assert not differ_in_kind(one, other)
