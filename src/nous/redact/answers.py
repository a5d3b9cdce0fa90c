"""A question for a secret, and the answer that is one although nothing in it says so."""

from __future__ import annotations

import re
from typing import Literal

from nous.language.lowered import needed_strings
from nous.redact.found import OPEN, Removals
from nous.redact.values import (
    bare,
    digits,
    in_passing,
    is_code,
    is_name,
    is_phrase,
    is_spoken_code,
    looks_random,
    said_password,
)

AskedFor = Literal["", "which", "what", "digits"]
LAST_WORDS = 600  # a question stands at the end of what was said

_NOUN = (
    r"(?:passwords?|passphrases?|passcode|pw|pin(?: code)?|api[ -]?keys?|(?:(?:access|auth|bearer|refresh|bot"
    r"|deploy|ci) )?tokens?"
    r"|secrets?|(?:secret|private|license|signing|encryption|access) keys?|credentials|creds|login data|client secret"
    r"|(?:recovery|backup|verification|2fa|one[- ]time|access|security) codes?|otp|totp|seed phrase"
    r"|recovery phrase|mnemonic"
    r"|(?:\w{2,20})?(?:passwort|kennwort)|zugangsdaten|zugangsschlüssel|schlüssel|mots? de passe|jeton"
    r"|clé(?: api)?|contraseña|clave|senha|wachtwoord"
    r"|парол[ья]|токен|ключ|密码|密碼|令牌|密钥|パスワード|トークン|connection string|database url|dsn)"
)
# A noun behind it makes it a question about something else: "password policy", "token format".
_HEAD = (
    r"(?=\s{0,3}(?:[?.:,!;)\]\"'’`*—–-]|\Z|\n|\s(?:for|of|to|on|in|from|is|are|here|there|please|so|and|or|that"
    r"|which|you|we|i|should"
    r"|below|now|as|via|at|with|again|do|does|need|needs|für|vom|von|zum|zur|der|des|im|am|auf|bitte|du|de|pour"
    r"|s'il|del|para|por|от|для"
    r"|是|は|を)\b)|[是は为吗？])"
)
_WANTS = (
    r"(?:what(?:'s|’s| is| are| was)?|enter|give|provide|send|paste|share|tell|type|need|supply|drop|let me know"
    r"|could you|can you"
    r"|may i have|do you have|i(?:'ll| will) need|missing|waiting for|wie|gib|nenn\w{0,3}|brauch\w{0,3}"
    r"|schick\w{0,3}|quel(?:le)?s?|donne\w{0,4}"
    r"|indique\w{0,4}|cuál|dame|dime|proporcion\w{0,4}|qual|какой|введите|дай(?:те)?|是什么|请|教えて|入力)"
)
_SECRETS = needed_strings(_NOUN)
_ASKED = re.compile(rf"\b{_NOUN}{_HEAD}", re.I)
_WHAT = re.compile(rf"\b{_WANTS}(?!\w)", re.I)
_WHAT_BEHIND = re.compile(r"是什么|是多少|是啥|は何|を教えて")
_WHICH = re.compile(r"\b(?:which|welche\w?|quels?|cuál(?:es)?)\b", re.I)
_BEFORE = 90  # characters between the wish and what is wished for
_LABEL = re.compile(rf"\A[^.!\n]{{0,60}}\b{_NOUN}\s{{0,3}}[?:]?\s{{0,3}}\Z", re.I)
_ABOUT_ONE = re.compile(
    r"\b(?:should|shall|do we|does|is|are|will|would|where|when|how (?:long|many|often)|why|who)\b", re.I
)
# A code that was sent, or a PIN: only digits answer that. "Code" alone is what programs are made of.
_CODE = re.compile(
    r"\b(?:pin|puk|tan|otp)\b|pin-?code|passcode|authenticator|(?:bestätigungs|einmal|sicherheits|tür|zugangs|sms-)code"
    r"|\b(?:verification|one[- ]time|2fa|mfa|sms|login|security|access|door|confirmation|unlock) code\b"
    r"|\bcode (?:pin|from|by|sent|you (?:got|received)|that was sent|in the (?:app|e?-?mail|message|sms)|hast du)"
    r"|\bcode de (?:vérification|validation|confirmation)"
    r"|\bwhat(?:'s|’s| is) the code\s{0,2}\?|\bwhich code did\b|\bwelche[rn]? code\b|\bcódigo de\b|\bcodice di\b"
    r"|\bкод (?:приш|из|подтв)|пин-?код|验证码|驗證碼|校验码|动态码|暗証番号|認証コード|確認コード|인증번호",
    re.I,
)
_WANTS_CODE = re.compile(rf"{_WANTS}|\bwhich\b|\bwelche|\bwat\b|приш|\bshow", re.I)
_HERE = re.compile(
    r"\A(?:ok(?:ay)?,? |sure[,:]? |yes[,:]? )?(?:it'?s|it is|that'?s|that is|das ist|es ist|c'est|es|use|take"
    r"|try|here(?: it is| you go)?:?|nimm"
    r"|try with|the \w{2,12} is)\s+(\S+)\s*\Z",
    re.I,
)
_IS_CODE = re.compile(r"(?<![\w.:/#-])(\d{4,8}|\d{3}[ -]\d{3})(?![\w]|[.:/-]\d)")
_NO_ANSWER = re.compile(r"[~.]?/|https?:|v?\d+(?:\.\d+)+\Z|\d{1,3}\w{0,2}\Z|[\w.-]+\.(?:[a-z]{2,4})\Z|#\d", re.I)
FEW = 6  # words around a code
LONGEST = 16  # words; what is longer is a message of its own


