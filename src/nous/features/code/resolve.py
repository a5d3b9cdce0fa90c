"""What a name in the code means: proven where the imports and definitions of the work tree say so, else open.

A reference is resolved by what its own file says (definitions around it, imports) and then by what stands in the files
that these lead to. Nothing is guessed here: a call on a receiver of which nothing is known stays open, and whoever asks
may list it as possible by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from nous.features.code.model import ALL, UNKNOWN, WHOLE, Binding, Definition, Outline, Reference
from nous.features.code.modules import Modules

SELVES = frozenset({"self", "cls", "this", "Self"})
MOST_HOPS = 8  # a chain of re-exports or base classes that is longer than this goes round in circles
DEFAULT = "default"
OPEN, OUTSIDE = 0, -1  # what a reference leads to when it is no symbol


class FileView:
    """What has to be known of a file to find a name in it."""

    __slots__ = ("bases", "bindings", "definitions", "kinds", "language", "path", "stars", "symbols")

    def __init__(self, path: str, language: str):
        self.path, self.language = path, language
        self.definitions: dict[str, int] = {}
        self.symbols: dict[int, str] = {}
        self.kinds: dict[str, str] = {}
        self.bindings: dict[str, tuple[str, str]] = {}
        self.stars: list[str] = []
        self.bases: dict[str, list[str]] = {}

    def add(self, numbers: Iterable[int], definitions: Iterable[Definition]) -> None:
        """Take in what the file defines. Of several with one path the first counts, so overloads are one."""
        for number, one in zip(numbers, definitions, strict=True):
            self.define(number, one.path, one.kind)

    def define(self, number: int, path: str, kind: str) -> None:
        """Take in one definition; what can be called comes before an interface of the same name."""
        if path not in self.definitions or (self.kinds[path] == "interface" and kind != "interface"):
            self.definitions[path] = number
            self.kinds[path] = kind

    def bind(self, bindings: Iterable[Binding]) -> None:
        """Take in what the file imports."""
        for one in bindings:
            if one.name == ALL:
                self.stars.append(one.module)
            elif one.name:
                self.bindings[one.name] = (one.module, one.item)

    def build_upon(self, definitions: list[Definition], references: Iterable[Reference]) -> None:
        """Take in what its classes build upon."""
        for one in references:
            if one.relation == "inherits" and one.at >= 0:
                self.bases.setdefault(definitions[one.at].path, []).append(one.path)


def view_of(path: str, numbers: Iterable[int], outline: Outline) -> FileView:
    """The view of a file that was just read."""
    view = FileView(path, outline.language)
    view.add(numbers, outline.definitions)
    view.bind(outline.bindings)
    view.build_upon(outline.definitions, outline.references)
    return view


class Place(NamedTuple):
    """Where a name leads: a file, and a path in it (empty: the file itself)."""

    view: FileView
    path: str


class World:
    """All files of a work tree; views are loaded when they are asked for."""

    def __init__(self, modules: Modules, load: Callable[[str], FileView | None]):
        self.modules = modules
        self.load = load
        self.views: dict[str, FileView | None] = {}
        self.found: dict[tuple[str, str, str], list[str]] = {}
        self.bound: dict[tuple[str, str], Place | None] = {}
        self.members: dict[tuple[str, str, str], Place | None] = {}

    def view(self, path: str) -> FileView | None:
        if path not in self.views:
            self.views[path] = self.load(path)
        return self.views[path]

    def files(self, view: FileView, module: str) -> list[str]:
        """The files that an import in a file leads to."""
        relative = module.startswith((".", "self", "super", "crate", "@/", "~/")) or view.language in ("rust", "python")
        key = (view.language, module, view.path if relative else "")
        if key not in self.found:
            self.found[key] = self.modules.find(view.language, module, view.path)
        return self.found[key]

    # -- resolving --------------------------------------------------------------------------------------------------

    def resolve(self, view: FileView, within: str, path: str) -> int:
        """The symbol that a reference in a definition leads to; `OPEN` or `OUTSIDE` when there is none."""
        first, *rest = path.split(".")
        if first == UNKNOWN:
            return OPEN
        if view.language == "rust" and first == "super":
            return self._above(view, path, rest)
        if first in SELVES or first == "super":
            return self._of_self(view, within, first, rest)
        place = self._first_part(view, within, path, first)
        if place is None:
            return OUTSIDE if self._is_elsewhere(view, path) else OPEN
        return self._number(self._walk(place, self._rest_of_path(view, path, rest)), rest)

    def _is_elsewhere(self, view: FileView, path: str) -> bool:
        """Whether a name comes from a module that is not in this tree."""
        name = _longest(view.bindings, path)
        return bool(name) and bool(view.bindings[name][0]) and not self.files(view, view.bindings[name][0])

    def _above(self, view: FileView, path: str, rest: list[str]) -> int:
        """`super::` of Rust: the module around a module in the same file, or the one above the file."""
        inside = view.definitions.get(".".join(part for part in rest if part != "super"))
        place = None if inside else self._named_module(view, path)
        return inside or (self._number(place, rest) if place else OUTSIDE)

    def _rest_of_path(self, view: FileView, path: str, rest: list[str]) -> list[str]:
        """The parts behind the binding: `import a.b` binds two of them."""
        name = _longest(view.bindings, path)
        return path.split(".")[name.count(".") + 1 :] if name and "." in name else rest

    def _number(self, at: Place | None, rest: list[str]) -> int:
        if at is None:
            return OPEN if rest else OUTSIDE
        if at.path:
            return at.view.definitions.get(at.path, OPEN)
        if DEFAULT in at.view.bindings:  # a module that is called is what it exports
            at = self._find_binding(at.view, DEFAULT, 0) or at
        return at.view.definitions.get(at.path or DEFAULT, OPEN)

    def _first_part(self, view: FileView, within: str, path: str, first: str) -> Place | None:
        """Where the first part of a path leads: what is defined around it, in the file, imported, or beside it."""
        for scope in _scopes(within):
            inner = f"{scope}.{first}"
            is_class = view.kinds.get(scope, "function") == "class"
            if not is_class and inner in view.definitions and view.kinds[inner] != "method":
                return Place(view, inner)
        is_bound = view.kinds.get(first) == "variable" and first in view.bindings  # `const a = require("./a")`
        if first in view.definitions and not is_bound:
            return Place(view, first)
        name = _longest(view.bindings, path)
        if name:
            return self._find_binding(view, name, 0)
        return self._beside(view, first) or (self._named_module(view, path) if view.language == "rust" else None)

    def _named_module(self, view: FileView, path: str) -> Place | None:
        """Rust may name a module without importing it: `crate::shape::area`."""
        module = path.rpartition(".")[0]
        while module:
            for file in self.files(view, module):
                if (found := self.view(file)) and (place := self._find_export(found, path[len(module) + 1 :], 1)):
                    return place
            module = module.rpartition(".")[0]
        return None

    def _beside(self, view: FileView, first: str) -> Place | None:
        """A name that a file has without saying so: from a whole import, or from its package."""
        for other in self.modules.beside(view.path):
            if (found := self.view(other)) and first in found.definitions:
                return Place(found, first)
        for module in view.stars:
            for path in self.files(view, module):
                if (found := self.view(path)) and (place := self._find_export(found, first, 1)):
                    return place
        return None

    def _find_binding(self, view: FileView, name: str, hops: int) -> Place | None:
        """Where an import leads, found out once."""
        if hops:
            return self._lead(view, name, hops)
        key = (view.path, name)
        if key not in self.bound:
            self.bound[key] = self._lead(view, name, 0)
        return self.bound[key]

    def _lead(self, view: FileView, name: str, hops: int) -> Place | None:
        module, item = view.bindings[name]
        if not module:  # a name that the file gives to something of its own
            return self._find_export(view, item, hops + 1) if item != name and hops < MOST_HOPS else None
        paths = self.files(view, module)
        if item == WHOLE:
            return self._whole(view, module, paths)
        for path in paths:
            if (found := self.view(path)) and (place := self._find_export(found, item, hops + 1)):
                return place
        below = f"{module}{'' if module.endswith('.') else '.'}{item}"
        if view.language in ("python", "rust"):
            for path in self.files(view, below):
                if found := self.view(path):
                    return Place(found, "")
        if view.language == "rust" and not paths:
            return self._item_of_type(view, module, item, hops)
        return None

    def _item_of_type(self, view: FileView, module: str, item: str, hops: int) -> Place | None:
        """`use crate::shape::Shape::Square`: a module, a type in it, and what belongs to the type."""
        outer, _, inner = module.rpartition(".")
        for path in self.files(view, outer) if outer else ():
            found = self.view(path)
            if found and f"{inner}.{item}" in found.definitions:
                return Place(found, f"{inner}.{item}")
        return None

    def _whole(self, view: FileView, module: str, paths: list[str]) -> Place | None:
        for path in paths:
            if found := self.view(path):
                return Place(found, "")
        outer, _, item = module.rpartition(".")  # Rust: `use a::b` of an item that is no module
        if view.language == "rust" and outer:
            for path in self.files(view, outer):
                if (found := self.view(path)) and item in found.definitions:
                    return Place(found, item)
        return None

    def _find_export(self, view: FileView, item: str, hops: int) -> Place | None:
        """What others get from a file under a name: defined there, or passed on from elsewhere."""
        if item in view.definitions:
            return Place(view, item)
        if hops > MOST_HOPS:
            return None
        if item in view.bindings:
            return self._find_binding(view, item, hops)
        for module in view.stars:
            for path in self.files(view, module):
                if (
                    (found := self.view(path))
                    and found is not view
                    and (at := self._find_export(found, item, hops + 1))
                ):
                    return at
        return None

    def _walk(self, place: Place, parts: list[str]) -> Place | None:
        """Go on from a place by the further parts of a path: into modules and classes, never through values."""
        for part in parts:
            step = self._member(place, part, 0) if place.path else self._of_module(place.view, part)
            if step is None:
                return None
            place = step
        return place

    def _of_module(self, view: FileView, part: str) -> Place | None:
        for path in self.modules.beside(view.path) or [view.path]:
            if (found := self.view(path)) and (place := self._find_export(found, part, 1)):
                return place
        if view.language == "python" and view.path.endswith("__init__.py"):
            folder = view.path.removesuffix("__init__.py")
            for path in (f"{folder}{part}.py", f"{folder}{part}/__init__.py"):
                if path in self.modules.paths and (found := self.view(path)):
                    return Place(found, "")
        if view.language == "rust":
            for path in self.modules.find("rust", f"self.{part}", view.path):
                if found := self.view(path):
                    return Place(found, "")
        return None

    def _member(self, place: Place, part: str, hops: int) -> Place | None:
        """A member of a class, of what it builds upon, or, in Go, in another file of its package; found out once."""
        if hops:
            return self._seek(place, part, hops)
        key = (place.view.path, place.path, part)
        if key not in self.members:
            self.members[key] = self._seek(place, part, 0)
        return self.members[key]

    def _seek(self, place: Place, part: str, hops: int) -> Place | None:
        path = f"{place.path}.{part}"
        for view in (place.view, *self._siblings(place.view)):
            if path in view.definitions:
                return Place(view, path)
        return self._find_inherited(place, part, hops)

    def _siblings(self, view: FileView) -> Iterator[FileView]:
        for path in self.modules.beside(view.path):
            if path != view.path and (found := self.view(path)):
                yield found

    def _find_inherited(self, place: Place, part: str, hops: int) -> Place | None:
        if hops > MOST_HOPS:
            return None
        for view, base in self._bases(place):
            above = self._base(view, place.path, base)
            if above and above != place and (found := self._member(above, part, hops + 1)):
                return found
        return None

    def _bases(self, place: Place) -> Iterator[tuple[FileView, str]]:
        for view in (place.view, *self._siblings(place.view)):
            for base in view.bases.get(place.path, ()):
                yield view, base

    def _base(self, view: FileView, within: str, path: str) -> Place | None:
        first, *rest = path.split(".")
        outer = within.rpartition(".")[0]
        place = self._first_part(view, outer, path, first)
        return self._walk(place, self._rest_of_path(view, path, rest)) if place else None

    def _of_self(self, view: FileView, within: str, first: str, rest: list[str]) -> int:
        """A call on the object itself: a member of the class around it, or of what that builds upon."""
        owner = next((scope for scope in _scopes(within) if view.kinds.get(scope) == "class"), None)
        if owner is None:
            owner = within.rpartition(".")[0] if within.count(".") else None
        if owner is None or len(rest) > 1:
            return OPEN
        if not rest:  # `Self(..)`, `cls(..)`
            return view.definitions.get(owner, OPEN)
        place = Place(view, owner)
        found = self._find_inherited(place, rest[0], 0) if first == "super" else self._member(place, rest[0], 0)
        return found.view.definitions[found.path] if found else OPEN


def _scopes(within: str) -> Iterator[str]:
    """A path and those around it, from the inside out: `a.b.c`, `a.b`, `a`."""
    while within:
        yield within
        within = within.rpartition(".")[0]


def _longest(bindings: dict[str, tuple[str, str]], path: str) -> str:
    """The longest beginning of a path that an import binds; empty when none does."""
    name = path
    while name:
        if name in bindings:
            return name
        name = name.rpartition(".")[0]
    return ""
