"""What a tool brought in, and how far from the user it was written (docs/decisions/0060).

Three distances. `far`: somebody else wrote it and nobody here looked at it (the web, MCP servers, packages, downloads,
a subagent that may have read such). `near`: it lies in or came through the repository, but anybody may have written it
(documents, history, registries, logs, data). `here`: the code that is worked on and what its commands print.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from nous.language.likeness import STOP_WORDS, stem
from nous.language.lowered import Lowered
from nous.language.shell import ShellCommand, commands_in

Distance = Literal["far", "near", "here"]


class Provenance(NamedTuple):
    """How far away a text was written, and what it is, for the person who reviews what was made of it."""

    distance: Distance
    why: str


HERE = Provenance("here", "what a command or a file of the project says")
WEB = Provenance("far", "a web page")
SERVER = Provenance("far", "an MCP server or a tool that is not the client's own")
PACKAGE = Provenance("far", "code of others: a package, a vendored or a downloaded file")
ERRAND = Provenance("near", "what the agent was sent for, in words that anybody may have put there")
REPORT = Provenance("far", "a subagent that may have read text from outside")
DOCUMENT = Provenance("near", "a document, which anybody may have written")
HISTORY = Provenance("near", "the history of the repository or its remote")
DATA = Provenance("near", "a log, a database or a registry")
STRANGER = Provenance("near", "what a program printed that is neither of this project nor well known")
MEMORY = Provenance("near", "a memory that was looked up")
HELD = Provenance("far", "a memory or an earlier session that text from outside went into")
IMITATION = Provenance("far", "text that imitates the client's own notes")
COMMENT = Provenance("near", "a comment in code, which anybody may have written")
MESSAGE = Provenance("near", "a message that a program printed")
CHANNEL = Provenance("far", "a message that nobody typed here")
PASTE = Provenance("near", "text of others that was pasted into a prompt")
CLIENT = Provenance("near", "text that the client or a hook put in")

# The client's own tools that read nothing but what is here, or nothing at all.
_OWN_TOOLS = frozenset(
    """
    Bash PowerShell BashOutput KillShell KillBash Read Edit Write MultiEdit NotebookEdit NotebookRead Glob Grep LS
    TodoWrite TodoRead Task Agent TaskCreate TaskUpdate TaskList TaskGet TaskOutput TaskStop ExitPlanMode
    EnterPlanMode AskUserQuestion Skill SlashCommand ToolSearch LSP EnterWorktree ExitWorktree SendMessage
    Monitor CronCreate CronDelete CronList StructuredOutput read_lints
    """.split()  # noqa: SIM905
)
SHELLS = frozenset({"Bash", "PowerShell"})
PRINTING = SHELLS | {"Grep", "Glob", "LS"}
# Tools of the client that bring in no text but its own and the user's.
_BRINGS_NOTHING = frozenset({"AskUserQuestion", "ExitPlanMode", "EnterPlanMode", "TodoWrite"})
# Agents of the client's own that are sent to read the code, and words by which one was sent, or went, elsewhere.
_CODE_READERS = frozenset({"Explore", "Plan"})
_ELSEWHERE = re.compile(r"https?:|\b(?:the web|web ?(?:fetch|search|page|site)\w*|online|internet|browse|curl)\b", re.I)
_SEARCHES = re.compile(r"\b(?:rg|ag|ack|[ef]?grep)\b")
_SENTENCE_NAME = re.compile(r"(?<![^\W_])[^\W_]+(?:[,;:.]?[-_][^\W_]+){6}")
_READS_ONLY_HERE = frozenset({"Read", "Grep", "Glob", "LS", "NotebookRead", "TodoWrite", "ToolSearch", "LSP"})
_OWN_MEMORY = re.compile(r"mcp__(?:plugin_)?nous_?\w*__")
# How Nous's own answers mark what came from outside; it stays outside when it comes back in a transcript.
_HELD_MARK = re.compile(
    r"\btext from outside\b|\bunreviewed outside text\b|\btext of others was read\b|\"tainted\": ?true"
)
_WEB_TOOL = re.compile(r"(?:web_?(?:fetch|search)|fetch|browser\w*)$", re.I)

_VENDORED = re.compile(
    r"(?:^|/)(?:node_modules|bower_components|site-packages|dist-packages|vendor|vendored|third[_-]party|external|\.venv|venv"
    r"|\.cargo/registry|go/pkg/mod|\.m2|\.gradle|\.nuget|Pods|Downloads)(?:/|$)|^/(?:var/)?tmp/|^/usr/|^/opt/"
)
_GENERATED = re.compile(
    r"(?:^|/)(?:dist|build|out|target|coverage|\.next|htmlcov|__snapshots__)/|\.(?:min\.js|lock|map)$"
)
_DOCUMENT = re.compile(
    r"(?:^|/)(?:README|CHANGELOG|CHANGES|HISTORY|CONTRIBUTING|LICEN[CS]E|NOTICE|SECURITY|AUTHORS|TODO|CLAUDE|AGENTS|GEMINI)"
    r"[\w.-]*$|\.(?:md|mdx|rst|txt|adoc|org|html?|pdf|docx?|odt|rtf|eml|mbox|msg|csv|tsv|xml|log|out|po|ipynb|srt|vtt|patch|diff"
    r"|cursorrules)$|(?:^|/)(?:docs?|documentation|wiki|tool-results)/",
    re.I,
)
_LOCAL_HOST = re.compile(
    r"(?:https?://)?(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|host\.docker\.internal|(?<![\w.-])[\w.-]{1,200}\.local)\b"
)
_CODE_FETCHES = re.compile(
    r"\b(?:requests|httpx|urllib3?|aiohttp)\b|\burlopen\b|\bfetch\(|\baxios\b|\bhttps?\.(?:get|request)\b|Invoke-WebRequest"
    r"|-m (?:httpie|http\.client|urllib|requests|wget|yt_dlp|youtube_dl)\b"
    r"|\bNet::HTTP\b|\bLWP\b|\bsocket\.create_connection\b|\bfile_get_contents\(['\"]https?:"
)
_ASKS_REGISTRY = re.compile(
    r"^openssl\s+s_client\b|^az\s+(?:boards|repos|devops)\b|"
    r"^(?:npm|pnpm|yarn|bun)\s+(?:view|info|show|search|v|docs|repo|home|bugs)\b"
    r"|^(?:pip3?|uv pip)\s+(?:index|search|download|show)\b"
    r"|^(?:cargo|gem|brew|apt(?:-cache)?|apk|dnf|conda|choco|winget)\s+(?:search|info|show|view)\b|^go\s+(?:list\s+-m|doc)\b"
    r"|^docker\s+(?:search|inspect)\b"
)
_DATA_COMMAND = re.compile(
    r"^(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|cargo|gem|bundle|go|brew|apt(?:-get)?|apk|dnf|conda|composer|mvn|gradle)\s+"
    r"(?:\S+\s+)?(?:install|add|i|ci|update|upgrade|sync|get|outdated|audit|fund|require)\b|^(?:npx|bunx|uvx|pipx)\b"
    r"|^(?:psql|mysql|mariadb|sqlite3|redis-cli|mongo\w*|duckdb|bq)\b|^(?:kubectl|docker|docker-compose|podman|heroku|fly)\b.*\blogs?\b"
    r"|^(?:journalctl|dmesg|docker\s+(?:pull|build|run))\b|^(?:aws|gcloud|az|rsync|dig|nslookup)\b"
)
_SOCKET = re.compile(r"/dev/(?:tcp|udp)/")
_GIT_SENDS = frozenset({"remote", "push"})
_CUT = re.compile(r"\[… \d+ characters left out …\]")
# Of `gh` and `glab`: what concerns the user's own repository and repeats nobody's titles, bodies or comments.
_OWN_FORGE = re.compile(
    r"(?:gh|glab)\s+(?:(?:pr|mr)\s+(?:create|checks|merge|ready|close|reopen|edit|update)|issue\s+(?:create|close|reopen|edit)"
    r"|run\s+(?:view|watch|rerun|cancel|list)|ci\s+(?:status|trace|list)|workflow\s+\w+|auth|label|secret|variable|release\s+create"
    r"|(?:pr|issue|repo|release)\s+(?:view|list|status)\b(?=.*\s--json[ =](?P<fields>[\w,]+)))\b"
)
_FORGE_NAMES = frozenset(
    """
    number url state isDraft mergeable mergeStateStatus statusCheckRollup reviewDecision createdAt updatedAt closedAt
    mergedAt mergeCommit id conclusion status databaseId headSha headRefOid baseRefName additions deletions changedFiles
    defaultBranchRef visibility isPrivate
    """.split()  # noqa: SIM905
)
_OTHER_REPOSITORY = re.compile(r"\s(?:-R|--repo|--hostname|--comments|--web)\b")
_ADDRESSED = re.compile(r"(?:https?|wss?|ftp|s3|gs)://[^\s\"'<>]{1,300}")
_PROGRAM = re.compile(r"[A-Za-z][\w+-]{0,40}")
_FOREIGN_REF = re.compile(r"--remote\b|://|git@|\bFETCH_HEAD\b|\bupstream/|\brefs/(?:pull|merge-requests)/|\bpull/\d+")
_ABOUT_ITSELF = re.compile(r"\S+(?: [\w-]{1,20}){0,2} (?:--help|--version|-h|-V|help|version)")
_LOGS_IN = frozenset({"ssh", "scp", "sftp", "mosh"})  # what is local to them is not local here
_NAMES_NOTHING = frozenset({"cd", "mkdir", "rm", "touch", "echo"})
_GIT = re.compile(r"^git\s+(?:-\S+\s+(?:\S+\s+)?)*?(?P<does>[a-z-]+)")
_GIT_BRINGS = frozenset({"clone", "submodule", "subtree", "am", "apply", "bundle"})
_GIT_TELLS = frozenset(
    """
    log show blame shortlog reflog tag branch notes whatchanged range-diff cherry describe stash fetch pull push
    archive remote ls-remote merge rebase checkout switch diff format-patch grep status rev-list for-each-ref cat-file
    """.split()  # noqa: SIM905
)
_PATHS = re.compile(r"(?<![\w@~./-])[./]*[\w@~-][\w@~./-]*")


def provenance_of(
    tool: str, given: Mapping[str, Any], cwd: str = "", text: str = "", fetched: frozenset[str] = frozenset()
) -> Provenance:
    """Where the text comes from that a tool call brings in; `fetched` are files that came from outside before."""
    if _OWN_MEMORY.match(tool):
        return HELD if _HELD_MARK.search(text) else MEMORY
    if tool.startswith("mcp__"):
        return SERVER
    if _WEB_TOOL.search(tool):
        return WEB
    if tool and tool not in _OWN_TOOLS:
        return SERVER
    if tool in ("BashOutput", "TaskOutput", "Monitor"):
        return DATA  # of which command nobody can tell here
    # A machine has no orders to give, and a name is no sentence.
    orders = DATA if tool in PRINTING and (ORDERS.search(text.lower()) or _has_sentence_name(text)) else HERE
    if tool in SHELLS:
        command = str(given.get("command") or "")
        begin = _beginnings(text) if _SEARCHES.search(command) else ()
        found = [_of_path(name, cwd, fetched) for name in begin]
        strange = STRANGER if has_prose(text) and _is_strange(command) else HERE
        held = HELD if _HELD_MARK.search(text) else HERE
        return _farthest(_of_command(command, cwd, fetched), orders, *found, strange, held)
    if tool in ("Grep", "Glob", "LS"):
        named = [_of_path(name, cwd, fetched) for name in [str(given.get("path") or ""), *_beginnings(text)]]
        lists = tool != "Grep" or given.get("output_mode") in ("files_with_matches", "count")
        named = [DATA if lists and one.distance == "far" else one for one in named]  # names, and no text of these files
        return _farthest(*named, orders)
    path = given.get("file_path") or given.get("notebook_path") or given.get("path")
    return _of_path(path, cwd, fetched) if isinstance(path, str) else HERE


def _has_sentence_name(text: str) -> bool:
    return text.count("-") + text.count("_") >= 6 and bool(_SENTENCE_NAME.search(text))


_CLIENT_NOTE = r"(?:Error: )?(?:The user doesn't want to|User has answered your|\[Request interrupted by user)"
_IMITATIONS = re.compile(rf"\s*{_CLIENT_NOTE}|[^\n]{{0,300}}\[Memory #\d+:")
_IMITATED_LINE = re.compile(rf"^(?:\w{{1,20}}: )?{_CLIENT_NOTE}", re.M)


# The whole of what the client writes when the user refuses a call without a word.
_REFUSAL = re.compile(
    r"\s*The user doesn't want to (?:proceed with this tool use|take this action right now)\.[^\n]{0,40}"
    r"(?:The tool use was rejected[^\n]{0,110}\.)?"
    r" ?(?:STOP what you are doing and wait for the user to tell you how to proceed\.)?\s*"
)


def imitates(text: str) -> bool:
    """Whether a tool's result, or a line of it, begins like a note that only the client writes."""
    return bool(_IMITATIONS.match(text) or _IMITATED_LINE.search(text))


