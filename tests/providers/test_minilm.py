"""A real sentence model through the ONNX provider; skipped where its weights or its runtime are not installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nous.providers import Embeddable, open_embedder
from providers import minilm

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for package in ("onnx", "onnxruntime", "tokenizers"):
        pytest.importorskip(package)
    weights = minilm.weights_folder()
    if weights is None:
        pytest.skip(f"none of {', '.join(minilm.PACKAGES)} is installed")
    return minilm.export(tmp_path_factory.mktemp("all-MiniLM-L6-v2"), weights)


def test_a_real_sentence_model_gives_the_published_similarities(folder: Path) -> None:
    embedder = open_embedder(f"onnx:{folder}")
    assert embedder is not None and embedder.dims == 384 and not embedder.remote
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    vectors = np.stack([np.frombuffer(made, np.float32) for made in embedder.documents([Embeddable(t) for t in texts])])
    found = vectors @ vectors.T
    # The figures on the model's own page.
    assert [found[0, 1], found[0, 2], found[1, 2]] == pytest.approx([0.6660, 0.1046, 0.1411], abs=2e-4)
    assert np.frombuffer(embedder.query(texts[0], {}), np.float32) == pytest.approx(vectors[0], abs=1e-5)
