"""What somebody writes by hand, without the secrets in it."""

from __future__ import annotations

import re
from collections.abc import Collection
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec

from nous.errors import NousError
from nous.redact import redact_text
from nous.redact.engine import PLACEHOLDER

BY_HAND = "by-hand"
WORDS = ("content", "reason", "replaces", "tags")
BY_PERSON = "user_review"  # the source of what a person wrote by hand
# The words with which a secret is said; without its value they say nothing.
_FRAME = re.compile(
    r"\b(?:a|access|account|an|and|api|are|as|auth|be|bearer|code|credentials?|for|here|is|it|its|keys?|login|my|of|our"
    r"|passcode|passphrase|passwords?|pin|private|pw|secrets?|that|the|this|to|tokens?|used?|was|your)\b|[\W_]"
)
ByHand = TypeVar("ByHand", bound=msgspec.Struct)
NAMES = ("ref", "session")  # what is told apart by them stays apart


def redact_payload(said: ByHand, only: Collection[str] = ()) -> ByHand:
    """What somebody wrote by hand without secrets, in every field or in these: reasons, tags and names are kept too."""
    given = {name: value for name, value in msgspec.structs.asdict(said).items() if not only or name in only}
    words = {name: value for name, value in given.items() if value and isinstance(value, str | tuple)}
    clean = {
        name: redact_session_id(str(value)) if name in NAMES else _clean_value(value) for name, value in words.items()
    }
    return msgspec.structs.replace(said, **clean)


def redact_session_id(name: str) -> str:
    """A name or a key without secrets; where there was one, a few letters tell it from others."""
    clean = redact_text(name)[0]
    return clean if clean == name else f"{clean}~{blake2b(name.encode(), digest_size=4).hexdigest()}"


def _clean_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_clean_value, value))
    return redact_text(value)[0] if isinstance(value, str) else value


def refuse_bare_secret(text: str) -> None:
    """An error where somebody says a secret and nothing about it: "The API key is …"."""
    clean, removed = redact_text(text)
    if removed and not _FRAME.sub("", PLACEHOLDER.sub(" ", clean).lower()):
        raise NousError(
            "this is a secret and nothing else: secrets are never kept", hint="say what there is to know of it"
        )
