"""Settings as a user changes them: each with its value and where it comes from, written to the file line by line."""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

import msgspec

from nous import paths
from nous.config import Settings, config_file, described, load_settings
from nous.core.weights import Weights
from nous.errors import ConfigError, Misuse

TABLE = "weights"  # the one setting that is a table of its own
_HEADER = re.compile(r"^\s*\[")


def listed(environ: Mapping[str, str]) -> list[dict[str, Any]]:
    """Every setting, and below it what the file says that is none."""
    return described(environ)


def unknown(environ: Mapping[str, str]) -> list[str]:
    """Keys of the file that mean nothing, each with what was perhaps meant."""
    try:
        with open(config_file(environ), "rb") as file:
            said = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError):
        return []
    return [f"{key!r}{_near(key)}" for key in said if key not in Settings.__struct_fields__]


def one(environ: Mapping[str, str], name: str) -> dict[str, Any]:
    """One setting; of a weight its value."""
    table, _, part = name.partition(".")
    found = next((row for row in described(environ) if row["name"] == table), None)
    if found is None or (part and (table != TABLE or part not in Weights.__struct_fields__)):
        raise Misuse(f"there is no setting {name!r}{_near(name)}", hint="`nous config list` names them")
    return found | {"name": name, "value": found["value"][part], "default": found["default"][part]} if part else found


def _near(name: str) -> str:
    every = [*Settings.__struct_fields__, *(f"{TABLE}.{part}" for part in Weights.__struct_fields__)]
    near = get_close_matches(name, every, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def put(environ: Mapping[str, str], name: str, value: str | None) -> dict[str, Any]:
    """Write a setting to the file, or take it out; what it is now. A value that makes no sense changes nothing."""
    before = one(environ, name)
    if name in ("data_dir", TABLE):
        hint = "set NOUS_DATA_DIR" if name == "data_dir" else f"set one of them: `nous config set {TABLE}.text 0.5`"
        raise Misuse(f"{name} cannot be set as a whole in the file", hint=hint)
    path = config_file(environ)
    text = _text(path)
    table, _, part = name.rpartition(".")
    wanted = None if value is None else f"{part} = {_toml(before['value'], value)}"
    changed = _edited(text, table, part, wanted)
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


def _edited(text: str, table: str, key: str, line: str | None) -> str:
    """The file with a line for a key put in, replaced or taken out; everything else stays as it is."""
    lines = text.splitlines()
    begin, end = _section(lines, table)
    mine = re.compile(rf"^\s*{re.escape(key)}\s*=")
    kept = [at for at in range(begin, end) if mine.match(lines[at])]
    if kept:
        lines[kept[0] : kept[0] + 1] = [line] if line is not None else []
    elif line is not None:
        if table and begin == end == len(lines) and not _has(lines, table):
            lines += ["", f"[{table}]"]
            end = len(lines)
        lines.insert(end, line)
    return "\n".join(lines) + "\n" if lines else ""


def _has(lines: list[str], table: str) -> bool:
    return any(line.strip() == f"[{table}]" for line in lines)


def _section(lines: list[str], table: str) -> tuple[int, int]:
    """Present the lines of a table begin and end; those of no table stand before the first one."""
    heads = [at for at, line in enumerate(lines) if _HEADER.match(line)] + [len(lines)]
    if not table:
        end = heads[0]
        while end and not lines[end - 1].strip():
            end -= 1
        return 0, end
    for at, following in pairwise(heads):
        if lines[at].strip() == f"[{table}]":
            return at + 1, following
    return len(lines), len(lines)


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
            raise Misuse(f"{name}: {said.replace(file.name, 'the file')}") from None


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    partial = f"{path}.{os.getpid()}"
    with open(partial, "w", encoding="utf-8", opener=paths.private) as file:
        file.write(text)
    os.replace(partial, path)


def told(row: dict[str, Any]) -> str:
    """A value on one line."""
    value = row["value"]
    if isinstance(value, dict):
        return " ".join(f"{name}={number:g}" for name, number in value.items())
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
