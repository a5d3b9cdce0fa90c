"""Where candidates come from. A new way to find memories is one module with `find(ask)` and one line here.

Each sees what those before it brought. Relations and other names of a thing bring nothing here: the lists were no worse
without them (docs/decisions/0201-one-list.md).
"""

from __future__ import annotations

from nous.kernel.recall.retrievers import text, times, vectors
from nous.kernel.recall.retrievers.asking import Ask, Hits, Model, Retriever

RETRIEVERS: tuple[Retriever, ...] = (
    Retriever("words", "text", text.find),
    Retriever("time", None, times.find),
    Retriever("meaning", "vector", vectors.find),
)

__all__ = ["RETRIEVERS", "Ask", "Hits", "Model", "Retriever"]
