"""What a session is shown does not depend on who prepared it: the daemon, a command, set-up or maintenance."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from factories import Home
from nous.app import Nous
from nous.config import load_settings
from nous.kernel.stores import open_stores
from nous.shells import setup
from nous.shells.cli import nous as command
from nous.shells.daemon.engine import Engine

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples" / "transcripts" / "projects"
MUCH_LATER = "2027-03-01T08:00:00.000Z"  # memories have faded by then


def clock() -> str:
    return MUCH_LATER


def by_backfill(home: Home) -> None:
    done = CliRunner().invoke(command, ["backfill"], catch_exceptions=False)
    assert done.exit_code == 0, done.output


def by_set_up(home: Home) -> None:
    with Nous.open() as nous:
        setup.learn_history(nous, setup.unread_history(nous)[0].files, "", lambda _: None)


def by_daemon(home: Home) -> None:
    """One round of the engine's own life, without its process."""
    engine = Engine(load_settings(home.environ), clock)
    engine._receive = lambda *_: engine.stopping.set()  # type: ignore[method-assign]
    engine.run()


def by_maintenance(home: Home) -> None:
    """Sessions were learned, nothing was prepared; maintenance finds it so."""
    with Nous.open() as nous:
        for _ in nous.work.backfill(nous.work.transcripts()):
            pass
        nous.maintain()


MAKERS = (by_backfill, by_set_up, by_daemon, by_maintenance)


@pytest.fixture
def asleep(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home with sessions, at one moment for everybody, when memories have faded."""
    home.environ |= {"NOUS_QUIET_SECONDS": "0"}
    for name, value in home.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(Nous.__init__, "__defaults__", (clock,))
    shutil.copytree(SAMPLES, home.transcripts, dirs_exist_ok=True)
    return home


def prepared(home: Home) -> dict[str, Any]:
    """Every packet as it waits, by its key, and every vector that was made."""
    stores = open_stores(load_settings(home.environ).db_path)
    places = ["", *(row["project_id"] for row in stores.cache.projects())]
    keys = [row["context_key"] for place in places for row in stores.cache.of_project(place)]
    packets = {key: stores.cache.get(key) for key in keys}
    found = packets | {"vectors": stores.vectors.models(), "waiting": stores.embeddings.waiting()}
    stores.close()
    return found


def test_packets_are_the_same_whoever_made_them(asleep: Home) -> None:
    found = {}
    for make in MAKERS:
        shutil.rmtree(asleep.data, ignore_errors=True)
        make(asleep)
        found[make.__name__] = prepared(asleep)
    first = found["by_backfill"]
    assert sum(bool(packet) for packet in first.values()) > 3
    for name, packets in found.items():
        assert packets == first, name


def test_only_the_pipeline_prepares_packets() -> None:
    """Whoever prepared them otherwise would have to remember every step and every setting."""
    source = ROOT / "src" / "nous"
    users = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        and node.module == "nous.features.brief.packets"
        and any(name.name.startswith("warm") for name in node.names)
    }
    assert users == {"app/following.py"}
