"""A line of a brief is shown as far as its memories may be."""

from __future__ import annotations

import msgspec
import pytest

from factories import NOW, memory
from nous.features.brief.lines import has_moved, is_of_one_area, split_lines, standing_lines
from nous.kernel.log.events import BriefLine
from nous.kernel.memory.memory import Memory

LINE = "Install with pnpm in every package; deploy the shop only from the bastion host of Oslo."


def _known(**second: object) -> dict[str, Memory]:
    first = memory(1, "Install with pnpm in every package.", type="requirement")
    other = msgspec.structs.replace(memory(2, "Deploy the shop only from the bastion host of Oslo."), **second)
    return {"a": msgspec.structs.replace(first, learning_id="a"), "b": msgspec.structs.replace(other, learning_id="b")}


def _shown(known: dict[str, Memory]) -> list[str]:
    return [line.text for line in standing_lines([BriefLine(LINE, ("a", "b"))], known, NOW)]


def test_a_line_whose_memories_all_stand_is_shown_as_it_is() -> None:
    assert _shown(_known()) == [LINE]


def test_the_clause_of_a_memory_that_waits_for_review_is_left_out() -> None:
    assert _shown(_known(tainted=True)) == ["Install with pnpm in every package"]


@pytest.mark.parametrize("end", [{"status": "archived"}, {"status": "superseded"}, {"disputed": True}])
def test_what_was_forgotten_ended_or_disputed_takes_the_line_with_it(end: dict[str, object]) -> None:
    assert _shown(_known(**end)) == []


def test_a_memory_that_is_gone_takes_the_line_with_it() -> None:
    known = _known()
    del known["b"]
    assert _shown(known) == []


def test_what_the_clauses_are_about_stays_before_them() -> None:
    known = _known()
    first = msgspec.structs.replace(known["a"], content="UI: install with pnpm in every package.", tainted=True)
    line = BriefLine(f"UI work: {LINE[0].lower()}{LINE[1:]}", ("a", "b"))
    [shown] = standing_lines([line], known | {"a": first}, NOW)
    assert shown.text == "UI work: deploy the shop only from the bastion host of Oslo."


def _wide(text: str, *types: str, by: str = "agent") -> bool:
    known = {f"m{n}": memory(n, text, type=kind, by=by) for n, kind in enumerate(types)}
    return not is_of_one_area(BriefLine(text, tuple(known)), known)


def test_what_one_area_needs_waits_for_it() -> None:
    assert _wide("Before work is done run `make check`; CI runs it too.", "procedure", "fact", "gotcha")
    assert _wide("Git: commit only when told to.", "gotcha")
    assert _wide("Everything runs on free tiers (and so on): save calls.", "fact", "requirement")
    assert _wide("Use no extra libraries.", "preference", "dead_end")
    assert not _wide("Printouts (leaflets, price lists): black and white.", "preference")
    assert not _wide("Schema changes: first docs/SCHEMAS.md.", "requirement")
    assert not _wide("The linter rejects unused hooks; use an ignore comment.", "error_pattern")
    assert not _wide("SPX prefix only for engine classes.", "architecture", "requirement", by="user")
    assert _wide("Buffers are kept on a canvas: remove them when discarded.", "gotcha", "decision", by="user")
    assert _wide("Multi-line edits fail by a tab: use small anchors.", "gotcha")


def test_a_long_line_is_one_rule_per_line_as_far_as_there_is_room() -> None:
    rules = (
        "Never put files into the root of the repository, only README.md and AGENTS.md may stand there.",
        "Keep the description of the conversation in step with the code that it describes. It is read often.",
        "Answer in plain words without any marks that the chat cannot show, in the language of whoever asks.",
    )
    known = {f"m{n}": memory(n, text, type="requirement") for n, text in enumerate(rules)}
    long = BriefLine(" ".join(rules), tuple(known))
    found = split_lines([long], known)
    assert [(one.text, one.sources) for one in found] == [(text, (f"m{n}",)) for n, text in enumerate(rules)]
    assert split_lines([long], known, 2) == [long]


def test_a_command_of_a_folder_that_nobody_touches_any_more_is_not_told() -> None:
    build = memory(1, "Build with `make kiln` in tools/kiln.", type="procedure", extractor="rules-8")
    files = [f"tools/oven/part{n}.c" for n in range(9)]
    assert has_moved(build, files)
    assert not has_moved(build, [*files, "tools/kiln/main.c"])
    assert not has_moved(build, files[:3]), "too few to tell"
    assert not has_moved(msgspec.structs.replace(build, confirmed=True), files)
