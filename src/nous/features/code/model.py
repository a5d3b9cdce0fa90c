"""Code as Nous sees it: what a file defines, names and imports. Values only; who reads a file is a provider."""

from __future__ import annotations

from typing import Literal

import msgspec

LANGUAGES: dict[str, str] = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
}
WHOLE = ""  # a binding to a module itself
ALL = "*"  # a binding to everything a module offers
UNKNOWN = "?"  # a receiver of which nothing is known

SymbolKind = Literal["function", "method", "class", "interface", "variable"]
CodeRelation = Literal["calls", "inherits"]
Surety = Literal["proven", "possible"]


class Definition(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Something a file defines: `path` is its name with those around it (`Model.save`), `end` its last line."""

    name: str
    path: str
    kind: SymbolKind
    line: int
    end: int


class Reference(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A name that is called or built upon, as it is written (`self.save`, `?.save` where the receiver is unknown).

    `at` is the number of the definition that it stands in, -1 for the file itself.
    """

    at: int
    path: str
    relation: CodeRelation = "calls"


class Binding(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A name that an import brings into a file: an item of a module, the module itself, or all of it."""

    name: str
    module: str
    item: str
    line: int


class Outline(msgspec.Struct, frozen=True, array_like=True):
    """What one file holds; `is_broken` when its syntax could not be read everywhere."""

    language: str
    definitions: list[Definition]
    references: list[Reference]
    bindings: list[Binding]
    is_broken: bool = False


def language_of(path: str) -> str | None:
    """The language of a file by the end of its name; None for one that is not read."""
    return LANGUAGES.get(path[path.rfind(".") :].lower()) if "." in path else None
