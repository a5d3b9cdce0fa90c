"""Whose voice a prompt is in: a letter or a notice that was pasted is the user's record, but not their word."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from nous.core.transcript import Turn

LONGEST_LINE = 2000
SIGNATURE = 5  # lines below a sign-off that still belong to it
LONG = 25  # words of a paragraph that nobody types in passing
_HEADER = re.compile(
    r"\s{0,8}>?\s{0,4}(?:From|To|Cc|Subject|Sent|Date|Reply-To|Von|An|Betreff|Gesendet|De|À|Objet|Envoyé|Asunto|Para"
    r"|От|Кому|Тема)\s?:\s\S"
)
_GREETING = re.compile(
    r"\s{0,8}(?:Dear|Hello|Hi|Hey|Greetings|To whom it may concern|Sehr geehrte\w?|Liebe[rs]?|Hallo|Guten Tag|Bonjour"
    r"|Cher|Chère|Madame|Estimad[oa]s?|Hola|Gentile|Prezad[oa]s?|Уважаем\w+|Здравствуйте|尊敬的|您好)\b"
    r"[^.?]{0,60}[,!:，：]?\s*$",
    re.I,
)
_SIGN_OFF = re.compile(
    r"\s{0,8}(?:(?:Best|Kind|Warm|With)?\s?regards|Sincerely|Yours|Best wishes|Cheers|Many thanks|Thank you|Thanks"
    r"|Mit freundlichen|Viele Grüße|Beste Grüße|Freundliche Grüße|Cordialement|Bien à vous|Saludos|Atentamente|Cordiali"
    r"|Atenciosamente|С уважением|此致|敬上|The \w+(?: \w+)? Team)\b[^.?]{0,40}[,!，]?\s*$",
    re.I,
)
# How a company speaks to those it sells to; "our" alone is what any team says.
_TO_CUSTOMERS = re.compile(
    r"\b(?:your (?:account|subscription|organi[sz]ation|licen[cs]e|plan|workspace|tenant|invoice|order)\b"
    r"|dear customer\b"
    r"|we(?: are|'re) (?:pleased|excited|happy|writing|reaching|committed|thrilled)\b|we (?:kindly|strongly) \w+"
    r"|please (?:note|be advised|do not reply|contact)\b|unsubscribe\b|all rights reserved\b|terms of\b"
    r"|thank you for (?:your|being|choosing)\b|contact (?:us|sales|support)\b|we recommend that you\b"
    r"|all (?:customers|tenants|integrators|vendors|partners)\b|customers (?:are|must|should)\b)|©"
)
ADDRESSED = 2  # different marks of a company's voice in one paragraph


def in_own_voice(turns: Sequence[Turn]) -> list[Turn]:
    """The turns, with prompts that keep only what the user wrote."""
    return [_own(turn) if turn.kind == "prompt" and len(turn.text) > 60 else turn for turn in turns]


def _own(turn: Turn) -> Turn:
    text = own_voice(turn.text)
    return turn if text == turn.text else replace(turn, text=text)


def own_voice(text: str) -> str:
    """A prompt without the letters and notices that were pasted into it."""
    lines = text.split("\n")
    foreign = _letters(lines) | _notices(lines)
    return "\n".join(line for at, line in enumerate(lines) if at not in foreign).strip() if foreign else text


def _letters(lines: Sequence[str]) -> set[int]:
    """The lines of letters: from their headers or their greeting to what stands below the sign-off."""
    found: set[int] = set()
    at = 0
    while at < len(lines):
        headed = all(_HEADER.match(line[:LONGEST_LINE]) for line in lines[at : at + 2]) and at + 1 < len(lines)
        greeted = bool(_GREETING.match(lines[at][:LONGEST_LINE]))
        end = _end(lines, at + 1) if headed or greeted else -1
        if end < 0 and headed:
            end = len(lines)
        # A greeting alone is how many people begin; it takes a sign-off to make a letter.
        if end - at > 1:
            found |= set(range(at, end))
            at = end
        else:
            at += 1
    return found


def _end(lines: Sequence[str], start: int) -> int:
    """Behind the signature of a letter; -1 when nobody signed."""
    for at in range(start, len(lines)):
        if _SIGN_OFF.match(lines[at][:LONGEST_LINE]):
            below = at + 1
            while below < len(lines) and below <= at + SIGNATURE and _is_signature(lines[below]):
                below += 1
            return below
    return -1


def _is_signature(line: str) -> bool:
    return bool(line.strip()) and len(line.split()) <= 6 and not line.rstrip().endswith((".", "?"))


def _notices(lines: Sequence[str]) -> set[int]:
    """The lines of long paragraphs that speak as a company does."""
    found: set[int] = set()
    start = 0
    for at in range(len(lines) + 1):
        if at == len(lines) or not lines[at].strip():
            paragraph = " ".join(lines[start:at])
            is_long = len(paragraph.split()) >= LONG
            if is_long and len(set(_TO_CUSTOMERS.findall(paragraph.lower()))) >= ADDRESSED:
                found |= set(range(start, at))
            start = at + 1
    return found
