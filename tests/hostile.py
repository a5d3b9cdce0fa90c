"""Every regular expression of the package, found by looking, and texts that would make a careless one slow."""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
import re
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import nous
from nous.language import lexicon

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import sre_parse

ANCHORED = {"match", "fullmatch"}
METHODS = ANCHORED | {"search", "sub", "subn", "finditer", "findall", "split"}
OPTIONAL = ("nous.providers.", "nous.shells.mcp")  # modules that may need what is not installed


class Found(NamedTuple):
    """A pattern, where it stands, and whether it is only tried at the beginning of a text."""

    place: str
    pattern: re.Pattern[Any]
    anchored: bool


def modules() -> Iterator[Any]:
    """Every module of the package."""
    for info in pkgutil.walk_packages(nous.__path__, "nous."):
        if info.name == "nous.__main__":
            continue
        try:
            yield importlib.import_module(info.name)
        except ImportError:
            if not info.name.startswith(OPTIONAL):
                raise


@functools.cache
def patterns() -> list[Found]:
    """Every compiled pattern in globals, classes, tuples, mappings and values, and every literal given to `re`."""
    used = _usage()
    found: dict[tuple[Any, int], Found] = {}
    for module in modules():
        for name, value in list(vars(module).items()):
            if name.startswith("__"):
                continue
            for pattern in _within(value, 0, set()):
                anchored = bool(used.get(name)) and used[name] <= ANCHORED
                key = (pattern.pattern, pattern.flags)
                if key not in found or found[key].anchored > anchored:
                    found[key] = Found(f"{module.__name__}.{name}", pattern, anchored)
    for name, pattern in table_patterns():
        anchored = bool(used.get(name)) and used[name] <= ANCHORED
        found.setdefault((pattern.pattern, pattern.flags), Found(f"{lexicon.__name__}.{name}", pattern, anchored))
    for place, pattern, method in _literals():
        found.setdefault((pattern.pattern, pattern.flags), Found(place, pattern, method in ANCHORED))
    return list(found.values())


def table_patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every pattern of the tables, by its file and its name there."""
    for name, row in table_rows():
        yield name, lexicon.compile_row(row, lexicon.table(name.partition(".")[0]))


def table_rows() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every row of the tables that is a pattern; of a list of them each by its place."""
    for path in sorted(Path(lexicon.__path__[0]).glob("*.toml")):
        for key, value in lexicon.table(path.stem).items():
            name = f"{path.stem}.{key}"
            if isinstance(value, list):
                yield from ((f"{name} {at}", row) for at, row in enumerate(value))
            elif isinstance(value, dict) and not {"words", "forms"}.isdisjoint(value):
                yield name, value


def _within(value: Any, depth: int, seen: set[int]) -> Iterator[re.Pattern[Any]]:
    """The patterns that something holds, however deep."""
    if isinstance(value, re.Pattern):
        yield value
        return
    if depth > 6 or id(value) in seen or isinstance(value, str | bytes | int | float | type(None)):
        return
    seen.add(id(value))
    for one in _parts(value):
        yield from _within(one, depth + 1, seen)


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.keys()
        yield from value.values()
    elif isinstance(value, list | tuple | set | frozenset):
        yield from value
    elif not type(value).__module__.startswith("nous") and not (
        isinstance(value, type) and value.__module__.startswith("nous")
    ):
        return
    for name in _names(value):
        if not name.startswith("__"):
            try:
                yield getattr(value, name)
            except Exception:
                continue


def _names(value: Any) -> set[str]:
    """What something of ours holds: its own attributes, its fields, and patterns that are compiled when asked for."""
    if isinstance(value, type):
        return set(vars(value))
    kind = type(value)
    lazy = {name for name, one in vars(kind).items() if isinstance(one, property | functools.cached_property)}
    slots = getattr(kind, "__slots__", ())
    return {*getattr(value, "__dict__", {}), *((slots,) if isinstance(slots, str) else slots), *lazy}


def _usage() -> dict[str, set[str]]:
    """By which methods each name is called, anywhere; a name that is passed on may be used in any way."""
    used: dict[str, set[str]] = {}
    for tree in _trees():
        called = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                used.setdefault(_name(node.value), set()).add(node.attr)
                called.add(id(node.value))
        for node in ast.walk(tree):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in called:
                used.setdefault(_name(node), set()).add("passed on")
    return used


