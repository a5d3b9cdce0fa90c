"""Models behind small Protocols. Nothing is loaded until it is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol

from nous.errors import ConfigError


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


# name -> "module:function"; the function takes what stands after the colon of a specification, and the environment
EMBEDDERS: dict[str, str] = {
    "builtin": "nous.providers.builtin:open_builtin",
    "hashed": "nous.providers.hashed:open_hashed",
    "fastembed": "nous.providers.fastembed:open_fastembed",
    "onnx": "nous.providers.onnx:open_onnx",
    "openai": "nous.providers.remote:open_openai",
    "voyage": "nous.providers.remote:open_voyage",
    "ollama": "nous.providers.remote:open_ollama",
}


def open_embedder(specification: str = "builtin", environ: Mapping[str, str] | None = None) -> Embedder | None:
    """The embedder that a specification names: `builtin`, `openai:text-embedding-3-small`, `onnx:/path` or `none`."""
    name, _, rest = specification.partition(":")
    if name == "none":
        return None
    place = EMBEDDERS.get(name)
    if place is None:
        raise ConfigError(f"there is no embedder {name!r}", hint="one of none, " + ", ".join(EMBEDDERS))
    module, function = place.split(":")
    opened: Embedder = getattr(import_module(module), function)(rest, environ or {})
    return opened
