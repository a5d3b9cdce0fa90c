"""What leaves this machine: all events, a selection of them, or memories as Markdown for people and for CLAUDE.md.

Unless somebody says otherwise, text from outside that nobody reviewed stays here, and so does what is tagged `private`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from nous.features.imports.markdown import render_markdown, rules
from nous.kernel.db.database import EVERY
from nous.kernel.log.device_events import Devices
from nous.kernel.log.events import ERASURES
from nous.kernel.log.wire import WireEvent
from nous.kernel.memory.memories import Memories
from nous.kernel.memory.memory import Memory
from nous.teams import packages
from nous.teams.sealing import read_passphrase, seal

ExportFormat = Literal["json", "markdown", "claude-md"]
PRIVATE = "private"


class ExportChoice(NamedTuple):
    """Which memories leave: of some projects or all, of some types or all, and what is left out otherwise."""

    projects: frozenset[str] | None = None
    types: frozenset[str] | None = None
    with_tainted: bool = False
    with_private: bool = False

    def admits(self, memory: Memory) -> bool:
        """Whether a memory leaves."""
        return (
            (self.projects is None or memory.project_id in self.projects)
            and (self.types is None or memory.type in self.types)
            and (self.with_tainted or not memory.tainted)
            and (self.with_private or PRIVATE not in memory.tags)
            and memory.status != "erased"
        )


def selection(memory_store: Memories, devices: Devices, choice: ExportChoice) -> list[WireEvent]:
    """The events of the memories that leave, and of the other streams of their projects, with a chain of their own."""
    chosen = {memory.learning_id for memory in memories(memory_store, choice, every_status=True)}
    found = [event for event in devices.list_written() if _leaves(event, chosen, choice)]
    return packages.chain_events(found)


def _leaves(event: WireEvent, chosen: set[str], choice: ExportChoice) -> bool:
    if event.is_erased or event.is_withheld or event.event_type in ERASURES:
        return False
    if event.stream == "memory":
        return event.stream_id in chosen
    # What is known of names, code and projects goes with a project; of single types of memories it is no part.
    return choice.types is None and (choice.projects is None or event.project_id in choice.projects)


def memories(memories: Memories, choice: ExportChoice, *, every_status: bool = False) -> list[Memory]:
    """The memories that leave, oldest first."""
    found = memories.listing(None, status=None if every_status else "active", limit=EVERY)
    return sorted((memory for memory in found if choice.admits(memory)), key=lambda memory: memory.id)


def write_export(
    memory_store: Memories, devices: Devices, format_: ExportFormat, choice: ExportChoice, made_at: str, version: str
) -> Iterator[bytes]:
    """An export, piece by piece; without a choice all events as they are."""
    if format_ == "json":
        chosen = selection(memory_store, devices, choice)
        names = packages.projects_of(chosen)
        head = packages.Head(kind=packages.KIND, made_at=made_at, version=version, extent="selection", projects=names)
        yield from packages.write_package(head, chosen)
        return
    mine = memories(memory_store, choice)
    lines = render_markdown(mine, made_at) if format_ == "markdown" else rules(mine)
    yield from (f"{line}\n".encode() for line in lines)


def whole(devices: Devices, made_at: str, version: str) -> Iterator[bytes]:
    """Everything: the log with the chains of all its devices, from which every read model can be made again."""
    head = packages.Head(kind=packages.KIND, made_at=made_at, version=version, extent="everything")
    yield from packages.write_package(head, devices.list_written())


def seal_export(data: bytes, passphrase_file: str) -> bytes:
    """An export as it leaves: sealed with the passphrase in a file, or as it is when none is named."""
    return seal(data, read_passphrase(passphrase_file)) if passphrase_file else data
