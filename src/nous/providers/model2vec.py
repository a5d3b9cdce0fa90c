"""Model2Vec: a folder with a table (`model.safetensors`) and its tokenizer, read directly."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec

from nous.errors import ConfigError, ProviderError
from nous.providers import Embeddable, Embedder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_KINDS = {"F32": "<f4", "F16": "<f2"}
INSTALL = "`pip install '.[local]'` in a clone of Nous"


class Model2Vec:
    """The mean of a text's token vectors."""

    remote = False

    def __init__(self, folder: str):
        try:
            tokenizers: Any = import_module("tokenizers")
        except ImportError:
            raise ConfigError("Model2Vec needs the tokenizers package", hint=INSTALL) from None
        self._table = read_table(os.path.join(folder, "model.safetensors"))
        self._tokenizer: Any = tokenizers.Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.dims = int(self._table.shape[1])
        self.model = f"model2vec/{os.path.basename(os.path.abspath(folder))}-{self.dims}"

    def documents(self, passages: Sequence[Embeddable]) -> list[bytes]:
        """One vector per passage."""
        encoded = self._tokenizer.encode_batch([passage.whole for passage in passages], add_special_tokens=False)
        return [self._mean(one.ids) for one in encoded]

    def query(self, text: str, rarity: Mapping[str, float]) -> bytes:
        """The vector of a question."""
        return self.documents([Embeddable(text)])[0]

    def _mean(self, rows: Sequence[int]) -> bytes:
        import numpy as np

        total = self._table[list(rows)].astype(np.float32).sum(0) if rows else np.zeros(self.dims, np.float32)
        length = float(np.linalg.norm(total))
        unit = (total / (length or 1.0)).astype(np.float32)
        return bytes(unit.tobytes())


def read_table(path: str) -> npt.NDArray[np.float32]:
    """The one matrix in a safetensors file, mapped into memory."""
    import numpy as np

    try:
        with open(path, "rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            header: dict[str, Any] = msgspec.json.decode(file.read(length))
        table = next(value for name, value in header.items() if name != "__metadata__" and len(value["shape"]) == 2)
        start = 8 + length + table["data_offsets"][0]
        mapped: npt.NDArray[np.float32] = np.memmap(
            path, _KINDS[table["dtype"]], "r", offset=start, shape=tuple(table["shape"])
        )
        return mapped
    except (OSError, KeyError, StopIteration, ValueError, struct.error, msgspec.DecodeError) as problem:
        raise ProviderError(f"{path} holds no table of vectors: {problem!r}") from None


def open_model2vec(rest: str, environ: Mapping[str, str]) -> Embedder:
    """`model2vec:FOLDER`."""
    if not os.path.isdir(rest):
        raise ConfigError(f"there is no folder {rest!r} with a Model2Vec model")
    return Model2Vec(rest)
