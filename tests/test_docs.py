"""The documentation says what the code does: nothing undocumented, nothing documented that is not there."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import get_args, get_type_hints

import click
import msgspec
import pytest
from bench import cli_reference

from nous.app import Nous
from nous.config import Settings, variable
from nous.features.memories.finding import Recalled
from nous.kernel.log.events import EVENT_TYPES, PAYLOADS, SCHEMA_VERSION
from nous.kernel.memory.memory import Memory
from nous.kernel.recall.weights import Weights
from nous.kernel.types import TYPES

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))])
REFERENCE = DOCS / "reference"

# Commands that a page may name although they do not exist; the page says so.
NOT_YET: set[str] = set()
# Commands of earlier versions, of which the changelog and decisions tell.
GONE = {"trust", "communities", "consolidate", "calibrate", "map", "bench", "experiment"}
GONE |= {"consider", "timeline", "onboard", "symbols"}
CAPABILITIES = [
    f"{letter}{number}"
    for letter, count in zip("ABCDEFGHIJ", (8, 8, 11, 12, 12, 8, 6, 7, 9, 7), strict=True)
    for number in range(1, count + 1)
]


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def page_id(path: Path) -> str:
    return str(path.relative_to(ROOT))


def table(path: Path, columns: int = 2) -> list[list[str]]:
    """The cells of every table row of a page that has at least so many columns; a bar in a cell is written `\\|`."""
    rows = [re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in read(path).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows if len(row) >= columns and not set(row[0]) <= set(" -:")]


# -- commands -------------------------------------------------------------------------------------------------------


def the_command() -> click.Group:
    from nous.shells.cli import nous

    return nous


def test_the_reference_of_commands_is_made_from_their_help() -> None:
    written = cli_reference.PAGE.read_text()
    assert written == cli_reference.page(written), "`python -m bench.cli_reference` writes it anew"


def find_command(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that words after `nous` call, and the words that are left for it."""
    command: click.Command = the_command()
    while isinstance(command, click.Group) and words:
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            raise click.UsageError(f"there is no {words[0]}")
        command, words = found, words[1:]
    return command, words


def test_what_a_reader_is_told_to_type_would_be_accepted() -> None:
    for path in PAGES:
        for block in re.findall(r"^```(?:sh|console)?\n(.*?)^```", read(path), flags=re.M | re.S):
            for line in re.findall(r"(?:^|\| )nous ([^|\n]+)", block, flags=re.M):
                words = shlex.split(line, comments=True)
                try:
                    command, rest = find_command(words)
                    command.make_context(words[0], rest)
                except click.UsageError as wrong:
                    pytest.fail(f"{page_id(path)}: `nous {line}`: {wrong.format_message()}")


def test_commands_named_in_a_sentence_exist_unless_they_are_said_to_come() -> None:
    for path in PAGES:
        is_past = path.name == "CHANGELOG.md" or path.parent.name in ("decisions", "experiments")
        skipped = NOT_YET | (GONE if is_past else set())
        for words in re.findall(r"`nous ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?[^`]*`", read(path)):
            if path.name == "capabilities.md" or not skipped.isdisjoint(words):
                continue
            try:
                find_command([word for word in words if word])
            except click.UsageError as wrong:
                pytest.fail(f"{page_id(path)}: {wrong.format_message()}")


def test_what_is_said_to_come_or_to_be_gone_is_not_there() -> None:
    for name in NOT_YET | GONE:
        with pytest.raises(click.UsageError):
            find_command([name])


# -- settings -------------------------------------------------------------------------------------------------------


def variables_in(*folders: Path) -> set[str]:
    """Every environment variable of ours that the sources name."""
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".json", ".md", ".sh")]
    return {name for path in files for name in re.findall(r"\bNOUS_[A-Z][A-Z_]*[A-Z]\b", read(path))}


def test_every_variable_is_documented_and_none_is_invented() -> None:
    documented = set(re.findall(r"\bNOUS_[A-Z][A-Z_]*[A-Z]\b", read(REFERENCE / "settings.md")))
    settings = {variable(field.name) for field in msgspec.structs.fields(Settings)}
    used = variables_in(ROOT / "src", ROOT / "plugin") | settings - {"CLAUDE_CONFIG_DIR"}
    assert used - documented == set(), "not in docs/reference/settings.md"
    assert documented - used == set(), "in docs/reference/settings.md, but nothing reads it"


