"""An operation as a command: its fields are words and options, its answer is JSON or lines for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec import inspect

from nous.kernel.operations import Command, Operation, field_types, resolve
from nous.kernel.types import TYPES
from nous.kernel.views import Written, memory_fields
from nous.shells.cli.common import MEMORY_ID, CommandScope, common, emit, open_memory
from nous.shells.cli.printing import put

if TYPE_CHECKING:
    from nous.app import Nous

SHARED = ("project", "all_projects")  # what every command has
TIMES = ("earlier", "later", "after", "before", "since", "as_of", "as_at")
Change = Callable[["Nous", CommandScope, dict[str, Any]], dict[str, Any]]


def command_of(
    operation: Operation, more: Sequence[click.Parameter] = (), change: Change | None = None
) -> click.Command:
    """The command of an operation. One with `more` parameters says by `change` what they mean for the request."""
    door = operation.command
    assert door is not None

    def run(scope: CommandScope, /, **values: Any) -> None:
        with open_memory() as nous:
            if change is not None:
                values = change(nous, scope, values)
            asked = request(nous, scope, operation, values)
            if operation.access == "write":
                with nous.decision():
                    gives = operation.call(nous, asked)
            else:
                gives = operation.call(nous, asked)
            data = _data(nous, door, gives)
            lines = [] if scope.as_json else list(_lines(nous, scope, door, asked, gives))
        emit(scope, data, lambda: iter(lines))

    command = click.command(door.name, help=operation.help)(common(run))
    command.params = [*parameters(operation), *more, *command.params]
    return command


def request(nous: Nous, scope: CommandScope, operation: Operation, values: Mapping[str, Any]) -> Any:
    """What is asked: of this project, where nobody names another."""
    takes = operation.takes
    given: dict[str, Any] = {name: value for name, value in values.items() if name in takes.__struct_fields__}
    given = {name: " ".join(value) if name in _spread(operation) else value for name, value in given.items()}
    if "project" in takes.__struct_fields__:
        wide = scope.all_projects or (
            bool(operation.command and operation.command.is_wide) and _is_nowhere(nous, scope)
        )
        is_write = operation.access in ("write", "work")
        named = given.get("project", scope.project)
        given["project"] = named if is_write else None if wide else nous.project(named).id
        given |= {"all_projects": wide} if "all_projects" in takes.__struct_fields__ else {}
    return takes(**given)


def _is_nowhere(nous: Nous, scope: CommandScope) -> bool:
    """Whether the current directory belongs to no project that Nous has seen; then there is nothing to narrow to."""
    if scope.project is not None:
        return False
    here = nous.project().id
    unknown = all(row["project_id"] != here for row in nous.stores.cache.projects())
    if unknown and not scope.all_projects:
        put("this directory is no project that Nous knows: listing all projects", err=True)
    return unknown


def _data(nous: Nous, door: Command, gives: Any) -> Any:
    """The answer as a command prints it in JSON."""
    if isinstance(gives, Written):
        [memory] = nous.stores.memories.by_id(gives.memories[:1])
        return memory_fields(memory) | gives.told
    if door.data:
        return resolve(door.data)(gives)
    found = msgspec.to_builtins(gives)
    if not door.under:
        return found
    others = {name: value for name, value in found.items() if name not in ("items", "next")}
    return {door.under: found["items"]} | (others if isinstance(gives, dict) else {})


def _lines(nous: Nous, scope: CommandScope, door: Command, asked: Any, gives: Any) -> Iterable[str]:
    """The answer for a person: as the command's own function renders it, or item by item."""
    if door.lines:
        found: Iterable[str] = resolve(door.lines)(nous, scope, asked, gives)
        return found
    rows = ({name: "" if value is None else value for name, value in one.items()} for one in gives["items"])
    lines = [line for row in rows for line in door.row.format_map(row).rstrip().split("\n")]
    return lines or [door.empty]


