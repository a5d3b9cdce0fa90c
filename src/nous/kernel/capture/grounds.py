"""Whether a command is a session's own: what of it the user typed, the session did before it read text from outside, or
the project's own files declare (docs/decisions/0060).

A command that passed after a page was read may be the page's, however the page spells it: in letters of its own, in
pieces, in another encoding, in two letters. So it is asked whether something here names it, not whether a page does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from nous.language.provenance import programs

# Files in which a project says what its own commands are.
DECLARES = re.compile(
    r"(?:^|/)(?:package\.json|deno\.jsonc?|composer\.json|(?:GNU)?[Mm]akefile|\.?[Jj]ustfile|Taskfile\.ya?ml|Rakefile"
    r"|Gemfile|pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|noxfile\.py|Pipfile|tasks\.py|Cargo\.toml|mix\.exs|go\.mod"
    r"|\.cargo/config\.toml|build\.gradle(?:\.kts)?|pom\.xml|Procfile|(?:docker-)?compose[\w.-]*\.ya?ml)$"
)
# Behind these stands what is fetched and run: that its name stands somewhere here does not vouch for it.
_FETCHES = frozenset("npx bunx uvx pipx dlx install add i get pull require -i".split())  # noqa: SIM905
_NAME = re.compile(r"[^\s\"'`=;|&()<>{}\[\],]+")
_EMPTY = re.compile(r"-{0,2}\w?|-[A-Za-z]{1,3}|\d{1,5}|\W*")
_NEXT = re.compile(r"&&|\|\||[;|]")
_ASSIGNS = re.compile(r"(?<![\w-])(?=\w+=)")
_QUOTED = re.compile(r"`([^`\n]+)`")


def names_in(told: str) -> Iterator[str]:
    """What the commands in a text name and not every project has: paths in parts, what is fetched with what fetches."""
    for command in chain.from_iterable(map(_NEXT.split, _QUOTED.findall(told) or [told])):
        before = ""
        for word in (one.strip(".,:!?*").lower() for one in _NAME.findall(_ASSIGNS.sub("env ", command))):
            if before in _FETCHES:
                yield from () if _is_usual(word) else (f"{before} {word}",)
            elif before or not _is_program(word):
                yield from (one for one in word.split("/") if not _is_usual(one))
            before = word


def _is_usual(word: str) -> bool:
    return bool(_EMPTY.fullmatch(word)) or word.lstrip("-.") in programs("words of commands")


def _is_program(name: str) -> bool:
    return any(name in programs(kind) for kind in ("local", "data", "run code"))


def is_named(name: str, said: str) -> bool:
    """Whether a text has a name as a word of its own."""
    return bool(_spellings(name).search(said))


@lru_cache(maxsize=4096)
def _spellings(name: str) -> re.Pattern[str]:
    spelled = r"[^\S\n]+".join(map(re.escape, name.split()))
    return re.compile(rf"(?<![\w-]){spelled}(?![\w-])", re.I)


def is_mentioned(word: str, said: str) -> bool:
    """Whether a text has a word anywhere, also as a part of a longer name: that is enough to have it from there."""
    return word.lstrip("-") in said.lower()
