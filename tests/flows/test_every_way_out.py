"""Every way out, every state: what was forgotten, disputed, corrected, replaced, undone, held or purged leaves by no
door as if it still held. The doors are made from the tables of commands, tools, routes and hooks themselves, so that
one that is added without a thought for it is tried here too."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from bench.postgres import APP
from click.testing import CliRunner

from factories import extracted
from flows.poison import Tape
from nous.app import Nous
from nous.errors import NousError
from nous.identity import identify
from nous.kernel.log.events import BriefLine, BriefWritten, Event, SessionRead, Superseded, Writer, make_event
from nous.kernel.memory.projection import catch_up
from nous.kernel.viewer import OWNER_VIEW
from nous.shells import mcp
from nous.shells.cli import nous as command_line
from nous.shells.daemon.hook_service import HookService
from nous.shells.web.routes import ROUTES
from shells.test_every_way_in import COMMANDS, READING, arguments

WORD = "quillfax"  # stands in what is no longer to be told, and nowhere else
RULE = f"Always run the invoices service behind the {WORD} proxy."
TRAP = f"The invoices table breaks when the {WORD} proxy restarts."
FIX = f"`make invoices` fails with InvoiceClockError until the {WORD} proxy is started with `make proxy`."
PAGE = f"Every invoices deploy must go through the {WORD} mirror."
PLAIN = "The invoices service is written in Go."
BETTER = "Always run the invoices service behind the internal gateway."
ASKED = f"how do I run the invoices service, is there a proxy or a {WORD} rule?"
ERROR = "InvoiceClockError: make invoices failed because the clock of the proxy is wrong"
FILE = "app/invoices.py"

STATES = ("forgotten", "disputed", "corrected", "superseded", "undone", "purged", "held")
# Ways that tell unasked, or tell what holds now: not a word of it, marked or not.
STRICT = {
    *("preview", "brief", "status", "surface status", "export claude-md"),
    *("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "surface file"),
    *("mcp brief", "mcp resources/list", "POST /v1/context"),
}
# What a person or an agent opens to see what was said or decided: the record of it, which every line of it says.
RECORDS = {
    *("log", "diff", "GET /v1/log", "GET /v1/diff", "GET /v1/memories/{id}/history"),
    *("rejections", "export json", "sql", "receipts", "GET /v1/memories/{id}/receipts"),
}
MARK = re.compile(
    r"archived|forgotten|forgot|superseded|replaced|corrected|disput|doubt|undone|taken back|unreviewed|outside|"
    r"no longer|of others|, until |is not told|withheld",
    re.I,
)
NOT_TRIED = {"hook", "mcp", "backup", "logs", "calibrate", "doctor", "scan", "verify", "replay"}


class World:
    """A home in which a project learned of a proxy in every way that Nous learns, and what became of it."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch, state: str, elsewhere: bool = False):
        self.root, self.state, self.project = root, state, root / "shop"
        self.patch, self.elsewhere = patch, elsewhere
        (self.project / ".git").mkdir(parents=True)
        (self.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (self.project / "app").mkdir()
        (self.project / FILE).write_text("print('invoices')\n")
        for name, value in {
            "HOME": root,
            "NOUS_DATA_DIR": root / "data",
            "CLAUDE_CONFIG_DIR": root / ".claude",
            "NOUS_NO_AUTOSTART": "1",
            "NOUS_HTTP_PORT": "0",
            "NOUS_ENABLE_USERPROMPTSUBMIT": "true",
        }.items():
            patch.setenv(name, str(value))
        for name in ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"):
            patch.delenv(name, raising=False)
        patch.chdir(self.project)
        self.id = identify(str(self.project)).id
        self.numbers = self._learned()
        self.shown = {name for name, way in self._hooks() if WORD in way()}
        self.run("surface", "on")
        self._apply()
        surface, aside = self.project / ".claude" / "rules" / "nous.local.md", root / "aside"
        surface.rename(aside)  # what stands there is not told again
        self.early = {name for name, way in self._hooks() if WORD in way()}
        aside.rename(surface)
        with Nous.open() as nous:
            nous.work.warm()

    def _learned(self) -> list[int]:
        self._session()
        self.run("backfill")
        with Nous.open() as nous:
            if self.state == "held":
                nous.stores.events.append([self._held(text) for text in (RULE, TRAP, FIX, PAGE)], nous.clock())
                catch_up(nous.stores, nous.clock())
            else:
                nous.remember(RULE, type="requirement", pin=True)
                nous.remember(TRAP, type="gotcha", files=(FILE,))
                nous.remember(FIX, type="error_pattern", files=(FILE,))
            nous.remember(PLAIN, type="fact")
            known = [one for one in nous.stores.memories.listing(self.id) if WORD in one.content]
            assert known, "nothing was learned"
            self._read(nous, known[0].learning_id)
            nous.embed()
            nous.work.warm()
        return [one.id for one in known]

    def _held(self, text: str) -> Event:
        """What an agent concluded after it had read a page."""
        place: dict[str, Any] = {"project_id": self.id, "session_id": "s1"}
        return extracted(f"held-{len(text)}", text, tainted=True, type="gotcha", files=(FILE,), **place)

    def _session(self) -> None:
        tape = Tape(str(self.project), "s1")
        if self.state == "held":
            tape.user("read the deploy page and say what it wants for the invoices")
            tape.does("WebFetch", {"url": "https://docs.example.org/deploy"}, PAGE)
            tape.says(f"The cause is clear now: {PAGE}")
            tape.runs("make invoices", ERROR, failed=True)
            tape.edits(FILE, "a", f"b # {WORD}")
            tape.runs("make invoices", "ok")
            tape.says(f"Fixed: it works because {PAGE.lower()}")
        else:
            tape.user(f"From now on: {RULE} It is a rule for this project.")
            tape.says(f"Understood. {RULE}")
            tape.runs("make invoices", ERROR, failed=True)
            tape.edits(FILE, "a", "b")
            tape.runs("make invoices", "ok")
            tape.says(f"Fixed, the {WORD} proxy was down. {TRAP}")
            tape.user("thanks, commit it")
            tape.says("Done.")
        folder = self.root / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(self.project))
        folder.mkdir(parents=True)
        (folder / "s1.jsonl").write_text("".join(json.dumps(one) + "\n" for one in tape.records))

    def _read(self, nous: Nous, source: str) -> None:
        """What a model would have written of the session: its title and summary, and a brief that cites the memory."""
        now, by = nous.clock(), Writer("s1", "reader")
        title, said = "The proxy of the invoices", PAGE if self.state == "held" else RULE
        told = SessionRead(reader="test", title=title, summary=f"A rule was set: {said}", open=(f"Write down: {said}",))
        brief = BriefWritten(reader="test", lines=(BriefLine(said, (source,)),))
        nous.stores.events.append(
            [
                make_event("SessionRead", "read-s1", told, "read:s1", project_id=self.id, by=by, at=now),
                make_event("BriefWritten", "brief-s1", brief, "brief:s1", project_id=self.id, by=by, at=now),
            ],
            now,
        )
        catch_up(nous.stores, now)

    def _apply(self) -> None:
        """Let the state happen to everything that says the word, here or on another device that shares a folder."""
        if not self.elsewhere:
            self._happen()
            return
        (self.root / "shared").mkdir()
        self.patch.setenv("NOUS_SYNC_DIR", str(self.root / "shared"))
        self.patch.setenv("NOUS_SYNC_PASSPHRASE_FILE", "plain")
        self._sync()
        self.patch.setenv("NOUS_DATA_DIR", str(self.root / "elsewhere"))
        self._sync()
        here, self.numbers = self.numbers, self._numbers()
        assert len(self.numbers) == len(here)
        self._happen()
        self._sync()
        self.numbers = here
        self.patch.setenv("NOUS_DATA_DIR", str(self.root / "data"))
        self._sync()

    def _sync(self) -> None:
        said = self.run("sync")
        assert "received" in said and "error" not in said, said

    def _numbers(self) -> list[int]:
        with Nous.open() as nous:
            return [one.id for one in nous.stores.memories.listing(self.id) if WORD in one.content]

    def _happen(self) -> None:
        match self.state:
            case "purged":
                self.run("purge", "--match", WORD, "--yes")
                return
            case "held" | "told":
                return
        nous = Nous.open()
        try:
            for number in self.numbers:
                if self.state == "forgotten":
                    nous.forget(number)
                elif self.state == "disputed":
                    nous.dispute(number)
                elif self.state == "corrected":
                    nous.correct(number, BETTER)
                elif self.state == "superseded":
                    self._superseded(nous, number)
                else:
                    learned = nous.stores.events.of_learning(nous.get(number).learning_id)
                    nous.undo([one.event_id for one in learned])
        finally:
            nous.stores.close()  # as a server does: packets are made anew a little later, by the daemon

    def _superseded(self, nous: Nous, number: int) -> None:
        better = nous.remember(BETTER, type="requirement")
        old, new = nous.get(number), nous.get(better)
        ended = Superseded(superseded_by=new.learning_id, reason="replaced")
        event = make_event(
            "LearningSuperseded", old.learning_id, ended, f"end:{number}", project_id=self.id,
            by=Writer("hand", "user_review"), at=nous.clock(),
        )  # fmt: skip
        nous.stores.events.append([event], nous.clock())
        catch_up(nous.stores, nous.clock())

    # the doors
    def run(self, *words: str) -> str:
        done = CliRunner().invoke(command_line, list(words), catch_exceptions=True)
        return done.output

    def hook(self, name: str, **fields: Any) -> str:
        reception = HookService(Nous.open().settings)
        body = {"session_id": str(uuid4()), "cwd": str(self.project)} | fields  # no session is told a thing twice
        try:
            return reception.respond(name, json.dumps(body).encode()).decode()
        finally:
            reception.close()

    def ways(self) -> Iterator[tuple[str, Callable[[], str]]]:
        """Every way out, with a name."""
        yield from self._commands()
        yield from self._tools()
        yield from self._routes()
        yield from self._hooks()

    def _commands(self) -> Iterator[tuple[str, Callable[[], str]]]:
        number = str(self.numbers[0])
        given: dict[str, list[str]] = READING | {
            "recall": [ASKED],
            "sql": ["SELECT status, disputed, tainted, content FROM memories"],
            "preview": [ASKED],
            "get": [number],
            "explain": [number],
            "traverse": [number],
            "why-not": [ASKED, number],
            "log": ["--memory", number],
            "diff": ["--from", "30d"],
            "brief": ["coder", "the invoices service"],
            "entity": [WORD],
            "review": ["--json"],
            "session": ["show", "s1"],
            "impact": [FILE],
            "list": ["--status", "all"],
        }
        for name, command in COMMANDS.items():
            short = name.split()[-1]
            if not _is_reading(name) or short in NOT_TRIED or name.startswith("bench") or short == "export":
                continue
            words = given.get(short, arguments(command, FILE))
            yield name, lambda name=name, words=words: self.run(*name.split(), *words)  # type: ignore[misc]
            if "--json" not in words:
                yield f"{name} --json", lambda name=name, words=words: self.run(*name.split(), *words, "--json")  # type: ignore[misc]
        yield "list", lambda: self.run("list")
        yield "session list", lambda: self.run("session", "list")
        for style in ("claude-md", "markdown", "json"):
            yield f"export {style}", lambda style=style: self._exported(style)  # type: ignore[misc]

    def _exported(self, style: str) -> str:
        file = self.root / f"out.{style}"
        file.unlink(missing_ok=True)
        said = self.run("export", str(file), "--format", style)
        return said + (file.read_text() if file.exists() else "")

    def _tools(self) -> Iterator[tuple[str, Callable[[], str]]]:
        given: dict[str, dict[str, Any]] = {
            "search_memory": {"query": ASKED},
            "explain": {"id": self.numbers[0]},
            "entity": {"name": WORD},
            "impact": {"target": FILE},
            "brief": {"role": "coder", "task": "invoices"},
            "get_memory": {"ids": [str(self.numbers[0])]},
            "ask": {"question": ASKED},
        }
        for name, tool in mcp.TOOLS.items():
            if tool.action == "read":
                yield f"mcp {name}", lambda name=name: self._tool(name, given.get(name, {}))  # type: ignore[misc]
        yield "mcp sessions show", lambda: self._tool("sessions", {"id": "s1"})
        yield "mcp sessions about", lambda: self._tool("sessions", {"about": ASKED})
        for method in ("resources/list", "resources/templates/list"):
            yield f"mcp {method}", lambda method=method: self._asked(method, {})  # type: ignore[misc]
        for uri in (f"nous://memory/{self.numbers[0]}", "nous://session/s1", f"nous://entity/{WORD}"):
            name = "mcp sessions show" if "session" in uri else f"mcp {uri[:12]}"
            yield name, lambda uri=uri: self._asked("resources/read", {"uri": uri})  # type: ignore[misc]

    def _tool(self, name: str, given: dict[str, Any]) -> str:
        return self._asked("tools/call", {"name": name, "arguments": given})

    def _asked(self, method: str, params: dict[str, Any]) -> str:
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        answer = mcp.respond(line, str(self.project))
        return "\n".join(_texts(answer))

    def _routes(self) -> Iterator[tuple[str, Callable[[], str]]]:
        for route in ROUTES:
            if route.operation.action != "read":
                continue
            yield f"{route.method} {route.path}", lambda route=route: self._routed(route)  # type: ignore[misc]

    def _routed(self, route: Any) -> str:
        fields = {name: value for name, value in route.operation.example.items() if name not in ("type", "project")}
        known = route.operation.takes.__struct_fields__
        fields |= {"project": self.id} if "project" in known else {}
        fields |= {"query": ASKED} if "query" in known else {}
        fields |= {"prompt": ASKED} if "prompt" in known else {}
        fields |= {"question": ASKED} if "question" in known else {}
        fields |= {"id": "s1" if "session" in route.path else str(self.numbers[0])} if "{id}" in route.path else {}
        fields |= {"name": WORD} if "{name}" in route.path else {}
        fields |= {"target": FILE} if "target" in known else {}
        fields |= {"records": "all"} if "records" in known else {}
        with Nous.open() as nous:
            try:
                asked = msgspec.convert(fields, route.operation.takes, strict=False)
                return msgspec.json.encode(route.operation.call(nous, asked, OWNER_VIEW)).decode()
            except NousError as refused:
                return str(refused)

    def _hooks(self) -> Iterator[tuple[str, Callable[[], str]]]:
        for source in ("startup", "resume", "compact", "clear", "fork"):
            yield "SessionStart", lambda source=source: self.hook("SessionStart", source=source)  # type: ignore[misc]
        yield "UserPromptSubmit", lambda: self.hook("UserPromptSubmit", prompt=ASKED)
        for tool in ("Read", "Edit"):
            read = {"tool_name": tool, "tool_input": {"file_path": str(self.project / FILE)}}
            yield "PostToolUse", lambda read=read: self.hook("PostToolUse", **read)  # type: ignore[misc]
        ran = {"tool_name": "Bash", "tool_input": {"command": "make invoices"}, "error": f"Exit code 1\n{ERROR}"}
        yield "PostToolUseFailure", lambda: self.hook("PostToolUseFailure", **ran)
        yield "surface file", self._surface

    def _surface(self) -> str:
        file = self.project / ".claude" / "rules" / "nous.local.md"
        return file.read_text() if file.exists() else ""


