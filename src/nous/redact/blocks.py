"""Secrets that are known by the piece of text they stand in: a settings file, a manifest, a key, a private span."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from nous.redact.found import OPEN, Removals
from nous.redact.values import PASSWORDS, in_column, is_card, is_name, is_stand_in, looks_random

Rewrite = Callable[[str, Removals], str]


class Block(NamedTuple):
    """A rewriting of a text; one of the needles must occur before it is asked."""

    needles: tuple[str, ...]
    rewrite: Rewrite


# -- private spans ----------------------------------------------------------------------------------------------------

# The tag as it is typed, and as HTML, JSON and addresses write its brackets.
_LT, _GT = r"(?:<|&lt;|&#0{0,4}60;|&#x0{0,4}3c;|\\u003c|%3c)", r"(?:>|&gt;|&#0{0,4}62;|&#x0{0,4}3e;|\\u003e|%3e)"
_BEGIN = rf"{_LT}\s{{0,9}}private(?![\w-])[^<>&\n]{{0,200}}?{_GT}"
_END = rf"{_LT}\s{{0,9}}/\s{{0,9}}private\s{{0,9}}{_GT}"
_PRIVATE = re.compile(rf"{_BEGIN}(.*?)(?:{_END}|\Z)", re.I | re.S)
_PRIVATE_END = re.compile(_END, re.I)
_SWITCH = re.compile(r"<Private>([Tt]rue|[Ff]alse)</Private>")  # a setting in project files of .NET


def without_private(text: str, found: Removals) -> str:
    """The text without its private spans; where a tag has lost its partner, all on its side is private."""

    def drop(span: re.Match[str]) -> str:
        found.spans.append(span[1])
        return ""

    text, spans = _PRIVATE.subn(drop, _SWITCH.sub("\ue002\\1\ue003", text))
    ends = list(_PRIVATE_END.finditer(text))
    if ends:
        found.spans.append(_PRIVATE_END.sub(" ", text[: ends[-1].end()]))
        text = text[ends[-1].end() :]
    if spans or ends:
        found["private"] += spans + len(ends)
    return text.replace("\ue002", "<Private>").replace("\ue003", "</Private>") if "\ue002" in text else text


# -- keys -------------------------------------------------------------------------------------------------------------

_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----")
_KEY_LINE = re.compile(r"[ \t]*(?:\d{1,6}[ \t→|:]+)?(?:[A-Za-z0-9+/=]|\\[nr]){1,9000}[ \t\r]*\Z")
_KEY_LINES = re.compile(r"(?m)^[ \t]*(?:\d{1,6}[ \t→|:]+)?([A-Za-z0-9+/]{40,80}={0,2})\r?$")


def _key_tail(text: str, found: Removals) -> str:
    """The end of a key whose beginning stood elsewhere: the lines before it go as well."""
    pieces = []
    done = 0
    for end in _KEY_END.finditer(text):
        start = end.start()
        while start > done:
            line = text.rfind("\n", done, start - 1) + 1 or done
            if not _KEY_LINE.match(text[line:start].rstrip("\n")):
                break
            start = line
        pieces += [text[done:start], found.take("private-key", text[start : end.end()])]
        done = end.end()
    return "".join(pieces) + text[done:] if pieces else text


def without_key_lines(text: str, found: Removals) -> str:
    """The text without lines that can be the middle of a key; for sessions in which one was shown."""

    def hide(line: re.Match[str]) -> str:
        value = line[1]
        if not (re.search("[a-z]", value) and re.search("[A-Z]", value) and re.search("[0-9]", value)):
            return line[0]
        return line[0][: line.start(1) - line.start()] + found.take("private-key", value)

    return _KEY_LINES.sub(hide, text)


# -- what is told in base64 -------------------------------------------------------------------------------------------

_TOLD = """
    -----BEGIN ghp_ gho_ github_pat_ glpat- xoxb- xoxp- sk_live_ sk_test_ sk-ant- sk-proj- AKIA ASIA AIza npm_
    pypi- hf_ dop_v1_ postgres:// postgresql:// mysql:// mongodb:// mongodb+srv redis:// amqp:// password=
    PASSWORD= DB_PASS AWS_SECRET AWS_ACCESS API_KEY SECRET_KEY OPENAI_API DATABASE_URL
