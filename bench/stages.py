"""What each stage and each row of the language core brings on real projects: everything, then everything without one.

    python -m bench.stages --weights FOLDER                 all rows; writes bench/results/reader-stages.md
    python -m bench.stages --weights FOLDER --only said     the rows whose name begins so, printed only

Every session of the labelled projects is learned in its order by weights that did not see its project, as `nous
backfill` would, without hooks; then facts found, memories worth keeping, needs kept and endings missed are counted. A
row of the reader is judged by what the sessions teach, a row of the comparison by what is known at the end. The weights
stay as they were learned with all rows: what a mark brings to them `bench.reader_ablation` says. A pattern that fits
nothing in a project is not played there.
"""

from __future__ import annotations

import argparse
import functools
import gc
import json
import multiprocessing
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest import mock

import msgspec

from bench.realtalk import ROOT, SHARED, Units, player, runner, shares, summed, weights_without
from nous.core.language import lexicon

RESULT = ROOT / "bench" / "results" / "reader-stages.md"
NOW = "2099-01-01T00:00:00.000Z"
NEVER = re.compile(r"(?!)")


class Row(NamedTuple):
    """Something that can be left out: its name, and what stands in its place (`module:name` and the value)."""

    name: str
    changes: tuple[tuple[str, Any], ...]

    @property
    def is_read(self) -> bool:
        """Whether it is the reader's: what sessions teach shows what it brings."""
        return not (self.changes[0][0].startswith("nous.core.compare") or self.name.startswith("lexicon compare"))


def _none(*_: Any, **__: Any) -> None:
    return None


def _nothing(*_: Any, **__: Any) -> tuple[()]:
    return ()


def _no(*_: Any, **__: Any) -> bool:
    return False


def _same(text: str, *_: Any) -> str:
    return text


def rows() -> list[Row]:
    """Every stage and every row that can be left out by itself."""
    return [*_learners(), *_patterns(), *_cues(), *_functions(), *_comparisons(), *_lexicon()]


def _learners() -> Iterator[Row]:
    learners = import_module("nous.core.extractor").LEARNERS
    for one in learners[1:]:
        rest = tuple(other for other in learners if other is not one)
        yield Row(f"extractor {one.__name__}", (("nous.core.extractor:LEARNERS", rest),))
    yield Row("extractor from_changes", (("nous.core.extractor:from_changes", _nothing),))
    yield Row("extractor tied", (("nous.core.extractor:tied", lambda _, found: list(found)),))
    yield Row("deeds _fixes", (("nous.core.extractor.deeds:_fixes", _nothing),))
    yield Row("deeds _working", (("nous.core.extractor.deeds:_working", _nothing),))


PLACES = (
    "language.sentences", "extractor.said", "extractor.compose", "extractor.changes", "extractor.triples",
    "extractor.reports", "extractor.names", "compare.change", "compare.relate", "compare.frames",
)  # fmt: skip
PLAIN = ("_LETTER", "WORD", "_PIECE", "_CLAUSE", "_PART")  # patterns by which text is taken apart


def _patterns() -> Iterator[Row]:
    """Each plain pattern of the core, by the name it has in its module."""
    for place in PLACES:
        module = import_module(f"nous.core.{place}")
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and name not in PLAIN:
                yield Row(f"{place.split('.')[1]} {name}", ((f"{module.__name__}:{name}", NEVER),))


def _cues() -> Iterator[Row]:
    cues = import_module("nous.core.extractor.cues")
    for name, value in vars(cues).items():
        if isinstance(value, cues.Cue):
            yield Row(
                f"cues {name}", ((f"{cues.__name__}:{name}._search", _none), (f"{cues.__name__}:{name}.match", _none))
            )
            rows = lexicon.row(f"cues.{value.name}")
            for language in rows if len(rows) > 1 else ():
                rest = {**rows, language: NEVER.pattern}
                yield Row(
                    f"cues {name} {language}",
                    (_table("cues", value.name, rest), (f"{cues.__name__}:{name}._patterns", {})),
                )


def _functions() -> Iterator[Row]:
    said = "nous.core.extractor.said"
    yield Row("said settled: all of it", ((f"{said}:settled", _none),))
    yield Row("said the plain statement alone", ((f"{said}:_states", _no),))
    yield Row("said a choice the agent had named", ((f"{said}:_chooses", _no),))
    yield Row("said items of an announced list", ((f"{said}:_is_announced", _no),))
    yield Row("said the refused command", ((f"{said}:refused_command", lambda *_: ""),))
    yield Row("said what was recited", ((f"{said}:recited", lambda *_, **__: ""),))
    yield Row("said the words for what is replaced", ((f"{said}:replaced_words", _none),))
    yield Row(
        "said values and relations as plain", ((f"{said}:triples", _nothing), ("nous.core.extractor.names:slot", _none))
    )
    yield Row(
        "compose lead-ins", (("nous.core.extractor.compose:strip_lead_in", _same), (f"{said}:strip_lead_in", _same))
    )
    yield Row("names slot", (("nous.core.extractor.names:slot", _none),))
    for name in ("_ports", "_owners", "_runs", "_versions", "_choices", "_copulas", "_places", "_measures"):
        yield Row(f"names {name}", ((f"nous.core.extractor.names:{name}", _none),))
    yield Row("triples", (("nous.core.extractor.story:triples", _nothing),))


