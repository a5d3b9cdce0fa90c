"""What models were asked, what it cost, and the switch that stops them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from nous import moments
from nous.app import Nous
from nous.features.model_reader.history import reading_state
from nous.shells.cli.common import CommandScope, common, emit, open_memory

if TYPE_CHECKING:
    from nous.providers.budget import Allowance
    from nous.providers.ledger import Spent

MONTH_SECONDS = 30 * 86400.0


@click.command()
@click.option("--off", "switch", flag_value="off", help="Stop all model calls until --on.")
@click.option("--on", "switch", flag_value="on", help="Allow model calls again.")
@click.option("--calls", type=click.IntRange(1, 1000), help="Also list this many of the latest calls.")
@common
def cost(scope: CommandScope, switch: str | None, calls: int | None) -> None:
    """Show model calls and what they cost; switch the model off and on."""
    with open_memory() as nous:
        if switch:
            nous.stores.ledger.set_state("off", nous.clock() if switch == "off" else None, nous.clock())
        data = _standing(nous) | ({"calls": nous.stores.ledger.recent(calls)} if calls else {})
    emit(scope, data, lambda: _lines(data))


def _standing(nous: Nous) -> dict[str, Any]:
    """Everything `nous admin cost` says."""
    now, ledger, settings = nous.clock(), nous.stores.ledger, nous.settings
    policy, left = nous.work.policy, nous.work.allowance()
    month = moments.later(now, -MONTH_SECONDS)
    return {
        "provider": settings.llm_provider,
        "model": settings.llm_model or None,
        "state": _state(settings.llm_provider, left),
        "today": _fields(ledger.sum_spent(moments.day_of(now))),
        "month": _fields(ledger.sum_spent(month)),
        "cap": {"tokens": policy.daily_tokens, "usd": policy.daily_usd},
        "remaining": {"tokens": left.tokens, "usd": round(left.usd, 6)},
        "by_model": ledger.by_model(month),
        "by_day": ledger.by_day(month),
        "history": reading_state(nous.stores.ledger, settings, now)["history"],
    }


def _state(provider: str, left: Allowance) -> str:
    if provider == "none":
        return "no model is chosen"
    return left.reason or "ready"


def _fields(spent: Spent) -> dict[str, Any]:
    return {
        "calls": spent.calls,
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "usd": round(spent.usd, 6),
    }


def _lines(data: dict[str, Any]) -> Iterator[str]:
    chosen = data["provider"] + (f" ({data['model']})" if data["model"] else "")
    yield f"model      {chosen}: {data['state']}"
    for name, words in (("today", "today"), ("month", "30 days")):
        yield f"{words:<10} {_sum(data[name])}"
    cap, rest = data["cap"], data["remaining"]
    yield (
        f"left today {rest['tokens']:,} of {cap['tokens']:,} tokens, ${rest['usd']:.4f} of ${cap['usd']:.2f} "
        "(until midnight UTC)"
    )
    if history := data["history"]:
        yield (
            f"history    ${history['spent']:.4f} of ${history['usd']:.2f}, apart from the day's cap; "
            f"{history['read']} of {history['sessions']} earlier sessions read"
        )
    for row in data["by_model"]:
        came = f"{row['learned']} learned, {row['rejected']} rejected, {row['failed']} calls failed"
        yield f"  {row['provider']} {row['model']} {row['version']}: {_sum(row)}, {came}"
    for call in data.get("calls", ()):
        moment = call["started_at"][:19].replace("T", " ")
        why = f": {call['error']}" if call["error"] else ""
        yield f"  {moment}  {call['provider']} {call['model']} {call['status']}{why}"


def _sum(row: dict[str, Any]) -> str:
    calls = "1 call" if row["calls"] == 1 else f"{row['calls']} calls"
    return f"{calls}, {row['input_tokens']:,} tokens in, {row['output_tokens']:,} out, ${row['usd']:.4f}"
