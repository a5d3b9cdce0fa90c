# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""Whose words are these? The lines in which the author of a message speaks, without code, logs and templates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_LINE = 4_000  # characters; no person types a longer line
MAX_LINES = 400

_FENCE = re.compile(r"^\s{0,12}(?:```|~~~|````)")
# What a client, an editor or a tool wrote around the user's words.
_CLIENT = re.compile(
    r"^\s*(?:@agent\b|#terminal\w+\s*$|\[?(?:image|screenshot)s?\b[^\]]{0,40}\]\s*$|<[a-z][\w-]{1,40}(?: [^>]{0,200})?>|</[a-z]|Caveat: |\[Request interrupted)",
    re.I,
)
# What an editor puts before the words to name a context: "#terminalLastCommand it fails".
_MENTION = re.compile(
    r"^\s*(?:[@#](?:agent|workspace|terminal\w*|file:\S+|selection|codebase|changes|problems)\b:?\s*)+", re.I
)
_TEMPLATE = re.compile(
    r"^\s*(?:Implement the following plan|This session is being continued|Base directory for this skill|"
    r"# (?:Plan|Objective|Context|Instructions|Task)\b|<(?:objective|process|context|execution_context|instructions)>|ARGUMENTS:)",
    re.I,
)
# How an agent thinks about whom it works for; consoles show it below the words that it thinks about.
_THINKING = re.compile(
    r"\s*(?:The user (?:\w+ ){0,2}(?:me to\b|is (?:asking|pointing|right|requesting|referring)\b|(?:wants|has|had) (?:me\b|\w+ed\b))|You're absolutely right|"
    r"Let me (?:think|analy[sz]e|check|create|update|address|reflect|break|explore|look|examine|review)\b|I(?:'ll| will| should| need to) (?:acknowledge|modify|provide|craft|help|analy[sz]e)\b)"
)
_LOG = re.compile(
    r"^\s*(?:\[?\d{1,4}[-:/.]\d{1,2}[-:/.]\d{1,4}[ T,\]]|\[?\d{1,2}:\d{2}:\d{2}|\[(?:info|warn|warning|error|debug|trace|exception|notice|fatal)\b|"
    r"(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL)\b[ :\]]|at \S+ ?[(\[]|at async |File \"|Traceback |\w*(?:Error|Exception|Warning): |"
    r"npm (?:ERR|WARN|error|warn)|error(?:\[|\w*:| TS\d)|warning: |\+{1,3} |-{3} |@@ |diff --git|index [0-9a-f]{7}|\d+ (?:passed|failed)|Caused by:|\.{3} \d+ more|\s*\d+ \||\|)",
)
# An error as PowerShell words it, which often follows the words of who pastes it: "it fails Copy-Item : Cannot find path".
_CMDLET = re.compile(
    r"(?<![\w-])(?:Add|Copy|Export|Expand|Get|Import|Install|Invoke|Move|New|Out|Remove|Rename|Select|Set|Start|Stop|Test|Write)-[A-Z][A-Za-z]{3,30} : (?=(?:Cannot|Could|The|An?|Access|Unable|Failed|Parameter|Missing|Invalid|Exception|Impossible|L[ae]|D(?:er|ie|as))\b)"
    r"|^At (?:line|\S+\.ps1):\d+ char:\d+"
)
_SHELL = re.compile(
    r"^\s*(?:\$ |> \w+@|>>> |\(\w[\w.-]*\) ?[\w@]|PS [A-Z]:\\|[\w.-]+@[\w.-]+[:~ ][^ ]*[$#%>] ?|❯|➜|~/\S* ?[$%#>]|C:\\[^ ]*>)",
)
_QUOTE = re.compile(r"^\s*>+ ")
_CODE_END = re.compile(r"(?:[{};]|=>|\)\s*:|\(\s*|\[\s*|,)\s*$")
_CODE_START = re.compile(
    r"^\s*(?:import |from \w[\w.]* import |const |let |var |def |class \w+[(:{ ]|function |export |public |private |protected |static |return\b|if ?\(|else\b|for ?\(|while ?\(|"
    r"async |await |#include|using \w[\w.]*;|package |fn |func |type \w+ (?:struct|=)|SELECT |INSERT |UPDATE \w|DELETE FROM|CREATE |ALTER |DROP |BEGIN;|COMMIT;|</?[\w!]|[\w.$]+\s*[:=]\s*[\[{\"'(]|\"[\w-]+\":|[\w-]+: ?[\"\[{]|//|/\*|\*/|#!|@\w+\()",
)
_SETTING = re.compile(r"^\s*(?:- )?[\w./-]+:(?:\s+\S+)?\s*$")  # a line of a settings file: a key and at most one word
_COLUMNS = re.compile(r"\S(?: {3,}|\t+)\S")
_WORDS = re.compile(r"[^\W\d_]{2,}")
# What is taken out to count the letters and spaces of a line.
_NO_LETTERS = dict.fromkeys(code for code in range(128) if not chr(code).isalpha() and chr(code) != " ")


