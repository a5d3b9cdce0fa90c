"""How much of Python's own standard library is read as Python's own parser and symbol table read it."""

from __future__ import annotations

import ast
import symtable
import sys
import sysconfig
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from nous.features.code import treesitter
from nous.features.code.model import ALL, WHOLE


def definitions(tree: ast.AST, within: str = "") -> Iterator[tuple[str, int]]:
    """Every function and class with its path and line, as `ast` has them."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            path = f"{within}.{node.name}" if within else node.name
            yield path, node.lineno
            yield from definitions(node, path)
        else:
            yield from definitions(node, within)


def variables(table: symtable.SymbolTable, tree: ast.Module) -> Iterator[str]:
    """Names that a module assigns at its outermost level, by its symbol table and its own statements."""
    assigned = {one.get_name() for one in table.get_symbols() if one.is_assigned() and not one.is_imported()}
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            yield from (part.id for part in parts if isinstance(part, ast.Name) and part.id in assigned)


def imports(tree: ast.AST) -> Iterator[tuple[str, str, str]]:
    """Every imported name: what it is called, the module, the item."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    yield alias.asname, alias.name, WHOLE
                else:
                    yield alias.name.partition(".")[0], alias.name.partition(".")[0], WHOLE
                    if "." in alias.name:
                        yield alias.name, alias.name, WHOLE
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                yield alias.asname or alias.name, module, ALL if alias.name == "*" else alias.name


class Tally:
    """How many of what is there were found, and how many that are not there."""

    def __init__(self) -> None:
        self.there = self.found = self.extra = 0
        self.missed: list[str] = []

    def count(self, file: Path, truth: Counter[object], read: Counter[object]) -> None:
        shared = truth & read
        self.there += sum(truth.values())
        self.found += sum(shared.values())
        self.extra += sum((read - truth).values())
        self.missed += [f"{file.name}: {one}" for one in (truth - read)][:3]

    @property
    def recall(self) -> float:
        return self.found / max(1, self.there)

    @property
    def precision(self) -> float:
        return self.found / max(1, self.found + self.extra)


def measure(files: list[Path]) -> dict[str, Tally]:
    """The tallies of definitions, module variables and imports over some files."""
    tallies = {"definitions": Tally(), "variables": Tally(), "imports": Tally()}
    for file in files:
        source = file.read_bytes()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source)
                table = symtable.symtable(source.decode("utf-8", "replace"), str(file), "exec")
        except (SyntaxError, ValueError):
            continue  # meant to be broken
        outline = treesitter.read_code("python", source)
        named = [one for one in outline.definitions if one.kind != "variable"]
        tallies["definitions"].count(file, Counter(definitions(tree)), Counter((one.path, one.line) for one in named))
        read = {one.path for one in outline.definitions if one.kind == "variable" and "." not in one.path}
        tallies["variables"].count(file, Counter(set(variables(table, tree))), Counter(read))
        bound = [(one.name, one.module, one.item) for one in outline.bindings if one.module != "__future__"]
        tallies["imports"].count(file, Counter(imports(tree)), Counter(bound))
    return tallies


def library() -> list[Path]:
    """The standard library's own files."""
    root = Path(sysconfig.get_path("stdlib"))
    return sorted(
        path for path in root.rglob("*.py") if "site-packages" not in path.parts and "lib2to3" not in path.parts
    )


if __name__ == "__main__":
    files = library()
    for name, tally in measure(files).items():
        print(f"{name:<12} {tally.there:>7} there, recall {tally.recall:.4%}, precision {tally.precision:.4%}")
        print("   ", tally.missed[:12], file=sys.stderr)
    print(f"{len(files)} files of Python {sys.version.split()[0]}")
