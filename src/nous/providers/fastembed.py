"""FastEmbed: its own catalogue of small models; it downloads the chosen one once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from nous.errors import ConfigError
from nous.providers import Embeddable, Embedder

DEFAULT = "BAAI/bge-small-en-v1.5"


class FastEmbed:
    """Vectors of a FastEmbed model."""

    remote = False

    def __init__(self, name: str, model: Any):
        self._model = model
        self.dims = len(next(iter(model.embed(["length"]))))
        self.model = f"fastembed/{name}-{self.dims}"

    def documents(self, passages: Sequence[Embeddable]) -> list[bytes]:
        """One vector per passage."""
        return _units(self._model.embed([passage.whole for passage in passages]))

    def query(self, text: str, rarity: Mapping[str, float]) -> bytes:
        """The vector of a question."""
        return _units(self._model.query_embed(text))[0]


def _units(vectors: Iterable[Any]) -> list[bytes]:
    import numpy as np

    units = [np.asarray(vector, np.float32) for vector in vectors]
    return [bytes((unit / (float(np.linalg.norm(unit)) or 1.0)).astype(np.float32).tobytes()) for unit in units]


def open_fastembed(rest: str, environ: Mapping[str, str]) -> Embedder:
    """`fastembed:MODEL`."""
    try:
        catalogue: Any = import_module("fastembed")
    except ImportError:
        raise ConfigError(
            "FastEmbed is not installed", hint="`pip install '.[fastembed]'` in a clone of Nous"
        ) from None
    name = rest or DEFAULT
    return FastEmbed(name, catalogue.TextEmbedding(name))
