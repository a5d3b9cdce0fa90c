"""Models behind small Protocols. Nothing is loaded until it is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from nous.errors import ConfigError
from nous.kernel.recall.embedder import Embeddable as Embeddable
from nous.kernel.recall.embedder import Embedder as Embedder

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
