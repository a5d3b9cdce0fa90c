"""What each hook is told, over the life of a session."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from factories import NOW, Home, extracted, memory
from nous.features.brief.packets import warm_all
from nous.features.rules_reader.snapshots import snapshot
from nous.identity import SESSIONS, context_key, identify
from nous.kernel.capture.queue import Artifact
from nous.kernel.capture.transcript import Turn
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.hooks.hookstore import HookStore
from nous.kernel.hooks.packing import BRIEF_LINES, Entry
from nous.kernel.hooks.responses import CUT_HEADING, Budgets, HookContext, answer
from nous.kernel.learn.receipts import note
from nous.kernel.memory.decay import DAY
from nous.kernel.memory.projection import catch_up
from nous.kernel.recall.worth import entry
from nous.kernel.stores import Stores
from nous.moments import later

Ask = Callable[..., list[int]]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project with a file."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return tmp_path


def learn(stores: Stores, place: Path, *facts: dict[str, Any], now: str = NOW, warmed: Path | None = None) -> list[int]:
    """Put memories into the project's packets; their numbers."""
    project = identify(str(place))
    events = [
        extracted(f"l{stores.events.last_id()}-{n}", project_id=project.id, **fact) for n, fact in enumerate(facts)
    ]
    numbers = [number for number in stores.events.append(events, now) if number]
    catch_up(stores, now)
    stores.cache.see_project(project.id, project.root, project.branch, now)
    warm_all(stores, now, frozenset({identify(str(warmed)).id}) if warmed else None)
    return numbers


@pytest.fixture
def ask(stores: Stores, place: Path) -> Ask:
    """Send a hook; the numbers of the memories it was told."""

    def send(name: str, session: str = "s1", now: str = NOW, **fields: Any) -> list[int]:
        assert isinstance(stores.db, Sqlite)
        prompts = fields.pop("prompts", True)
        body = json.dumps({"session_id": session, "cwd": str(place)} | fields).encode()
        said = answer(name, body, HookContext(HookStore(stores.db.connection), now, prompts=prompts))
        text = json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""
        return [int(number) for number in re.findall(r"\[Memory #(\d+):", text)]

    return send


def test_each_session_gets_the_brief_once(stores: Stores, place: Path, ask: Ask) -> None:
    [one] = learn(stores, place, {"content": "Use pnpm."})
    assert ask("SessionStart", source="startup") == [one]
    assert ask("SessionStart", source="resume") == []
    assert ask("SessionStart", "s2", source="startup") == [one]


def test_a_rule_for_a_time_is_shown_until_its_end_without_anything_being_prepared_anew(
    stores: Stores, place: Path, ask: Ask
) -> None:
    end = later(NOW, 3 * DAY)
    [one] = learn(stores, place, {"content": "Until Friday do not deploy.", "valid_until": end})
    assert ask("SessionStart", now=later(end, -1), source="startup") == [one]
    assert ask("SessionStart", "s2", now=end, source="startup") == []


@pytest.mark.parametrize("announces", [True, False])
def test_a_start_says_on_the_screen_how_many_lines_it_brought(stores: Stores, place: Path, announces: bool) -> None:
    assert isinstance(stores.db, Sqlite)
    context = HookContext(HookStore(stores.db.connection), NOW, announces=announces)
    start = json.dumps({"session_id": "s", "cwd": str(place), "source": "startup"}).encode()
    assert answer("SessionStart", start, context) == b"", "nothing is shown, nothing is said"
    learn(stores, place, {"content": "Use pnpm."}, {"content": "Never amend a commit."})
    said = json.loads(answer("SessionStart", start, context)).get("systemMessage")
    assert said == ("Nous: 2 lines from earlier sessions. `nous preview` shows them." if announces else None)


def test_a_resumed_session_gets_only_what_is_new(stores: Stores, place: Path, ask: Ask) -> None:
    learn(stores, place, {"content": "Use pnpm."})
    ask("SessionStart", source="startup")
    [two] = learn(stores, place, {"content": "Deploys happen on Tuesdays."}, now=later(NOW, 60))
    assert ask("SessionStart", now=later(NOW, 120), source="resume") == [two]


