"""Code in pieces that can be understood on their own, and a sentence about each. No body is ever split."""

from __future__ import annotations

import re

import msgspec

from nous.features.code.model import Definition, Outline

LONG = 120  # lines; a class that is longer is kept as its head and its methods
LINES = 100  # of a piece of a file without structure
LONGEST_SENTENCE = 390
MOST_NAMED = 5
_DOC = re.compile(r'^\s*(?:[rRbBuUfF]{0,2})("""|\'\'\'|"|\')(.*?)\1', re.S)
_COMMENT = re.compile(r"^\s*(?:///?!?|/?\*+/?|#)\s?")


class Chunk(msgspec.Struct, frozen=True):
    """A piece of a file: its text, what it is (function, class, module or text), its name and its lines."""

    content: str
    file: str
    language: str
    type: str
    name: str
    start: int
    end: int

    @property
    def prefix(self) -> str:
        """What says where a piece comes from, for whoever sees it alone. Its lines are left out: they change by
        themselves, and what did not change is to be the same."""
        return f"File: {self.file} | {self.type}: {self.name}" if self.name else f"File: {self.file}"


def chunks(file: str, text: str, outline: Outline | None) -> list[Chunk]:
    """A file in pieces, in its order: definitions as a whole, what is around them, or plain lines."""
    lines = text.splitlines()
    if outline is None or not any(one.kind != "variable" for one in outline.definitions):
        language = outline.language if outline else ""
        return [
            Chunk("\n".join(lines[at : at + LINES]), file, language, "text", "", at + 1, min(at + LINES, len(lines)))
            for at in range(0, len(lines), LINES)
            if "".join(lines[at : at + LINES]).strip()
        ]
    spans = _spans(outline.definitions)
    found = [_piece(file, lines, outline.language, one, start, end) for one, start, end in spans]
    covered = {number for _, start, end in spans for number in range(start, end + 1)}
    rest = [line for number, line in enumerate(lines, 1) if number not in covered]
    if "".join(rest).strip():
        found.append(Chunk("\n".join(rest).strip(), file, outline.language, "module", "", 1, len(lines)))
    return sorted(found, key=lambda one: (one.start, one.end))


def _spans(definitions: list[Definition]) -> list[tuple[Definition, int, int]]:
    """Which definitions become pieces: outer ones, and the methods of a long class instead of its body."""
    found: list[tuple[Definition, int, int]] = []
    ends = 0
    for one in definitions:
        if one.kind == "variable" or one.line <= ends:
            continue
        inner = [each for each in definitions if each.path.startswith(f"{one.path}.") and each.kind == "method"]
        if one.kind == "class" and one.end - one.line >= LONG and inner:
            found.append((one, one.line, max(one.line, inner[0].line - 1)))
            last = 0
            for each in inner:
                if each.line > last:
                    found.append((each, each.line, each.end))
                    last = each.end
        else:
            found.append((one, one.line, one.end))
        ends = one.end
    return found


def _piece(file: str, lines: list[str], language: str, one: Definition, start: int, end: int) -> Chunk:
    kind = "class" if one.kind in ("class", "interface") else "function"
    return Chunk("\n".join(lines[start - 1 : end]), file, language, kind, one.path, start, end)


def signature(chunk: Chunk) -> str:
    """How a definition is called: its head, on one line."""
    head: list[str] = []
    for line in chunk.content.splitlines()[:12]:
        head.append(line.strip())
        if line.rstrip().endswith((":", "{", "=>", ";")):
            break
    said = " ".join(head)
    for end in ("{", ":", "=>", ";"):
        said = said.removesuffix(end).rstrip() if said.endswith(end) else said
    return said.replace("( ", "(").replace(", )", ")")[:160]


def docstring(chunk: Chunk, before: str = "") -> str:
    """The first sentence of what a definition says of itself: its docstring, or the comment above it."""
    if chunk.language == "python":
        body = chunk.content.partition(":\n")[2]
        said = _DOC.match(body)
        text = said[2] if said else ""
    else:
        comment: list[str] = []
        for line in reversed(before.rstrip().splitlines()):
            if not _COMMENT.match(line):
                break
            comment.append(_COMMENT.sub("", line).strip())
        text = " ".join(reversed(comment))
    text = " ".join(text.replace("*/", "").split())
    return re.split(r"(?<=[.!?])\s", text)[0][:160]


def describe_chunk(chunk: Chunk, doc: str, callers: list[str]) -> str:
    """A sentence about a piece of code, made without a model: what it is, what it says of itself, who calls it."""
    if not chunk.name:
        what = "the part outside of functions and classes" if chunk.type == "module" else f"from line {chunk.start} on"
        return f"{chunk.file}: {what}."
    parts = [f"`{chunk.name}` in {chunk.file} is the {chunk.type} `{signature(chunk)}`."]
    if doc:
        parts.append(doc if doc.endswith((".", "!", "?")) else f"{doc}.")
    if callers:
        more = f" and {len(callers) - MOST_NAMED} more" if len(callers) > MOST_NAMED else ""
        parts.append(f"Called by {', '.join(callers[:MOST_NAMED])}{more}.")
    said = " ".join(parts)
    while len(said) > LONGEST_SENTENCE and len(parts) > 1:
        parts.pop()
        said = " ".join(parts)
    return said[:LONGEST_SENTENCE]
