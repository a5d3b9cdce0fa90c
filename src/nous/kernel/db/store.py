"""What every store is: a class over one `.sql` file, in which a method without a body is the statement of its name.

    class Files(Store):
        def fingerprints(self, folder: str) -> dict[str, int]: ...

runs `-- name: fingerprints` of `files.sql`. The arguments are its values: a list is given as JSON, a struct as its
fields, and an only argument called `rows` is one execution for each. What comes back is what the method says it gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from types import FunctionType, NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from nous.kernel.db.database import Database, Row, statement

Values = dict[str, Any]
PLAIN = (str, int, float, bytes, NoneType)


def _empty() -> None: ...


class Store:
    """Statements over one database."""

    def __init__(self, db: Database):
        self.db = db

    def __init_subclass__(cls, group: str = "") -> None:
        group = group or cls.__module__.rpartition(".")[2]
        for name, method in list(vars(cls).items()):
            if isinstance(method, FunctionType) and method.__code__.co_code == _empty.__code__.co_code:
                setattr(cls, name, _make_method(f"{group}.{name}", method))


def _make_method(statement_name: str, method: FunctionType) -> Callable[..., Any]:
    """The method that runs a statement; what its types mean is worked out when it is called first."""
    code = method.__code__
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    positional = code.co_varnames[1 : code.co_argcount]
    defaults = method.__defaults__ or ()
    usual = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
    usual |= method.__kwdefaults__ or {}
    gives: Callable[[Database, str, Values], Any] | None = None

    @wraps(method)
    def call(self: Store, /, *given: Any, **named: Any) -> Any:
        nonlocal gives
        if names == ("rows",):
            self.db.many(statement_name, map(_row, *given, *named.values()))
            return None
        gives = gives or _reader(get_type_hints(method)["return"])
        values = usual | dict(zip(positional, given, strict=False)) | named
        return gives(self.db, statement_name, _values(values))

    return call


def _values(given: Values) -> Values:
    values: Values = {}
    for name, value in given.items():
        fields = _fields(value)
        values |= {name: _plain(value)} if fields is None else {key: _plain(one) for key, one in fields.items()}
    return values


def _fields(value: Any) -> Values | None:
    """The fields of a struct or a named tuple."""
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    return value._asdict() if hasattr(value, "_asdict") else None


def _plain(value: Any) -> Any:
    """A value as a statement takes it: a list as JSON."""
    if isinstance(value, bool):
        return int(value)
    return value if isinstance(value, PLAIN) else msgspec.json.encode(list(value)).decode()


def _row(value: Any) -> Sequence[Any]:
    """One execution's values, in order."""
    if isinstance(value, PLAIN):
        return (value,)
    return tuple(map(_plain, msgspec.structs.astuple(value) if isinstance(value, msgspec.Struct) else value))


# -- what comes back ------------------------------------------------------------------------------------------------


def _reader(wanted: Any) -> Callable[[Database, str, Values], Any]:
    """How what a statement gives becomes what its method gives."""
    if wanted is NoneType:
        return _run
    if wanted in (int, bool):
        return lambda db, name, values: wanted(_first(db, name, values) if _reads(db, name) else _run(db, name, values))
    if wanted in (str, float):
        return lambda db, name, values: wanted(_first(db, name, values) or wanted())
    if wanted == Row:
        return lambda db, name, values: db.one(name, **values) or {}
    if isinstance(wanted, UnionType):
        [inner] = (one for one in get_args(wanted) if one is not NoneType)
        many = _items(inner)
        return lambda db, name, values: next(iter([*many(db, name, values)]), None)
    container, items = get_origin(wanted), get_args(wanted)
    if container is dict:
        of = _maker(items[1])
        return lambda db, name, values: {row[0]: of(row[1:]) for row in db.each(name, **values)}
    all_of = _items(items[0])
    return lambda db, name, values: container(all_of(db, name, values))


def _items(item: Any) -> Callable[[Database, str, Values], Iterable[Any]]:
    if item == Row:
        return lambda db, name, values: db.all(name, **values)
    if isinstance(item, type) and issubclass(item, msgspec.Struct):
        lists = [field.name for field in msgspec.structs.fields(item) if "tuple" in str(field.type)]
        return lambda db, name, values: (_struct(item, lists, row) for row in db.all(name, **values))
    of = _maker(item)
    return lambda db, name, values: map(of, db.each(name, **values))


def _struct(item: type[msgspec.Struct], lists: Sequence[str], row: Row) -> msgspec.Struct:
    """A struct from the columns of its names; its lists are kept as JSON."""
    told = {name: msgspec.json.decode(row[name]) for name in lists if row.get(name) is not None}
    return msgspec.convert(row | told, item, strict=False)


def _maker(item: Any) -> Callable[[Sequence[Any]], Any]:
    """What a row of plain values becomes."""
    if get_origin(item) is tuple:
        return tuple
    return (lambda row: item(*row)) if hasattr(item, "_fields") else lambda row: row[0]


def _run(db: Database, name: str, values: Values) -> Any:
    return db.run(name, **values)


def _first(db: Database, name: str, values: Values) -> Any:
    """The first value of the first row; 0 without one."""
    rows = [*db.each(name, **values)]
    return rows[0][0] or 0 if rows else 0


def _reads(db: Database, name: str) -> bool:
    return statement(db.dialect, name).lstrip().startswith("SELECT")
