"""Readings that somebody wrote before, from files by session id: the path with a model, repeatable and free."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nous.errors import ConfigError
from nous.providers.llm import Choice, Completion, Declined

LARGEST = 4 * 1024 * 1024


class RecordedReadings:
    """Answers with the file of a session, and nothing else."""

    provider = "recorded"
    local = True

    def __init__(self, folder: Path):
        self.folder = folder
        self.model = folder.name

    def complete(self, prompt: str, system: str, schema: dict[str, Any], max_tokens: int) -> Completion:
        """Nothing: there is nobody who could answer."""
        raise Declined("recorded readings answer no questions", 404)

    def reading(self, session_id: str) -> str | None:
        """The recorded reading of a session, as it was written; None when there is none."""
        file = self.folder / f"{session_id}.json"
        return _text_of(file) if file.parent == self.folder else None

    def tidying(self) -> str | None:
        """The recorded tidying of the project, which lies among its readings or beside their folder; None without."""
        return _text_of(self.folder / "tidying.json") or _text_of(self.folder.parent / "tidying.json")


def _text_of(file: Path) -> str | None:
    if not file.is_file() or file.stat().st_size > LARGEST:
        return None
    return file.read_text("utf-8", errors="replace")


def open_recorded(choice: Choice, environ: Mapping[str, str]) -> RecordedReadings:
    """The readings in a folder."""
    folder = Path(choice.provider.partition(":")[2]).expanduser()
    if not folder.is_dir():
        raise ConfigError(f"there is no folder {folder}", hint="llm_provider is `recorded:` and a folder of readings")
    return RecordedReadings(folder)
