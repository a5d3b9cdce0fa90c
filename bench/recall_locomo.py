"""LoCoMo through the public Python API: a plug for an evaluator of evidence-turn retrieval.

Each turn of a conversation is an episode of its session, told by its speaker at its date. Nothing of the benchmark is
known to the package.
"""

from __future__ import annotations

import re
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

from nous import Nous
from nous.config import load_settings

_DATE = re.compile(r"(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)")


def moment(text: str) -> str | None:
    """`1:56 pm on 8 May, 2023` as a moment."""
    found = _DATE.search(text)
    if not found:
        return None
    hour, minute, half, day, month, year = found.groups()
    return datetime.strptime(f"{day} {month} {year} {hour}:{minute} {half}", "%d %B %Y %I:%M %p").isoformat()


class Plug:
    """One conversation in one fresh database."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        path = str(Path(self.folder.name) / "memory.db")
        self.nous = Nous.open(path, settings=load_settings({"NOUS_DATA_DIR": self.folder.name, "HOME": "/nonexistent"}))

    def build(self, docs: list[dict[str, Any]]) -> None:
        """Remember every turn."""
        self.nous.remember_many(
            [
                {
                    "text": doc["text"],
                    "type": "episode",
                    "entities": [doc["speaker"]],
                    "session": f"session-{doc['session']}",
                    "valid_from": moment(doc["date"]),
                    "ref": doc["id"],
                }
                for doc in docs
                if doc["text"].strip()
            ],
            project="conversation",
        )

    def search(self, query: str, k: int, **_: Any) -> list[str]:
        """The turns that answer best."""
        return [hit.ref or "" for hit in self.nous.recall(query, limit=k, project="conversation")]


def make() -> Plug:
    """A fresh plug."""
    return Plug()
