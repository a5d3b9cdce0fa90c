"""Which file of a work tree an import speaks of. A path that several files could answer is nobody's: a guess would
become a proven call."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable

SCRIPT = ("typescript", "tsx", "javascript")
_ENDS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts")
_WRITTEN = {".js": (".ts", ".tsx", ".js"), ".jsx": (".tsx", ".jsx"), ".mjs": (".mts", ".mjs"), ".cjs": (".cts", ".cjs")}
_PYTHON_ENDS = (".py", ".pyi")


class Modules:
    """The files of a work tree by what imports call them. `roots` are directories with a name of their own: a Go module
    (`go.mod`), a Rust crate (`Cargo.toml`), a JavaScript package (`package.json`)."""

    def __init__(self, paths: Iterable[str], roots: Iterable[tuple[str, str, str]] = ()):
        self.paths = set(paths)
        self.dotted: dict[str, list[str]] = defaultdict(list)
        self.packages: dict[str, list[str]] = defaultdict(list)
        self.tests: dict[str, list[str]] = defaultdict(list)
        self.roots = {(kind, name): folder for kind, name, folder in roots}
        for path in self.paths:
            if path.endswith(_PYTHON_ENDS):
                for name in self._dotted_names(path):
                    self.dotted[name].append(path)
            elif path.endswith(".go"):
                tested = path.endswith("_test.go")
                (self.tests if tested else self.packages)[posixpath.dirname(path)].append(path)

    def _dotted_names(self, path: str) -> set[str]:
        """What Python may call a file: from where its package begins, from the root, and from `src`."""
        stem = posixpath.splitext(path)[0].removesuffix("/__init__")
        folder = posixpath.dirname(path)
        while folder and f"{folder}/__init__.py" in self.paths:
            folder = posixpath.dirname(folder)
        below = stem[len(folder) + 1 :] if folder else stem
        return {name.replace("/", ".") for name in (below, stem, stem.removeprefix("src/"))}

    def find(self, language: str, module: str, origin: str) -> list[str]:
        """The files that an import in `origin` speaks of: one, or those of a Go package; none when it is elsewhere."""
        if language == "python":
            return self._python(module, origin)
        if language in SCRIPT:
            return self._script(module, origin)
        return self._go(module) if language == "go" else self._rust(module, origin)

    def _python(self, module: str, origin: str) -> list[str]:
        if not module.startswith("."):
            return self._nearest(self.dotted.get(module, []), origin)
        rest = module.lstrip(".")
        folder = posixpath.dirname(origin)
        for _ in range(len(module) - len(rest) - 1):
            folder = posixpath.dirname(folder)
        stem = posixpath.join(folder, *rest.split(".")) if rest else folder
        names = [stem + end for end in _PYTHON_ENDS] + [f"{stem}/__init__{end}" for end in _PYTHON_ENDS]
        return self._first(names)

    def _nearest(self, found: list[str], origin: str) -> list[str]:
        """Of several files with one name that which lies nearest, when one does; a stub stands behind the code."""
        if len(found) < 2:
            return found
        plain = [path for path in found if not path.endswith(".pyi")] or found
        shared = [(len(posixpath.commonpath([path, origin])), path) for path in plain]
        most = max(shared)[0]
        best = [path for many, path in shared if many == most]
        return best if len(best) == 1 else []

    def _script(self, module: str, origin: str) -> list[str]:
        if module.startswith("."):
            return self._first(_spellings(posixpath.normpath(posixpath.join(posixpath.dirname(origin), module))))
        if module[:2] in ("@/", "~/"):  # what most set-ups call their own sources
            folder = posixpath.dirname(origin)
            while True:
                for below in ("src", ""):
                    if found := self._first(_spellings(posixpath.join(folder, below, module[2:]))):
                        return found
                if not folder:
                    return []
                folder = posixpath.dirname(folder)
        return self._workspace(module)

    def _workspace(self, module: str) -> list[str]:
        """A package of the same work tree, and what lies in it."""
        parts = module.split("/")
        size = 2 if module.startswith("@") else 1
        folder = self.roots.get(("javascript", "/".join(parts[:size])))
        if folder is None:
            return []
        rest = "/".join(parts[size:])
        places = [posixpath.join(folder, rest)] if rest else []
        places += [posixpath.join(folder, "src", rest or "index"), posixpath.join(folder, rest or "index")]
        return next((found for place in places if (found := self._first(_spellings(place)))), [])

    def _go(self, module: str) -> list[str]:
        for (kind, name), folder in self.roots.items():
            if kind != "go":
                continue
            if name == "std" and "." not in module.split("/")[0]:
                return self.packages.get(posixpath.normpath(posixpath.join(folder, module)).removeprefix("./"), [])
            if module == name or module.startswith(name + "/"):
                below = posixpath.normpath(posixpath.join(folder, module[len(name) + 1 :] or "."))
                return self.packages.get("" if below == "." else below, [])
        return []

    def beside(self, path: str) -> list[str]:
        """The files that share their names with one: those of its Go package; only tests see those of tests."""
        if not path.endswith(".go"):
            return []
        folder = posixpath.dirname(path)
        return self.packages.get(folder, []) + (self.tests.get(folder, []) if path.endswith("_test.go") else [])

    def _rust(self, module: str, origin: str) -> list[str]:
        first, *rest = module.split(".")
        if first in ("crate", "self", "super"):
            return self._within(first, rest, origin)
        folder = self.roots.get(("rust", first))
        if folder is not None:
            source = posixpath.join(folder, "src")
            return self._below(source, rest) if rest else self._first([f"{source}/lib.rs", f"{source}/main.rs"])
        return self._within("self", [first, *rest], origin)

    def _within(self, first: str, rest: list[str], origin: str) -> list[str]:
        if first == "crate":
            base = self._crate(origin)
            return self._below(base, rest) if rest else self._first([f"{base}/lib.rs", f"{base}/main.rs"])
        folder = posixpath.dirname(origin)
        stem = posixpath.basename(origin).removesuffix(".rs")
        own = folder if stem in ("mod", "lib", "main") else posixpath.join(folder, stem)
        if first == "self":
            return self._below(own, rest) if rest else [origin]
        above = posixpath.dirname(own)
        while rest and rest[0] == "super":
            above, rest = posixpath.dirname(above), rest[1:]
        return self._below(above, rest) if rest else self._module_of(above)

    def _module_of(self, folder: str) -> list[str]:
        return self._first([f"{folder}.rs", f"{folder}/mod.rs", f"{folder}/lib.rs", f"{folder}/main.rs"])

    def _below(self, folder: str, parts: list[str]) -> list[str]:
        stem = posixpath.join(folder, *parts)
        return self._first([f"{stem}.rs", f"{stem}/mod.rs"])

    def _crate(self, origin: str) -> str:
        folder = posixpath.dirname(origin)
        while folder:
            if f"{folder}/lib.rs" in self.paths or f"{folder}/main.rs" in self.paths:
                return folder
            folder = posixpath.dirname(folder)
        return ""

    def _first(self, names: Iterable[str]) -> list[str]:
        found = next((name for name in names if name in self.paths), None)
        return [found] if found else []


def _spellings(stem: str) -> list[str]:
    """The files that a path without its end may mean; TypeScript writes `.js` where `.ts` lies."""
    base, end = posixpath.splitext(stem)
    written = [base + other for other in _WRITTEN.get(end, ())]
    return [*written, stem, *(stem + other for other in _ENDS), *(f"{stem}/index{other}" for other in _ENDS)]
