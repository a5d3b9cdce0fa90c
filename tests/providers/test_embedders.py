"""Every embedder: the built-in table, local weights, and HTTP models behind a stub on this machine."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading
from array import array
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories import sized
from nous.errors import BadOutput, ConfigError, ProviderError, RateLimited
from nous.providers import Embeddable, Embedder, open_embedder
from nous.providers.builtin import MANY, TABLE, TOKENIZER, BuiltinEmbedder
from nous.providers.hashed import Hashed


def floats(blob: bytes) -> array[float]:
    return array("f", blob)


def cosine(one: bytes, other: bytes) -> float:
    return math.fsum(a * b for a, b in zip(floats(one), floats(other), strict=True))


def opened(name: str = "builtin") -> Embedder:
    embedder = open_embedder(name)
    assert embedder is not None
    return embedder


# -- the built-in one -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def builtin() -> BuiltinEmbedder:
    embedder = opened()
    if not isinstance(embedder, BuiltinEmbedder):
        pytest.skip("the table is not installed")
    return embedder


def test_words_of_like_meaning_are_nearer_than_others(builtin: BuiltinEmbedder) -> None:
    [car, bread] = builtin.documents(
        [Embeddable("The car is parked outside"), Embeddable("We bake bread every morning")]
    )
    asked = builtin.query("automobile", {})
    assert cosine(asked, car) > cosine(asked, bread) + 0.1


def test_a_rare_word_of_a_question_counts_more(builtin: BuiltinEmbedder) -> None:
    [about] = builtin.documents([Embeddable("kubernetes cluster")])
    rare = builtin.query("kubernetes thing", {"kubernetes": 5.0, "thing": 0.1})
    common = builtin.query("kubernetes thing", {"kubernetes": 0.1, "thing": 5.0})
    assert cosine(rare, about) > cosine(common, about)


def test_many_texts_at_once_give_the_same_vectors_as_one_by_one(builtin: BuiltinEmbedder) -> None:
    passages = [Embeddable(f"memory {at} about naïve getUserById 日本語", "who?", f"before {at}") for at in range(MANY)]
    together = builtin.documents(passages)
    for passage, vector in list(zip(passages, together, strict=True))[::7]:
        assert floats(vector) == pytest.approx(floats(builtin.documents([passage])[0]), abs=1e-6)


def test_a_word_is_cut_as_the_tables_own_tokenizer_cuts_it(builtin: BuiltinEmbedder) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.Tokenizer.from_file(os.path.join(TABLE, TOKENIZER))
    for word in ("postgres", "getuserbyid", "naïve", "日本語", "e1101", "😀", "ß", "unbelievably", "данные"):
        assert builtin.pieces(word) == theirs.encode(word, add_special_tokens=False).ids


@settings(max_examples=sized(15, 50))
@given(st.text(max_size=200))
def test_any_text_gives_a_unit_vector_or_none_at_all(text: str) -> None:
    for embedder in (opened(), Hashed()):
        length = math.sqrt(math.fsum(value * value for value in floats(embedder.documents([Embeddable(text)])[0])))
        assert length == pytest.approx(1.0, abs=1e-3) or length == 0.0


def test_a_question_needs_neither_numpy_nor_the_packages_own_code() -> None:
    script = (
        "import sys; from nous.providers import open_embedder as o, Embeddable as P; e = o(); e.query('a port', {});"
        "e.documents([P('x')]); assert not {'numpy', 'wordllama', 'tokenizers'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_hashed_embedder_knows_spelling() -> None:
    [like, unlike] = Hashed().documents([Embeddable("configuration of postgres"), Embeddable("unrelated words")])
    asked = Hashed().query("postgresql configurations", {})
    assert cosine(asked, like) > cosine(asked, unlike) + 0.2


def test_none_is_no_embedder_and_an_unknown_name_is_an_error() -> None:
    assert open_embedder("none") is None
    with pytest.raises(ConfigError, match="no embedder"):
        open_embedder("crystal-ball")


# -- over HTTP ------------------------------------------------------------------------------------------------------


class Stub(ThreadingHTTPServer):
    """Speaks like OpenAI, Voyage and Ollama; remembers what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.status = 200
        self.broken: bytes | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answer(BaseHTTPRequestHandler):
    server: Stub

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        vectors = [[float(len(text)), 1.0, 0.0, 2.0] for text in body["input"]]
        answer: dict[str, Any] = {"embeddings": vectors}
        if self.path.endswith("/embeddings"):
            rows = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
            answer = {"data": rows[::-1]}
        content = self.server.broken or json.dumps(answer).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("name", "path"), [("openai", "/embeddings"), ("voyage", "/embeddings"), ("ollama", "/api/embed")]
)
def test_an_http_model_gives_unit_vectors_in_the_order_of_the_texts(stub: Stub, name: str, path: str) -> None:
    embedder = open_embedder(f"{name}:small@{stub.url}", {"OPENAI_API_KEY": "k", "VOYAGE_API_KEY": "k"})
    assert embedder is not None
    assert embedder.model == f"{name}/small"
    assert embedder.dims == 4
    short, long = embedder.documents([Embeddable("ab"), Embeddable("a longer text", asked="what?")])
    assert floats(long)[0] > floats(short)[0]
    assert cosine(short, short) == pytest.approx(1.0, abs=1e-6)
    embedder.query("what", {})
    seen_path, headers, body = stub.seen[-1]
    assert seen_path == path
    assert body["model"] == "small"
    assert body.get("input_type") == ("query" if name == "voyage" else None)
    assert headers.get("Authorization") == (None if name == "ollama" else "Bearer k")


