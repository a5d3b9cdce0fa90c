"""Keeps the code graph of a work tree: made once, then brought up to date file by file, by the hash of its content."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from nous.core.code import Binding, Definition, Reference
from nous.core.code.modules import Modules
from nous.core.code.resolve import FileView, World, view_of
from nous.core.ignoring import Ignored
from nous.remember import code_files
from nous.remember.code_worker import CodeFile, digest, read_all
from nous.stores.code import INDEXED_AT, INDEXING, READY, STATE, Code, definition_rows
from nous.stores.database import Row

BATCH = 200
GENERATION = "generation"  # of the set of files: grows when one comes or goes
MANY_CHANGED = 400  # from so many changed files on it is quicker to make everything anew
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
    paths = list(code_files.find(tree, ignored))
    roots = list(_roots(tree, paths))
    paths = [path for path in paths if os.path.basename(path) not in code_files.ROOT_FILES]
    known = code.hashes()
    changed = paths if anew or not known else _changed(tree, paths, known)
    gone = [path for path in known if path not in set(paths)]
    with code.db.transaction():
        code.say(**{STATE: INDEXING, "roots": msgspec.json.encode(roots).decode(), "of": str(len(paths))})
    if anew or not known or len(changed) + len(gone) > MANY_CHANGED:
        done = _make(code, tree, paths, roots, progress)
    else:
        done = refresh(code, tree, [*changed, *gone])
    with code.db.transaction():
        code.say(**{STATE: READY, INDEXED_AT: now})
    return done._replace(looked_at=len(paths))


def _changed(tree: str, paths: Iterable[str], known: dict[str, tuple[int, str]]) -> list[str]:
    found = []
    for path in paths:
        source = code_files.read(tree, path)
        if (digest(source) if source is not None else "") != known.get(path, (0, "new"))[1]:
            found.append(path)
    return found


# -- everything -----------------------------------------------------------------------------------------------------


class _Held(NamedTuple):
    """A file whose references wait until every definition is known."""

    file_id: int
    first: int
    view: FileView
    definitions: list[Definition]
    references: list[Reference]
    bindings: list[Binding]


def _make(
    code: Code, tree: str, paths: list[str], roots: list[tuple[str, str, str]], progress: IndexProgress
) -> Indexed:
    """Make the graph from nothing. Files and symbols can be asked for while it is made, what they call at the end."""
    with code.db.transaction():
        code.say(**{GENERATION: str(int(code.facts().get(GENERATION, "0")) + 1)})
        for table in ("files", "symbols", "imports", "refs"):
            code.db.connection.execute(f"DELETE FROM {table}").fetchall()
        indexes = code.without_indexes()
    held: list[_Held] = []
    refused = 0
    files = symbols = 0
    try:
        for batch in _batches(read_all(tree, paths), BATCH):
            with code.db.transaction():
                for one in batch:
                    files += 1
                    if one.outline is None:
                        refused += 1
                        continue
                    held.append(_hold(code, one, symbols + 1))
                    symbols += len(one.outline.definitions)
            progress(files, len(paths))
        modules = Modules((one.view.path for one in held), roots)
        views = {one.view.path: one.view for one in held}
        world = World(modules, views.get)
        with code.db.transaction():
            code.add_imports(_import_rows(world, held))
            code.add_refs(_ref_rows(world, held))
    finally:
        with code.db.transaction():
            code.make_indexes(indexes)
    return Indexed(read=files - refused, refused=refused)


def _batches(found: Iterable[CodeFile], size: int) -> Iterator[list[CodeFile]]:
    batch: list[CodeFile] = []
    for one in found:
        batch.append(one)
        if len(batch) == size:
            yield batch
            batch = []
    yield batch


def _hold(code: Code, one: CodeFile, first: int) -> _Held:
    outline = one.outline
    assert outline is not None
    file_id = code.put_file(one.path, outline.language, one.hash, one.lines, outline.is_broken)
    numbers = range(first, first + len(outline.definitions))
    code.add_symbols(definition_rows(numbers, file_id, outline.definitions))
    view = view_of(one.path, numbers, outline)
    return _Held(file_id, first, view, outline.definitions, outline.references, outline.bindings)


def _import_rows(world: World, held: Iterable[_Held]) -> Iterator[tuple[object, ...]]:
    for one in held:
        for binding in one.bindings:
            yield (
                one.file_id,
                binding.name,
                binding.module,
                binding.item,
                binding.line,
                target(world, one.view, binding),
            )


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


def _ref_rows(world: World, held: Iterable[_Held]) -> Iterator[tuple[object, ...]]:
    for one in held:
        numbers = range(one.first, one.first + len(one.definitions))
        yield from ref_rows(world, one.file_id, one.view, numbers, one.definitions, one.references)


def ref_rows(
    world: World,
    file_id: int,
    view: FileView,
    numbers: Sequence[int],
    definitions: list[Definition],
    references: Iterable[Reference],
) -> Iterator[tuple[object, ...]]:
    """References as rows, each with what it leads to."""
    for one in references:
        within = definitions[one.at].path if one.at >= 0 else ""
        scope = within.rpartition(".")[0] if one.relation == "inherits" else within
        to = world.resolve(view, scope, one.path)
        number = numbers[one.at] if one.at >= 0 else 0
        yield file_id, number, within, one.path, one.path.rpartition(".")[2], one.relation, to


# -- file by file ---------------------------------------------------------------------------------------------------


def refresh(code: Code, tree: str, paths: Iterable[str]) -> Indexed:
    """Read some files anew, or forget them where they are gone; what names them elsewhere follows."""
    read = gone = refused = 0
    with code.db.transaction():
        asked = list(dict.fromkeys(paths))
        known = {row["path"]: (int(row["file_id"]), str(row["hash"])) for path in asked if (row := code.file(path))}
        stirred: set[str] = set()
        later: list[tuple[int, CodeFile, list[int]]] = []
        wanted = [path for path in asked if os.path.basename(path) not in code_files.ROOT_FILES]
        for one in read_all(tree, wanted):
            path = one.path
            file_id, hash = known.get(path, (0, ""))
            if one.outline is None:
                if file_id:
                    before = _definitions(code, file_id)
                    stirred.update(each.name for each in before.values())
                    code.drop_symbols(before)
                    code.drop_file(file_id)
                    gone += 1
                else:
                    refused += 1
                continue
            if one.hash == hash:
                continue
            read += 1
            stirred |= _replace(code, file_id, one, later)
        if later or gone:
            others = gone > 0 or any(one.path not in known for _, one, _ in later)
            if others:
                code.say(**{GENERATION: str(int(code.facts().get(GENERATION, "0")) + 1)})
            _resolve_anew(code, stirred, later, others)
    return Indexed(read=read, gone=gone, refused=refused)


def _definitions(code: Code, file_id: int) -> dict[int, Definition]:
    rows = code.symbols_of(file_id)
    return {
        row["symbol_id"]: Definition(row["name"], row["path"], row["kind"], row["line"], row["end"]) for row in rows
    }


def _replace(
    code: Code,
    file_id: int,
    one: CodeFile,
    later: list[tuple[int, CodeFile, list[int]]],
) -> set[str]:
    """Put a file's definitions in the place of those it had, which keep their numbers; the names that came or went."""
    assert one.outline is not None
    before = _definitions(code, file_id) if file_id else {}
    bound = {(row["name"], row["module"], row["item"]) for row in code.imports_of(file_id)} if file_id else set()
    file_id = code.put_file(one.path, one.outline.language, one.hash, one.lines, one.outline.is_broken)
    free: dict[str, list[int]] = {}
    for number, each in before.items():
        free.setdefault(each.path, []).append(number)
    last = code.last_symbol()
    numbers: list[int] = []
    fresh: set[str] = set()
    for each in one.outline.definitions:
        if same := free.get(each.path):
            numbers.append(same.pop(0))
        else:
            last += 1
            numbers.append(last)
            fresh.add(each.name)
    left = [number for numbers_left in free.values() for number in numbers_left]
    code.clear_file(file_id)
    code.drop_symbols(left)
    code.add_symbols(definition_rows(numbers, file_id, one.outline.definitions))
    later.append((file_id, one, numbers))
    now_bound = {(each.name, each.module, each.item) for each in one.outline.bindings}
    return fresh | {before[number].name for number in left} | {name for name, _, _ in bound ^ now_bound}


