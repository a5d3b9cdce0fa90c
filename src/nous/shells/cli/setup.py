"""`nous init` and `nous uninstall`: everything set up by one command, and taken out by one."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import click
import msgspec

from nous import __version__
from nous.app import Nous, system_clock
from nous.config import Settings, load_settings
from nous.errors import ConfigError
from nous.features.model_reader.history import (
    NEWEST,
    HistoryChoice,
    HistoryPlan,
    OldSession,
    ReadingCost,
    answer_tokens,
    current_plan,
    keep_plan,
    plan_for,
    reading_cost,
    weigh,
)
from nous.identity import identify
from nous.kernel.capture.backfill import Progress
from nous.providers.claude_cli import DEFAULT_MODEL
from nous.providers.llm import Price, price_of
from nous.shells import setup
from nous.shells.cli.actions import current_speaker
from nous.shells.cli.common import CommandScope, common, emit, many, open_memory, size_text
from nous.shells.daemon import control
from nous.shells.plugin import registration as plugin
from nous.shells.preview import preview
from nous.shells.setup import Client, FoundModel, History, Learnt, Removed, Speed, Surroundings

MODELS = ("none", "claude", "anthropic", "ollama", "openai")
CHOICES: tuple[HistoryChoice, ...] = ("now", "here", "newest", "later")
SMALL_USD = 0.5  # a history that costs no more than this is read as a whole when somebody just presses Enter
SHOWN_LINES = 12
SPIN_SECONDS = 0.2
NO_MODEL = "once Claude Code, Ollama or a key is here, `nous init` offers it"


Show = Callable[[str], None]


class InitReport(msgspec.Struct, frozen=True):
    """What `nous init` found and did.

    `learned` are the active memories that are new, None when the history was not read; `left` transcripts are read
    by the daemon. `model` reads finished sessions; `model_usd` is what it, or a small hosted one, takes for the
    earlier sessions; `readings` are those that it will read. `told` is what the next session here will be told.
    """

    version: str
    client: Client | None
    models: tuple[str, ...]
    plugin: str
    changed: tuple[str, ...]
    speed: Speed | None
    prompts: bool
    history: History
    learned: int | None
    left: int
    memories: int
    pid: int
    http: str | None
    http_port: int
    model: str
    model_usd: float
    daily_usd: float
    readings: int
    readings_usd: float
    project: str
    told: tuple[str, ...]


class Wishes(NamedTuple):
    """What the options say; None where a person is asked."""

    learn: bool | None
    model: str | None
    history: HistoryChoice | None


class Agreed(NamedTuple):
    """What the user wants: history learned or not, which model, and which earlier sessions it reads."""

    learn: bool
    model: FoundModel | None
    plan: HistoryPlan | None
    usd: float
    changes_model: bool = False


@click.command()
@click.option("--yes", is_flag=True, help="Read the earlier sessions without asking.")
@click.option("--no-backfill", is_flag=True, help="Do not read earlier sessions, and do not ask.")
@click.option("--no-measure", is_flag=True, help="Skip the measurement of the hooks.")
@click.option(
    "--runs", type=click.IntRange(1), default=setup.ROUNDS, show_default=True, help="How many rounds to measure."
)
@click.option(
    "--model", type=click.Choice(MODELS), help="The model that reads sessions, or `none`; asked for if not given."
)
@click.option(
    "--read-history", type=click.Choice(CHOICES), help="Which earlier sessions the model reads; asked for if not given."
)
@common
def init(
    scope: CommandScope,
    yes: bool,
    no_backfill: bool,
    no_measure: bool,
    runs: int,
    model: str | None,
    read_history: HistoryChoice | None,
) -> None:
    """Set up the plugin, the hooks and the daemon, and read your history. Safe to run again.

    It asks before it reads anything and before anything is sent anywhere. Without a terminal every answer is no.
    """
    if yes and no_backfill:
        raise click.UsageError("--yes and --no-backfill exclude each other")
    load_settings(os.environ)  # a malformed one is named before anything is done
    found = setup.look_around(os.environ)
    setup.begin(os.environ)
    report = plugin.install(os.environ)
    is_agent = current_speaker().kind == "agent"  # what transcripts say is learned from when a person wants it
    can_ask = sys.stdin.isatty() and not scope.as_json and not is_agent
    learn = True if yes and not is_agent else None if can_ask and not no_backfill else False
    chosen_model = model or (None if can_ask else "")
    history, agreed, learnt = _history(found, Wishes(learn, chosen_model, read_history), can_ask)
    changed = setup.choose_model(os.environ, agreed.model) if agreed.changes_model else False
    unread = system_clock() if learnt is None and history.files else None
    changed = setup.keep_setting(os.environ, "read_since", _first(unread)) or changed
    speed, is_slower = (None, False) if no_measure else _measure(runs)
    pid = setup.start_daemon(os.environ, afresh=changed or is_slower)
    done = _report(found, report, speed, history, agreed, learnt, pid)
    emit(scope, done, lambda: _lines(done))


def _report(
    found: Surroundings,
    report: plugin.Registration,
    speed: Speed | None,
    history: History,
    agreed: Agreed,
    learnt: Learnt | None,
    pid: int,
) -> InitReport:
    settings = load_settings(os.environ)
    with open_memory() as nous:
        here = identify(os.getcwd(), nous.settings.data_dir)
        told = tuple(line.text for line in preview(nous, here).start)
        memories, plan = setup.active_memories(nous), current_plan(nous.stores.ledger)
    return InitReport(
        version=__version__,
        client=found.client,
        models=tuple(_name(one) for one in found.models),
        plugin=report.state,
        changed=report.changed,
        speed=speed,
        prompts=settings.enable_userpromptsubmit,
        history=History(history.sessions, history.bytes, history.projects),
        learned=learnt.memories if learnt else None,
        left=learnt.left if learnt else 0,
        memories=memories,
        pid=pid,
        http=(control.health(settings.socket_path) or {}).get("http"),
        http_port=settings.http_port,
        model=settings.llm_provider,
        model_usd=agreed.usd,
        daily_usd=settings.daily_usd,
        readings=len(plan.sessions) if plan else 0,
        readings_usd=plan.usd if plan else 0.0,
        project=here.root or here.id,
        told=told,
    )


# -- asking ---------------------------------------------------------------------------------------------------------


def _history(found: Surroundings, wishes: Wishes, can_ask: bool) -> tuple[History, Agreed, Learnt | None]:
    """What lies on disk unread, what the user wants, and what was learned of it; None when it was not to be read."""
    with open_memory() as nous:
        history, sessions = setup.unread_history(nous)
        here = identify(os.getcwd(), nous.settings.data_dir).id
        if can_ask:
            for line in _found_lines(found, history):
                click.echo(line, err=True)
        learn = wishes.learn if wishes.learn is not None else bool(history.files) and _may_learn()
        agreed = _agree(nous, found, wishes._replace(learn=learn), weigh(sessions), here, can_ask)
        if agreed.plan is not None:
            keep_plan(nous.stores.ledger, agreed.plan)
        if not learn and history.files:
            return history, agreed, None
        with _spinning("learning") as show:
            seconds = setup.FOREGROUND_SECONDS if can_ask else None
            learnt = setup.learn_history(nous, history.files, here, lambda step: show(_step(step)), seconds)
        return history, agreed, learnt


def _agree(
    nous: Nous, found: Surroundings, wishes: Wishes, sessions: Sequence[OldSession], here: str, can_ask: bool
) -> Agreed:
    """Which model reads along, and which earlier sessions, asked where it is not said."""
    settings, is_wanted = nous.settings, bool(wishes.learn)
    if wishes.model is None and settings.llm_provider != "none":
        wishes = wishes._replace(model="")  # chosen before; nobody is asked twice
    ready = [one for one in found.models if not one.trouble]
    model, changes = _chosen_model(nous, wishes, found, ready, sessions)
    reader = model or (None if changes else _set_model(settings))
    price = _price(settings, reader or FoundModel("claude", "claude", DEFAULT_MODEL))
    usd = reading_cost(sessions, price, answer_tokens(nous.stores.ledger)).usd
    if reader is None or not sessions or (wishes.history is None and current_plan(nous.stores.ledger) and not changes):
        return Agreed(is_wanted, model, None, round(usd, 2), changes)
    choice = wishes.history or "later"
    if wishes.history is None and can_ask and is_wanted:
        choice = _ask_history(nous, settings, sessions, here, price, reader)
    plan, _ = plan_for(nous.stores.ledger, settings, sessions, choice, here, price, nous.clock())
    return Agreed(is_wanted, model, plan, round(usd, 2), changes)


def _chosen_model(
    nous: Nous, wishes: Wishes, found: Surroundings, ready: Sequence[FoundModel], sessions: Sequence[OldSession]
) -> tuple[FoundModel | None, bool]:
    """The model that shall read, and whether that is to be written down."""
    if wishes.model == "none":
        return None, True
    if wishes.model:
        return found.model(wishes.model), True
    if wishes.model == "" or not ready:
        return None, False
    return _ask_model(nous, ready, sessions), True


def _set_model(settings: Settings) -> FoundModel | None:
    """The model that the settings name already."""
    if settings.llm_provider in ("none", "") or settings.llm_provider.startswith("recorded"):
        return None
    name = settings.llm_model or DEFAULT_MODEL
    return FoundModel(settings.llm_provider, settings.llm_provider, name, settings.llm_base_url)


def _price(settings: Settings, model: FoundModel) -> Price:
    said = settings.llm_input_usd >= 0 and settings.llm_output_usd >= 0
    given = Price(settings.llm_input_usd, settings.llm_output_usd) if said else None
    return price_of(model.model, local=model.is_local, given=given)


def _may_learn() -> bool:
    question = "Learn from these sessions? This uses rules, no model: nothing leaves this machine."
    return click.confirm(question, default=True, err=True)


def _ask_model(nous: Nous, ready: Sequence[FoundModel], sessions: Sequence[OldSession]) -> FoundModel | None:
    """The model that may read along; Enter takes the first."""
    first = ready[0]
    for line in _offer_lines(nous, first, sessions):
        click.echo(line, err=True)
    others = [one.name for one in ready[1:]]
    ways = f"Y/n{', or ' + ', '.join(others) if others else ''}"
    while True:
        said = click.prompt(f"May {first.name} read your sessions? [{ways}]", default="y", show_default=False, err=True)
        answer = str(said).strip().lower()
        if answer in ("y", "yes", first.name):
            return first
        if answer in ("n", "no", "none"):
            return None
        if answer in others:
            return ready[1 + others.index(answer)]
        click.echo(f"Answer y, n{', or ' + ', '.join(others) if others else ''}.", err=True)


def _offer_lines(nous: Nous, model: FoundModel, sessions: Sequence[OldSession]) -> Iterator[str]:
    typical = _typical(nous, _price(nous.settings, model), sessions)
    yield ""
    yield "A model can read finished sessions too. It understands more than rules do: what matters later, what has"
    yield "changed, what is still open. We recommend it."
    yield f"  who    {_name(model)}"
    cap = "" if model.is_local else f", at most ${nous.settings.daily_usd:.2f} a day (`nous admin cost`)"
    yield f"  cost   about {_about(typical.tokens)} tokens a session, {_dollars(typical.usd, model)}{cap}"
    yield f"  sends  what was said and done in each finished session, secrets removed, {_where(model)}"
    yield "         (`nous config set llm_provider none --project PATH` excludes a project)"


def _typical(nous: Nous, price: Price, sessions: Sequence[OldSession]) -> ReadingCost:
    """What one session takes on average: of those on disk, else of a middling one."""
    every = reading_cost(sessions, price, answer_tokens(nous.stores.ledger))
    if not every.sessions:
        return reading_cost([OldSession("", "", "", 0.0, 0, 1, 8_000)], price)
    sent, answered = (round(part / every.sessions) for part in (every.input_tokens, every.output_tokens))
    return ReadingCost(1, sent, answered, every.usd / every.sessions)


def _where(model: FoundModel) -> str:
    if model.is_local:
        return f"to Ollama on this machine ({model.base_url}); nothing leaves it"
    places = {"claude": "to Anthropic, through your `claude` login", "anthropic": "to Anthropic", "openai": "to OpenAI"}
    return places[model.provider]


def _dollars(usd: float, model: FoundModel) -> str:
    if model.is_local:
        return "free"
    return f"${usd:.3f} at list price" if usd < 0.1 else f"${usd:.2f} at list price"


def _ask_history(
    nous: Nous, settings: Settings, sessions: Sequence[OldSession], here: str, price: Price, model: FoundModel
) -> HistoryChoice:
    """Which earlier sessions the model reads."""
    costs = {
        choice: plan_for(nous.stores.ledger, settings, sessions, choice, here, price, nous.clock())[1]
        for choice in CHOICES
    }
    every = costs["now"]
    usual: HistoryChoice = "now" if every.usd <= SMALL_USD else "newest"
    how = "This happens in the background, this project first."
    click.echo(f"\nWhich earlier sessions should {model.name} read? {how}", err=True)
    means: dict[HistoryChoice, str] = {
        "now": "all of them",
        "here": "those of this project",
        "newest": f"the newest {NEWEST}",
    }
    said: list[ReadingCost] = []
    for choice, text in means.items():
        about = costs[choice]
        if about in said:
            continue  # the same sessions by another name
        said.append(about)
        what = f"{about.sessions} sessions, {_about(about.tokens)} tokens, {_dollars(about.usd, model)}"
        if about.sessions:
            click.echo(f"  {choice:<7} {text:<22} {what}", err=True)
    click.echo(f"  {'later':<7} {'none now':<22} `nous read --all-projects --since 90d` reads them", err=True)
    ways = click.Choice(CHOICES)
    answer: HistoryChoice = click.prompt("Your choice", type=ways, default=usual, show_choices=False, err=True)
    return answer


def _about(tokens: int) -> str:
    """A number that is not more exact than it is: 17,472 is 17,000."""
    return f"{round(tokens, 2 - len(str(tokens))):,}"


# -- working --------------------------------------------------------------------------------------------------------


def _measure(runs: int) -> tuple[Speed, bool]:
    """The speed of hooks here, and whether the setting that depends on it had to change."""
    with _spinning("measuring how fast the hooks answer"):
        speed = setup.measure_hooks(runs)
    return speed, setup.keep_setting(os.environ, "enable_userpromptsubmit", True if speed.passed else None)


def _first(moment: str | None) -> str | None:
    """The moment before which sessions are history: the first one ever said, so that a second run changes nothing."""
    return (load_settings(os.environ).read_since or moment) if moment else None


def _step(progress: Progress) -> str:
    if progress.done == progress.files:
        return f"{progress.done} transcripts read; preparing the brief"
    return f"{progress.done} of {progress.files} transcripts read"


@contextmanager
def _spinning(text: str) -> Iterator[Show]:
    """A line that moves while something is done; what is handed back changes its words. Only on a terminal."""
    said, ending = [text], threading.Event()

    def spin() -> None:
        began = time.monotonic()
        while not ending.wait(SPIN_SECONDS):
            seconds = time.monotonic() - began
            mark = "|/-\\"[int(seconds / SPIN_SECONDS) % 4]
            click.echo(f"\r\033[K{mark} {said[0]} ({seconds:.0f} s)", err=True, nl=False)

    thread = threading.Thread(target=spin, daemon=True)
    is_shown = sys.stderr.isatty()
    if is_shown:
        thread.start()
    try:
        yield lambda words: said.__setitem__(0, words)
    finally:
        ending.set()
        if is_shown:
            thread.join()
            click.echo("\r\033[K", err=True, nl=False)


# -- saying ---------------------------------------------------------------------------------------------------------


def _found_lines(found: Surroundings, history: History) -> Iterator[str]:
    client = f"Claude Code {found.client.version}".strip() if found.client else "no Claude Code yet"
    yield f"Nous {__version__}. Found on this machine:"
    yield f"  client    {client}"
    yield f"  models    {', '.join(_name(one) for one in found.models) or 'none (no `claude`, no Ollama, no key)'}"
    yield f"  sessions  {_size(history) if history.files else 'none to learn from'}"
    yield ""


def _name(model: FoundModel) -> str:
    return f"{model.name} ({model.remark})" if model.remark else model.name


def _size(history: History) -> str:
    projects = many(history.projects, "project", "projects")
    sessions = many(history.sessions, "earlier session", "earlier sessions")
    return f"{sessions} in {projects} ({size_text(history.bytes)})"


def _lines(done: InitReport) -> Iterator[str]:
    """What was done, what the next session here will see, and where to look."""
    yield f"sessions  {_about_client(done)}"
    yield f"speed     {_about_hooks(done)}"
    yield f"history   {_about_history(done)}"
    yield f"model     {_about_model(done)}"
    yield f"daemon    {_about_daemon(done)}"
    yield ""
    yield from _about_here(done)
    yield ""
    yield "`nous status` shows progress, `nous panel` shows everything, `nous uninstall` removes it all again."


def _about_client(done: InitReport) -> str:
    if done.plugin != "installed":
        return f"the plugin is {done.plugin}: `nous admin plugin status` says why"
    if done.client is None:
        return "Claude Code was not found; once it is installed, its sessions start with the brief of their project"
    name = f"Claude Code {done.client.version}".strip()
    if done.client.is_too_old:
        return f"{name} is too old for the plugin; it needs {'.'.join(map(str, setup.OLDEST_CLIENT))} or newer"
    return f"every new session of {name} starts with the brief of its project"


def _about_hooks(done: InitReport) -> str:
    if done.speed is None:
        return "not measured; Nous adds " + ("to first prompts too" if done.prompts else "nothing to first prompts")
    start, prompt = f"sessions start about {done.speed.start:.0f} ms slower", f"{done.speed.prompt:.0f} ms"
    if done.prompts:
        return f"{start}, and their first prompt takes about {prompt} longer"
    return f"{start}; a first prompt would take {prompt} longer, so Nous leaves it alone here"


def _about_history(done: InitReport) -> str:
    if done.learned is None:
        return f"{_size(done.history)} not read; `nous backfill` reads them"
    if not done.history.bytes:
        return f"no new sessions on disk; {many(done.memories, 'memory', 'memories')} in all"
    left = f"; {done.left} transcripts follow in the background" if done.left else ""
    return f"{_size(done.history)} read, {many(done.memories, 'memory', 'memories')} in all{left}"


def _about_model(done: InitReport) -> str:
    if done.model == "none":
        how = f"`nous init --model {done.models[0].partition(' ')[0]}` changes that" if done.models else NO_MODEL
        return f"none, so nothing is sent anywhere; {how}"
    about = f"{done.model} reads sessions as they end, for at most ${done.daily_usd:.2f} a day"
    if not done.readings:
        return about
    return f"{about}; {done.readings} earlier ones now, for at most ${done.readings_usd:.2f}"


def _about_daemon(done: InitReport) -> str:
    where = f", panel at {done.http}" if done.http else ""
    taken = bool(done.http and done.http_port and not done.http.endswith(f":{done.http_port}"))
    other = f" (port {done.http_port} is taken)" if taken else ""
    return f"runs (process {done.pid}){where}{other}; only you can open it"


def _about_here(done: InitReport) -> Iterator[str]:
    if not done.told:
        known = "`nous recall` finds what was learned" if done.memories else "Nous has learned nothing about it yet"
        yield f"Your next session in {done.project} will start as usual: {known}."
        return
    yield f"Your next session in {done.project} will see:"
    yield from (f"  - {line}" for line in done.told[:SHOWN_LINES])
    if len(done.told) > SHOWN_LINES:
        yield f"  … and {len(done.told) - SHOWN_LINES} more (`nous preview`)"


@click.command()
@click.option("--purge", is_flag=True, help="Delete the memories too. This cannot be undone.")
@click.option("--yes", is_flag=True, help="Do not ask before deleting memories.")
@common
def uninstall(scope: CommandScope, purge: bool, yes: bool) -> None:
    """Stop the daemon and remove everything that Nous installed. Memories stay, unless you add --purge."""
    if purge and not yes:
        _ask_before_purge()
    done = setup.uninstall(os.environ, purge=purge)
    emit(scope, done, lambda: _removal_lines(done))


def _ask_before_purge() -> None:
    folder = load_settings(os.environ).data_dir
    if not sys.stdin.isatty():
        raise ConfigError(f"deleting {folder} has to be confirmed at a terminal", hint="--yes deletes it unasked")
    click.confirm(f"Delete every memory in {folder} for good?", abort=True, err=True)


def _removal_lines(done: Removed) -> Iterator[str]:
    yield "the daemon was stopped" if done.daemon else "no daemon was running"
    yield from (f"removed {path}" for path in done.removed)
    yield from (f"removed our entries from {path}; the rest is unchanged" for path in done.restored)
    if not done.removed and not done.restored:
        yield "nothing was installed"
    if done.kept:
        folder = load_settings(os.environ).data_dir
        yield f"kept in {folder}: {', '.join(done.kept)}"
    if done.kept and not done.purged:
        click.echo("hint: `nous uninstall --purge` deletes the memories too", err=True)