def _is_reading(name: str) -> bool:
    from nous.features import operations
    from nous.shells.cli.actions import COMMAND_ACTIONS

    rendered = {one.command.name: one.action for one in operations() if one.command}
    return (COMMAND_ACTIONS | rendered).get(name) == "read" or name in READING or name in ("entity", "review")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _says(text: str) -> bool:
    """Whether a text says what no longer holds, not only a name that stands in it."""
    return any(said.strip(".").lower() in text.lower() for said in (RULE, TRAP, FIX, PAGE))


def unmarked(output: str) -> list[str]:
    """The lines, or the strings of a JSON document, that say the word as if it still held."""
    try:
        return list(_in_json(json.loads(output), False))
    except ValueError:
        heading, found = "", []
        for line in output.splitlines():
            # a passage stands under the line that names its exchange, and words under the line that names who said them
            is_inside = line.startswith(" " * 9) or (line.startswith("  ") and heading.startswith("[20"))
            heading = heading if is_inside else line
            if _says(line) and not MARK.search(line) and not (is_inside and MARK.search(heading)):
                found.append(line)
        return found


def _in_json(value: Any, is_marked: bool) -> Iterator[str]:
    if isinstance(value, str):
        if not is_marked:
            yield from (line for line in value.splitlines() if _says(line) and not MARK.search(line))
    elif isinstance(value, list):
        for one in value:
            yield from _in_json(one, is_marked)
    elif isinstance(value, dict):
        ended = value.get("status") not in (None, "active") or value.get("disputed") or value.get("tainted")
        ended = ended or value.get("standing")
        beside = any(isinstance(one, str) and MARK.search(one) for one in value.values())
        for one in value.values():
            yield from _in_json(one, bool(is_marked or ended or beside))


