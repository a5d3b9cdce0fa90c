"""Imports: every format, twice is once, and what changed in a file changes in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import NOW, Home
from nous.errors import NousError
from nous.features.imports.drafts import (
    LEGACY_PROJECT,
    MEMORY_FORMATS,
    Draft,
    Format,
    Skipped,
    detect,
    moment,
    pieces,
    read_drafts,
)
from nous.features.imports.imports import Destination, ImportReport, describe, import_file, place_of, section_of
from nous.kernel.log.events import SCHEMA_VERSION, Archived, Event, Extracted, Payload
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import Stores

HERE = Destination("p")


def take(stores: Stores, path: Path, place: Destination = HERE, **given_: Any) -> ImportReport:
    report = import_file(stores, str(path), place, lambda: NOW, **given_)
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []
    return report


def put(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def active(stores: Stores, project: str = "p") -> dict[str, Memory]:
    return {memory.content: memory for memory in stores.memories.listing(project, limit=1000)}


ENGRAM = [
    {
        "ts": "2026-02-01T10:00:00Z",
        "project": "/nowhere/shop",
        "session": "s-1",
        "content": "Run the migrations with make migrate-safe, never with alembic directly",
        "context": "alembic skipped the lock twice",
        "suggested_target": "CLAUDE.md",
    },
    {"ts": "2026-02-02T10:00:00Z", "content": "Prefer small commits over one large commit at the end of the day"},
]
MARKDOWN = """---
name: rules
---
# Shop

Online shop for books; Django 5 with PostgreSQL 16.

<!-- a note to nobody -->
## Testing

Run the tests like this:

```bash
pytest -q            # all of them
pytest -q -k smoke
```

- Always write a test for a bug before fixing it.
- Use **factories**, see [the docs](docs/factories.md), never fixtures in JSON.

## Style

- Short:
  - Functions stay below thirty lines.
  - Names are spelt out.
- ok

| a | b |
|---|---|
| 1 | 2 |

