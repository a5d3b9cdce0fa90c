"""The guides, followed literally: every `nous` command in them is run on the sample sessions, guide by guide."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from factories import Home
from features.imports.test_chats import codex as codex_log
from nous.app import Nous
from nous.config import load_settings
from nous.shells.cli import MOVED
from nous.shells.cli import nous as command_line

ROOT = Path(__file__).resolve().parents[1]
GUIDES = [ROOT / "README.md", ROOT / "docs" / "quickstart.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]
SAMPLES = ROOT / "samples" / "transcripts" / "projects"
PROJECT = "parcel-api"
# Not run here, and where they are: what starts servers, asks on a terminal, needs a model, another machine or minutes.
ELSEWHERE = {
    "init": "tests/shells/test_setup.py, test_init_model.py",
    "uninstall": "tests/shells/test_setup.py",
    "panel": "tests/panel/test_panel.py",
    "review": "tests/shells/test_reviewing.py",
    "read": "tests/features/model_reader",
    "tidy": "tests/features",
    "up": "tests/shells/test_daemon.py",
    "admin restart": "tests/shells/test_daemon.py",
    "admin sync": "tests/flows/test_hub.py",
    "admin hub": "tests/shells/test_hub_server.py",
    "admin migrate-to": "tests/flows/test_on_a_server.py",
}
FILES = {
    "CLAUDE.md": "# Shop\n\n- Use pnpm, not npm.\n",
    "AGENTS.md": "# Agents\n\n- Run `make check` before every commit.\n",
    "~/.claude/projects/-home-dev-shop/memory/MEMORY.md": "- The staging database is reset every night.\n",
    "engram.jsonl": json.dumps({"id": "e1", "text": "The API answers 202.", "project": "shop"}) + "\n",
    ".cursor/rules/style.mdc": "---\nglobs: *.py\n---\n- Keep functions short.\n",
    "app/retries.py": "def retry_policy(attempt: int) -> int:\n    return min(3600, 2**attempt)\n",
}


def commands(guide: Path) -> list[str]:
    """The lines of a guide's blocks that call `nous`, without their comments."""
    blocks = re.findall(r"^```(?:sh|console)?\n(.*?)^```", guide.read_text("utf-8"), flags=re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.startswith("nous ")]


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the sample sessions were learned."""
    home = Home(tmp_path_factory.mktemp("learned"))
    project = home.project(PROJECT)
    for source in sorted(SAMPLES.rglob("*.jsonl")):
        copy = home.transcripts / source.relative_to(SAMPLES)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(source.read_text("utf-8").replace("/home/dev/parcel-api", str(project)), "utf-8")
    assert home.nous("backfill").returncode == 0
    return home.root


@pytest.fixture
def home(learned: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The learned home, as it was at first, with the files that guides speak of."""
    data, code = learned / "data", learned / "home" / "code" / PROJECT
    kept = learned / "kept"
    if not kept.exists():
        shutil.copytree(data, kept)
    shutil.rmtree(data)
    shutil.copytree(kept, data)
    for name, text in FILES.items():
        path = learned / "home" / name[2:] if name.startswith("~/") else code / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    codex = learned / "home" / ".codex" / "sessions"
    codex.mkdir(parents=True, exist_ok=True)
    (codex / "rollout-2026-03-01.jsonl").write_text("\n".join(map(json.dumps, codex_log())), "utf-8")
    for name in ("shop", "code/secret-project"):
        (learned / "home" / name).mkdir(parents=True, exist_ok=True)
    with Nous.open(settings=load_settings(environment(learned))) as nous:
        for _ in range(5):  # something to undo
            nous.forget(nous.remember("The demo runs on Friday.", project=str(code)))
    monkeypatch.chdir(code)
    return learned


def environment(root: Path) -> dict[str, str]:
    return {
        "HOME": str(root / "home"),
        "CLAUDE_CONFIG_DIR": str(root / "home" / ".claude"),
        "NOUS_DATA_DIR": str(root / "data"),
        "NOUS_NO_AUTOSTART": "1",
        "NOUS_HTTP_PORT": "0",
    }


def filled_in(words: list[str], root: Path) -> list[str]:
    """The words of a command with what exists here in the place of a guide's example numbers and ids."""
    with Nous.open(settings=load_settings(environment(root))) as nous:
        memories = list(nous.list(all_projects=True))
        sessions = sorted({one.session_id for one in memories if one.session_id})
    ids = {"12": str(memories[0].id), "42": str(memories[-1].id), "ID": sessions[0], "OTHER": sessions[-1]}
    return [str(root / "home" / word[2:]) if word.startswith("~/") else ids.get(word, word) for word in words]


def is_elsewhere(line: str) -> bool:
    return any(f"{line} ".startswith(f"nous {name} ") for name in ELSEWHERE)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_command_of_a_guide_works(guide: Path, home: Path) -> None:
    for line in commands(guide):
        if is_elsewhere(line) or "| jq" in line:
            line, piped = line.partition(" | jq")[::2]
            if not piped:
                continue
        words = filled_in(shlex.split(line, comments=True)[1:], home)
        done = CliRunner().invoke(command_line, words, env=environment(home), input="y\n")
        assert done.exit_code == 0, f"{guide.name}: {line}\n{done.output}\n{done.exception}"


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_a_guide_calls_commands_by_their_present_names(guide: Path) -> None:
    said = re.findall(r"\bnous ([a-z][a-z-]+)", "\n".join(re.findall(r"`[^`]*`", guide.read_text("utf-8"))))
    assert [name for name in [*said, *(line.split()[1] for line in commands(guide))] if name in MOVED] == []


def test_what_is_left_to_other_tests_is_tested_there() -> None:
    for where in ELSEWHERE.values():
        for name in where.split(", "):
            assert (ROOT / name).exists() or (ROOT / "tests" / "shells" / name).exists(), name