def is_clients_note(tool: str, text: str) -> bool:
    """Whether a result is the client's own: of a tool that brings in nothing else, or that a call was refused."""
    return tool in _BRINGS_NOTHING or bool(_REFUSAL.fullmatch(text))


_COMMENTED = re.compile(r"(?:^|\s)(?:#|//|/\*|\*|--|<!--|;;|%%|\"{3}|'{3}|REM\b)\s?(\S.*)$")
_LETTERS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]{2,}")
PROSE = 6  # words that make a line of output a sentence


def has_prose(text: str) -> bool:
    """Whether a line of a text is a sentence."""
    return any(len(_LETTERS.findall(line)) >= PROSE for line in text.splitlines())


_CODE_SIGNS = re.compile(r"[(){}\[\]=;]")
_CODE_END = re.compile(r"[:;,(){}\[\]]\s*$")


def is_prose(line: str) -> bool:
    """Whether a line is a comment, or a sentence rather than code with many names."""
    if _COMMENTED.search(line):
        return True
    words = _LETTERS.findall(line)
    if len(words) < PROSE or len(_CODE_SIGNS.findall(line)) > 2:
        return False
    return not _CODE_END.search(line) or sum(word.lower() in STOP_WORDS for word in words) > 2


_SHOW_FILES = frozenset("cat tac bat nl head tail less more sed grep egrep rg ag ack awk cd pwd echo".split())  # noqa: SIM905


