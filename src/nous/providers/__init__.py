"""Models behind small Protocols. Nothing is loaded until it is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol

from nous.errors import ConfigError

if TYPE_CHECKING:
    from nous.core.compare.judge import Judgement


class Passage(NamedTuple):
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

    def documents(self, passages: Sequence[Passage]) -> list[bytes]:
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


class Question(NamedTuple):
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

    def judge(self, questions: Sequence[Question]) -> Sequence[Judgement | None]:
        """One judgement per question, in order; None for one that cannot be had now."""
        ...


# name -> "module:function"; the function takes what stands after the colon of a specification
ENTAILMENTS: dict[str, str] = {
    "builtin": "nous.providers.entailment:open_builtin",
    "onnx": "nous.providers.entailment_onnx:open_onnx",
}


def open_entailment(specification: str = "builtin") -> Entailment | None:
    """The judge that a specification names: `builtin`, `onnx:/path` or `none`."""
    name, _, rest = specification.partition(":")
    if name == "none":
        return None
    place = ENTAILMENTS.get(name)
    if place is None:
        raise ConfigError(f"there is no judge {name!r}", hint="one of none, llm, " + ", ".join(ENTAILMENTS))
    module, function = place.split(":")
    opened: Entailment = getattr(import_module(module), function)(rest)
    return opened