# -- parameters -----------------------------------------------------------------------------------------------------


def parameters(operation: Operation) -> list[click.Parameter]:
    """The words and options of a command."""
    door = operation.command
    assert door is not None
    fields = {field.name: field for field in field_types(operation.takes)}
    left = [name for name in fields if name not in (*door.words, *SHARED, "cursor")]
    options = left if door.options is None else door.options
    words = [_word(fields[name], name in _spread(operation)) for name in door.words]
    return [*words, *(_option(fields[name], door.defaults) for name in options)]


def _spread(operation: Operation) -> tuple[str, ...]:
    """The last word of a command, where it may be several: a text. What stands before others is one."""
    words = operation.command.words if operation.command else ()
    fields = {field.name: field for field in field_types(operation.takes)}
    return tuple(name for name in words[-1:] if isinstance(_kind(fields[name])[0], inspect.StrType) and name != "id")


def _kind(field: inspect.Field) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """The type of a field without None, what is said of it, and what its doors need to know."""
    shape: Any = field.type
    schema: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    while isinstance(shape, inspect.Metadata | inspect.UnionType):
        if isinstance(shape, inspect.Metadata):
            schema, extra = {**(shape.extra_json_schema or {}), **schema}, {**(shape.extra or {}), **extra}
            shape = shape.type
        else:
            shape = next(one for one in shape.types if not isinstance(one, inspect.NoneType))
    return shape, schema, extra


def _click_type(shape: Any, extra: Mapping[str, Any], name: str) -> Any:
    if extra.get("kind") == "memory":
        return MEMORY_ID
    if extra.get("kind") == "type":
        return click.Choice(sorted(TYPES))
    match shape:
        case inspect.LiteralType(values=values):
            return click.Choice([str(one) for one in values])
        case inspect.IntType(ge=least, le=most):
            return click.IntRange(least, most) if (least, most) != (None, None) else click.INT
        case inspect.FloatType(ge=least, le=most):
            return click.FloatRange(least, most)
        case inspect.VarTupleType(item_type=item):
            return _click_type(item, extra, name)
    return click.STRING


def _metavar(name: str, shape: Any, extra: Mapping[str, Any]) -> str | None:
    """What stands for a value in the help, where click's own word would be long or odd."""
    if name in TIMES:
        return "TIME"
    if extra.get("kind") == "type":
        return "TYPE"
    if isinstance(shape, inspect.VarTupleType) and isinstance(shape.item_type, inspect.LiteralType):
        return name.removesuffix("s").upper()
    return "N" if isinstance(shape, inspect.IntType | inspect.FloatType) else None


def _word(field: inspect.Field, is_spread: bool) -> click.Argument:
    shape, _, extra = _kind(field)
    kind = _click_type(shape, extra, field.name)
    metavar = field.name.upper() if field.name != "id" else "ID"
    if is_spread:
        return click.Argument([field.name], type=kind, nargs=-1, required=field.required)
    return click.Argument([field.name], type=kind, required=field.required, metavar=metavar)


def _option(field: inspect.Field, defaults: Mapping[str, Any]) -> click.Option:
    shape, schema, extra = _kind(field)
    names = [extra.get("option", f"--{field.encode_name.replace('_', '-')}"), field.name]
    text = str(schema.get("description", ""))
    says = f"{text[:1].upper()}{text[1:]}" + "." * (not text.endswith("…"))
    if isinstance(shape, inspect.BoolType):
        return click.Option(names, is_flag=True, help=says)
    is_many = isinstance(shape, inspect.VarTupleType)
    default = defaults.get(field.name, None if is_many or field.required else field.default)
    return click.Option(
        names,
        type=_click_type(shape, extra, field.name),
        multiple=is_many,
        default=default,
        required=field.required,
        show_default=default is not None,
        metavar=_metavar(field.name, shape, extra),
        help=says.rstrip(".") + " (repeatable)." if is_many else says,
    )
