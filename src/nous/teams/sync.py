"""Devices keep each other up to date: one exchange, and two ways to carry it, a shared folder and a hub.

A round takes in what is new, gives what is missing, and takes out what was erased. Here is the round, and the folder:
each device puts what it wrote into files below its own name and takes in what the others put there. Files are whole or
not there, come in any order, late or twice; the log sorts that out. Everything is sealed with a passphrase unless
somebody asks for plain text. What one device erased is taken out of the files by every other that hears of it.
`teams/hubs.py` is the other carrier.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from nous.errors import BadEvent, ConfigError, NousError, StoreError, StoreUnavailable
from nous.kernel.log.events import TOMBSTONE_JSON
from nous.kernel.log.wire import WireEvent, decode, encode, is_device
from nous.kernel.stores import Stores
from nous.teams.arrival import OWN, Sender
from nous.teams.devices import ForgetWords, absorb, release
from nous.teams.sealing import is_sealed, read_passphrase, seal, unseal

BATCH = 2000  # events in one file
BATCH_BYTES = 8_000_000  # of what they say, about
SCRAPS = 32  # files of its own that a device lets stand before it makes one of them
SMALL = 1_000_000  # bytes of a file that may become part of a larger one
LARGEST = 64 * 1024 * 1024  # bytes of one file, packed or unpacked
LARGEST_NOTE = 64 * 1024  # bytes of a marker or note
MARKER, SWEPT, PARTIAL = "nous-sync.json", "swept", ".partial"
PLAIN = "plain"  # in the place of a passphrase file
_FILE = re.compile(r"(\d{10})-(\d{10})\.events")


class Synced(NamedTuple):
    """What one round gave: events that came and went, files written anew since something was erased, and troubles.

    `kept` came and count later, `refused` came and never count.
    """

    came: int = 0
    went: int = 0
    waiting: int = 0
    rewritten: int = 0
    erased: bool = False
    troubles: tuple[str, ...] = ()
    kept: int = 0
    refused: int = 0

    def plus(self, other: Synced) -> Synced:
        """Two rounds as one."""
        sums = (self.came + other.came, self.went + other.went, self.waiting + other.waiting)
        rewritten, erased = self.rewritten + other.rewritten, self.erased or other.erased
        held = (self.kept + other.kept, self.refused + other.refused)
        return Synced(*sums, rewritten, erased, self.troubles + other.troubles, *held)


class LogFile(NamedTuple):
    """A file of one device's events, from one of its numbers to another."""

    device: str
    first: int
    last: int
    path: str


class Arrival(NamedTuple):
    """Events of one device that can be had, up to one of its numbers."""

    device: str
    last: int
    read: Callable[[], list[WireEvent]]


class Carrier(Protocol):
    """What carries events between devices."""

    @property
    def sender(self) -> Sender:
        """Whose events it brings."""
        ...

    def arrivals(self, known: Callable[[], Mapping[str, int]]) -> Iterator[Arrival]:
        """What there may be that is not known here yet."""
        ...

    def offered(self, stores: Stores, now: str) -> Iterator[WireEvent]:
        """What the others lack, device by device, in the order of each."""
        ...

    def write(self, device: str, events: Sequence[WireEvent]) -> None:
        """Give events of one device."""
        ...

    def without(self, stores: Stores, erased: set[str]) -> int:
        """Take the words of erased events out of what was given; how many pieces were written anew."""
        ...

    def tidy(self, device: str) -> None:
        """Keep it small."""
        ...


def sync(stores: Stores, folder: str, passphrase_file: str, now: str, *following: ForgetWords) -> Synced:
    """One round with a folder."""
    return exchange(stores, Shared.open(folder, passphrase_file), now, *following)


def exchange(stores: Stores, carrier: Carrier, now: str, *following: ForgetWords) -> Synced:
    """One round: take in what is new, and give what the others lack. `following` does what an erasure asks for here."""
    taken = _take_in(stores, carrier, now, *following)
    taken = taken._replace(came=taken.came + release(stores, carrier.sender, now))
    went = _put_missing(stores, carrier, now)
    rewritten = carrier.without(stores, {uuid for _, uuid in stores.events.list_erased()})
    carrier.tidy(stores.events.own_device())
    return taken._replace(went=went, rewritten=rewritten)


# -- the folder -----------------------------------------------------------------------------------------------------


