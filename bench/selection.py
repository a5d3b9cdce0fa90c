"""Selection alone: the annotators' facts of real projects are remembered in time order instead of learned; did the
start of a session that needed one show it, or its first prompt?

`python -m bench.selection [DATA]` plays every project in one process, as `realtalk.py --oracle` does with one process
per call, each with weights learned from the other projects (`bench/needs.py`): DATA holds one folder per project
(transcripts and `labels.json`, see REALTALK.md beside it). `--dated` gives every fact its true date and lets it be said
again whenever the project says it again, as a reader would find it. `--shipped` takes the weights of the package.
`--json` writes what became of each need, and `--against` compares with what was written before.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from nous import Nous
from nous.config import load_settings
from nous.core import worth
from nous.core.decay import Use, since
from nous.core.memory import Memory
from nous.core.packing import Entry
from nous.core.weights import Weights
from nous.hookstore import HookStore
from nous.recall.search import Hit, Query, recall
from nous.recall.unasked import unasked
from nous.shells.answers import HookContext, answer
from nous.stores.sqlite import Sqlite

DATA = Path(__file__).parents[2] / "shared" / "data" / "realtalk"
TYPES = {
    "rule": "requirement",
    "correction": "requirement",
    "environment": "fact",
    "command": "procedure",
    "error_fix": "error_pattern",
}
CITED = re.compile(r"\[Memory #(\d+)")
EVERY = 1000
UNDATED = "2026-01-01T00:00:00.000Z"


class Fact(NamedTuple):
    """Something a project taught: as an annotator wrote it, which records say it, what it ends."""

    id: str
    text: str
    type: str
    scope: str
    records: frozenset[str]
    ends: tuple[str, ...]


class Session(NamedTuple):
    """One session: when it began, its first prompt, its records, and the facts that it needed."""

    id: str
    at: str
    prompt: str
    records: frozenset[str]
    needs: tuple[str, ...]


class Project(NamedTuple):
    """A project's sessions in time order, and its facts."""

    name: str
    sessions: list[Session]
    facts: list[Fact]


class Moment(NamedTuple):
    """The beginning of a session: what was known, which of it is needed, what start and first prompt showed.

    `matches`: how well each memory fits the first prompt. `uses`: how each was used, and how many sessions came since.
    """

    project: str
    session: Session
    now: str
    known: list[Memory]
    needed: list[int]
    start: tuple[int, ...]
    prompt: tuple[int, ...]
    matches: dict[int, dict[str, float]]
    uses: dict[int, Use]


def projects(data: Path, only: Collection[str] = ()) -> list[Path]:
    """The folders of labelled projects."""
    found = sorted(path.parent for path in data.glob("*/labels.json"))
    return [root for root in found if not only or root.name in only]


def read(root: Path) -> Project:
    """A project as its annotator left it."""
    labels = json.loads((root / "labels.json").read_text("utf-8"))
    facts = [
        Fact(
            row["id"],
            row["fact"],
            TYPES.get(row["type"], row["type"]),
            row["scope"],
            frozenset(row["uuids"]),
            tuple(row.get("ends", ())),
        )
        for row in labels["facts"]
    ]
    needs: dict[str, list[str]] = {}
    for need in labels.get("needs", ()):
        needs.setdefault(need["session"], []).append(need["fact"])
    sessions = [_session(path, needs) for path in root.glob("projects/**/*.jsonl")]
    return Project(root.name, sorted(sessions, key=lambda session: session.at), facts)


def _session(path: Path, needs: dict[str, list[str]]) -> Session:
    rows: list[dict[str, Any]] = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    said = (row["message"].get("content") for row in rows if row.get("type") == "user")
    prompt = next((text for text in said if isinstance(text, str)), "")
    at = next((str(row["timestamp"]) for row in rows if row.get("timestamp")), "")
    records = frozenset(str(row.get("uuid")) for row in rows)
    return Session(path.stem, at, prompt, records, tuple(needs.get(path.stem, ())))


