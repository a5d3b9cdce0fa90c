"""A shell command as the shell reads it: every simple command in it, whatever it stands behind or within.

`timeout 9 curl x | head`, `bash -lc "curl x"`, `echo $(curl x)` and `kubectl exec pod -- curl x` all run `curl x`.
What is asked of a command (does it fetch, does it print a secret) is asked of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

MOST_CHARACTERS = 16_000
MOST_COMMANDS = 300
DEEPEST = 6


class ShellCommand(NamedTuple):
    """A simple command: its words without quotes and the files it reads, what it is fed, where its output goes.

    `writes`: files that take its output. `is_shown`: its output is seen, and not kept in a variable, a file or by a
    program that reads it. `into`: the variable that keeps it.
    """

    words: tuple[str, ...]
    fed: str = ""
    writes: tuple[str, ...] = ()
    is_shown: bool = True
    into: str = ""

    @property
    def program(self) -> str:
        """The name of the program, without its folder."""
        name = self.words[0].replace("\\", "/").rsplit("/", 1)[-1] if self.words else ""
        return (name.split("$", 1)[0] or name).removesuffix(".exe").lower()

    @property
    def text(self) -> str:
        """The command in one line, with the bare name of its program."""
        return " ".join((self.program, *self.words[1:]))


@lru_cache(maxsize=1024)
def commands_in(script: str) -> tuple[ShellCommand, ...]:
    """Every simple command that a script runs, wrappers and what they wrap; in order, at most 300."""
    found: list[ShellCommand] = []
    for command in _run(script[:MOST_CHARACTERS], DEEPEST, is_shown=True, into=""):
        found.append(command)
        if len(found) >= MOST_COMMANDS:
            break
    return tuple(found)


# -- reading ----------------------------------------------------------------------------------------------------------


@dataclass
class _Simple:
    """A simple command while it is read: scripts within its words and within what it assigns are kept apart."""

    words: list[str] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)
    assigned: list[tuple[str, str]] = field(default_factory=list)
    fed: str = ""
    read: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)

    def is_empty(self) -> bool:
        return not (self.words or self.inner or self.assigned or self.fed or self.writes)


_KEYWORDS = frozenset("if then elif else fi do done while until esac ! { } coproc".split())  # noqa: SIM905
_GAP = re.compile(r"(?:[ \t\r]|\\\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_REDIRECT = re.compile(r"(?:\d{0,2}|&)(?:<<<|<<-?|>>|>\||<>|>&|<&|>|<)(?!\()[ \t]{0,9}")
_SEPARATOR = re.compile(r"\|\||&&|;;&?|;&|\|&|[;&|()\n]")
_PLAIN = re.compile(r"[^\s\\\"'$`;&|()<>]+")
_IN_DOUBLE = re.compile(r"[^\\\"$`]+")
_ASSIGNED = re.compile(r"[A-Za-z_]\w{0,60}\+?=")
_TERMINAL = frozenset({"/dev/stdout", "/dev/stderr", "/dev/tty", "&1", "&2", "-"})


class _Reader:
    """Reads pipelines from a script, once from left to right."""

    def __init__(self, script: str):
        self.script = script
        self.at = 0
        self.waiting: list[tuple[_Simple, str, bool]] = []  # documents that begin on the next line

    def pipelines(self) -> Iterator[list[_Simple]]:
        pipeline, simple = [_Simple()], True
        while self.at < len(self.script):
            if separator := _SEPARATOR.match(self.script, self.at):
                self.at = separator.end()
                if separator[0] == "\n":
                    self._take_documents()
                if separator[0] in ("|", "|&"):
                    pipeline.append(_Simple())
                elif not all(one.is_empty() for one in pipeline):
                    yield [one for one in pipeline if not one.is_empty()]
                    pipeline = [_Simple()]
                simple = True
            elif gap := _GAP.match(self.script, self.at):
                self.at, simple = gap.end(), True
            elif simple and (comment := _COMMENT.match(self.script, self.at)):
                self.at = comment.end()
            elif redirect := _REDIRECT.match(self.script, self.at):
                self._redirect(pipeline[-1], redirect)
            else:
                self._word(pipeline[-1])
                simple = False
        self._take_documents()
        if not all(one.is_empty() for one in pipeline):
            yield [one for one in pipeline if not one.is_empty()]

    def _redirect(self, command: _Simple, redirect: re.Match[str]) -> None:
        self.at = redirect.end()
        sign = redirect[0].strip().lstrip("0123456789&")
        scripts: list[str] = []
        target = self._piece(scripts)
        command.inner += scripts
        if sign == "<<<":
            command.fed += target
        elif sign in ("<<", "<<-"):
            self.waiting.append((command, target, sign == "<<-"))
        elif sign in ("<", "<>"):
            command.read.append(target)
        elif sign.startswith(">"):
            is_error = redirect[0].startswith("2")
            target = f"&{target}" if sign == ">&" else target
            if not is_error and target not in _TERMINAL and target.lstrip("&"):
                command.writes.append(target)

    def _take_documents(self) -> None:
        """What stands below a command up to the line that ends it."""
        for command, end, is_indented in self.waiting:
            lines: list[str] = []
            while self.at < len(self.script):
                below = self.script.find("\n", self.at)
                below = len(self.script) if below < 0 else below
                line = self.script[self.at : below]
                self.at = below + 1
                if (line.lstrip("\t") if is_indented else line).rstrip("\r") == end:
                    break
                lines.append(line)
            command.fed += "\n".join(lines)
        self.waiting = []

    def _word(self, command: _Simple) -> None:
        scripts: list[str] = []
        start = self.at
        word = self._piece(scripts)
        if self.at == start:  # a sign that begins nothing
            self.at += 1
            return
        if (not command.words and word in _KEYWORDS) or (word == "{" and command.words[:1] == ["function"]):
            command.words.clear()
            command.inner += scripts
        elif not command.words and (name := _ASSIGNED.match(word)):
            command.assigned += [(name[0].rstrip("+="), script) for script in scripts]
        else:
            command.words.append(word)
            command.inner += scripts

    def _piece(self, scripts: list[str]) -> str:
        """One word without its quotes; the scripts that stand in it are added to those."""
        parts: list[str] = []
        text = self.script
        while self.at < len(text):
            letter = text[self.at]
            if plain := _PLAIN.match(text, self.at):
                parts.append(plain[0])
                self.at = plain.end()
            elif letter == "\\":
                parts.append(text[self.at + 1 : self.at + 2].replace("\n", ""))
                self.at += 2
            elif letter == "'":
                parts.append(self._until("'"))
            elif letter == '"':
                self.at += 1
                parts.append(self._double(scripts))
            elif letter == "`" or (letter == "$") or (letter in "<>" and text.startswith("(", self.at + 1)):
                parts.append(self._substitute(scripts))
            else:
                break
        return "".join(parts)

    def _until(self, end: str) -> str:
        stop = self.script.find(end, self.at + 1)
        stop = len(self.script) if stop < 0 else stop
        taken = self.script[self.at + 1 : stop]
        self.at = stop + 1
        return taken

    def _double(self, scripts: list[str]) -> str:
        parts: list[str] = []
        while self.at < len(self.script):
            letter = self.script[self.at]
            if letter == '"':
                self.at += 1
                break
            if plain := _IN_DOUBLE.match(self.script, self.at):
                parts.append(plain[0])
                self.at = plain.end()
            elif letter == "\\":
                following = self.script[self.at + 1 : self.at + 2]
                parts.append(following if following in '"\\$`' else "" if following == "\n" else f"\\{following}")
                self.at += 2
            else:
                parts.append(self._substitute(scripts))
        return "".join(parts)

    def _substitute(self, scripts: list[str]) -> str:
        """A variable as it is written, or a script that runs in this place."""
        text, start = self.script, self.at
        if text[start] == "`":
            scripts.append(self._until("`"))
            return "$()"
        if text.startswith("$'", start):
            self.at += 1
            return self._until("'")
        if text.startswith("${", start):
            return "$" + "{" + self._until("}")[1:] + "}"
        if text.startswith("(", start + 1) and not text.startswith("$((", start):
            end = _closing(text, start + 2)
            scripts.append(text[start + 2 : end])
            self.at = end + 1
            return "$()"
        self.at += 1
        return text[start]


_BRACKETS = re.compile(r"\\.|'[^']*'|[()\"]", re.S)


def _closing(text: str, start: int) -> int:
    """Where the bracket closes within which a text stands; its end when it never does."""
    depth, quoted = 1, False
    at = start
    while found := _BRACKETS.search(text, at):
        at = found.end()
        if found[0] == '"':
            quoted = not quoted
        elif found[0] == "(":
            depth += 1
        elif found[0] == ")":
            depth -= 1
            if not depth:
                return found.start()
        elif quoted and found[0].startswith("'"):
            at = found.start() + 1  # within double quotes this is an apostrophe
    return len(text)


# -- running ----------------------------------------------------------------------------------------------------------


def _run(script: str, deep: int, *, is_shown: bool, into: str) -> Iterator[ShellCommand]:
    if not deep:
        return
    for pipeline in _Reader(script).pipelines():
        seen = is_shown
        shown: list[bool] = []
        for simple in reversed(pipeline):
            seen = seen and not simple.writes
            shown.append(seen)
            seen = seen and not keeps_to_itself(simple.words)
        for simple, is_seen in zip(pipeline, reversed(shown), strict=True):
            yield from _expand(simple, deep, is_shown=is_seen, into=into)


def _expand(simple: _Simple, deep: int, *, is_shown: bool, into: str) -> Iterator[ShellCommand]:
    command = ShellCommand((*simple.words, *simple.read), simple.fed, tuple(simple.writes), is_shown, into)
    if simple.words:
        yield command
    repeats = command.program in _REPEATS
    for script in simple.inner:
        yield from _run(script, deep - 1, is_shown=is_shown and repeats, into=into)
    for name, script in simple.assigned:
        yield from _run(script, deep - 1, is_shown=False, into=name)
    if "$(" in simple.fed or "`" in simple.fed:
        reader = _Reader(f'"{simple.fed}"')
        scripts: list[str] = []
        reader.at = 1
        reader._double(scripts)
        for script in scripts:
            yield from _run(script, deep - 1, is_shown=is_shown and repeats, into=into)
    for behind in unwrap_command(command):
        if isinstance(behind, str):
            yield from _run(behind, deep - 1, is_shown=is_shown, into=into)
        elif deep > 1:
            inner = _Simple(list(behind), fed=simple.fed, writes=list(simple.writes))
            yield from _expand(inner, deep - 1, is_shown=is_shown, into=into)


# -- programs that run others -----------------------------------------------------------------------------------------

_REPEATS = frozenset("echo printf cat tee print".split())  # noqa: SIM905
_READS_ALONE = frozenset(
    """
    pbcopy xclip xsel wl-copy clip wc sha1sum sha256sum sha512sum md5sum shasum ssh-add chpasswd docker podman kubectl
    helm gh glab heroku fly flyctl wrangler vercel gcloud aws az vault psql mysql npm sqlite3 true passwd skopeo oras
    """.split()  # noqa: SIM905
)


def keeps_to_itself(words: list[str]) -> bool:
    """Whether a program that is fed text does something with it instead of passing it on."""
    if not words:
        return False
    name = words[0].rsplit("/", 1)[-1]
    return name in _READS_ALONE or (name in ("grep", "rg") and any(re.match(r"-\w*[qc]|--quiet", one) for one in words))


class Wrapper(NamedTuple):
    """How a program names the one that it runs: behind a word of its own, options with values and so many words."""

    behind: frozenset[str]
    valued: frozenset[str]
    skips: int


@lru_cache(maxsize=1)
def wrappers() -> dict[str, tuple[Wrapper, ...]]:
    """The programs that run others, by name; the table is `wrappers.txt`."""
    table: dict[str, tuple[Wrapper, ...]] = {}
    for line in files(__package__).joinpath("wrappers.txt").read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            names, behind, valued, skips = line.split()
            row = Wrapper(_set(behind), _set(valued), int(skips))
            for name in names.split(","):
                table[name] = (*table.get(name, ()), row)
    return table


def _set(written: str) -> frozenset[str]:
    return frozenset(() if written == "." else written.split(","))


_SHELLS = frozenset("sh bash zsh dash ksh ash fish mksh rbash pwsh powershell cmd su runuser script".split())  # noqa: SIM905
_TAKES_SCRIPT = re.compile(r"-[a-z]{0,8}c|-command|--command|--run|/c", re.I)
_WHOLE = frozenset("eval watch parallel hyperfine concurrently trap entr watchexec nodemon wsl tmux screen".split())  # noqa: SIM905
_WHOLE_OPTIONS = Wrapper(frozenset(), frozenset("-n -N -L -t -s -w -e -j -d --interval --warmup --exec".split()), 0)  # noqa: SIM905
_SCRIPT_PROGRAMS = frozenset("npx npm pnpm nix nix-shell gcloud".split())  # noqa: SIM905
_SCRIPT_OPTION = re.compile(r"-c|--call|--run|--command|--shell", re.I)
_FIND = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_VARIABLE = re.compile(r"[A-Za-z_]\w{0,60}=.*", re.S)


def unwrap_command(command: ShellCommand) -> Iterator[str | tuple[str, ...]]:
    """What a command runs: a script, or the words of another command."""
    words, program = command.words, command.program
    if program in _SHELLS:
        yield from _scripts(command)
    elif program in _WHOLE:
        behind = _behind(words, _WHOLE_OPTIONS)
        scripts = [word for word in behind if re.search(r"\s", word)]
        yield "\n".join(scripts) if scripts else " ".join(behind)
    elif program in ("ssh", "mosh"):
        yield " ".join(_behind(words, wrappers()["ssh"][0]))
    elif program in ("find", "fd"):
        yield from _commands_of_find(words)
    elif program in _SCRIPT_PROGRAMS:
        yield from (words[at + 1] for at, word in enumerate(words[:-1]) if at and _SCRIPT_OPTION.fullmatch(word))
    for wrapper in wrappers().get(program, ()) if program not in ("ssh", "mosh") else ():
        at = next((place for place, word in enumerate(words) if place and word in wrapper.behind), 0)
        if at or not wrapper.behind:
            inner = _behind(words[at:], wrapper)
            if len(inner) == 1 and re.search(r"\s", inner[0]):
                yield inner[0]
            elif inner:
                yield inner
            return


def _scripts(command: ShellCommand) -> Iterator[str]:
    words = command.words
    for at, word in enumerate(words[:-1]):
        if at and _TAKES_SCRIPT.fullmatch(word):
            yield " ".join(words[at + 1 :]) if command.program in ("cmd", "pwsh", "powershell") else words[at + 1]
            return
    if command.fed:
        yield command.fed


def _behind(words: tuple[str, ...], wrapper: Wrapper) -> tuple[str, ...]:
    """The words behind a wrapper's own: its options with their values, assignments, and so many words."""
    at, left = 1, wrapper.skips
    if "--" in words:
        return words[words.index("--") + 1 :]
    while at < len(words):
        word = words[at]
        if word.startswith("-") and len(word) > 1:
            # the last of several letters in one may take the value: `sudo -iu bob`
            last = f"-{word[-1]}" if word[1] != "-" and word[1:].isalpha() else word
            at += 2 if word in wrapper.valued or last in wrapper.valued else 1
        elif _VARIABLE.fullmatch(word):
            at += 1
        elif left:
            left -= 1
            at += 1
        else:
            break
    return words[at:]


def _commands_of_find(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for at, word in enumerate(words):
        if word in _FIND or word in ("-x", "-X", "--exec"):
            rest = words[at + 1 :]
            end = next((place for place, one in enumerate(rest) if one in (";", "+")), len(rest))
            yield rest[:end]
