"""`nous init` and a model: what it finds, what it asks, what the answers do, and what that costs."""

from __future__ import annotations

import http.server
import json
import os
import pty
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from factories import Home
from kernel.test_capture import lines, record
from nous.app import system_clock
from nous.config import load_settings
from nous.moments import later
from nous.shells import setup
from shells import stub_claude

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "transcripts" / "projects"
CALM = "--no-measure"


@pytest.fixture
def place(home: Home) -> Home:
    """A home with five sessions of one project and a client that is logged in."""
    shutil.copytree(SAMPLES, home.transcripts, dirs_exist_ok=True)
    with_client(home)
    home.environ["OLLAMA_HOST"] = "127.0.0.1:9"  # nobody is there
    home.environ["STUB_CLAUDE_LOG"] = str(home.root / "requests")
    return home


def with_client(home: Home, **says: Any) -> None:
    stub_claude.install(home.root / "bin", **says)
    home.environ["PATH"] = f"{home.root / 'bin'}:{os.environ['PATH']}"


def run(home: Home, *words: str, status: int = 0) -> Any:
    done = home.nous(*words, "--json")
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout) if status == 0 else done.stderr


def requests(home: Home) -> int:
    path = home.root / "requests"
    return len(path.read_text().splitlines()) if path.exists() else 0


