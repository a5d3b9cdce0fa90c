"""What keeps coming back may stand in the instructions of its project."""

from __future__ import annotations

import hashlib

HEADING = "## Said in earlier sessions"
PLACED = "placed"  # the tag of a memory that stands in an instruction file: sessions read it there
PROPOSED = "proposed"  # the tag of one that an older version proposed as a skill: no session is told
FILE = "CLAUDE.md"
SKILLS = ".claude/skills"  # where an older version wrote some


def addition_to(before: bytes, line: str) -> bytes:
    """What is put at the end of a file so that it says a line, under a heading that is written once."""
    gap = b"" if not before or before.endswith(b"\n\n") else b"\n" if before.endswith(b"\n") else b"\n\n"
    has_heading = HEADING.encode() in before
    if has_heading and gap == b"\n":
        gap = b""  # one more item of the list that stands there
    heading = b"" if has_heading else f"{HEADING}\n\n".encode()
    return gap + heading + f"- {line}\n".encode()


def without(now: bytes, addition: bytes) -> bytes | None:
    """A file without what was added to it, wherever it stands now; None when it is not there as it was written."""
    at = now.rfind(addition)
    return now[:at] + now[at + len(addition) :] if at >= 0 else None


def diff_of(before: bytes, addition: bytes, name: str) -> str:
    """What would change, as a diff."""
    import difflib  # only who shows one pays for it

    old, new = (text.decode("utf-8", "replace").splitlines() for text in (before, before + addition))
    return "\n".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="", n=2))


def digest(data: bytes) -> str:
    """What tells one state of a file from another."""
    return hashlib.sha256(data).hexdigest()