def _comparisons() -> Iterator[Row]:
    relearn, parts, change = (f"nous.core.compare.{name}" for name in ("relearn", "parts", "change"))
    yield Row("relearn repeated by words", ((f"{relearn}:_repeated", lambda *_: (None, ())),))
    yield Row("relearn a slot by more or fewer words", ((f"{relearn}:_nearly_same_slot", _none),))
    yield Row("relearn what was told from memory", ((f"{relearn}:_is_target", _no),))
    yield Row("relearn endings by words", ((f"{relearn}:_stand", _none),))
    yield Row("relearn parts", ((f"{relearn}:_narrowed", lambda *_: []),))
    yield Row("relearn parts of late arrivals", ((f"{relearn}:_left", lambda *_: (None, None)),))
    for name, module in (("ROWS", parts), ("VETOES", change)):
        table = getattr(import_module(module), name)
        for one in table:
            rest = tuple(other for other in table if other is not one)
            yield Row(f"{module.rsplit('.', 1)[1]} {one.name}", ((f"{module}:{name}", rest),))
    weights = import_module("nous.core.compare.weights").ROWS
    for at, one in enumerate(import_module(change).ROWS):
        less = tuple(0.0 if place == at else value for place, value in enumerate(weights))
        yield Row(f"change {one.name}", (("nous.core.compare.weights:ROWS", less),))
    yield Row("relate differ in kind", (("nous.core.compare.relate:differ_in_kind", _no),))
    neutral = import_module("nous.core.compare.judge").Judgement("neutral", 0.5)
    yield Row(
        "judge the built-in judge",
        (("nous.core.compare.facts:compare", None), ("nous.core.compare.judge:judge", lambda *_, **__: neutral)),
    )


FILES = ("voices", "turns", "slots", "tools", "over", "triples", "words", "compare")


def _lexicon() -> Iterator[Row]:
    """Each list of words and each pattern of the tables; of a table of other rows each of these."""
    for file in FILES:
        for key, value in lexicon.table(file).items():
            if isinstance(value, str):
                yield Row(f"lexicon {file}.{key}", (_table(file, key, ""),))
            elif "fits" in value:
                yield Row(f"lexicon {file}.{key}", (_table(file, key, _never(value)),))
            elif isinstance(value, dict):
                for name in value:
                    less = {other: row for other, row in value.items() if other != name}
                    yield Row(f"lexicon {file}.{key} {name}", (_table(file, key, less),))


def _table(file: str, key: str, value: Any) -> tuple[str, Any]:
    """The tables with another value in one place, as a change."""
    own = lexicon.table
    return "nous.core.language.lexicon:table", lambda name: {**own(name), key: value} if name == file else own(name)


def _never(row: dict[str, Any]) -> dict[str, Any]:
    """A row that fits nothing and has the groups that are asked for."""
    groups = re.findall(r"\?P<(\w+)>", str(row.get("words", "")) + str(row.get("forms", "")))
    return {**row, "words": "(?!)" + "".join(f"(?P<{group}>x)" for group in groups), "forms": "(?!)"}


@contextmanager
def without(row: Row | None) -> Iterator[None]:
    """The package with a row left out; what was remembered with it is forgotten."""
    with ExitStack() as stack:
        for target, value in row.changes if row else ():
            if value is None:
                continue
            module, name = target.split(":")
            owner = import_module(module)
            *path, last = name.split(".")
            for part in path:
                owner = getattr(owner, part)
            stack.enter_context(mock.patch.object(owner, last, value))
        _forget()
        yield
    _forget()


def _forget() -> None:
    cue = import_module("nous.core.extractor.cues").Cue
    decide = import_module("nous.core.extractor.decide")
    for one in gc.get_objects():
        if isinstance(one, functools._lru_cache_wrapper) and one.__module__.startswith("nous.core"):
            one.cache_clear()
        elif isinstance(one, cue):
            one._asked.clear()
    decide._weighed.clear()


NOT_ASKED = {"start": False, "prompt": False, "recall": False}