def _trees() -> Iterator[ast.Module]:
    for path in sorted(Path(nous.__path__[0]).rglob("*.py")):
        yield ast.parse(path.read_text("utf-8"), str(path))


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Call) and _name(node.func) == "pattern" and isinstance(node.args[0], ast.Constant):
        return str(node.args[0].value)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _literals() -> Iterator[tuple[str, re.Pattern[Any], str]]:
    """Patterns that are written where they are used: `re.search("...", text)`."""
    for path in sorted(Path(nous.__path__[0]).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            if _name(node.func.value) == "re" and node.func.attr in METHODS | {"compile"}:
                given = node.args[0]
                if isinstance(given, ast.Constant) and isinstance(given.value, str | bytes):
                    flags = 0
                    for extra in [*node.args[1:], *(one.value for one in node.keywords if one.arg == "flags")]:
                        flags |= _flags(extra)
                    yield f"{path.name}:{node.lineno}", re.compile(given.value, flags), node.func.attr


def _flags(node: ast.AST) -> int:
    if isinstance(node, ast.BinOp):
        return _flags(node.left) | _flags(node.right)
    value = getattr(re, _name(node), 0) if isinstance(node, ast.Attribute) and _name(node.value) == "re" else 0
    return int(value) if isinstance(value, int) else 0


# -- texts ------------------------------------------------------------------------------------------------------------

REPEATED = (
    "a", " ", "\n", "\t", ".", "-", "_", "=", "/", "\\", "\"", "'", "`", "(", "[", "{", "<", ":", "0", "é",
    "a ", "a\n", "a.", "a-", "a_", "a/", "a: ", "a, ", "a=", "\"a", "`a", "(a", "<a ", "<nous ", "[Memory #",
    "https://a.", "use a ", "not a ", "A1b", " \n",
)  # fmt: skip
assert len(REPEATED) == 40


def hostile(pattern: re.Pattern[Any]) -> Iterator[Any]:
    """What makes a careless pattern slow when repeated: general pieces, and beginnings of what it looks for."""
    for piece in dict.fromkeys((*REPEATED, *_beginnings(pattern))):
        yield piece.encode() if isinstance(pattern.pattern, bytes) else piece


def _beginnings(pattern: re.Pattern[Any]) -> Iterator[str]:
    """What a match begins with, longer and longer: a text full of them is begun often and finished never."""
    written = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = sre_parse.parse(written, pattern.flags & ~(re.UNICODE if isinstance(pattern.pattern, bytes) else 0))
    text = ""
    made = []
    for operation, value in tree.data:
        text += _sample([(operation, value)])
        if 0 < len(text) < 200:
            made.append(text)
    chosen = made if len(made) <= 8 else [made[place * len(made) // 8] for place in range(8)]
    for one in chosen:
        yield one
        yield one + " "


def _sample(tree: Any, depth: int = 0) -> str:
    """A short text that a part of a pattern matches, as far as that is easily said."""
    text = ""
    for operation, value in tree:
        name = str(operation)
        if name == "LITERAL":
            text += chr(value)
        elif name in ("ANY", "NOT_LITERAL"):
            text += "a"
        elif name == "IN":
            text += _member(value)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            text += _sample(value[2], depth + 1) * max(1, min(value[0], 8)) if depth < 20 else ""
        elif name == "SUBPATTERN":
            text += _sample(value[3], depth + 1)
        elif name == "ATOMIC_GROUP":
            text += _sample(value, depth + 1)
        elif name == "BRANCH":
            text += _sample(value[1][0], depth + 1)
    return text


def _member(value: Any) -> str:
    for operation, one in value:
        name = str(operation)
        if name == "LITERAL":
            return chr(one)
        if name == "RANGE":
            return chr(one[0])
        if name == "CATEGORY":
            return {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " "}.get(str(one), "a")
        if name == "NEGATE":
            return "~"
    return "a"


# -- time -------------------------------------------------------------------------------------------------------------


def cost(found: Found, text: Any, tries: int = 1) -> float:
    """Seconds of this thread that a pattern takes on a text, the least of some tries."""
    run: Callable[[], Any]
    if found.anchored:
        run = lambda: found.pattern.match(text)  # noqa: E731
    else:
        run = lambda: [None for _ in found.pattern.finditer(text)]  # noqa: E731
    best = float("inf")
    for _ in range(tries):
        began = time.thread_time()
        run()
        best = min(best, time.thread_time() - began)
    return best
