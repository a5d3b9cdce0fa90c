"""Paths whose contents are never kept, and what of a turn that concerns."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Iterable

from msgspec.structs import replace

from nous.kernel.capture.transcript import Turn
from nous.language.shellwords import may_be, paths_in

PATH_KEYS = ("file_path", "path", "notebook_path")
PLACEHOLDER = "[ignored]"
_WORD = re.compile(r"[^\s\"'`=;|&<>(){}]{2,400}")
_FOUND_IN = re.compile(r"^([^\s:]{2,400})[:-]\d+[:-].*\n?", re.M)  # a line of grep's output


class Ignored:
    """Which paths are ignored. A pattern that does not begin at the root counts anywhere, with all that lies below."""

    def __init__(self, patterns: Iterable[str], home: str = ""):
        self.home = home
        self.globs = [_anchor_pattern(pattern, home) for pattern in patterns if pattern]
        self.pattern = re.compile("|".join(map(_glob_to_regex, self.globs)) or r"(?!)")

    def covers(self, path: str, cwd: str = "") -> bool:
        """Whether the contents of a path, seen from a directory, are never kept."""
        return bool(path) and bool(self.pattern.fullmatch(posixpath.normpath(posixpath.join(cwd, path))))

    def named_in(self, command: str, cwd: str) -> bool:
        """Whether a command speaks of an ignored path, in whatever way a shell lets one spell it."""
        if not self.globs:
            return False
        if any(self.covers(word, cwd) for word in _WORD.findall(command)):
            return True
        paths = set(paths_in(command, cwd, self.home))
        return any(self.covers(path) or any(may_be(path, glob) for glob in self.globs) for path in paths)

    def without(self, turn: Turn, calls: set[str]) -> Turn | None:
        """What may be kept of a turn; nothing when it was said in an ignored directory.

        `calls` gathers the tool calls that touch ignored paths: their results are known by their ids.
        """
        if self.covers(turn.cwd):
            return None
        paths = {key: turn.input[key] for key in PATH_KEYS if isinstance(turn.input.get(key), str)}
        touches = any(self.covers(path, turn.cwd) for path in paths.values())
        if turn.kind == "tool_call":
            if touches or self.named_in(str(turn.input.get("command", "")), turn.cwd):
                calls.add(turn.tool_id)
                return replace(turn, input=paths)
        elif turn.kind in ("tool_result", "report", "context"):
            if touches or turn.tool_id in calls:
                return replace(turn, text=PLACEHOLDER, input=paths, left_out=b"")
            return self._without_lines(turn)
        return turn

    def _without_lines(self, turn: Turn) -> Turn:
        """A search over many files may quote ignored ones, line by line."""
        text = _FOUND_IN.sub(lambda line: "" if self.covers(line[1], turn.cwd) else line[0], turn.text)
        files = [name for name in turn.files if not self.covers(name, turn.cwd)]
        if len(files) < len(turn.files):
            turn = replace(turn, input=turn.input | {"files": files})
        return turn if text == turn.text else replace(turn, text=text, left_out=b"")


def _anchor_pattern(pattern: str, home: str) -> str:
    """A pattern that begins at the root, at the user's home, or anywhere."""
    glob = pattern.rstrip("/")
    for name in ("~", "$HOME", "${HOME}"):
        if home and (glob == name or glob.startswith(name + "/")):
            glob = home + glob[len(name) :]
    return glob if glob.startswith(("/", "**/")) else f"*/{glob}"


def _glob_to_regex(glob: str) -> str:
    """A glob as a regular expression for whole paths."""
    return fnmatch.translate(glob).removesuffix(r"\Z") + r"(?:/.*)?"