class Shared:
    """The folder: files of events, sealed with one passphrase or plain."""

    sender = OWN

    def __init__(self, folder: str, passphrase: str | None, salt: bytes):
        self.folder = folder
        self.passphrase = passphrase
        self.salt = salt

    @classmethod
    def open(cls, folder: str, passphrase_file: str) -> Shared:
        """The folder as it was begun; whoever comes first begins it."""
        if not os.path.isdir(folder):
            raise NousError(f"there is no folder {folder}", hint="make it, or wait until it is mounted")
        if not passphrase_file:
            hint = f"name a file with sync_passphrase_file, or say {PLAIN!r} there to leave text that can be read"
            raise ConfigError("what leaves this device is sealed, and no passphrase is set", hint=hint)
        passphrase = None if passphrase_file == PLAIN else read_passphrase(passphrase_file)
        marker = os.path.join(folder, MARKER)
        if os.path.lexists(marker):
            return cls._known(folder, passphrase, _read_file(marker).decode("utf-8", "replace"))
        salt = os.urandom(16)
        check = seal(b"nous", passphrase, salt).hex() if passphrase else ""
        _write(marker, json.dumps({"version": 1, "salt": salt.hex(), "check": check}).encode())
        return cls(folder, passphrase, salt)

    @classmethod
    def _known(cls, folder: str, passphrase: str | None, raw: str) -> Shared:
        try:
            said = json.loads(raw)
            salt, check = bytes.fromhex(said["salt"]), bytes.fromhex(said["check"])
            version = int(said["version"])
        except (ValueError, KeyError, TypeError):
            raise NousError(f"{os.path.join(folder, MARKER)} cannot be read") from None
        if version != 1:
            raise NousError(f"{folder} was begun by a newer Nous")
        if bool(check) != (passphrase is not None):
            kind = "sealed with a passphrase" if check else "plain text"
            raise ConfigError(f"{folder} holds {kind}", hint="set sync_passphrase_file as on the other devices")
        if passphrase is not None:
            unseal(check, passphrase)
        return cls(folder, passphrase, salt)

    def batches(self) -> list[LogFile]:
        """Every file, by device and number."""
        found = []
        for device in filter(is_device, _names(self.folder)):
            below = os.path.join(self.folder, device)
            if os.path.islink(below):
                continue  # it leads out of the folder
            for name in filter(_FILE.fullmatch, _names(below)):
                first, last = map(int, name.partition(".")[0].split("-"))
                found.append(LogFile(device, first, last, os.path.join(below, name)))
        return sorted(found)

    def arrivals(self, known: Callable[[], Mapping[str, int]]) -> Iterator[Arrival]:
        """The files, by device and number."""
        for batch in self.batches():
            yield Arrival(batch.device, batch.last, partial(self.read, batch))

    def offered(self, stores: Stores, now: str) -> Iterator[WireEvent]:
        """What the folder lacks, of whichever device it is."""
        return (event for event in stores.devices.list_written(self.reached()) if is_device(event.device))

    def read(self, batch: LogFile) -> list[WireEvent]:
        """The events of a file; a sentence when it is not whole."""
        from nous import zstd

        try:
            data = _read_plain(batch.path, LARGEST)
            if self.passphrase is not None:
                data = unseal(data, self.passphrase)
            elif is_sealed(data):
                raise NousError("it is sealed")
            frame = zstd.ZstdDecompressor()
            raw = frame.decompress(data, LARGEST)
            if not frame.eof:
                raise NousError("it is too large, or not whole")
            events = [decode(line) for line in raw.splitlines()]
        except (OSError, zstd.ZstdError, ValueError, NousError) as problem:
            raise StoreError(f"{batch.path} cannot be read: {problem}") from None
        return [event for event in events if event.device == batch.device]

    def write(self, device: str, events: Sequence[WireEvent]) -> None:
        """Put events of a device, in its order, into a file."""
        from nous import zstd

        data = zstd.compress(b"\n".join(encode(event) for event in events), 10)
        if self.passphrase is not None:
            data = seal(data, self.passphrase, self.salt)
        if not is_device(device):
            raise NousError(f"{device[:40]!a} is no name of a device")
        name = f"{events[0].device_seq:010}-{events[-1].device_seq:010}.events"
        _write(os.path.join(self.folder, device, name), data)

    def reached(self) -> dict[str, int]:
        """How far the files of each device go without a gap."""
        found: dict[str, int] = {}
        for batch in self.batches():
            if batch.first <= found.get(batch.device, 0) + 1:
                found[batch.device] = max(found.get(batch.device, 0), batch.last)
        return found

    def without(self, stores: Stores, erased: set[str]) -> int:
        """Take the words of erased events out of every file; how many were written anew.

        What was looked through is noted beside this device's files, so that an unchanged folder is not read again.
        """
        note = os.path.join(self.folder, stores.events.own_device(), SWEPT)
        if not erased or _read_file(note) == self._state(erased):
            return 0
        changed = 0
        for batch in self.batches():
            with suppress(StoreError):
                events = self.read(batch)
                if any(event.event_uuid in erased and not event.is_erased for event in events):
                    self.write(batch.device, [_empty_event(event, erased) for event in events])
                    changed += 1
        _write(note, self._state(erased))
        return changed

    def _state(self, erased: set[str]) -> bytes:
        """What the files are like and what was erased, in one figure."""
        found = hashlib.sha256("".join(sorted(erased)).encode())
        for batch in self.batches():
            with suppress(OSError):
                now = os.stat(batch.path)
                found.update(f"{batch.path} {now.st_size} {now.st_mtime_ns}".encode())
        return found.hexdigest().encode()

    def tidy(self, device: str) -> None:
        """Make one file of many small ones of this device, and drop what another file holds as well."""
        mine = [batch for batch in self.batches() if batch.device == device]
        small = [batch for batch in mine if batch.last - batch.first + 1 < BATCH and _size(batch.path) < SMALL]
        if len(small) > SCRAPS:
            self._join(device, small)
            mine = [batch for batch in self.batches() if batch.device == device]
        for batch in mine:
            wider = (other for other in mine if other != batch and _holds(other, batch))
            if next(wider, None):
                with suppress(FileNotFoundError):
                    os.unlink(batch.path)

    def _join(self, device: str, small: Sequence[LogFile]) -> None:
        """Make larger files of small ones, as many at a time as one file takes."""
        events: dict[int, WireEvent] = {}
        size = 0
        for batch in small:
            read = self.read(batch)
            events |= {event.device_seq: event for event in read}
            size += sum(len(event.payload_json) for event in read)
            if size > BATCH_BYTES or batch is small[-1]:
                for run in _runs(sorted(events)):
                    self.write(device, [events[seq] for seq in run])
                events, size = {}, 0


