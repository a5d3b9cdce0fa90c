"""Conversations of other clients: read as they are written, learned once, tainted where they came from outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import NOW, Home
from nous.errors import NousError
from nous.features.imports.chats import Chat, read_codex
from nous.features.imports.drafts import Skipped, detect
from nous.features.imports.imports import Destination, ImportReport, import_file
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import compare_with_replay
from nous.kernel.stores import Stores

HERE = Destination("p")
RULE = "We use pnpm in this repo, never npm."
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def take(stores: Stores, path: Path, place: Destination = HERE, **given_: Any) -> ImportReport:
    report = import_file(stores, str(path), place, lambda: NOW, **given_)
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []
    return report


def active(stores: Stores) -> list[Memory]:
    return stores.memories.listing(None)


# -- files as the clients write them --------------------------------------------------------------------------------


def codex(cwd: str = "/nowhere/shop") -> list[dict[str, Any]]:
    def line(second: int, kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": f"2026-04-01T10:00:{second:02}.000Z", "type": kind, "payload": payload}

    def item(second: int, type_: str, call: str, **payload: Any) -> dict[str, Any]:
        return line(second, "response_item", type=type_, call_id=call, **payload)

    def words(role: str, text: str) -> dict[str, Any]:
        kind = "output_text" if role == "assistant" else "input_text"
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    def run(second: int, command: str, code: int, output: str) -> list[dict[str, Any]]:
        call = {"command": ["bash", "-lc", command], "workdir": cwd}
        answer = {"output": output, "metadata": {"exit_code": code, "duration_seconds": 0.1}}
        return [
            item(second, "function_call", f"c{second}", name="shell", arguments=json.dumps(call)),
            item(second + 1, "function_call_output", f"c{second}", output=json.dumps(answer)),
        ]

    patch = "*** Begin Patch\n*** Update File: src/cart.py\n@@\n-a\n+b\n*** End Patch"
    return [
        line(0, "session_meta", id="x1", timestamp="2026-04-01T10:00:00.000Z", cwd=cwd, originator="codex_cli_rs",
             cli_version="0.46.0", instructions=None, source="cli", git={"branch": "main"}),
        line(1, "response_item", **words("user", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>")),
        line(1, "response_item", **words("user", "# AGENTS.md instructions for /x\n\nAlways sing while coding.")),
        line(2, "response_item", **words("user", RULE)),
        line(2, "event_msg", type="user_message", message=RULE),
        line(3, "turn_context", cwd=cwd, model="gpt-5-codex"),
        line(4, "response_item", type="reasoning", summary=[], content=None, encrypted_content="gAAAA"),
        *run(5, "make check", 2, "E   ImportError: cannot import name 'Cart'"),
        item(8, "custom_tool_call", "p1", name="apply_patch", input=patch),
        item(9, "custom_tool_call_output", "p1", output='{"output":"Success","metadata":{"exit_code":0}}'),
        *run(10, "make check", 0, "12 passed"),
        line(13, "response_item", **words("assistant", "The import was wrong; `make check` passes now.")),
        line(14, "event_msg", type="token_count", info={}),
    ]  # fmt: skip


NAME = "rollout-2026-04-01T10-00-00-x1.jsonl"


def text_of(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def put(folder: Path) -> Path:
    path = folder / NAME
    path.write_text(text_of(codex()))
    return path


def only() -> Chat:
    [chat] = [one for one in read_codex(text_of(codex())) if isinstance(one, Chat)]
    return chat


# -- reading --------------------------------------------------------------------------------------------------------


def test_a_log_is_recognised_and_learned_once(stores: Stores, tmp_path: Path) -> None:
    path = put(tmp_path)
    assert detect(path.name, path.read_text()) == detect("x.jsonl", path.read_text()) == "codex"
    first = take(stores, path)
    assert (first.sessions, first.counts["taken"] >= 1) == (1, True)
    assert [one for one in active(stores) if "pnpm" in one.content and not one.tainted]
    events = stores.events.count()
    again = take(stores, path)
    assert (again.sessions, again.turns, again.counts["taken"], again.counts["unchanged"]) == (0, 0, 0, 1)
    assert stores.events.count() == events


def test_what_the_client_put_in_is_no_word_of_the_user() -> None:
    assert [turn.text for turn in only().turns if turn.kind == "prompt"] == [RULE]


def test_a_codex_session_is_read_as_commands_edits_and_results() -> None:
    chat = only()
    assert (chat.session_id, chat.cwd, chat.turns[0].branch) == ("x1", "/nowhere/shop", "main")
    assert [(turn.kind, turn.tool, turn.failed) for turn in chat.turns] == [
        ("prompt", "", False),
        ("tool_call", "Bash", False),
        ("tool_result", "", True),
        ("tool_call", "Edit", False),
        ("tool_result", "", False),
        ("tool_call", "Bash", False),
        ("tool_result", "", False),
        ("reply", "", False),
    ]
    assert [turn.input for turn in chat.turns if turn.input] == [
        {"command": "make check"},
        {"file_path": "src/cart.py"},
        {"command": "make check"},
    ]


def test_the_first_logs_of_codex_had_no_envelope() -> None:
    old: list[dict[str, Any]] = [
        {"id": "x0", "timestamp": "2025-07-01T10:00:00.000Z", "instructions": "be nice", "git": {"branch": "dev"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": RULE}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Fine."}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": "Exit code: 1\nWall time: 0\nOutput:\nno such file"},
    ]
    [chat] = read_codex(text_of(old))
    assert isinstance(chat, Chat)
    assert [(turn.kind, turn.text, turn.failed) for turn in chat.turns] == [
        ("prompt", RULE, False),
        ("reply", "Fine.", False),
        ("tool_call", "", False),
        ("tool_result", "no such file", True),
    ]


# -- importing ------------------------------------------------------------------------------------------------------


def test_secrets_stay_out(stores: Stores, tmp_path: Path) -> None:
    path = put(tmp_path)
    path.write_text(path.read_text().replace(RULE, f"{RULE} The token is {SECRET}."))
    assert take(stores, path).secrets >= 1
    kept = [turn.text for turn in stores.transcripts.turns("x1")]
    assert kept and not [words for words in kept if SECRET in words]
    assert not [one for one in active(stores) if SECRET in one.content]


def test_of_a_conversation_that_went_on_only_the_rest_is_read(stores: Stores, tmp_path: Path) -> None:
    path = put(tmp_path)
    take(stores, path)
    more = {
        "timestamp": "2026-04-02T10:00:00.000Z",
        "type": "event_msg",
        "payload": {"type": "user_message", "message": "The dev server runs on port 4100."},
    }
    path.write_text(path.read_text() + json.dumps(more) + "\n")
    report = take(stores, path)
    assert (report.sessions, report.turns, report.counts["taken"]) == (1, 1, 1)
    assert [one for one in active(stores) if "4100" in one.content]


def test_a_session_with_a_directory_belongs_to_its_project_unless_another_is_given(
    stores: Stores, tmp_path: Path
) -> None:
    path = put(tmp_path)
    take(stores, path)
    assert {one.project_id for one in active(stores)} == {"/nowhere/shop"}


def test_a_given_project_wins(stores: Stores, tmp_path: Path) -> None:
    take(stores, put(tmp_path), Destination("mine", is_given=True))
    assert {one.project_id for one in active(stores)} == {"mine"}


def test_a_dry_run_counts_and_writes_nothing(stores: Stores, tmp_path: Path) -> None:
    path = put(tmp_path)
    tried = take(stores, path, dry_run=True)
    assert tried.turns > 0
    assert (stores.events.count(), stores.queue.counts(), active(stores)) == (0, {}, [])
    assert take(stores, path).counts == tried.counts


def test_the_command_takes_files_and_folders_and_says_what_it_did(home: Home) -> None:
    repo = home.project()
    day = home.home / ".codex" / "sessions" / "2026" / "04" / "01"
    day.mkdir(parents=True)
    put(day).write_text("".join(json.dumps(row) + "\n" for row in codex(str(repo))))
    rules = repo / ".cursor" / "rules"
    rules.mkdir(parents=True)
    (rules / "api.mdc").write_text(
        "---\ndescription: API\nglobs: src/api/**/*.ts, src/api/*.md\nalwaysApply: false\n---\n"
        "# API\n\n- Every route validates its input with zod.\n"
    )
    (rules / "all.mdc").write_text(
        "---\ndescription:\nglobs:\nalwaysApply: true\n---\n- Never commit generated code.\n"
    )
    done = home.nous("import", str(home.home / ".codex" / "sessions"), str(rules), cwd=repo)
    assert done.returncode == 0, done.stderr
    assert "(codex): conversations: 1 with 8 new turns" in done.stdout
    listed = home.nous("list", cwd=repo).stdout
    assert "In `src/api/**/*.ts`, `src/api/*.md`: Every route validates its input with zod." in listed
    assert "Never commit generated code." in listed and "pnpm" in listed
    again = json.loads(home.nous("import", str(rules), str(home.home / ".codex"), "--json", cwd=repo).stdout)
    assert [(one["taken"], one["turns"]) for one in again["imports"]] == [(0, 0)] * 3


# -- bad input ------------------------------------------------------------------------------------------------------


def test_a_file_that_breaks_off_is_read_up_to_there(stores: Stores, tmp_path: Path) -> None:
    path = put(tmp_path)
    path.write_text(path.read_text()[:-40])
    assert take(stores, path).skipped["it is no record"] == 1


@pytest.mark.parametrize("text", ["not json\nat all", '{"type": "session_meta", "payload": {"id": "x"}}'])
def test_what_holds_no_conversation_is_one_sentence(stores: Stores, tmp_path: Path, text: str) -> None:
    path = tmp_path / "rollout.jsonl"
    path.write_text(text)
    with pytest.raises(NousError) as refused:
        import_file(stores, str(path), HERE, lambda: NOW, format_="codex")
    assert "\n" not in str(refused.value)
    assert stores.queue.counts() == {}


def test_a_conversation_of_megabytes_is_cut_into_units(stores: Stores, tmp_path: Path) -> None:
    head = codex()[0]
    filler = [
        {
            "timestamp": f"2026-04-01T11:{n // 60:02}:{n % 60:02}.000Z",
            "type": "event_msg",
            "payload": {"type": "user_message", "message": f"{n} " + "word " * 3000},
        }
        for n in range(120)
    ]
    path = tmp_path / NAME
    path.write_text(text_of([head, *filler]))
    assert take(stores, path).turns == 120
    assert stores.queue.counts()["completed"] > 3
    assert take(stores, path).turns == 0


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["id", "content", "message", "type", "payload", "role", "call_id", "arguments", "output", "text", "name"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@given(JUNK)
def test_no_json_breaks_the_reader(value: Any) -> None:
    try:
        found = read_codex(json.dumps(value))
    except NousError:
        return
    assert all(isinstance(one, Chat | Skipped) for one in found)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        read_codex(text)
    except NousError:
        return


@given(st.data())
def test_damage_to_a_real_file_never_breaks_the_reader(data: st.DataObject) -> None:
    """Some value anywhere in the file is something else."""
    rows = codex()
    inner: Any = rows
    while isinstance(inner, list | dict) and inner:
        key = data.draw(st.sampled_from(range(len(inner)) if isinstance(inner, list) else sorted(inner)))
        if not isinstance(inner[key], list | dict) or not inner[key] or data.draw(st.booleans()):
            inner[key] = data.draw(st.sampled_from([None, 3, "x", [], {}, [None], {"a": 1}]))
            break
        inner = inner[key]
    assert read_codex(text_of(rows))
