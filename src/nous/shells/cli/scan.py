"""The command that looks for secrets in what is stored."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import click

from nous.config import ignored_paths
from nous.features.erasure import scan as scanning
from nous.kernel.capture.ignoring import Ignored
from nous.shells.cli.common import CommandScope, common, emit, open_memory


@click.command()
@common
def scan(scope: CommandScope) -> None:
    """Search everything in the store for secrets, with the current rules. Exits 1 if there are any."""
    with open_memory() as nous:
        settings = nous.settings
        ignored = Ignored(ignored_paths(settings), os.path.expanduser("~"))
        report = scanning.scan(nous.stores, settings.data_dir, ignored, settings.redact_contacts)
    emit(scope, _fields(report), lambda: _lines(report))
    if report.findings:
        raise click.exceptions.Exit(1)


def _fields(report: scanning.ScanReport) -> dict[str, Any]:
    return {
        "ok": not report.findings,
        "looked": dict(report.looked),
        "found": sum(sum(finding.kinds.values()) for finding in report.findings),
        "findings": [finding._asdict() for finding in report.findings],
    }


def _lines(report: scanning.ScanReport) -> Iterator[str]:
    for finding in report.findings:
        kinds = ", ".join(f"{number} {kind}" for kind, number in finding.kinds.items())
        yield f"FAIL {finding.where} {finding.id}: {kinds}"
    looked = ", ".join(_count(number, where) for where, number in report.looked.items())
    if not report.findings:
        yield f"ok   no secret in {looked}" if looked else "ok   nothing is stored yet"
        return
    yield f"{len(report.findings)} places hold secrets ({looked} looked at)"
    for remedy in dict.fromkeys(finding.remedy for finding in report.findings):
        yield f"hint: {remedy}" + (
            " (says what it would erase; --yes does it)" if remedy.startswith("nous admin purge") else ""
        )


def _count(number: int, what: str) -> str:
    return f"{number} {what if number == 1 else f'{what}s'}"
