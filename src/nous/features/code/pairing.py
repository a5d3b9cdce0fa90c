"""Code and prose as a pair: the code is kept as it is, a sentence about it is what searches find."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from nous.errors import NousError
from nous.features.code import files, treesitter
from nous.features.code.chunks import Chunk, chunks, describe_chunk, docstring
from nous.features.code.model import language_of
from nous.kernel.capture.ignoring import Ignored
from nous.kernel.learn.by_hand import Note, keep
from nous.kernel.log.events import Archived
from nous.kernel.log.extraction import EdgeProposal
from nous.kernel.memory.memories import Memories
from nous.kernel.memory.memory import Memory
from nous.kernel.stores import Stores
from nous.redact.blocks import is_env_file

CODE, PROSE = "code:", "code-prose:"
GONE = "no longer in "
Callers = Callable[[str, str], list[str]]


class Paired(NamedTuple):
    """What was kept of a file: its pieces, by their memories, and how many went."""

    pieces: int
    code: tuple[int, ...]
    prose: tuple[int, ...]
    gone: tuple[Memory, ...] = ()


def pieces_of(tree: str, path: str, ignored: Ignored) -> tuple[list[Chunk], str]:
    """A file of a work tree in pieces, and its text; refused when it must not be kept."""
    if is_env_file(path) or ignored.covers(path, tree):
        raise NousError(f"{path} is not kept: it is ignored, or may hold secrets")
    source = files.read(tree, path)
    if source is None:
        raise NousError(f"{path} cannot be kept: it is no plain text file of this work tree below 1 MB")
    language = language_of(path)
    outline = treesitter.read_code(language, source) if language else None
    text = source.decode("utf-8", "replace")
    return chunks(path, text, outline), text


def pair(
    stores: Stores,
    tree: str,
    path: str,
    ignored: Ignored,
    project_id: str,
    session_id: str,
    now: str,
    callers: Callers,
    by_agent: bool = False,
    doubted: bool = False,
) -> Paired:
    """Keep a file as code and prose. What did not change stays; what is no longer there is named, to be archived."""
    found, text = pieces_of(tree, path, ignored)
    keys = [f"{path}#{one.name or f'{one.type}-{at}'}" for at, one in enumerate(found)]
    pieces = list(zip(found, keys, strict=True))
    raw = [
        Note(text=f"{one.prefix}\n\n{one.content}", type="code", ref=CODE + key, by_agent=by_agent, doubted=doubted)
        for one, key in pieces
    ]
    code = keep(stores, raw, project_id, session_id, now)
    known = {memory.id: memory for memory in stores.memories.by_id(code)}
    prose = [
        Note(
            text=_sentence(one, text, callers),
            type="code_description",
            files=(path,),
            symbols=(one.name.rpartition(".")[2],) if one.name else (),
            edges=(EdgeProposal(known[number].learning_id, "source_of", 1.0, 1.0),),
            ref=PROSE + key,
            by_agent=by_agent,
            doubted=doubted,
        )
        for one, key, number in zip(found, keys, code, strict=True)
    ]
    told = keep(stores, prose, project_id, session_id, now)
    return Paired(len(found), tuple(code), tuple(told), _left_memories(stores.memories, project_id, path, keys))


def _sentence(chunk: Chunk, text: str, callers: Callers) -> str:
    before = "\n".join(text.splitlines()[max(0, chunk.start - 20) : chunk.start - 1])
    return describe_chunk(chunk, docstring(chunk, before), callers(chunk.file, chunk.name) if chunk.name else [])


def _left_memories(memories: Memories, project_id: str, path: str, keys: Sequence[str]) -> tuple[Memory, ...]:
    """Memories of pieces that the file no longer has."""
    kept = {start + key for key in keys for start in (CODE, PROSE)}
    mine = (f"{CODE}{path}#", f"{PROSE}{path}#")
    held = [*memories.listing(project_id, type="code", limit=100_000)]
    held += memories.listing(project_id, type="code_description", limit=100_000)
    return tuple(one for one in held if one.ref and one.ref.startswith(mine) and one.ref not in kept)


def why_archived(path: str) -> Archived:
    """Why a piece is out of use."""
    return Archived(reason=GONE + os.path.basename(path))
