"""What a question asks for: its intent, its words, and the time it speaks of."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from typing import Literal

import msgspec

from nous.kernel.recall.glossary import in_english
from nous.kernel.recall.kinds import names_of_kind
from nous.kernel.recall.ranking import root
from nous.language.lexicon import row
from nous.language.text import LONGEST_QUERY, STOP_WORDS, Term, asked_terms, pairs, plain_words

Intent = Literal["why", "when", "who", "where", "which", "how", "how many", "what", "general"]

MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365}
_SMALL = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "a few": 3, "few": 3}

_INTENTS: tuple[tuple[Intent, re.Pattern[str]], ...] = (
    (
        "when",
        re.compile(
            r"(?:^|[,;:.?!] *)(?:and |so |but )?when\b|\bsince when\b|\bhow long\b|"
            r"\b(?:what|which) (?:date|day|month|year|time)\b",
            re.I,
        ),
    ),
    ("how many", re.compile(r"\bhow (?:many|much|often|old|big|large|far)\b", re.I)),
    ("why", re.compile(r"\bwhy\b|\bhow come\b|\breasons?\b|\bwhat (?:caused|motivated|inspired|made)\b", re.I)),
    ("who", re.compile(r"^(?:and |so |but )?who(?:se|m)?\b", re.I)),
    ("where", re.compile(r"^(?:and |so |but )?where\b", re.I)),
    (
        "which",
        re.compile(
            r"^(?:and |so |but )?which\b|^what (?:is|are|was|were) the names?\b|"
            r"^what (?:book|movie|city|country|game|place|person|company|team|tool|library|package|service|branch)s?\b",
            re.I,
        ),
    ),
    ("how", re.compile(r"\bhow\b", re.I)),
    ("what", re.compile(r"\bwhat\b|\bwhich\b", re.I)),
)
_MONTH = "|".join(f"{month}|{month[:3]}" for month in MONTHS)
_ISO = re.compile(r"\b(20\d\d|19\d\d)-(\d\d)(?:-(\d\d))?\b")
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?,?(?: (20\d\d|19\d\d))?", re.I)
_MONTH_DAY = re.compile(rf"\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?:,? (20\d\d|19\d\d))?", re.I)
_MONTH_YEAR = re.compile(rf"\b({_MONTH})\b\.?,?(?: (?:of )?(20\d\d|19\d\d))?", re.I)
_YEAR = re.compile(r"\b(?:in|of|during|since|year|before|after|until) (20\d\d|19\d\d)\b|\b(20\d\d)\b(?!-)", re.I)
_AGO = re.compile(r"\b(\d+|an?|one|two|three|four|five|six|a few|few) (day|week|month|year)s? ago\b", re.I)
_LAST = re.compile(r"\b(last|past|this|previous) (\d+ )?(day|week|month|year)s?\b", re.I)
_WEEKDAY = re.compile(rf"\b(?:last )?({'|'.join(WEEKDAYS)})\b", re.I)
_BRANCH = re.compile(
    r"\bbranch ([\w./-]*\w)|\b(?!(?:the|this|that|a|an|on|in|of|what|which|my|our|new|same)\b)"
    r"([\w./-]{0,100}\w) branch\b|\bon (main|master|develop|trunk)\b",
    re.I,
)
_NEAR_DAYS = re.compile(r"\b(today|yesterday|tonight|this morning|recently|lately)\b", re.I)
_SIDE = re.compile(r"\b(before|until|prior to|by|after|since)\s+(?:the )?$", re.I)
# Month names that are also words count only with a capital or beside a number.
_AMBIGUOUS = {"may", "mar", "march", "jun", "jan", "dec", "sep", "oct", "nov", "apr", "aug", "feb", "jul"}

# Words that are no subject: "what happened last week?" asks about the week.
_DEEDS = frozenset(
    {"happen", "happened", "happening", "learn", "learned", "decide", "decided", "change", "changed", "new"}
)

OF_A_LANGUAGE = 2  # words that give a language away
SLACK_DAYS = 11  # people tell of something some days after it happened


class Span(msgspec.Struct, frozen=True):
    """A stretch of days a question speaks of; None is open. A `month`, or a day of it, recurs every year."""

    first: date | None = None
    last: date | None = None
    month: int | None = None
    day: int | None = None
    certainty: float = 1.0

    def closeness(self, moment: str) -> float:
        """How well a moment fits, 0 to 1. What was told within some days after the stretch fits a little less."""
        told = date.fromisoformat(moment[:10])
        if self.month is not None:
            return self.certainty * max(self._within(told, *self._in_year(told.year - ago)) for ago in (0, 1))
        return self.certainty * self._within(told, self.first, self.last)

    def _in_year(self, year: int) -> tuple[date, date]:
        """The recurring stretch in one year."""
        month = self.month or 1
        if self.day is None:
            return date(year, month, 1), _last_of_month(year, month)
        day = date(year, month, min(self.day, _last_of_month(year, month).day))
        return day, day

    @staticmethod
    def _within(told: date, first: date | None, last: date | None) -> float:
        if first and told < first - timedelta(days=1):
            return 0.0
        if last is None or told <= last:
            return 1.0
        late = (told - last).days
        if first == last:
            return 1.0 if late <= SLACK_DAYS else 0.5 if late <= 2 * SLACK_DAYS else 0.0
        return 0.6 if late <= SLACK_DAYS else 0.0


class Question(msgspec.Struct, frozen=True):
    """A question, understood."""

    text: str
    terms: tuple[Term, ...]
    intent: Intent
    spans: tuple[Span, ...] = ()
    subject: tuple[Term, ...] = ()
    branches: tuple[str, ...] = ()
    named_kinds: dict[str, str] = {}  # names of things it asks for by their kind, with the words that name the kind
    in_english: dict[str, str] = {}  # what its words are called in English, each with the word, of another language
    joining: frozenset[str] = frozenset()  # words that only ask or join, in a language other than English

    @property
    def wanted(self) -> tuple[Term, ...]:
        """The words to search by: its own, and the names of the things it asks for by their kind."""
        own = {term.word for term in self.terms}
        return (*self.terms, *(Term(name) for name in self.named_kinds if name not in own))

    def widen_text(self, text: str) -> str:
        """A text with the kinds of the things it names, as far as the question asks for them."""
        if not self.named_kinds:
            return text
        roots = {root(name): kind for name, kind in self.named_kinds.items()}
        kinds = {roots[said] for said in map(root, plain_words(text)) if said in roots}
        return " ".join((text, *sorted(kinds)))

    @property
    def emphasis(self) -> dict[str, float]:
        """What its words count in its vector, where some only join; else nothing, and each counts alike."""
        return dict.fromkeys(self.words, 1.0) | dict.fromkeys(self.joining, 0.0) if self.joining else {}

    @property
    def words(self) -> frozenset[str]:
        """Every word of the question that tells something."""
        return frozenset(term.word for term in self.terms)

    def closeness(self, moment: str) -> float:
        """How well a moment fits the time the question speaks of; 0 when it speaks of none."""
        return max((span.closeness(moment) for span in self.spans), default=0.0)


@lru_cache(maxsize=16)  # memories, exchanges and trails ask one after the other
def understand(text: str, now: str) -> Question:
    """What a question asks for."""
    text = text[:LONGEST_QUERY]
    joining = _joining(text)
    asked = asked_terms(text)
    terms = tuple([term for term in asked if not _joins(term.word, joining)] or asked)
    dated = {word for match, _ in _dates(text, now) for word in plain_words(match[0])}
    return Question(
        text=text,
        terms=terms,
        intent=_intent(text),
        spans=tuple(spans(text, now)),
        subject=tuple(term for term in terms if term.word not in dated | _DEEDS),
        branches=tuple(name for match in _BRANCH.finditer(text) for name in match.groups() if name),
        named_kinds=names_of_kind(text),
        in_english=in_english(term.word for term in terms) if joining or pairs(text) else {},
        joining=joining,
    )


def _joining(text: str) -> frozenset[str]:
    """The words of a question that only ask or join in its own language, unless it is in English."""
    words = frozenset(plain_words(text))
    found = max((words & known for known in _joining_words()), key=len)
    return found if len(found) >= OF_A_LANGUAGE and len(found) > len(words & STOP_WORDS) else frozenset()


@cache
def _joining_words() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(words.split()) for words in row("asking.joining").values())


@cache
def _joining_signs() -> frozenset[str]:
    return frozenset("".join(row("asking.signs").values()))


def _joins(word: str, joining: frozenset[str]) -> bool:
    return word in joining or (not word.isascii() and not _joining_signs().isdisjoint(word))


def _intent(text: str) -> Intent:
    return next((intent for intent, pattern in _INTENTS if pattern.search(text)), "general")


def spans(text: str, now: str) -> list[Span]:
    """The stretches of time that a question names, in its own words: "in March", "last week", "on 5 May 2023"."""
    return [_side_of_span(span, text[: match.start()]) for match, span in _dates(text, now)]


def _dates(text: str, now: str) -> list[tuple[re.Match[str], Span]]:
    """Every mention of a time with what it means; the more exact reading of the same words wins."""
    today = datetime.fromisoformat(now).date()
    found: list[tuple[re.Match[str], Span]] = []
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            if any(other.start() < match.end() and match.start() < other.end() for other, _ in found):
                continue
            if (span := read(match, today)) is not None:
                found.append((match, span))
    return found


def _side_of_span(span: Span, before: str) -> Span:
    """`before May 2023` is open to the past, `since May 2023` to the future."""
    side = _SIDE.search(before[-20:])
    if side is None or span.first is None:
        return span
    if side[1].lower() in ("after", "since"):
        return Span(span.first, None, certainty=0.5)
    return Span(None, span.first - timedelta(days=1), certainty=0.5)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _around(day: date | None) -> Span | None:
    """One day; it may be told of until more than a week later."""
    return Span(day, day) if day else None


def _last_of_month(year: int, month: int) -> date:
    return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)


def _month_span(year: int, month: int) -> Span:
    return Span(date(year, month, 1), _last_of_month(year, month))


def _number_of(month: str) -> int:
    return next(at for at, name in enumerate(MONTHS, 1) if name.startswith(month.lower()))


def _iso(match: re.Match[str], today: date) -> Span | None:
    year, month = int(match[1]), int(match[2])
    if match[3]:
        return _around(_day(year, month, int(match[3])))
    return _month_span(year, month) if 1 <= month <= 12 else None


def _day_month(match: re.Match[str], today: date) -> Span | None:
    return _span_of_date(int(match[1]), match[2], match[3])


def _month_day(match: re.Match[str], today: date) -> Span | None:
    return _span_of_date(int(match[2]), match[1], match[3])


def _span_of_date(day: int, month: str, year: str | None) -> Span | None:
    """A day of a month; without a year, that day of any year."""
    number = _number_of(month)
    if year:
        return _around(_day(int(year), number, day))
    return Span(month=number, day=day) if 1 <= day <= 31 else None


def _month_year(match: re.Match[str], today: date) -> Span | None:
    if match[2]:
        return _month_span(int(match[2]), _number_of(match[1]))
    if match[1].lower() in _AMBIGUOUS and not match[1][0].isupper():
        return None
    return Span(month=_number_of(match[1]))


def _year(match: re.Match[str], today: date) -> Span:
    year = int(match[1] or match[2])
    return Span(date(year, 1, 1), date(year, 12, 31), certainty=0.5)


def _ago(match: re.Match[str], today: date) -> Span:
    unit = _UNITS[match[2].lower()]
    count = _SMALL.get(match[1].lower()) or int(match[1])
    middle, slack = today - timedelta(days=min(count, 10_000 // unit) * unit), max(1, unit // 2)
    return Span(middle - timedelta(days=slack), middle + timedelta(days=slack))


def _last(match: re.Match[str], today: date) -> Span:
    unit, which = match[3].lower(), match[1].lower()
    days = _UNITS[unit] * min(int(match[2] or 1), 10_000 // _UNITS[unit])
    if which == "this" and unit != "day":
        begun = {"week": today - timedelta(days=today.weekday()), "month": today.replace(day=1)}
        return Span(begun.get(unit, date(today.year, 1, 1)), today)
    if match[2] or which == "past" or unit == "day":
        return Span(today - timedelta(days=days), today)
    if unit == "month":
        before = today.replace(day=1) - timedelta(days=1)
        return _month_span(before.year, before.month)
    if unit == "year":
        return Span(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31))
    monday = today - timedelta(days=today.weekday() + 7)
    return Span(monday, monday + timedelta(days=6))


def _weekday(match: re.Match[str], today: date) -> Span:
    """The last such day before today."""
    back = (today.weekday() - WEEKDAYS.index(match[1].lower()) - 1) % 7 + 1
    return Span(today - timedelta(days=back), today - timedelta(days=back))


def _near(match: re.Match[str], today: date) -> Span:
    word = match[1].lower()
    if word in ("recently", "lately"):
        return Span(today - timedelta(days=14), today, certainty=0.5)
    day = today - timedelta(days=1) if word == "yesterday" else today
    return Span(day, day)


_READERS = (
    (_ISO, _iso),
    (_DAY_MONTH, _day_month),
    (_MONTH_DAY, _month_day),
    (_MONTH_YEAR, _month_year),
    (_AGO, _ago),
    (_LAST, _last),
    (_NEAR_DAYS, _near),
    (_WEEKDAY, _weekday),
    (_YEAR, _year),
)
