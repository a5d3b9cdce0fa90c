"""Turns without secrets: their text, what was given to tools, and what was answered to a question for one."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from nous.redact.answers import asks_for, hide_answer
from nous.redact.blocks import ANY_LINE, ENV_LINE, is_env_dump, is_env_file, shows_env_file, without_values
from nous.redact.engine import clean, needed_rules, redact_text, strip_placeholders
from nous.redact.found import Removals
from nous.redact.rules import SECRET_NAME
from nous.redact.values import is_password

if TYPE_CHECKING:
    from nous.kernel.capture.transcript import Turn

PATH_KEYS = ("file_path", "path", "notebook_path")
NAMES = ("uuid", "session_id", "cwd", "branch", "version", "agent_id", "tool", "tool_id")


def redact_turn(turn: Turn, *, shows_settings: bool = False) -> tuple[Turn, Removals]:
    """The turn without secrets and private spans, and how many of each kind were removed.

    `shows_settings`: it is known that this is what a settings file holds.
    """
    found = Removals()
    given = turn.input
    path = ".env" if shows_settings else _path_of(turn) if given else ""
    text = _redact_part(turn.text, path, turn.kind == "tool_result", found) if turn.text else ""
    if turn.kind == "answer":
        given, text = _without_answers(given, text, found)
    # What a rule waits for is also found as JSON writes it, so one look is enough for all of the input.
    if given and (is_env_file(path) or needed_rules(msgspec.json.encode(given))):
        given = _redact_value("", given, path, found)
    names = {field: _redact_name(getattr(turn, field), found) for field in NAMES}
    if not found:
        return turn, found
    # of a settings file even the words that no rule knows are values
    left_out = b"" if found["env-value"] else turn.left_out
    return msgspec.structs.replace(turn, text=text, input=given, left_out=left_out, **names), found


@lru_cache(maxsize=4096)  # a session says the same names with every record
def clean_name(name: str) -> tuple[str, Removals]:
    """A name, a path or an id without secrets; a path keeps its folders and its ending."""
    return redact_text(name)


def _redact_name(name: str, found: Removals) -> str:
    cleaned, removed = clean_name(name)
    if removed:
        found.update(removed)
        found.taken |= removed.taken
        found.spans += removed.spans
    return cleaned


def _path_of(turn: Turn) -> str:
    for key in PATH_KEYS:
        if isinstance(path := turn.input.get(key), str):
            return path
    return ""


def _without_answers(given: dict[str, Any], text: str, found: Removals) -> tuple[dict[str, Any], str]:
    """Answers to questions that asked for a secret, unless they are one of the answers that were offered."""
    answers, options = given.get("answers"), given.get("options")
    if not isinstance(answers, dict):
        return given, text
    hidden: dict[str, Any] = {}
    for question, answer in answers.items():
        offered = options.get(question, ()) if isinstance(options, dict) else ()
        if isinstance(answer, str) and answer not in offered and (asked := asks_for(question)):
            cleaned = strip_placeholders(hide_answer(answer, asked, found))
            text = text.replace(answer, cleaned) if cleaned != answer else text
            hidden[question] = cleaned
        else:
            hidden[question] = answer
    return {**given, "answers": hidden}, text


def _redact_part(text: str, path: str, is_output: bool, found: Removals) -> str:
    text = clean(text, found)
    if path and is_env_file(path):
        return strip_placeholders(without_values(text, ANY_LINE, found))
    if is_output and (is_env_dump(text) or shows_env_file(text)):
        return strip_placeholders(without_values(text, ENV_LINE, found))
    return text


# How a tool names the field of a form, and by what it gives the words that are typed into it.
_POINTS = ("selector", "element", "label", "field", "placeholder")
_TYPED = ("value", "text", "content", "input")
_FIELD = re.compile(r"passw(?:or)?d|passphrase|passwort|kennwort|\botp\b|2fa|\bpin\b|api[_ -]?key|secret", re.I)


def _redact_value(key: str, value: Any, path: str, found: Removals) -> Any:
    if isinstance(value, str):
        if key in PATH_KEYS:
            return _redact_name(value, found)
        if SECRET_NAME.search(key) and is_password(value) and "[secret:" not in value:
            return strip_placeholders(found.take("secret", value))
        return _redact_part(value, path, False, found)
    if isinstance(value, dict):
        is_field = any(isinstance(value.get(one), str) and _FIELD.search(value[one]) for one in _POINTS)
        keys = {one: "password" if is_field and one in _TYPED else one for one in value}
        return {_redact_name(one, found): _redact_value(keys[one], inner, path, found) for one, inner in value.items()}
    if isinstance(value, list):
        return [_redact_value("", inner, path, found) for inner in value]
    return value


# -- people: only where somebody asked for it --------------------------------------------------------------------------

_CONTACTS = (
    # "git@host:path" and addresses that nobody reads name no person
    (
        "email",
        re.compile(r"(?<![\w.+-])(?!(?:git|no-?reply|root)@)[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}(?![\w@])"),
    ),
    (
        "phone",
        re.compile(
            r"(?<![\w.+/-])(?:(?:\+|00)[1-9]\d{0,2}(?:[ ./-]{0,1}\(?\d{1,5}\)?){2,6}|\(\d{3}\) ?\d{3}[- ]\d{4}"
            r"|\d{3}[-.]\d{3}[-.]\d{4}|0\d{2,4}[ /-]\d{3,8}(?:[ -]\d{1,5}){0,3})(?![\w./-])"
        ),
    ),
)


def redact_contacts(text: str) -> str:
    """A text without e-mail addresses and phone numbers."""
    cleaned: str = _nameless(text, Counter())
    return cleaned


def without_contacts(turn: Turn) -> tuple[Turn, Counter[str]]:
    """The turn without e-mail addresses and phone numbers, and how many of each were removed."""
    found: Counter[str] = Counter()
    text, given = _nameless(turn.text, found), _nameless(turn.input, found)
    return (msgspec.structs.replace(turn, text=text, input=given) if found else turn), found


def _nameless(value: Any, found: Counter[str]) -> Any:
    if isinstance(value, str):
        for kind, pattern in _CONTACTS:
            value, times = pattern.subn(f"[secret:{kind}]", value)
            if times:
                found[kind] += times
        return value
    if isinstance(value, dict):
        return {name: _nameless(inner, found) for name, inner in value.items()}
    return [_nameless(inner, found) for inner in value] if isinstance(value, list) else value
