"""What is read of Python's standard library is what Python itself reads of it."""

from __future__ import annotations

import os

from bench.code_truth import library, measure


def test_definitions_and_imports_are_those_that_python_sees() -> None:
    files = library()
    found = measure(files if os.environ.get("NOUS_THOROUGH") else files[::40])
    assert found["definitions"].there > 1000 and found["imports"].there > 200
    assert found["definitions"].recall >= 0.995 and found["definitions"].precision >= 0.995
    assert found["imports"].recall >= 0.99 and found["imports"].precision >= 0.99
    assert found["variables"].recall >= 0.9
