"""nous import as a command."""

from __future__ import annotations

import json
from typing import Any

from factories import Home
from shells.test_bad_input import is_one_sentence


def ask(home: Home, *words: str) -> Any:
    done = home.nous(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_importing_twice_adds_nothing_and_a_change_updates(home: Home) -> None:
    project = home.project()
    file = project / "CLAUDE.md"
    file.write_text("# App\n\n## Style\n\n- Functions stay below thirty lines.\n- Names are spelt out in full.\n")
    [first] = ask(home, "import", str(file))["imports"]
    assert (first["format"], first["taken"]) == ("markdown", 2)
    [second] = ask(home, "import", str(file))["imports"]
    assert (second["taken"], second["updated"], second["unchanged"]) == (0, 0, 2)
    file.write_text(file.read_text().replace("thirty", "fifty"))
    [third] = ask(home, "import", str(file))["imports"]
    assert (third["taken"], third["updated"], third["unchanged"]) == (0, 1, 1)
    listed = ask(home, "list", "--project", str(project))["memories"]
    assert sorted(memory["ref"] for memory in listed) == ["CLAUDE.md#App > Style", "CLAUDE.md#App > Style~2"]


def test_what_cannot_be_imported_is_one_sentence(home: Home) -> None:
    (home.home / "x.json").write_text("{}")
    for name in ("x.json", "missing.md", "."):
        assert is_one_sentence(home.nous("import", name)), name