def _names(folder: str) -> list[str]:
    with suppress(OSError):
        return sorted(os.listdir(folder))
    return []


def _runs(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Numbers that follow on each other, as many as one file takes."""
    run: list[int] = []
    for number in numbers:
        if run and (number != run[-1] + 1 or len(run) >= BATCH):
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _holds(wide: LogFile, narrow: LogFile) -> bool:
    return wide.first <= narrow.first and narrow.last <= wide.last


def _empty_event(event: WireEvent, erased: set[str]) -> WireEvent:
    return replace(event, payload_json=TOMBSTONE_JSON) if event.event_uuid in erased else event


def _size(path: str) -> int:
    with suppress(OSError):
        return os.path.getsize(path)
    return 0


def _read_file(path: str) -> bytes:
    with suppress(OSError, NousError):
        return _read_plain(path, LARGEST_NOTE)
    return b""


def _read_plain(path: str, largest: int) -> bytes:
    """What a plain file holds. A pipe would be waited for, a device never ends, a link leads somewhere else."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise NousError("it is no plain file")
        if found.st_size > largest:
            raise NousError("it is too large")
        with open(file, "rb", closefd=False) as whole:
            return whole.read()  # asked for a number of bytes, Python would make room for all of them first
    finally:
        os.close(file)


def _write(path: str, data: bytes) -> None:
    """A file that appears whole or not at all."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.path.basename(path) != MARKER and os.path.islink(folder):
        raise StoreError(f"{folder} leads out of the folder that devices share")
    unfinished = f"{path}.{os.getpid()}{PARTIAL}"
    with suppress(FileNotFoundError):
        os.unlink(unfinished)
    with open(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)


# -- in and out -----------------------------------------------------------------------------------------------------


def _take_in(stores: Stores, carrier: Carrier, now: str, *following: ForgetWords) -> Synced:
    """Absorb what is new, piece by piece; one that cannot be read, or two histories of one device, stop no other."""
    found = Synced()
    refused: set[str] = set()
    for arrival in carrier.arrivals(stores.devices.read_positions):
        known = stores.devices.read_positions().get(arrival.device, 0)
        if arrival.last <= known or arrival.device in refused:
            continue
        try:
            events = [event for event in arrival.read() if event.device_seq > known]
            absorbed = absorb(stores, events, now, carrier.sender, *following)
        except Exception as problem:  # whatever one device sent, the others are heard
            if not _is_of_one(problem):
                raise
            refused.add(arrival.device)
            found = found._replace(troubles=(*found.troubles, _describe_problem(arrival.device, problem)))
            continue
        found = found._replace(
            came=found.came + len(absorbed.events),
            waiting=absorbed.waiting,
            erased=found.erased or bool(absorbed.erased),
            kept=found.kept + absorbed.kept,
            refused=found.refused + len(absorbed.refused),
        )
    return found


def _is_of_one(problem: Exception) -> bool:
    """Whether a problem is of what one device sent, and not of this database, the carrier or the settings."""
    if isinstance(problem, StoreUnavailable):
        return False
    return isinstance(problem, StoreError | BadEvent) or not isinstance(problem, NousError | OSError)


def _describe_problem(device: str, problem: Exception) -> str:
    if isinstance(problem, NousError):
        return str(problem)
    return f"what device {device[:8]!a} sent cannot be taken in ({type(problem).__name__})"


def _put_missing(stores: Stores, carrier: Carrier, now: str) -> int:
    """Give what the others lack, in pieces."""
    went = size = 0
    waiting: list[WireEvent] = []

    def leave() -> None:
        nonlocal went, size
        if waiting:
            carrier.write(waiting[0].device, waiting)
            went += len(waiting)
            waiting.clear()
            size = 0

    for event in carrier.offered(stores, now):
        is_full = len(waiting) >= BATCH or size > BATCH_BYTES
        if waiting and (event.device != waiting[0].device or is_full):
            leave()
        waiting.append(event)
        size += len(event.payload_json)
    leave()
    return went
