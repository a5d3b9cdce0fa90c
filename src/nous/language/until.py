"""Until when something that was said holds: a day that it names, counted from the day it was said, or a condition."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from nous.language.lexicon import lines, pattern, row
from nous.moments import text as moment_text

_ISO = r"20\d\d-[01]\d-[0-3]\d"
_COUNTED = {
    "one": 1,
    "a": 1,
    "two": 2,
    "couple of": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "ten": 10,
}
_DAYS = {"day": 1, "week": 7, "month": 30}
_MONTHLY = ("month", "monat", "mois", "mes", "месяц", "月")
_YEARLY = ("quarter", "year")
LONGEST = 366  # days after which a date is taken for another thing


class Expiry(NamedTuple):
    """The words that say until when, and the moment; none where a condition ends it."""

    words: str
    moment: str | None


def find_expiry(text: str, said_at: str) -> Expiry | None:
    """Until when a sentence says that something holds; None when it does not say."""
    said = datetime.fromisoformat(said_at).astimezone(UTC).date() if said_at else None
    text = without_waiting(text)
    if found := _date_pattern().search(text):
        last = _last_day(found, said) if said else None
        return Expiry(found[0], _end_of(last)) if last or not said else None
    if found := pattern("until.for_now").search(text):
        last = _end_of_span(found, said) if said else None
        return Expiry(found[0], _end_of(last))
    found = pattern("until.while").search(text)
    return Expiry(found[0], None) if found else None


def is_for_a_time(text: str) -> bool:
    """Whether a sentence is a rule for a time: it says until when, and orders or forbids something."""
    expiry = find_expiry(text, "")
    if expiry is None or pattern("until.told").search(text):
        return False
    return bool(pattern("until.said").search(text.replace(expiry.words, " ").strip(" ,")))


def waits_each_time(text: str) -> bool:
    """Whether a sentence is a rule in which one waits until a day that it names, each time anew."""
    lasting = without_waiting(text)
    is_dated = lasting != text and _date_pattern().search(text) and not pattern("until.told").search(text)
    return bool(is_dated and any(pattern(name).search(lasting) for name in ("until.said", "until.every_time")))


@lru_cache(maxsize=4096)
def without_waiting(text: str) -> str:
    """A sentence without the days until which one waits in a rule of every time: "never push on Fridays, always wait
    until Monday" holds on, and "until Friday never push" does not."""
    weekly = pattern("until.each_week").search(text)
    for wait in reversed(list(pattern("until.waits").finditer(text))):
        if weekly or pattern("until.every_time").search(text[: wait.end()]):
            text = text[: wait.start(wait.lastgroup or 0)] + text[wait.end(wait.lastgroup or 0) :]
    found = _date_pattern().search(text)
    is_weekly = found and weekly and weekly.end() <= found.start()
    is_near = found and any(found[name] for name in ("weekday", "tomorrow", "next_week", "dense", "dense_too"))
    return text[: found.start()] + text[found.end() :] if found and is_weekly and is_near else text


def without_expiry(text: str) -> str:
    """A sentence without the words that say until when."""
    expiry = find_expiry(text, "")
    return text.replace(expiry.words, "").strip(" ,") if expiry else text


@cache
def _date_pattern() -> re.Pattern[str]:
    """A preposition and a day. Chinese and Japanese put the day first, or the preposition on both sides."""
    spans = "|".join(f"(?P<{name}>{words})" for name, words in row("until.spans").items())
    days = "|".join(sorted(_numbers("until.weekdays"), key=len, reverse=True))
    months = "|".join(sorted(_numbers("until.months"), key=len, reverse=True))
    dated = (
        rf"(?P<iso>{_ISO})|(?P<day_first>\d{{1,2}})(?:\.|st|nd|rd|th)?(?: of| de)? (?P<of_month>{months})"
        rf"|(?P<month_first>{months}) (?P<day_second>\d{{1,2}})(?:st|nd|rd|th)?"
    )
    weekday = rf"(?:next |this |nächsten |kommenden |el |la |le |próximo )?(?P<weekday>{days})"
    latin = rf"{pattern('until.until').pattern} ?(?:the )?(?:{spans}|{dated}|{weekday})\b"
    dense = (
        rf"(?:直?到|截至)?(?P<dense>{days}|明天|月底)(?:日|曜日)?(?:之前|前|まで)"
        rf"|(?:直到|到)(?P<dense_too>{days}|明天|月底)"
    )
    return re.compile(f"{latin}|{dense}", re.I)


@cache
def _numbers(name: str) -> dict[str, int]:
    """Names of days or months, each with its place in the row."""
    return {word: place for line in lines(row(name)) for place, word in enumerate(line.split())}


def _last_day(found: re.Match[str], said: date) -> date | None:
    """The last day that a phrase names, counted from the day it was said."""
    named = {name: value.lower() for name, value in found.groupdict().items() if value}
    if "iso" in named:
        return _sound(date.fromisoformat(named["iso"]), said)
    if month := named.get("of_month") or named.get("month_first"):
        return _of_the_year(
            _numbers("until.months")[month] + 1, int(named.get("day_first") or named["day_second"]), said
        )
    if day := named.get("weekday") or named.get("dense") or named.get("dense_too"):
        return _named_day(day, said)
    return next((_end_of_period(name, said) for name in row("until.spans") if name in named), None)


def _named_day(day: str, said: date) -> date:
    if day in ("明天", "月底"):
        return _end_of_period("tomorrow" if day == "明天" else "month", said)
    return said + timedelta((_numbers("until.weekdays")[day] - said.weekday()) % 7 or 7)


def _of_the_year(month: int, day: int, said: date) -> date | None:
    if day > monthrange(said.year, month)[1]:
        return None
    found = date(said.year, month, day)
    return found if found >= said else _sound(date(said.year + 1, month, day), said)


def _sound(day: date, said: date) -> date | None:
    return day if 0 <= (day - said).days <= LONGEST else None


def _end_of_period(name: str, said: date) -> date:
    """The last day of a span that is named."""
    sunday = said + timedelta(6 - said.weekday())
    last_of_month = said.replace(day=monthrange(said.year, said.month)[1])
    match name:
        case "today":
            return said
        case "tomorrow":
            return said + timedelta(1)
        case "next_week":
            return sunday
        case "month" | "next_month":
            return last_of_month
        case "quarter":
            month = (said.month - 1) // 3 * 3 + 3
            return date(said.year, month, monthrange(said.year, month)[1])
        case "year":
            return date(said.year, 12, 31)
        case _:
            return sunday


def _end_of_span(found: re.Match[str], said: date) -> date:
    """The last day of "this week" or "the next three days"."""
    named = {name: value.lower() for name, value in found.groupdict().items() if value}
    if count := named.get("count"):
        unit = named["unit"].rstrip("s")
        return said + timedelta(_DAYS[unit] * (_COUNTED.get(count) or int(count)))
    if one := named.get("one"):
        return said + timedelta(_DAYS[one])
    span = next((value for name, value in named.items() if name.startswith("this")), "today")
    if any(word in span for word in _MONTHLY):
        return _end_of_period("month", said)
    return _end_of_period(span if span in (*_YEARLY, "today") else "week", said)


def _end_of(day: date | None) -> str | None:
    """The moment at which a day is over, in UTC."""
    return moment_text(datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(1)) if day else None