def test_the_settings_reference_is_the_settings() -> None:
    rows = {row[0].strip("`"): row[1:] for row in table(REFERENCE / "settings.md", 4)}
    hints = get_type_hints(Settings, include_extras=True)
    assert set(rows) - {"field"} == set(hints)
    for field in msgspec.structs.fields(Settings):
        named, default, meaning = rows[field.name][:3]
        assert named.strip("`") == variable(field.name)
        assert meaning == get_args(hints[field.name])[1].description
        if field.default is not msgspec.NODEFAULT and not isinstance(field.default, msgspec.Struct):
            assert default.strip("`") == json.dumps(field.default)


def test_the_settings_reference_gives_every_weight() -> None:
    rows = {row[0].strip("`"): row[1] for row in table(REFERENCE / "settings.md", 3) if len(row) == 3 and "`" in row[0]}
    assert {part: float(default) for part, default in rows.items()} == msgspec.structs.asdict(Weights())


# -- the Python API -------------------------------------------------------------------------------------------------


def public_methods() -> list[str]:
    return [name for name, value in vars(Nous).items() if not name.startswith("_") and callable(getattr(Nous, name))]


def test_the_python_reference_gives_every_method_with_its_parameters_and_defaults() -> None:
    headings = dict(re.findall(r"^### `(?:Nous\.)?(\w+)\((.*?)\) ->", read(REFERENCE / "python-api.md"), flags=re.M))
    for name in public_methods():
        assert name in headings, f"docs/reference/python-api.md has no `{name}(`"
        shown = ast.parse(f"def f({headings[name]}): ...").body[0]
        assert isinstance(shown, ast.FunctionDef)
        given = shown.args.defaults + [default for default in shown.args.kw_defaults if default]
        parameters = list(inspect.signature(getattr(Nous, name)).parameters.values())
        parameters = [p for p in parameters if p.name not in ("self", "nous") and p.kind is not p.VAR_KEYWORD]
        assert [arg.arg for arg in shown.args.args + shown.args.kwonlyargs] == [p.name for p in parameters], name
        defaults = [p.default for p in parameters if p.default is not inspect.Parameter.empty]
        assert [ast.literal_eval(default) for default in given] == defaults, name


def test_the_python_reference_names_no_method_that_is_not_there() -> None:
    named = re.findall(r"^### `(?:Nous\.)?(\w+)\(", read(REFERENCE / "python-api.md"), flags=re.M)
    assert set(named) == set(public_methods())


def test_the_python_reference_lists_every_field_of_a_memory_and_of_a_hit() -> None:
    text = read(REFERENCE / "python-api.md")
    fields = [*msgspec.structs.fields(Memory), *msgspec.structs.fields(Recalled)]
    assert [field.name for field in fields if f"`{field.name}`" not in text] == []


# -- events and types -----------------------------------------------------------------------------------------------


def test_the_event_reference_lists_exactly_the_event_types() -> None:
    rows = {row[0].strip("`"): row for row in table(REFERENCE / "events.md", 3) if row[0].startswith("`")}
    assert set(rows) == set(EVENT_TYPES)
    assert f"schema version is **{SCHEMA_VERSION}**" in read(REFERENCE / "events.md")


def test_the_event_reference_lists_exactly_the_fields_of_a_payload() -> None:
    rows = {row[0].strip("`"): row for row in table(REFERENCE / "events.md", 3)}
    for event_type in EVENT_TYPES:
        payload = rows["EdgeProposed" if rows[event_type][1] == "same" else event_type][1]
        fields = {field.name: field.required for field in msgspec.structs.fields(PAYLOADS[event_type])}
        assert {*re.findall(r"`(\w+)`", payload), "reason"} == set(fields), event_type
        needed = {name for name, required in fields.items() if required}
        assert set(re.findall(r"\*\*`(\w+)`\*\*", payload)) == needed, event_type


def test_the_type_reference_is_the_table_of_types() -> None:
    rows = [row for row in table(REFERENCE / "types.md", 5) if row[0].startswith("`")]
    shown = {row[0].strip("`"): (row[1], int(row[2]), row[3] == "yes", row[4]) for row in rows}
    assert shown == {name: tuple(row) for name, row in TYPES.items()}


# -- pages ----------------------------------------------------------------------------------------------------------


