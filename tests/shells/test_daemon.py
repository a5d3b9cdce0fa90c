"""The daemon as a real process: one per data directory, gone when told, back when needed."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from factories import NOW, Home, extracted, standing_in
from kernel.test_capture import lines, record
from nous.app import system_clock
from nous.config import Settings, load_settings
from nous.identity import context_key, identify
from nous.kernel.stores import open_stores
from nous.moments import later
from nous.shells import hooks
from nous.shells.daemon.engine import Engine
from nous.shells.quick import ask_daemon

ROOT = Path(__file__).resolve().parents[2]
HOOK = ROOT / "plugin" / "hooks" / "hook.py"
SECONDS = 30.0  # things take a second; a busy machine gets more before a test speaks of failure


def daemons(home: Home) -> set[int]:
    """Every daemon of a home that is alive, asked of the system and not of the daemon."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path("/proc", pid, "cmdline").read_bytes().split(b"\0")
            environ = Path("/proc", pid, "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"up" in command and f"NOUS_DATA_DIR={home.data}".encode() in environ:
            found.add(int(pid))
    return found


def eventually(holds: Callable[[], Any], seconds: float = SECONDS) -> Any:
    """What `holds` gives as soon as it is true; a failure when it never is."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.05)
    return found


def status(home: Home) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(home.nous("status", "--json").stdout)["daemon"]
    return said


def up(home: Home) -> int:
    done = home.nous("up", "--json")
    assert done.returncode == 0, done.stderr
    pid: int = json.loads(done.stdout)["pid"]
    return pid


def hook(home: Home, name: str, project: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the hook as the client does."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(HOOK), name, str(ROOT / "src"), sys.executable],
        input=json.dumps({"session_id": str(uuid.uuid4()), "cwd": str(project), "hook_event_name": name}),
        capture_output=True,
        text=True,
        env=home.environ | environ,
        timeout=300,
        check=False,
    )


def test_up_status_down(home: Home) -> None:
    assert not status(home)["running"]
    pid = up(home)
    assert daemons(home) == {pid}
    assert status(home)["running"] and status(home)["pid"] == pid
    assert up(home) == pid
    done = home.nous("down")
    assert done.returncode == 0 and "stopped" in done.stdout
    eventually(lambda: not daemons(home))
    assert not (home.data / "nous.sock").exists()
    assert "no daemon" in home.nous("down").stdout


def test_what_only_asks_is_run_by_a_daemon_with_the_same_settings_and_says_the_same(home: Home) -> None:
    app = home.project("app")
    for text in ("Parcels are weighed in grams.", "Parcels above 30 kg go by freight."):
        home.nous("remember", text, cwd=app)
    asked = (["recall", "parcels"], ["recall", "parcels", "--json"], ["list"], ["list", "--project", "../app"])
    wrong = (["get", "99"], ["list", "--limit", "x"], ["get", "--help"])

    def said(*words: str, **environ: str) -> tuple[int, str, str]:
        done = home.apart(*words, cwd=app, **environ)
        return done.returncode, re.sub(r"\d+\.\d+", "0", done.stdout), done.stderr  # scores fade with every second

    def is_run_by_daemon(*words: str, **environ: str) -> bool:
        with standing_in(app, home.environ | environ, ["nous", *words], ""), redirect_stdout(TextIOWrapper(BytesIO())):
            return ask_daemon(words, os.environ)

    alone = [said(*words) for words in (*asked, *wrong)]
    assert not is_run_by_daemon("recall", "parcels")
    assert home.nous("up").returncode == 0
    assert [said(*words) for words in (*asked, *wrong)] == alone
    assert all(is_run_by_daemon(*words) for words in (*asked, ["get", "1"], ["status"]))
    assert not any(is_run_by_daemon(*words) for words in (*wrong, ["remember", "x"]))
    assert not is_run_by_daemon("recall", "parcels", NOUS_PROMPT_TOKENS="500")
    before = json.loads(home.nous("explain", "1", "--json", cwd=app).stdout)["use"]["accesses"]
    assert is_run_by_daemon("get", "1")
    after = json.loads(home.nous("explain", "1", "--json", cwd=app).stdout)["use"]["accesses"]
    assert after == before + 2  # explain asks for it too


def test_a_daemon_that_stops_leaves_no_file_beside_the_database(home: Home) -> None:
    """Its own search and the threads that answered hooks have let go of it before anybody is told that it stopped."""
    up(home)
    assert hook(home, "SessionStart", home.project()).returncode == 0
    assert home.nous("down").returncode == 0
    assert home.nous("list", "--all-projects").returncode == 0  # the last to close it
    assert [path.name for path in home.data.glob("cortex.db*")] == ["cortex.db"]


def test_a_second_daemon_is_refused_with_one_sentence(home: Home) -> None:
    pid = up(home)
    done = home.nous("up", "--foreground")
    assert done.returncode == 1
    assert done.stderr == f"error: a daemon is already running (process {pid})\n"
    assert daemons(home) == {pid}


def test_an_appended_transcript_is_learned_and_its_packet_is_warm(home: Home) -> None:
    project = home.project()
    up(home)
    file = home.transcripts / "-a-new-directory" / "s1.jsonl"
    file.parent.mkdir()
    file.write_bytes(lines(record("We use pnpm, not npm.", cwd=str(project))))
    said = eventually(lambda: hook(home, "SessionStart", project).stdout)
    assert "pnpm" in json.loads(said)["hookSpecificOutput"]["additionalContext"]
    with file.open("ab") as more:
        more.write(lines(record("Please always run make lint before you commit.", cwd=str(project))))
    eventually(lambda: "make lint" in hook(home, "SessionStart", project).stdout)


def test_a_termination_signal_ends_it_cleanly(home: Home) -> None:
    pid = up(home)
    os.kill(pid, signal.SIGTERM)
    eventually(lambda: not daemons(home))
    assert not (home.data / "nous.sock").exists()
    assert "daemon stopped" in (home.data / "daemon.log").read_text()


def test_after_a_kill_the_next_one_takes_over_the_stale_socket(home: Home) -> None:
    first = up(home)
    os.kill(first, signal.SIGKILL)
    eventually(lambda: not daemons(home))
    assert (home.data / "nous.sock").exists()
    second = up(home)
    assert second != first and status(home)["pid"] == second
    assert daemons(home) == {second}


def test_it_ends_when_its_data_directory_vanishes(home: Home) -> None:
    up(home)
    shutil.rmtree(home.data)
    eventually(lambda: not daemons(home))


def test_many_hooks_at_once_start_exactly_one_daemon(home: Home) -> None:
    project = home.project()
    environ = {name: value for name, value in home.environ.items() if name != "NOUS_NO_AUTOSTART"}
    body = json.dumps({"session_id": "x", "cwd": str(project), "hook_event_name": "SessionStart"})
    hooks = [
        subprocess.Popen(
            [sys.executable, "-I", "-S", str(HOOK), "SessionStart", str(ROOT / "src"), sys.executable],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=environ,
        )
        for _ in range(6)
    ]
    for process in hooks:
        process.communicate(body.encode(), timeout=300)
    eventually(lambda: status(home)["running"])
    eventually(lambda: len(daemons(home)) == 1)
    assert daemons(home) == {status(home)["pid"]}


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_repeated_starts_and_ends_leave_nobody_behind(home: Home, how: signal.Signals) -> None:
    for _ in range(3):
        os.kill(up(home), how)
        eventually(lambda: not daemons(home))
    assert not daemons(home)


def test_events_that_another_process_wrote_reach_the_packets(home: Home) -> None:
    project = home.project()
    up(home)
    stores = open_stores(str(home.data / "cortex.db"))
    where = identify(str(project), str(home.data))
    stores.cache.see_project(where.id, where.root, where.branch, NOW)
    said = "Deploys go through make ship."
    event = extracted("l1", said, project_id=where.id, session_id="s", confidence=0.95, valid_from=NOW)
    stores.events.append([event], NOW)
    stores.close()
    eventually(lambda: said in hook(home, "SessionStart", project).stdout)


def test_it_survives_that_all_transcripts_are_deleted(home: Home) -> None:
    project = home.project()
    pid = up(home)
    shutil.rmtree(home.transcripts)
    time.sleep(1.0)
    file = home.transcripts / "p" / "s1.jsonl"
    file.parent.mkdir(parents=True)
    file.write_bytes(lines(record("We use pnpm, not npm.", cwd=str(project))))
    eventually(lambda: "pnpm" in hook(home, "SessionStart", project).stdout)
    assert status(home)["pid"] == pid


def test_it_says_how_much_it_uses(home: Home) -> None:
    up(home)
    said = status(home)
    assert said["engine"] and said["watching"] == "by notification"
    assert 10_000_000 < said["rss_bytes"] < 300_000_000
    assert said["transcripts"]["bytes"] == 0


def test_a_session_that_stops_is_learned_at_once(home: Home) -> None:
    project = home.project()
    home.environ["NOUS_QUIET_SECONDS"] = "600"
    up(home)
    file = home.transcripts / "p" / "s1.jsonl"
    file.parent.mkdir()
    file.write_bytes(lines(record("We use pnpm, not npm.", cwd=str(project))))
    eventually(lambda: json.loads(home.nous("queue", "--json").stdout)["queue"].get("pending") == 1)
    payload = {"session_id": "s1", "cwd": str(project), "hook_event_name": "Stop", "transcript_path": str(file)}
    command = [sys.executable, "-I", "-S", str(HOOK), "Stop", str(ROOT / "src"), sys.executable]
    subprocess.run(command, input=json.dumps(payload), text=True, env=home.environ, check=True, timeout=300)
    eventually(lambda: json.loads(home.nous("queue", "--json").stdout)["queue"] == {"completed": 1}, 12)


def test_a_clock_that_jumps_stops_nothing(home: Home) -> None:
    project = home.project()
    home.environ["NOUS_QUIET_SECONDS"] = "0.1"
    settings = load_settings(home.environ)
    ahead = [0.0]
    engine = Engine(settings, lambda: later(system_clock(), ahead[-1] * 3600))
    engine.start()
    try:
        for number, hours in enumerate([0.0, -9.0, 30.0]):
            ahead.append(hours)
            file = home.transcripts / "p" / f"s{number}.jsonl"
            file.parent.mkdir(parents=True, exist_ok=True)
            said = f"Remember: service {number} listens on port {4100 + number}."
            file.write_bytes(lines(record(said, cwd=str(project), sessionId=f"s{number}")))
            engine.changed(str(file))
            eventually(partial(_lists, home, project, str(4100 + number)))
    finally:
        engine.stop()
        engine.join(timeout=30)
    assert not engine.is_alive()


def _lists(home: Home, project: Path, words: str) -> bool:
    return words in home.nous("list", cwd=project).stdout


def test_another_branch_gets_packets_of_its_own(home: Home) -> None:
    project = home.project()
    assert home.nous("remember", "Use pnpm.", cwd=project).returncode == 0
    up(home)
    time.sleep(1.5)  # the branch it starts from has been seen
    home.git(project, "checkout", "-q", "-b", "feature/retry")

    def is_prepared() -> bool:
        stores = open_stores(str(home.data / "cortex.db"))
        found = stores.cache.get(context_key(identify(str(project)).id, "feature/retry"))
        stores.close()
        return found is not None and "Use pnpm." in found

    eventually(is_prepared)


@pytest.mark.parametrize("way", ["pipe", "command"])
def test_settings_of_the_clients_environment_reach_a_daemon_that_runs(home: Home, way: str) -> None:
    project = home.project()
    text = "Parcels of the warehouse leave by ./ship.sh before noon."
    home.nous("remember", text, "--tag", "warehouse", "--tag", "parcels", cwd=project)
    up(home)

    def prompted(session: str, **environ: str) -> str:
        payload = {
            "session_id": session,
            "cwd": str(project),
            "prompt": "Why is the parcels page of the warehouse empty?",
        }
        body = json.dumps(payload | {"hook_event_name": "UserPromptSubmit"})
        start = ["-m", "nous", "hook"] if way == "command" else ["-I", "-S", str(HOOK)]
        order = [sys.executable, *start, "UserPromptSubmit"]
        environment = home.environ | environ
        return subprocess.run(order, input=body, env=environment, text=True, capture_output=True, check=True).stdout

    assert prompted("a") == ""
    assert "./ship.sh" in prompted("b", NOUS_ENABLE_USERPROMPTSUBMIT="1")
    assert prompted("c", NOUS_ENABLE_USERPROMPTSUBMIT="1", NOUS_PROMPT_TOKENS="1") == ""
    assert "./ship.sh" in prompted("d", NOUS_ENABLE_USERPROMPTSUBMIT="true", NOUS_PROMPT_TOKENS="many")
    assert prompted("e", NOUS_ENABLE_USERPROMPTSUBMIT="1\r\nX: y") == ""


def test_the_hook_and_the_command_pass_on_the_same_settings() -> None:
    tree = ast.parse(HOOK.with_name("pipe.py").read_text())
    given_ = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
    listed = given_["PASSED"]
    assert tuple(name.decode().lower() for name in ast.literal_eval(listed)) == hooks.PASSED
    assert set(hooks.PASSED) <= set(Settings.__struct_fields__)
