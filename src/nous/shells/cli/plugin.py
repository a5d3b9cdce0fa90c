"""Commands about the plugin: install, uninstall, status."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from nous.shells.cli.common import CommandScope, common, emit
from nous.shells.plugin import registration as registration
from nous.shells.plugin.registration import Registration


@click.group()
def plugin() -> None:
    """Install, check or remove the Claude Code plugin."""


@plugin.command()
@common
def install(scope: CommandScope) -> None:
    """Load the plugin in every new Claude Code session."""
    tell(scope, registration.install(os.environ), "new sessions of Claude Code have Nous now")


@plugin.command()
@common
def uninstall(scope: CommandScope) -> None:
    """Remove the plugin and restore your settings. Memories stay."""
    tell(scope, registration.uninstall(os.environ), "the memories are kept")


@plugin.command()
@common
def status(scope: CommandScope) -> None:
    """Show whether the plugin is installed, outdated or broken, and why."""
    tell(scope, registration.status(os.environ), "")


def tell(scope: CommandScope, report: Registration, done: str) -> None:
    """Print how things stand; what was just achieved, and what helps, go to stderr."""
    emit(scope, report, lambda: lines(report))
    if scope.as_json:
        return
    if report.state in ("outdated", "broken"):
        click.echo("hint: `nous admin plugin install` writes it anew", err=True)
    elif done:
        click.echo(done if report.changed else "nothing to do", err=True)


def lines(report: Registration) -> Iterator[str]:
    """A report for a person."""
    version = f" (version {report.installed_version})" if report.installed_version else ""
    yield f"plugin: {report.state}{version}"
    yield from (f"  {reason}" for reason in report.reasons)
