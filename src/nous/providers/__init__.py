"""Models behind small Protocols. Nothing is loaded until it is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from nous.errors import ConfigError

if TYPE_CHECKING:
    from nous.core.compare.judge import Judgement


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
    "model2vec": "nous.providers.model2vec:open_model2vec",
    "fastembed": "nous.providers.fastembed:open_fastembed",
    "onnx": "nous.providers.onnx:open_onnx",
    "openai": "nous.providers.remote:open_openai",
    "voyage": "nous.providers.remote:open_voyage",
    "ollama": "nous.providers.remote:open_ollama",
}


def _opened(kind: str, places: Mapping[str, str], specification: str, *given: object, also: str = "") -> Any:
    """What a specification names, `name:rest`; None for `none`. Its module is loaded now and not before."""
    name, _, rest = specification.partition(":")
    if name == "none":
        return None
    place = places.get(name)
    if place is None:
        raise ConfigError(f"there is no {kind} {name!r}", hint=f"one of none, {also}" + ", ".join(places))
    module, function = place.split(":")
    return getattr(import_module(module), function)(rest, *given)


def open_embedder(specification: str = "builtin", environ: Mapping[str, str] | None = None) -> Embedder | None:
    """The embedder that a specification names: `builtin`, `openai:text-embedding-3-small`, `onnx:/path` or `none`."""
    opened: Embedder | None = _opened("embedder", EMBEDDERS, specification, environ or {})
    return opened


class SentencePair(NamedTuple):
    """Two sentences to be judged; `same_slot`: both are known to give the value of one thing."""

    a: str
    b: str
    same_slot: bool = False


class Entailment(Protocol):
    """Judges whether sentences contradict each other.

    `model` names the judge with its version: what one said is never taken for the word of another. `acts_from` is the
    confidence from which a contradiction counts without a person's look.
    """

    @property
    def model(self) -> str:
        """The judge and its version."""
        ...

    @property
    def acts_from(self) -> float:
        """The confidence from which its word is enough."""
        ...

    def judge(self, questions: Sequence[SentencePair]) -> Sequence[Judgement | None]:
        """One judgement per question, in order; None for one that cannot be had now."""
        ...


# name -> "module:function"; the function takes what stands after the colon of a specification
ENTAILMENTS: dict[str, str] = {
    "builtin": "nous.providers.entailment:open_builtin",
    "onnx": "nous.providers.entailment_onnx:open_onnx",
}


def open_entailment(specification: str = "builtin") -> Entailment | None:
    """The judge that a specification names: `builtin`, `onnx:/path` or `none`."""
    opened: Entailment | None = _opened("judge", ENTAILMENTS, specification, also="llm, ")
    return opened


class Reranker(Protocol):
    """Reads a question together with each text and says how well the text answers it. `recall` asks it, never a hook.

    A `remote` one never sees code or private words. `usd` is what one call costs, 0 on this machine.
    """

    @property
    def model(self) -> str:
        """Who it is."""
        ...

    @property
    def remote(self) -> bool:
        """Whether words leave this machine."""
        ...

    @property
    def usd(self) -> float:
        """Dollars for one call."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One number per text, in order; higher is better, and only comparable within one call."""
        ...


# name -> "module:function"; the function takes what stands after the colon of a specification, and the environment
RERANKERS: dict[str, str] = {
    "onnx": "nous.providers.reranking_onnx:open_onnx",
    "ollama": "nous.providers.reranking:open_ollama",
    "cohere": "nous.providers.reranking:open_cohere",
}


def open_reranker(specification: str = "none", environ: Mapping[str, str] | None = None) -> Reranker | None:
    """The reranker that a specification names: `none`, `onnx:/path`, `ollama:MODEL` or `cohere:MODEL`."""
    opened: Reranker | None = _opened("reranker", RERANKERS, specification, environ or {})
    return opened
