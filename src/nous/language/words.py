"""The tokens of a text: words, code and paths in one piece, marks; and the classes that rare ones count by."""

from __future__ import annotations

import re
from functools import lru_cache

TOKEN = re.compile(
    r"`[^`\n]{0,300}`|https?://[^\s)>\]]+|[\u3040-\u30ff\u3400-\u9fff]|[^\W_][\w'’]*(?:[-./:_@\\]\w+)*|[^\w\s]"
)
_NUMBER = re.compile(r"v?\d+(?:[.,:]\d+)*%?")
_CODE = re.compile(r"[_.:@\d]|[a-z][A-Z]|-\w")


@lru_cache(maxsize=8192)
def class_of_token(token: str) -> str:
    """A token in lower case, or the class it counts by: code, address, number, path, identifier, capitals."""
    if token[0] == "`":
        return "<code>"
    if token.startswith("http") and "://" in token:
        return "<url>"
    if _NUMBER.fullmatch(token):
        return "<num>"
    if "/" in token or "\\" in token:
        return "<path>"
    if len(token) > 1 and _CODE.search(token):
        return "<ident>"
    if token.isupper() and len(token) > 1:
        return "<caps>"
    return token.lower().replace("’", "'")


def tokens(text: str) -> list[str]:
    """The tokens of a text, in order, each by its class."""
    return [class_of_token(token) for token in TOKEN.findall(text)]
