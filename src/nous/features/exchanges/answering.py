"""The passage of a text that answers a question: whole sentences, without code, the best ones and what follows them.

A reply of an agent is steps that it announces, code, listings and, somewhere, what came of it. So a text is read
sentence by sentence; what a program wrote is left out, what announces a step counts little, what concludes counts more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from nous.kernel.recall.ranking import root, shared_words
from nous.language.lexicon import pattern
from nous.language.sentences import split_line
from nous.language.speech_lines import is_printed
from nous.language.text import calm

STEP = 0.25  # what a sentence counts that only announces the next step
ASKS = 0.5  # one that asks
CONCLUDES = 0.2  # of the whole question: what a sentence has before others that says what came of it
CLOSES = 0.2  # the same for the words that close an exchange
SAID_BEFORE = 0.5  # what a word loses that another sentence said
FOLLOWS = 0.6  # what a sentence is worth for standing behind a good one
FAINT = 0.35  # of the best sentence: what says less begins no passage
MOST_IDLE = 2  # items of a list in a row that say nothing of what is wanted
WITHIN = ", "  # between a heading and one below it
SHORT_FENCE = 2  # lines of code that are told, as a command or a value is
USERS_FENCE = 5  # the same of a user, who shows how it has to be
LONGEST_CODE = 120
BEGINNING = 4  # letters by which a word may be there
PROSE = ("md", "markdown", "text", "txt", "plaintext")  # languages of a fence in which somebody speaks
MOST_LINES = 300
_ENDS = ".!?…。！？:：;；,"
_SYMBOLS = re.compile(r"[{}\[\]=;<>|\\]")
SYMBOLS = 0.06  # of a line outside of quoted code: so many belong to a program
_FENCE = re.compile(r"^\s{0,12}(?:```+|~~~+)\s*(\S*)")
_ITEM = re.compile(r"^\s{0,16}(?:[-*•▪◦–—]|\(?\d{1,2}[.)、])\s+(?:\[[ xX]\]\s)?|^\s*>+\s?")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+(.*?)[#:]*|\*\*([^*]{1,100}?):?\*\*:?)\s*$")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^[\s|:=_*─━═+-]{3,}$")
_DIFF = re.compile(
    r"^\s*(?:@@ |diff --git|\+\+\+ |--- [ab/]|index [0-9a-f]{7}|[+-]\s{2,}\S|[+-](?=[\w{}()<]\S*[({=;]))"
)
_PATH_ALONE = re.compile(r"(?=[\w.@~:#%-]*[/\\])[\w.@~:#%/\\-]+|(?=[\w$-]+[._$])[\w$.-]+|[+\d:-]+")
_CODE = re.compile(
    r"^\s*(?:(?:CREATE|ALTER|INSERT|SELECT|UPDATE|DELETE|DROP|GRANT) |"
    r"const|let|var|import|export|def|class|function|return|public|private|async|await|elif|if \(|for \(|use|"
    r"@\w+|</?\w+[ >/]|[\w.]+ = |[\w.]+\(.*\);?$|[\w\"'-]+: [\[{\"']|//|/\*|\{|\}|\$\w+ ?=)"
)
_COMMENT = re.compile(r"^\s*(?:#(?!!)|//)\s")
_CODE_ENDS = re.compile(r"(?:[{};\[(]|=>|\\|\w\(\)|,)\s*$")
_MARKS = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3]+|\\*\\*|__(?=\\w)|(?<=\\w)__")
_HTML = re.compile(r"^<[/!A-Za-z][^<>]*>?$|^[\w:-]+=(?:\"[^\"]*\"|'[^']*')[\s/>]*$")
_TAGGED = re.compile(
    r"^[\w$]+: (?:undefined|null|Object|Array\(\d+\)|ƒ.*)$|^\[(?:DEBUG|INFO|WARN(?:ING)?|ERROR|TRACE|LOG)\]"
)
_QUOTED = re.compile(r"`[^`]*`")
_MENTIONED = re.compile(r"(?<!\S)@[\w./\\-]+\.\w{1,5}(?!\S)")  # a file that a client was given
_LINK = re.compile(r"\[([^\]]{1,120})\]\([^)\s]{1,300}\)")
_GLUED_HEADING = re.compile(
    r"(?<=[.!?:…)])\*\*[A-Z][^*]{3,100}\*\*(?=\s*$|[A-Z])|^\s*\*\*[A-Z][^*]{3,100}\*\*(?=[A-Z])"
)
_GLUED = re.compile(r"(?<=[a-z)][.!?:])(?=(?:I'|I’|I |Let |Now |Perfect|Great|The |This )[\w ])")


class Told(NamedTuple):
    """A sentence of a text: where its line begins, its words, the heading that it stands under, and whether it only
    announces what is done next."""

    start: int
    text: str
    under: str = ""
    is_step: bool = False
    is_item: bool = False  # begins an item of a list

    @property
    def is_code(self) -> bool:
        """Whether it is nothing but a command or a value."""
        return self.text.startswith("`") and self.text.find("`", 1) == len(self.text) - 1


@cache
def _steps() -> re.Pattern[str]:
    anyhow = "|".join(f"(?i:{pattern(name).pattern})" for name in ("turns.next_move", "turns.ponders"))
    return re.compile(f"{anyhow}|(?:{pattern('voices.thinking').pattern})")


def _is_step(text: str) -> bool:
    return bool(_steps().match(text.rstrip(" :").replace("’", "'")))


@lru_cache(maxsize=256)  # who asks again in a running process reads the same exchanges
def split_told(text: str, start: int = 0, fence: int = SHORT_FENCE) -> tuple[Told, ...]:
    """The sentences of a text, without what a program wrote; a few lines of code belong to the words before them."""
    found: list[Told] = []
    title = under = ""
    for at, line, code in _lines(text, fence):
        if code:
            short = f"`{code}`"
            if found and found[-1].text.endswith(":"):
                found[-1] = found[-1]._replace(text=f"{found[-1].text} {short}")
            else:
                found.append(Told(start + at, short, under))
            continue
        if heading := _HEADING.match(line):
            title = _plain(heading[1]) if heading[1] else title
            under = title if heading[1] else f"{title}{WITHIN}{_plain(heading[2])}" if title else _plain(heading[2])
            continue
        if not line.strip():
            continue
        line = pattern("voices.mention").sub("", _GLUED_HEADING.sub(" ", line))
        item = _ITEM.match(line)
        words = _plain(_cells(line) if _ROW.match(line) else line[item.end() :] if item else line)
        if _is_debris(line, words):
            continue
        sentences = [one for part in _GLUED.split(words) for one in _sentences(part)]
        found += [
            Told(start + at, one, under, _is_step(one), bool(item) and not nth) for nth, one in enumerate(sentences)
        ]
    return tuple(found)


def _sentences(line: str) -> list[str]:
    return [one for part in split_line(line) if (one := part.lstrip("-–—•> "))]


def _lines(text: str, most_code: int) -> Iterator[tuple[int, str, str]]:
    """The lines of a text with their places, and in place of a short fence the code in it. A fence of prose is none."""
    at = 0
    open_fences: list[str] = []  # their languages: a fence may hold others
    code: list[str] = []
    for line in text.split("\n")[:MOST_LINES]:
        if fence := _FENCE.match(line):
            language = fence[1].lower()
            if not language and open_fences:
                ended = open_fences.pop()
                if ended not in PROSE and code and _is_short(ended, code, most_code):
                    yield at, "", _on_one_line(code)
            else:
                open_fences.append(language)
            code = []
        elif any(one not in PROSE for one in open_fences):
            code += [line.strip()] if line.strip() and not _COMMENT.match(line) else []
        else:
            yield at, line, ""
        at += len(line) + 1


def _on_one_line(code: Sequence[str]) -> str:
    ended = (line if line.endswith(tuple("{[(,;")) else f"{line};" for line in code[:-1])
    return " ".join([*ended, code[-1]]).replace("`", "'")


def _is_short(language: str, code: Sequence[str], most: int) -> bool:
    return language != "diff" and len(code) <= most and max(map(len, code)) <= LONGEST_CODE


def _cells(line: str) -> str:
    """A row of a table as words: what stands first, then what is said of it."""
    cells = [one.strip() for one in line.strip().strip("|").split("|") if one.strip(" :-")]
    return f"{cells[0]}: {', '.join(cells[1:])}" if len(cells) > 1 else " ".join(cells)


def _plain(line: str) -> str:
    """A line without its marks of layout."""
    line = _MENTIONED.sub("", line)
    flat = " ".join(_MARKS.sub("", _LINK.sub(r"\1", calm(line))).strip(" #─━═│").split())
    return flat.replace(" .", ".") if flat.endswith(" .") else flat


def _is_debris(line: str, words: str) -> bool:
    """Whether a program wrote a line: a border, a difference, a list of paths, code, a log."""
    if any(one.match(line) for one in (_RULE, _DIFF)) or any(one.match(words) for one in (_TAGGED, _HTML)):
        return True
    if is_printed(words):
        return True
    if pattern("voices.client").match(line) or pattern("voices.shell").match(words):
        return True
    if all(_PATH_ALONE.fullmatch(one.strip("`'\",:()")) for one in words.split()):
        return True
    bare = _QUOTED.sub("", words)
    is_code = len(_SYMBOLS.findall(bare)) > max(3, SYMBOLS * len(bare)) or any(mark in words for mark in "ƒ↵")
    return is_code or bool(_CODE.match(words) and _CODE_ENDS.search(words))


class Passage(NamedTuple):
    """The sentences that were chosen, as one text, where they stand, and how much of the question they say."""

    text: str
    places: tuple[int, ...]
    said: frozenset[str]
    worth: float = 0.0  # how well they answer: half how much of what is wanted they say, half what the best is worth


def choose(sentences: Sequence[Told], wanted: Mapping[str, float], room: int, closing: int | None = None) -> Passage:
    """The stretch of sentences that says most of what is wanted and fits, begun with one that tells something; without
    any words wanted, the first. What stands from the place `closing` on tells how it ended."""
    says = _says(sentences, wanted)
    values = _values(sentences, says, wanted, closing)
    told_at = [at for at, one in enumerate(sentences) if not one.is_step] or list(range(len(sentences)))
    least, whole = FAINT * max(values, default=0.0), sum(wanted.values()) or 1.0
    best: tuple[float, list[int]] = (-1.0, [])
    for nth, first in enumerate(told_at):
        if values[first] >= least:
            best = max(best, _stretch(told_at[nth:], sentences, says, values, wanted, room), key=lambda one: one[0])
    covered = frozenset().union(*(says[at] for at in best[1]))
    worth = (sum(wanted[word] for word in covered) + max(values, default=0.0)) / (2 * whole)
    text = _join_sentences(sentences, best[1])
    places = tuple(sentences[at].start for at in best[1])
    return Passage(text if len(text) <= room else _cut(text, room), places, covered, worth)


def _says(sentences: Sequence[Told], wanted: Mapping[str, float]) -> list[frozenset[str]]:
    """The words wanted that each sentence says. One without the beginning of any need not be looked at closely."""
    begins = {root(word)[:BEGINNING] for word in wanted}
    found = []
    for one in sentences:
        text = f"{one.under} {one.text}".lower()
        may_say = not text.isascii() or any(begin in text for begin in begins)
        found.append(frozenset(shared_words(wanted, f"{one.under} {one.text}")) if may_say else frozenset())
    return found


def _stretch(
    following: Sequence[int],
    sentences: Sequence[Told],
    says: Sequence[frozenset[str]],
    values: Sequence[float],
    wanted: Mapping[str, float],
    room: int,
) -> tuple[float, list[int]]:
    """The sentences from the first of some on that fit, and what they are worth; a word said again counts half."""
    taken: list[int] = []
    texts: set[str] = set()
    covered: frozenset[str] = frozenset()
    value, idle = 0.0, 0
    for at in following:
        one, last = sentences[at], sentences[taken[-1]] if taken else None
        idle = idle + 1 if one.is_item and not says[at] else 0
        if one.text in texts or idle > MOST_IDLE:
            continue
        room -= len(one.text) + len(_heading(one, last)) + 4
        if room < 0 and taken:
            break
        texts.add(one.text)
        value += values[at] - SAID_BEFORE * sum(wanted[word] for word in says[at] & covered)
        taken.append(at)
        covered |= says[at]
    return value, taken


def _values(
    sentences: Sequence[Told], says: Sequence[frozenset[str]], wanted: Mapping[str, float], closing: int | None
) -> list[float]:
    """What each sentence is worth: for the words it says, for saying what came of it, and for what it stands behind."""
    whole = sum(wanted.values()) or 1.0
    values: list[float] = []
    for one, words in zip(sentences, says, strict=True):
        value = sum(wanted[word] for word in words) + 0.01 * whole
        value += CONCLUDES * whole * bool(not one.is_step and pattern("turns.concludes").search(one.text))
        value += CLOSES * whole * (closing is not None and one.start >= closing and not one.is_code)
        value *= STEP if one.is_step else ASKS if one.text.endswith(("?", "？")) else 1.0
        behind = FOLLOWS * values[-1] * (STEP if one.is_step else 1.0) if values else 0.0
        values.append(max(value, behind))
    return values


def _join_sentences(sentences: Sequence[Told], taken: Sequence[int]) -> str:
    """Sentences as one text, items of a list below one another; words at its end that lead up to what is not shown are
    left out."""
    chosen = [sentences[at] for at in taken]
    while len(chosen) > 1 and chosen[-1].text.endswith((":", "：")):
        chosen.pop()
    text = ""
    for one, last in zip(chosen, [None, *chosen], strict=False):
        text = _append(text, one, last)
    return text


def _append(text: str, one: Told, last: Told | None) -> str:
    """A text with one more sentence: on a line of its own where it begins an item, a heading or what follows a list."""
    heading = _heading(one, last)
    if heading:
        text, last = f"{text}\n{heading}:" if text else f"{heading}:", None
    if not text:
        return one.text
    if one.is_item:
        return f"{text}\n- {one.text}"
    is_ended, is_new_line = text[-1] in _ENDS, last is not None and one.start != last.start
    goes_on = is_new_line and (one.text[0] == "`" or one.text[0].islower())  # a line broken to fit a screen
    if last and last.is_item and is_new_line and not goes_on:
        return f"{text}\n{one.text}"
    return f"{text} {one.text}" if is_ended or goes_on else f"{text}; {one.text}"


def _heading(one: Told, last: Told | None) -> str:
    """The heading that a sentence stands under, where another stood before."""
    before = last.under if last else ""
    if not one.under or one.under == before:
        return ""
    title, _, within = one.under.partition(WITHIN)
    return (within if within and title == before.partition(WITHIN)[0] else one.under).rstrip(_ENDS)


def _cut(sentence: str, room: int) -> str:
    """A sentence that is longer than the room, cut between words."""
    return sentence[: max(sentence.rfind(" ", 0, room - 2), room // 2)] + " …"
