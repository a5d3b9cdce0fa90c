"""What a session has told in confidence is not repeated in it: a secret once seen, a private span once said.

A secret is recognised by the words around it; where it is used, nothing may be around it. So its session remembers it,
in memory only. The same holds for private spans, which an assistant likes to quote.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from nous.language.provenance import is_ordinary
from nous.redact.answers import LAST_WORDS, asks_for, hide_answer
from nous.redact.blocks import reads_settings, without_key_lines
from nous.redact.commands import secret_output, tool_shows
from nous.redact.engine import strip_placeholders
from nous.redact.found import Removals
from nous.redact.rules import SECRET_NAME
from nous.redact.turns import redact_turn
from nous.redact.values import bare, digits, is_code, is_name, is_token

if TYPE_CHECKING:
    from nous.kernel.capture.transcript import Turn

_REPEATED = "[secret:repeated]"
_PRIVATE = "[private]"
_TELLING = 8  # a shorter value may be an ordinary word somewhere else
_SHORT = 6  # but not when it has digits among its letters and stands as a word of its own
_PIN = 4  # nor anything under a name for secrets
_TOKEN, _LONGEST_TOKEN = 20, 400  # characters of a word that is a key by its looks alone
_RUN = 4  # so many words of a private span in a row are a quotation
_QUOTED = 6  # and so many of a line of an ignored file, which may be code like any other
_LEAST = 3  # a shorter line says nothing of its own
_TYPED = "!"  # a command that the user ran themselves, whose output follows
_IN_BACKGROUND = re.compile(r"\bin (?:the )?background with ID: (\w{1,40})")
# A name and its value in whatever a program prints: JSON, YAML, settings, a table.
_GIVEN = re.compile(
    r"([\w.-]{2,40})[\"']?[ \t]{0,20}(?:[=:|\t]|->| {2})[ \t]{0,40}[\"']?"
    r"([^\s\"',;=:{}\[\]|](?:[^\n\"',;{}|]{2,200}[^\s\"',;{}|])?)"
)
_KNOWN_VALUE = re.compile(
    r"[a-z]{2}(?:-[a-z]{3,12}){1,2}-?\d\Z|\d{4}-\d\d-\d\d|v?\d+(?:\.\d+)+|\d{1,5}\Z|arn:|[\w.+-]+@|[\w-]+(?:\.[\w-]+)+\Z"
    r"|[A-Z][A-Z0-9_]+\Z|[0-9a-f]{8}-[0-9a-f]{4}-"
)
MOST_PRINTED = 20_000  # characters of a secret output of which the values are remembered
_NAME = re.compile(r"[\w./\\@~+-]{3,4000}+")  # of a file, where a dot or a slash divides it
_DIVIDED = re.compile(r"[/\\]|\w\.\w")
_PART = re.compile(r"[^\W_]{1,400}+")
_CAPITALIZED = re.compile(r"[A-Z][a-z]+")
_WORD = re.compile(r"[^\W_]+(?:['’.,@+-][^\W_]+)*")


class Discretion:
    """What one session has said that is not to be repeated, and what its next words may answer."""

    def __init__(self) -> None:
        self.values: set[str] = set()
        self.runs: set[tuple[str, ...]] = set()
        self.names: set[str] = set()
        self.told: set[str] = set()
        self.said: dict[str, str] = {}
        self.calls: set[str] = set()
        self.secret_calls: set[str] = set()
        self.secret_shells: set[str] = set()
        self.secret_files: frozenset[str] = frozenset()
        self.has_key = False

    def clean(self, turn: Turn, counted: Counter[str]) -> Turn:
        """The turn without its own secrets; they are remembered."""
        if self._is_secret_output(turn):
            return self._remove_turn(turn, counted)
        cleaned, found = redact_turn(turn, shows_settings=turn.tool_id in self.calls and turn.kind == "tool_result")
        cleaned = self._without_answer(cleaned, found)
        if self.has_key or "private-key" in found:
            self.has_key = True
            cleaned = _map_turn(cleaned, lambda text: strip_placeholders(without_key_lines(text, found)))
        if turn.kind in ("tool_call", "context"):
            self._note_call(turn)
        if found:  # adding even an empty counter costs more than a look
            counted += found
            self.remember(found)
        return cleaned

    def _note_call(self, turn: Turn) -> None:
        """Whether what a call will print is a secret, or a settings file."""
        command, shell = turn.input.get("command"), turn.input.get("bash_id") or turn.input.get("task_id")
        call = turn.tool_id or _TYPED
        if isinstance(command, str):
            printed = secret_output(command, self.secret_files)
            self.secret_files |= printed.files
            if printed.shows == "secret":
                self.secret_calls.add(call)
            elif printed.shows == "settings" or reads_settings(command):
                self.calls.add(call)
        elif tool_shows(turn.tool, str(turn.input.get("file_path") or "")) or shell in self.secret_shells:
            self.secret_calls.add(call)

    def _is_secret_output(self, turn: Turn) -> bool:
        if turn.kind == "context":
            return _TYPED in self.secret_calls and turn.text.startswith(("<bash-stdout>", "<bash-stderr>"))
        if turn.kind == "tool_result" and _is_bare_token(turn.text):
            return True
        return turn.kind in ("tool_result", "report") and turn.tool_id in self.secret_calls

    def _remove_turn(self, turn: Turn, counted: Counter[str]) -> Turn:
        """A turn of which nothing is kept; what it printed is remembered, and the shell that goes on printing."""
        self.secret_calls.discard(_TYPED)
        if started := _IN_BACKGROUND.search(turn.text):
            self.secret_shells.add(started[1])
            return turn
        if not turn.text.strip() or turn.text.startswith("[secret:"):
            return turn
        found = Removals()
        found["command-output"] += 1
        found.taken |= {word for word in map(bare, re.split(r"[\s=,]+", turn.text[:MOST_PRINTED])) if _is_value(word)}
        self.remember(found)
        # said with certainty: what is all of the output, or the value of a name
        alone = turn.text.split()
        if len(alone) == 1:
            given = [("" if _tells_nothing(bare(alone[0])) else "password", alone[0])]
        else:
            given = _GIVEN.findall(turn.text[:MOST_PRINTED])
        self.values |= {bare(value) for name, value in given if _is_given(name, bare(value))}
        counted += found
        return msgspec.structs.replace(turn, text="[secret:command-output]", input={}, left_out=b"")

    def remember(self, found: Removals) -> None:
        """What was taken out of a turn is looked for in others."""
        for value in filter(is_telling, found.taken):
            self.values |= {value, quote(value, safe="")}
            if len(value) >= _TELLING:
                self.values.add(base64.b64encode(value.encode()).decode().rstrip("="))
        for span in found.spans:
            self.runs |= _runs(span, _RUN)
            self.names |= set(_telling_words(span))
            self.told |= {part for part in map(str.lower, _PART.findall(span)) if not is_ordinary(part)}

    def keep_to_itself(self, text: str, allowed: str) -> None:
        """A text of which only a part may be kept is not to be quoted either, line by line and by its telling words."""
        lines = set(text.split("\n")) - set(allowed.split("\n"))
        for line in lines:
            words = _WORD.findall(line)
            if len(words) >= _LEAST:
                self.runs |= _runs(line, min(_QUOTED, len(words)))
            self.names |= {word for word in words if len(word) >= _SHORT and digits(word) and not word.isdigit()}

    def hide(self, turn: Turn) -> Turn:
        """The turn without what other turns of the session told in confidence."""
        turn = without(turn, self.values)
        turn = _map_turn(turn, self._discreet) if self.runs or self.names else turn
        if not self.told:
            return turn
        private = self.told.difference(map(str.lower, _PART.findall(turn.cwd)))  # a session's folder is its name
        turn = _map_turn(turn, lambda text: _NAME.sub(lambda name: _hide_file_name(name[0], private), text))
        return msgspec.structs.replace(turn, branch=_hide_file_name(turn.branch, private, is_name=True))

    def _discreet(self, text: str) -> str:
        """The text without runs of words of a private span, and without its telling words."""
        words = list(_WORD.finditer(text))
        lowered = [word[0].lower() for word in words]
        hidden = [word[0] in self.names for word in words]
        for length in {len(run) for run in self.runs}:
            for at in range(len(words) - length + 1):
                if tuple(lowered[at : at + length]) in self.runs:
                    hidden[at : at + length] = [True] * length
        pieces, done = [], 0
        for at, word in enumerate(words):
            if hidden[at]:
                is_first = not (at and hidden[at - 1])
                pieces += [text[done : word.start()], _PRIVATE] if is_first else []
                done = word.end()
        return "".join(pieces) + text[done:] if pieces else text

    def _without_answer(self, turn: Turn, found: Removals) -> Turn:
        """A prompt after a question for a secret may be one although nothing in it says so."""
        if turn.kind == "reply":
            self.said[turn.agent_id] = turn.text[-LAST_WORDS:]
        elif turn.kind == "prompt" and (asked := asks_for(self.said.pop(turn.agent_id, ""))):
            return msgspec.structs.replace(turn, text=strip_placeholders(hide_answer(turn.text, asked, found)))
        return turn


def _hide_file_name(name: str, private: set[str], *, is_name: bool = False) -> str:
    """The name of a file without words of a private span."""

    def hide(part: re.Match[str]) -> str:
        words = [part[0], *_CAPITALIZED.findall(part[0])]
        return part[0] if private.isdisjoint(map(str.lower, words)) else _PRIVATE

    return _PART.sub(hide, name) if is_name or _DIVIDED.search(name) else name


def _is_bare_token(text: str) -> bool:
    """Whether all that a tool brought in is one random word: whatever printed it, that may be a key."""
    word = text.strip() if len(text) <= _LONGEST_TOKEN else ""
    kinds = any(map(str.isupper, word)), any(map(str.islower, word)), any(map(str.isdigit, word))
    return len(word) >= _TOKEN and all(kinds) and len(word.split()) == 1 and "/" not in word and is_token(word)


def _is_given(name: str, value: str) -> bool:
    """Whether what was printed as the value of a name is a secret; under a name for secrets any word may be."""
    if SECRET_NAME.search(name):
        return len(value) >= _PIN and not is_ordinary(value.lower())
    return len(value) >= _SHORT and " " not in value and not _tells_nothing(value)


def _tells_nothing(word: str) -> bool:
    """Whether a value is one that everybody may know: a word, a region, a date, an address, a path, a switch."""
    return is_ordinary(word.lower()) or "/" in word or bool(_KNOWN_VALUE.match(word))


def _is_value(word: str) -> bool:
    """Whether a word that was printed with secrets may be one, and is no name, date, path or sentence's word."""
    plain = word.isalpha() and (word.islower() or word.istitle()) and is_ordinary(word.lower())
    return len(word) >= _SHORT and not (plain or is_name(word) or is_code(word) or "/" in word or ":" in word)