def learner(judged: Any) -> Any:
    """The runner's project, learned in memory and asked nothing but what it knows."""
    from nous.remember.learn import _extracted

    class Learned(player(judged)):  # type: ignore[misc]
        def play(self) -> dict[str, Any]:
            from nous.providers.entailment import BuiltinEntailment
            from nous.remember.capture import take_in
            from nous.remember.learn import learn_all
            from nous.remember.reconcile import reconcile
            from nous.stores import open_stores

            stores, met = open_stores(":memory:"), []
            self.units_read: list[tuple[Any, Any]] = []
            try:
                for file in self.files:
                    wanted = [need for need in self.needs if need["session"] == file.stem]
                    known = self.known(stores) if wanted else []
                    for need in wanted:
                        holds = any(judged.states(memory, self.facts[need["fact"]]) for memory in known)
                        met.append({**need, "kept": holds, **NOT_ASKED})
                    target = self.home / file.name
                    if not target.exists():
                        target.write_text(self.placed(file), "utf-8")
                    take_in(stores, str(target), "historical_backfill", lambda: NOW)
                    with mock.patch("nous.remember.learn._extracted", self.extracted):
                        learn_all(stores, "bench", lambda: NOW)
                    reconcile(stores, BuiltinEntailment(), lambda: NOW)
                return self.judge(self.known(stores), met, [])
            finally:
                stores.close()

        def extracted(self, turns: list[Any], before: list[Any]) -> Any:
            self.units_read.append((turns, before))
            return _extracted(turns, before)

        def reread(self) -> dict[str, Any]:
            """What the sessions that were played teach now, without comparing it with anything."""
            from nous.core.extraction import Learning
            from nous.core.extractor import extract

            order = {file.stem: at for at, file in enumerate(self.files)}
            known: list[dict[str, Any]] = []
            for turns, before in self.units_read:
                for one in extract([*before, *turns], new_from=len(before)):
                    if isinstance(one, Learning):
                        told = {
                            "id": len(known),
                            "content": one.content,
                            "type": one.type,
                            "confidence": one.confidence,
                        }
                        words, session = judged.words(one.content), order.get(turns[0].session_id, 0)
                        known.append({**told, "words": words, "evidence": set(one.evidence), "session": session})
            met = [{**need, "kept": self.knew(need, known, order), **NOT_ASKED} for need in self.needs]
            return self.judge(known, met, [])

        def knew(self, need: Any, known: list[dict[str, Any]], order: dict[str, int]) -> bool:
            earlier = (one for one in known if one["session"] < order[need["session"]])
            return any(judged.states(one, self.facts[need["fact"]]) for one in earlier)

        def judge(self, memories: list[Any], met: list[Any], packets: list[Any]) -> dict[str, Any]:
            texts = frozenset((one["content"], one["type"]) for one in memories)
            result: dict[str, Any] = super().judge(memories, met, packets)
            return result | {"texts": texts}

        def placed(self, file: Path) -> str:
            """A transcript whose records are all of one directory."""
            records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
            moved = ({**one, "cwd": f"/nowhere/{self.name}"} if "cwd" in one else one for one in records)
            return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in moved)

        def known(self, stores: Any) -> list[dict[str, Any]]:
            found = (msgspec.to_builtins(one) for one in stores.memories.listing(None, limit=100_000))
            return [one | {"words": judged.words(one["content"]), "evidence": set(one["evidence"])} for one in found]

    return Learned


class Heard:
    """A pattern that notes when it fits anything."""

    def __init__(self, name: str, own: re.Pattern[str], heard: set[str]):
        self.name, self.own, self.heard = name, own, heard

    def __getattr__(self, name: str) -> Any:
        def asked(*args: Any, **more: Any) -> Any:
            if self.name not in self.heard and self.own.search(args[1] if name == "sub" else args[0]):
                self.heard.add(self.name)
            return method(*args, **more)

        method = getattr(self.own, name)
        if not callable(method):  # whoever takes what it is made of cannot be heard
            self.heard.add(self.name)
        return asked if callable(method) else method


@contextmanager
def hearing(every: Sequence[Row]) -> Iterator[set[str]]:
    """The names of the rows that may matter: all but the patterns and the cues that fit nothing meanwhile."""
    heard: set[str] = set()
    rows = {
        (row.get("words"), row.get("forms")): f"lexicon {file}.{key}"
        for file in FILES
        for key, row in lexicon.table(file).items()
        if isinstance(row, dict) and "fits" in row
    }

    def compiled(given: dict[str, Any], *more: Any, own: Any = lexicon.compiled) -> Any:
        name = rows.get((given.get("words"), given.get("forms")))
        return Heard(name, own(given, *more), heard) if name else own(given, *more)

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(lexicon, "compiled", compiled))
        for row in every:
            target, value = row.changes[0]
            module, _, name = target.partition(":")
            cue, _, part = row.changes[-1][0].partition(":")[2].partition(".")
            if value is NEVER:
                own = getattr(import_module(module), name)
                stack.enter_context(mock.patch.object(import_module(module), name, Heard(row.name, own, heard)))
            elif part == "_patterns":
                own = getattr(import_module("nous.core.extractor.cues"), cue)
                branches = lexicon.lines(lexicon.row(f"cues.{own.name}")[row.name.rsplit(" ", 1)[1]])
                _listen(stack, own, re.compile("|".join(branches)), row.name, heard)
            elif row.name not in rows.values():
                heard.add(row.name)
        _forget()
        yield heard
    _forget()


