"""Histories of other clients go through the queue like transcripts: once, resumable."""

from __future__ import annotations

import json
from pathlib import Path

from factories import Home
from features.imports.test_histories import LATE


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
