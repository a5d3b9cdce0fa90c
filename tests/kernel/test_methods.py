"""Methods that are loaded when they are called."""

from __future__ import annotations

import inspect
from typing import Any

from nous.kernel.methods import MethodsOf

textwrap: Any = MethodsOf("textwrap")


class Text(str):
    shorten = textwrap.shorten


def test_the_function_takes_the_place_of_the_row_at_the_first_call() -> None:
    import textwrap as loaded

    assert vars(Text)["shorten"] is not loaded.shorten
    assert Text("one two three").shorten(9) == "one [...]"
    assert vars(Text)["shorten"] is loaded.shorten
    assert "width" in inspect.signature(Text.shorten).parameters


def test_a_row_may_be_called_as_the_function_that_it_stands_for() -> None:
    assert textwrap.dedent("  a") == "a"
