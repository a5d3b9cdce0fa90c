"""The embedding step: memories that wait for a vector get one. Search works without it, only less well."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nous.kernel.memory.memory import Memory
from nous.kernel.recall.embedder import Embeddable, Embedder
from nous.kernel.recall.embeddings import Waiting
from nous.kernel.recall.vectors import Vectors

if TYPE_CHECKING:
    from nous.kernel.stores import EmbeddingQueue

BATCH = 256
PRIVATE = "private"  # a memory with this tag is never sent anywhere


def embed_waiting(
    embeddings: EmbeddingQueue,
    vectors: Vectors,
    embedder: Embedder,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Make the vectors that are missing, up to a limit; how many memories were taken from the queue.

    Every batch is one transaction, so that a stop loses nothing and a search in between sees what is there.
    """
    model_id = vectors.model(embedder.model, embedder.dims)
    done = 0
    while limit is None or done < limit:
        rows = embeddings.next_waiting(min(BATCH, limit - done) if limit else BATCH)
        if not rows:
            break
        # A remote model is asked before the transaction begins: nobody waits for the network with the database locked.
        made = _vectors(vectors, embedder, model_id, rows)
        with embeddings.db.transaction():
            vectors.put(model_id, made)
            embeddings.finish(row.memory_id for row in rows)
        done += len(rows)
        if progress:
            progress(done, done + embeddings.waiting())
    return done


def _vectors(
    vectors: Vectors, embedder: Embedder, model_id: int, rows: Sequence[Waiting]
) -> list[tuple[int, int, bytes]]:
    """Memory number, hash of the words and vector; words embedded before are not embedded again."""
    wanted = {row.memory_id: _passage(row) for row in rows if row.content and may_leave(embedder, row)}
    sources = {number: source_of(passage) for number, passage in wanted.items()}
    known = vectors.find_known(model_id, list(set(sources.values())))
    fresh = {sources[number]: passage for number, passage in wanted.items() if sources[number] not in known}
    if fresh:
        known |= dict(zip(fresh, embedder.documents(list(fresh.values())), strict=True))
    return [(number, source, known[source]) for number, source in sources.items()]


def may_leave(embedder: Embedder, row: Waiting) -> bool:
    """Whether an embedder may see a memory: none sees code, whose prose is embedded, a remote one nothing private."""
    return row.type != "code" and not (embedder.remote and PRIVATE in row.tags)


def may_be_sent(memory: Memory) -> bool:
    """Whether a memory may leave this machine: neither code nor what is private."""
    return memory.type != "code" and PRIVATE not in memory.tags


def _passage(row: Waiting) -> Embeddable:
    return Embeddable(row.content, row.asked, row.context)


def source_of(passage: Embeddable) -> int:
    """A number that stands for the words of a passage."""
    words = "\0".join(passage).encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=8).digest(), "big", signed=True)
