"""How alike two texts are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