def test_many_texts_are_sent_in_batches(stub: Stub) -> None:
    embedder = open_embedder(f"openai:small@{stub.url}")
    assert embedder is not None
    assert len(embedder.documents([Embeddable(f"text {at}") for at in range(200)])) == 200
    assert max(len(body["input"]) for _, _, body in stub.seen) <= 96


def test_a_server_on_this_machine_is_not_remote_and_another_one_is(stub: Stub) -> None:
    here = open_embedder(f"ollama:m@{stub.url}")
    there = open_embedder("openai:m@https://models.example.com/v1", {"OPENAI_API_KEY": "k"})
    assert here is not None and not here.remote
    assert there is not None and there.remote


def test_trouble_is_one_kind_of_error(stub: Stub) -> None:
    embedder = open_embedder(f"openai:small@{stub.url}")
    assert embedder is not None
    stub.status = 429
    with pytest.raises(RateLimited):
        embedder.query("x", {})
    stub.status = 500
    with pytest.raises(ProviderError, match="HTTP 500"):
        embedder.query("x", {})
    stub.status, stub.broken = 200, b"<html>"
    with pytest.raises(BadOutput):
        embedder.query("x", {})
    stub.broken = b'{"data": []}'
    with pytest.raises(BadOutput, match="0 vectors for 1"):
        embedder.query("x", {})


def test_a_missing_key_or_a_strange_address_is_said_before_anything_is_sent() -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        open_embedder("openai")
    with pytest.raises(ConfigError, match="no http address"):
        open_embedder("ollama:m@file:///etc/passwd")


# -- weights on disk ------------------------------------------------------------------------------------------------


def test_an_onnx_model_is_pooled_over_real_tokens_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    np = pytest.importorskip("numpy")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[PAD]": 0, "a": 1, "b": 2}, unk_token="[PAD]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "model.onnx").write_bytes(b"")

    class Session:
        def __init__(self, path: str, options: Any, providers: Sequence[str]):
            self.path = path

        def get_inputs(self) -> list[Any]:
            return [SimpleNamespace(name="input_ids"), SimpleNamespace(name="attention_mask")]

        def get_outputs(self) -> list[Any]:
            return [SimpleNamespace(shape=["batch", "tokens", 3])]

        def run(self, wanted: None, given: dict[str, Any]) -> list[Any]:
            assert set(given) == {"input_ids", "attention_mask"}
            return [np.eye(3, dtype=np.float32)[given["input_ids"]]]

    fake = SimpleNamespace(InferenceSession=Session, SessionOptions=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "onnxruntime", fake)
    embedder = open_embedder(f"onnx:{tmp_path}")
    assert embedder is not None
    assert embedder.dims == 3
    one, two = embedder.documents([Embeddable("a"), Embeddable("a b b")])
    assert list(floats(one)) == pytest.approx([0, 1, 0])
    assert floats(two)[0] == 0  # padding counts nothing


def test_fastembed_is_asked_by_its_own_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    class TextEmbedding:
        def __init__(self, name: str):
            self.name = name

        def embed(self, texts: Sequence[str]) -> Iterator[list[float]]:
            return iter([[float(len(text)), 1.0] for text in texts])

        def query_embed(self, text: str) -> Iterator[list[float]]:
            return iter([[3.0, 4.0]])

    pytest.importorskip("numpy")
    monkeypatch.setitem(sys.modules, "fastembed", SimpleNamespace(TextEmbedding=TextEmbedding))
    embedder = open_embedder("fastembed:tiny")
    assert embedder is not None
    assert embedder.model == "fastembed/tiny-2"
    assert list(floats(embedder.query("x", {}))) == pytest.approx([0.6, 0.8])
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(ConfigError, match="not installed"):
        open_embedder("fastembed")
