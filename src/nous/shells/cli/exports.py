"""The command that writes memories to a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import click

from nous import __version__, files
from nous.app import Nous
from nous.errors import Misuse, NousError
from nous.features.exports import exporting
from nous.kernel.types import TYPES
from nous.shells.cli.common import FORCE, OUT_FILE, CommandScope, common, emit, many, open_memory

FORMATS = ("json", "markdown", "claude-md")


@click.command()
@click.argument("file", type=OUT_FILE)
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), help="The format; taken from the file name if not given."
)
@click.option(
    "--type",
    "types",
    multiple=True,
    metavar="TYPE",
    type=click.Choice(sorted(TYPES)),
    help="Only this type (repeatable).",
)
@click.option("--with-tainted", is_flag=True, help="Include text from outside that nobody has reviewed.")
@click.option("--with-private", is_flag=True, help="Include memories tagged `private`.")
@click.option("--everything", is_flag=True, help="The whole log as it is, to move to another machine.")
@click.option("--passphrase-file", default="", help="Encrypt with the passphrase in this file.")
@FORCE
@common
def export(
    scope: CommandScope,
    file: str,
    format_: exporting.ExportFormat | None,
    types: tuple[str, ...],
    with_tainted: bool,
    with_private: bool,
    everything: bool,
    passphrase_file: str,
    force: bool,
) -> None:
    """Write memories to a new FILE (`-` for standard output): of this project, of --project, or of all.

    JSON holds the events, from which `nous admin import` rebuilds the same memories elsewhere. Markdown is for people,
    and can be imported too. claude-md is a rules file for a client.
    """
    if file != "-":
        files.check_new(file, overwrite=force)
    chosen = format_ or _by_name(file)
    if everything and (chosen != "json" or types or scope.project):
        raise Misuse("--everything is the whole log as JSON", hint="leave out --format, --type and --project")
    with open_memory() as nous:
        where = None if scope.all_projects or everything else frozenset({nous.project(scope.project).id})
        choice = exporting.ExportChoice(where, frozenset(types) or None, with_tainted, with_private)
        data = b"".join(_pieces(nous, chosen, choice, everything))
        found = exporting.memories(nous.stores.memories, choice, every_status=chosen == "json")
    if not everything and not found:
        raise NousError("there is nothing to export", hint="--all-projects writes those of every project")
    size = _write(file, exporting.seal_export(data, passphrase_file), force)
    line = f"{many(len(found), 'memory', 'memories')} written to {file} ({size / 1000:.1f} kB)"
    told = {"file": file, "format": chosen, "memories": len(found), "bytes": size, "sealed": bool(passphrase_file)}
    if file != "-":
        emit(scope, told, lambda: iter([line]))


def _pieces(
    nous: Nous, format_: exporting.ExportFormat, choice: exporting.ExportChoice, everything: bool
) -> Iterator[bytes]:
    if everything:
        return exporting.whole(nous.stores.devices, nous.clock(), __version__)
    return exporting.write_export(nous.stores.memories, nous.stores.devices, format_, choice, nous.clock(), __version__)


def _by_name(file: str) -> exporting.ExportFormat:
    if os.path.basename(file).upper() in ("CLAUDE.MD", "AGENTS.MD"):
        return "claude-md"
    return "markdown" if file.lower().endswith((".md", ".markdown")) else "json"


def _write(file: str, data: bytes, overwrite: bool) -> int:
    """Write a file that only its owner can read, whole or not at all; how many bytes."""
    if file == "-":
        sys.stdout.buffer.write(data)
        return len(data)
    files.create(file, data, 0o600, overwrite=overwrite)
    return len(data)
