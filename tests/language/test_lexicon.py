"""The tables of the language core: every pattern fits its own example and not the other, and somebody asks for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import nous
from hostile import table_patterns, table_rows
from nous.language import cues, lexicon

FILES = sorted(Path(lexicon.__path__[0]).glob("*.toml"))
PATTERNS = dict(table_patterns())
ROWS = dict(table_rows())


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_fits_its_example_and_not_the_other(name: str) -> None:
    assert PATTERNS[name].search(ROWS[name]["fits"])
    assert not PATTERNS[name].search(ROWS[name]["unlike"])


def test_every_row_is_asked_for_and_whatever_is_asked_for_is_there() -> None:
    sources = [path.read_text("utf-8") for path in Path(nous.__path__[0]).rglob("*.py")]
    asked = {name for source in sources for name in re.findall(r'["\'](\w+\.\w+)["\']', source)}
    asked |= {f"cues.{one.name}" for one in vars(cues).values() if isinstance(one, cues.Cue)}
    asked |= {f"compare.{name}" for name in ("choices", "ways")}
    for path in FILES:
        table = lexicon.table(path.stem)
        pieces = {piece for row in ROWS.values() for piece in re.findall(r"\{([a-z_]+)\}", str(row))}
        assert {f"{path.stem}.{key}" for key in table if key not in pieces} <= asked
        assert {name for name in asked if name.startswith(f"{path.stem}.")} <= {f"{path.stem}.{key}" for key in table}


def test_a_piece_stands_for_what_its_file_has_under_its_name() -> None:
    made = lexicon.compile_row({"forms": "a {thing}\nb {ways}"}, {"thing": "x+", "ways": {"one": "y", "two": "z"}})
    assert made.pattern == "a x+|b (?P<one>y)|(?P<two>z)"
    assert made.flags & re.I and not lexicon.compile_row({"forms": "a", "is_exact": True}).flags & re.I


def test_no_alternative_is_empty_or_ends_with_a_blank_that_an_editor_would_take_away() -> None:
    for path in FILES:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            assert line == line.rstrip(), f"{path.name}:{number}"
