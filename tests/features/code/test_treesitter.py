"""What is read from code, as snapshots: a new grammar that reads it differently is seen here."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nous.errors import ProviderError
from nous.features.code import treesitter
from nous.features.code.model import Outline, language_of

DATA = Path(__file__).resolve().parents[2] / "data" / "code"
SAMPLES = sorted(DATA.glob("*.source"))  # no linter takes them for code


def lines(outline: Outline) -> Iterator[str]:
    for one in outline.definitions:
        yield f"{one.kind} {one.path} {one.line}-{one.end}"
    for binding in outline.bindings:
        yield f"import {binding.name} = {binding.item or '(all of it)'} of {binding.module or '(this file)'}"
    for reference in outline.references:
        within = outline.definitions[reference.at].path if reference.at >= 0 else "(the file)"
        yield f"{within} {reference.relation} {reference.path}"


def outline(path: Path) -> Outline:
    language = language_of(path.stem)
    assert language
    return treesitter.read_code(language, path.read_bytes())


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_sample_is_read_as_it_was(sample: Path) -> None:
    found = outline(sample)
    assert not found.is_broken
    assert "\n".join(lines(found)) + "\n" == (DATA / f"{sample.stem}.txt").read_text("utf-8")


def test_what_can_be_read_of_a_broken_file_is_read() -> None:
    found = treesitter.read_code("python", b"def good():\n    pass\n\nx = = 3 )\n\ndef also_good():\n    good()\n")
    assert found.is_broken
    assert {"good", "also_good"} <= {one.name for one in found.definitions}


@pytest.mark.parametrize("language", sorted(treesitter.GRAMMARS))
def test_bytes_that_are_no_code_harm_nobody(language: str) -> None:
    for source in (b"", b"\xff\xfe\x00", b"\x00" * 100, b"(" * 5000, "def ü(ß): ü(ß)\n".encode("latin-1")):
        treesitter.read_code(language, source)


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    treesitter.tool.cache_clear()
    with pytest.raises(ProviderError) as refused:
        treesitter.tool("go")
    assert "tree_sitter_go is not installed" in str(refused.value)
    assert "pip install tree-sitter" in (refused.value.hint or "")
    treesitter.tool.cache_clear()