def test_links_lead_somewhere() -> None:
    for path in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", read(path)):
            if not target.startswith(("http://", "https://", "#")):
                assert (path.parent / target.split("#")[0]).exists(), f"{page_id(path)} links to {target}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    waiting, seen = [ROOT / "README.md"], set[Path]()
    while waiting:
        page = waiting.pop()
        if page not in seen:
            seen.add(page)
            links = re.findall(r"\]\(([^)#\s]+\.md)[^)]*\)", read(page))
            waiting += [(page.parent / link).resolve() for link in links if not link.startswith("http")]
    assert set(PAGES) - seen == set()


def test_the_readme_fits_on_one_screen() -> None:
    assert len(read(ROOT / "README.md").splitlines()) <= 60


STATUSES = ("works", "partial", "not yet", "by reading", "by outcome", "by a person", "retired")


def test_every_capability_has_one_row_a_status_and_a_proof_that_exists() -> None:
    rows = [row for row in table(DOCS / "capabilities.md", 4) if re.fullmatch(r"[A-J]\d+", row[0])]
    assert sorted(row[0] for row in rows) == sorted(CAPABILITIES)
    for name, _, status, proof, *_ in rows:
        assert status in STATUSES, f"{name}: {status}"
        assert proof or status == "not yet", f"{name} has no proof"
        for file in re.findall(r"`((?:tests|bench|samples)/[\w./-]+)`", proof):
            assert (ROOT / file).exists(), f"{name}: {file} does not exist"


def test_the_glossary_has_the_words_of_the_house() -> None:
    words = {row[0].strip("*") for row in table(DOCS / "glossary.md")}
    house = "event learning memory concept edge signal candidate retriever hit packet slot anchor receipt"
    assert set(house.split()) <= words


# -- samples --------------------------------------------------------------------------------------------------------


def sample_records() -> list[dict[str, object]]:
    files = sorted((ROOT / "samples" / "transcripts").rglob("*.jsonl"))
    return [json.loads(line) for file in files for line in read(file).splitlines()]


def test_sample_records_are_whole_and_unique() -> None:
    records = sample_records()
    ids = [record["uuid"] for record in records if "uuid" in record]
    assert len(ids) == len(set(ids)) > 100
    assert all(record["parentUuid"] is None or record["parentUuid"] in ids for record in records if "uuid" in record)


def demo() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo", ROOT / "samples" / "demo.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_secrets_that_the_demo_looks_for_are_in_the_samples() -> None:
    text = "\n".join(json.dumps(record, ensure_ascii=False) for record in sample_records())
    assert [secret for secret in demo().SECRETS if secret not in text] == []


def test_the_demo_imports_the_standard_library_only() -> None:
    nodes = [node for node in ast.walk(ast.parse(read(ROOT / "samples" / "demo.py"))) if isinstance(node, ast.Import)]
    named = {alias.name.split(".")[0] for node in nodes for alias in node.names}
    assert named <= sys.stdlib_module_names


def readable() -> list[Path]:
    """Everything that a user may read: pages, the plugin, and the text in the code."""
    code = [
        path
        for path in (ROOT / "src").rglob("*.py")
        if "rules_reader" not in path.parts and "entailment" not in path.parts
    ]
    return [*PAGES, *(ROOT / "plugin").rglob("*.md"), ROOT / "plugin/bin/nous", *code]


def test_only_install_commands_that_work_today_are_shown() -> None:
    for page in readable():
        for line in page.read_text().splitlines():
            assert not re.search(r"(?:pip|pipx|uv tool) install (?:-U |--upgrade )?['\"]?nous", line), f"{page}: {line}"


def test_help_and_settings_can_be_read_aloud() -> None:
    clumsy = re.compile(
        r"at most so many|from which on|for so many|so many |after so long|reaches so far|so sure\b", re.I
    )
    every = list(cli_reference.commands())
    said = [
        (name, one.help or "") for name, command in every for one in (command, *command.params) if hasattr(one, "help")
    ]
    said += [
        (page.name, page.read_text()) for page in PAGES if "decisions" not in page.parts and page.name != "CHANGELOG.md"
    ]
    for name, text in said:
        assert not clumsy.search(text), f"{name}: {clumsy.search(text)}"


def test_the_diffs_for_contributors_are_real() -> None:
    for diff in re.findall(r"```diff\n(.*?)```", read(ROOT / "CONTRIBUTING.md"), flags=re.S):
        first, *rest = diff.splitlines()
        code = (ROOT / first.removeprefix(" # ")).read_text().splitlines()
        for line in rest:
            assert line[1:] in code, f"CONTRIBUTING.md: {first[3:]} has no line `{line[1:].strip()}` (any more)"
