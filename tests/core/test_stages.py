"""Whatever the benchmark of stages leaves out is there to be left out."""

from __future__ import annotations

from functools import reduce
from importlib import import_module

from bench.stages import rows


def test_every_row_names_something_that_is_there_and_has_a_name_of_its_own() -> None:
    every = rows()
    assert len({row.name for row in every}) == len(every) > 200
    for row in every:
        for target, _ in row.changes:
            module, name = target.split(":")
            assert reduce(getattr, name.split("."), import_module(module)) is not None, row.name
