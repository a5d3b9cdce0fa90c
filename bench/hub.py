"""A hub under load, over HTTP on this machine: one device with a long log, and very many devices with a little each.

The hub is a process of its own. A device of the many is a chain, a token and what it knows; in a round it does what a
real one does: ask how far the hub is, take what is new, give what it wrote.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from samples import stage

from bench.scale import NOW, _event
from nous.app import Nous
from nous.config import load_settings
from nous.kernel.access import ROLES
from nous.kernel.log.events import GENESIS
from nous.kernel.log.wire import WireEvent, rechain_event
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import open_stores
from nous.moments import later
from nous.teams import tokens
from nous.teams.hub_link import HttpLink, HubAway
from nous.teams.hubs import TeamHub
from nous.teams.sync import exchange

AT_ONCE = 1000
THREADS = 16
WROTE = 3  # events that a device gives in a round
TEXT = "The {} retries twice when the lockfile is held, case {}."


def _environment(root: Path) -> dict[str, str]:
    for name in ("home", "tmp"):
        (root / name).mkdir()
    return stage.environment(root)


def _spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    cut = statistics.quantiles(ordered, n=20) if len(ordered) > 1 else ordered * 19
    return {"p50": round(statistics.median(ordered), 1), "p95": round(cut[18], 1), "worst": round(ordered[-1], 1)}


@contextmanager
def serving(folder: Path, url: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    """A hub in a process of its own, on a file or on a server: where it is, and its environment."""
    environ = _environment(folder) | ({"NOUS_DB_PATH": url} if url else {})
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nous", "hub", "--port", str(port)]
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    environ["HUB_PID"] = str(process.pid)
    try:
        _until_it_answers(port)
        yield f"http://127.0.0.1:{port}", environ
    finally:
        process.terminate()
        process.wait(60)


def _spent(environ: dict[str, str]) -> float:
    """Seconds of processor that the hub took until now, without those of a database server."""
    fields = Path("/proc", environ["HUB_PID"], "stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _until_it_answers(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the hub does not answer")


def given(environ: dict[str, str], count: int) -> list[str]:
    """Tokens of members."""
    with Nous.open(settings=load_settings(environ)) as nous, nous.stores.db.transaction():
        return [tokens.make(nous.stores.tokens, f"d{n}", ROLES["member"], nous.clock())[1] for n in range(count)]


def sync(events: int, say: Callable[[str], None]) -> dict[str, Any]:
    """A log that goes from one device to a hub and from there to another."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as (url, environ):
        here, there = (open_stores(f"{folder}/{name}.db") for name in ("here", "there"))
        for start in range(0, events, AT_ONCE):
            made = [_event("t", n, TEXT.format("worker", n)) for n in range(start, min(start + AT_ONCE, events))]
            here.events.append([replace(one, project_id="p") for one in made], NOW)
            catch_up(here, NOW)
        first, second = (TeamHub(HttpLink(url, token), frozenset({"p"})) for token in given(environ, 2))
        say(f"{events} events are there; giving them")
        begun = time.perf_counter()
        went = exchange(here, first, later(NOW, 9)).went
        gave = time.perf_counter() - begun
        say(f"{went} went in {gave:.0f} s; taking them")
        begun = time.perf_counter()
        came = exchange(there, second, later(NOW, 9)).came
        took = time.perf_counter() - begun
        begun = time.perf_counter()
        again = exchange(there, second, later(NOW, 9))
        idle = time.perf_counter() - begun
        same = {one.learning_id for one in here.memories.listing(None, limit=events)} == {
            one.learning_id for one in there.memories.listing(None, limit=events)
        }
        size = Path(environ["NOUS_DATA_DIR"], "cortex.db").stat().st_size
        for stores in (here, there):
            stores.close()
    return {
        "events": events,
        "went": went,
        "came": came,
        "same": same,
        "push_per_second": round(went / gave),
        "pull_per_second": round(came / took),
        "idle_round_ms": round(idle * 1000, 1),
        "idle_round_moved": again.came + again.went,
        "hub_bytes": size,
    }


