"""`nous init` and `nous uninstall`: everything set up by one command, and taken out by one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import click
import msgspec

from nous import __version__
from nous.app import Nous, system_clock
from nous.config import load_settings
from nous.errors import ConfigError
from nous.shells import plugin, setup
from nous.shells.cli.actions import current_speaker
from nous.shells.cli.common import CommandScope, common, emit, opened
from nous.shells.setup import Client, History, Removed, Speed
from nous.work import Progress

MODELS = ("none", "claude", "anthropic")  # those that need no further setting


class InitReport(msgspec.Struct, frozen=True):
    """What `nous init` found and did. `learned` is None when the history was not read.

    `model` reads sessions beside the rules; `model_usd` is what a small hosted one would take for the history found.
    """

    version: str
    client: Client | None
    plugin: str
    changed: tuple[str, ...]
    speed: Speed | None
    prompts: bool
    history: History
    learned: int | None
    pid: int
    model: str
    model_usd: float


@click.command()
@click.option("--yes", is_flag=True, help="Read the sessions that are on disk without asking.")
@click.option("--no-backfill", is_flag=True, help="Do not read them and do not ask.")
@click.option("--no-measure", is_flag=True, help="Do not measure the hooks; the first prompt stays as it is set.")
@click.option("--runs", type=click.IntRange(10), default=30, show_default=True, help="Rounds of the measurement.")
@click.option("--model", type=click.Choice(MODELS), help="Let a model read sessions too, or none (the default).")
@common
def init(scope: CommandScope, yes: bool, no_backfill: bool, no_measure: bool, runs: int, model: str | None) -> None:
    """Set everything up: plugin, hooks, history, daemon. Twice is harmless."""
    if yes and no_backfill:
        raise click.UsageError("--yes and --no-backfill exclude each other")
    client = setup.find_client(os.environ)
    setup.begin(os.environ)
    report = plugin.install(os.environ)
    speed, changed = (None, False) if no_measure else _measured(runs)
    if model is not None:
        changed = setup.keep_setting(os.environ, "llm_provider", None if model == "none" else model) or changed
    is_agent = current_speaker().kind == "agent"  # what transcripts say is learned from when a person wants it
    history, usd, learned = _history(yes, no_backfill or is_agent or (scope.as_json and not yes))
    unread = system_clock() if learned is None and history.files else None
    changed = setup.keep_setting(os.environ, "read_since", _first(unread)) or changed
    pid = setup.start_daemon(os.environ, afresh=changed)
    settings = load_settings(os.environ)
    done = InitReport(
        version=__version__,
        client=client,
        plugin=report.state,
        changed=report.changed,
        speed=speed,
        prompts=settings.enable_userpromptsubmit,
        history=_counts(history),
        learned=learned,
        pid=pid,
        model=settings.llm_provider,
        model_usd=usd,
    )
    emit(scope, done, lambda: _lines(done))


def _measured(runs: int) -> tuple[Speed, bool]:
    """The speed of hooks here, and whether the setting that depends on it had to change."""
    _tell(f"measuring the hooks on this machine ({runs} rounds)")
    speed = setup.measure_hooks(runs)
    return speed, setup.keep_setting(os.environ, "enable_userpromptsubmit", True if speed.passed else None)


def _history(yes: bool, never: bool) -> tuple[History, float, int | None]:
    """What lies on disk unread, what a model would cost for it, and how much was learned from it if that was wanted."""
    with opened() as nous:
        history = setup.unread_history(nous)
        if not history.files:
            return history, 0.0, 0
        usd = nous.work.offer(history.files)
        if never or not (yes or _is_wanted(nous, history)):
            return history, usd, None
        return history, usd, setup.learn_history(nous, history, _show)


def _is_wanted(nous: Nous, history: History) -> bool:
    """The user's answer; where nobody can answer, no."""
    if not sys.stdin.isatty():
        return False
    seconds = setup.reading_seconds(nous, history)
    about = f"{seconds} s" if seconds < 90 else f"{seconds / 60:.0f} min"
    return click.confirm(f"Learn from {_size(history)} now (about {about})?", default=True, err=True)


def _first(moment: str | None) -> str | None:
    """The moment before which sessions are history: the first one ever said, so that a second run changes nothing."""
    return (load_settings(os.environ).read_since or moment) if moment else None


