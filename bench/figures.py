"""`python -m bench.figures [--tree DIR]`: the figures of the code itself, of this tree or of another checkout.

A branch is an `if` (of a comprehension too), a loop, `and`, `or`, `except` or `case`. A function is dense from 0.8
branches a line up, its docstring left out (from five lines up), and complex with
ten or more. A module's fan-out is how many of our
modules it names, wherever the import stands. `nous list` runs on an empty memory without a daemon; the CPU time is the
least of seven runs.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef
LANGUAGES = ("py", "sql", "toml", "js", "css", "html", "md", "txt")
COUNTED = ("py", "sql", "toml", "js")  # what "lines" means in the issues
# Ten fields that recall has; who declares most of them declares recall once more.
RECALL = {"type", "kind", "scope", "entity", "tag", "topic", "file", "module", "branch", "min_confidence"}
IRREGULAR = (
    r"began|begun|bound|bought|brought|built|caught|chosen|come|done|drawn|driven|fallen|found|given|gone|grown|heard|held|"
    r"hidden|kept|known|laid|learnt|led|left|lent|lost|made|meant|met|paid|put|read|said|seen|sent|shown|sought|spent|"
    r"spoken|stood|sworn|taken|taught|thought|told|understood|weighed|won|written"
)
COMMITS = 100
WATCHED = (
    "import sys, atexit\natexit.register(lambda: print(sum(n.partition('.')[0] == 'nous' for n in sys.modules)))\n"
)


def measure(tree: Path) -> dict[str, Any]:
    """Every figure of a checkout."""
    parsed = {path: ast.parse(path.read_text("utf-8")) for path in sorted((tree / "src/nous").rglob("*.py"))}
    functions = [node for module in parsed.values() for node in ast.walk(module) if isinstance(node, Function)]
    branches = [(node, count_branches(node)) for node in functions]
    lines = count_lines(tree)
    return {
        "commit": git(tree, "rev-parse", "--short", "HEAD").strip(),
        "lines": sum(lines[language] for language in COUNTED),
        "lines by language": dict(lines),
        "modules": len(parsed),
        "functions": len(functions),
        "largest fan-out": max((len(fan_out(module)), path.name) for path, module in parsed.items()),
        "`nous list`": run_list(tree),
        "functions that take all stores": sum(takes_stores(node) for node in functions),
        "places that declare recall's fields": sum(declares_recall(module) for module in parsed.values()),
        "dense functions": sum(found >= 0.8 * length(node) and length(node) > 4 for node, found in branches),
        "densest, branches a line": round(max(found / length(node) for node, found in branches if length(node) > 3), 2),
        "complex functions, %": round(100 * sum(found >= 10 for _, found in branches) / len(branches), 1),
        "most branches in a function": max(found for _, found in branches),
        "functions over 50 lines": sum(length(node) > 50 for node in functions),
        "bare participles as names": sum(is_participle(node.name) for node in functions),
        "mean files in a commit": files_in_commits(tree),
    }


def count_lines(tree: Path) -> Counter[str]:
    """Lines under `src/nous` and of the plugin, by the end of the file's name; vendored files are left out."""
    found: Counter[str] = Counter()
    for folder in ("src/nous", "plugin"):
        for path in (tree / folder).rglob("*"):
            if path.suffix[1:] in LANGUAGES and "vendor" not in path.parts:
                found[path.suffix[1:]] += len(path.read_text("utf-8").splitlines())
    return found


def length(function: Function) -> int:
    """Its lines without decorators and docstring."""
    text = function.body[0]
    is_said = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    said = (text.end_lineno or 0) - text.lineno + 1 if is_said else 0
    return (function.end_lineno or 0) - function.lineno + 1 - said


def count_branches(function: Function) -> int:
    """How often its way forks; functions inside it are counted by themselves."""
    found, waiting = 0, list[ast.AST](function.body)
    while waiting:
        node = waiting.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                continue
            case ast.BoolOp(values=values):
                found += len(values) - 1
            case ast.comprehension(ifs=ifs):
                found += 1 + len(ifs)
            case ast.If() | ast.IfExp() | ast.For() | ast.AsyncFor() | ast.While() | ast.ExceptHandler():
                found += 1
            case ast.match_case():
                found += 1
        waiting += ast.iter_child_nodes(node)
    return found


def fan_out(module: ast.Module) -> set[str]:
    """Our modules that a module names, those for the type checker left out."""
    found: set[str] = set()
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("nous"):
            found.add(node.module or "")
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("nous")}
        waiting += ast.iter_child_nodes(node)
    return found


def takes_stores(function: Function) -> bool:
    """Whether it asks for every store at once."""
    arguments = [*function.args.args, *function.args.kwonlyargs, *function.args.posonlyargs]
    return any(one.annotation is not None and ast.unparse(one.annotation) == "Stores" for one in arguments)


def declares_recall(module: ast.Module) -> int:
    """How many classes, functions and stacks of options name at least seven of recall's fields and a query."""
    return sum(len(RECALL & names) >= 7 for names in _declarations(module))


def _declarations(module: ast.Module) -> Iterator[set[str]]:
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef):
            found = {
                one.target.id
                for one in node.body
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
            }
            if found & {"query", "q", "text"}:
                yield found
        elif isinstance(node, Function):
            found = {one.arg for one in [*node.args.args, *node.args.kwonlyargs]}
            if found & {"query", "q", "text"}:
                yield found


def is_participle(name: str) -> bool:
    """Whether a function's whole name is a participle: `said`, `_marked`."""
    return bool(re.fullmatch(rf"_*(?:[a-z]+ed|{IRREGULAR})_?", name)) and not name.endswith(("need", "feed"))


def files_in_commits(tree: Path) -> float:
    """Files that the last commits touched, on average."""
    said = git(tree, "log", "--no-merges", f"-{COMMITS}", "--name-only", "--format=%x00")
    counts = [len(one.split("\n")) for one in (part.strip() for part in said.split("\0")) if one]
    return round(sum(counts) / max(1, len(counts)), 1)


def run_list(tree: Path) -> dict[str, Any]:
    """What `nous list` loads of ours, and the CPU seconds it takes."""
    with tempfile.TemporaryDirectory() as folder:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "VIRTUAL_ENV")}
        environ = kept | {
            "HOME": folder,
            "NOUS_DATA_DIR": folder,
            "CLAUDE_CONFIG_DIR": f"{folder}/claude",
            "PYTHONPATH": str(tree / "src"),
        }
        command = "import sys; sys.argv = ['nous', 'list', '--json']; from nous.__main__ import main; sys.exit(main())"
        said = _run(WATCHED + command, environ)
        seconds = [_seconds(command, environ) for _ in range(7)]
    return {"modules": int(said.splitlines()[-1]), "cpu": round(min(seconds), 3)}


def _seconds(code: str, environ: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run(code, environ)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run(code: str, environ: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, cwd=environ["HOME"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def git(tree: Path, *words: str) -> str:
    """What git says in a checkout."""
    return subprocess.run(["git", "-C", str(tree), *words], capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Print the figures."""
    asked = argparse.ArgumentParser(prog="bench.figures", description="Figures of the code itself.")
    asked.add_argument("--tree", type=Path, default=Path(__file__).resolve().parent.parent, help="a checkout")
    asked.add_argument("--json", action="store_true", help="as JSON")
    given = asked.parse_args()
    found = measure(given.tree)
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:<36} {value}")


if __name__ == "__main__":
    main()
