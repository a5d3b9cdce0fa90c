"""The whole product on real projects, each with weights that were learned without it: one command, one process each.

    python -m bench.realtalk                      every project left out once; writes bench/results/realtalk.json
    python -m bench.realtalk --against OLD.json   says beside it which differences are real (a paired bootstrap)
    python -m bench.realtalk --shipped            with the weights that the package carries
    python -m bench.realtalk --oracle             the annotators' facts are remembered: selection alone
    python -m bench.realtalk --together           all projects of one person: what is told in another than its own

It is the shared runner (`realtalk.py`) with its calls answered in this process: commands by the command line's own
functions, hooks by the daemon's reception. So both say the same, and this one takes minutes.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec

from bench.realtalk_data import LASTING, USEFUL, load, marked, projects, second_reader
from nous.core.language.sentences import sentences

HOLDS = 0.7  # share of a sentence's words that a memory has which holds it
ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
RESULT = ROOT / "bench" / "results" / "realtalk.json"
Units = dict[str, dict[str, Counter[str]]]
RATIOS = {
    "found": ("found", "facts"), "worth": ("worth", "said"), "shown": ("shown_worth", "shown"),
    "stale": ("stale", "ended"), "kept": ("kept", "needs"), "start": ("start", "needs"),
    "prompt": ("prompt", "needs"), "recall": ("recall", "needs"),
    "lasting": ("shown_lasting", "shown"), "useful": ("shown_useful", "shown"),
}  # fmt: skip


def runner(shared: Path) -> Any:
    """The shared runner as a module."""
    spec = importlib.util.spec_from_file_location("realtalk", shared / "eval" / "realtalk.py")
    assert spec and spec.loader
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def player(judged: Any) -> Any:
    """The runner's project, answered in this process, that also counts what happened session by session."""

    class Played(judged.Project):  # type: ignore[misc]
        def call(self, *args: str, stdin: str = "") -> str:
            from click.testing import CliRunner

            from nous.shells.cli import nous

            done = CliRunner().invoke(nous, list(args), input=stdin, env=self.env)
            if done.exit_code:
                raise RuntimeError(f"{self.name}: nous {' '.join(args)}: {done.output[-300:]}") from done.exception
            return done.stdout

        def hook(self, event: str, session: str, cwd: str, **more: str) -> str:
            from nous.config import load_settings
            from nous.shells.reception import Reception

            if not hasattr(self, "reception"):
                self.reception = Reception(load_settings(self.env))
            payload = {"session_id": session, "cwd": cwd, "hook_event_name": event, **more}
            with mock.patch.dict(os.environ, self.env):
                out = self.reception.respond(event, json.dumps(payload).encode())
            return json.loads(out)["hookSpecificOutput"].get("additionalContext") or "" if out else ""

        def judge(self, memories: list[Any], met: list[Any], packets: list[Any]) -> dict[str, Any]:
            result: dict[str, Any] = super().judge(memories, met, packets)
            shown = ("id", "content", "type", "confidence")
            result["all"] = [{k: m[k] for k in shown} | {"worth": self.is_worth(m)} for m in self.said(memories)]
            result["met"] = met
            units = counted(judged, self, self.said(memories), met, packets, result)
            result["units"] = {name: dict(count) for name, count in units.items()}
            return result

        def said(self, memories: list[Any]) -> list[Any]:
            """Those that rest on the user's words alone."""
            return [m for m in memories if m["evidence"] and m["evidence"] <= set(self.keep)]

        def close(self) -> None:
            if hasattr(self, "reception"):
                self.reception.close()
            super().close()

    return Played


def counted(
    judged: Any, project: Any, said: list[Any], met: list[Any], packets: list[Any], result: dict[str, Any]
) -> dict[str, Counter[str]]:
    """What is counted of a project that was played, by the session that it belongs to."""
    lines = ((file.stem, line) for file in project.files for line in file.open(encoding="utf-8"))
    where = {json.loads(line).get("uuid"): session for session, line in lines}
    count: dict[str, Counter[str]] = {file.stem: Counter() for file in project.files}
    ended = {name for fact in project.facts.values() for name in fact.get("ends", [])}
    for name, fact in project.facts.items():
        mine = count[where[min(fact["uuids"])]]
        if name in ended:
            mine.update(ended=1, stale=int(name in result["stale_ids"]))
        else:
            mine.update(facts=1, found=int(name not in result["misses"]))
    for memory in said:
        count[where[min(memory["evidence"])]].update(said=1, worth=int(project.is_worth(memory)))
    by_id, texts = {m["id"]: m for m in said}, {one.uuid: one.text for one in load(project.root).messages}
    for packet in packets:
        shown = [by_id[int(i)] for i in judged.CITATION.findall(packet["start"]) if int(i) in by_id]
        grades = Counter(grade(judged, second_reader().get(project.name, {}), texts, memory) for memory in shown)
        count[packet["session"]].update(
            shown=len(shown), shown_worth=sum(map(project.is_worth, shown)), shown_lasting=grades[LASTING],
            shown_useful=grades[USEFUL],
        )  # fmt: skip
    for need in met:
        count[need["session"]].update(
            {part: int(need[part]) for part in ("kept", "start", "prompt", "recall")}, needs=1
        )
    return count


