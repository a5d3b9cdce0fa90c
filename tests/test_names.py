"""A public class or type goes by one name wherever it is imported, and events are made in one place."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "nous"
MODULES = {str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}


def is_noun(name: str) -> bool:
    """A public class or type: `Report`, not `_Report` or `RETRIEVERS`."""
    return name[0].isupper() and not name.isupper()


def nouns(source: str) -> Iterator[str]:
    """The public classes and type aliases that a module defines."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def hidden(modules: Mapping[str, str]) -> list[str]:
    """Nouns of ours that are imported under another name: a sign that two things share one."""
    return [
        f"{module}: {alias.name} as {alias.asname}"
        for module, source in modules.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("nous")
        for alias in node.names
        if alias.asname and alias.asname != alias.name and is_noun(alias.name)
    ]


def test_no_import_gives_a_noun_another_name() -> None:
    assert hidden(MODULES) == []


def test_an_alias_is_found_wherever_it_stands() -> None:
    source = (
        "def f():\n    from nous.kernel.learn.outcome import Outcome as Became\nfrom typing import Any as Whatever\n"
    )
    assert hidden({"a.py": source}) == ["a.py: Outcome as Became"]


def test_events_are_made_in_one_place() -> None:
    """`make_event` knows to which stream an event happens and what its envelope needs; nobody spells it out again."""
    by_hand = [
        f"{module}:{node.lineno}"
        for module, source in MODULES.items()
        if module != "kernel/log/events.py"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Event"
    ]
    assert by_hand == []


def test_a_test_file_has_a_name_of_its_own() -> None:
    """Of two files with one name in two folders pytest collects only the first."""
    names = Counter(path.name for path in Path(__file__).parent.rglob("test_*.py"))
    assert [name for name, times in names.items() if times > 1] == []
