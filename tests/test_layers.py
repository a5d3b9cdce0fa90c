"""Imports point one way: shells -> features, app -> remember | recall | tend -> stores, providers -> kernel -> core."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "nous"

# Small modules that any layer may use; among themselves they must not go round in circles.
LEAVES = {"anchors", "errors", "files", "hookstore", "paths", "config", "identity", "zstd"}
OFFERED = [
    f"features.{name}"
    for name in ("memories", "sessions", "history", "entities", "review", "status", "code", "service", "hub")
]
FEATURES = {f"features.{one.parent.name}" for one in (SOURCE / "features").glob("*/__init__.py")}
BELOW: dict[str, set[str]] = {
    "core": {"errors"},
    "kernel": {"errors", "core"},  # what an operation or a view is for comes as an argument
    "prompts": {"errors"},
    "providers": LEAVES | {"core", "prompts"},
    "stores": LEAVES | {"core", "kernel"},
    "teams": {"errors", "core", "stores"},
    "remember": LEAVES | {"core", "stores", "teams", "providers", "prompts", "features.brief"},
    "recall": LEAVES | {"core", "kernel", "stores", "providers", "prompts", "features.brief"},
    "tend": LEAVES | {"core", "stores", "providers", "prompts"},
    "work": LEAVES
    | {"kernel"}
    | {"core", "stores", "teams", "providers", "remember", "recall", "tend"}
    | {"features.model_reader", "features.tidy", "features.ask", "features.client_memory"},
    # Features stand on the kernel and do not import each other. The brief is a read model and lines of a packet.
    "features": {"kernel"},
    **dict.fromkeys(
        OFFERED, LEAVES | {"core", "kernel", "stores", "teams", "remember", "recall", "tend", "work", "codebase"}
    ),
    "features.memories": LEAVES | {"core", "kernel", "stores", "remember", "recall", "tend", "work", "features.ask"},
    "features.status": LEAVES | {"core", "kernel", "stores", "remember", "tend", "features.model_reader"},
    "features.brief": LEAVES | {"core", "kernel", "stores", "recall", "remember", "features"},
    "features.model_reader": LEAVES | {"core", "stores", "providers", "prompts", "remember", "features"},
    "features.client_memory": LEAVES | {"core", "stores", "remember", "features"},
    "features.tidy": LEAVES | {"core", "stores", "providers", "prompts", "remember", "features"},
    "features.ask": LEAVES | {"core", "stores", "providers", "prompts", "remember", "features"},
    "codebase": LEAVES | {"core", "stores", "providers", "remember", "recall"},
    # What `Nous` does lives in features, loaded when it is called; restoring a backup opens the memory again.
    "app": LEAVES | {"core", "kernel", "stores", "tend", "work", "codebase", "features", "features.memories"},
    "features.service": LEAVES
    | {"core", "kernel", "stores", "teams", "remember", "recall", "tend", "work", "codebase", "app"},
    "shells": LEAVES
    | {"core", "kernel", "work", "app", "codebase", "providers", "tend", "remember", "recall", "features", *FEATURES},
    "anchors": {"core"},
    "files": {"errors"},
    "zstd": set(),
    "hookstore": set(),
    "errors": set(),
    "paths": {"errors"},
    "config": {"errors", "paths", "core"},
    "identity": {"errors", "paths", "config"},
    "": {"app"},  # the package itself hands out `Nous`, late
    "__main__": LEAVES | {"shells"},
}
CORE_MAY_USE = {"ahocorasick_rs", "msgspec"}

# A hook is a process that somebody waits for. Measured on a bare interpreter: json +12 ms, asyncio +75 ms.
HOOK_FILES = (
    SOURCE / "shells" / "hooks.py",
    SOURCE / "shells" / "answers.py",
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
            yield node.module or ""
            if node.module == "nous":
                yield from (f"nous.{alias.name}" for alias in node.names)
        elif not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            yield from imports(node)


def at_import_time(tree: ast.Module) -> Iterator[str]:
    """The modules that are loaded as soon as this file is, not those a function asks for."""
    outside = ast.Module(
        [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)], []
    )
    return imports(outside)


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def layer(module: str) -> str:
    """`nous.core.events` -> `core`, `nous.features.brief.x` -> `features.brief`, `nous` -> the empty name."""
    parts = module.split(".")[1:]
    return ".".join(parts[: 2 if parts[:1] == ["features"] else 1])


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def find_module(name: str) -> Path | None:
    """The source file of one of our modules."""
    base = SOURCE.parent.joinpath(*name.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def with_packages(name: str) -> list[Path]:
    """The files that importing one of our modules runs: its packages from the outside in, then the module."""
    parts = name.split(".")
    found = (find_module(".".join(parts[:end])) for end in range(1, len(parts) + 1))
    return [path for path in found if path]


FILES = sorted(SOURCE.rglob("*.py"))


def upward(module: str, tree: ast.Module) -> list[str]:
    """The imports of `module` that do not point down."""
    allowed = BELOW[layer(module)] | {layer(module)}
    ours = (name for name in imports(tree) if name.startswith("nous."))
    return [name for name in ours if layer(name) in BELOW and layer(name) not in allowed]


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_a_module_imports_only_layers_below_its_own(path: Path) -> None:
    name = module_name(path)
    assert layer(name) in BELOW, f"`{layer(name)}` is no layer; say in this test where it stands"
    assert upward(name, parse(path)) == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("nous.remember.watch", "from nous.recall import search"),
        ("nous.recall.search", "from nous.tend.lifecycle import archive"),
        ("nous.core.events", "import nous.stores.events"),
        ("nous.teams.arrival", "from nous.remember.sync import sync"),
        ("nous.stores.events", "def f():\n    from nous.app import Nous"),
        ("nous.paths", "from nous import config"),
        ("nous.work", "from nous.app import Nous"),
        ("nous.features.brief.lines", "from nous.features.model_reader import intake"),
        ("nous.features.model_reader.intake", "from nous.features.brief import lines"),
        ("nous.remember.learn", "from nous.features.model_reader import intake"),
        ("nous.shells.daemon", "from nous.teams.arrival import Sender"),
        ("nous.shells.cli.capture", "def f():\n    from nous.stores import open_stores"),
        ("nous.remember.extract", "try:\n    import nous.shells.cli\nexcept ImportError:\n    pass"),
    ],
)
def test_an_import_that_points_up_is_found_wherever_it_stands(module: str, line: str) -> None:
    assert upward(module, ast.parse(line))


@pytest.mark.parametrize("path", [path for path in FILES if SOURCE / "core" in path.parents], ids=module_name)
def test_core_uses_the_standard_library_and_what_was_decided_only(path: Path) -> None:
    outside = {name.split(".")[0] for name in imports(parse(path))} - {"nous"} - CORE_MAY_USE
    assert outside <= sys.stdlib_module_names, f"{module_name(path)} imports {outside - sys.stdlib_module_names}"


@pytest.mark.parametrize("path", [path for path in FILES if SOURCE / "core" in path.parents], ids=module_name)
def test_core_reads_no_clock_environment_file_or_network(path: Path) -> None:
    impure = {"os", "time", "random", "secrets", "socket", "subprocess", "pathlib", "io", "sqlite3", "threading"}
    assert not {name.split(".")[0] for name in imports(parse(path))} & impure
    calls = {ast.unparse(node.func) for node in ast.walk(parse(path)) if isinstance(node, ast.Call)}
    assert not calls & {"open", "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "uuid.uuid4"}


def test_importing_nous_imports_nothing_else() -> None:
    assert set(at_import_time(parse(SOURCE / "__init__.py"))) <= {"__future__"}


@pytest.mark.parametrize("path", HOOK_FILES, ids=lambda path: path.name)
def test_a_hook_loads_only_what_starts_fast(path: Path) -> None:
    if not path.exists():
        pytest.skip(f"{path.name} does not exist yet")
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


def test_sql_stands_in_the_stores() -> None:
    """Statements live in `.sql` files beside the store that names them; the hook's are read from there too."""
    statement = re.compile(r"""["'\s](?:SELECT \S+.* FROM |INSERT INTO \w+|UPDATE \w+ SET |DELETE FROM \w+)""", re.S)
    found = [
        f"{module_name(path)}:{node.lineno}"
        for path in FILES
        if SOURCE / "stores" not in path.parents
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and statement.match(f" {node.value}")
    ]
    assert found == []
