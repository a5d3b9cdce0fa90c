"""A home with transcripts, and a memory that reads them: for tests about whole sessions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from nous import Nous
from nous.app.pipeline import Pipeline
from nous.config import Settings, load_settings

ERROR = (
    'Traceback (most recent call last):\n  File "/w/a.py", line {line}\n'
    "ModuleNotFoundError: No module named 'psycopg'"
)
Line = tuple[str, object]


class World:
    """A home with transcripts, a memory that reads them, and a project directory."""

    def __init__(self, home: Path, **more: str):
        self.home, self.work_dir = home, home / "work"
        self.work_dir.mkdir()
        self.sessions = 0
        environ = {"HOME": str(home), "NOUS_DATA_DIR": str(home / "data"), "CLAUDE_CONFIG_DIR": str(home / "claude")}
        self.settings: Settings = load_settings(environ | more)

    def session(self, *said: Line, name: str = "", day: int = 1) -> str:
        """Write a session (or let it go on): ("user", words), ("agent", words), ("bash", (command, output, failed))."""
        self.sessions += not name
        name = name or f"session-{self.sessions:04}"
        path = self.home / "claude" / "projects" / "work" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        begun = path.read_text().count("\n") if path.exists() else 0
        lines = [json.dumps(record) for record in self._records(name, day, begun, said)]
        with path.open("a") as file:
            file.write("".join(line + "\n" for line in lines))
        return name

    def _records(
        self, name: str, day: int, begun: int, said: tuple[tuple[str, object], ...]
    ) -> Iterator[dict[str, object]]:
        number = begun
        for who, what in said:
            head = {"sessionId": name, "cwd": str(self.work_dir), "gitBranch": "main", "version": "2"}
            stamp = {"timestamp": f"2026-10-{day:02}T10:{number // 60:02}:{number % 60:02}.000Z"}
            uuid = {"uuid": f"{name}-{number:04}"}
            number += 1
            if who == "user":
                yield {"type": "user", **head, **stamp, **uuid, "message": {"role": "user", "content": what}}
            elif who == "agent":
                yield {
                    "type": "assistant",
                    **head,
                    **stamp,
                    **uuid,
                    "message": {"content": [{"type": "text", "text": what}]},
                }
            else:
                assert isinstance(what, tuple)
                call = f"t{name}{number}"
                tool = {"type": "tool_use", "id": call, "name": who, "input": what[0]}
                yield {"type": "assistant", **head, **stamp, **uuid, "message": {"content": [tool]}}
                result = {"type": "tool_result", "tool_use_id": call, "content": what[1], "is_error": what[2]}
                uuid = {"uuid": f"{name}-{number:04}"}
                number += 1
                yield {"type": "user", **head, **stamp, **uuid, "message": {"content": [result]}}

    def learn(self) -> Nous:
        """Read everything there is, and open the memory."""
        work = Pipeline.open(self.settings, lambda: "2026-11-01T00:00:00.000Z")
        for _ in work.backfill(work.transcripts()):
            pass
        work.after_learning(0)
        work.close()
        return Nous.open(settings=self.settings)


def shop(world: World) -> Nous:
    """A project in which something was said, broke and was mended."""
    world.session(
        ("user", "Make the invoice totals round half up, the accountant wants it that way"),
        ("agent", "I changed rounding in billing.py to ROUND_HALF_UP and all tests pass."),
    )
    world.session(
        ("user", "the importer cannot connect to the database any more"),
        ("Bash", ({"command": "python importer.py"}, ERROR.format(line=3), True)),
        (
            "Edit",
            (
                {"file_path": str(world.work_dir / "requirements.txt"), "old_string": "a", "new_string": "b"},
                "ok",
                False,
            ),
        ),
        ("Bash", ({"command": "python importer.py"}, "imported 12 rows", False)),
        ("agent", "psycopg was missing from requirements.txt; the importer runs again."),
        day=3,
    )
    world.session(("user", "tidy the changelog"), ("agent", "Done, entries are sorted by date."), day=5)
    return world.learn()