def grade(judged: Any, marks: Mapping[str, Mapping[str, str]], texts: Mapping[str, str], memory: Any) -> str:
    """The best that the second reader said of a sentence which a memory holds; nothing where that was neither."""
    held = (
        marks[uuid].get(marked(one.text), "")
        for uuid in memory["evidence"] & marks.keys()
        for one in sentences(texts[uuid])
        if judged.share(judged.words(one.text), memory["words"]) >= HOLDS
    )
    return min(filter(None, held), default="")


def weights_without(data: Path, names: Collection[str], kept: Path) -> dict[str, Path]:
    """The reader's weights without each of some projects, as files; those that are there are taken."""
    from bench.reader import learned_without

    kept.mkdir(parents=True, exist_ok=True)
    found = {name: kept / f"{name}.json" for name in names}
    missing = [name for name in names if not found[name].exists()]
    for name, made in learned_without(data, missing) if missing else ():
        found[name].write_bytes(msgspec.json.encode(made))
    return found


def play(
    task: tuple[Path, Path, Path | None, Path | None, bool], made: Callable[[Any], Any] = player
) -> dict[str, Any]:
    """One project, from its first session to its last; with weights of the reader and of needs where they are given."""
    shared, root, weights, needs, oracle = task
    from nous.core import worth
    from nous.core.extractor import decide

    judged = runner(shared)
    project = made(judged)(root, ["true"], oracle)
    os.environ["NOUS_NO_AUTOSTART"] = "1"
    learned = (
        decide.weights() if weights is None else msgspec.json.decode(weights.read_bytes(), type=decide.ReaderWeights)
    )
    needed = worth.NEEDS if needs is None else json.loads(needs.read_text("utf-8"))
    try:
        with mock.patch.object(decide, "weights", return_value=learned), mock.patch.object(worth, "NEEDS", needed):
            result: dict[str, Any] = project.play()
    finally:
        project.close()
    return result


def together(shared: Path, roots: Collection[Path]) -> Iterator[str]:
    """All projects learned by one memory, and the lines of their starts that another project's sessions taught."""
    judged = runner(shared)
    home = player(judged)(next(iter(roots)), ["true"], False)
    os.environ["NOUS_NO_AUTOSTART"] = "1"
    places = {root.name: str(home.home / "work" / root.name) for root in roots}
    try:
        for root in roots:
            Path(places[root.name]).mkdir(parents=True)
            for file in root.glob("projects/**/*.jsonl"):
                records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
                told = [record | {"cwd": places[root.name]} if "cwd" in record else record for record in records]
                target = home.home / "claude" / file.relative_to(root)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text("".join(json.dumps(record) + "\n" for record in told), encoding="utf-8")
        home.call("backfill", "--json")
        known = {memory["id"]: memory for memory in home.memories()}
        for name, place in places.items():
            start = home.hook("SessionStart", f"probe-{name}", place, source="startup")
            cited = [int(number) for number in judged.CITATION.findall(start)]
            gone = [number for number in cited if number not in known]
            strange = [known[number] for number in cited if number in known]
            strange = [memory for memory in strange if Path(memory["project_id"]).name != name]
            yield f"{name:22} {len(cited):3} lines, {len(strange)} of another project, over: {gone}"
            yield from (f"    of {Path(one['project_id']).name}: {one['content']}" for one in strange)
    finally:
        home.close()


def summed(units: Units, drawn: Mapping[str, Collection[str]] | None = None) -> Counter[str]:
    """The counts of all sessions together, or of those that were drawn."""
    total: Counter[str] = Counter()
    for project, sessions in units.items():
        for session in drawn[project] if drawn is not None else sessions:
            total.update(sessions[session])
    return total


