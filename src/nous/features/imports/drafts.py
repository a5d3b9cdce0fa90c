"""What other memories and instruction files say, as drafts. Pure: text in, drafts and reasons out."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from nous import moments
from nous.errors import NousError
from nous.kernel.log.extraction import MAX_CONTENT, normal_concepts
from nous.kernel.types import TYPES

MemoryFormat = Literal["legacy", "markdown", "nous"]
ChatFormat = Literal["codex", "specstory"]
Format = MemoryFormat | ChatFormat
MEMORY_FORMATS: tuple[MemoryFormat, ...] = get_args(MemoryFormat)
LEGACY_PROJECT = "legacy-migration"  # where records of projects go that nobody knows
CHAT_FORMATS: tuple[ChatFormat, ...] = get_args(ChatFormat)
FORMATS: tuple[Format, ...] = (*MEMORY_FORMATS, *CHAT_FORMATS)


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to remember, as its source says it.

    `ref` names it within its source; in files several drafts of one section share it. `project` is what the source
    calls the project, None where it does not say. `extractor` is who wrote it there, None where that is unknown.
    """

    ref: str
    content: str
    type: str = "fact"
    at: str | None = None
    project: str | None = None
    session: str | None = None
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    confidence: float = 0.7
    extractor: str | None = None
    suggested_target: str | None = None


class Skipped(NamedTuple):
    """What was not taken, and why."""

    where: str
    reason: str


Drafts = Iterator[Draft | Skipped]


def read_drafts(format_: Format, name: str, text: str) -> list[Draft | Skipped]:
    """Everything a file of a format says, in its order."""
    match format_:
        case "markdown":
            return list(_markdown(name, text))
        case "legacy":
            return list(_legacy(name, text))
        case _:
            raise NousError(f"{format_} holds conversations, not memories")


# -- which format ---------------------------------------------------------------------------------------------------

_FILES = re.compile(
    r"(?:\.(?:md|mdc|markdown|txt)|\.(?:cursorrules|windsurfrules|clinerules|goosehints)|(?:^|/)AGENTS?)$", re.I
)
_LEGACY = re.compile(r"(?:^|/)(?:engram|cortex)\b[^/]*\.jsonl$", re.I)


def detect(name: str, text: str) -> Format:
    """The format of a file, by its name and by what stands in it."""
    if _LEGACY.search(name):
        return "legacy"
    if _FILES.search(name):
        return "markdown"
    if _ROLLOUT.search(name) or _SESSION_HEAD.match(text):
        return "codex"
    if _is_legacy(text):
        return "legacy"
    raise NousError(f"cannot tell what wrote {name}", hint="say it with --format: " + ", ".join(FORMATS))


def _is_legacy(text: str) -> bool:
    """Whether a log of an earlier version begins so, whatever its name."""
    records = (_line(line) for line in text.splitlines()[:20] if line.strip())
    first = next((record for record in records if isinstance(record, dict)), {})
    return "content" in first and not {"ts", "session", "suggested_target", "learning"}.isdisjoint(first)


_ROLLOUT = re.compile(r"(?:^|/)rollout-[^/]*\.jsonl$")
_SESSION_HEAD = re.compile(r'\s*\{[^\n]{0,200}"type"\s*:\s*"session_meta"')


