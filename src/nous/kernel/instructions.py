"""Text for files that a client loads as instructions: there `@path` would make it load another file, and a comment
would hide lines or end the part that is ours."""

from __future__ import annotations

import re

_IMPORT = re.compile(r"(?<!\w)@(?=\S)")
_IMPORTED = re.compile(r"(?<!\w)@[^\s`]+")
_RUN = re.compile(r"``+")
SIGN = "＠"  # looks like the sign, and is none to the client


def as_instruction(line: str) -> str:
    """A line that says what it says: no import, no comment."""
    return without_imports(line.replace("<!--", "‹!--").replace("-->", "--›"))


def without_imports(line: str) -> str:
    """A line in which no `@path` is an import: code spans stay as they are, other paths become one.

    Where backticks do not pair up plainly nobody can tell what is code, and the sign itself is replaced.
    `Read @~/.aws/credentials.` gives ``Read `@~/.aws/credentials.` ``.
    """
    if "@" not in line:
        return line
    if _RUN.search(line) or line.count("`") % 2:
        return _IMPORT.sub(SIGN, line)
    pieces = line.split("`")
    return "`".join(piece if at % 2 else _IMPORTED.sub(_as_code, piece) for at, piece in enumerate(pieces))


def _as_code(found: re.Match[str]) -> str:
    return f"`{found[0]}`"
