"""What is asked of speed, as one table: ratios to a bare interpreter and CPU seconds, with the load beside them.

    python -m bench.speed [ROW]... [--sizes 1000,10000] [--megabytes 20] [--shared ../shared] [--out FILE]

Rows are the functions below that `ROWS` names. The history is made of the shared projects: copies of their sessions
under new names, each in a project of its own or, every third, once more in the same project a year earlier.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from bench.machine import profile
from nous.app import Nous, system_clock
from nous.app.pipeline import CHECKPOINTS
from nous.config import load_settings
from nous.features.erasure.purge import Selection
from nous.identity import identify
from nous.kernel.log.events import Event, Extracted, Writer, make_event
from nous.shells import latency
from nous.shells.daemon import control

MB = 1_000_000
PARTS = ("realtalk", "realtalk-train")
NAME = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Row = dict[str, Any]


class Asked(argparse.Namespace):
    """What the command line says."""

    rows: list[str]
    sizes: list[int]
    megabytes: int
    shared: Path
    out: Path | None


@contextmanager
def home(fill: int = 0) -> Iterator[tuple[dict[str, str], Path]]:
    """An environment of its own with a project, and so many memories in it."""
    with tempfile.TemporaryDirectory(prefix="nous-speed-", ignore_cleanup_errors=True) as folder:
        environ = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
        environ |= {"HOME": folder, "CLAUDE_CONFIG_DIR": f"{folder}/.claude", "NOUS_DATA_DIR": f"{folder}/data"}
        environ |= {"NOUS_HTTP_PORT": "0", "TMPDIR": folder}
        project = Path(folder, "code")
        (project / ".git").mkdir(parents=True)
        (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        if fill:
            latency._fill(load_settings(environ), project, fill)
        yield environ, project


def cpu(command: list[str], environ: dict[str, str], runs: int = 5, cwd: Path | None = None) -> tuple[float, float]:
    """The CPU milliseconds of a process and those that waiting for it took: the medians of some runs."""
    spent, waited = [], []
    for _ in range(runs):
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, env=environ, cwd=cwd, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        waited.append((time.perf_counter() - began) * 1000)
        spent.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
    return statistics.median(spent), statistics.median(waited)


def row(what: str, value: float | str, limit: str, **more: Any) -> Row:
    """One line of the table."""
    return {"what": what, "value": value, "limit": limit, "load": round(os.getloadavg()[0], 1)} | more


# -- hooks and commands ---------------------------------------------------------------------------------------------

HOOK_LIMITS = {"SessionStart": "1.5", "UserPromptSubmit": "2 / 2.2 / 3", "PostToolUse": "", "Stop": "1.4"}


def hooks(asked: Asked) -> Iterator[Row]:
    """Hooks as the client starts them, medians as multiples of a bare interpreter's in the same rounds."""
    for size in asked.sizes:
        found = latency.measure(40, size, tuple(HOOK_LIMITS))
        bare = found.pop(latency.BARE)
        for name, timing in found.items():
            assert not timing.failed
            yield row(f"hook {name}, {size:,}", round(timing.p50 / bare.p50, 2), HOOK_LIMITS[name], bare_ms=bare.p50)


def commands(asked: Asked) -> Iterator[Row]:
    """Cold commands: CPU milliseconds, alone and where a daemon runs."""
    nous = [sys.executable, "-m", "nous"]
    cases = (["recall", "billing retry staging"], ["status"], ["get", "5"], ["list"])
    with home(1000) as (environ, project):
        with Nous.open(settings=load_settings(environ)) as opened:
            number = opened.remember("The billing service listens on port 4000.", project=str(project))
        cases[2][1] = str(number)
        bare, _ = cpu([sys.executable, "-I", "-S", "-c", "pass"], environ, 9)
        yield row("bare interpreter, CPU ms", round(bare, 1), "")
        for case in cases:
            cpu([*nous, *case], environ, 1, project)
            spent, waited = cpu([*nous, *case], environ, 7, project)
            yield row(f"nous {case[0]}, alone, CPU ms", round(spent), "130", wall_ms=round(waited))
        settings = load_settings(environ)
        control.start(settings, environ)
        try:
            time.sleep(6)
            for case in cases:
                cpu([*nous, *case], environ, 2, project)
                spent, waited = cpu([*nous, *case], environ, 7, project)
                yield row(f"nous {case[0]}, daemon, CPU ms", round(spent), "80 wall", wall_ms=round(waited))
        finally:
            control.stop(settings)


