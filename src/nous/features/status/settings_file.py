"""Settings as a user changes them: each with its value and where it comes from, written to the file line by line."""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, get_type_hints

import msgspec

from nous import paths
from nous.config import Settings, config_file, describe_settings, load_settings
from nous.errors import ConfigError, Misuse

_HEADER = re.compile(r"^\s*\[")


def list_settings(environ: Mapping[str, str]) -> list[dict[str, Any]]:
    """Every setting, and below it what the file says that is none."""
    return describe_settings(environ)


def unknown(environ: Mapping[str, str]) -> list[str]:
    """Keys of the file that mean nothing, each with what was perhaps meant."""
    try:
        with open(config_file(environ), "rb") as file:
            said = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError):
        return []
    return [f"{key!r}{_near(key)}" for key in said if key not in Settings.__struct_fields__]


def one(environ: Mapping[str, str], name: str) -> dict[str, Any]:
    """One setting."""
    found = next((row for row in describe_settings(environ) if row["name"] == name), None)
    if found is None:
        raise Misuse(f"there is no setting {name!r}{_near(name)}", hint="`nous config list` names them")
    return found


def _near(name: str) -> str:
    near = get_close_matches(name, Settings.__struct_fields__, 1, 0.7)
    return f"; did you mean {near[0]!r}?" if near else ""


def put(environ: Mapping[str, str], name: str, value: str | None) -> dict[str, Any]:
    """Write a setting to the file, or take it out; what it is now. A value that makes no sense changes nothing."""
    before = one(environ, name)
    if name == "data_dir":
        raise Misuse("data_dir cannot be set in the file", hint="set NOUS_DATA_DIR")
    path = config_file(environ)
    changed = _edit(_text(path), name, None if value is None else f"{name} = {_toml(before['value'], value)}")
    _check(environ, changed, name)
    _write(path, changed)
    return one(environ, name)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as problem:
        raise ConfigError(f"cannot read {path}: {problem}") from None


def _toml(known: Any, value: str) -> str:
    """A value as TOML: a number or a switch as such, everything else as text."""
    if isinstance(known, bool):
        lowered = value.strip().lower()
        return {"1": "true", "on": "true", "yes": "true", "0": "false", "off": "false", "no": "false"}.get(
            lowered, lowered if lowered in ("true", "false") else json.dumps(value)
        )
    if isinstance(known, int | float):
        try:
            return json.dumps(json.loads(value)) if isinstance(json.loads(value), int | float) else json.dumps(value)
        except ValueError:
            return json.dumps(value)
    return json.dumps(value, ensure_ascii=False)


def _edit(text: str, key: str, line: str | None) -> str:
    """The file with a line for a key put in, replaced or taken out; everything else stays as it is."""
    lines = text.splitlines()
    end = next((at for at, said in enumerate(lines) if _HEADER.match(said)), len(lines))  # below it is a table's
    while end and not lines[end - 1].strip():
        end -= 1
    mine = re.compile(rf"^\s*{re.escape(key)}\s*=")
    kept = [at for at in range(end) if mine.match(lines[at])]
    if kept:
        lines[kept[0] : kept[0] + 1] = [line] if line is not None else []
    elif line is not None:
        lines.insert(end, line)
    return "\n".join(lines) + "\n" if lines else ""


def _check(environ: Mapping[str, str], text: str, name: str) -> None:
    """Refuse a file that could not be read: whoever starts next would not start."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        bare = {key: value for key, value in environ.items() if not key.startswith("NOUS_") or key == "NOUS_DATA_DIR"}
        try:
            load_settings(bare, file.name)
        except ConfigError as wrong:
            said = str(wrong).removeprefix("a setting is malformed: ")
            if f"`$.{name}`" in said and (wanted := _describe_type(name)):
                raise Misuse(f"{name} must be {wanted}") from None
            raise Misuse(f"{name}: {said.replace(file.name, 'the file')}") from None


def _describe_type(name: str) -> str:
    """What a setting may be, in words; empty where its type does not say."""
    kind_of = msgspec.inspect.type_info(get_type_hints(Settings, include_extras=True)[name])
    match kind_of.type if isinstance(kind_of, msgspec.inspect.Metadata) else kind_of:
        case msgspec.inspect.BoolType():
            return "true or false"
        case msgspec.inspect.IntType(ge=least, le=most):
            kind = "a whole number"
        case msgspec.inspect.FloatType(ge=least, le=most):
            kind = "a number"
        case msgspec.inspect.LiteralType(values=values):
            return f"one of {', '.join(map(str, values))}"
        case _:
            return ""
    if least is not None and most is not None:
        return f"{kind} from {least} to {most}"
    return kind + (f" of at least {least}" if least is not None else "") + (f" of at most {most}" if most else "")


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    partial = f"{path}.{os.getpid()}"
    with open(partial, "w", encoding="utf-8", opener=paths.private) as file:
        file.write(text)
    os.replace(partial, path)


def show_value(row: dict[str, Any]) -> str:
    """A value on one line."""
    value = row["value"]
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