""".split()  # noqa: SIM905


def _encode_start(start: str) -> str:
    """How a text that begins so begins in base64."""
    return base64.b64encode(start.encode()).decode()[: len(start) * 8 // 6]


_ENCODED = re.compile(
    rf"(?<![A-Za-z0-9+/])(?:{'|'.join(map(_encode_start, _TOLD))})(?:[A-Za-z0-9+/]"
    rf"|\r?\n(?=[A-Za-z0-9+/])){{8,16000}}={{0,2}}"
)


def _base64(text: str, found: Removals) -> str:
    def hide(match: re.Match[str]) -> str:
        raw = re.sub(r"\s", "", match[0])
        try:
            told = base64.b64decode(raw[: len(raw) // 4 * 4]).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return match[0]
        is_public = told.startswith("-----BEGIN") and "PRIVATE" not in told[:60]
        return match[0] if is_public else found.take("base64", match[0])

    return _ENCODED.sub(hide, text)


# -- settings files ---------------------------------------------------------------------------------------------------

_ENV_PATH = re.compile(
    r"(?:^|[/\\:=])(?:\.env(?:\.[\w.-]+)?|[\w.-]+\.env|\.envrc|\.netrc|_netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials"
    r"|\.my\.cnf|\.htpasswd|credentials(?:\.\w+)?|secrets?\.(?:ya?ml|json|toml|ini|env)|id_(?:rsa|ed25519|ecdsa|dsa)"
    r"|[\w.-]+\.(?:pem|key|p12|pfx|tfvars))$"
)
_EXAMPLE = re.compile(r"\.(?:example|sample|template|dist)$")
# What may stand before a name: the file and the line that a search shows, a shell's own word.
_SET = r"(?:(?:export|declare[ \t]+-\w{1,4}|typeset[ \t]+-\w{1,4})[ \t]+)?"
_BEFORE = rf"[ \t]*(?:[\w./-]{{0,200}}\.env[\w.-]{{0,40}}?[:-])?(?:\d+[ \t→|:-]+)?{_SET}"
_SHOWN = re.compile(r"^(?:[\w./-]{0,200}/)?\.env(?:\.[\w.]{1,40})?(?:[:-]|\r?$)", re.M)
ENV_LINE = re.compile(
    rf"^({_BEFORE}[A-Z][A-Z0-9_]{{1,60}}[ \t]*=[ \t]*)(?!\[secret:)"
    r"(\"[^\"\n]*\"|'[^'\n]*'|[^\n]*[^\s])",
    re.M,
)
ANY_LINE = re.compile(
    rf"^([ \t]*[+-]?(?:\d+[ \t→|:-]+)?(?:-[ \t]+)?{_SET}[\"']?[\w./:@-]{{1,80}}[\"']?[ \t]*(?:="
    r"|:[ \t])[ \t]*)(?!\[secret:)([^\n]*[^\s,{\[])",
    re.M,
)
_HARMLESS = re.compile(
    r"(?i)[\"']?(?:true|false|yes|no|on|off|null|none|\d{1,5}|localhost|127\.0\.0\.1|0\.0\.0\.0|dev(?:elopment)?"
    r"|prod(?:uction)?"
    r"|test(?:ing)?|staging|local|debug|info|warn(?:ing)?|error|trace|utf-?8"
    r"|https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::\d{1,5})?[\w./-]{0,60})[\"']?,?\Z"
)
_TELLING_NAME = re.compile(r"(?i)pin|pass|pw|secret|key|token|otp|code|cred|auth")
_ASSIGNED = re.compile(r"(?<![\w$])([A-Za-z_]\w{0,60}=)(\"[^\"\n]{1,400}\"|'[^'\n]{1,400}'|[^\s\"'|>;&\\]{1,400})")
_REDIRECT = re.compile(r"(?:>{1,2}|\btee(?:[ \t]{1,3}-a)?)[ \t]{0,3}[\"']?([^\s\"'<>|;&]{3,200})")
_FILES = (".env", "netrc", ".pgpass", ".npmrc", ".pypirc", "credentials", "secrets.", "secret.", ".tfvars")
_NAMED = re.compile("|".join(map(re.escape, _FILES)))
_HEREDOC = re.compile(r"<<-?[ \t]{0,3}([\"']?)(\w{1,40})\1")
READERS = re.compile(
    r"\b(?:cat|bat|less|more|head|tail|grep|rg|sed|awk|nl|cut|sort|strings|xxd|base64|diff|type|get-content|jq"
    r"|yq|printenv"
    r"|dotenv|source|vim?|nano|git (?:show|diff))\b",
    re.I,
)


def is_env_file(path: str) -> bool:
    """Whether a file holds nothing but settings, all of whose values may be secrets."""
    return bool(_ENV_PATH.search(path)) and not _EXAMPLE.search(path)


def is_env_dump(text: str) -> bool:
    """Whether a text is mostly lines such as NAME=value, as `cat .env` and `printenv` show them."""
    if text.count("=") < 2 or len(text) > 200_000:
        return False
    lines = [line for line in text.splitlines() if (start := line.lstrip()) and not start.startswith("#")]
    most = text.count("=") * 2  # the pattern is slow, and most output has fewer than it would need
    return 2 <= len(lines) < most and len(ENV_LINE.findall(text)) * 2 > len(lines)


def shows_env_file(text: str) -> bool:
    """Whether a search has found something in a settings file: it says so in a line, or before one."""
    return ".env" in text and bool(_SHOWN.search(text))


def without_values(text: str, pattern: re.Pattern[str], found: Removals) -> str:
    """The text with the value of every setting hidden, but for those that tell nothing: a port, a switch, a level."""

    def hide(match: re.Match[str]) -> str:
        name, value = match[1], match[2]
        harmless = _HARMLESS.match(value) and not _TELLING_NAME.search(name)
        if OPEN in value or "[secret:" in value or harmless or is_stand_in(value.strip("\"'")):
            return match[0]
        return name + found.take("env-value", value)

    return pattern.sub(hide, text)


def reads_settings(command: str) -> bool:
    """Whether a command shows what is in a settings file."""
    words = re.findall(r"[^\s\"'<>|;&()]{3,200}", command[:4000])
    return bool(READERS.search(command[:4000])) and any(is_env_file(word) for word in words)


def _is_written(text: str, at: int) -> bool:
    line = text[max(text.rfind("\n", 0, at), at - 200, 0) : at]
    return ">" in line or "tee" in line


def _settings_written(text: str, found: Removals) -> str:
    """Values that a command writes into a settings file, in its own line or in the lines that it is fed."""
    if not any(_is_written(text, name.start()) for name in _NAMED.finditer(text)):
        return text
    lines = text.split("\n")
    closing = ""
    for number, line in enumerate(lines):
        if closing:
            if line.strip() == closing:
                closing = ""
            else:
                lines[number] = without_values(line, ANY_LINE, found)
            continue
        if any(is_env_file(path) for path in _REDIRECT.findall(line)):
            fed = _HEREDOC.search(line)
            closing = fed[2] if fed else ""
            if not fed:
                lines[number] = without_values(line, _ASSIGNED, found)
    return "\n".join(lines)


# -- manifests of Kubernetes ------------------------------------------------------------------------------------------

_MANIFEST = re.compile(r"(?i)\bkind[\"']?\s{0,3}:\s{0,3}[\"']?secret\b(?![\w-])")
_DATA = re.compile(r"([ \t]{0,60}(?:\d{1,6}[→|:\t][ \t]{0,60})?)(?:data|stringData):\Z")
_ENTRY = re.compile(r"([ \t]{0,60}(?:\d{1,6}[→|:\t][ \t]{0,60})?[\"']?[\w.-]{1,100}[\"']?:[ \t]{0,3})(\S[^\n]*)?\Z")
_JSON_DATA = re.compile(r"(\"(?:data|stringData)\"\s{0,5}:\s{0,5}\{)([^{}]{1,100000})\}")
_JSON_ENTRY = re.compile(r"(\"[\w.-]{1,100}\"\s{0,5}:\s{0,5})(\"[^\"]{1,20000}\")")


def _manifest(text: str, found: Removals) -> str:
    """What a Secret holds, in base64 or as it is."""
    if not _MANIFEST.search(text):
        return text

    def hide(entry: re.Match[str]) -> str:
        return entry[0] if OPEN in entry[2] else entry[1] + found.take("kubernetes-secret", entry[2])

    text = _JSON_DATA.sub(lambda data: data[1] + _JSON_ENTRY.sub(hide, data[2]) + "}", text)
    return "\n".join(_hidden_entries(text.split("\n"), found))


def _hidden_entries(lines: list[str], found: Removals) -> Iterator[str]:
    inside = -1  # how far the entries of the data are indented at least
    for written in lines:
        line = written.rstrip()
        if data := _DATA.match(line):
            inside = len(data[1]) + 1
        elif line.strip() and inside >= 0:
            if len(line) - len(_strip_line_number(line).lstrip()) < inside:
                inside = -1
            elif entry := _ENTRY.match(line):
                if entry[2] and entry[2] not in ("|", "|-", ">", ">-", "|+") and OPEN not in entry[2]:
                    line = entry[1] + found.take("kubernetes-secret", entry[2])
            elif OPEN not in line:
                line = found.take("kubernetes-secret", line.strip())
        yield line


def _strip_line_number(line: str) -> str:
    return re.sub(r"\A[ \t]*\d+[ \t→|:]+", "", line)


# -- tables -----------------------------------------------------------------------------------------------------------

_COLUMN = re.compile(
    rf"(?im)(?:^|[|,;\t(])[ \"'`*]{{0,40}}(?:[\w-]{{1,20}}[ _-])?(?:({PASSWORDS}|mot de passe)|secret|token"
    r"|(?:api|access|secret)[ _-]?key)[ \"'`*\r]{0,40}(?=[|,;\t)]|$)"
)
_FIELD = re.compile(r"\s{0,20}[\w.\"'`-]{1,40}\s{0,20}")
_RULED = re.compile(r"\A[\s|:+]*-[\s|:+-]*\Z")
_INSERT = re.compile(r"(?i)\binsert\s{1,9}into\s{1,9}[^\s()]{1,80}\s{0,9}\(([^()]{1,2000})\)\s{0,9}values\s{0,9}")
# A text in quotes, in which signs divide nothing; a call with what it is given; and a row of such.
_TEXT = r"\"(?:[^\"\n]|\"\"){0,4000}+\"|'(?:[^'\n]|''){0,4000}+'"
_ROW = re.compile(rf"[\s,]{{0,9}}\(((?:{_TEXT}|\([^()'\"]{{0,400}}\)|[^()'\"]){{1,4000}}+)\)")
_CELLS = {sign: re.compile(rf"(?:{_TEXT}|\([^()'\"\n]{{0,400}}\)|[^{sign}])*+") for sign in ",;\t"}
_Holds = Callable[[str], bool]


def _columns(text: str, found: Removals) -> str:
    """The text without cells below a heading that names a secret: in Markdown, in CSV, in what SQL inserts."""
    if not _COLUMN.search(text):
        return text
    lines = _hide_inserted(text, found).split("\n")
    sign, count = "", 0
    places: dict[int, _Holds] = {}
    for number, line in enumerate(lines):
        if places and (_RULED.match(line) or len(cells := _split(line, sign)) == count):
            lines[number] = line if _RULED.match(line) else _hide_cells(cells, sign, places, found)
            continue
        sign = next((one for one in "|\t,;" if one in line), "")
        cells = _split(line, sign)
        count, places = len(cells), _places(cells, sign)
        if sign == "|" and count < 3 and not _RULED.match("".join(lines[number + 1 : number + 2])):
            places = {}  # a pipe, a union of types
    return "\n".join(lines)


def _split(row: str, sign: str) -> list[str]:
    """The cells of a row; what divides them may stand within quotes."""
    if sign not in _CELLS or not ('"' in row or "'" in row):
        return row.split(sign) if sign else []
    cells, at = [], 0
    while cell := _CELLS[sign].match(row, at):
        cells.append(cell[0])
        at = cell.end() + 1
        if cell.end() == len(row):
            break
    return cells


def _places(names: list[str], sign: str) -> dict[int, _Holds]:
    """Where in a row a secret stands, and what tells it; nowhere when a line without bars is a sentence."""
    if sign != "|" and not all(map(_FIELD.fullmatch, names)):
        return {}
    named = ((place, _COLUMN.match(f"|{name}")) for place, name in enumerate(names))
    return {place: in_column if column[1] else _is_token for place, column in named if column}


def _is_token(cell: str) -> bool:
    return " " not in cell and looks_random(cell) and not is_name(cell)


def _hide_cells(cells: list[str], sign: str, places: dict[int, _Holds], found: Removals) -> str:
    for place, holds in places.items():
        value = cells[place].strip().strip("`*") if place < len(cells) else ""
        if value and OPEN not in value and holds(value):
            cells[place] = cells[place].replace(value, found.take("password", value))
    return sign.join(cells)


def _hide_inserted(text: str, found: Removals) -> str:
    pieces, done = [], 0
    for statement in _INSERT.finditer(text):
        places = _places([name.strip() for name in statement[1].split(",")], ",")
        at = max(done, statement.end())
        while places and (row := _ROW.match(text, at)):
            pieces += [text[done : row.start(1)], _hide_cells(_split(row[1], ","), ",", places, found)]
            done, at = row.end(1), row.end()
    return "".join(pieces) + text[done:] if pieces else text


# -- payment cards ----------------------------------------------------------------------------------------------------

CARD_WORDS = ("card", "visa", "amex", "cvv", "cvc", "karte", "carte ", "tarjeta", "payment", "credit", "iban")
_CARD = re.compile(r"(?<![\w.+-])\d{4}(?:(?:[ -]?\d{4}){2}[ -]?\d{1,7}|[ -]?\d{6}[ -]?\d{4,5})(?![\w-]|\.\d)")


def cards(text: str, found: Removals) -> str:
    """The text without numbers of payment cards."""
    return _CARD.sub(lambda number: found.take("card", number[0]) if is_card(number[0]) else number[0], text)


_KEYS = (f"{kind}{sign}key" for kind in ("api", "access") for sign in ("", " ", "_", "-"))
BLOCKS: tuple[Block, ...] = (
    Block(_FILES, _settings_written),
    Block(
        ("kind: secret", 'kind: "secret', 'kind":"secret', 'kind": "secret', 'kind\\": \\"secret', 'kind\\":\\"secret'),
        _manifest,
    ),
    Block(("private key-----",), _key_tail),
    Block((*PASSWORDS.split("|"), "mot de passe", "secret", "token", *_KEYS), _columns),
    Block(tuple({_encode_start(start).lower()[:8] for start in _TOLD}), _base64),
)
