"""nous reextract and nous import as commands."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from factories import Home
from shells.test_bad_input import is_one_sentence, record, transcript

RULE = "in this repo dependencies are always added with `uv add`, never with pip install"
OLDER = """
import sys
from nous.features.rules_reader import extractor
extractor.EXTRACTOR_VERSION = "rules-0"
real = extractor.extract
extractor.extract = lambda turns, **how: [
    type(found)(**{name: getattr(found, name) for name in found.__struct_fields__} | {"content": "uv add was praised."})
    for found in real(turns, **how)
]
from nous.shells.cli import main
sys.argv = ["nous", "backfill"]
sys.exit(main())
"""


def ask(home: Home, *words: str) -> Any:
    done = home.nous(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def learn_with_an_older_version(home: Home) -> None:
    transcript(home, record(RULE))
    done = subprocess.run([sys.executable, "-c", OLDER], env=home.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_reading_again_shows_its_lineage_in_the_log(home: Home) -> None:
    learn_with_an_older_version(home)
    ask(home, "backfill")
    [old] = ask(home, "list", "--all-projects")["memories"]
    assert (old["content"], old["extractor"]) == ("uv add was praised.", "rules-0"), "an upgrade alone changes nothing"
    planned = ask(home, "reextract", "--from-version", "rules-0", "--dry-run")
    assert (planned["dry_run"], planned["replaced"]) == (True, 1)
    done = ask(home, "reextract", "--from-version", "rules-0")
    assert (done["sessions"], done["replaced"], done["changes"][0]["id"]) == (1, 1, old["id"])
    [now] = ask(home, "list", "--all-projects")["memories"]
    assert now["extractor"] == done["version"] != "rules-0"
    events = ask(home, "log", "--memory", str(old["id"]))["events"]
    assert [(event["type"], event["depth"]) for event in events] == [
        ("LearningExtracted", 0),
        ("LearningExtracted", 1),
        ("LearningSuperseded", 2),
    ]
    assert events[1]["parent_event_id"] == events[0]["event_id"]
    assert ask(home, "reextract")["replaced"] == 0
    assert home.nous("replay", "--verify").returncode == 0


def test_what_reextract_cannot_do_is_one_sentence(home: Home) -> None:
    assert is_one_sentence(home.nous("reextract", "--to-version", "rules-999"))
    assert is_one_sentence(home.nous("reextract", "--to-version", "model"))
    misused = home.nous("reextract", "--since", "yesterday-ish")
    assert misused.returncode == 2 and misused.stderr.startswith("error: 'yesterday-ish' is no date")


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
