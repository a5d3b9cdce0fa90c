"""Process mining: how knowledge comes, comes back, is corrected and fades; each figure says how it is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from statistics import median
from typing import TYPE_CHECKING

from nous.features.signals.store import Observations
from nous.features.status.figures import Figure
from nous.features.status.store import Mining
from nous.kernel.memory.memory import Memory
from nous.moments import days_between

if TYPE_CHECKING:
    from nous.kernel.stores import Cache, Memories, Stores

FLAG = 0.15  # a learning that more than this share of sessions teaches again is not reaching them
FEW = 5  # sessions below which a rate says nothing
WEEKS = 8
MOST = 5


def metrics(stores: Stores, project_id: str | None, now: str) -> list[Figure]:
    """Every figure about one project, or about all."""
    memories = _memories(stores.memories, stores.cache, project_id)
    sessions = stores.mining.number("sessions", project_id)
    return [
        _recurrence(stores.mining, project_id, memories, sessions),
        _effectiveness(stores.mining, project_id),
        _burst(stores.mining, project_id, now),
        _velocity(stores.mining, project_id),
        _corrections(stores.mining, project_id, len(memories)),
        _decay(stores.mining, memories.values(), now),
        _hotspots(stores.mining, project_id, memories),
        _errors(stores.observations, project_id),
    ]


def _memories(memories: Memories, cache: Cache, project_id: str | None) -> dict[int, Memory]:
    projects = [project_id] if project_id else ["", *(row["project_id"] for row in cache.projects())]
    found = (memory for project in projects for memory in memories.visible(project))
    return {one.id: one for one in found if one.status == "active" and (not project_id or one.project_id == project_id)}


def _recurrence(mining: Mining, project_id: str | None, memories: dict[int, Memory], sessions: int) -> Figure:
    rates = [(row["id"], row["sessions"] / max(1, sessions)) for row in mining.rows("relearned", project_id)]
    flagged = [(number, rate) for number, rate in rates if rate > FLAG and number in memories]
    how = "sessions that taught a memory again, of all sessions; the mean over active memories"
    if sessions < FEW:
        return Figure("recurrence rate", None, "%", how, f"only {sessions} sessions so far")
    mean = sum(rate for _, rate in rates) / max(1, len(memories))
    told = tuple(
        (f"#{number} {memories[number].content[:60]}", round(100 * rate, 1)) for number, rate in flagged[:MOST]
    )
    note = f"{_taught(len(flagged))} taught again in more than {FLAG:.0%} of the sessions" if flagged else ""
    return Figure("recurrence rate", round(100 * mean, 2), "%", how, note, told)


def _taught(number: int) -> str:
    return "1 memory is" if number == 1 else f"{number} memories are"


def _effectiveness(mining: Mining, project_id: str | None) -> Figure:
    [row] = mining.rows("shown", project_id)
    how = "memories shown to sessions without a correction by the user, of all shown to sessions that are over"
    if not row["shown"]:
        return Figure("injection effectiveness", None, "%", how, "nothing was shown to a session that is over")
    return Figure(
        "injection effectiveness", round(100 * row["well"] / row["shown"], 1), "%", how, f"of {row['shown']} shown"
    )


def _burst(mining: Mining, project_id: str | None, now: str) -> Figure:
    ages = [(days_between(row["day"] + "T00:00:00.000Z", now), row["n"]) for row in mining.rows("born", project_id)]
    week, month = (sum(n for age, n in ages if 0 <= age <= days) / days for days in (7, 30))
    how = "new learnings a day in the last 7 days, divided by those in the last 30"
    return Figure(
        "burst index", round(week / month, 2) if month else None, "×", how, "" if month else "nothing in 30 days"
    )


def _velocity(mining: Mining, project_id: str | None) -> Figure:
    born, met = (_weeks(mining.rows(name, project_id)) for name in ("born", "session_days"))
    weeks = sorted(met)[-WEEKS:]
    series = tuple((week, round(born[week] / met[week], 2)) for week in weeks)
    how = "new learnings per session, by week"
    total = sum(met.values())
    return Figure(
        "learning velocity", round(sum(born.values()) / total, 2) if total else None, "per session", how, "", series
    )


def _weeks(rows: Iterable[dict[str, object]]) -> Counter[str]:
    from datetime import date

    found: Counter[str] = Counter()
    for row in rows:
        try:
            year, week, _ = date.fromisoformat(str(row["day"])).isocalendar()
        except ValueError:  # a record without a time
            continue
        found[f"{year}-W{week:02}"] += int(str(row["n"]))
    return found


def _folder(path: str) -> str:
    """The folder of a file: its first two names."""
    return "/".join(path.split("/")[:-1][:2]) or "."


def _corrections(mining: Mining, project_id: str | None, active: int) -> Figure:
    times = sum(row["n"] for row in mining.rows("corrected", project_id))
    how = "contradictions and replacements, divided by active memories"
    return Figure("correction density", round(times / active, 3) if active else None, "", how, f"{times} of {active}")


def _decay(mining: Mining, memories: Iterable[Memory], now: str) -> Figure:
    used = mining.list_used()
    last = [max(one.last_said_at or "", one.valid_from or one.created_at, used.get(one.id, "")) for one in memories]
    days = [max(0.0, days_between(moment, now)) for moment in last if moment]
    how = "days since an active memory was last learned, said or used; the median"
    bands = Counter(
        "a week" if age <= 7 else "a month" if age <= 30 else "three months" if age <= 90 else "longer" for age in days
    )
    series = tuple(
        (name, float(bands[name])) for name in ("a week", "a month", "three months", "longer") if bands[name]
    )
    return Figure("knowledge decay", round(median(days), 1) if days else None, "days", how, "", series)


def _hotspots(mining: Mining, project_id: str | None, memories: dict[int, Memory]) -> Figure:
    """The folders whose memories are taught again and corrected most."""
    heat: Counter[str] = Counter()
    for name, weight in (("relearned", "sessions"), ("corrected_memories", "times")):
        for row in mining.rows(name, project_id):
            memory = memories.get(row["id"])
            heat[_folder(memory.files[0]) if memory and memory.files else ""] += row[weight]
    how = "times that memories about files of a folder were taught again or corrected"
    found = ((folder, float(times)) for folder, times in heat.most_common() if times > 1 and folder not in ("", "."))
    series = tuple(found)[:MOST]
    note = "" if series else "no folder stands out"
    return Figure("hotspots", float(len(series)) if series else None, "folders", how, note, series)


def _errors(observations: Observations, project_id: str | None) -> Figure:
    rows = observations.errors(project_id, MOST)
    told = tuple(
        (f"{row['error_message'][:70]} ({row['resolved_how'] or 'not ended'})", float(row["sessions"])) for row in rows
    )
    how = "errors with the same fingerprint in two sessions or more, and what ended them"
    return Figure(
        "errors that came back", float(len(rows)) if rows else None, "errors", how, "" if rows else "none", told
    )