class SpokenLine(NamedTuple):
    """A line of a message that may be speech; `is_odd` when it looks pasted."""

    number: int
    text: str
    is_odd: bool


def spoken_lines(message: str) -> Iterator[SpokenLine]:
    """The lines in which somebody speaks; blank ones too, since they separate."""
    fenced = False
    block = False  # inside output that was pasted without a fence
    output = False  # below a command line: what it printed, up to the next blank line
    lines = message.split("\n")[:MAX_LINES]
    settings = [bool(_SETTING.match(line[:MAX_LINE])) for line in lines]
    for number, line in enumerate(lines):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced:
            continue
        if not line.strip():
            block = output = False
            yield SpokenLine(number, "", False)
            continue
        if _TEMPLATE.match(line) or (number and _THINKING.match(line)):
            return  # what follows is a plan, a command's text or an agent's thought, not what the user says
        plain = _MENTION.sub("", line[:MAX_LINE])
        if not plain.strip() or _CLIENT.match(plain) or _QUOTE.match(plain):
            continue
        if output or _SHELL.match(plain):
            output = True
            continue
        if pasted := _CMDLET.search(plain):
            output, plain = True, plain[: pasted.start()]
            if not plain.strip():
                continue
        if _is_pasted(plain) or (
            settings[number] and any(settings[max(0, number - 1) : number] + settings[number + 1 : number + 2])
        ):
            block = True
            continue
        odd = block or _looks_odd(plain)
        if block and not _is_speech(plain):
            continue
        block = False
        yield SpokenLine(number, plain, odd)


def _is_pasted(line: str) -> bool:
    """Whether a line is a log, code, a table or a stack trace."""
    if _LOG.match(line):
        return True
    if _CODE_START.match(line):
        return line.rstrip().endswith((";", "{", "}")) or not _is_speech(line)
    stripped = line.strip()
    if not stripped.isascii():
        return False
    letters = _letters(stripped)
    if len(stripped) > 11 and letters < 0.6 * len(stripped):
        return True
    if _CODE_END.search(stripped) and not _is_speech(stripped):
        return True
    return len(_COLUMNS.findall(stripped)) >= 2


def _letters(line: str) -> int:
    """How many letters and spaces a line has."""
    return len(line.translate(_NO_LETTERS)) if line.isascii() else sum(map(str.isalpha, line)) + line.count(" ")


def _is_speech(line: str) -> bool:
    """Whether a line has the small words that people use between the big ones."""
    words = [word.lower() for word in _WORDS.findall(line[:600])]
    if not words:
        return False
    small = sum(word in SMALL for word in words)
    return small >= 2 and small >= 0.22 * len(words)


def _looks_odd(line: str) -> bool:
    stripped = line.strip()
    letters = _letters(stripped)
    return letters < 0.75 * len(stripped) or len(stripped) > 700


SMALL = frozenset(
    """a about after all also an and any are as at be because been but by can could did do does don for from get had has have how i if in into
    is it its just like make me my need no not now of on one only or our out please should so some still such than that the them then there
    these they this to too up use using want was we were what when where which while who why will with would you your
    der die das und ist nicht ein eine zu den mit für auf im wir ich es dass wenn auch noch nur le la les des et est un une pour que dans
    nous je il pas sur avec qui el los las y es por con para una en no se lo o e di da che il per non sono con não os do uma""".split()  # noqa: SIM905
)
