# ruff: noqa: E501  a row reads best unbroken
"""How an agent says that it was wrong, or that a way leads nowhere: one row per phrase; its examples run as tests.

`tells` is the sentence that says what is so: the phrase's own, the one after it ("Let me reconsider. …") or the one
before it ("… Let me try a different approach.").
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Tells = Literal["itself", "after", "before"]


class Phrase(NamedTuple):
    """One way of saying it: a pattern, an example that fits it and one that does not."""

    name: str
    pattern: re.Pattern[str]
    tells: Tells
    fits: str
    other: str


def _phrase(name: str, pattern: str, tells: Tells, fits: str, other: str) -> Phrase:
    return Phrase(name, re.compile(pattern, re.I), tells, fits, other)


_INSTEAD = r"[^.?!]{3,160}\b(?:not|instead of|rather than|isn't|doesn't|aren't|wasn't)\b"

# fmt: off
SELF_CORRECTIONS: tuple[Phrase, ...] = (
    _phrase("was wrong, and why", r"\bI was (?:wrong|mistaken) (?:about|that|to)\b.{0,120}?(?:,| and | but |: )", "itself",
            "I was wrong about the port: the server listens on 8080.", "You were wrong about the port, I think."),
    _phrase("was wrong", r"\bI was (?:wrong|mistaken) (?:about|that|to)\b[^,:]{0,120}[.!]?$", "after",
            "I was wrong about the cache.", "Was I wrong about the cache, or is it slow?"),
    _phrase("reconsider", r"^(?:wait, |hmm, |actually, )?let me (?:reconsider|rethink|think again)\b", "after",
            "Let me reconsider.", "Let me know what you think."),
    _phrase("actually", rf"^actually,?{_INSTEAD}", "itself",
            "Actually the queue is drained by the worker, not by the scheduler.", "The tests actually pass on main."),
    _phrase("initially thought", r"\bI (?:initially|first|wrongly|mistakenly) (?:thought|assumed|believed)\b.{0,200}\bbut\b", "itself",
            "I initially thought the lock was global, but it is per connection.", "I thought about the lock for a while."),
    _phrase("correction", r"^correction:", "itself",
            "Correction: the limit is 100 requests per minute.", "The correction was merged yesterday."),
    _phrase("wait", rf"^wait,{_INSTEAD}", "itself",
            "Wait, the config is read from the environment, not from the file.", "Wait for the build to finish."),
)
DEAD_ENDS: tuple[Phrase, ...] = (
    _phrase("will not work", r"\b(?:this|that) approach (?:won't|will not|cannot|can't|doesn't|does not) work\b", "itself",
            "This approach won't work because the driver has no async API.", "This approach works on Linux."),
    _phrase("abandon", r"\bI (?:need|have) to abandon (?:this|that|the)\b", "before",
            "I need to abandon this.", "The abandoned carts are deleted nightly."),
    _phrase("another approach", r"^(?:so |ok, |okay, )?let me try (?:a different|another) (?:approach|way)\b", "before",
            "Let me try a different approach.", "You could try a different approach to naming."),
    _phrase("unavailable there", r"\bunavailable in (?:the )?(?:tests?|ci|production|staging)\b", "itself",
            "The metadata service is unavailable in CI, so the token has to be passed in.", "The author is unavailable on Friday."),
    _phrase("unavailable here", r"\b(?:not available|unavailable) in (?:this|the) (?:environment|sandbox|container)\b", "itself",
            "Docker is not available in this environment, only podman is.", "The book is not available in this shop."),
)
# fmt: on