def shares(total: Mapping[str, int]) -> dict[str, float]:
    """The figures in percent."""
    return {name: 100 * total.get(part, 0) / max(1, total.get(whole, 0)) for name, (part, whole) in RATIOS.items()}


def compared(before: Units, after: Units, draws: int = 2000) -> Iterator[str]:
    """What changed, with the middle 95 % of drawing projects and sessions again: paired, so only the change counts."""
    chance = random.Random(0)
    names = sorted(set(before) & set(after))
    before, after = ({name: side[name] for name in names} for side in (before, after))
    gain = {key: shares(summed(after))[key] - old for key, old in shares(summed(before)).items()}
    drawn: dict[str, list[float]] = {name: [] for name in RATIOS}
    for _ in range(draws):
        totals = (Counter[str](), Counter[str]())
        for name in chance.choices(names, k=len(names)):
            sessions = chance.choices(sorted(after[name]), k=len(after[name]))
            for total, side in zip(totals, (before, after), strict=True):
                total.update(summed({name: side[name]}, {name: sessions}))
        old, new = map(shares, totals)
        for key in RATIOS:
            drawn[key].append(new[key] - old[key])
    for key, values in drawn.items():
        values.sort()
        low, high = values[int(0.025 * draws)], values[int(0.975 * draws)]
        verdict = "real" if low > 0 or high < 0 else "may be chance"
        yield f"{key:7} {gain[key]:+5.1f} points ({low:+.1f} to {high:+.1f}): {verdict}"


def main() -> int:
    """Play the projects and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--shipped", action="store_true")
    parser.add_argument("--oracle", action="store_true")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--json", type=Path, default=RESULT)
    parser.add_argument("--full", type=Path, help="everything, with misses and junk: holds text, never commit it")
    parser.add_argument("--against", type=Path)
    parser.add_argument("--weights", type=Path, help="where the weights without each project are, or are put")
    parser.add_argument("--needs", type=Path, help="the same for the weights of needs")
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    if args.together:
        print(*together(args.shared, projects(args.shared / "data")), sep="\n")
        return 0
    roots = sorted(path.parent for path in (args.shared / "data" / "realtalk").glob("*/labels.json"))
    roots = [root for root in roots if not args.only or root.name in args.only]
    if not roots:
        print("no labelled project found", file=sys.stderr)
        return 2
    from bench.needs import needs_without

    own = args.shipped or args.oracle
    names = [root.name for root in roots]
    with tempfile.TemporaryDirectory() as folder:
        kept = args.weights or Path(folder)
        weights = {} if own else weights_without(args.shared / "data", names, kept)
        needs = {} if own else needs_without(args.shared, roots, weights, args.needs or Path(folder) / "needs")
        tasks = [(args.shared, root, weights.get(root.name), needs.get(root.name), args.oracle) for root in roots]
        with multiprocessing.get_context("spawn").Pool(args.processes) as pool:
            results = pool.map(play, tasks, chunksize=1)
    report(args, results)
    return 0


def report(args: argparse.Namespace, results: list[dict[str, Any]]) -> None:
    """Print the table and write the counts; texts only where they were asked for."""
    judged = runner(args.shared)
    total = {key: sum(r[key] for r in results) for key in results[0] if isinstance(results[0][key], int)}
    weighted = sum(r["weighted"] * r["facts"] for r in results) / max(1, total["facts"])
    columns = "sess  msgs facts  found   wght  memor  worth  shown  stale  needs  kept  start  prompt recall"
    print(f"{'project':22} {columns}")
    print(*map(judged.row, [*results, total | {"project": "TOTAL", "weighted": weighted}]), sep="\n")
    units: Units = {r["project"]: {s: Counter(count) for s, count in r["units"].items()} for r in results}
    figures = {name: round(value, 2) for name, value in shares(summed(units)).items()}
    print(f"lines at start, by a second reader: lasting {figures['lasting']} %, useful {figures['useful']} %")
    kept = [{key: value for key, value in r.items() if isinstance(value, int | float | str)} for r in results]
    args.json.write_text(json.dumps({"figures": figures, "projects": kept, "units": units}, indent=1) + "\n", "utf-8")
    if args.full:
        args.full.write_text(json.dumps(results, ensure_ascii=False), "utf-8")
    if args.against:
        old = json.loads(args.against.read_text("utf-8"))["units"]
        print(*compared({p: {s: Counter(c) for s, c in rows.items()} for p, rows in old.items()}, units), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
