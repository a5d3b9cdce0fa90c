"""Whether the user said what an assistant asks Nous to keep: the transcript of its session is the witness."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping

import msgspec

from nous.core.likeness import tokens
from nous.core.session import Story
from nous.core.transcript import Turn, parse_line
from nous.core.voice import in_own_voice

OWN_WORDS = 0.6  # the share of a sentence's words the user must have typed for it to be theirs
LATELY = 30 * 60  # seconds since a transcript was written that may be of the session that asks
LARGEST = 64_000_000
NOBODY = "no transcript of the session was found"
_FORGETS = re.compile(
    r"\b(?:forget|remove|delete|drop|erase|wrong|outdated|obsolete|no longer|not true|vergiss|lösch\w*|entfern\w*"
    r"|falsch|oublie\w*|supprime\w*|faux|olvida\w*|borra\w*|elimina\w*|забудь|удали\w*|неверно)\b|忘|删|消して",
    re.I,
)


class Word(msgspec.Struct, frozen=True):
    """What the witness says: whether the user said it, why somebody has to look at it, whether they asked to forget."""

    is_users: bool
    doubt: str
    forgets: bool = False


def word_of(environ: Mapping[str, str], project: str, text: str) -> Word:
    """What the sessions that may be asking say about a sentence."""
    stories = [Story(in_own_voice(_turns(path))) for path in _transcripts(environ, project)]
    if not stories:
        return Word(False, NOBODY)
    said = [one.said_by_user(len(one.turns)) for one in stories]
    words = set(tokens(text))
    is_users = bool(words) and any(len(words & set(tokens(one))) >= OWN_WORDS * len(words) for one in said)
    doubts = (one.taint(len(one.turns), text) for one in stories)
    return Word(is_users, "" if is_users else next(filter(None, doubts), ""), any(map(_FORGETS.search, said)))


def _transcripts(environ: Mapping[str, str], project: str) -> Iterator[str]:
    """The transcript of the session that the client names, else those of this directory that were just written to."""
    config = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(environ.get("HOME", ""), ".claude")
    folder = os.path.join(config, "projects", re.sub(r"[^A-Za-z0-9]", "-", os.path.abspath(project)))
    session = environ.get("CLAUDE_CODE_SESSION_ID", "")
    named = os.path.join(folder, f"{os.path.basename(session)}.jsonl")
    if session and os.path.isfile(named):
        yield named
        return
    try:
        files = [entry for entry in os.scandir(folder) if entry.name.endswith(".jsonl") and entry.is_file()]
    except OSError:
        return
    yield from (entry.path for entry in files if time.time() - entry.stat().st_mtime < LATELY)


def _turns(path: str) -> list[Turn]:
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - LARGEST))
        found = [parse_line(line) for line in file if line.endswith(b"\n")]
    return [turn for turns in found if isinstance(turns, list) for turn in turns]
