"""Imports point one way: shells -> app -> features | teams -> providers -> kernel -> redact -> language."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "nous"

# Small modules that any layer may use; among themselves they must not go round in circles.
LEAVES: dict[str, set[str]] = {
    "errors": set(),
    "files": {"errors"},
    "moments": {"errors"},
    "paths": {"errors"},
    "zstd": set(),
    "config": {"errors", "paths"},
    "identity": {"errors", "paths", "config"},
}
BELOW: dict[str, set[str]] = {
    "language": set(),
    "redact": {"language"},
    "kernel": {"language", "redact"},
    "providers": {"language", "redact", "kernel"},
    "teams": {"language", "redact", "kernel", "providers"},
    "features": {"language", "redact", "kernel", "providers"},
    "app": {"language", "redact", "kernel", "providers", "teams", "features"},
    "shells": {"language", "redact", "kernel", "providers", "teams", "features", "app"},
    "": {"app"},  # the package itself hands out `Nous`, late
    "__main__": {"shells"},
}
# Who imports, against this order, what; written down when the tree was made (docs/decisions/0218). The list only
# shrinks: nothing is added to it, and what does not happen any more has to go.
EXCEPTIONS: dict[str, set[str]] = {
    "features.backup.moving": {"teams.postgres.engine"},
    "features.brief.packets": {"features.exchanges.decided"},
    "features.episodes.model": {"features.exchanges.model"},
    "features.erasure.purge": {"features.backup.backup"},
    "features.exchanges.passages": {"features.rules_reader.deeds"},
    "features.exports.exporting": {"features.imports.markdown", "teams.packages", "teams.sealing"},
    "features.hub.runs": {"teams.arrival", "teams.hubs"},
    "features.memories.finding": {
        "features.ask.notes",
        "features.exchanges.search",
        "features.exchanges.search_with_models",
        "features.exchanges.together",
    },
    "features.memories.looking_up": {"features.archive.archive", "features.episodes.episodes"},
    "features.model_reader.request": {"features.signals.scratchpad"},
    "features.service.copies": {"app", "app.pipeline", "features.backup.backup", "features.backup.moving"},
    "features.service.runs": {"features.archive.tiers"},
    "features.service.tending": {"features.archive.archive", "features.backup.backup"},
    "features.sessions.operations": {"features.exchanges.model"},
    "features.status.operations": {"features.model_reader.history"},
    "kernel.learn.learn": {"providers.words"},
    "kernel.learn.reconcile": {"providers.words"},
}
# Beside `language` and `redact`: values and functions without files, clock, environment or network.
PURE: dict[str, set[str]] = {
    "features.brief": {"roles"},
    "features.code": {"model", "modules", "resolve"},
    "features.entities": {"model", "observations"},
    "features.episodes": {"model"},
    "features.exchanges": {"answering", "decision_text", "model"},
    "features.imports": {"chats", "drafts", "histories", "markdown"},
    "features.model_reader": {"rendering"},
    "features.rules_reader": {"answers", "changes", "deeds", "extractor", "replaced", "said", "state"},
    "features.signals": {"errors", "findings", "promotion", "scratchpad", "seen", "signals"},
    "kernel": {"access", "instructions", "sharing", "types"},
    "kernel.capture": {"authorship", "grounds", "ignoring", "left_out", "session", "transcript"},
    "kernel.hooks": {"packing", "search_targets", "subjects"},
    "kernel.learn": {
        "across_sessions",
        "compose",
        "names",
        "outcome",
        "parts",
        "reading",
        "relate",
        "relearn",
        "story",
    },
    "kernel.log": {"clocks", "events", "evolve", "extraction", "sighting", "wire"},
    "kernel.memory": {"consolidation", "decay", "memory", "placing", "relations"},
    "kernel.recall": {"glossary", "kinds", "query", "ranking", "weights", "worth"},
    "teams": {"packages"},
}
PURE_MAY_USE = {"ahocorasick_rs", "msgspec"}
# Engines and files of their own, which speak SQL by themselves; all other statements stand in `.sql` files.
SPEAK_SQL = {
    "features.code.store",
    "kernel.db.file_copies",
    "kernel.db.sqlite",
    "kernel.log.archive_payloads",
    "teams.postgres.engine",
}

# A hook is a process that somebody waits for. Measured on a bare interpreter: json +12 ms, asyncio +75 ms.
HOOK_FILES = (
    SOURCE / "shells" / "hooks.py",
    SOURCE / "kernel" / "hooks" / "responses.py",
    SOURCE / "shells" / "waking.py",
    ROOT / "plugin" / "hooks" / "hook.py",
    ROOT / "plugin" / "hooks" / "pipe.py",
)
HOOK_MAY_USE = {
    "__future__",
    "_signal",
    "_socket",
    "collections",
    "contextlib",
    "datetime",
    "errno",
    "functools",
    "hashlib",
    "json",
    "math",
    "os",
    "pipe",  # beside the plugin's script
    "posix",
    "re",
    "select",
    "signal",
    "socket",
    "sqlite3",
    "stat",
    "sys",
    "threading",
    "time",
    "typing",
    "zlib",
}


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module named by an import statement; those only for the type checker are left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if find_module(name) else node.module or "" for name in whole)
        elif not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            yield from imports(node)


def at_import_time(tree: ast.Module) -> Iterator[str]:
    """The modules that are loaded as soon as this file is, not those a function asks for."""
    outside = ast.Module(
        [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)], []
    )
    return imports(outside)


@functools.cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def find_module(name: str) -> Path | None:
    """The source file of one of our modules."""
    if name.partition(".")[0] != "nous":
        return None
    base = SOURCE.parent.joinpath(*name.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def with_packages(name: str) -> list[Path]:
    """The files that importing one of our modules runs: its packages from the outside in, then the module."""
    parts = name.split(".")
    found = (find_module(".".join(parts[:end])) for end in range(1, len(parts) + 1))
    return [path for path in found if path]


FILES = sorted(SOURCE.rglob("*.py"))


def is_allowed(module: str, name: str) -> bool:
    """Whether a module may import another; both are ours, without `nous.`. Features meet in their stores."""
    here, there = module.split("."), name.split(".")
    if here[0] in LEAVES:
        return there[0] in LEAVES[here[0]]
    if there[0] in LEAVES or (here[0] == there[0] and here[0] != "features"):
        return True
    if here[0] == there[0]:
        return here[1:2] == there[1:2] or there[1:] == [] or there[-1] == "store"
    if here[0] == "shells" and there[:2] in (["kernel", "db"], ["kernel", "stores"]):
        return False
    return there[0] in BELOW[here[0]] or (here[0] == "teams" and there[0] == "features" and there[-1] == "store")


def upward(module: str, tree: ast.Module) -> set[str]:
    """What a module imports that does not lie below it."""
    ours = {name.removeprefix("nous").removeprefix(".") for name in imports(tree) if name.partition(".")[0] == "nous"}
    return {name for name in ours if not is_allowed(module, name) and name}


def test_a_module_imports_only_what_lies_below() -> None:
    found = {}
    for path in FILES:
        name = module_name(path).removeprefix("nous").removeprefix(".")
        assert name.split(".")[0] in {*BELOW, *LEAVES}, f"`{name}` is in no layer; say in this test where it stands"
        if names := upward(name, parse(path)):
            found[name] = names
    assert found == EXCEPTIONS


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("language.text", "from nous.kernel.memory.memory import Memory"),
        ("redact.rules", "from nous.kernel.log import events"),
        ("kernel.capture.watch", "from nous.features.brief import packets"),
        ("kernel.recall.search", "from nous.providers import embedder"),
        ("kernel.log.events", "import nous.teams.sync"),
        ("teams.arrival", "from nous.features.code.impact import told"),
        ("kernel.log.event_store", "def f():\n    from nous.app import Nous"),
        ("paths", "from nous import config"),
        ("app.pipeline", "from nous.shells.cli import nous"),
        ("features.brief.lines", "from nous.features.model_reader import intake"),
        ("features.model_reader.intake", "from nous.features.brief import lines"),
        ("kernel.learn.learn", "from nous.features.model_reader import intake"),
        ("shells.daemon.engine", "from nous.kernel.db.sqlite import Sqlite"),
        ("shells.cli.capture", "def f():\n    from nous.kernel.stores import open_stores"),
        ("kernel.learn.learn", "try:\n    import nous.shells.cli\nexcept ImportError:\n    pass"),
    ],
)
def test_an_import_that_points_up_is_found_wherever_it_stands(module: str, line: str) -> None:
    assert upward(module, ast.parse(line))


def is_pure(path: Path) -> bool:
    name = module_name(path).removeprefix("nous.")
    package, _, module = name.rpartition(".")
    return name.split(".")[0] in ("language", "redact") or module in PURE.get(package, ())


IMPURE = {"os", "time", "random", "secrets", "socket", "subprocess", "pathlib", "io", "sqlite3", "threading"}
CLOCKS_AND_FILES = {"open", "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "uuid.uuid4"}


def impurities(path: Path) -> Iterator[str]:
    """What a pure module must not have: other packages, a clock, the environment, files, the network, and modules that
    are neither pure nor leaves."""
    names = list(imports(parse(path)))
    outside = {name.split(".")[0] for name in names} - {"nous"} - PURE_MAY_USE
    yield from (outside - sys.stdlib_module_names) | outside & IMPURE
    yield from CLOCKS_AND_FILES & {ast.unparse(one.func) for one in ast.walk(parse(path)) if isinstance(one, ast.Call)}
    for name in names:
        file = find_module(name) if name != "nous" else None
        if file and name.split(".")[1] not in LEAVES and not is_pure(file):
            yield name


def test_what_is_pure_has_nothing_impure() -> None:
    found = {module_name(path): list(impurities(path)) for path in FILES if is_pure(path)}
    assert {name: what for name, what in found.items() if what} == {}


def test_importing_nous_imports_nothing_else() -> None:
    assert set(at_import_time(parse(SOURCE / "__init__.py"))) <= {"__future__"}


@pytest.mark.parametrize("path", HOOK_FILES, ids=lambda path: path.name)
def test_a_hook_loads_only_what_starts_fast(path: Path) -> None:
    seen: set[Path] = set()
    waiting = [path]
    while waiting:
        current = waiting.pop()
        seen.add(current)
        for name in at_import_time(parse(current)):
            if name.split(".")[0] == "nous":
                waiting += [found for found in with_packages(name) if found not in seen]
            else:
                assert name.split(".")[0] in HOOK_MAY_USE, f"{current.relative_to(ROOT)} loads {name} in a hook"


def test_the_hook_script_of_the_plugin_imports_only_what_is_in_the_interpreter() -> None:
    scripts = [ROOT / "plugin" / "hooks" / name for name in ("hook.py", "pipe.py")]
    loaded = {name for script in scripts for name in at_import_time(parse(script))}
    assert loaded <= {"sys", "pipe", "_signal", "_socket", "posix", "time"}


STATEMENT = re.compile(r"""["'\s](?:SELECT \S+.* FROM |INSERT INTO \w+|UPDATE \w+ SET |DELETE FROM \w+)""", re.S)


def test_sql_stands_beside_the_stores() -> None:
    """Statements live in `.sql` files beside the store that names them; the hook's are read from there too."""
    found = {
        module_name(path).removeprefix("nous.")
        for path in FILES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and STATEMENT.match(f" {node.value}")
    }
    assert found == SPEAK_SQL
