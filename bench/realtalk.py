"""The whole product on real projects, each with weights that were learned without it: one command, one process each.

    python -m bench.realtalk                      every project left out once; writes bench/results/realtalk.json
    python -m bench.realtalk --against OLD.json   says beside it which differences are real (a paired bootstrap)
    python -m bench.realtalk --shipped            with the weights that the package carries
    python -m bench.realtalk --oracle             the annotators' facts are remembered: selection alone

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
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
RESULT = ROOT / "bench" / "results" / "realtalk.json"
Units = dict[str, dict[str, Counter[str]]]
RATIOS = {
    "found": ("found", "facts"), "worth": ("worth", "said"), "shown": ("shown_worth", "shown"),
    "stale": ("stale", "ended"), "kept": ("kept", "needs"), "start": ("start", "needs"),
    "prompt": ("prompt", "needs"), "recall": ("recall", "needs"),
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
            result["units"] = {name: dict(count) for name, count in self.units(memories, met, packets, result).items()}
            return result

        def said(self, memories: list[Any]) -> list[Any]:
            """Those that rest on the user's words alone."""
            return [m for m in memories if m["evidence"] and m["evidence"] <= set(self.keep)]

        def units(self, memories: Any, met: Any, packets: Any, result: Any) -> dict[str, Counter[str]]:
            """What is counted, by the session that it belongs to."""
            lines = ((file.stem, line) for file in self.files for line in file.open(encoding="utf-8"))
            where = {json.loads(line).get("uuid"): session for session, line in lines}
            count: dict[str, Counter[str]] = {file.stem: Counter() for file in self.files}
            ended = {name for fact in self.facts.values() for name in fact.get("ends", [])}
            for name, fact in self.facts.items():
                mine = count[where[min(fact["uuids"])]]
                if name in ended:
                    mine.update(ended=1, stale=int(name in result["stale_ids"]))
                else:
                    mine.update(facts=1, found=int(name not in result["misses"]))
            said = {m["id"]: m for m in self.said(memories)}
            for memory in said.values():
                mine = count[where[min(memory["evidence"])]]
                mine["said"] += 1
                mine["worth"] += self.is_worth(memory)
            for packet in packets:
                shown = [said[int(i)] for i in judged.CITATION.findall(packet["start"]) if int(i) in said]
                count[packet["session"]]["shown"] += len(shown)
                count[packet["session"]]["shown_worth"] += sum(map(self.is_worth, shown))
            for need in met:
                mine = count[need["session"]]
                mine["needs"] += 1
                mine.update({part: int(need[part]) for part in ("kept", "start", "prompt", "recall")})
            return count

        def close(self) -> None:
            if hasattr(self, "reception"):
                self.reception.close()
            super().close()

    return Played


def weights_without(data: Path, names: Collection[str], kept: Path) -> dict[str, Path]:
    """The reader's weights without each of some projects, as files; those that are there are taken."""
    from bench.reader import learned_without

    kept.mkdir(parents=True, exist_ok=True)
    found = {name: kept / f"{name}.json" for name in names}
    missing = [name for name in names if not found[name].exists()]
    for name, made in learned_without(data, missing) if missing else ():
        found[name].write_bytes(msgspec.json.encode(made))
    return found


def play(task: tuple[Path, Path, Path | None, bool]) -> dict[str, Any]:
    """One project, from its first session to its last."""
    shared, root, weights, oracle = task
    from nous.core.extractor import decide

    judged = runner(shared)
    project = player(judged)(root, ["true"], oracle)
    os.environ["NOUS_NO_AUTOSTART"] = "1"
    learned = (
        decide.weights() if weights is None else msgspec.json.decode(weights.read_bytes(), type=decide.ReaderWeights)
    )
    try:
        with mock.patch.object(decide, "weights", return_value=learned):
            result: dict[str, Any] = project.play()
    finally:
        project.close()
    return result


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
    parser.add_argument("--json", type=Path, default=RESULT)
    parser.add_argument("--full", type=Path, help="everything, with misses and junk: holds text, never commit it")
    parser.add_argument("--against", type=Path)
    parser.add_argument("--weights", type=Path, help="where the weights without each project are, or are put")
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    roots = sorted(path.parent for path in (args.shared / "data" / "realtalk").glob("*/labels.json"))
    roots = [root for root in roots if not args.only or root.name in args.only]
    if not roots:
        print("no labelled project found", file=sys.stderr)
        return 2
    own = args.shipped or args.oracle
    names = [root.name for root in roots]
    with tempfile.TemporaryDirectory() as folder:
        kept = args.weights or Path(folder)
        weights = {} if own else weights_without(args.shared / "data", names, kept)
        tasks = [(args.shared, root, weights.get(root.name), args.oracle) for root in roots]
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
    kept = [{key: value for key, value in r.items() if isinstance(value, int | float | str)} for r in results]
    args.json.write_text(json.dumps({"figures": figures, "projects": kept, "units": units}, indent=1) + "\n", "utf-8")
    if args.full:
        args.full.write_text(json.dumps(results, ensure_ascii=False), "utf-8")
    if args.against:
        old = json.loads(args.against.read_text("utf-8"))["units"]
        print(*compared({p: {s: Counter(c) for s, c in rows.items()} for p, rows in old.items()}, units), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
