"""How alike two words are in meaning and how much a word tells, by the table that is always there."""

from __future__ import annotations

from functools import cache, lru_cache

from nous.errors import ProviderError
from nous.providers.builtin import BuiltinEmbedder, open_builtin

PLAIN = 15.0  # what a plain noun weighs in the table


class WordTable:
    """Questions to the table, each answered once; without it nothing is alike and all words weigh the same."""

    def __call__(self, one: str, other: str) -> float:
        """The cosine of two words: "delete" and "remove" 0.68, "function" and "method" 0.14."""
        return _likeness(one, other)

    def weight(self, word: str) -> float:
        """How much a word tells: "the" 1.6, "always" 7, "server" 13, "timeout" 20."""
        return _weight(word)


@lru_cache(maxsize=65536)
def _likeness(one: str, other: str) -> float:
    table = builtin_table()
    return max(0.0, table.likeness(one, other)) if table else 0.0


@lru_cache(maxsize=65536)
def _weight(word: str) -> float:
    table = builtin_table()
    return table.length(word) if table else PLAIN


@cache
def builtin_table() -> BuiltinEmbedder | None:
    """The table, where its wheel is installed."""
    try:
        opened = open_builtin("", {})
    except ProviderError:
        return None
    return opened if isinstance(opened, BuiltinEmbedder) else None


word_likeness = WordTable()