def shows_files(command: str) -> bool:
    """Whether a command only shows what stands in files: then its prose is theirs, and no program's."""
    programs_in = {one.program for one in commands_in(command)}
    return bool(programs_in - {"cd", "pwd", "echo"}) and programs_in <= _SHOW_FILES


def apart(tool: str, text: str, command: str = "") -> tuple[str, Provenance, str]:
    """The text of code or of a command without its prose, what that prose is, and the prose."""
    is_code = tool != "Bash" or shows_files(command)
    rest: list[str] = []
    said: list[str] = []
    for line in text.splitlines():
        commented = _COMMENTED.search(line) if is_code else None
        if commented:
            said.append(commented[1])
            rest.append(line[: commented.start()])
        else:
            spoken = is_prose(line) if tool == "Read" else len(_LETTERS.findall(line)) >= PROSE
            (said if spoken else rest).append(line)
    return "\n".join(rest), COMMENT if is_code else MESSAGE, "\n".join(said)


def attachment_source(source: str, path: object, cwd: str) -> Provenance:
    """What text is that the client put in front of the model by itself."""
    if source == "channel":
        return CHANNEL
    if source == "paste":
        return PASTE
    return _farthest(DOCUMENT, _of_path(path, cwd, frozenset())) if isinstance(path, str) else CLIENT


