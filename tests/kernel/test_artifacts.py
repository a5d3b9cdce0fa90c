"""Summaries and texts that somebody hands over go the way of transcripts: redacted, once, through the queue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factories import NOW, Home
from nous.errors import NousError
from nous.identity import Project
from nous.kernel.capture.artifacts import ingest
from nous.kernel.learn.learn import learn_all
from nous.kernel.stores import Stores

PLACE = Project("p", "/p", "main")
SUMMARY: dict[str, Any] = {
    "summary": "Moved the importer to batches of 500 rows.",
    "decisions": ["The importer commits every 500 rows."],
    "gotchas": ["The staging database drops idle connections after 30 seconds."],
    "learnings": [{"content": "Exports run on port 9411.", "type": "fact", "slot": "exports|port"}],
    "files": ["src/importer.py"],
    "session_id": "loom-7",
}


def learned(stores: Stores, given: str | dict[str, Any]) -> list[str]:
    assert ingest(stores.cache, stores.queue, given, PLACE, NOW) is not None
    learn_all(stores, "w", lambda: NOW)
    return sorted(memory.content for memory in stores.memories.listing("p"))


def test_a_summary_is_taken_at_its_word(stores: Stores) -> None:
    contents = learned(stores, SUMMARY)
    assert "The importer commits every 500 rows." in contents and "Exports run on port 9411." in contents
    memories = {memory.content: memory for memory in stores.memories.listing("p")}
    decision = memories["The importer commits every 500 rows."]
    assert (decision.type, decision.files, decision.session_id) == ("decision", ("src/importer.py",), "loom-7")
    assert [turn.kind for turn in stores.transcripts.turns("loom-7")] == ["report"]


def test_concepts_come_in_their_normal_form(stores: Stores) -> None:
    point = {"content": "Exports run nightly.", "type": "fact", "concepts": ["Exports", "Night  Job", "exports", " "]}
    learned(stores, {"learnings": [point]})
    [memory] = stores.memories.listing("p")
    assert memory.concepts == ("exports", "night job")


def test_the_same_again_changes_nothing(stores: Stores) -> None:
    before = learned(stores, SUMMARY)
    assert ingest(stores.cache, stores.queue, SUMMARY, PLACE, NOW) is None
    assert ingest(stores.cache, stores.queue, SUMMARY, Project("q", "/q", ""), NOW) is not None, (
        "another project is another matter"
    )
    assert before == sorted(memory.content for memory in stores.memories.listing("p"))


def test_plain_text_is_read_like_the_users_words(stores: Stores) -> None:
    assert any("pnpm" in content for content in learned(stores, "We use pnpm, not npm."))


def test_secrets_do_not_come_in_this_way_either(stores: Stores) -> None:
    key = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    ingest(stores.cache, stores.queue, {"decisions": [f"Stripe is called with {key}."]}, PLACE, NOW)
    ingest(stores.cache, stores.queue, f"We use {key} for Stripe.", PLACE, NOW)
    payloads = [row["payload_json"] for row in stores.db.all("queue.with_payload")]
    assert len(payloads) == 2 and not any(key in payload for payload in payloads)


@pytest.mark.parametrize("given", [{}, "", " \n", {"summery": "typo"}, {"learnings": [{"type": "fact"}]}])
def test_what_says_nothing_or_does_not_fit_is_refused(stores: Stores, given: Any) -> None:
    with pytest.raises(NousError):
        ingest(stores.cache, stores.queue, given, PLACE, NOW)


def test_the_command_reads_files_and_standard_input(home: Home, tmp_path: Path) -> None:
    project = home.project()
    file = tmp_path / "summary.json"
    file.write_text(json.dumps(SUMMARY))
    first = json.loads(home.nous("ingest", str(file), "--json", cwd=project).stdout)
    assert first["learned"] >= 3
    again = home.nous("ingest", "-", stdin=json.dumps(SUMMARY), cwd=project)
    assert "ingested before" in again.stdout
    broken = home.nous("ingest", "-", stdin="{not json", cwd=project)
    assert (broken.returncode, broken.stderr.count("\n")) == (1, 2)
    assert "9411" in home.nous("recall", "exports", "port", cwd=project).stdout