def test_a_compacted_session_gets_back_what_was_lost(stores: Stores, place: Path, ask: Ask) -> None:
    [one] = learn(stores, place, {"content": "Use pnpm."})
    ask("SessionStart", source="startup")
    assert ask("SessionStart", source="compact") == [one]
    assert ask("SessionStart", source="resume") == []


def test_a_resumed_session_is_not_told_of_its_own_work(stores: Stores, place: Path, ask: Ask) -> None:
    learn(stores, place, {"content": "Use pnpm."})
    ask("SessionStart", source="startup")
    learn(stores, place, {"content": "The parser is half done.", "type": "work_state"}, now=later(NOW, 60))
    assert ask("SessionStart", now=later(NOW, 120), source="resume") == []


def test_what_did_not_fit_at_the_start_does_not_follow_at_a_resume(stores: Stores, place: Path, ask: Ask) -> None:
    rules = [
        {"content": f"Never touch the {word}."}
        for word in ["aloe", "birch", "cedar", "daisy", "elm", "fern", "gorse", "hazel", "ivy"]
    ]
    learn(stores, place, *rules, *({"content": f"Always water the {n * n} roses of field {n}."} for n in range(9)))
    assert len(ask("SessionStart", source="startup")) == BRIEF_LINES
    assert ask("SessionStart", source="resume") == []


def test_a_failed_command_is_not_answered_with_that_command(stores: Stores, place: Path, ask: Ask) -> None:
    [same, other] = learn(
        stores,
        place,
        {"content": "Run the tests with `npm test`", "type": "procedure"},
        {"content": "`npm test` failed with “no tty”; `npm run ci` works.", "type": "error_pattern"},
    )
    failed = {"tool_name": "Bash", "tool_input": {"command": "cd app && npm test"}, "error": "npm said: no tty"}
    assert same != other and ask("PostToolUseFailure", **failed) == [other]


def test_a_cleared_session_is_a_new_one(stores: Stores, place: Path, ask: Ask) -> None:
    [one] = learn(stores, place, {"content": "Use pnpm."})
    ask("SessionStart", "old", source="startup")
    assert ask("SessionStart", "new", source="clear") == [one]


def test_a_forked_session_holds_what_its_history_says(stores: Stores, place: Path, ask: Ask) -> None:
    learn(stores, place, {"content": "Use pnpm."})
    [two] = learn(stores, place, {"content": "Deploys happen on Tuesdays."}, now=later(NOW, 100))
    told = ask("SessionStart", "fork", later(NOW, 120), source="fork", seconds_since_last_response=60)
    assert told == [two]


def test_a_warning_follows_the_file_once(stores: Stores, place: Path, ask: Ask) -> None:
    gotcha = {"content": "now() is naive UTC on purpose.", "type": "gotcha", "files": ("app/clock.py",)}
    [one] = learn(stores, place, gotcha)
    read = {"tool_name": "Read", "tool_input": {"file_path": str(place / "app" / "clock.py")}}
    assert ask("PostToolUse", **read) == [one]
    assert ask("PostToolUse", **read) == []
    assert ask("PostToolUse", "s2", **read) == [one]


def test_a_warning_is_not_repeated_after_the_brief(stores: Stores, place: Path, ask: Ask) -> None:
    [one] = learn(stores, place, {"content": "now() is naive.", "type": "gotcha", "files": ("app/clock.py",)})
    assert ask("SessionStart", source="startup") == [one]
    read = {"tool_name": "Read", "tool_input": {"file_path": str(place / "app" / "clock.py")}}
    assert ask("PostToolUse", **read) == []


@pytest.mark.parametrize(
    "call",
    [
        {"tool_name": "Read", "tool_input": {"file_path": "/else/where/other.py"}},
        {"tool_name": "Read", "tool_input": {"file_path": "/else/where/notclock.py"}},
        {"tool_name": "Bash", "tool_input": {"command": "cat app/clock.py"}},
        {"tool_name": "Read", "tool_input": {}},
        {"tool_name": "Read", "tool_input": None},
    ],
)
def test_other_files_get_no_warning(stores: Stores, place: Path, ask: Ask, call: dict[str, Any]) -> None:
    learn(stores, place, {"content": "now() is naive.", "type": "gotcha", "files": ("app/clock.py",)})
    assert ask("PostToolUse", **call) == []


