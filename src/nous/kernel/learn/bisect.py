"""Finding out which of many things make a piece of work fail, so that the others are not lost with them."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence

from nous.errors import StoreUnavailable
from nous.kernel.db.database import Database

# What no single thing can be blamed for.
SCARCE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM})

Attempt = Callable[[Sequence[int]], None]


def is_resource_error(problem: BaseException) -> bool:
    """Whether a failure says something of the computer and nothing of what was worked on: later it may work."""
    if isinstance(problem, OSError):
        return problem.errno in SCARCE
    return isinstance(problem, StoreUnavailable | MemoryError)


def reason(problem: BaseException) -> str:
    """A failure in a few words; of an unexpected one its kind too."""
    said = " ".join(str(problem).split())[:200]
    return f"{type(problem).__name__}: {said}" if said else type(problem).__name__


class _Rehearsed(Exception):
    """Everything worked; now it is taken back."""


def dry_run(db: Database, work: Callable[[], object]) -> None:
    """Do something in a transaction and take it back; fails as it fails."""
    try:
        with db.transaction():
            work()
            raise _Rehearsed
    except _Rehearsed:
        return


def bisect_failures(count: int, attempt: Attempt) -> dict[int, str]:
    """Which of the first so many numbers an attempt fails with, and why; without them it succeeds.

    The attempt must leave no trace. Fails with its problem when no single one can be blamed: it fails with none at all,
    or with several only together.
    """
    attempt([])
    found = _alone(range(count), attempt)
    attempt([number for number in range(count) if number not in found])
    return found


def _alone(part: Sequence[int], attempt: Attempt) -> dict[int, str]:
    """Those that fail by themselves, found in halves."""
    problem = _try_part(part, attempt) if part else None
    if problem is None:
        return {}
    if len(part) == 1:
        return {part[0]: reason(problem)}
    middle = len(part) // 2
    return _alone(part[:middle], attempt) | _alone(part[middle:], attempt)


def _try_part(part: Sequence[int], attempt: Attempt) -> Exception | None:
    try:
        attempt(part)
    except Exception as problem:
        if is_resource_error(problem):
            raise
        return problem
    return None