def report(told: Mapping[str, Any], text: str = "", errand: Mapping[str, Any] | None = None) -> Provenance:
    """What a subagent's report is: text from outside, unless it is known that it only read what is here.

    `told` is what is known of it: its tools, or whether its own transcript shows text from outside. Where neither is
    known, an agent of the client's own for reading code is believed whose errand and report name nothing elsewhere.
    """
    if told.get("stayed") is True:
        return DOCUMENT
    if isinstance(tools := told.get("tools"), list | tuple):
        return DOCUMENT if set(tools) <= _READS_ONLY_HERE else REPORT
    if not errand or told.get("stayed") is False or errand.get("subagent_type") not in _CODE_READERS:
        return REPORT
    words = f"{errand.get('prompt') or ''}\n{text}"
    return REPORT if hosts(words) or _ELSEWHERE.search(words) else DOCUMENT


def fetched_by(command: str) -> frozenset[str]:
    """The files that a command may have brought in: every path that stands in a command which fetches.

    A program that only prints brings in none, unless its output is kept.
    """
    if _of_command(command, "", frozenset()).distance != "far":
        return frozenset()
    parts = commands_in(command)
    far = [one for one in parts if _of_simple(one, "", frozenset()).distance == "far"]
    if all(_PRINTS.match(one.text) for one in far) and not _KEEPS.search(command):
        return frozenset()
    moved = {word.rstrip("/") for one in parts if one.program == "cd" for word in one.words[1:]}
    words = {word.strip("\"'").rstrip("/") for word in command.split()} - moved - {one.words[0] for one in parts}
    names = {word.removesuffix(".git").rsplit("/", 1)[-1] for word in words if "/" in word or ":" in word}
    return frozenset(
        name for name in words | names if len(name) > 2 and not name.startswith("-") and name not in programs("fetch")
    )


