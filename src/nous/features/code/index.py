"""Keeps the code graph of a work tree, file by file, by the hash of its content.

What a file holds is kept with it. What names lead to is worked out of all that when somebody asks after a change."""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec

from nous.features.code import files
from nous.features.code.model import Binding, Outline
from nous.features.code.modules import Modules
from nous.features.code.resolve import FileView, World, view_of
from nous.features.code.store import INDEXED_AT, INDEXING, READY, STALE, STATE, Code
from nous.features.code.worker import CodeFile, digest, read_all
from nous.kernel.capture.ignoring import Ignored

BATCH = 200
IndexProgress = Callable[[int, int], None]


class Indexed(NamedTuple):
    """What an update did: files looked at, read anew, gone, and refused (no text, too large, or it broke a parser)."""

    looked_at: int = 0
    read: int = 0
    gone: int = 0
    refused: int = 0


def index(
    code: Code,
    tree: str,
    ignored: Ignored,
    now: str,
    progress: IndexProgress = lambda done, all: None,
    *,
    anew: bool = False,
) -> Indexed:
    """Bring the graph of a work tree up to date."""
    paths = list(files.find(tree, ignored))
    roots = list(_roots(tree, paths))
    paths = [path for path in paths if os.path.basename(path) not in files.ROOT_FILES]
    known = code.hashes()
    changed = paths if anew or not known else _changed_files(tree, paths, known)
    gone = [path for path in known if path not in set(paths)]
    with code.db.transaction():
        code.say(**{STATE: INDEXING, "roots": msgspec.json.encode(roots).decode(), "of": str(len(paths))})
    done = refresh(code, tree, [*changed, *gone], progress, anew=anew)
    resolve(code)
    with code.db.transaction():
        code.say(**{STATE: READY, INDEXED_AT: now})
    return done._replace(looked_at=len(paths))


def _changed_files(tree: str, paths: Iterable[str], known: dict[str, tuple[int, str]]) -> list[str]:
    found = []
    for path in paths:
        source = files.read(tree, path)
        if (digest(source) if source is not None else "") != known.get(path, (0, "new"))[1]:
            found.append(path)
    return found


def refresh(
    code: Code,
    tree: str,
    paths: Iterable[str],
    progress: IndexProgress = lambda done, all: None,
    *,
    anew: bool = False,
) -> Indexed:
    """Read some files anew, or forget them where they are gone; `resolve` then says what names in them lead to."""
    wanted = [path for path in dict.fromkeys(paths) if os.path.basename(path) not in files.ROOT_FILES]
    known = code.hashes()
    counts = Counter[str]()
    for batch in _batches(read_all(tree, wanted), BATCH):
        with code.db.transaction():
            counts.update(_take_in(code, one, *known.get(one.path, (0, "")), anew=anew) for one in batch)
            if counts["read"] or counts["gone"]:
                code.say(**{STALE: "yes"})
        progress(counts.total(), len(wanted))
    return Indexed(read=counts["read"], gone=counts["gone"], refused=counts["refused"])


def _take_in(code: Code, one: CodeFile, file_id: int, hash: str, *, anew: bool) -> str:
    """Keep what a file holds, or forget it; what was done with it."""
    if one.outline is None:
        code.drop_file(file_id)
        return "gone" if file_id else "refused"
    if one.hash == hash and not anew:
        return "known"
    code.put_file(one.path, one.hash, one.lines, one.outline)
    return "read"


def _batches(found: Iterable[CodeFile], size: int) -> Iterator[list[CodeFile]]:
    batch: list[CodeFile] = []
    for one in found:
        batch.append(one)
        if len(batch) == size:
            yield batch
            batch = []
    yield batch


# -- what names lead to ---------------------------------------------------------------------------------------------


class _Held(NamedTuple):
    """A file with what it holds, and the numbers of its symbols."""

    file_id: int
    view: FileView
    numbers: list[int]
    outline: Outline


def resolve(code: Code) -> None:
    """Say what every import and reference leads to, where a file changed since that was said; no file is read."""
    facts = code.facts()
    if not facts.get(STALE):
        return
    roots = msgspec.json.decode(facts.get("roots", "[]"), type=list[tuple[str, str, str]])
    numbers = code.symbol_numbers()
    held = [
        _Held(file_id, view_of(path, numbers.get(file_id, []), outline), numbers.get(file_id, []), outline)
        for file_id, path, outline in code.outlines()
    ]
    views = {one.view.path: one.view for one in held}
    world = World(Modules(views, roots), views.get)
    with code.db.transaction():
        code.clear_references()
        code.add_imports(_import_rows(world, held))
        code.add_refs(row for one in held for row in _ref_rows(world, one))
        code.say(**{STALE: ""})


def _import_rows(world: World, held: Iterable[_Held]) -> Iterator[tuple[object, ...]]:
    for one in held:
        for binding in one.outline.bindings:
            to = target(world, one.view, binding)
            yield one.file_id, binding.name, binding.module, binding.item, binding.line, to


def target(world: World, view: FileView, binding: Binding) -> str | None:
    """The file that an import speaks of: a module that is itself imported by name, else the one that holds the name."""
    if not binding.module:
        return None
    if view.language == "python" and binding.item not in ("", "*"):
        below = f"{binding.module}{'' if binding.module.endswith('.') else '.'}{binding.item}"
        if found := world.files(view, below):
            return found[0]
    found = world.files(view, binding.module)
    return found[0] if found else None


def _ref_rows(world: World, held: _Held) -> Iterator[tuple[object, ...]]:
    """References as rows, each with what it leads to."""
    for one in held.outline.references:
        within = held.outline.definitions[one.at].path if one.at >= 0 else ""
        scope = within.rpartition(".")[0] if one.relation == "inherits" else within
        to = world.resolve(held.view, scope, one.path)
        number = held.numbers[one.at] if one.at >= 0 else 0
        yield held.file_id, number, within, one.path, one.path.rpartition(".")[2], one.relation, to


# -- names of directories -------------------------------------------------------------------------------------------


def _roots(tree: str, paths: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Directories that have a name of their own: kind, name, directory."""
    for path in paths:
        kind = files.ROOT_FILES.get(os.path.basename(path))
        if kind and (source := files.read(tree, path)):
            name = _NAMES[kind](source.decode("utf-8", "replace"))
            if name:
                yield kind, name, os.path.dirname(path)


def _go_name(text: str) -> str:
    found = re.search(r"^module\s+(\S+)", text, re.M)
    return found[1] if found else ""


def _rust_name(text: str) -> str:
    try:
        return str(tomllib.loads(text).get("package", {}).get("name", "")).replace("-", "_")
    except (tomllib.TOMLDecodeError, AttributeError):
        return ""


def _script_name(text: str) -> str:
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return ""
    return str(found.get("name", "")) if isinstance(found, dict) else ""


_NAMES: dict[str, Callable[[str], str]] = {"go": _go_name, "rust": _rust_name, "javascript": _script_name}
