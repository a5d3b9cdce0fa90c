"""Exchanges: where each stands in the kept transcripts, and the indexes that find it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from nous.kernel.capture.transcript import Turn
from nous.kernel.capture.transcripts import unpack
from nous.kernel.db.fulltext import expression, place, quote, spell
from nous.kernel.db.store import Store
from nous.language.text import Wanted

_turns = msgspec.json.Decoder(list[Turn])
Held = dict[int, list[Turn]]  # a chunk that was read, for who asks for what follows in it


class ExchangeFile(NamedTuple):
    """A transcript: its number, where it is, whose session, which project."""

    file_id: int
    path: str
    session_id: str
    agent_id: str
    project_id: str


class Located(NamedTuple):
    """What is known of an exchange without reading it."""

    id: int
    file_id: int
    chunk_id: int
    uuid: str
    at: str
    branch: str
    tainted: bool
    label: str
    files: tuple[str, ...]
    topics: tuple[str, ...]
    path: str
    session_id: str
    agent_id: str
    project_id: str


class ExchangeEntry(NamedTuple):
    """An exchange as it goes into the indexes: its row, its parts (asked, said, deeds), errors with what ended them."""

    chunk_id: int
    uuid: str
    at: str
    branch: str
    tainted: bool
    label: str
    files: tuple[str, ...]
    topics: tuple[str, ...]
    parts: Sequence[tuple[str, str, str]]
    errors: Sequence[tuple[str, str]]


class Exchanges(Store, group="exchanges"):
    """Reads and writes the index of exchanges. The words stand in the transcripts."""

    # which transcripts have to be read
    def see(self, path: str, session_id: str, agent_id: str, project_id: str) -> None: ...
    def waiting(self) -> int: ...
    def next_waiting(self, limit: int) -> list[ExchangeFile]: ...
    def finish(self, file_id: int) -> None: ...

    def last_of(self, file_id: int) -> tuple[int, int, str] | None:
        """The last exchange of a transcript: number, chunk it begins in, record; None when there is none."""
        row = self.db.one("exchanges.last_of_file", file_id=file_id)
        return (row["exchange_id"], row["chunk_id"], row["uuid"]) if row else None

    def is_tainted_before(self, file_id: int, exchange_id: int) -> bool:
        """Whether a transcript had read text of others before an exchange."""
        row = self.db.one("exchanges.taint_before", file_id=file_id, exchange_id=exchange_id)
        return bool(row and row["tainted"])

    def turns_from(self, path: str, chunk_id: int, held: Held | None = None) -> Iterator[tuple[int, list[Turn]]]:
        """What a transcript says from a chunk on: chunk by chunk. The last one read stays in `held`."""
        for number, data in self.db.each("exchanges.chunks_from", path=path, chunk_id=chunk_id):
            turns = held[number] if held and number in held else _turns.decode(unpack(data))
            if held is not None:
                held.clear()
                held[number] = turns
            yield number, turns

    # writing
    def add(self, file: ExchangeFile, one: ExchangeEntry) -> int:
        """Index an exchange; its number."""
        latest = self.db.one("exchanges.next_number")
        number: int = latest["number"] if latest else 1
        self.db.run(
            "exchanges.add",
            exchange_id=number,
            parts=len(one.parts),
            file_id=file.file_id,
            chunk_id=one.chunk_id,
            uuid=one.uuid,
            at=one.at,
            branch=one.branch,
            tainted=int(one.tainted),
            label=one.label,
            files=_json(one.files),
            topics=_json(one.topics),
        )
        parts, where = enumerate(one.parts, number), place(file.project_id)
        self.db.many("exchanges.add_text", ((part, *words, where) for part, words in parts))
        self.db.many("exchanges.add_error", ((mark, number, ended) for mark, ended in one.errors))
        return number

    def tainted_in(self, session_id: str) -> set[str]: ...

    def drop(self, exchange_ids: Iterable[int]) -> int:
        """Take exchanges out of every index; how many."""
        dropped = 0
        for number in exchange_ids:
            for name in ("drop_text", "drop_vectors", "drop_errors"):
                self.db.run(f"exchanges.{name}", exchange_id=number)
            dropped += self.db.run("exchanges.drop", exchange_id=number)
        return dropped

    def drop_session(self, session_id: str) -> int:
        """Take a whole session out; how many exchanges."""
        files = [number for (number,) in self.db.each("exchanges.files_of_session", session_id=session_id)]
        return sum(self._drop_file(number) for number in files)

    def drop_stale(self, *, everything: bool = False) -> int:
        """Take out the exchanges of transcripts that were changed, or of all; they are read again. How many."""
        if everything:
            self.db.run("exchanges.mark_all_stale")
        files = [number for (number,) in self.db.each("exchanges.stale_files")]
        dropped = sum(self.drop(self.of_file(number)) for number in files)
        for number in files:
            self.db.run("exchanges.wait_for", file_id=number)
        return dropped

    def move_project(self, project_id: str, into: str) -> None: ...

    def expire(self) -> int:
        """Take out what is no longer kept; how many exchanges."""
        gone = [number for (number,) in self.db.each("exchanges.files_without_chunks")]
        dropped = sum(self._drop_file(number) for number in gone)
        return dropped + self._drop_with_receipts([number for (number,) in self.db.each("exchanges.beyond_chunks")])

    def forget_shown(self, records: Iterable[str]) -> None:
        """Receipts say nothing any more of exchanges that begin with one of these records."""
        self.db.run("exchanges.forget_shown_records", records=_json(records))

    def forget_words(self) -> None: ...

    def _drop_file(self, file_id: int) -> int:
        dropped = self._drop_with_receipts(self.of_file(file_id))
        self.db.run("exchanges.drop_file", file_id=file_id)
        return dropped

    def _drop_with_receipts(self, exchange_ids: Sequence[int]) -> int:
        """Take exchanges out for good: also of what receipts say."""
        self.db.run("exchanges.forget_shown", ids=_json(exchange_ids))
        return self.drop(exchange_ids)

    # vectors
    def without_vector(self, model_id: int, limit: int) -> list[int]: ...

    def put_vectors(self, model_id: int, rows: Iterable[tuple[int, bytes]]) -> None:
        """Keep vectors: exchange number, one signed byte per dimension."""
        self.db.many("exchanges.put_vector", ((number, model_id, vector) for number, vector in rows))

    def vectors_of(self, model_id: int, exchange_ids: Sequence[int]) -> dict[int, bytes]: ...

    # finding
    def before(self, exchange_ids: Sequence[int]) -> dict[int, tuple[int, str]]:
        """The exchange before each of some in its transcript: its number, and how it begins."""
        rows = self.db.each("exchanges.before", ids=_json(exchange_ids))
        return {number: (earlier, label) for number, earlier, label in rows}

    def frequencies(self, words: Sequence[str], ceiling: int) -> list[int]:
        """How many parts say each of these words, counted up to a ceiling."""
        queries = _json([quote(word) for word in words])
        rows = self.db.each("exchanges.frequencies", queries=queries, words=_json(words), ceiling=ceiling)
        return [found for (found,) in rows]

    def search_text(self, wanted: Wanted, limit: int) -> list[tuple[int, int, float]]:
        """The parts that match best: exchange, number of the part in it, score (higher is better)."""
        rows = self.db.each("exchanges.search_text", query=expression(wanted), limit=limit, **spell(wanted))
        return [(number, part - number, -score) for number, part, score in rows]

    def saying(self, words: Sequence[str], project_id: str) -> list[tuple[int, int, int]]:
        """Which exchanges of a project's sessions say each of some words: number of the word, exchange, transcript."""
        queries = _json([expression(Wanted((word,), project_id)) for word in words])
        return list(self.db.each("exchanges.saying", queries=queries, words=_json(words), project_id=project_id))

    def sessions_of_project(self, project_id: str) -> int: ...
    def begun_after(self, project_id: str, at: str) -> int: ...

    def latest_files(self, project_id: str, limit: int) -> set[str]:
        """The files that the latest exchanges of a project touched."""
        rows = self.db.each("exchanges.latest_files", project_id=project_id, limit=limit)
        return {file for (files,) in rows for file in msgspec.json.decode(str(files))}

    def of_file(self, file_id: int) -> list[int]: ...

    def by_id(self, exchange_ids: Sequence[int]) -> dict[int, Located]:
        """Exchanges by number."""
        rows = self.db.each("exchanges.by_id", ids=_json(exchange_ids))
        return {row[0]: _locate(row) for row in rows}

    def by_uuid(self, beginning: str) -> list[Located]:
        """Up to three exchanges whose first record begins like this."""
        rows = self.db.each("exchanges.by_uuid", start=beginning, end=beginning + "\U0010ffff")
        return list(self.by_id([number for number, _ in rows]).values())

    def by_error(self, marks: Sequence[str], project_id: str | None, limit: int) -> list[tuple[int, str, str]]: ...

    # the chain of sessions
    def size(self) -> int: ...
    def last_part(self) -> int: ...
    def bytes(self) -> int: ...


def _locate(row: tuple[object, ...]) -> Located:
    one = Located._make(row)
    files, topics = msgspec.json.decode(str(row[8])), msgspec.json.decode(str(row[9]))
    return one._replace(tainted=bool(one.tainted), files=tuple(files), topics=tuple(topics))


def _json(values: Iterable[object]) -> str:
    return msgspec.json.encode(list(values)).decode()