def _size(history: History) -> str:
    return f"{history.sessions} earlier sessions ({history.bytes / 1e6:.1f} MB)"


def _counts(history: History) -> History:
    return History(history.sessions, history.bytes)


def _show(progress: Progress) -> None:
    if sys.stderr.isatty():
        end = "\n" if progress.done == progress.files else ""
        text = f"{progress.done}/{progress.files} transcripts, {progress.outcome.learned} learned"
        click.echo(f"\r\033[K{text}{end}", err=True, nl=False)


def _tell(text: str) -> None:
    if sys.stderr.isatty():
        click.echo(text, err=True)


def _lines(done: InitReport) -> Iterator[str]:
    """Seven lines: what happens now."""
    yield f"sessions  {_about_client(done)}"
    yield f"hooks     {_about_hooks(done)}"
    yield f"history   {_about_history(done)}"
    yield f"model     {_about_model(done)}"
    yield f"daemon    runs (process {done.pid}) and learns from sessions as they happen, on this machine only"
    yield "code      not read unless you ask: `nous index` in a project tells Nous what it defines and who calls it"
    yield "next      start a session; `nous status` says what is known, `nous uninstall` takes all of this out again"


def _about_client(done: InitReport) -> str:
    if done.plugin != "installed":
        return f"the plugin is {done.plugin}: `nous plugin status` says why"
    if done.client is None:
        return "Claude Code was not found; once it is there, its sessions begin with what is known of the project"
    name = f"Claude Code {done.client.version}".strip()
    if done.client.is_too_old:
        return f"{name} is too old for the plugin; it needs {'.'.join(map(str, setup.OLDEST_CLIENT))} or newer"
    return f"every new session of {name} begins with what is known of its project"


def _about_hooks(done: InitReport) -> str:
    prompt = "the first prompt is answered too" if done.prompts else "the first prompt is left alone"
    if done.speed is None:
        return f"not measured; {prompt}"
    speed = done.speed
    return (
        f"SessionStart {speed.start:.0f} ms, first prompt {speed.prompt:.0f} ms (p95 here; "
        f"a bare interpreter {speed.bare:.0f} ms): {prompt}"
    )


def _about_history(done: InitReport) -> str:
    if done.learned is None:
        return f"{_size(done.history)} were not read; `nous backfill` does it"
    if not done.history.bytes:
        return "nothing on disk that was not read"
    return f"{_size(done.history)} read, {done.learned} memories learned"


def _about_model(done: InitReport) -> str:
    if done.model != "none":
        return f"{done.model} reads finished sessions too; `nous cost` says what it takes and holds it to a daily cap"
    about = f", about ${done.model_usd:.2f} for this history" if done.model_usd else ""
    return f"none, so nothing is sent anywhere; `nous init --model claude` lets yours read along{about}"


@click.command()
@click.option("--purge", is_flag=True, help="Delete the memories too. This cannot be undone.")
@click.option("--yes", is_flag=True, help="Do not ask before deleting memories.")
@common
def uninstall(scope: CommandScope, purge: bool, yes: bool) -> None:
    """Stop the daemon and take out everything that Nous installed. Memories are kept unless you say otherwise."""
    if purge and not yes:
        _ask_before_purge()
    done = setup.uninstall(os.environ, purge=purge)
    emit(scope, done, lambda: _removal_lines(done))


def _ask_before_purge() -> None:
    folder = load_settings(os.environ).data_dir
    if not sys.stdin.isatty():
        raise ConfigError(f"nobody can be asked whether to delete {folder}", hint="add --yes if it is meant")
    click.confirm(f"Delete every memory in {folder} for good?", abort=True, err=True)


def _removal_lines(done: Removed) -> Iterator[str]:
    yield "the daemon was stopped" if done.daemon else "no daemon was running"
    yield from (f"removed {path}" for path in done.removed)
    yield from (f"took our part out of {path}; the rest of it is as it was" for path in done.restored)
    if not done.removed and not done.restored:
        yield "nothing was installed"
    if done.kept:
        folder = load_settings(os.environ).data_dir
        yield f"kept in {folder}: {', '.join(done.kept)}"
    if done.kept and not done.purged:
        click.echo("hint: `nous uninstall --purge` deletes the memories too", err=True)
