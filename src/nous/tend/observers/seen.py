"""What an observer hands over."""

from __future__ import annotations

from typing import NamedTuple

from nous.stores.interventions import InterventionScope


class Concern(NamedTuple):
    """Something that the next session should hear: what it is about, the words, how sure, and how weighty it is."""

    subject: str
    text: str
    confidence: float
    priority: int = 0
    scope: InterventionScope = "project"
    session_id: str | None = None


def clip(text: str, most: int = 150) -> str:
    """A short piece of a memory in one line."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
