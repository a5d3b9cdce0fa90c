"""What every door takes and gives on the sample sessions, kept as files: drift between versions shows as a diff.

`NOUS_GOLDEN=1 .venv/bin/python -m pytest tests/shells/test_golden.py` writes the files anew. An answer is kept by its
shape (the path of every field), since scores and moments differ from run to run.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import click
import pytest
from click.testing import CliRunner

from factories import memory as make_memory
from nous.app import Nous
from nous.kernel.views import memory_fields
from nous.shells import mcp
from nous.shells.cli import MOVED
from nous.shells.cli import nous as command_line
from shells.test_every_way_in import COMMANDS
from shells.web import Site, serving

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
COMMON_FIELDS = {
    "memory": memory_fields(make_memory()).keys(),
    "exchange": set[str](),
    "event": set[str](),
}
READS: dict[str, list[str]] = {
    "status": [],
    "recall": ["which package manager"],
    "ask": ["which package manager"],
    "list": [],
    "get": ["1"],
    "explain": ["1"],
    "why-not": ["pnpm", "1"],
    "traverse": ["1"],
    "brief": [],
    "preview": ["run the tests"],
    "session list": [],
    "log": [],
    "diff": ["--from", "30d"],
    "entity": [],
    "receipts": [],
    "rejections": [],
    "review": [],
    "queue": [],
    "cost": [],
    "project": ["list"],
    "doctor": [],
    "config list": [],
    "remember": ["Parcels are weighed in grams."],
    "correct": ["1", "Use pnpm, and never npm."],
    "confirm": ["2"],
    "pin": ["2"],
    "dispute": ["2", "not sure"],
    "feedback": ["2", "useful"],
    "forget": ["2"],
    "undo": ["--yes"],
}


# What stands in the place of an object that is the same wherever it occurs, by fields that only it has.
COMMON = {"memory": {"learning_id", "strength"}, "exchange": {"label", "standing"}, "event": {"event_id", "stream"}}
# Objects whose names are data, and lists that are empty as often as not.
OPEN = {"shares", "by_type", "by_status", "payload", "waiting", "clock", "queue", "calls", "reading", "upgrade"}
OPEN |= {"default", "value"}


def shape(data: Any, path: str = "") -> Iterator[str]:
    """The path of every field of a document; the members of a list are one."""
    if isinstance(data, list):
        yield from (line for value in data for line in shape(value, f"{path}[]"))
    elif isinstance(data, dict):
        common = next((name for name, fields in COMMON.items() if fields <= data.keys()), None)
        fields = {*COMMON_FIELDS[common]} if common else set()
        if common:
            yield f"{path} <{common}>"
        for name, value in data.items():
            if name not in fields:
                yield f"{path}.{name}"
                yield from shape(value, f"{path}.{name}") if name not in OPEN else ()


def kept(lines: Iterator[str]) -> list[str]:
    """The shape without repetition."""
    return sorted({line.lstrip(".") for line in lines})


def compare(name: str, found: dict[str, Any]) -> None:
    path = GOLDEN / f"{name}.json"
    text = json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    if os.environ.get("NOUS_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    known = json.loads(path.read_text(encoding="utf-8"))
    found = json.loads(text)
    assert sorted(found) == sorted(known)
    for each in found:
        assert found[each] == known[each], each


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("golden")
    shutil.copytree(ROOT / "samples" / "transcripts" / "projects", root / ".claude" / "projects")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "HOME": root,
            "NOUS_DATA_DIR": root / "data",
            "CLAUDE_CONFIG_DIR": root / ".claude",
            "NOUS_NO_AUTOSTART": "1",
            "NOUS_HTTP_PORT": "0",
        }.items():
            patch.setenv(name, str(value))
        patch.chdir(root)
        run("backfill", "--json")
        yield root


def run(name: str, *words: str) -> Any:
    first = name.split()[0]
    inside = [MOVED[first]] if first in MOVED else []
    done = CliRunner().invoke(command_line, [*inside, *name.split(), *words])
    assert done.exception is None, (name, done.output, done.exception)
    return json.loads(done.stdout)


def known_project() -> str:
    with Nous.open() as nous:
        return nous.list(all_projects=True)[0].project_id


def taken(command: click.Command) -> list[str]:
    """The options and arguments of a command, each with its kind and default."""
    found = []
    for one in command.params:
        values = "|".join(map(str, one.type.choices)) if isinstance(one.type, click.Choice) else one.type.name
        default = f" = {one.default}" if isinstance(one.default, str | int | float) and one.default else ""
        many = "*" if one.nargs == -1 or getattr(one, "multiple", False) else ""
        found.append(f"{'/'.join(one.opts)}{many}: {values}{default}")
    return sorted(found)


def test_what_commands_take() -> None:
    compare("command-options", {name: taken(command) for name, command in COMMANDS.items()})


def test_what_commands_give(home: Path) -> None:
    here = ("--json", "--project", known_project())
    compare("commands", {name: kept(shape(run(name, *words, *here))) for name, words in READS.items()})


def test_what_routes_give(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "data", tmp_path / "data")
    with serving(tmp_path) as site:
        spec = site.good("/openapi.json")
        taken = {
            f"{method.upper()} {path}": sorted(
                f"{one['name']}: {json.dumps(one['schema'], sort_keys=True).replace('.0,', ',')}"  # 1.0 or 1
                for one in each.get("parameters", ())
                if one["in"] != "header"
            )
            for path, methods in spec["paths"].items()
            for method, each in methods.items()
        }
        compare("route-parameters", taken)
        compare("routes", dict(answered(site, spec, known_project())))


def answered(site: Site, spec: dict[str, Any], project: str) -> Iterator[tuple[str, list[str]]]:
    session = site.good("/v1/sessions")["items"][0]["session_id"]
    name = quote(site.good("/v1/entities")["items"][0]["name"])
    for path, methods in spec["paths"].items():
        if "get" in methods and path not in ("/v1/changes", "/metrics", "/v1/impact"):
            place = path.replace("{id}", session if "sessions" in path else "1").replace("{name}", name)
            fields = {one["name"] for one in methods["get"].get("parameters", ())}
            asked = {
                "query": "which package manager",
                "question": "which package manager",
                "from": "30d",
                "project": project,
            }
            given = {key: value for key, value in asked.items() if key in fields}
            yield path, kept(shape(site.good(f"{place}?{urlencode(given)}")))


def test_what_tools_take() -> None:
    found = mcp._result("tools/list", {}, "/")["tools"]
    compare("tools", {tool["name"]: {key: tool[key] for key in ("inputSchema", "annotations")} for tool in found})


def test_what_python_gives(home: Path) -> None:
    with Nous.open() as nous:
        hit, memory = nous.recall("package manager", all_projects=True)[0], nous.list(all_projects=True, status=None)[0]
        found = {"recall": hit.__struct_fields__, "list": memory.__struct_fields__}
        compare("python", {name: sorted(fields) for name, fields in found.items()})
