"""What turns words into vectors, as search and the vector queue know it; `nous.providers` opens one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol


class Embeddable(NamedTuple):
    """A memory as it is embedded: its words, the question it answers, what was said around it."""

    text: str
    asked: str = ""
    context: str = ""

    @property
    def whole(self) -> str:
        """One text for models that read texts: the question first, then the answer."""
        return f"{self.asked} {self.text}".strip()


class Embedder(Protocol):
    """Turns words into vectors of unit length, float32, little endian, as bytes.

    `model` names the vectors: those of two models are never compared. A `remote` one never sees code or private words.
    """

    @property
    def model(self) -> str:
        """The name of its vectors."""
        ...

    @property
    def dims(self) -> int:
        """How long they are."""
        ...

    @property
    def remote(self) -> bool:
        """Whether words leave this machine."""
        ...

    def documents(self, passages: Sequence[Embeddable]) -> list[bytes]:
        """One vector per passage."""
        ...

    def query(self, text: str, rarity: Mapping[str, float]) -> bytes:
        """The vector of a question. `rarity` says how telling each of its words is in this store."""
        ...