def found(*numbers: int) -> Callable[[str, str, str], list[Entry]]:
    return lambda text, project, branch: [entry(memory(n, f"Answer {n}.", type="error_pattern"), NOW) for n in numbers]


SHIPPING = (
    {"content": "Labels are rejected above 31 kilos.", "type": "gotcha", "files": ("app/carriers/dhl.py",)},
    {"content": "Hermes franking needs the blue cartridge.", "type": "gotcha"},
)


def test_the_first_prompt_is_told_what_it_names_and_no_later_one(stores: Stores, place: Path, ask: Ask) -> None:
    dhl, hermes = learn(stores, place, *SHIPPING)
    assert ask("UserPromptSubmit", prompt="DHL refuses our parcels") == [dhl], "the parts of a path are words"
    assert ask("UserPromptSubmit", prompt="how does Hermes franking work?") == []
    assert ask("UserPromptSubmit", "s2", prompt="how does Hermes franking work?") == [hermes]


@pytest.mark.parametrize("kind", ["fact", "error_pattern"])
@pytest.mark.parametrize("written_by", ["read@1/recorded:test", "regex@1"])
def test_a_prompt_is_not_told_how_things_are_by_a_model(
    stores: Stores, place: Path, ask: Ask, kind: str, written_by: str
) -> None:
    fact = {"content": "Hermes franking needs the blue cartridge.", "concepts": ("hermes", "franking")}
    learn(stores, place, fact | {"type": kind, "extractor_version": written_by})
    is_told = bool(ask("UserPromptSubmit", prompt="how does Hermes franking work?"))
    assert is_told is not written_by.startswith("read@")


@pytest.mark.parametrize("prompt", ["continue", "fix the bug", "refresh the table by hand", "what do we do every day?"])
def test_a_prompt_that_names_nothing_is_met_with_silence(stores: Stores, place: Path, ask: Ask, prompt: str) -> None:
    learn(stores, place, *SHIPPING)
    assert ask("UserPromptSubmit", prompt=prompt) == []


@pytest.mark.parametrize("mark", ["<task-notification>", "/compact ", "[Request interrupted by user] "])
def test_prompts_of_machines_get_no_answer(stores: Stores, place: Path, ask: Ask, mark: str) -> None:
    learn(stores, place, *SHIPPING)
    assert ask("UserPromptSubmit", prompt=f"{mark}DHL refuses our parcels") == []


def test_prompts_are_answered_only_when_switched_on(stores: Stores, place: Path, ask: Ask) -> None:
    learn(stores, place, *SHIPPING)
    assert ask("UserPromptSubmit", prompt="DHL refuses our parcels", prompts=False) == []


KILNS = (
    ("error_pattern", "`glaze fire` failed with “the kiln door is open”; fixed by `kiln latch`"),
    ("gotcha", "ImportError libglaze.so.5 means that the library is missing: run scripts/glaze.sh."),
    ("gotcha", "E1101 of the potter's database means that the VPN is down."),
    ("procedure", "The wrapper `fast` always fails for `npm` (no such command): run plain `npm test` instead."),
    ("procedure", "`glaze mix` fails in this project; `glaze mix --slow` works."),
    ("procedure", "Python runs from the environment `.kiln` in this project: `.kiln/bin/python -m pots`."),
    ("procedure", "Run the tests with `npm test`"),
)


@pytest.mark.parametrize(
    ("command", "error", "told"),
    [
        ("glaze fire --hot", "fatal: the kiln door   is open", [0]),
        ("./run", "ImportError: libglaze.so.5: cannot open shared object file", [1]),
        ("./run", "psql: E1101 cannot connect", [2]),
        ("fast npm test", "error: no such command 'npm'", [3]),
        ("glaze mix", "out of water", [4]),
        ("python -m pots", "No module named pots", [5]),
        ("npm test", "1 failed, 3 passed", []),
        ("fast git status", "no such command", []),
        ("glaze mix --slow", "out of water", []),
        (".kiln/bin/python -m pots", "No module named clay", []),
        ("npm run lint", "the potter's database is not in the glossary", []),
    ],
)
def test_a_failed_command_hears_only_of_that_failure(
    stores: Stores, place: Path, ask: Ask, command: str, error: str, told: list[int]
) -> None:
    numbers = learn(stores, place, *({"type": kind, "content": said} for kind, said in KILNS))
    failure = {"tool_name": "Bash", "tool_input": {"command": command}, "error": f"Exit code 1\n{error}"}
    assert ask("PostToolUseFailure", **failure, is_interrupt=True) == []
    assert ask("PostToolUseFailure", **failure) == [numbers[one] for one in told]
    assert ask("PostToolUseFailure", **failure) == []