def at_terminal(home: Home, *answers: str) -> str:
    """What a person sees who gives these answers, each when it is asked for."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "nous", "init", CALM]
    environ = home.environ | {"COLUMNS": "120", "TERM": "xterm", "NO_COLOR": "1"}
    done = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=home.home, env=environ)
    os.close(theirs)
    shown, waiting = b"", list(answers)
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if waiting and shown.decode(errors="replace").rstrip(" ").endswith(("]:", "?")):
            os.write(ours, f"{waiting.pop(0)}\n".encode())
    assert done.wait(120) == 0, shown.decode()
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def until(claim: Callable[[], bool], seconds: float = 90.0) -> None:
    deadline = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.fixture
def ollama() -> Iterator[str]:
    """An Ollama on loopback with an embedder and a model."""

    class Tags(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"models": [{"name": "nomic-embed-text:v1"}, {"name": "qwen3:8b"}]}).encode()
            self.send_response(200 if self.path == "/api/tags" else 404)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: Any) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Tags)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


# -- what is found --------------------------------------------------------------------------------------------------


def test_models_are_found_and_the_first_one_can_be_asked(place: Home, ollama: str) -> None:
    environ = place.environ | {"OLLAMA_HOST": ollama, "ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}
    found = setup.look_around(environ).models
    assert [(one.name, one.remark) for one in found] == [
        ("claude", "logged in"),
        ("anthropic", "ANTHROPIC_API_KEY is set"),
        ("ollama", "qwen3:8b"),
        ("openai", "OPENAI_API_KEY is set"),
    ]
    assert found[2].is_local and not found[0].is_local


@pytest.mark.parametrize(
    ("says", "remark", "is_ready"),
    [
        ({"logged_in": False}, "not logged in", False),
        ({"logged_in": None}, "login not checked", True),
        ({"version": "2.1.99 (Claude Code)"}, "login not checked", False),
    ],
)
def test_a_client_that_cannot_be_asked_is_named_and_not_offered(
    place: Home, says: dict[str, Any], remark: str, is_ready: bool
) -> None:
    with_client(place, **says)
    [claude] = setup.look_around(place.environ).models
    assert (claude.remark, not claude.trouble) == (remark, is_ready)
    if not is_ready:
        assert "cannot be asked" in run(place, "init", CALM, "--model", "claude", status=1)


def test_a_model_that_is_not_here_is_refused_with_what_to_do(place: Home) -> None:
    assert "set ANTHROPIC_API_KEY" in run(place, "init", CALM, "--model", "anthropic", status=1)
    assert "start Ollama" in run(place, "init", CALM, "--model", "ollama", status=1)
    assert load_settings(place.environ).llm_provider == "none"


# -- what is asked --------------------------------------------------------------------------------------------------


def test_enter_three_times_learns_chooses_the_model_and_reads_the_history(place: Home) -> None:
    shown = at_terminal(place, "", "", "")
    assert "Learn from these sessions?" in shown and "May claude read your sessions? [Y/n]" in shown
    assert "to Anthropic, through your `claude` login" in shown and "tokens a session, $0.0" in shown
    assert "5 sessions, " in shown and "Your choice [now]" in shown
    assert load_settings(place.environ).llm_provider == "claude"
    until(lambda: run(place, "status")["reading"]["history"]["read"] == 5)
    assert "claude reads sessions as they end" in place.nous("status", "--all-projects").stdout


def test_no_sends_nothing_anywhere(place: Home) -> None:
    shown = at_terminal(place, "y", "n")
    assert "Which earlier sessions" not in shown and "nothing is sent anywhere" in shown
    assert load_settings(place.environ).llm_provider == "none" and requests(place) == 0


def test_another_model_is_taken_by_its_name(place: Home, ollama: str) -> None:
    place.environ["OLLAMA_HOST"] = ollama
    shown = at_terminal(place, "n", "maybe", "ollama")
    assert "Answer y, n, or ollama." in shown
    settings = load_settings(place.environ)
    assert (settings.llm_provider, settings.llm_model) == ("openai", "qwen3:8b")
    assert settings.llm_base_url == f"http://{ollama}/v1"
    run(place, "uninstall")
    assert load_settings(place.environ).llm_provider == "none", "what init wrote, uninstall takes out"


def test_without_any_model_nobody_is_asked_about_one(place: Home) -> None:
    (place.root / "bin" / "claude").unlink()
    place.environ["PATH"] = os.path.dirname(shutil.which("git") or "")
    shown = at_terminal(place, "")
    assert "none (no `claude`, no Ollama, no key)" in shown and "read your sessions?" not in shown


def test_where_nobody_can_answer_the_answer_is_no(place: Home) -> None:
    said = run(place, "init", CALM)
    assert (said["model"], said["learned"], said["readings"]) == ("none", None, 0)
    assert said["models"] == ["claude (logged in)"]
    said = run(place, "init", CALM, "--yes", "--model", "claude")
    assert (said["model"], said["readings"]) == ("claude", 0), "the history is asked for apart"


# -- what it does ---------------------------------------------------------------------------------------------------


def test_the_numbers_of_init_are_those_of_status(place: Home) -> None:
    said = run(place, "init", CALM, "--yes")
    status = run(place, "status", "--all-projects")
    assert said["learned"] == said["memories"] == status["all_projects"]["memories"] == status["memories"]


def test_the_estimate_and_the_ledger_agree(place: Home) -> None:
    said = run(place, "init", CALM, "--yes", "--model", "claude", "--read-history", "now")
    assert said["readings"] == 5 and said["readings_usd"] >= said["model_usd"]
    until(lambda: run(place, "status")["reading"]["history"]["read"] == 5)
    run(place, "down")
    cost = run(place, "cost", "--calls", "50")
    readings = [call for call in cost["calls"] if call["purpose"] == "extract"]
    assert len(readings) == 5, "each session once; a tidying may follow"
    assert cost["history"]["spent"] == pytest.approx(sum(call["usd"] for call in readings))
    assert cost["history"]["spent"] == pytest.approx(said["model_usd"], rel=0.1)
    others = cost["today"]["usd"] - cost["history"]["spent"]
    assert cost["remaining"]["usd"] == pytest.approx(cost["cap"]["usd"] - others, abs=1e-5), "the cap is for the rest"


def test_later_leaves_the_history_alone_although_it_is_of_this_week(place: Home) -> None:
    project, yesterday = place.project("app"), later(system_clock(), -86400.0)
    said = [record(f"Say {n}.", cwd=str(project), sessionId="fresh", timestamp=yesterday) for n in range(3)]
    (place.transcripts / "fresh.jsonl").write_bytes(lines(*said))
    run(place, "init", CALM, "--yes", "--model", "claude", "--read-history", "later")
    reading = run(place, "status", "--all-projects")["reading"]
    assert [row["waiting"] for row in reading["projects"]] == [0, 0]
    run(place, "init", CALM, "--read-history", "here")
    assert run(place, "read", "fresh")["calls"] == 1 == requests(place), "who asks for it gets it"


def test_an_excluded_project_is_never_sent(place: Home) -> None:
    run(place, "init", CALM, "--yes")
    [project] = run(place, "project", "list")["projects"]
    name = project["project_id"] if "project_id" in project else project["id"]
    assert "are sent to no model" in place.nous("config", "set", "llm_provider", "none", "--project", name).stdout
    run(place, "config", "set", "llm_provider", "claude")
    assert run(place, "read", "--all-projects", "--since", "9000d")["calls"] == 0 == requests(place)
    status = run(place, "status", "--all-projects")
    assert [row["goes"] for row in status["reading"]["projects"]] == ["nowhere (excluded)"]
    assert "nowhere (excluded)" in place.nous("status", "--all-projects").stdout
    run(place, "config", "unset", "llm_provider", "--project", name)
    assert run(place, "read", "--all-projects", "--since", "9000d", "--limit", "1")["calls"] == 1 == requests(place)


@pytest.mark.parametrize("words", [("llm_provider", "claude"), ("http_port", "5000"), ("llm_model", "none")])
def test_nothing_else_is_set_for_one_project(place: Home, words: tuple[str, str]) -> None:
    done = place.nous("config", "set", *words, "--project", str(place.project("x")))
    assert done.returncode == 2 and "only `llm_provider none`" in done.stderr