def matches(nous: Nous, project_id: str, prompt: str, now: str) -> dict[int, dict[str, float]]:
    """How well everything that a project knows fits a prompt."""
    if not prompt:
        return {}
    asked = Query(text=prompt, project_id=project_id, limit=EVERY, now=now, check_files=False)
    hits = recall(nous.stores, asked, nous.embedder, nous.settings.weights)
    return {hit.memory.id: match(hit, nous.settings.weights) for hit in hits}


def match(hit: Hit, weights: Weights) -> dict[str, float]:
    """How well a hit fits by its words and by its meaning, each as a part of the best."""
    each = {"words": ("text", weights.text), "meaning": ("vector", weights.vector)}
    return {name: hit.shares.get(part, 0.0) / weight if weight else 0.0 for name, (part, weight) in each.items()}


class Replay:
    """One project, played: before each session its packets are taken, after it what it taught is remembered."""

    def __init__(self, project: Project, home: Path, *, dated: bool = False):
        self.project, self.dated, self.now = project, dated, UNDATED
        self.cwd = home / "work" / project.name
        self.cwd.mkdir(parents=True)
        environ = {"HOME": str(home), "NOUS_DATA_DIR": str(home / "data"), "NOUS_ENABLE_USERPROMPTSUBMIT": "true"}
        os.makedirs(home / "data")
        settings = load_settings(environ)
        self.nous = Nous.open(settings=settings)
        self.nous.clock = lambda: self.now
        self.taught: dict[str, int] = {}

    def play(self) -> Iterator[Moment]:
        """Every session's beginning, in time order."""
        for session in self.project.sessions:
            if self.dated:
                self.now = max(self.now if self.now != UNDATED else "", session.at)
            yield self._begin(session)
            self._teach(session)

    def _begin(self, session: Session) -> Moment:
        self.nous.refresh()
        known = [memory for memory in self.nous.stores.memories.visible(str(self.cwd)) if memory.status == "active"]
        numbers = {memory.id for memory in known}
        needed = [self.taught.get(name, 0) for name in session.needs]
        start = self._hook("SessionStart", session, source="startup")
        prompt = self._hook("UserPromptSubmit", session, prompt=session.prompt) if session.prompt else ()
        return Moment(
            self.project.name,
            session,
            self.now,
            known,
            [number if number in numbers else 0 for number in needed],
            start,
            prompt,
            matches(self.nous, str(self.cwd), session.prompt, self.now),
            {memory.id: Use(newer=self._newer(memory, session)) for memory in known},
        )

    def _newer(self, memory: Memory, session: Session) -> int:
        """How many sessions had begun since a fact was last said: this store has no transcripts to count."""
        return sum(since(memory) < other.at <= session.at for other in self.project.sessions)

    def _hook(self, name: str, session: Session, **more: str) -> tuple[int, ...]:
        payload = {"session_id": session.id, "cwd": str(self.cwd), "hook_event_name": name, **more}
        database = self.nous.stores.db
        assert isinstance(database, Sqlite)
        hook = HookContext(HookStore(database.connection), self.now, self._search, prompts=True)
        said = answer(name, json.dumps(payload).encode(), hook)
        text = json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""
        return tuple(int(number) for number in CITED.findall(text))

    def _search(self, text: str, project_id: str, branch: str) -> list[Entry]:
        nous, settings = self.nous, self.nous.settings
        return unasked(
            nous.stores,
            text,
            project_id,
            branch,
            self.now,
            embedder=nous.embedder,
            weights=settings.weights,
        )

    def _teach(self, session: Session) -> None:
        """Remember what the annotator found in a session's records, and forget what it ends."""
        for fact in self.project.facts:
            if not fact.records & session.records or (fact.id in self.taught and not self.dated):
                continue
            first = fact.id not in self.taught
            self.taught[fact.id] = self.nous.remember(
                fact.text,
                type=fact.type,
                project=str(self.cwd),
                scope="global" if fact.scope == "global" else "project",
                session=session.id if self.dated else None,
            )
            for ended in fact.ends if first else ():
                if number := self.taught.get(ended):
                    self.nous.forget(number)


