"""`nous bench`: measurements a user can repeat on their own machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from nous.shells.cli.common import OUT_FILE, CommandScope, common, emit
from nous.shells.latency import BARE, LatencyReport, Timing, measure


@click.group()
def bench() -> None:
    """Measure Nous on this machine."""


@bench.command()
@click.option("--runs", type=click.IntRange(1), default=200, show_default=True, help="Rounds per profile.")
@click.option("--memories", "sizes", type=click.IntRange(1), multiple=True, default=(1000,), show_default=True)
@click.option("--out", type=OUT_FILE, help="Also write the report to this file.")
@common
def hooks(scope: CommandScope, runs: int, sizes: tuple[int, ...], out: str | None) -> None:
    """Time the hooks as the client starts them, with and without the daemon."""
    report = measure(runs, sizes, lambda text: click.echo(text, err=True))
    if out:
        with open(out, "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
    emit(scope, report, lambda: _lines(report))


def _lines(report: LatencyReport) -> Iterator[str]:
    yield f"{'hook':<18} {'memories':>9} {'daemon':>7} {'p50':>7} {'p95':>7} {'p99':>7} {'×bare':>6}  failed silent"
    for timing in report.timings:
        yield _line(timing, _bare(report, timing))


def _bare(report: LatencyReport, timing: Timing) -> float:
    """The bare interpreter's p95 in the same profile."""
    same = (other for other in report.timings if other.case == BARE)
    return next(t.p95 for t in same if (t.memories, t.daemon) == (timing.memories, timing.daemon))


def _line(timing: Timing, bare: float) -> str:
    return (
        f"{timing.case:<18} {timing.memories:>9} {'yes' if timing.daemon else 'no':>7} {timing.p50:>7.1f} "
        f"{timing.p95:>7.1f} {timing.p99:>7.1f} {timing.p95 / bare:>6.2f}  {timing.failed:>6} {timing.silent:>6}"
    )


def _measured(case: str, scope: CommandScope, size: int, runs: int, out: str) -> None:
    from nous.shells import throughput

    found = throughput.CASES[case](size, runs)
    throughput.add(Path(out), found)
    emit(scope, found, lambda: iter([f"{name.replace('_', ' ')}: {value:g}" for name, value in found.figures.items()]))
    click.echo(f"added to {out}", err=True)


OUT = click.option(
    "--out",
    type=OUT_FILE,
    default="benchmark.json",
    show_default=True,
    help="The file that the figures are added to, with the machine's profile.",
)


@bench.command()
@click.option("--memories", type=click.IntRange(1), default=10_000, show_default=True, help="How many there are.")
@click.option("--runs", type=click.IntRange(1), default=100, show_default=True, help="How many questions.")
@OUT
@common
def recall(scope: CommandScope, memories: int, runs: int, out: str) -> None:
    """Time questions to made-up memories."""
    _measured("recall", scope, memories, runs, out)


@bench.command()
@click.option("--prompts", type=click.IntRange(1), default=2000, show_default=True, help="How many are read.")
@OUT
@common
def ingest(scope: CommandScope, prompts: int, out: str) -> None:
    """Time reading made-up transcripts and learning from them."""
    _measured("ingest", scope, prompts, 1, out)


@bench.command()
@click.option("--events", type=click.IntRange(1), default=50_000, show_default=True, help="How many there are.")
@OUT
@common
def replay(scope: CommandScope, events: int, out: str) -> None:
    """Time building the read models anew from the log."""
    _measured("replay", scope, events, 1, out)
