"""A work tree's code as a graph: what is read, what never is, and how it follows changes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nous.features.code import files, worker
from nous.features.code import index as code_index
from nous.features.code.index import Indexed, index, refresh, resolve
from nous.features.code.store import STATE, Code, all_trees, code_file, forget_code, open_code
from nous.kernel.capture.ignoring import Ignored

NOW = "2026-11-17T12:00:00.000Z"
Put = Callable[..., None]

APP = """
from lib.retries import retry_policy, Backoff
from lib import tools

class Client(Backoff):
    def send(self, data):
        self.wait()
        retry_policy(3)
        tools.encode(data)
        data.flush()

def main():
    client = Client()
    client.send(b"")
"""
RETRIES = """
class Backoff:
    def wait(self):
        return retry_policy(1)

def retry_policy(times):
    return times * 2
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "lib").mkdir(parents=True)
    (root / "app.py").write_text(APP)
    (root / "lib" / "__init__.py").write_text("")
    (root / "lib" / "retries.py").write_text(RETRIES)
    (root / "lib" / "tools.py").write_text("def encode(data):\n    return data\n\ndef flush():\n    pass\n")
    return root


@pytest.fixture
def code(tmp_path: Path, tree: Path) -> Iterator[Code]:
    opened = open_code(str(tmp_path / "data"), str(tree))
    assert opened
    yield opened
    opened.close()


def read(code: Code, tree: Path, *ignored: str) -> Indexed:
    return index(code, str(tree), Ignored(ignored), NOW)


def proven(code: Code) -> set[tuple[str, str]]:
    """Every call and base that the code proves, as paths."""
    rows = code.db.connection.execute(
        "SELECT refs.within, symbols.path FROM refs JOIN symbols ON symbols.symbol_id = refs.to_id WHERE refs.to_id > 0"
    ).fetchall()
    return {(str(one), str(two)) for one, two in rows}


def test_calls_are_proven_where_imports_and_definitions_say_so(code: Code, tree: Path) -> None:
    assert read(code, tree) == Indexed(looked_at=4, read=4)
    assert proven(code) == {
        ("Client", "Backoff"),
        ("Client.send", "Backoff.wait"),
        ("Client.send", "retry_policy"),
        ("Client.send", "encode"),
        ("Backoff.wait", "retry_policy"),
        ("main", "Client"),
        ("main", "Client.send"),
    }
    assert [row["from_id"] > 0 for row in code.maybe_calling("flush", 9)] == [True]
    assert code.facts()[STATE] == "ready"


def test_a_second_look_reads_only_what_changed_by_its_content(code: Code, tree: Path) -> None:
    read(code, tree)
    os.utime(tree / "app.py", (1, 1))
    assert read(code, tree).read == 0
    stat = (tree / "app.py").stat()
    (tree / "app.py").write_text(APP.replace("retry_policy(3)", "retry_policy(4)"))
    os.utime(tree / "app.py", ns=(stat.st_atime_ns, stat.st_mtime_ns))  # same size, same time, other content
    assert read(code, tree).read == 1


def same(code: Code, tree: Path) -> None:
    """What was brought up to date step by step is what is found from nothing."""

    def everything() -> list[list[object]]:
        symbols = "SELECT files.path, symbols.path, line, end FROM symbols JOIN files USING (file_id)"
        refs = (
            "SELECT files.path, within, refs.path, relation, refs.to_id > 0, COALESCE(symbols.path, '') FROM refs"
            " JOIN files USING (file_id) LEFT JOIN symbols ON symbols.symbol_id = refs.to_id"
        )
        imports = "SELECT files.path, name, module, item, to_path FROM imports JOIN files USING (file_id)"
        return [sorted(code.db.connection.execute(sql).fetchall(), key=repr) for sql in (symbols, refs, imports)]

    followed = everything()
    index(code, str(tree), Ignored([]), NOW, anew=True)
    assert everything() == followed


def test_following_edits_gives_the_same_graph_as_reading_everything(code: Code, tree: Path) -> None:
    read(code, tree)
    edits: list[tuple[str, str | None]] = [
        ("lib/retries.py", RETRIES + "\ndef later():\n    Backoff().wait()\n"),
        ("lib/retries.py", RETRIES.replace("def retry_policy", "def renamed_policy")),
        ("lib/retries.py", RETRIES.replace("Backoff", "Pause")),
        ("lib/retries.py", RETRIES),
        ("app.py", APP.replace("self.wait()", "self.wait()\n        self.send(1)")),
        ("lib/extra.py", "from .retries import *\n\ndef more():\n    retry_policy(9)\n"),
        ("lib/tools.py", None),
        ("lib/tools.py", "from lib.extra import more as encode\n"),
        ("lib/extra.py", None),
    ]
    for path, text in edits:
        place = tree / path
        place.unlink() if text is None else place.write_text(text)
        refresh(code, str(tree), [path])
        resolve(code)
        same(code, tree)


# -- what is never read ---------------------------------------------------------------------------------------------


def paths(code: Code) -> set[str]:
    return set(code.paths())


def test_vendored_made_hidden_and_secret_files_are_never_read(code: Code, tree: Path) -> None:
    for name in (
        "node_modules/a/index.js",
        "vendor/x.go",
        "third_party/y.py",
        "build/z.py",
        ".hidden/w.py",
        "static/app.min.js",
        "credentials.py",
        "types.d.ts",
        "private/own.py",
    ):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("def nobody():\n    pass\n")
    read(code, tree, "private")
    assert paths(code) == {"app.py", "lib/__init__.py", "lib/retries.py", "lib/tools.py"}