def _listen(stack: ExitStack, cue: Any, pattern: re.Pattern[str], name: str, heard: set[str]) -> None:
    for part in ("_search", "match"):

        def asked(text: str, method: Any = getattr(cue, part)) -> Any:
            found = method(text)
            if found and name not in heard and pattern.search(text.lower()):
                heard.add(name)
            return found

        stack.enter_context(mock.patch.object(cue, part, asked))


class Outcome(NamedTuple):
    """What one project gave with a row left out, or with none; `is_read` when only the reader was asked."""

    row: str
    project: str
    result: dict[str, Any]
    is_read: bool = False


def outcomes(task: tuple[Path, Path, Path, Sequence[str]]) -> list[Outcome]:
    """One project with everything, then without each of some rows."""
    shared, root, weights, names = task
    decide = import_module("nous.core.extractor.decide")
    learned = msgspec.json.decode(weights.read_bytes(), type=decide.ReaderWeights)
    wanted = [row for row in rows() if row.name in names]
    project, found = learner(runner(shared))(root, ["true"]), []
    try:
        with mock.patch.object(decide, "weights", return_value=learned):
            with hearing(wanted) as heard:
                whole = project.play()
            with without(None):
                read = project.reread()
            print(f"{root.name}: {len(heard)} of {len(wanted)} rows fit something", file=sys.stderr, flush=True)
            found += [Outcome("", root.name, whole), Outcome("", root.name, read, is_read=True)]
            for row in wanted:
                result = read if row.is_read else whole
                if row.name in heard:
                    with without(row):
                        result = project.reread() if row.is_read else project.play()
                found.append(Outcome(row.name, root.name, result, row.is_read))
    finally:
        project.close()
    return found


COUNTS = ("found", "said", "worth", "kept", "stale")
HEAD = (
    f"| left out | memories changed | {' | '.join(COUNTS)} | worth % |",
    f"| --- | --- | {' | '.join('---' for _ in COUNTS)} | --- |",
)


def table(found: Sequence[Outcome]) -> Iterator[str]:
    """A line for each row: what its absence changes, against everything."""
    yield from HEAD
    for is_read, name in ((True, "nothing (the reader alone)"), (False, "nothing (what is known)")):
        mine = [one for one in found if one.is_read == is_read]
        whole = {one.project: one for one in mine if not one.row}
        base = summed(_units(whole.values()))
        yield f"| {name} | - | {' | '.join(str(base[key]) for key in COUNTS)} | {shares(base)['worth']:.1f} |"
        for row in filter(None, dict.fromkeys(one.row for one in mine)):
            some = [one for one in mine if one.row == row]
            total = summed(_units(some))
            changed = sum(len(one.result["texts"] ^ whole[one.project].result["texts"]) for one in some)
            more = " | ".join(f"{total[key] - base[key]:+d}" for key in COUNTS)
            yield f"| {row} | {changed} | {more} | {shares(total)['worth'] - shares(base)['worth']:+.1f} |"


def _units(found: Iterable[Outcome]) -> Units:
    return {one.project: {name: Counter(count) for name, count in one.result["units"].items()} for one in found}


def main() -> int:
    """Leave every row out once and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--weights", type=Path, help="where the weights without each project are, or are put")
    parser.add_argument("--only", nargs="*", help="names of rows begin so; without a name everything is played once")
    parser.add_argument("--full", type=Path, help="everything that was judged: holds text, never commit it")
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    roots = sorted(path.parent for path in (args.shared / "data" / "realtalk").glob("*/labels.json"))
    if not roots:
        print("no labelled project found", file=sys.stderr)
        return 2
    names = [row.name for row in rows() if args.only is None or row.name.startswith(tuple(args.only) or "-")]
    with TemporaryDirectory() as folder:
        weights = weights_without(args.shared / "data", [root.name for root in roots], args.weights or Path(folder))
        tasks = [(args.shared, root, weights[root.name], names) for root in roots]
        with multiprocessing.get_context("spawn").Pool(args.processes) as pool:
            found = [one for some in pool.imap_unordered(outcomes, tasks, chunksize=1) for one in some]
    lines = list(table(found))
    print(*lines, sep="\n")
    if args.only is None:
        RESULT.write_text("\n".join(lines) + "\n", "utf-8")
    if args.full:
        args.full.write_text(json.dumps([one._asdict() for one in found], ensure_ascii=False, default=sorted), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
