"""Code and prose as a pair: pieces that are whole, sentences that can be found, and no code for an embedder."""

from __future__ import annotations

from pathlib import Path

import pytest

from nous.app import Nous
from nous.features.code import treesitter
from nous.features.code.chunks import chunks, docstring, signature
from nous.kernel.recall.embedding import may_leave
from nous.kernel.recall.embeddings import Waiting

TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
RETRIES = f'''import os

TOKEN = "{TOKEN}"


def retry_policy(times: int, pause: float = 1.0) -> float:
    """How long to wait before the next try. Never for payments."""
    return times * pause


class Backoff:
    """Grows pauses."""

    def wait(self):
        return retry_policy(3)
'''


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NOUS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "work"
    (root / "app").mkdir(parents=True)
    (root / "app" / "retries.py").write_text(RETRIES)
    monkeypatch.chdir(root)
    return root


def test_a_file_is_kept_as_code_and_prose(tree: Path, tmp_path: Path) -> None:
    with Nous.open() as nous:
        nous.code.index(str(tree))
        done = nous.index_code("app/retries.py")
        nous.embed()
        code, prose = nous.get(done.code[1]), nous.get(done.prose[1])
        assert (code.type, prose.type) == ("code", "code_description")
        assert code.content.startswith("File: app/retries.py | function: retry_policy\n\ndef retry_policy(")
        assert code.content.endswith("    return times * pause")
        assert prose.content == (
            "`retry_policy` in app/retries.py is the function "
            "`def retry_policy(times: int, pause: float = 1.0) -> float`. How long to wait before the next try. "
            "Called by `Backoff.wait` (app/retries.py)."
        )
        assert [anchor.symbol for anchor in prose.anchors] == ["retry_policy"]
        [reached] = nous.traverse(prose.id, depth=1, relations=["source_of"])
        assert reached.memory.id == code.id
        found = nous.recall("how long to wait before the next try", project=str(tree))
        assert found[0].id == prose.id
        assert nous.stores.vectors.models_of(code.id) == [] and nous.stores.vectors.models_of(prose.id)
    assert TOKEN.encode() not in b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*.db*"))


def test_a_second_run_keeps_what_is_the_same_and_lets_go_of_what_is_gone(tree: Path) -> None:
    with Nous.open() as nous:
        first = nous.index_code("app/retries.py")
        assert nous.index_code("app/retries.py") == first
        (tree / "app" / "retries.py").write_text("\n\n" + RETRIES.partition("class Backoff")[0])
        second = nous.index_code("app/retries.py")
        assert second.code[1] == first.code[1]  # only its lines are others
        assert {memory.id for memory in second.gone} == {first.code[2], first.prose[2]}
        assert nous.get(first.prose[2]).status == "archived"


@pytest.mark.parametrize("name", [".env", "credentials.py", "private/x.py", "blob.py"])
def test_what_must_not_be_kept_is_refused(tree: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("NOUS_IGNORE", "private")
    (tree / name).parent.mkdir(exist_ok=True)
    (tree / name).write_bytes(b"\x00\x01" if name == "blob.py" else b"KEY=1\n")
    with Nous.open() as nous, pytest.raises(Exception, match=r"not kept|cannot be kept"):
        nous.index_code(name)


def test_no_body_is_split_and_a_long_class_gives_its_methods() -> None:
    methods = "".join(
        f"    def m{n}(self):\n" + "".join(f"        x{i} = {i}\n" for i in range(40)) + "\n" for n in range(5)
    )
    text = f"import os\n\n\nclass Big:\n    size = 3\n\n{methods}\n\ndef after():\n    pass\n"
    found = chunks("big.py", text, treesitter.read_code("python", text.encode()))
    assert [one.name for one in found if one.name] == ["Big", *(f"Big.m{n}" for n in range(5)), "after"]
    for one in found:
        if one.name.startswith("Big.m"):
            assert one.content.count("def ") == 1 and one.content.rstrip().endswith("x39 = 39")


def test_a_file_without_structure_is_cut_by_lines() -> None:
    found = chunks("notes.rb", "\n".join(f"line {n}" for n in range(250)), None)
    assert [(one.start, one.end) for one in found] == [(1, 100), (101, 200), (201, 250)]


@pytest.mark.parametrize(
    ("language", "source", "head", "said"),
    [
        ("go", "// Dial dials. Slowly.\nfunc Dial(a string) error {\n}\n", "func Dial(a string) error", "Dial dials."),
        ("rust", "/// Adds two.\nfn add(a: u8) -> u8 {\n    a\n}\n", "fn add(a: u8) -> u8", "Adds two."),
        ("tsx", "/** Sums. */\nexport function sum(\n  a: I,\n): I {\n}\n", "export function sum(a: I): I", "Sums."),
    ],
)  # fmt: skip
def test_signatures_and_comments_are_read(language: str, source: str, head: str, said: str) -> None:
    [chunk] = [one for one in chunks("x", source, treesitter.read_code(language, source.encode())) if one.name]
    before = "\n".join(source.splitlines()[: chunk.start - 1])
    assert signature(chunk) == head
    assert docstring(chunk, before) == said


def test_no_embedder_sees_code() -> None:
    class Anybody:
        remote = False

    row = Waiting(1, "def f(): ...", "", "", "code", ())
    assert not may_leave(Anybody(), row)  # type: ignore[arg-type]