def test_what_git_ignores_is_not_read(code: Code, tree: Path) -> None:
    (tree / ".gitignore").write_text("made/\n")
    (tree / "made").mkdir()
    (tree / "made" / "x.py").write_text("x = 1\n")
    subprocess.run(["git", "init", "-q", str(tree)], check=True, env={"PATH": os.environ["PATH"], "HOME": str(tree)})
    read(code, tree)
    assert "app.py" in paths(code) and "made/x.py" not in paths(code)
    assert files.among(str(tree), ["made/y.py", "app.py"], Ignored([])) == ["app.py"]


def test_links_lead_nowhere_and_loops_end(code: Code, tree: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("def secret():\n    pass\n")
    (tree / "link.py").symlink_to(tmp_path / "outside.py")
    (tree / "lib" / "loop").symlink_to(tree)
    (tree / "far").symlink_to(tmp_path)
    read(code, tree)
    assert paths(code) == {"app.py", "lib/__init__.py", "lib/retries.py", "lib/tools.py"}
    assert files.read(str(tree), "link.py") is None
    assert files.read(str(tree), "far/outside.py") is None
    os.mkfifo(tree / "pipe.py")
    assert files.read(str(tree), "pipe.py") is None


def test_binary_and_huge_files_are_refused_and_said(code: Code, tree: Path) -> None:
    (tree / "blob.py").write_bytes(b"\x00\x01" * 1000)
    (tree / "generated.py").write_text("x = 1\n" * 1_800_000)  # 10 MB
    assert read(code, tree).refused == 2
    assert not {"blob.py", "generated.py"} & paths(code)


def test_encodings_are_read_as_far_as_they_go(code: Code, tree: Path) -> None:
    text = "def größe():\n    return 'ß'\n"
    for name, encoding in (("a.py", "utf-16"), ("b.py", "utf-8-sig"), ("c.py", "latin-1")):
        (tree / name).write_bytes(text.encode(encoding))
    read(code, tree)
    assert [row["path"] for row in code.symbols_in("a.py")] == ["größe"]
    assert [row["line"] for row in code.symbols_in("b.py")] == [1]
    assert "c.py" in paths(code)


def test_a_file_with_syntax_errors_gives_what_it_has(code: Code, tree: Path) -> None:
    (tree / "broken.py").write_text("def fine():\n    pass\n\nx = = )\n\ndef also():\n    fine()\n")
    read(code, tree)
    assert code.sizes()["broken"] == 1
    assert {"fine", "also"} <= {row["path"] for row in code.symbols_in("broken.py")}


def test_a_file_that_changes_while_it_is_read_is_read_again(
    code: Code, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = files.read

    def hasty(root: str, path: str) -> bytes | None:
        found = reading(root, path)
        if path == "app.py":
            (tree / "app.py").write_text("def newest():\n    pass\n")
        return found

    monkeypatch.setattr(files, "read", hasty)
    monkeypatch.setattr(
        code_index, "read_all", lambda root, paths: [worker.look(root, path) for path in paths]
    )  # in this process, where it can be hasty
    read(code, tree)
    monkeypatch.undo()
    assert "main" in {row["path"] for row in code.symbols_in("app.py")}
    read(code, tree)
    assert {row["path"] for row in code.symbols_in("app.py")} == {"newest"}


def test_two_work_trees_know_nothing_of_each_other(code: Code, tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "app.py").write_text("def elsewhere():\n    pass\n")
    second = open_code(str(tmp_path / "data"), str(other))
    assert second
    read(code, tree)
    index(second, str(other), Ignored([]), NOW)
    assert second.symbols_named("main") == [] and code.symbols_named("elsewhere") == []
    second.close()


def test_many_files_are_read_by_workers_and_a_file_that_kills_one_costs_one_file(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"m{number}.py" for number in range(60)]
    for name in names:
        (tree / name).write_text("def f():\n    pass\n")
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    reading = worker.Worker.read

    def dies(self: worker.Worker, request: worker.ReadRequest) -> Iterator[worker.CodeFile]:
        for one in reading(self, request):
            if one.path == "m7.py":
                self.process.kill()
                return
            yield one

    monkeypatch.setattr(worker.Worker, "read", dies)
    found = {one.path: one.outline for one in worker.read_all(str(tree), names)}
    assert set(found) == set(names)
    assert [path for path, outline in found.items() if outline is None] == ["m7.py"]


def test_a_file_that_takes_forever_is_given_up(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "endless.py").write_text("x = [" + "(1, " * 200_000)
    monkeypatch.setattr(worker, "SECONDS", 0.03)
    found = {one.path: one.outline for one in worker.read_all(str(tree), ["endless.py", "lib/__init__.py"])}
    assert found["endless.py"] is None and found["lib/__init__.py"] is not None


def test_a_graph_is_forgotten_with_its_project_and_by_words(code: Code, tree: Path, tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    code.say(project="example.org/a/b", tree=str(tree))
    read(code, tree)
    assert forget_code(data, "example.org/other", None) == []
    assert forget_code(data, None, "no_such_word_anywhere") == []
    code.close()
    assert [path for path, _ in all_trees(data)] == [code_file(data, str(tree))]
    Path(data, "code", "begun.db").touch()  # what a killed process leaves of a graph
    assert forget_code(data, "example.org/other", None) == []
    os.unlink(Path(data, "code", "begun.db"))
    forget_code(data, None, "RETRY_policy")
    assert list(all_trees(data)) == []
