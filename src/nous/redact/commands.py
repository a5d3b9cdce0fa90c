"""Secrets by what printed them: the output of a password manager is one, whatever it looks like."""

from __future__ import annotations

import re
from collections.abc import Collection
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple

from nous.language.shell import ShellCommand, commands_in
from nous.redact.blocks import READERS, is_env_file
from nous.redact.rules import SECRET_NAME

Shows = Literal["", "settings", "secret"]


class SecretOutput(NamedTuple):
    """What the output of a command is, and the files that took secrets instead of it."""

    shows: Shows
    files: frozenset[str] = frozenset()


class PrintingCommand(NamedTuple):
    """A row of `commands.txt`: words that stand in this order, and words that must not be there."""

    words: tuple[str, ...]
    without: frozenset[str]
    shows: Shows


# Files that hold a secret and nothing else. What ends like code is code.
_SECRET_FILE = re.compile(
    r"(?:^|/)(?:(?:var/)?run/secrets/\S+|serviceaccount/token|\.vault-token|\.?[\w.-]{0,40}?(?:passw(?:or)?ds?|passphrase|secrets?"
    r"|(?:api|access|auth|private|secret)[_-]?key|token|privatekey|master\.key)(?:\.(?:txt|key|b64|secret|token|pw)|)"
    r"|pw\.txt|(?:auth|token)\.json|\.kube/config|\.docker/config\.json|gh/hosts\.yml|kubeconfig|terraform\.tfstate(?:\.backup)?|\.terraformrc|\.s3cfg|\.boto"
    r"|(?:service[_-]?account|client[_-]secret|credentials?)[\w.-]{0,40}\.json|[\w.-]{0,40}\.(?:kdbx?|keytab|jks|ppk)"
    r"|proc/[\w$]{1,12}/environ)\Z",
    re.I,
)
# How code names a variable of its environment or a setting: $DB_TOKEN, os.environ["X"], ENV.fetch('X'), settings.X
_VARIABLE = re.compile(
    r"(?:\$ENV\{|\$(?:env:|\{)?|\benv(?:iron)?(?:\.(?:get|fetch))?[\[(]['\"]|\bgetenv\(['\"]"
    r"|\b(?:process\.env|settings|config|conf)(?:\.|\[['\"]))['\"]?(\w{1,60})",
    re.I,
)
_SQL = re.compile(r"(?is)\bselect\b(.{1,400}?)\bfrom\b")
_DATABASES = re.compile(
    r"(?:psql|pgcli|mysql|mariadb|mycli|sqlite3?|litecli|duckdb|clickhouse(?:-client)?|cockroach|usql|sqlcmd|snowsql|bq)\Z"
)
_SHELLS_OF_APPS = frozenset({"manage.py", "django-admin", "artisan", "rails", "tinker"})  # they run code they are given
_PRINTS_CODE = re.compile(
    r"\bos\.environ\b(?!\[|\.)|\bprocess\.env\b(?![.\[\w])|\bENV\.to_h\b|\bgetenv\(\)|\bFernet\.generate_key\(|\bsecrets\.(?:token_|choice|SystemRandom)|\brandomBytes\(|\bSecureRandom\b|\bget_password\(|\brandom_bytes\(|\bRandom\.secure\b"
)
_RUNS_CODE = re.compile(r"(?:python[\d.]*|py|node|nodejs|deno|bun|ruby|perl|php|pwsh|powershell)\Z")
# Code that opens a settings file, and programs that show one in other signs.
_READS_SETTINGS = re.compile(
    r"(?i)(?:open|read\w{0,20}|slurp|file_get_contents|get-content)\b[^\n]{0,80}\.env\b(?!\.(?:example|sample))|\.env['\"][^\n]{0,40}\.read"
)
_ENCODES = frozenset({"base64", "base32", "xxd", "od", "hexdump", "hd", "gzip", "uuencode"})
_COPIES = frozenset({"cp", "mv", "ln", "install"})
_LISTS_NAMES = frozenset({"git", "kubectl", "oc", "k", "k3s", "minikube", "microk8s"})  # "get secret" shows no value
_KEY = re.compile(r"[A-Z][A-Z0-9_]*_KEY\Z")
_NO_KEY = re.compile(r"(?:\w*_)?(?:CACHE|FOREIGN|PARTITION|PRIMARY|PUBLIC|SORT)_KEY\Z")
_DIRECTORIES = frozenset({"PWD", "OLDPWD"})
_SEARCHES = frozenset({"grep", "rg", "sed", "awk", "jq", "yq", "cut"})  # their first word may be what is looked for
_REPEATS = frozenset({"echo", "printf", "print", "write-host", "write-output"})
_TOOL = re.compile(
    r"mcp__\w*(?:1password|onepassword|bitwarden|keepass|keychain|lastpass|dashlane|vault|secret|credential|infisical|doppler)\w*"
    r"__\w*(?:get|read|show|fetch|reveal|lookup|access|retrieve|item|secret|password|totp)\w*\Z",
    re.I,
)


def tool_shows(tool: str, path: str) -> bool:
    """Whether what a tool brings in is a secret: a password manager's own, or a file that holds one."""
    return bool(_TOOL.match(tool)) or (tool in ("Read", "NotebookRead") and is_secret_file(path))


def is_secret_file(path: str) -> bool:
    """Whether a file holds nothing but a secret."""
    return bool(_SECRET_FILE.search(path.replace("\\", "/")))


