"""`python -m bench.realtalk DATA OUT`: replay real conversations in this process, as `realtalk.py` of the shared
evaluation does through commands, and keep what each session was shown. OUT is what its `judge_sheet.py` takes.

`--readings` takes the recorded readings beside the data. `--keep DIR` keeps the database as it was before each session;
`--packets DIR` takes those instead of learning anew, which shows a change of packets in a minute.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import json
import os
import shutil
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from nous import app

EVALUATION = Path("../shared/eval/realtalk.py")


class SessionClock(datetime):
    """The time of the session that is played: what was done last week is shown as last week's."""

    moment = datetime(2020, 1, 1, tzinfo=UTC)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return cls.moment


def load_evaluation(file: Path) -> Any:
    """The shared evaluation as a module."""
    spec = importlib.util.spec_from_file_location("shared_realtalk", file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def set_clock(at: str) -> None:
    """Let it be this moment for everything that asks, never earlier than it was."""
    SessionClock.moment = max(SessionClock.moment, datetime.fromisoformat(at))
    setattr(app, "datetime", SessionClock)  # noqa: B010


def ended_at(file: Path) -> str:
    """When the last record of a transcript was written."""
    stamps = (json.loads(line).get("timestamp") for line in file.read_text(encoding="utf-8").splitlines())
    return str(max(stamp for stamp in stamps if stamp))


def labelled(root: Path) -> Path:
    """The project itself, or a copy with empty labels where only its messages are labelled."""
    labels = json.loads((root / "labels.json").read_text())
    if "facts" in labels:
        return root
    copy = Path(tempfile.mkdtemp(prefix="realtalk-")) / root.name
    copy.mkdir()
    (copy / "projects").symlink_to((root / "projects").resolve())
    (copy / "labels.json").write_text(json.dumps({"facts": [], "needs": [], **labels}))
    return copy


def replaying(shared: Any, keep: Path | None, packets: Path | None) -> Any:
    """The evaluation's project with commands and hooks called in this process."""

    kept = keep or packets

    class Replay(shared.Project):  # type: ignore[misc]
        home: Path
        env: dict[str, str]

        def __init__(self, root: Path, readings: bool):
            super().__init__(root, [], readings=readings)
            if kept:  # a project is known by its place
                made, self.home = str(self.home), kept.resolve() / "home" / self.name
                shutil.move(made, self.home)
                self.env = {name: value.replace(made, str(self.home)) for name, value in self.env.items()}
            self.env["NOUS_NO_AUTOSTART"] = "true"
            self.session = 0
            self.answers_hooks: Any = None

        def call(self, *args: str, stdin: str = "") -> str:
            if packets and args[0] in ("backfill", "read"):
                if args[0] == "backfill" and self.session == len(self.files):
                    self.restore("end")
                return "{}"
            from nous.shells.cli import nous

            if args[0] == "backfill":
                set_clock(ended_at(self.files[self.session - 1]))
            out = io.StringIO()
            with redirect_stdout(out), redirect_stderr(io.StringIO()):
                nous.main(list(args), prog_name="nous", standalone_mode=False)
            return out.getvalue()

        def hook(self, event: str, session: str, cwd: str, **more: str) -> str:
            from nous.config import load_settings
            from nous.shells.daemon.hook_service import HookService

            os.environ.update(self.env)
            if event == "SessionStart":
                set_clock(self.begin(self.files[self.session]))
                self.next_session(cwd)
                self.answers_hooks = HookService(load_settings(os.environ))
            payload = {
                "session_id": session,
                "cwd": cwd,
                "hook_event_name": event,
                "permission_mode": "default",
                **more,
            }
            out = self.answers_hooks.respond(event, json.dumps(payload).encode())
            if event == "UserPromptSubmit":
                self.answers_hooks.close()
            return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""

        def next_session(self, cwd: str) -> None:
            self.session += 1
            data = Path(self.env["NOUS_DATA_DIR"])
            if packets and (packets / self.name / str(self.session)).exists():
                self.restore(str(self.session))
                with app.Nous.open() as nous:
                    nous.work.warm([nous.project(cwd).id])
            elif keep and data.exists():
                self.preserve(str(self.session))

        def restore(self, moment: str) -> None:
            shutil.rmtree(self.env["NOUS_DATA_DIR"], ignore_errors=True)
            shutil.copytree(packets / self.name / moment, self.env["NOUS_DATA_DIR"])

        def preserve(self, moment: str) -> None:
            shutil.copytree(self.env["NOUS_DATA_DIR"], keep / self.name / moment, dirs_exist_ok=True)

        def close(self) -> None:
            if keep:
                self.preserve("end")
            shutil.rmtree(self.home, ignore_errors=True)

    return Replay


def main() -> int:
    asked = argparse.ArgumentParser(prog="bench.realtalk", description=__doc__)
    asked.add_argument("data", type=Path)
    asked.add_argument("out", type=Path)
    asked.add_argument("--readings", action="store_true")
    asked.add_argument("--only", nargs="*", default=[])
    asked.add_argument("--keep", type=Path)
    asked.add_argument("--packets", type=Path)
    asked.add_argument("--evaluation", type=Path, default=EVALUATION)
    given = asked.parse_args()
    shared = load_evaluation(given.evaluation)
    project_class = replaying(shared, given.keep, given.packets)
    results = []
    for root in sorted(one.parent for one in given.data.glob("*/labels.json")):
        if given.only and root.name not in given.only:
            continue
        SessionClock.moment = datetime(2020, 1, 1, tzinfo=UTC)
        project = project_class(labelled(root), given.readings)
        try:
            results.append(project.play())
        finally:
            project.close()
        print(shared.row(results[-1]), flush=True)
    total = {key: sum(one[key] for one in results) for key, value in results[0].items() if isinstance(value, int)}
    total |= {
        "project": "TOTAL",
        "weighted": sum(one["weighted"] * one["facts"] for one in results) / max(1, total["facts"]),
    }
    print(shared.row(total))
    given.out.write_text(json.dumps({"total": total, "projects": results}, ensure_ascii=False, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
