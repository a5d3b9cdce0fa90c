"""Histories of other clients go through the queue like transcripts: once, resumable, watched when asked for."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from core.test_histories import LATE, gemini
from factories import Home
from nous.config import load_settings
from nous.shells.daemon import Engine
from nous.work import Pipeline


def known(home: Home, project: Path) -> set[str]:
    said = json.loads(home.nous("list", "--json", cwd=project).stdout)
    return {memory["content"] for memory in said["memories"]}


def test_a_folder_of_histories_is_learned_once_and_belongs_to_its_project(home: Home) -> None:
    project = home.project()
    folder = project / ".specstory" / "history"
    folder.mkdir(parents=True)
    (folder / "2026-03-02_10-00-00Z-deploy.md").write_text(LATE)
    first = json.loads(home.nous("import", str(folder), "--json").stdout)["imports"][0]
    assert (first["format"], first["sessions"]) == ("specstory", 1) and first["turns"] >= 5
    again = json.loads(home.nous("import", str(folder), "--json").stdout)["imports"][0]
    assert (again["sessions"], again["turns"], again["taken"]) == (0, 0, 0)
    learned = known(home, project)
    assert any("make release" in content for content in learned)
    assert not any("npm" in content or "tabs" in content for content in learned)
    (folder / "2026-03-02_10-00-00Z-deploy.md").write_text(LATE + "\n_**User**_\n\nWe tag every release in git.\n")
    more = json.loads(home.nous("import", str(folder), "--json").stdout)["imports"][0]
    assert (more["sessions"], more["turns"]) == (1, 1)


def test_a_session_of_gemini_is_learned(home: Home) -> None:
    file = home.root / "session-2026-02-01.json"
    file.write_text(gemini())
    project = home.project()
    done = json.loads(home.nous("import", str(file), "--json", "--project", str(project)).stdout)["imports"][0]
    assert (done["format"], done["sessions"]) == ("gemini", 1)
    assert any("bun" in content for content in known(home, project))


def test_histories_are_watched_when_asked_for(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    project = home.project()
    folder = project / ".specstory" / "history"
    folder.mkdir(parents=True)
    file = folder / "x.md"
    file.write_text(LATE)
    environ = home.environ | {"NOUS_HISTORIES": f"{home.home}/code/*/.specstory/history/*.md"}
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    settings = load_settings(environ)
    engine = Engine(settings)
    work = Pipeline.open(settings, engine.clock, "test")
    try:
        assert engine.read_histories(work) == 1
        assert engine.read_histories(work) == 0  # nothing changed
        file.write_text(LATE + "\n_**User**_\n\nWe never rebase main.\n")
        later = time.time() + 5
        import os

        os.utime(file, (later, later))
        assert engine.read_histories(work) == 1
    finally:
        work.close()
    assert any("rebase" in content for content in known(home, project))
