"""The whole flow on bundled transcripts: learn, recall, and the packet a new session would get.

Runs in a temporary directory that is removed at the end, starts no daemon and touches no configuration of yours.
Standard library only; `make demo` runs it with the Python of the project's virtual environment.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

SAMPLES = Path(__file__).resolve().parent / "transcripts" / "projects"
READINGS = Path(__file__).resolve().parent / "readings"  # what a model made of them, written by hand
PROJECT = "/home/dev/parcel-api"  # the directory the sample sessions say they ran in; it need not exist
SECRETS = (
    "sk_live_51FAKEfakeFAKEfakeFAKE0000",  # typed in a prompt
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",  # printed by a command
    "hunter2-not-real",  # a password inside a database address
    "Mara leaves operations",  # between <private> and </private>
)
QUESTIONS = (
    "where do delayed jobs live",
    "how do I run the tests",
    "DHL arrival times are wrong",
)
WIDTH = 110
PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "SYSTEMROOT", "NO_COLOR", "NOUS_LLM_PROVIDER")
READ = ("read", "--now", "--since", "2026-01-01", "--limit", "9", "--project", PROJECT)


def environment(root: Path) -> dict[str, str]:
    """An environment in which everything Nous reads and writes lies below `root`."""
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return kept | {
        "HOME": str(root / "home"),
        "TMPDIR": str(root / "tmp"),
        "CLAUDE_CONFIG_DIR": str(root / "home" / ".claude"),
        "NOUS_DATA_DIR": str(root / "data"),
        "NOUS_NO_AUTOSTART": "1",  # a hook without a daemon would otherwise start one for next time
    }


def nous(root: Path, *arguments: str, stdin: str = "") -> str:
    """What `nous` printed; the demo ends with its message when it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "nous", *arguments],
        env=environment(root),
        cwd=root,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
    )
    if done.returncode:
        raise SystemExit(f"error: nous {' '.join(arguments)} ended with {done.returncode}\n{done.stderr.strip()}")
    return done.stdout


def show(root: Path, title: str, *arguments: str) -> None:
    """A heading, the command as a user would type it, and its answer."""
    heading(title)
    words = [word for word in arguments if word not in ("--project", PROJECT)]
    print(f"  $ nous {' '.join(json.dumps(word) if ' ' in word else word for word in words)}")
    show_text(nous(root, *arguments), "  ")


def show_text(text: str, margin: str) -> None:
    """Lines behind a margin, long ones folded."""
    for line in text.rstrip().splitlines():
        inner = " " * (len(line) - len(line.lstrip()) + 2)
        folded = textwrap.wrap(line, WIDTH, subsequent_indent=inner, break_long_words=False, break_on_hyphens=False)
        for piece in folded or [""]:
            print(margin + piece)


def heading(title: str) -> None:
    print(f"\n== {title}", flush=True)


def packet(root: Path) -> str:
    """The text a new session in the sample project would be given."""
    payload = {
        "session_id": "00000000-0000-4000-8000-000000000001",
        "transcript_path": str(root / "home" / ".claude" / "projects" / "new.jsonl"),
        "cwd": PROJECT,
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    answer = nous(root, "hook", "SessionStart", stdin=json.dumps(payload))
    if not answer.strip():
        raise SystemExit("error: the SessionStart hook had nothing to say")
    return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"])


def leaks(root: Path) -> list[str]:
    """Files below the data directory that hold one of the secrets, in plain bytes."""
    found = []
    for path in sorted((root / "data").rglob("*")):
        if path.is_file() and any(secret.encode() in path.read_bytes() for secret in SECRETS):
            found.append(path.name)
    return found


def tell_about_secrets(root: Path) -> None:
    """Say whether the secrets of the transcripts reached any file that Nous wrote."""
    heading("The secrets and private words in those transcripts")
    files = [path for path in (root / "data").rglob("*") if path.is_file()]
    if found := leaks(root):
        raise SystemExit(f"error: a secret is in {', '.join(found)}")
    size = sum(path.stat().st_size for path in files) // 1024
    print(
        f"  {len(SECRETS)} made-up ones. Searched all that Nous wrote ({len(files)} files, {size} KB): none is there."
    )


def run_with_readings(root: Path) -> None:
    """The same sessions once more, read by a model: its answers are recorded, so that nothing leaves this machine."""
    for name in ("home", "tmp", "data"):
        (root / name).mkdir(parents=True)
    shutil.copytree(SAMPLES, root / "home" / ".claude" / "projects")
    os.environ["NOUS_LLM_PROVIDER"] = f"recorded:{READINGS}"
    nous(root, "backfill", "--json")
    show(root, "The same sessions with a model (its answers are recorded)", *READ)
    heading("What the next session is told then")
    show_text(packet(root), "  | ")
    show(root, "The logbook", "session", "list", "--project", PROJECT)
    tell_about_secrets(root)


def run(root: Path) -> None:
    """The demo itself, step by step."""
    for name in ("home", "tmp", "data"):
        (root / name).mkdir()
    shutil.copytree(SAMPLES, root / "home" / ".claude" / "projects")
    sessions = len(list(SAMPLES.glob("*/*.jsonl")))
    print(f"{sessions} sessions of a made-up project, {PROJECT}, copied to a temporary directory.")
    show(root, "Learn from them", "backfill")
    show(root, "What is there now", "status", "--project", PROJECT)
    for question in QUESTIONS:
        show(root, "Ask", "recall", question, "--limit", "3", "--project", PROJECT)
    heading("What the next session in this project is told at its start")
    show_text(packet(root), "  | ")
    tell_about_secrets(root)
    run_with_readings(root / "again")
    heading("Where to go next")
    print("  docs/quickstart.md               use it with your own Claude Code")
    print("  docs/concepts/the-one-flow.md    how it works")
    print("  docs/capabilities.md             what works today and what does not")


def main() -> None:
    """Run in a directory of its own and remove it, whatever happens."""
    with tempfile.TemporaryDirectory(prefix="nous-demo-", ignore_cleanup_errors=True) as directory:
        os.environ.pop("NOUS_LLM_PROVIDER", None)  # the first round has no model
        run(Path(directory).resolve())


if __name__ == "__main__":
    main()