```python
print("code")
```
"""

EXPORTS: dict[str, tuple[str, Any, Format, int]] = {
    "legacy": ("engram.jsonl", lines(*ENGRAM), "legacy", 2),
    "legacy without its name": ("old-log.jsonl", lines(*ENGRAM), "legacy", 2),
    "CLAUDE.md": ("CLAUDE.md", MARKDOWN, "markdown", 6),
    ".cursorrules": (".cursorrules", "Always answer in English.\n\nNever touch the vendor folder.\n", "markdown", 2),
    "MEMORY.md": ("MEMORY.md", "- [Deploys](d.md) — deploys run from the release branch\n", "markdown", 1),
    "AGENTS.md": ("AGENTS.md", "# Agents\n\nUse pnpm for everything here.\n", "markdown", 1),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_every_format_is_recognised_and_taken_once(stores: Stores, tmp_path: Path, name: str) -> None:
    file, content, format_, expected = EXPORTS[name]
    path = put(tmp_path, file, content)
    first = take(stores, path)
    assert (first.format, first.counts["taken"]) == (format_, expected)
    events = stores.events.count()
    second = take(stores, path)
    assert second.counts["taken"] == second.counts["updated"] == 0
    assert second.counts["unchanged"] + second.counts["known"] == expected
    assert stores.events.count() == events, "the second import adds nothing"


# -- old logs -------------------------------------------------------------------------------------------------------


def test_an_old_log_is_normalised(stores: Stores, tmp_path: Path) -> None:
    take(stores, put(tmp_path, "engram.jsonl", lines(*ENGRAM)))
    [known] = active(stores, "/nowhere/shop").values()
    assert known.content.endswith("Why: alembic skipped the lock twice")
    assert (known.type, known.session_id, known.valid_from) == ("pattern", "s-1", "2026-02-01T10:00:00.000Z")
    assert known.extractor == "legacy-v1"
    [stray] = active(stores, LEGACY_PROJECT).values()
    assert stray.session_id == "import-legacy"
    stored = list(stores.events.each_row())
    assert [row.schema_version for row in stored] == [1, 1]
    assert all(isinstance(event.payload, Extracted) for event in stores.events.by_id([1, 2]))


def test_who_extracted_it_is_kept_when_the_log_says_so(stores: Stores, tmp_path: Path) -> None:
    record = ENGRAM[1] | {"extractor_version": "nous-2.1", "concepts": ["commits"], "type": "preference"}
    take(stores, put(tmp_path, "cortex.jsonl", lines(record)))
    [known] = active(stores, LEGACY_PROJECT).values()
    assert (known.extractor, known.concepts, known.type) == ("nous-2.1", ("commits",), "preference")
    assert next(iter(stores.events.each_row())).schema_version == SCHEMA_VERSION


def test_damaged_lines_are_counted_and_the_rest_is_taken(stores: Stores, tmp_path: Path) -> None:
    text = lines(ENGRAM[0]) + "{broken\n\n[1]\n" + lines({"ts": "x"}, ENGRAM[1])
    report = take(stores, put(tmp_path, "engram.jsonl", text))
    assert (report.counts["taken"], report.counts["skipped"]) == (2, 3)
    assert report.skipped == {"it is no record": 2, "it has no content": 1}


def test_a_chosen_project_wins_over_what_the_source_says(stores: Stores, tmp_path: Path) -> None:
    report = take(stores, put(tmp_path, "engram.jsonl", lines(*ENGRAM)), Destination("mine", is_given=True))
    assert report.projects == {"mine": 2}


# -- files ----------------------------------------------------------------------------------------------------------


def test_a_file_is_taken_section_by_section(stores: Stores, tmp_path: Path) -> None:
    report = take(stores, put(tmp_path, "CLAUDE.md", MARKDOWN))
    known = active(stores)
    assert {memory.ref: memory.content for memory in known.values()} == {
        "CLAUDE.md#Shop": "Online shop for books; Django 5 with PostgreSQL 16.",
        "CLAUDE.md#Shop > Testing": "Testing: Run the tests like this: `pytest -q` (all of them); `pytest -q -k smoke`",
        "CLAUDE.md#Shop > Testing~2": "Testing: Always write a test for a bug before fixing it.",
        "CLAUDE.md#Shop > Testing~3": "Testing: Use factories, see the docs, never fixtures in JSON.",
        "CLAUDE.md#Shop > Style": "Style: Short: Functions stay below thirty lines.",
        "CLAUDE.md#Shop > Style~2": "Style: Short: Names are spelt out.",
    }
    types = {memory.ref: memory.type for memory in known.values()}
    assert types["CLAUDE.md#Shop > Testing"] == "procedure"
    assert types["CLAUDE.md#Shop > Testing~2"] == "preference"
    assert report.skipped == {"too short to say anything": 2, "tables are not imported": 2, "code is not imported": 1}


def edit(stores: Stores, tmp_path: Path, before: str, after: str) -> ImportReport:
    return take(stores, put(tmp_path, "CLAUDE.md", MARKDOWN.replace(before, after)))


def test_a_changed_item_supersedes_itself_and_only_itself(stores: Stores, tmp_path: Path) -> None:
    take(stores, put(tmp_path, "CLAUDE.md", MARKDOWN))
    before = active(stores)
    report = edit(stores, tmp_path, "below thirty lines", "below fifty lines")
    assert (report.counts["updated"], report.counts["unchanged"], report.archived) == (1, 5, 0)
    after = active(stores)
    [gone] = set(before) - set(after)
    [new] = set(after) - set(before)
    assert "thirty" in gone and "fifty" in new
    assert after[new].ref == before[gone].ref
    assert stores.memories.by_id([before[gone].id])[0].superseded_by == after[new].learning_id


def test_a_new_item_above_moves_nothing(stores: Stores, tmp_path: Path) -> None:
    take(stores, put(tmp_path, "CLAUDE.md", MARKDOWN))
    report = edit(stores, tmp_path, "- Always write", "- Snapshot files live beside their module.\n- Always write")
    assert (report.counts["taken"], report.counts["updated"], report.archived) == (1, 0, 0)


def test_what_left_the_file_leaves_the_memory_and_may_come_back(stores: Stores, tmp_path: Path) -> None:
    take(stores, put(tmp_path, "CLAUDE.md", MARKDOWN))
    report = edit(stores, tmp_path, "- Always write a test for a bug before fixing it.\n", "")
    assert report.archived == 1
    assert not [one for one in active(stores) if "Always write" in one]
    back = take(stores, put(tmp_path, "CLAUDE.md", MARKDOWN))
    assert back.counts["restored"] == 1
    assert [one for one in active(stores) if "Always write" in one]


def test_a_section_that_left_the_file_is_archived(stores: Stores, tmp_path: Path) -> None:
    take(stores, put(tmp_path, "CLAUDE.md", MARKDOWN))
    assert take(stores, put(tmp_path, "CLAUDE.md", MARKDOWN.split("## Testing")[0])).archived == 5
    assert len(active(stores)) == 1


def test_another_file_is_left_alone(stores: Stores, tmp_path: Path) -> None:
    take(stores, put(tmp_path, "CLAUDE.md", MARKDOWN))
    take(stores, put(tmp_path, "AGENTS.md", "Use pnpm for everything here.\n"))
    assert len(active(stores)) == 7


@pytest.mark.parametrize("kind", ["LearningPinned", "LearningArchived"])
def test_what_the_user_pinned_stays_and_what_they_forgot_does_not_return(
    stores: Stores, tmp_path: Path, kind: Any
) -> None:
    take(stores, put(tmp_path, "CLAUDE.md", MARKDOWN))
    [memory] = [one for words, one in active(stores).items() if "Always write" in words]
    said = Archived(reason="forgotten by the user") if kind == "LearningArchived" else Payload()
    event = Event(
        learning_id=memory.learning_id,
        event_type=kind,
        idempotency_key="t",
        payload=said,
        session_id="t",
        project_id="p",
        source="user_review",
    )
    stores.events.append([event], NOW)
    catch_up(stores, NOW)
    take(stores, put(tmp_path, "CLAUDE.md", MARKDOWN.split("## Testing")[0]))
    take(stores, put(tmp_path, "CLAUDE.md", MARKDOWN))
    assert bool([one for one in active(stores) if "Always write" in one]) == (kind == "LearningPinned")


def test_what_is_known_from_a_session_is_not_doubled(stores: Stores, tmp_path: Path) -> None:
    take(stores, put(tmp_path, "AGENTS.md", "Use pnpm for everything here.\n"))
    report = take(stores, put(tmp_path, "CLAUDE.md", "Use pnpm for everything here.\n"))
    assert (report.counts["taken"], report.counts["known"]) == (0, 1)
    [known] = active(stores).values()
    assert len(known.evidence) == 2


def test_secrets_and_what_nous_wrote_stay_out(stores: Stores, tmp_path: Path) -> None:
    key = "AKIA" + "Q3EXAMPLEKEY7X2Z"
    ours = "- [Memory #3: use tabs everywhere]"
    text = f"Deploy with the key {key} from the vault.\n\n{ours}\n\n<private>\n\n- Client is Initech.\n\n</private>\n"
    report = take(stores, put(tmp_path, "CLAUDE.md", text))
    assert report.secrets >= 1
    assert report.skipped["Nous wrote it"] == 1
    assert not [one for one in active(stores) if key in one or "Initech" in one]
    assert all(key not in row.payload_json for row in stores.events.each_row())


def test_a_dry_run_counts_and_writes_nothing(stores: Stores, tmp_path: Path) -> None:
    report = take(stores, put(tmp_path, "CLAUDE.md", MARKDOWN), dry_run=True)
    assert describe(report)["taken"] == 6
    assert stores.events.count() == 0


# -- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.json", b"", "is empty"),
        ("x.json", b"\xff\xfe\x00binary", "is not text"),
        ("x.jsonl.gz", b"\x1f\x8b\x08rest", "is compressed"),
        ("x.json", b"[1, 2", "cannot tell what"),
        ("x.json", b"{}", "cannot tell what"),
        ("x.json", b'{"tasks": [{"name": "a"}]}', "cannot tell what"),
        ("engram.jsonl", b"not json at all\n", "not JSON"),
        ("CLAUDE.md", b"# Only a title\n", "nothing to remember"),
        ("m.json", b'{"results": [], "memories": []}', "cannot tell|nothing to remember"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    stores: Stores, tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(NousError, match=words):
        import_file(stores, str(path), HERE, lambda: NOW)
    assert stores.events.count() == 0


def test_a_failure_midway_takes_everything_back(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = stores.events.append
    calls: list[int] = []

    def failing(*given_: Any) -> Any:
        calls.append(1)
        if len(calls) > 3:
            raise NousError("the disk is full")
        return append(*given_)

    monkeypatch.setattr(stores.events, "append", failing)
    with pytest.raises(NousError, match="disk"):
        import_file(stores, str(put(tmp_path, "CLAUDE.md", MARKDOWN)), HERE, lambda: NOW)
    assert stores.events.count() == 0


@given(st.text(max_size=400), st.sampled_from(MEMORY_FORMATS))
def test_no_text_breaks_a_reader(text: str, format_: Format) -> None:
    try:
        found = read_drafts(format_, "CLAUDE.md", text)
    except NousError:
        return
    assert all(isinstance(one, Draft | Skipped) for one in found)


NAMES = ["id", "content", "memory", "results", "memories", "observations", "title", "facts", "tags", "ts", "state"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=15,
)


@given(json_values, st.sampled_from(MEMORY_FORMATS))
def test_no_json_breaks_a_reader(value: Any, format_: Format) -> None:
    text = json.dumps(value)
    for attempt in (lambda: detect("x.json", text), lambda: read_drafts(format_, "x.json", text)):
        try:
            attempt()
        except NousError:
            continue


def test_moments_of_all_kinds() -> None:
    assert moment(1733876700) == moment(1733876700000) == "2024-12-11T00:25:00.000Z"
    assert moment("2026-01-05T10:00:00-08:00") == "2026-01-05T18:00:00.000Z"
    assert moment("soon") is moment(None) is moment(True) is moment(1e30) is None


def test_a_long_text_becomes_several_memories() -> None:
    text = " ".join(f"Sentence number {number} says something of its own." for number in range(40))
    said = pieces(text)
    assert all(len(piece) <= 400 for piece in said)
    assert " ".join(said) == text
    assert pieces("x" * 500) == []
    assert section_of("CLAUDE.md#A > B~12") == "CLAUDE.md#A > B"


# -- where it belongs -----------------------------------------------------------------------------------------------


def test_a_files_place(home: Home) -> None:
    project = home.project("shop", "git@github.com:acme/shop.git")
    (project / "docs").mkdir()

    def place(path: Path, given_: bool = False) -> tuple[Destination, str]:
        return place_of(str(path), "current", given_, str(home.claude))

    assert place(project / "CLAUDE.md") == (Destination("github.com/acme/shop"), "CLAUDE.md")
    assert place(project / "docs" / "AGENTS.md") == (Destination("github.com/acme/shop"), "docs/AGENTS.md")
    assert place(home.claude / "CLAUDE.md") == (Destination("current", "global"), "CLAUDE.md")
    assert place(home.claude / "projects" / "x" / "memory" / "MEMORY.md")[0] == Destination("current")
    assert place(home.root / "export.json") == (Destination("current"), "export.json")
    assert place(project / "CLAUDE.md", True) == (Destination("current", is_given=True), "CLAUDE.md")