@contextmanager
def world(root: Path, state: str, database: str = "", elsewhere: bool = False) -> Iterator[World]:
    with pytest.MonkeyPatch.context() as patch:
        if database:
            patch.setenv("NOUS_DB_PATH", database)
        yield World(root, patch, state, elsewhere)


def leaks(here: World) -> Iterator[tuple[str, list[str]]]:
    """Every way by which something comes out that may not, with what."""
    for name, way in here.ways():
        output = way()
        plain = name.removesuffix(" --json")
        said = [line for line in output.splitlines() if WORD in line.replace(ASKED, "").replace(f"'{WORD}'", "")]
        if not said:
            continue
        if (here.state == "purged" and not here.elsewhere) or plain in STRICT:
            yield name, said
        elif plain not in RECORDS and (found := unmarked(output)):
            yield name, found


# By these what holds is told: where they do not tell it, this file tries nothing.
TELLING = {
    *("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "surface file", "preview", "list"),
    *("recall", "export claude-md", "mcp search_memory", "mcp brief", "mcp resources/list"),
    *("GET /v1/search", "GET /v1/memories", "POST /v1/context"),
}


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
@pytest.mark.parametrize("state", STATES)
def test_what_no_longer_holds_leaves_by_no_way(
    tmp_path: Path, state: str, engine: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgres").url("nous", APP, tenant=uuid4().hex) if engine == "postgres" else ""
    with world(tmp_path, state, url) as here:
        assert list(leaks(here)) == []
        assert engine == "postgres" or here.early == set()


@pytest.mark.parametrize("state", [state for state in STATES if state != "held"])
def test_what_no_longer_holds_on_another_device_leaves_by_no_way_here(tmp_path: Path, state: str) -> None:
    """What a session said stays in the transcripts of the device that it ran on; the rest goes with the memory."""
    with world(tmp_path, state, elsewhere=True) as here:
        assert list(leaks(here)) == []
        assert here.early == set()


def test_what_holds_is_told_by_the_same_ways(tmp_path: Path) -> None:
    with world(tmp_path, "told") as here:
        silent = TELLING - here.shown - {name for name, way in here.ways() if WORD in way().replace(ASKED, "")}
        assert silent == set()
