"""Embedders that are asked over HTTP: OpenAI and whatever speaks like it, Voyage, Ollama. Standard library only."""

from __future__ import annotations

import http.client
import math
import urllib.error
import urllib.request
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from nous.errors import BadOutput, ConfigError, ProviderError, RateLimited
from nous.providers import Embeddable, Embedder

TIMEOUT = 30.0
AT_ONCE = 96
LONGEST = 8000  # characters of one text; no memory is longer
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})


Shape = TypeVar("Shape")


class _Item(msgspec.Struct):
    embedding: list[float]
    index: int = 0


class _Items(msgspec.Struct):
    data: list[_Item]


class _Embeddings(msgspec.Struct):
    embeddings: list[list[float]]


class Remote:
    """Texts in, vectors out, in batches. `remote` is false for a server on this machine."""

    def __init__(self, model: str, url: str, headers: Mapping[str, str], dims: int | None = None):
        self.model = model
        self.url = url
        self.headers = dict(headers)
        self.remote = urlsplit(url).hostname not in LOCAL_HOSTS
        self._dims = dims

    @property
    def dims(self) -> int:
        """How long a vector is; asked of the model once when nobody said."""
        if self._dims is None:
            self._dims = len(self._ask(["length"], "document")[0])
        return self._dims

    def documents(self, passages: Sequence[Embeddable]) -> list[bytes]:
        """One vector per passage."""
        texts = [passage.whole[:LONGEST] for passage in passages]
        batches = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]
        return [self._unit(vector) for batch in batches for vector in self._ask(batch, "document")]

    def query(self, text: str, rarity: Mapping[str, float]) -> bytes:
        """The vector of a question."""
        return self._unit(self._ask([text[:LONGEST]], "query")[0])

    def _ask(self, texts: Sequence[str], role: str) -> list[list[float]]:
        vectors = self.read(self._post(self.body(texts, role)))
        if len(vectors) != len(texts):
            raise BadOutput(f"{self.model} gave {len(vectors)} vectors for {len(texts)} texts")
        return vectors

    def body(self, texts: Sequence[str], role: str) -> dict[str, Any]:
        """What is sent."""
        return {"model": self.model.partition("/")[2], "input": list(texts)}

    def read(self, answer: bytes) -> list[list[float]]:
        """The vectors in an answer, in the order of the texts."""
        items = _decode_answer(answer, _Items).data
        return [item.embedding for item in sorted(items, key=lambda item: item.index)]

    def _post(self, body: Mapping[str, Any]) -> bytes:
        request = urllib.request.Request(
            self.url, msgspec.json.encode(body), {"Content-Type": "application/json", **self.headers}, method="POST"
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                content: bytes = answer.read()
                return content
        except urllib.error.HTTPError as refused:
            with refused:
                refused.read()
            if refused.code == 429:
                raise RateLimited(f"{self.model} asks to try again later") from None
            raise ProviderError(f"{self.model} refused: HTTP {refused.code}") from None
        except (OSError, http.client.HTTPException) as problem:
            raise ProviderError(f"{self.model} cannot be reached: {problem}") from None

    def _unit(self, vector: Sequence[float]) -> bytes:
        if len(vector) != self.dims:
            raise BadOutput(f"{self.model} gave a vector of {len(vector)} dimensions instead of {self.dims}")
        length = math.sqrt(math.fsum(value * value for value in vector))
        if not math.isfinite(length):
            raise BadOutput(f"{self.model} gave a vector that is no vector")
        return array("f", [value / (length or 1.0) for value in vector]).tobytes()


class Voyage(Remote):
    """Voyage tells documents and questions apart."""

    def body(self, texts: Sequence[str], role: str) -> dict[str, Any]:
        """What is sent."""
        return super().body(texts, role) | {"input_type": role}


class Ollama(Remote):
    """Ollama answers in its own shape."""

    def read(self, answer: bytes) -> list[list[float]]:
        """The vectors in an answer."""
        return _decode_answer(answer, _Embeddings).embeddings


def _decode_answer(answer: bytes, shape: type[Shape]) -> Shape:
    try:
        return msgspec.json.decode(answer, type=shape)
    except msgspec.DecodeError as wrong:
        raise BadOutput(f"the embedding model's answer cannot be read: {wrong}") from None


def split_address(rest: str, default: str, base: str) -> tuple[str, str]:
    """`model@http://host` as model and address, with defaults for both."""
    model, _, address = rest.partition("@")
    address = address or base
    if urlsplit(address).scheme not in ("http", "https"):
        raise ConfigError(f"{address!r} is no http address of a model")
    return model or default, address.rstrip("/")


def bearer(
    environ: Mapping[str, str], name: str, address: str, usual: str = "the `builtin` embedder"
) -> dict[str, str]:
    """The header with the key of a provider; a server on this machine may have none."""
    key = environ.get(name, "")
    if not key and urlsplit(address).hostname not in LOCAL_HOSTS:
        raise ConfigError(f"{urlsplit(address).hostname} needs {name}", hint=f"export {name}=… or choose {usual}")
    return {"Authorization": f"Bearer {key}"} if key else {}


def open_openai(rest: str, environ: Mapping[str, str]) -> Embedder:
    """OpenAI, or a server that speaks like it: `openai:MODEL@http://host/v1`."""
    model, address = split_address(rest, "text-embedding-3-small", "https://api.openai.com/v1")
    return Remote(f"openai/{model}", f"{address}/embeddings", bearer(environ, "OPENAI_API_KEY", address))


def open_voyage(rest: str, environ: Mapping[str, str]) -> Embedder:
    """Voyage: `voyage:MODEL`."""
    model, address = split_address(rest, "voyage-3.5-lite", "https://api.voyageai.com/v1")
    return Voyage(f"voyage/{model}", f"{address}/embeddings", bearer(environ, "VOYAGE_API_KEY", address))


def open_ollama(rest: str, environ: Mapping[str, str]) -> Embedder:
    """Ollama on this machine or another: `ollama:MODEL@http://host:11434`."""
    model, address = split_address(rest, "nomic-embed-text", "http://127.0.0.1:11434")
    return Ollama(f"ollama/{model}", f"{address}/api/embed", {})