def is_telling(value: str) -> bool:
    """Whether a value is telling enough to be looked for where nothing announces it."""
    if len(value) >= _TELLING:
        return (not value.isalpha() or is_token(value)) and "[secret:" not in value
    return len(value) >= _SHORT and digits(value) > 0 and not value.isdigit() and value.isascii()


def _runs(text: str, length: int) -> set[tuple[str, ...]]:
    """Every so many words in a row; all of them when there are fewer."""
    words = [word.lower() for word in _WORD.findall(text)]
    return {tuple(words[at : at + length]) for at in range(max(1, len(words) - length + 1))} - {()}


def _telling_words(span: str) -> list[str]:
    """Words of a private span that give it away alone: with digits in them, or names of two words."""
    words = [word[0] for word in _WORD.finditer(span)]
    alone = [word for word in words if digits(word) and len(word) >= 4]
    names = [pair for pair in pairwise(words) if all(one[0].isupper() and len(one) > 2 for one in pair)]
    return alone + [word for pair in names for word in pair]


def _map_turn(turn: Turn, change: Any) -> Turn:
    text, given, branch = _each(turn.text, change), _each(turn.input, change), change(turn.branch)
    is_same = (text, given, branch) == (turn.text, turn.input, turn.branch)
    return turn if is_same else msgspec.structs.replace(turn, text=text, input=given, branch=branch)


def _each(value: Any, change: Any) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: _each(inner, change) for name, inner in value.items()}
    return [_each(inner, change) for inner in value] if isinstance(value, list) else value


def without(turn: Turn, values: Collection[str]) -> Turn:
    """The turn with these values hidden wherever they stand: a secret said once is used in commands and output."""
    if not values:
        return turn
    spoken = msgspec.json.encode(turn).decode()
    present = [value for value in values if value in spoken or msgspec.json.encode(value)[1:-1].decode() in spoken]
    return _map_turn(turn, lambda text: _hide(text, sorted(present, key=len, reverse=True))) if present else turn


def _hide(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        if len(secret) >= _TELLING:
            text = text.replace(secret, _REPEATED)
        elif secret in text:
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])", _REPEATED, text)
    return text
