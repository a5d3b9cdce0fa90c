"""Memories as Markdown: for people to read and change, for Nous to read back, and as the rules file of a client.

A line of a sheet ends with a comment that says what the words do not: the type, since when, the files. Without it the
line is still a sentence, and whoever changes the sentence changes the memory when the sheet is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from nous.features.imports.drafts import Draft, Skipped
from nous.kernel.instructions import as_instruction
from nous.kernel.memory.memory import Memory
from nous.kernel.types import HEADINGS, TYPES

TITLE = "<!-- nous memories 1 -->"
OPENS, CLOSES = " <!-- nous ", " -->"
DOUBTED, UNREVIEWED = "(in doubt) ", "(unreviewed, from outside) "  # what stands before words that may not hold
_KEPT = ("type", "scope", "valid_from", "files", "tags", "branch", "pinned", "disputed")


def is_sheet(text: str) -> bool:
    """Whether a file is a sheet that Nous wrote."""
    return text.lstrip("\ufeff \n").startswith(TITLE)


def render_markdown(memories: Sequence[Memory], made_at: str) -> Iterator[str]:
    """Memories as lines, by project and heading."""
    yield TITLE
    yield f"\n{len(memories)} memories, written {made_at[:10]}. Change a sentence and `nous admin import` this file."
    for project, mine in groupby(sorted(memories, key=_place), key=lambda memory: memory.project_id):
        yield f"\n# {_line(project)}"
        for heading, those in groupby(mine, key=lambda memory: TYPES[memory.type].heading):
            yield f"\n## {heading}\n"
            yield from (f"- {_mark(memory)}{_line(memory.content)}{OPENS}{_rest(memory)}{CLOSES}" for memory in those)


def _place(memory: Memory) -> tuple[str, int, int]:
    return memory.project_id, HEADINGS.index(TYPES[memory.type].heading), memory.id


def _mark(memory: Memory) -> str:
    return DOUBTED if memory.disputed else UNREVIEWED if memory.tainted else ""


def _line(text: str) -> str:
    return " ".join(text.replace("<!--", "‹!--").split())


def _rest(memory: Memory) -> str:
    """What the words do not say, as JSON that cannot end the comment it stands in."""
    known: dict[str, Any] = {"id": memory.learning_id, "confidence": round(memory.confidence, 4)}
    known |= {name: getattr(memory, name) for name in _KEPT if getattr(memory, name)}
    return msgspec.json.encode(known).decode().replace("--", "-\\u002d").replace(">", "\\u003e")


def read_sheet(text: str) -> Iterator[Draft | Skipped]:
    """What a sheet says; a line without its comment is a new memory."""
    project = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("# "):
            project = line[2:].strip()
        elif line.startswith("- "):
            words, _, rest = line[2:].rstrip().partition(OPENS)
            words = words.rstrip().removeprefix(DOUBTED).removeprefix(UNREVIEWED)
            yield _draft(words, rest.removesuffix(CLOSES) or None, project, number)


def _draft(words: str, rest: str | None, project: str, number: int) -> Draft | Skipped:
    try:
        known: dict[str, Any] = msgspec.json.decode(rest, type=dict[str, Any]) if rest else {}
    except msgspec.MsgspecError:
        return Skipped(f"line {number}", "its comment cannot be read")
    kind = known.get("type", "fact")
    if kind not in TYPES:
        return Skipped(f"line {number}", f"there is no type {kind!r}")
    try:
        return msgspec.convert(
            {
                "ref": f"nous:{known.get('id') or words}",
                "content": words.replace("‹!--", "<!--"),
                "type": kind,
                "at": known.get("valid_from"),
                "project": project or None,
                "tags": known.get("tags", ()),
                "files": known.get("files", ()),
                "confidence": known.get("confidence", 0.9),
            },
            Draft,
        )
    except msgspec.ValidationError as wrong:
        return Skipped(f"line {number}", str(wrong))


def rules(memories: Iterable[Memory]) -> Iterator[str]:
    """Memories as a client's rules file: plain sentences by heading, nothing that changes by the week."""
    sure = (memory for memory in memories if not memory.disputed and not memory.tainted)
    lasting = [memory for memory in sure if TYPES[memory.type].is_shown and TYPES[memory.type].kind != "episodic"]
    yield "# What this project knows"
    for heading in HEADINGS:
        mine = [memory for memory in lasting if TYPES[memory.type].heading == heading]
        if mine:
            yield f"\n## {heading}\n"
            yield from (f"- {as_instruction(' '.join(memory.content.split()))}" for memory in mine)