# Programs that print what they fetch, and by which words their output ends in a file.
_PRINTS = re.compile(
    r"(?:gh|glab)\s+(?!repo\s+clone|release\s+download|run\s+download|gist\s+clone|(?:pr|mr)\s+checkout|extension)|ssh\s|curl\s"
)
_KEEPS = re.compile(
    r">|\btee\b|\s-[a-zA-Z]*[oO]\b|--output|--remote-name|\bof=|\|\s*(?:tar|unzip|cpio|bash|sh|xargs)\b"
)


def _farthest(*found: Provenance) -> Provenance:
    order = {"far": 0, "near": 1, "here": 2}
    return min(found, key=lambda one: order[one.distance], default=HERE)


def _beginnings(text: str) -> Collection[str]:
    """The files at the beginning of a search's lines."""
    return dict.fromkeys(line.split(":", 1)[0] for line in text.splitlines()[:60])


def _of_path(path: str, cwd: str, fetched: frozenset[str]) -> Provenance:
    inside = path.removeprefix(cwd.rstrip("/") + "/") if cwd else path
    if _fits(_VENDORED, inside) or _is_fetched(inside, fetched):
        return PACKAGE
    if _fits(_DOCUMENT, inside):
        return DOCUMENT
    if _fits(_GENERATED, inside):
        return DATA
    elsewhere = cwd and inside.startswith(("/", "~", "../"))
    return PACKAGE._replace(distance="near") if elsewhere else HERE


def _fits(pattern: re.Pattern[str], path: str) -> bool:
    """Whether a pattern of paths fits; what has neither folders nor an ending, only from its beginning."""
    return bool(pattern.search(path) if "/" in path or "." in path else pattern.match(path))


def _is_fetched(path: str, fetched: frozenset[str]) -> bool:
    parts = path.removeprefix("./").split("/")
    return bool(fetched) and (path in fetched or not fetched.isdisjoint(parts))


@lru_cache(maxsize=4096)
def _of_command(command: str, cwd: str, fetched: frozenset[str]) -> Provenance:
    """Where the output of a command comes from, if it prints no prose."""
    cut = DATA if _CUT.search(command) else HERE  # what stood there is not known
    return _farthest(cut, *(_of_simple(one, cwd, fetched) for one in commands_in(command)))


def _of_simple(command: ShellCommand, cwd: str, fetched: frozenset[str]) -> Provenance:
    program, words, text = command.program, command.words, command.text
    if (known := _OWN_FORGE.match(text)) and not _OTHER_REPOSITORY.search(text):
        fields = known["fields"]
        return HISTORY if not fields or set(fields.split(",")) <= _FORGE_NAMES else WEB
    if program in programs("fetch"):
        is_here = _ABOUT_ITSELF.fullmatch(text) or (_is_local(text) and program not in _LOGS_IN)
        return HERE if is_here else WEB
    if program in programs("run code") and _CODE_FETCHES.search(f"{text} {command.fed}"):
        return HERE if _is_local(f"{text} {command.fed}") else WEB
    if command.writes and _CODE_FETCHES.search(command.fed):
        return WEB  # a script that is written, and most likely run
    if _SOCKET.search(text) or (program not in programs("local") and _is_elsewhere(text)):
        return WEB
    if words[0].startswith("$") and hosts(text):
        return WEB  # which program it is, only the shell knows
    if _ASKS_REGISTRY.match(text):
        return WEB
    if program == "git":
        return _of_git(text)
    if _DATA_COMMAND.match(text):
        return DATA
    named = _PATHS.findall(" ".join(words[1:])) if program not in _NAMES_NOTHING else []
    paths = [word for word in [words[0], *named] if "/" in word or "." in word]
    return _farthest(*(_of_path(path, cwd, fetched) for path in paths))


def _of_git(text: str) -> Provenance:
    does = git["does"] if (git := _GIT.match(text)) else ""
    if does in _GIT_BRINGS or (does in _GIT_TELLS - _GIT_SENDS and _FOREIGN_REF.search(text)):
        return PACKAGE
    return HISTORY if does in _GIT_TELLS else HERE