_modules: dict[str, tuple[str, Modules]] = {}


def _modules_of(code: Code) -> Modules:
    """The files of a tree by what imports call them; made anew when files came or went."""
    facts = code.facts()
    mark = f"{facts.get(GENERATION)} {facts.get('roots')}"
    kept = _modules.get(code.db.path)
    if kept is None or kept[0] != mark:
        roots = msgspec.json.decode(facts.get("roots", "[]"), type=list[tuple[str, str, str]])
        kept = _modules[code.db.path] = (mark, Modules(code.paths(), roots))
    return kept[1]


def _resolve_anew(code: Code, stirred: set[str], later: list[tuple[int, CodeFile, list[int]]], others: bool) -> None:
    """Say what the references of changed files lead to, and those elsewhere to names that came or went; with `others`,
    files came or went too."""
    world = World(_modules_of(code), code.view)
    for _, one, numbers in later:
        assert one.outline is not None
        world.views[one.path] = view_of(one.path, numbers, one.outline)
    for file_id, one, numbers in later:
        assert one.outline is not None
        view = world.views[one.path]
        assert view is not None
        code.add_imports(
            (file_id, each.name, each.module, each.item, each.line, target(world, view, each))
            for each in one.outline.bindings
        )
        code.add_refs(ref_rows(world, file_id, view, numbers, one.outline.definitions, one.outline.references))
    turned = _import_anew(code, world) if others else set()
    stirred |= code.other_names(stirred)
    rows = {row["ref_id"]: row for row in (*code.named_refs(stirred), *code.refs_of_files(turned))}
    code.aim(_aims(world, rows.values()))


def _import_anew(code: Code, world: World) -> set[str]:
    """Say which files the imports speak of after files came or went; the files in which that changed."""
    changed: list[tuple[str | None, int]] = []
    turned: set[str] = set()
    for row in code.all_imports():
        view = world.view(row["file"])
        if view is None:
            continue
        path = target(world, view, Binding(row["name"], row["module"], row["item"], row["line"]))
        if path != row["to_path"]:
            changed.append((path, row["number"]))
            turned.add(row["file"])
    code.point_imports(changed)
    return turned


def _aims(world: World, rows: Iterable[Row]) -> Iterator[tuple[int, int]]:
    """What references lead to now, where that is something else."""
    for row in rows:
        view = world.view(row["file"])
        if view is not None:
            scope = row["within"].rpartition(".")[0] if row["relation"] == "inherits" else row["within"]
            to = world.resolve(view, scope, row["path"])
            if to != row["to_id"]:
                yield to, row["ref_id"]


# -- names of directories -------------------------------------------------------------------------------------------


def _roots(tree: str, paths: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Directories that have a name of their own: kind, name, directory."""
    for path in paths:
        kind = code_files.ROOT_FILES.get(os.path.basename(path))
        if kind and (source := code_files.read(tree, path)):
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
