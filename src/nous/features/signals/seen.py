"""What signals are made from: a session's tool calls in order."""

from __future__ import annotations

import re

MOST = 12  # sightings of one signal in one session
# What every session runs to look around.
PLAIN = re.compile(
    r"^(?:ls|cd|cat|echo|pwd|head|tail|grep|rg|find|wc|sed|awk|which|sleep|ps|true|mkdir|date|rm|cp|mv|kill|pkill|for|if|while)\b"
)
LONGEST = 240  # characters of what a sighting says

CONFIG = re.compile(
    r"(?:^|/)(?:\.?[\w-]*(?:rc|config|conf|settings)(?:\.\w{1,5}){0,2}|\.env[\w.]*|package\.json|pyproject\.toml|Cargo\.toml|go\.mod"
    r"|Dockerfile|[\w-]*compose[\w.-]*\.ya?ml|Makefile|tsconfig[\w.]*\.json|mix\.exs|[\w.-]+\.(?:toml|ini|cfg|ya?ml))$",
    re.I,
)


def short(text: str) -> str:
    """One line of a bounded length."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