def _is_elsewhere(text: str) -> bool:
    return any(not _LOCAL_HOST.match(url) for url in _ADDRESSED.findall(text))


def _is_local(text: str) -> bool:
    """Whether every address in a text is one of this machine, and there is one."""
    return bool(_LOCAL_HOST.search(text)) and not hosts(text)


@lru_cache(maxsize=8)
def programs(kind: str) -> frozenset[str]:
    """The programs of a kind, as `programs.toml` lists them: those that fetch, that run code, that are local tools."""
    return frozenset(str(_programs()[kind]).split())


@lru_cache(maxsize=1)
def _programs() -> dict[str, Any]:
    return tomllib.loads(files("nous.language").joinpath("programs.toml").read_text("utf-8"))


def _is_strange(command: str) -> bool:
    """Whether a command runs a program that is neither of the project nor a well-known tool."""
    return any(_is_stranger(one) for one in commands_in(command))


def _is_stranger(command: ShellCommand) -> bool:
    name = command.words[0]
    if "/" in name or "\\" in name or "." in name or "=" in name or "$" in name or not _PROGRAM.fullmatch(name):
        return False  # a path, of which its place tells; or no program at all
    known = ("local", "fetch", "run code", "data")
    return not any(command.program in programs(kind) for kind in known)


# -- what a sentence takes up ---------------------------------------------------------------------------------------

_URL = re.compile(r"https?://([\w.-]+)", re.I)
_HOST = re.compile(r"(?<![\w./@-])(?:[a-z0-9][a-z0-9-]*\.)+([a-z]{2,12})(?![\w-])", re.I)
_ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_NO_HOST = frozenset(
    """
    py js ts jsx tsx mjs cjs json md rst txt toml yaml yml cfg ini lock sh bash zsh rs go rb java kt c h cc cpp
    hpp cs php swift sql css scss html xml vue svelte ex exs erl hs ml lua pl r jl env log csv tsv proto graphql
    tf gradle sln mod sum bat ps1 cmd exe dll so zip gz tar tgz whl jar png jpg svg pdf get set run test push
    map call exports
    """.split()  # noqa: SIM905
)
_TICKED = re.compile(r"`([^`\n]{3,200})`")
_INSTALLS = re.compile(r"\b(?:install|add|i|get|require|x|exec|dlx)\b|^(?:npx|bunx|uvx|pipx)\b")
_TELLING = re.compile(
    r"()((?<![\w@])(?:--|/|\./|@)?[\w@][\w./:@=+-]{0,120}[./:@=_+-][\w./:@=+-]{0,120}\w)"
    r"|(--?[a-z][\w-]{2,})"
)
_WORD = re.compile(r"[^\W_]+")
_COMMON = frozenset(
    """
    npm npx pnpm yarn bun node pip pip3 uv poetry python python3 pytest tox nox make cargo go gradle gradlew mvn
    mvnw docker compose run test tests lint build install dev start check format fmt all ci exec vet ruff mypy
    eslint prettier tsc jest vitest phpunit rspec bundle rake mix dotnet git -q -v -x -n -m -r -f --all --fix
    --check --watch --cov --no-cov --verbose --quiet --release --workspace ./gradlew ./mvnw run-tests
    requirements.txt package.json pyproject.toml makefile dockerfile up -d -it e.g i.e etc
    """.split()  # noqa: SIM905
)


_EVERYDAY = _COMMON | frozenset(
    """
    scripts script tools tool bin src app apps packages package server client config configs settings module
    modules main index utils deploy release migrate migrations sync flags upload force install clean watch serve
    local global docker compose images image cache database schema queries query users login session sessions
    export import models model views routes service services https registry example users project projects
    source sources target targets assets static public worker workers debug trust
    """.split()  # noqa: SIM905
)


def hosts(text: str) -> set[str]:
    """The hosts that a text names, in lower case: what sends a reader elsewhere."""
    named = {name.lower().strip(".") for name in _URL.findall(text)} | set(_ADDRESS.findall(text))
    named |= {found[0].lower() for found in _HOST.finditer(text) if found[1].lower() not in _NO_HOST}
    return {name for name in named if name and not _LOCAL_HOST.match(name)}