@lru_cache(maxsize=1024)
def secret_output(command: str, known: frozenset[str] = frozenset()) -> SecretOutput:
    """What the output of a command is; `known` are files that hold secrets since an earlier one."""
    shows: Shows = ""
    variables: set[str] = set()
    written: set[str] = set()
    for one in commands_in(command):
        if one.program in _COPIES and any(is_secret_file(word) or word in known | written for word in one.words[1:-1]):
            written.add(one.words[-1])
        found = _shows(one, variables, known | written)
        if not found:
            continue
        variables |= {one.into} - {""}
        written |= set(one.writes) - {"/dev/null"}
        if one.is_shown:
            shows = "secret" if "secret" in (found, shows) else found
    return SecretOutput(shows, frozenset(written))


def _shows(command: ShellCommand, variables: Collection[str], known: Collection[str]) -> Shows:
    """What one command prints, wherever that goes."""
    program, words, given = command.program, command.words, " ".join((*command.words[1:], command.fed))
    if "--help" in words or "--version" in words:
        return ""
    if program in _REPEATS or words[0].startswith("$env:") or (program == "cat" and command.fed):
        return "secret" if _names_secret(" ".join((*words, command.fed)), variables) else ""
    if program in ("printenv", "getenv") and len(words) > 1:
        return "secret" if any(_is_secret_name(word) or word in variables for word in words[1:]) else ""
    if _RUNS_CODE.match(program) or program in _SHELLS_OF_APPS:
        told = _PRINTS_CODE.search(given) or _names_secret(given, variables)
        if not told and _READS_SETTINGS.search(given):
            return "settings"
        return "secret" if told else _of_script(words[1:]) or _of_rows(program, words)
    if _DATABASES.match(program) and _selects_secret(given):
        return "secret"
    if program == "base64" and not {"-d", "--decode", "-D"}.isdisjoint(words):
        return "secret"
    if {"/dev/urandom", "/dev/random"} & {*words, *(word.removeprefix("if=") for word in words)}:
        return "secret"
    if program in _ENCODES and any(map(is_env_file, words[1:])):
        return "secret"
    if (READERS.fullmatch(program) and program != "printenv") or program in (
        "jq",
        "yq",
        "base64",
        "xxd",
        "od",
        "tac",
        "sed",
        "awk",
    ):
        named = [word for word in words[1:] if program not in _SEARCHES or "/" in word or "." in word]
        if any(is_secret_file(word) or word in known for word in named):
            return "secret"
        return "settings" if any(map(is_env_file, words[1:])) else ""
    return _of_rows(program, words)


def _of_script(words: tuple[str, ...]) -> Shows:
    """What a script prints that is run by its interpreter: `php artisan key:generate`."""
    return _of_rows(words[0].rsplit("/", 1)[-1], words) if words else ""


def _of_rows(program: str, words: tuple[str, ...]) -> Shows:
    table = rows()
    found = table.get(program) or next(
        (of for name, of in table.items() if "*" in name != "*" and fnmatchcase(program, name)), ()
    )
    lowered = [word.lower() for word in words[1:]]
    of_any = () if program in _LISTS_NAMES else table["*"]
    return next((row.shows for row in (*found, *of_any) if _fits(row, lowered)), "")


def _fits(row: PrintingCommand, words: list[str]) -> bool:
    if not row.without.isdisjoint(words):
        return False
    if row.words == ("/any",):
        return True
    if row.words == ("/noargs",):
        return not words
    at = 0
    for wanted in row.words:
        choices = wanted.split("|")
        place = next((n for n in range(at, len(words)) if any(_is_word(words[n], one) for one in choices)), -1)
        if place < 0:
            return False
        at = place + 1
    return True


def _is_word(word: str, wanted: str) -> bool:
    """Whether a word is one of the table's, or, for `/secret`, is called like one."""
    return bool(SECRET_NAME.search(word)) if wanted == "/secret" else fnmatchcase(word, wanted)


def _selects_secret(given: str) -> bool:
    """Whether a query asks for a column that is called like a secret."""
    columns = (column.split(" as ")[0].split() for query in _SQL.findall(given) for column in query.lower().split(","))
    return any(words and SECRET_NAME.search(words[-1].strip("\"'`")) for words in columns)


def _names_secret(text: str, variables: Collection[str]) -> bool:
    """Whether a text has the value of a variable in it that is called like a secret, or holds one."""
    names = _VARIABLE.findall(text)
    return any(name in variables or (_is_secret_name(name) and name not in _DIRECTORIES) for name in names)


def _is_secret_name(name: str) -> bool:
    """Whether a variable is called like a secret; as one of the environment any key but those of data is."""
    return bool(SECRET_NAME.search(name) or (_KEY.match(name) and not _NO_KEY.match(name)))


@lru_cache(maxsize=1)
def rows() -> dict[str, tuple[PrintingCommand, ...]]:
    """The table by program."""
    table: dict[str, tuple[PrintingCommand, ...]] = {}
    for line in files(__package__).joinpath("commands.txt").read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            wanted, _, unless = line.partition(" !")
            programs, *words = wanted.split()
            shows: Shows = "settings" if "/dotenv" in words else "secret"
            row = PrintingCommand(tuple(word for word in words if word != "/dotenv"), frozenset(unless.split()), shows)
            for program in programs.split(","):
                table[program] = (*table.get(program, ()), row)
    return table
