"""What hangs on a piece of code: who calls it, builds upon it and imports it, and who may."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from nous.errors import NotFound
from nous.features.code.model import Surety
from nous.features.code.store import INDEXING, STATE, Code
from nous.kernel.db.database import Row

MOST_REACHED = 2000
MOST_POSSIBLE = 50
INCOMPLETE = "indexing, may be incomplete"


class Symbol(msgspec.Struct, frozen=True):
    """A definition in the graph: where it stands, and what it is."""

    file: str
    path: str
    kind: str
    line: int
    end: int


class Affected(msgspec.Struct, frozen=True):
    """Something that a change may reach: a definition, or a file as a whole (no symbol), over so many steps.

    `through` names what it calls or builds upon. Possible: it calls something of that name, on a receiver of which
    nothing is known.
    """

    file: str
    symbol: str
    line: int
    depth: int
    relation: str
    through: str
    surety: Surety


class Impact(msgspec.Struct, frozen=True):
    """What hangs on a target. `is_cut`: there is more than is listed; `note` says why it may be incomplete."""

    target: str
    symbols: list[Symbol]
    proven: list[Affected]
    possible: list[Affected]
    importers: list[str]
    possible_in_all: int = 0
    is_cut: bool = False
    note: str = ""


def note_of(code: Code) -> str:
    """Why an answer may be incomplete; empty when the graph is complete."""
    return INCOMPLETE if code.facts().get(STATE) == INDEXING else ""


def impact(code: Code, target: str, depth: int = 3) -> Impact:
    """Who is reached when a file, a symbol (`file:symbol`, or the symbol alone) changes."""
    file, rows = find(code, target)
    ids = [row["symbol_id"] for row in rows]
    proven, is_cut = _callers(code, ids, depth)
    possible, many = (
        _maybe(code, rows, {(one.file, one.symbol) for one in proven}) if _is_narrow(target, rows) else ([], 0)
    )
    return Impact(
        target=target,
        symbols=[_symbol(row) for row in rows[:MOST_REACHED]],
        proven=proven,
        possible=possible,
        importers=code.importers(file, _outer(rows) if ":" in target else "") if file else [],
        possible_in_all=many,
        is_cut=is_cut,
        note=note_of(code),
    )


def _outer(rows: Sequence[Row]) -> str:
    """The name by which others import some symbols."""
    return str(rows[0]["path"]).partition(".")[0] if rows else ""


def _is_narrow(target: str, rows: Sequence[Row]) -> bool:
    """Whether a target names something of which it makes sense to ask who else may call it by name."""
    return bool(rows) and (":" in target or len({row["name"] for row in rows}) == 1)


def find(code: Code, target: str) -> tuple[str, list[Row]]:
    """The file that a target names (empty: only a symbol is named), and the symbols it means."""
    place, colon, symbol = target.rpartition(":")
    if not colon:
        if found := _file(code, target):
            return found, code.symbols_in(found)
        return "", _members(code, _find_symbols(code, target))
    file = _file(code, place)
    if not file:
        raise NotFound(f"{place} is not in the index", hint="`nous admin index` brings it up to date")
    rows = code.symbols_in(file)
    wanted = [row for row in rows if row["path"] == symbol or row["path"].endswith(f".{symbol}")]
    if not wanted:
        raise NotFound(f"{file} defines no {symbol}", hint=f"`nous debug impact {file}` shows what depends on the file")
    return file, [row for row in rows if any(_is_within(row, one) for one in wanted)]


def _file(code: Code, given: str) -> str:
    """The one file that a path means, from the root or by its last parts."""
    given = os.path.normpath(given).replace(os.sep, "/").removeprefix("./")
    found = code.files_like(given)
    if len(found) > 1 and found[0] != given:
        some = ", ".join(found[:5])
        raise NotFound(f"{given} may be one of {len(found)} files: {some}", hint="say more of its path")
    return found[0] if found else ""


def _find_symbols(code: Code, target: str) -> list[Row]:
    rows = code.symbols_named(target.rpartition(".")[2])
    found = [row for row in rows if row["path"] == target or row["path"].endswith(f".{target}")]
    if not found:
        raise NotFound(f"there is no file and no symbol {target} in the index", hint="spell it as the code does")
    return found


def _members(code: Code, rows: list[Row]) -> list[Row]:
    """Symbols with all that they contain."""
    found: dict[int, Row] = {}
    for row in rows:
        inside = code.symbols_in(row["file"]) if row["kind"] == "class" else [row]
        found |= {one["symbol_id"]: one for one in inside if _is_within(one, row)}
    return list(found.values())


def _is_within(row: Row, outer: Row) -> bool:
    return bool(row["path"] == outer["path"] or row["path"].startswith(outer["path"] + "."))


def _callers(code: Code, ids: Sequence[int], depth: int) -> tuple[list[Affected], bool]:
    """Who reaches some symbols by calls and inheritance that the code proves, nearest first."""
    seen = set(ids)
    steps: list[tuple[int, Row]] = []
    level: Iterable[int] = ids
    is_cut = False
    for step in range(1, depth + 1):
        rows = code.pointing_at(level, MOST_REACHED + 1)
        is_cut = is_cut or len(rows) > MOST_REACHED
        fresh: list[int] = []
        for row in rows:
            if not row["from_id"]:
                steps.append((step, row))
            elif row["from_id"] not in seen:
                seen.add(row["from_id"])
                fresh.append(row["from_id"])
                steps.append((step, row))
        if not fresh or len(steps) > MOST_REACHED:
            is_cut = is_cut or len(steps) > MOST_REACHED
            break
        level = fresh
    return _affected_by(code, steps[:MOST_REACHED]), is_cut


def _affected_by(code: Code, steps: Sequence[tuple[int, Row]]) -> list[Affected]:
    known = code.symbols_by_id({row[name] for _, row in steps for name in ("from_id", "to_id") if row[name]})
    paths: dict[int, str] = {}
    found: dict[tuple[str, str, str], Affected] = {}
    for depth, row in steps:
        through = known[row["to_id"]]
        if row["from_id"]:
            one = known[row["from_id"]]
            said = Affected(one["file"], one["path"], one["line"], depth, row["relation"], through["path"], "proven")
        else:
            file = paths.setdefault(row["file_id"], code.path_of(row["file_id"]))
            said = Affected(file, "", 0, depth, row["relation"], through["path"], "proven")
        found.setdefault((said.file, said.symbol, "" if said.symbol else said.through), said)
    return sorted(found.values(), key=lambda one: (one.depth, one.file, one.line))


def _maybe(code: Code, rows: Sequence[Row], known: set[tuple[str, str]]) -> tuple[list[Affected], int]:
    """Who calls something of the same name on an unknown receiver. Not followed: a chain of guesses finds nothing."""
    outer = min(rows, key=lambda row: len(row["path"]))
    names = {outer["name"]} if outer["kind"] != "class" else {row["name"] for row in rows if row["kind"] == "method"}
    names -= {"__init__", "constructor"}
    found: list[Affected] = []
    many = 0
    files: dict[int, str] = defaultdict(str)
    for name in sorted(names)[:20]:
        callers = code.maybe_calling(name, MOST_POSSIBLE)
        many += code.how_many_maybe(name)
        told = code.symbols_by_id({row["from_id"] for row in callers if row["from_id"]})
        for row in callers:
            one = told.get(row["from_id"])
            file = one["file"] if one else files.setdefault(row["file_id"], code.path_of(row["file_id"]))
            said = Affected(file, one["path"] if one else "", one["line"] if one else 0, 1, "calls", name, "possible")
            if (said.file, said.symbol) not in known:
                found.append(said)
    return found[:MOST_POSSIBLE], many


def _symbol(row: Row) -> Symbol:
    return Symbol(row["file"], row["path"], row["kind"], row["line"], row["end"])


# -- for a person or a model ----------------------------------------------------------------------------------------

SHOWN = 30  # lines of one kind; `--json` has all


def render_impact(found: Impact) -> Iterator[str]:
    """An impact for a person and for a model."""
    if found.note:
        yield f"({found.note})"
    where = f" ({found.symbols[0].file}:{found.symbols[0].line})" if len(found.symbols) == 1 else ""
    yield f"{found.target}{where}: {len(found.proven)} reached for certain, {found.possible_in_all} possible"
    for depth in sorted({one.depth for one in found.proven}):
        at = [one for one in found.proven if one.depth == depth]
        yield f"{depth} step{'s' if depth > 1 else ''} away ({len(at)})"
        yield from _some([_affected_line(one) for one in at])
    if found.importers:
        yield f"imported by ({len(found.importers)})"
        yield from _some([f"  {path}" for path in found.importers])
    if found.possible:
        yield f"possible, by name only ({found.possible_in_all})"
        yield from _some([_affected_line(one) for one in found.possible])
    if found.is_cut:
        yield "there is more than is listed here"


def _affected_line(one: Affected) -> str:
    place = f"{one.file}:{one.line}" if one.line else one.file
    how = "extends" if one.relation == "inherits" else "calls"
    return f"  {place}  {one.symbol or '(the file itself)'} {how} {one.through}"


def _some(lines: Sequence[str]) -> Iterator[str]:
    yield from lines[:SHOWN]
    if len(lines) > SHOWN:
        yield f"  and {len(lines) - SHOWN} more"
