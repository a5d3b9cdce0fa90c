"""How alike two words are in meaning, by the table that is always there."""

from __future__ import annotations

from functools import cache, lru_cache

from nous.errors import ProviderError
from nous.providers.builtin import BuiltinEmbedder, open_builtin


@lru_cache(maxsize=65536)
def word_likeness(one: str, other: str) -> float:
    """The cosine of two words, 0 without the table: "delete" and "remove" 0.68, "function" and "method" 0.14."""
    table = builtin_table()
    return max(0.0, table.likeness(one, other)) if table else 0.0


@cache
def builtin_table() -> BuiltinEmbedder | None:
    """The table, where its wheel is installed."""
    try:
        opened = open_builtin("", {})
    except ProviderError:
        return None
    return opened if isinstance(opened, BuiltinEmbedder) else None
