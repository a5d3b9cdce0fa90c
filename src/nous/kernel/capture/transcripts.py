"""What was said in sessions, redacted and compressed, when the client has long deleted it; and names of projects."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from nous.kernel.capture.queue import Item
from nous.kernel.capture.transcript import Turn, is_command
from nous.kernel.db.database import Row
from nous.kernel.db.store import Store

CLIENT = "claude-code"
LEVEL = 6
ZSTD = b"\x28\xb5\x2f\xfd"
COUNTED = 64  # sessions since something was said, beyond which one more tells nothing
SMALL_CHUNK = 64 * 1024  # a chunk below this grows instead of getting a neighbour: small ones compress badly

_decode = msgspec.json.Decoder(list[Turn]).decode
_encode = msgspec.json.Encoder().encode


def _is_prompt(turn: Turn) -> bool:
    """Whether the user asked for something: in words, by a slash command, or by both in one record."""
    return (turn.kind == "prompt" or is_command(turn)) and not turn.agent_id


class Transcripts(Store):
    """The archive of sessions: turns in, turns out."""

    def see_session(self, project_id: str, path: str, turns: Sequence[Turn]) -> None:
        """Note what is known about a session; in the transaction that queues its turns."""
        moments = [turn.at for turn in turns if turn.at] or [""]
        last = turns[-1]
        self.db.run(
            "transcripts.see_session",
            session_id=turns[0].session_id,
            project_id=project_id,
            transcript_path=path,
            client=CLIENT,
            client_version=last.version,
            cwd=turns[0].cwd,
            branch=last.branch,
            first_at=min(moments),
            last_at=max(moments),
            prompts=len({turn.uuid for turn in turns if _is_prompt(turn)}),
            turns=len(turns),
        )

    def keep(self, item: Item, turns: Sequence[Turn]) -> None:
        """Archive what an item says; a small neighbour before it takes it up."""
        last = self.db.one("transcripts.last_chunk", path=item.transcript_path)
        moments = [turn.at for turn in turns if turn.at] or [""]
        raw = _encode(turns)
        if last and _joins(last, item):
            raw = unpack(last["data"])[:-1] + b"," + raw[1:]
            self.db.run(
                "transcripts.grow_chunk",
                chunk_id=last["chunk_id"],
                end_offset=item.end_offset,
                turns=last["turns"] + len(turns),
                raw_bytes=len(raw),
                last_at=max(moments),
                data=pack(raw),
            )
            return
        self.db.run(
            "transcripts.add_chunk",
            session_id=item.session_id,
            agent_id=turns[0].agent_id,
            path=item.transcript_path,
            inode=item.file_inode,
            start_offset=item.file_offset,
            end_offset=item.end_offset,
            turns=len(turns),
            raw_bytes=len(raw),
            first_at=min(moments),
            last_at=max(moments),
            data=pack(raw),
        )

    def before(self, item: Item, limit: int = 3) -> list[Turn]:
        """What the same file said before an item, as far as the last few chunks go, oldest first."""
        found = self.db.each(
            "transcripts.before",
            path=item.transcript_path,
            inode=item.file_inode,
            offset=item.file_offset,
            limit=limit,
        )
        pieces = [unpack_turns(row[0]) for row in found]
        return [turn for piece in reversed(pieces) for turn in piece]

    def turns(self, session_id: str, *, inherited: bool = False) -> Iterator[Turn]:
        """Everything that was said in a session: its own transcript first, then those of its agents.

        `inherited`: also the texts of others that it had read before it became a transcript of its own.
        """
        for row in self.db.all("transcripts.of_session", session_id=session_id):
            yield from (turn for turn in unpack_turns(row["data"]) if inherited or not turn.inherited)

    def sessions(self, project_id: str | None = None, limit: int = 50) -> list[Row]: ...
    def session(self, session_id: str) -> Row | None: ...

    def latest_begun(self, project_id: str) -> list[str]:
        """When the latest sessions of a project began, oldest first; older ones are not counted."""
        rows = self.db.each("transcripts.latest_begun", project_id=project_id, limit=COUNTED)
        return sorted(begun for (begun,) in rows)

    def find(self, beginning: str) -> list[str]:
        """Ids of up to three sessions that begin like this."""
        rows = self.db.all("transcripts.find_sessions", start=beginning, end=beginning + "\U0010ffff")
        return [row["session_id"] for row in rows]

    def size(self) -> Row: ...

    # destroying
    def expire(self, moment: str) -> int: ...

    def purge(self, session_ids: Iterable[str] = (), uuids: Iterable[str] = ()) -> int:
        """Destroy whole sessions, and single records wherever they stand, here and in the queue; how many places."""
        with self.db.transaction():
            places = sum(self._purge_session(session_id) for session_id in session_ids)
            if wanted := frozenset(uuids):
                places += self._purge_chunks(wanted) + self._purge_items(wanted)
        return places

    def _purge_session(self, session_id: str) -> int:
        names = ("drop_session_chunks", "drop_session_items", "drop_session")
        return sum(self.db.run(f"transcripts.{name}", session_id=session_id) for name in names)

    def _purge_chunks(self, uuids: frozenset[str]) -> int:
        changed = 0
        for row in self.db.all("transcripts.every_chunk"):
            turns = unpack_turns(row["data"])
            kept = [turn for turn in turns if turn.uuid not in uuids]
            if len(kept) == len(turns):
                continue
            raw = _encode(kept)
            fields: dict[str, Any] = {"turns": len(kept), "raw_bytes": len(raw), "data": pack(raw)}
            self.db.run("transcripts.shrink_chunk", chunk_id=row["chunk_id"], **fields)
            self.db.run("exchanges.mark_stale", chunk_id=row["chunk_id"])
            changed += 1
        return changed

    def _purge_items(self, uuids: frozenset[str]) -> int:
        changed = 0
        for row in self.db.all("queue.with_payload"):
            if not row["payload_json"].startswith("["):
                continue
            turns = _decode(row["payload_json"])
            kept = [turn for turn in turns if turn.uuid not in uuids]
            if len(kept) < len(turns):
                self.db.run("queue.set_payload", ingest_id=row["ingest_id"], payload=_encode(kept).decode())
                changed += 1
        return changed


def pack(raw: bytes) -> bytes:
    """Compressed."""
    from nous import zstd

    return zstd.compress(raw, LEVEL)


def unpack(data: bytes) -> bytes:
    """As it was; the first bytes say how it was compressed."""
    from nous import zstd

    return zstd.decompress(data) if data.startswith(ZSTD) else zlib.decompress(data)


def unpack_turns(data: bytes) -> list[Turn]:
    """What was said, of a piece as it is kept."""
    return _decode(unpack(data))


def _joins(last: Row, item: Item) -> bool:
    return bool(
        last["raw_bytes"] < SMALL_CHUNK
        and (last["session_id"], last["file_inode"]) == (item.session_id, item.file_inode)
        and last["end_offset"] <= item.file_offset
        and last["turns"]
    )