def test_every_injection_leaves_a_receipt(stores: Stores, place: Path, ask: Ask) -> None:
    [one] = learn(stores, place, {"content": "Use pnpm."})
    ask("SessionStart", source="startup")
    assert isinstance(stores.db, Sqlite)
    rows = stores.db.connection.execute("SELECT session_id, hook, trigger, characters > 0 FROM injections").fetchall()
    assert rows == [("s1", "SessionStart", "startup", 1)]
    assert stores.db.connection.execute("SELECT memory_id FROM injected_memories").fetchall() == [(one,)]


@pytest.fixture
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another project."""
    path = tmp_path_factory.mktemp("other")
    (path / ".git").mkdir()
    return path


def test_another_project_is_told_nothing(stores: Stores, place: Path, ask: Ask, other: Path) -> None:
    learn(stores, place, {"content": "Use pnpm."})
    assert ask("SessionStart", source="startup", cwd=str(other)) == []


def test_what_holds_everywhere_is_told_everywhere(stores: Stores, place: Path, ask: Ask, other: Path) -> None:
    [one] = learn(stores, place, {"content": "No emoji in commits.", "scope": "global"})
    assert ask("SessionStart", source="startup", cwd=str(other)) == [one]


def test_a_subagent_has_a_context_of_its_own(stores: Stores, place: Path, ask: Ask) -> None:
    [one] = learn(stores, place, {"content": "now() is naive.", "type": "gotcha", "files": ("app/clock.py",)})
    read = {"tool_name": "Read", "tool_input": {"file_path": str(place / "app" / "clock.py")}}
    assert ask("PostToolUse", **read) == [one]
    assert ask("PostToolUse", agent_id="a1", **read) == [one]
    assert ask("PostToolUse", agent_id="a1", **read) == []


def test_a_notebook_is_a_file_too(stores: Stores, place: Path, ask: Ask) -> None:
    [one] = learn(stores, place, {"content": "Run cells in order.", "type": "gotcha", "files": ("eda.ipynb",)})
    call = {"tool_name": "NotebookEdit", "tool_input": {"notebook_path": str(place / "eda.ipynb")}}
    assert ask("PostToolUse", **call) == [one]


def test_a_new_memory_for_everywhere_reaches_projects_that_did_not_change(
    stores: Stores, place: Path, other: Path
) -> None:
    learn(stores, other, {"content": "Something of its own."})
    [one] = learn(stores, place, {"content": "No emoji in commits.", "scope": "global"}, warmed=place)
    pool = stores.cache.get(context_key(identify(str(other)).id, ""))
    assert pool is not None
    assert one in [fields[0] for fields in json.loads(pool)]


def turn(kind: Any, text: str, session: str = "s1", agent: str = "") -> Turn:
    return Turn(uuid=f"{kind}-{text}", kind=kind, at=later(NOW, 60), session_id=session, text=text, agent_id=agent)


def test_what_came_of_a_memory_is_counted(stores: Stores, place: Path, ask: Ask) -> None:
    one, two = learn(stores, place, {"content": "Use pnpm."}, {"content": "Deploys happen on Tuesdays."})
    for session in ("s1", "s2"):
        ask("SessionStart", session, source="startup")
    said = [turn("injection", f"Memory #{one} Memory #{two}"), turn("reply", f"As [Memory #{one}: x] says, pnpm.")]
    note(stores.accesses, stores.injections, said, NOW)
    note(stores.accesses, stores.injections, said, NOW)  # a transcript that is read twice counts once
    assert stores.injections.effect(one) == {"memory_id": one, "injected": 2, "acknowledged": 1, "referenced": 1}
    assert (effect := stores.injections.effect(two)) and (effect["injected"], effect["referenced"]) == (2, 0)


def test_what_cites_no_memory_is_seen_by_its_session_alone(stores: Stores) -> None:
    assert isinstance(stores.db, Sqlite)
    store = HookStore(stores.db.connection)
    for session in ("s1", "s2"):
        store.keep_receipt(
            (),
            (),
            context=session,
            project_id="p",
            hook="PostToolUse",
            trigger="Grep",
            key="k",
            characters=40,
            latency_ms=1.0,
            now=NOW,
        )
    note(stores.accesses, stores.injections, [turn("injection", ""), turn("reply", "Done.", "s2")], NOW)
    seen = {row["session_id"]: row["acknowledged_at"] for row in stores.injections.recent()}
    assert seen == {"s1": later(NOW, 60), "s2": None}


def test_a_session_knows_what_it_and_its_agents_were_given(stores: Stores, place: Path, ask: Ask) -> None:
    one, two = learn(
        stores, place, {"content": "Use pnpm."}, {"content": "now() is naive.", "type": "gotcha", "files": ("a.py",)}
    )
    ask("SessionStart", source="startup")
    ask("SessionStart", "s10", source="startup")
    ask("PostToolUse", agent_id="a1", tool_name="Read", tool_input={"file_path": str(place / "a.py")})
    note(
        stores.accesses,
        stores.injections,
        [turn("injection", f"Memory #{two}", agent="a1"), turn("reply", f"Memory #{two}", agent="a1")],
        NOW,
    )
    rows = stores.injections.of_session("s1")
    assert [(row["memory_id"], row["acknowledged_at"], row["referenced_at"]) for row in rows] == [
        (one, None, None),
        (two, later(NOW, 60), later(NOW, 60)),
    ]


def test_the_command_shows_effects(home: Home) -> None:
    number = json.loads(home.nous("remember", "Use pnpm.", "--json").stdout)["id"]
    body = json.dumps({"session_id": "s1", "cwd": str(home.home), "source": "startup"})
    assert home.nous("hook", "SessionStart", stdin=body).stdout
    counts = {"memory_id": number, "injected": 1, "acknowledged": 0, "referenced": 0}
    assert json.loads(home.nous("receipts", "--memory", str(number), "--json").stdout)["effect"] == counts
    assert json.loads(home.nous("explain", str(number), "--json").stdout)["effect"] == counts
    assert "shown 1 time" in home.nous("explain", str(number)).stdout
    assert home.nous("receipts", "--memory", "999").returncode == 1


def test_where_a_session_stood_is_told_after_its_context_was_cut_and_to_nobody_else(
    stores: Stores, place: Path
) -> None:
    learn(stores, place, {"content": "Use pnpm."})
    unit = Turn(uuid="u", kind="prompt", at=NOW, session_id="s1", text="Add a retry with three tries to the mailer.")
    artifact = Artifact(
        source="fs_watch",
        project_id="p",
        session_id="s1",
        transcript_path="/t/s1.jsonl",
        file_inode="1",
        file_offset=0,
        end_offset=9,
        payload=msgspec.json.encode([unit]).decode(),
        idempotency_key="k",
    )
    stores.queue.enqueue(artifact, NOW)
    assert snapshot(stores, "/t/s1.jsonl", "s1", NOW) == ("Goal: Add a retry with three tries to the mailer",)
    warm_all(stores, NOW)  # packets come and go; this stays

    def told(session: str, source: str, budget: int = 1500) -> str:
        assert isinstance(stores.db, Sqlite)
        body = json.dumps({"session_id": session, "cwd": str(place), "source": source}).encode()
        said = answer("SessionStart", body, HookContext(HookStore(stores.db.connection), NOW, budgets=Budgets(budget)))
        return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said else ""

    assert told("s1", "compact").endswith(f"{CUT_HEADING}\n- Goal: Add a retry with three tries to the mailer")
    assert [told(*who).count("retry") for who in (("s1", "startup"), ("s2", "compact"))] == [0, 0]
    assert "retry" not in told("s1", "compact", 30)
    stores.cache.expire(SESSIONS, later(NOW, 1))
    assert "retry" not in told("s1", "compact")
