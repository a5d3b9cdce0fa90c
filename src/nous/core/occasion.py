"""One sentence of a user, as an occasion on which something was said."""

from __future__ import annotations

import re
from typing import NamedTuple

_MARKS = re.compile(r"\W+")


class Occasion(NamedTuple):
    """A sentence of the user in a session, and how likely it is worth keeping, judged where it stood."""

    record: str
    nth: int
    at: str
    text: str
    chance: float
    session: str = ""

    @property
    def key(self) -> str:
        """The sentence without what tells two spellings of it apart."""
        return _MARKS.sub(" ", self.text.casefold()).strip()