# -- history and sessions -------------------------------------------------------------------------------------------


def write_history(shared: Path, folder: Path, code: Path, size: int) -> int:
    """So many bytes of sessions below a folder, of projects below another; how many there are."""
    files = sorted(path for part in PARTS for path in (shared / "data" / part).glob("*/projects/*/*.jsonl"))
    written = copy = 0
    while True:
        for file in files:
            if written >= size:
                return written
            text = file.read_text("utf-8")
            again = copy % 3 == 2
            project = file.parent.name if not copy else f"{file.parent.name}-{copy - 1 if again else copy}"
            old = next(iter(re.findall(r'"cwd": ?"([^"]+)"', text)), "")
            if not old:
                continue
            cwd = str(code / project.removeprefix("-home-dev-"))
            text = text.replace(f'"cwd": "{old}', f'"cwd": "{cwd}').replace(f'"cwd":"{old}', f'"cwd":"{cwd}')
            if copy:
                text = NAME.sub(partial(_renamed, copy), text)
            if again:
                text = re.sub(r'("timestamp": ?")(20\d\d)', lambda one: f"{one[1]}{int(one[2]) - 1}", text)
            name = file.stem if not copy else _other(file.stem, copy)
            to = folder / project / f"{name}.jsonl"
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(text, "utf-8")
            written += to.stat().st_size
            stamp = re.findall(r'"timestamp": ?"([^"]+)"', text)
            if stamp:
                moment = time.mktime(time.strptime(stamp[-1][:19], "%Y-%m-%dT%H:%M:%S"))
                os.utime(to, (moment, moment))
        copy += 1


def _renamed(copy: int, name: re.Match[str]) -> str:
    return _other(name[0], copy)


def _other(name: str, copy: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{copy}:{name}"))


def history(asked: Asked) -> Iterator[Row]:
    """A command that reads a history from one of its projects: when that project has its first line, and the rest."""
    with home() as (environ, _):
        root = Path(environ["HOME"])
        size = write_history(asked.shared, root / ".claude" / "projects", root / "dev", asked.megabytes * MB)
        here = root / "dev" / "stationpedia"
        here.mkdir(parents=True)
        said = (root / "said.txt").open("wb")
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "nous", "backfill", "--json"], env=environ, cwd=here, stdout=said, stderr=said
        )
        first = None
        key = identify(str(here)).id
        database = root / "data" / "cortex.db"
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if first is None and _has_packet(database, key):
                first = time.perf_counter() - began
            if ended:
                break
            time.sleep(0.05)
        seconds = time.perf_counter() - began
        assert status == 0, (root / "said.txt").read_text()
        spent = usage.ru_utime + usage.ru_stime
        megabytes = size / MB
        copies = [one.name for one in (root / "data").rglob("*.db*")]
        kept = sum(one.stat().st_size for one in (root / "data").rglob("*") if one.is_file()) / MB
        yield row(f"history of {megabytes:.0f} MB: first packet, s", round(first, 1) if first else "none", "5")
        yield row("history: seconds", round(seconds, 1), "", mb_per_s=round(megabytes / seconds, 2))
        yield row("history: MB per CPU s", round(megabytes / spent, 2), "1 (2 MB/s on two cores)")
        yield row("history: peak MB", round(usage.ru_maxrss * 1024 / MB), "300")
        yield row("history: kept MB", round(kept), "", files=sorted(copies))
        print((root / "said.txt").read_text()[-600:], file=sys.stderr)


