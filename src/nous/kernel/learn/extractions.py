"""Which event each learning of a session became."""

from __future__ import annotations

from nous.kernel.db.store import Store


class Extractions(Store):
    """Keeps a learning that is read twice, by whatever extractor, from being appended twice."""

    def is_known(self, project_id: str, session_id: str, index: int) -> bool:
        """Whether this learning of this session is already in the log, whatever extractor wrote it."""
        return self.became(project_id, session_id, index) is not None

    def became(self, project_id: str, session_id: str, index: int) -> int | None: ...
    def mark(self, project_id: str, session_id: str, index: int, event_id: int, version: str, now: str) -> None: ...