def many(devices: int, seconds: float, say: Callable[[str], None], url: str = "") -> dict[str, Any]:
    """Devices that do a round after another, four at most, as far as the time allows."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), url) as (where, environ):
        links = [HttpLink(where, token) for token in given(environ, devices)]
        say(f"{devices} tokens; {THREADS} at a time for {seconds:.0f} s")
        fleet = [Simulated(number, link) for number, link in enumerate(links)]
        until = time.monotonic() + seconds
        waiting = iter(fleet * 4)
        lock = threading.Lock()

        def work() -> None:
            while time.monotonic() < until:
                with lock:
                    device = next(waiting, None)
                if device is None:
                    return
                device.round()

        threads = [threading.Thread(target=work) for _ in range(THREADS)]
        begun, spent = time.monotonic(), _spent(environ)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took, spent = time.monotonic() - begun, _spent(environ) - spent
        known = HttpLink(where, Path(environ["NOUS_DATA_DIR"], "http.token").read_text().strip()).ask(
            "POST", "/v1/sync/heads", {"sealed": False}
        )["devices"]
    taken = sum(known.get(device.name, 0) for device in fleet)
    times = [took for device in fleet for took in device.took]
    return {
        "engine": "postgres" if url else "sqlite",
        "devices": devices,
        "at_a_time": THREADS,
        "seconds": round(took, 1),
        "devices_that_were_heard": sum(device.name in known for device in fleet),
        "rounds": len(times),
        "rounds_per_second": round(len(times) / took, 1),
        "round_ms": _spread(times),
        "hub_cpu_ms_per_round": round(spent * 1000 / max(1, len(times)), 1),
        "failed": sum(device.failed for device in fleet),
        "events_acknowledged": sum(device.gave for device in fleet),
        "events_on_the_hub": taken,
        "lost": sum(device.gave > known.get(device.name, 0) for device in fleet),
    }


class Simulated:
    """A device as a hub sees it: a chain that grows, and how far it knows others."""

    def __init__(self, number: int, link: HttpLink):
        self.name = f"{number:08x}" * 4
        self.link = link
        self.known: dict[str, int] = {}
        self.seq, self.hash, self.gave = 0, GENESIS, 0
        self.took: list[float] = []
        self.failed = 0

    def round(self) -> None:
        """One round: ask, take a page, give a little."""
        begun = time.perf_counter()
        try:
            there = self.link.ask("POST", "/v1/sync/heads", {"sealed": False})["devices"]
            known = {name: seq for name, seq in self.known.items() if name in there}
            said = self.link.ask("POST", "/v1/sync/pull", {"known": known, "sealed": False, "limit": 50})
            for event in said["events"]:
                self.known[event["device"]] = event["device_seq"]
            pushed = [msgspec.to_builtins(self._next()) for _ in range(WROTE)]
            self.link.ask("POST", "/v1/sync/push", {"events": pushed})
            self.known[self.name] = self.gave = self.seq
        except HubAway:
            self.failed += 1
        self.took.append((time.perf_counter() - begun) * 1000)

    def _next(self) -> WireEvent:
        self.seq += 1
        name = f"{self.name[:8]}-{self.seq}"
        made = replace(_template(), event_uuid=_uuid(self.name, self.seq), stream_id=name, idempotency_key=name)
        event = rechain_event(made, self.name, self.seq, self.hash)
        self.hash = event.event_hash
        return event


_made: list[WireEvent] = []


def _template() -> WireEvent:
    """An event as a real log has it, made once."""
    if not _made:
        stores = open_stores(":memory:")
        stores.events.append([replace(_event("t", 1, TEXT.format("worker", 1)), project_id="p")], NOW)
        _made.extend(stores.devices.list_written())
        stores.close()
    return _made[0]


def _uuid(name: str, seq: int) -> str:
    return f"0192f0c4-{name[:4]}-7{name[4:7]}-8{name[7]}00-{seq:012x}"