def play(roots: Collection[Path], *, dated: bool = False) -> list[Moment]:
    """The beginnings of all sessions of some projects."""
    found: list[Moment] = []
    for root in roots:
        with tempfile.TemporaryDirectory() as home:
            replay = Replay(read(root), Path(home), dated=dated)
            found += replay.play()
            replay.nous.close()
    return found


class Row(NamedTuple):
    """What became of a project's needs, and how much was shown."""

    needs: int
    kept: int
    start: int
    prompt: int
    sessions: int
    lines: int
    added: int


def row(moments: Collection[Moment]) -> Row:
    """The figures of some sessions."""
    needs = [(number, moment) for moment in moments for number in moment.needed]
    return Row(
        len(needs),
        sum(number > 0 for number, _ in needs),
        sum(number in moment.start for number, moment in needs),
        sum(number in (*moment.start, *moment.prompt) for number, moment in needs),
        len(moments),
        sum(len(moment.start) for moment in moments),
        sum(len(moment.prompt) for moment in moments),
    )


def table(moments: Collection[Moment]) -> Iterator[str]:
    """One line per project, and one for all."""
    yield f"{'project':20} needs   kept  start prompt   lines at start, added by the first prompt"
    names = sorted({moment.project for moment in moments})
    for name in [*names, ""]:
        found = row([moment for moment in moments if not name or moment.project == name])
        shares = (f"{100 * part / max(1, found.needs):5.1f}%" for part in (found.kept, found.start, found.prompt))
        each = (f"{part / max(1, found.sessions):5.1f}" for part in (found.lines, found.added))
        yield f"{name or 'all':20} {found.needs:5} {' '.join((*shares, *each))}"


Outcomes = dict[str, list[tuple[bool, bool]]]


def outcomes(moments: Collection[Moment]) -> Outcomes:
    """Per project, in time order: whether each need was met at the start, and after the first prompt."""
    found: Outcomes = {}
    for moment in moments:
        met = [(number in moment.start, number in (*moment.start, *moment.prompt)) for number in moment.needed]
        found.setdefault(moment.project, []).extend(met)
    return found


def compared(before: Outcomes, after: Outcomes, draws: int = 2000) -> Iterator[str]:
    """How much more is met than before, with the middle 95 % of what drawing the projects' needs again gives."""
    chance = random.Random(0)
    for place, name in enumerate(("start", "prompt")):
        pairs = [pair for project in after for pair in zip(before[project], after[project], strict=True)]
        gains = [new[place] - old[place] for old, new in pairs]
        drawn = sorted(sum(chance.choices(gains, k=len(gains))) / len(gains) for _ in range(draws))
        low, high = (100 * drawn[int(share * draws)] for share in (0.025, 0.975))
        yield f"{name}: {100 * sum(gains) / len(gains):+.1f} points ({low:+.1f} to {high:+.1f})"


def left_out(roots: Collection[Path], *, dated: bool = False) -> list[Moment]:
    """Every project played with what the others taught about needs."""
    from bench.needs import learn

    taught = play(roots, dated=True)
    found: list[Moment] = []
    for root in roots:
        weights = learn(moment for moment in taught if moment.project != root.name)
        with mock.patch.object(worth, "NEEDS", weights):
            found += play([root], dated=dated)
    return found


def main() -> int:
    """Play the projects and print what was met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", default=DATA)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--dated", action="store_true")
    parser.add_argument("--shipped", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--against", type=Path)
    args = parser.parse_args()
    roots = projects(args.data, args.only)
    if not roots:
        print("no labelled project found", file=sys.stderr)
        return 2
    moments = (play if args.shipped else left_out)(roots, dated=args.dated)
    print(*table(moments), sep="\n")
    if args.json:
        args.json.write_text(json.dumps(outcomes(moments)), "utf-8")
    if args.against:
        print(*compared(json.loads(args.against.read_text("utf-8")), outcomes(moments)), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
