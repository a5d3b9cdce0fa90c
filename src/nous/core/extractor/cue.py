"""A cue: one pattern per script over lower-cased text, asked only where it can occur."""

from __future__ import annotations

import re
from functools import lru_cache

Table = dict[str, str]


_ENGLISH = frozenset(
    "the a an is are to we in it you of and for with i this that not on be have do use my our all".split()  # noqa: SIM905
)
_LATIN = frozenset(
    """der die das und nicht ist wir im ich du ein eine einen kein keine immer nie nur für mit auf den dem ab bitte merk
    vergiss nein falsch le la les est pas nous dans toujours jamais et une des pour je tu ne que qui retiens non el los
    las es en siempre nunca jamás usamos con por una recuerda sempre mai il di che não nao em usiamo prefiero je'
    """.split()  # noqa: SIM905
)


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[str, str]:
    """The text in lower case, and which rows can match it: plain English, any Latin script, or everything."""
    lowered = text.lower()
    if not lowered.isascii():
        return lowered, "all"
    words = set(lowered.replace(",", " ").replace("'", " ").split())
    return lowered, "en" if words & _ENGLISH and not words & _LATIN else "latin"


class Cue:
    """Patterns over lower-cased text, by script, so that plain English does not pay for every other language.

    Without the flag that ignores case the engine can skip branches by their first letter.
    """

    def __init__(self, rows: Table, needles: tuple[str, ...] = ("",)):
        def joined(*skipped: str) -> re.Pattern[str]:
            return re.compile("|".join(f"(?:{row})" for language, row in rows.items() if language not in skipped))

        latin = tuple(language for language in rows if language not in ("en", "any"))
        self._patterns = {"en": joined(*latin), "latin": joined("ru", "zh", "ja"), "all": joined()}
        self._needles = needles

    def search(self, text: str) -> re.Match[str] | None:
        """The first place where the cue stands; the pattern is only asked when one of the needles occurs."""
        lowered, script = _read(text)
        for needle in self._needles:
            if needle in lowered:
                return self._patterns[script].search(lowered)
        return None

    def match(self, text: str) -> re.Match[str] | None:
        """The cue, when the text begins with it."""
        lowered, script = _read(text)
        return self._patterns[script].match(lowered)
