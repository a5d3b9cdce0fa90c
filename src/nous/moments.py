"""Moments as text: ISO-8601, UTC, milliseconds, so that text order is time order."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from nous.errors import Misuse

_AGO = re.compile(r"(\d{1,9})\s{0,9}(m|min|h|d|w|mo|y)$")
_UNITS = {"m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800, "mo": 2592000, "y": 31536000}


def text(moment: datetime) -> str:
    """A moment as it is stored everywhere."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse(given: str, now: str) -> str:
    """A moment from a date, a time or an age such as `90d`, in the stored form."""
    given = given.strip()
    if given == "now":
        return now
    try:
        if ago := _AGO.match(given):
            return text(datetime.fromisoformat(now) - timedelta(seconds=int(ago[1]) * _UNITS[ago[2]]))
        return text(datetime.fromisoformat(given))
    except (ValueError, OverflowError):
        hint = "say 2026-11-03, 2026-11-03T14:00 or 90d"
        raise Misuse(f"{given!r} is no date, time or age", hint=hint) from None


def later(moment: str, seconds: float) -> str:
    """A moment some seconds after another."""
    return text(datetime.fromisoformat(moment) + timedelta(seconds=seconds))


def day_of(moment: str) -> str:
    """The beginning of a moment's day, in UTC."""
    return moment[:10] + "T00:00:00.000Z"


def days_between(earlier: str, late: str) -> float:
    """Days from one moment to another."""
    return (datetime.fromisoformat(late) - datetime.fromisoformat(earlier)).total_seconds() / 86400


def seconds_of(moment: str) -> float:
    """A moment in seconds since 1970."""
    return datetime.fromisoformat(moment).timestamp()