def _line(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


# -- shared ---------------------------------------------------------------------------------------------------------


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    """A list of texts, also when it is written as JSON in a string or separated by commas."""
    if isinstance(value, str):
        parsed = _line(value) if value.lstrip().startswith("[") else None
        value = parsed if isinstance(parsed, list) else value.split(",")
    items = value if isinstance(value, list | tuple) else []
    return tuple(dict.fromkeys(text for item in items if (text := _text(item))))


def moment(value: object) -> str | None:
    """A moment from ISO text, seconds or milliseconds since 1970; None when it is none."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if value > 1e11 else value
            return moments.text(datetime.fromtimestamp(seconds, UTC))
        if isinstance(value, str) and value:
            return moments.text(datetime.fromisoformat(value))
    except (ValueError, OverflowError, OSError):
        pass
    return None


def digest(*parts: str) -> str:
    """A short name for some text."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


_SENTENCE = re.compile(r"(?<=[.!?;。！？])\s+")


def pieces(text: str) -> list[str]:
    """A text cut between sentences so that every piece can be one memory; an endless sentence gives none."""
    if len(text) <= MAX_CONTENT:
        return [text] if text else []
    found: list[str] = []
    for sentence in _SENTENCE.split(text):
        if found and len(found[-1]) + 1 + len(sentence) <= MAX_CONTENT:
            found[-1] += " " + sentence
        elif len(sentence) <= MAX_CONTENT:
            found.append(sentence)
    return [piece for piece in found if piece]


def _several(draft: Draft) -> Drafts:
    """The draft, or as many as its text needs."""
    said = pieces(draft.content)
    if not said:
        yield Skipped(draft.ref, "there is no text" if not draft.content else "one sentence is too long to be a memory")
    for number, piece in enumerate(said, 1):
        ref = draft.ref if number == 1 else f"{draft.ref}/{number}"
        yield msgspec.structs.replace(draft, content=piece, ref=ref)


def _type(value: object, default: str) -> str:
    word = re.sub(r"[\s-]+", "_", value.strip().lower()) if isinstance(value, str) else ""
    return word if word in TYPES else default


def _lines(text: str, name: str, one: Any) -> Drafts:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not any(isinstance(_line(line), dict) for _, line in lines):
        raise NousError("the file is not JSON, or not all of it is there")
    for number, line in lines:
        item = _line(line)
        yield from (
            one(item, f"{name}:{number}") if isinstance(item, dict) else [Skipped(f"line {number}", "it is no record")]
        )


# -- logs of earlier versions ---------------------------------------------------------------------------------------


def _legacy(name: str, text: str) -> Drafts:
    """`engram.jsonl` holds what to do differently, `cortex.jsonl` what is so; one object per line."""
    usual = "fact" if "cortex" in name.lower() else "pattern"

    def one(item: dict[str, Any], where: str) -> Drafts:
        content = _text(item.get("content")) or _text(item.get("learning")) or _text(item.get("text"))
        if not content:
            yield Skipped(where.replace("legacy:", "line "), "it has no content")
            return
        project, session = _text(item.get("project")) or None, _text(item.get("session")) or None
        draft = Draft(
            ref="legacy:" + digest(project or "", session or "", content),
            content=_with_reason(content, _text(item.get("context"))),
            type=_type(item.get("type"), usual),
            at=moment(item.get("ts") or item.get("timestamp") or item.get("created_at")),
            project=project,
            session=session,
            concepts=normal_concepts(_texts(item.get("concepts"))),
            files=_texts(item.get("files")),
            extractor=_text(item.get("extractor_version")) or None,
            suggested_target=_text(item.get("suggested_target")) or None,
        )
        yield from _several(draft)

    yield from _lines(text, "legacy", one)


def _with_reason(content: str, reason: str) -> str:
    """Both, when they fit into one memory."""
    both = f"{content.rstrip('.')}. Why: {reason}"
    return both if reason and len(both) <= MAX_CONTENT else content


# -- instruction and memory files -----------------------------------------------------------------------------------

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.S)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_OURS_BEGIN = re.compile(r"<!--\s{0,9}nous[\s:-]{0,9}(?:start|begin)", re.I)
_OURS_END = re.compile(r"<!--\s{0,9}nous[\s:-]{0,9}(?:end|stop)[^<>]*-->", re.I)
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_BULLET = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_LINK = re.compile(r"!\[[^\]]{0,300}\]\([^)]{0,500}\)|\[([^\]]{1,300})\]\([^)]{0,500}\)")
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.{1,300}?)(?<=\S)\1")
_RULE = re.compile(
    r"\b(?:always|never|must|mustn't|don't|do not|avoid|prefer|use|required?|should|only|immer|nie|toujours"
    r"|jamais|siempre|nunca|всегда|никогда)\b|必须|不要|必ず",
    re.I,
)
SHELL = frozenset({"", "sh", "bash", "shell", "console", "zsh"})
FEWEST_WORDS = 3


class _Block(NamedTuple):
    """One item of a file: the headings above it, and its text; `skip` says why it is not one."""

    path: tuple[str, ...]
    text: str
    skip: str = ""


def _without_ours(text: str) -> str:
    """A text without the parts that Nous itself wrote there; one that has no end is kept."""
    pieces, at = [], 0
    while begin := _OURS_BEGIN.search(text, at):
        end = _OURS_END.search(text, begin.end())
        if end is None:
            break
        pieces.append(text[at : begin.start()])
        at = end.end()
    return "".join(pieces) + text[at:]


def _markdown(name: str, text: str) -> Drafts:
    """Every bullet, paragraph and short list of commands, named after its section.

    Rules that hold for some files only (`globs` of Cursor, `paths` of Claude Code, `applyTo` of Copilot) say for which.
    """
    text = text.replace("\r\n", "\n")
    front = _FRONT_MATTER.match(text)
    where = _where(front[0]) if front else ""
    text = _COMMENT.sub("", _without_ours(_FRONT_MATTER.sub("", text)))
    for block in _blocks(text):
        section = " > ".join(block.path).replace("~", "-")  # a tilde numbers the items of a section
        ref = f"{name}#{section}"
        words = _plain(block.text)
        if block.skip:
            yield Skipped(ref, block.skip)
        elif "[Memory #" in block.text:
            yield Skipped(ref, "Nous wrote it")
        elif len(words.split()) < FEWEST_WORDS and "`" not in words and words.isascii():
            yield Skipped(ref, "too short to say anything")
        else:
            draft = Draft(
                ref=ref, content=where + _with_heading(words, block.path), type=_kind(words, section), confidence=0.9
            )
            yield from (
                one if isinstance(one, Skipped) else msgspec.structs.replace(one, ref=ref) for one in _several(draft)
            )


