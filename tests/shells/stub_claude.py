"""A `claude` for tests: it says its version and whether it is logged in, and answers requests with a small reading.

It writes one line for each request to the file named by `STUB_CLAUDE_LOG`.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path


def install(folder: Path, *, version: str = "2.1.325 (Claude Code)", logged_in: bool | None = True) -> Path:
    """Put the stub into a folder as `claude`; `logged_in` None: it knows no such question."""
    folder.mkdir(parents=True, exist_ok=True)
    client = folder / "claude"
    source = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import stub_claude\n"
    client.write_text(f"#!{sys.executable}\n{source}stub_claude.main({version!r}, {logged_in!r})\n")
    client.chmod(0o755)
    return client


def main(version: str, logged_in: bool | None) -> None:
    """Do what the words on the command line ask for."""
    words = sys.argv[1:]
    if words == ["--version"]:
        print(version)
    elif words[:2] == ["auth", "status"] and logged_in is not None:
        print(json.dumps({"loggedIn": logged_in}))
        sys.exit(0 if logged_in else 1)
    elif "-p" in words:
        print(json.dumps(answer(sys.stdin.read(), words[words.index("--system-prompt") + 1])))
    else:
        sys.exit(2)


def answer(request: str, system: str) -> dict[str, object]:
    """A reading of one memory that rests on the first turn, as long as readings usually are."""
    if log := os.environ.get("STUB_CLAUDE_LOG"):
        with open(log, "a", encoding="utf-8") as file:
            file.write(json.dumps({"words": len(request)}) + "\n")
    first = re.search(r"\bT\d+\b", request)
    memory = {"text": "The project is built with make.", "type": "fact", "by": "assistant"}
    memory["evidence"] = [first[0]] if first else []  # type: ignore[assignment]
    reading = {"title": "Work", "summary": "Something was done.", "outcome": "done", "memories": [memory], "brief": []}
    tokens = len(request + system) // 3
    return {
        "type": "result",
        "structured_output": reading,
        "result": "",
        "usage": {"input_tokens": tokens, "output_tokens": 1100},
        "modelUsage": {"claude-haiku-4-5": {}},
    }
