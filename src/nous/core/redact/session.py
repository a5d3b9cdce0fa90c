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

from nous.core.redact.answers import LAST_WORDS, asks_for, hide_answer
from nous.core.redact.blocks import reads_settings, without_key_lines
from nous.core.redact.engine import unmarked
from nous.core.redact.found import Removals
from nous.core.redact.turns import redact_turn
from nous.core.redact.values import digits

if TYPE_CHECKING:
    from nous.core.transcript import Turn

_REPEATED = "[secret:repeated]"
_PRIVATE = "[private]"
_TELLING = 8  # a shorter value may be an ordinary word somewhere else
_SHORT = 6  # but not when it has digits among its letters and stands as a word of its own
_RUN = 4  # so many words of a private span in a row are a quotation
_QUOTED = 6  # and so many of a line of an ignored file, which may be code like any other
_LEAST = 3  # a shorter line says nothing of its own
_WORD = re.compile(r"[^\W_]+(?:['’.,@+-][^\W_]+)*")


class Discretion:
    """What one session has said that is not to be repeated, and what its next words may answer."""

    def __init__(self) -> None:
        self.values: set[str] = set()
        self.runs: set[tuple[str, ...]] = set()
        self.names: set[str] = set()
        self.said: dict[str, str] = {}
        self.calls: set[str] = set()
        self.has_key = False

    def clean(self, turn: Turn, counted: Counter[str]) -> Turn:
        """The turn without its own secrets; they are remembered."""
        cleaned, found = redact_turn(turn, shows_settings=turn.tool_id in self.calls and turn.kind == "tool_result")
        cleaned = self._without_answer(cleaned, found)
        if self.has_key or "private-key" in found:
            self.has_key = True
            cleaned = _mapped(cleaned, lambda text: unmarked(without_key_lines(text, found)))
        if turn.kind == "tool_call" and turn.tool_id and reads_settings(str(turn.input.get("command", ""))):
            self.calls.add(turn.tool_id)
        if found:  # adding even an empty counter costs more than a look
            counted += found
            self.remember(found)
        return cleaned

    def remember(self, found: Removals) -> None:
        """What was taken out of a turn is looked for in others."""
        for value in filter(is_telling, found.taken):
            self.values |= {value, quote(value, safe="")}
            if len(value) >= _TELLING:
                self.values.add(base64.b64encode(value.encode()).decode().rstrip("="))
        for span in found.spans:
            self.runs |= _runs(span, _RUN)
            self.names |= set(_telling_words(span))

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
        return _mapped(turn, self._discreet) if self.runs or self.names else turn

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
            return msgspec.structs.replace(turn, text=unmarked(hide_answer(turn.text, asked, found)))
        return turn


def is_telling(value: str) -> bool:
    """Whether a value is telling enough to be looked for where nothing announces it."""
    if len(value) >= _TELLING:
        return not value.isalpha() and "[secret:" not in value
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


def _mapped(turn: Turn, change: Any) -> Turn:
    text, given = _each(turn.text, change), _each(turn.input, change)
    return msgspec.structs.replace(turn, text=text, input=given) if (text, given) != (turn.text, turn.input) else turn


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
    return _mapped(turn, lambda text: _hide(text, sorted(present, key=len, reverse=True))) if present else turn


def _hide(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        if len(secret) >= _TELLING:
            text = text.replace(secret, _REPEATED)
        elif secret in text:
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])", _REPEATED, text)
    return text