_GLOBS = re.compile(r"^(?:globs|paths|applyTo):[ \t]*(.*(?:\n[ \t]*-[ \t].*)*)", re.M)


def _where(front: str) -> str:
    """The files that a rule holds for, as the beginning of a sentence; nothing when it holds always."""
    found = _GLOBS.search(front)
    always = re.search(r"^alwaysApply:[ \t]*true\b", front, re.M)
    globs = re.findall(r"[^\s,\[\]\"']+", re.sub(r"^[ \t]*-[ \t]", "", found[1], flags=re.M)) if found else []
    if always or not globs or set(globs) <= {"*", "**", "**/*"}:
        return ""
    return f"In {', '.join(f'`{glob}`' for glob in globs[:4])}: "


def _blocks(text: str) -> Iterator[_Block]:
    outline = _Outline()
    lines = iter(text.split("\n"))
    for line in lines:
        if line.lstrip().startswith(("```", "~~~")):
            yield from outline.code(line.strip(), list(_fenced_lines(lines, line.strip()[:3])))
        else:
            yield from outline.take(line)
    yield from outline.flush()


class _Outline:
    """Where in a file we are: the headings above, the item that is being read, and what introduces it."""

    def __init__(self) -> None:
        self.headings: list[tuple[int, str]] = []
        self.held: list[str] = []
        self.parents: list[tuple[int, str]] = []  # by indentation; a sentence that ends in ":" introduces what follows
        self.in_bullet = False

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.headings)

    def flush(self) -> Iterator[_Block]:
        """The item at hand, which ends here; a paragraph that only introduces a list goes with the list."""
        said = " ".join(self.held)
        self.held.clear()
        if said and not self.in_bullet:
            self.parents = [(-1, said)] if said.endswith(":") else []
        if said and not (said.endswith(":") and not self.in_bullet):
            yield _Block(self.path, said)
        self.in_bullet = False

    def take(self, line: str) -> Iterator[_Block]:
        """What ends with this line."""
        if heading := _HEADING.match(line):
            yield from self.flush()
            level = len(heading[1])
            above = [(depth, title) for depth, title in self.headings if depth < level]
            self.headings, self.parents = [*above, (level, _plain(heading[2]))], []
        elif bullet := _BULLET.match(line):
            yield from self.flush()
            self._begin(len(bullet[1].expandtabs(4)), bullet[2])
        elif line.lstrip().startswith("|"):
            yield from self.flush()
            if not set(line.strip()) <= set("|-: "):
                yield _Block(self.path, line, "tables are not imported")
        elif line.strip():
            self.held.append(line.strip())
        else:
            yield from self.flush()

    def _begin(self, indent: int, words: str) -> None:
        self.parents = [(depth, said) for depth, said in self.parents if depth < indent]
        self.held.append(" ".join([*(said for _, said in self.parents if said.endswith(":")), words]))
        self.parents.append((indent, words))
        self.in_bullet = True

    def code(self, opening: str, lines: list[str]) -> Iterator[_Block]:
        """A block of code, with the sentence before it when that introduces it."""
        yield from self.flush()
        lead = next((said for depth, said in self.parents if depth < 0), "")
        self.parents = []
        yield _code(self.path, lead, opening, lines)


def _fenced_lines(lines: Iterator[str], fence: str) -> Iterator[str]:
    for line in lines:
        if line.strip().startswith(fence):
            return
        yield line


def _code(path: tuple[str, ...], lead: str, opening: str, lines: Iterable[str]) -> _Block:
    """Commands of a shell as one item; other code is not a memory."""
    kept = [line.strip().removeprefix("$ ") for line in lines if line.strip()]
    if opening.strip("`~").strip().split(" ")[0].lower() not in SHELL:
        return _Block(path, "", "code is not imported")
    said = "; ".join(_command(line) for line in kept if not line.startswith("#"))
    text = f"{lead} {said}".strip()
    fits = bool(said) and len(text) <= MAX_CONTENT - 80 and len(kept) <= 12
    return _Block(path, text) if fits else _Block(path, "", "a long block of code is not imported")


def _command(line: str) -> str:
    """A command in back-ticks, its comment behind it."""
    command, mark, comment = line.partition(" # ")
    return f"`{command.strip()}`" + (f" ({comment.strip()})" if mark else "")


def _plain(text: str) -> str:
    text = _LINK.sub(lambda found: found[1] or "", text)
    return " ".join(_EMPHASIS.sub(r"\2", text).split())


def _with_heading(words: str, path: tuple[str, ...]) -> str:
    """The words with the heading above them, unless they name it themselves; the title of a file says little."""
    title = path[-1] if len(path) > 1 else ""
    if not title or title.lower() in words.lower() or len(title) > 60:
        return words
    return f"{title}: {words}"


def _kind(words: str, section: str) -> str:
    if _RULE.search(words):
        return "preference"
    if "`" in words and re.search(
        r"\b(?:run|test|build|lint|deploy|command|start|install|setup)\w*\b", f"{section} {words}", re.I
    ):
        return "procedure"
    return "fact"