def _has_packet(database: Path, project: str) -> bool:
    import apsw

    with suppress(apsw.Error):
        db = apsw.Connection(f"file:{database}?mode=ro", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            return bool(db.execute("SELECT 1 FROM injection_cache WHERE project_id = ?", (project,)).fetchall())
        finally:
            db.close()
    return False


def session(asked: Asked) -> Iterator[Row]:
    """One long session that is appended to: CPU seconds of taking in and learning 500 records each time."""
    with home() as (environ, project):
        folder = Path(environ["HOME"]) / ".claude" / "projects" / "-long"
        folder.mkdir(parents=True)
        lines = list(_long_session(asked.shared, project, 4000))
        with Nous.open(settings=load_settings(environ)) as nous:
            spent = []
            file = folder / "long.jsonl"
            intake = nous.work.intake()
            for begin in range(0, len(lines), 500):
                with file.open("ab") as out:
                    out.writelines(lines[begin : begin + 500])
                before, since = time.process_time(), nous.stores.events.last_id()
                intake.take_in(str(file), "fs_watch")
                gained = nous.work.learn()
                nous.work.after_learning(since, gained.projects)
                spent.append(round(time.process_time() - before, 2))
        yield row("long session: CPU s per 500 records", f"{spent[1]} → {spent[-1]}", "flat", each=spent)


def _long_session(shared: Path, project: Path, most: int) -> Iterator[bytes]:
    """Records of real sessions of one project, one after the other, as one session."""
    count, copy = 0, 0
    files = sorted((shared / "data" / "realtalk" / "cipher-box").glob("projects/*/*.jsonl"))
    while True:
        for file in files:
            for line in file.read_bytes().splitlines():
                record = json.loads(line)
                if "uuid" not in record:
                    continue
                record |= {"sessionId": "long", "cwd": str(project), "uuid": _other(record["uuid"], copy)}
                yield json.dumps(record).encode() + b"\n"
                count += 1
                if count == most:
                    return
        copy += 1


def branches(asked: Asked) -> Iterator[Row]:
    """What follows after one learned unit, with 1,000 memories and many branches."""
    for count in (1, 50, 200):
        with home() as (environ, project):
            settings = load_settings(environ)
            with Nous.open(settings=settings) as nous:
                where, now = identify(str(project)), system_clock()
                events = [_on_branch(number, count, where.id, now) for number in range(1000)]
                nous.stores.events.append(events, now)
                nous.work.catch_up()
                nous.stores.cache.see_project(where.id, where.root, where.branch, now)
                nous.work.after_learning(0, [where.id])
                spent = []
                for number in range(3):
                    since = nous.stores.events.last_id()
                    nous.stores.events.append([latency._fact(5000 + number, where.id, now)], now)
                    before = time.process_time()
                    assert not nous.work.after_learning(since, [where.id], seconds=2.0).troubles
                    spent.append(time.process_time() - before)
            yield row(f"after learning, 1,000 memories, {count} branches, CPU s", round(min(spent), 2), "0.1")


def _on_branch(number: int, branches_: int, project: str, now: str) -> Event:
    payload = Extracted(
        content=latency._made_up(number),
        extractor_version="bench",
        type="fact",
        concepts=("bench",),
        edges=(),
        branch=f"feature-{number % branches_}",
    )
    name = f"branch-{number}"
    by = Writer("bench", "user_review")
    return make_event("LearningExtracted", name, payload, name, project_id=project, by=by, at=now)


# -- growth ---------------------------------------------------------------------------------------------------------


def purge(asked: Asked) -> Iterator[Row]:
    """Erasing one memory for good, with its vectors made; CPU seconds."""
    for size in asked.sizes:
        with home(size) as (environ, project):
            with Nous.open(settings=load_settings(environ)) as nous:
                number = nous.remember("The zebra cache key is quagga-okapi-17.", project=str(project))
                nous.work.embed()
                database = Path(nous.settings.db_path)
                yield row(f"disk with vectors, {size:,}: MB", round(database.stat().st_size / MB, 1), "35 at 10,000")
                before = time.process_time()
                nous.work.purge(Selection(ids=(number,)), str(database.parent / CHECKPOINTS), "bench")
                spent = time.process_time() - before
            left = [one.name for one in database.parent.rglob("*") if one.is_file() and b"quagga" in one.read_bytes()]
            yield row(f"purge of one memory, {size:,}: CPU s", round(spent, 2), "2", bytes_left_in=left)


PANEL = (
    ("status", "/v1/status"),
    ("review", "/v1/review"),
    ("memories", "/v1/memories?limit=50"),
    ("search", "/v1/search?query=billing+retry+staging"),
    ("search for one letter", "/v1/search?query=b"),
)


def panel(asked: Asked) -> Iterator[Row]:
    """What the panel asks for, over HTTP from a daemon, the second time: seconds and the daemon's CPU seconds."""
    for size in asked.sizes:
        with home(size) as (environ, _):
            settings = load_settings(environ)
            with Nous.open(settings=settings) as nous:
                nous.work.embed()
            control.start(settings, environ)
            try:
                time.sleep(8)
                yield from _panel(settings, size)
            finally:
                control.stop(settings)


def _panel(settings: Any, size: int) -> Iterator[Row]:
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    data = Path(settings.data_dir)
    url = json.loads((data / "http.json").read_text())["url"]
    token = (data / "http.token").read_text().strip()
    pid = control.holder(settings.data_dir)
    for name, path in PANEL:
        taken = []
        for _ in range(4):
            before, began = _spent(pid), time.perf_counter()
            try:
                with urlopen(Request(url + path, headers={"Authorization": f"Bearer {token}"}), timeout=60) as answer:
                    answer.read()
            except HTTPError as problem:
                raise SystemExit(f"{path}: {problem.code} {problem.read()[:300]!r}") from None
            taken.append((_spent(pid) - before, time.perf_counter() - began))
        first, (spent, waited) = taken[0], min(taken[1:])
        yield row(
            f"panel {name}, {size:,}: CPU s", round(spent, 2), "0.3", wall=round(waited, 2), first=round(first[0], 2)
        )


def _spent(pid: int | None) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# -- sizes ----------------------------------------------------------------------------------------------------------


def install(asked: Asked) -> Iterator[Row]:
    """Megabytes of what an install brings, without what only development needs."""
    waiting, weights = ["nous-recall"], {}
    for name in waiting:
        with suppress(PackageNotFoundError):
            found = distribution(name)
            weights[name] = sum(_weight(found.locate_file(file)) for file in found.files or ()) / MB
            for wanted in found.requires or ():
                other, _, when = wanted.partition(";")
                other = re.split(r"[^\w.-]", other.strip())[0].lower()
                if "extra" not in when and other not in waiting and _applies(when):
                    waiting.append(other)
    weights["nous-recall"] = sum(_weight(one) for one in Path("src/nous").rglob("*") if one.suffix != ".pyc") / MB
    most = sorted(weights.items(), key=lambda one: -one[1])[:8]
    said = ", ".join(f"{name} {size:.0f}" for name, size in most)
    yield row("install: MB", round(sum(weights.values())), "120", packages=len(weights), heaviest=said)


def _applies(when: str) -> bool:
    from packaging.markers import Marker

    return not when.strip() or Marker(when.strip()).evaluate()


def _weight(path: Any) -> int:
    return Path(path).stat().st_size if Path(path).is_file() else 0


ROWS: dict[str, Callable[[Asked], Iterator[Row]]] = {
    one.__name__: one for one in (hooks, commands, history, session, branches, purge, panel, install)
}


def main() -> None:
    """Print the table; keep it as JSON where asked."""
    given = argparse.ArgumentParser(prog="bench.speed", description="The table of the issue about speed.")
    given.add_argument("rows", nargs="*", metavar="ROW", help=f"one of {', '.join(ROWS)} (all)")
    given.add_argument("--sizes", type=lambda text: [int(one) for one in text.split(",")], default=[1000, 10_000])
    given.add_argument("--megabytes", type=int, default=20)
    given.add_argument("--shared", type=Path, default=Path("../shared"))
    given.add_argument("--out", type=Path)
    asked = given.parse_args(namespace=Asked())
    if unknown := set(asked.rows) - set(ROWS):
        given.error(f"there is no row {sorted(unknown)[0]!r}")
    found: list[Row] = []
    for name in asked.rows or ROWS:
        for one in ROWS[name](asked):
            more = ", ".join(f"{key} {value}" for key, value in list(one.items())[4:])
            wanted = f"(wanted {one['limit'] or '-'}; load {one['load']})"
            print(f"{one['what']:<52} {one['value']:>12}  {wanted} {more}", flush=True)
            found.append(one)
            if asked.out:
                asked.out.write_text(json.dumps({"machine": profile(), "rows": found}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
