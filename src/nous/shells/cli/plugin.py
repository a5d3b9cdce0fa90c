"""`nous plugin`: the plugin in the user's Claude Code."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

import click
import msgspec

from nous.shells import plugin as registration
from nous.shells.plugin import Report

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


@click.group()
def plugin() -> None:
    """The plugin in your Claude Code."""


@plugin.command()
@json_option
def install(as_json: bool) -> None:
    """Make every new Claude Code session load the plugin."""
    act(registration.install, as_json, "new sessions of Claude Code have Nous now", "nothing to do")


@plugin.command()
@json_option
def uninstall(as_json: bool) -> None:
    """Take the plugin out; settings are as they were before, memories are kept."""
    act(registration.uninstall, as_json, "the plugin is gone, the memories are kept", "nothing to do")


@plugin.command()
@json_option
def status(as_json: bool) -> None:
    """Say whether the plugin is installed, outdated or broken, and why."""
    act(registration.status, as_json, "", "")


def act(step: Callable[[Mapping[str, str]], Report], as_json: bool, done: str, idle: str) -> None:
    """Run one step and print how things stand after it."""
    report = step(os.environ)
    if as_json:
        click.echo(msgspec.json.encode(report))
        return
    version = f" (version {report.installed_version})" if report.installed_version else ""
    click.echo(f"plugin: {report.state}{version}")
    for reason in report.reasons:
        click.echo(f"  {reason}")
    if report.state in ("outdated", "broken"):
        click.echo("hint: `nous plugin install` writes it anew", err=True)
    elif done:
        click.echo(done if report.changed else idle, err=True)