def asks_for(words: str) -> AskedFor:
    """Whether somebody wants to be told a secret: "what", "which" when it may be a choice, "digits" of a code."""
    said = words[-LAST_WORDS:]
    return _asks_for_secret(said) or ("digits" if _asks_for_code(said) else "")


def _asks_for_code(said: str) -> bool:
    sentences = re.split(r"[.!\n]", said.strip())
    last = next((one for one in reversed(sentences) if one.strip()), "")
    return bool(_CODE.search(last) and (_WANTS_CODE.search(last) or last.rstrip().endswith(":")))


def _asks_for_secret(said: str) -> AskedFor:
    folded = said.casefold()
    if not any(map(folded.__contains__, _SECRETS)):
        return ""
    for noun in _ASKED.finditer(said):
        before = re.split(r"[.?!\n]", said[max(0, noun.start() - _BEFORE) : noun.start()])[-1]
        if _WHICH.search(before):
            return "which"
        if _WHAT.search(before) or _WHAT_BEHIND.match(said, noun.end()):
            return "what"
    # a question in a form is often but a label: "Database password:"
    last = re.split(r"[.!\n]", said.strip())[-1].strip()
    return "what" if _LABEL.match(last) and not _ABOUT_ONE.search(last) else ""


def hide_answer(answer: str, asked: AskedFor, found: Removals) -> str:
    """The answer to a question for a secret without it; words that decline or explain stay."""
    lines = answer.split("\n")
    for number, line in enumerate(lines):
        if line.strip():
            lines[number] = _hide_line(line, asked, found)
    return "\n".join(lines)


def _hide_line(line: str, asked: AskedFor, found: Removals) -> str:
    words = line.split()
    if len(words) <= FEW and (code := _IS_CODE.search(line)) and is_spoken_code(code[1]):
        return line.replace(code[1], found.take("answer", code[1]))
    if asked == "digits":
        return line
    if len(words) == 1:
        return line.replace(words[0], found.take("answer", words[0])) if _is_answer(words[0], asked) else line
    if len(words) > LONGEST:
        return line
    told = _HERE.match(line.strip())
    if told and _is_answer(told[1], asked):
        return line.replace(told[1], found.take("answer", told[1]))
    if asked == "what" and is_phrase(" ".join(words)):
        return found.take("answer", line.strip())
    for word in words:
        if _is_telling(word):
            line = line.replace(word, found.take("answer", word))
    return line


def _is_answer(word: str, asked: AskedFor) -> bool:
    value = bare(word)
    if len(value) < 4 or OPEN in word or "[secret:" in word or is_code(value) or _NO_ANSWER.match(value):
        return False
    return asked == "what" or said_password(word)


def _is_telling(word: str) -> bool:
    """Whether one word among others is the secret."""
    value = bare(word)
    if (
        OPEN in word
        or "[secret:" in word
        or len(value) < 5
        or is_code(value)
        or _NO_ANSWER.match(value)
        or is_name(value)
    ):
        return False
    return in_passing(word) or looks_random(value) or (digits(value) > 0 and any(c.isalpha() for c in value))
