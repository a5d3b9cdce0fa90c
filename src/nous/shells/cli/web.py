"""Commands about servers and the daemon's parts: serve, watch, worker, hub, panel."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Callable
from urllib.parse import quote

import click
from msgspec.structs import replace

from nous.config import Settings, load_settings
from nous.errors import NousError
from nous.identity import identify
from nous.shells.cli.common import CommandScope, common, emit
from nous.shells.daemon import control, parts
from nous.shells.daemon import engine as running
from nous.shells.web import serving
from nous.shells.web.keys import machine_token


@click.command()
@click.option("--new-token", is_flag=True, help="Create a new token first; open panels must be reopened.")
@click.option("--check", is_flag=True, help="Only check whether it runs; exits 1 if not.")
@common
def serve(scope: CommandScope, new_token: bool, check: bool) -> None:
    """Serve the panel, the API and the hooks on this machine. `nous up` does this too."""
    settings = load_settings(os.environ)
    if check:
        _check(scope, settings, "serve")
        return
    machine_token(settings.data_dir, anew=new_token)
    click.echo("serving the panel and the API; `nous panel` opens it, Ctrl-C ends it", err=True)
    parts.serve(settings)


@click.command()
@click.option("--check", is_flag=True, help="Only check whether it runs; exits 1 if not.")
@common
def watch(scope: CommandScope, check: bool) -> None:
    """Watch transcripts in a separate process; `nous worker` learns from them."""
    _part(scope, "watch", check, parts.watch)


@click.command()
@click.option("--check", is_flag=True, help="Only check whether it runs; exits 1 if not.")
@common
def worker(scope: CommandScope, check: bool) -> None:
    """Learn from queued transcripts in a separate process."""
    _part(scope, "worker", check, parts.work)


def _part(scope: CommandScope, part: control.Process, check: bool, run: Callable[[Settings], None]) -> None:
    settings = load_settings(os.environ)
    if check:
        _check(scope, settings, part)
        return
    click.echo(f"`nous {part}` runs; Ctrl-C ends it", err=True)
    run(settings)


def _check(scope: CommandScope, settings: Settings, part: control.Process) -> None:
    running = parts.is_alive(settings, part)
    emit(scope, {"running": running}, lambda: iter([f"`nous {part}` {'runs' if running else 'does not run'}"]))
    if not running:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("action", type=click.Choice(["serve"]))
@click.option("--bind", metavar="ADDRESS", help="Listen on this address; default: this machine only.")
@click.option("--port", type=click.IntRange(0, 65535), help="On this port.")
@common
def hub(scope: CommandScope, action: str, bind: str | None, port: int | None) -> None:
    """Run a hub (`nous admin hub serve`) that devices sync with, each with its own token.

    `nous admin token create NAME` creates a token. A team shares the memories of chosen projects; your own devices
    share everything, encrypted. On a network it needs https (`tls_cert_file`), and can require client certificates
    (`tls_client_ca_file`).
    """
    chosen = load_settings(os.environ)
    chosen = replace(
        chosen,
        serve_hub=True,
        http_bind=bind or chosen.http_bind,
        http_port=chosen.http_port if port is None else port,
    )
    machine_token(chosen.data_dir)
    where = f"{chosen.http_bind}:{chosen.http_port}"
    click.echo(f"a hub on {where}; `nous admin token create NAME` lets a device in, Ctrl-C ends it", err=True)
    parts.serve(chosen, running.Engine(chosen, parts=frozenset({"learn"})))


@click.command()
@click.option("--no-browser", is_flag=True, help="Only print the address. It works once, for one minute.")
@common
def panel(scope: CommandScope, no_browser: bool) -> None:
    """Open the panel in your browser. Starts the daemon if it is not running."""
    settings = load_settings(os.environ)
    if serving.find_published(settings.data_dir) is None:
        control.start(settings, dict(os.environ))
        if serving.find_published(settings.data_dir) is None:
            raise NousError("the daemon runs without HTTP", hint="`nous admin logs` says why; `serve_http` may be off")
    said = serving.find_published(settings.data_dir) or {}
    code = serving.ask(settings, "POST", "/v1/auth/codes")["code"]
    here = identify(scope.project or os.getcwd(), settings.data_dir).id if not scope.all_projects else ""
    url = f"{said['url']}/panel/#code={code}" + (f"&project={quote(here, safe='')}" if here else "")
    opened = not no_browser and webbrowser.open(url)
    text = f"the panel is open: {said['url']}/panel/" if opened else f"open this within a minute (it works once): {url}"
    emit(scope, {"url": url, "opened": opened}, lambda: iter([text]))
