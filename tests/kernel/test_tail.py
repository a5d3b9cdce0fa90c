"""Only complete lines are read, whatever was written so far."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nous.kernel.capture.tail import read_new


def read(path: Path, offset: int = 0, max_line: int = 1 << 20) -> list[bytes | None]:
    return [line.data for line in read_new(str(path), offset, max_line)]


def test_a_tail_without_newline_waits(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_bytes(b'{"a":1}\n{"b":')
    assert read(file) == [b'{"a":1}\n']
    with file.open("ab") as more:
        more.write(b"2}\n")
    assert read(file, 8) == [b'{"b":2}\n']


def test_an_overlong_line_is_passed_over_without_being_held(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_bytes(b"a\n" + b"x" * 1000 + b"\nb\n")
    assert read(file, max_line=100) == [b"a\n", None, b"b\n"]


def test_an_overlong_line_that_is_not_finished_waits(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_bytes(b"a\n" + b"x" * 1000)
    assert read(file, max_line=100) == [b"a\n"]


@given(
    lines=st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\n", b"")), max_size=20), cut=st.integers(0, 700)
)
def test_reading_in_two_steps_gives_the_same_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], cut: int
) -> None:
    folder = tmp_path_factory.mktemp("tail")
    whole = b"".join(line + b"\n" for line in lines)
    file = folder / "t"
    file.write_bytes(whole[:cut])
    first = list(read_new(str(file), 0))
    file.write_bytes(whole)
    second = list(read_new(str(file), first[-1].end if first else 0))
    assert [line.data for line in (*first, *second)] == [line + b"\n" for line in lines]