def telling(text: str) -> set[str]:
    """Commands, flags, paths and names with marks in a text, which two texts share only when one knew the other."""
    found = {(name or flag).lower() for _, name, flag in _TELLING.findall(text.replace("`", " "))}
    for command in (" ".join(ticked.lower().split()) for ticked in _TICKED.findall(text)):
        program = command.split(" ", 1)[0].rsplit("/", 1)[-1]
        if program not in _COMMON:
            found.add(command)
        elif _INSTALLS.search(command):
            found |= set(command.split()[2:])
    return {one.strip(".:=") for one in found} - _COMMON - {""}


def names_in_commands(text: str) -> frozenset[str]:
    """The words of commands, flags and paths in a text that are no everyday words of such."""
    quoted = [*_TICKED.findall(text), *(name or flag for _, name, flag in _TELLING.findall(text))]
    return frozenset(word for word in plain(" ".join(quoted)).split() if len(word) > 4 and word not in _EVERYDAY)


def is_plain_name(name: str) -> bool:
    """Whether the name of a file or a branch names, and does not speak: names are chosen by strangers too."""
    words = re.split(r"[\W_]+", name.rsplit("/", 1)[-1])
    return len(name) <= 120 and len(words) <= 7 and not hosts(name) and bool(re.fullmatch(r"[\w@.,+#()\[\]/-]+", name))


@lru_cache(maxsize=1)
def _ordinary() -> frozenset[str]:
    return frozenset(files("nous.language").joinpath("ordinary.txt").read_text("utf-8").split())


# Of scripts without spaces, pairs that ask and join.
_EVERYDAY_PAIRS = frozenset({"已经", "时候", "里面", "出来"})
# Chinese and Japanese letters that join, point and ask: beside one of them, two letters in a row are no word.
_GRAMMAR = re.compile(
    "[的了是在有和与或及而但也都就还又很太更最不没吗呢吧啊么什哪怎谁这那个些每各其它他她你我们您请把被将让给于以为所之"
    "并且则因如若要会能可够使得着只才先然样几否\u3040-\u309f]"
)


def is_ordinary(word: str) -> bool:
    """Whether a word is one of everyday talk, or too short to name anything."""
    if not word.isascii():
        return len(word) < 2 or word in _EVERYDAY_PAIRS or (len(word) == 2 and bool(_GRAMMAR.search(word)))
    return len(word) < 4 or (word.isalpha() and (stem(word) in _ordinary() or word in _EVERYDAY))


def is_everyday(word: str) -> bool:
    """Whether a word is one of everyday talk, however short; of other scripts nobody can tell."""
    if not word.isascii():
        return True
    return word.isalpha() and (word in STOP_WORDS or word in _EVERYDAY or stem(word) in _ordinary())


def is_uncommon(stemmed: str) -> bool:
    """Whether a word without its endings is nobody's everyday word."""
    return len(stemmed) > 3 and stemmed.isascii() and stemmed not in _ordinary() and stemmed not in _EVERYDAY


@lru_cache(maxsize=4096)
def uncommon(text: str) -> frozenset[str]:
    """The words of a text that are nobody's everyday words: names, most of them."""
    words = (word for word in plain(text).split() if len(word) > 4 and word.isascii() and not word.isdigit())
    return frozenset(word for word in words if stem(word) not in _ordinary() and word not in _EVERYDAY)


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """The words of a text in a row, for looking whether one is quoted in the other."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def rows(text: str, length: int) -> list[str]:
    """Every so many words in a row of a text; in scripts without spaces, letters."""
    words = plain(text).split()
    return [f" {' '.join(words[at : at + length])} " for at in range(len(words) - length + 1)]


def is_other_script(text: str) -> bool:
    """Whether a text is mostly written in letters that an English sentence cannot repeat."""
    letters = [letter for letter in text[:2000] if letter.isalpha()]
    return bool(letters) and sum(letter > "\u024f" for letter in letters) > len(letters) // 5


ORDERS = Lowered(
    r"\b(?:always|never|from now on|must|should|shall|ought|have to|has to|needs? to|you need|requires?d?|do not|don't"
    r"|make sure|remember|ignore|immer|niemals|nie|muss|müssen|soll(?:en|te)?|toujours|jamais|doit|devez|siempre|nunca"
    r"|debe[ns]?|sempre|mai|deve|всегда|никогда|нужно|должн\w*)\b"
    r"|必须|务必|总是|始终|不要|禁止|必ず|常に|しないで|항상|반드시"
)
