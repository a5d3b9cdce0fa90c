"""Taking in a package of events that another machine, or this one earlier, has written."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from nous.errors import NousError
from nous.kernel.stores import Stores
from nous.teams import packages
from nous.teams.devices import absorb
from nous.teams.sealing import is_sealed, read_passphrase, unseal

FORMAT = "nous-events"
LARGEST = 4 * 1024**3
BEGIN = 4096


class _Look(Exception):
    """Only looking: what was taken in is given back."""


def found_package(path: str) -> bool:
    """Whether a file is a package of events, sealed or not."""
    try:
        with open(path, "rb") as file:
            begin = file.read(BEGIN)
    except OSError:
        return False
    return is_sealed(begin) or packages.is_package(begin)


def take_in(stores: Stores, path: str, passphrase_file: str, now: str, *, dry_run: bool) -> dict[str, Any]:
    """What a package brought, or would bring; what is known already is not taken twice."""
    with open(path, "rb") as file:
        data = file.read(LARGEST)
    if is_sealed(data):
        if not passphrase_file:
            raise NousError(f"{path} is sealed", hint="name the file with its passphrase: --passphrase-file")
        data = unseal(data, read_passphrase(passphrase_file))
    head, events = packages.read_package(data)
    before = stores.memories.size()
    with suppress(_Look), stores.db.transaction():
        done = absorb(stores, events, now)
        learned = stores.memories.size() - before
        if dry_run:
            raise _Look
    report = packages.describe_package(head, events)
    held = {"kept for later": done.kept, "refused": len(done.refused)}
    return {
        "file": path,
        "format": FORMAT,
        "taken": learned,
        "came": len(done.events),
        "known": len(events) - done.waiting - len(done.events) - sum(held.values()),
        "waiting": done.waiting,
        "reasons": {reason: number for reason, number in held.items() if number},
        "secrets": 0,
        "projects": {},
    } | report
