"""What a first prompt names: by two rare words, or by a name, and never by where a file lies."""

from __future__ import annotations

import pytest

from nous.kernel.hooks.packing import Entry
from nous.kernel.hooks.subjects import SAID, entries_named_by, rarities, words_of

LINES = {
    1: ("gotcha", "The undo buffer drops the oldest layer in `next()`, never in `store()`."),
    2: ("decision", "A booking's invoice is a header with free rows for adults and kids."),
    3: ("gotcha", "Layer masks in src/paint/masks.py are copied before blending."),
    4: ("requirement", "FolderSync runs at night only."),
}
ENTRIES = [
    Entry(number, kind, f"- {text}", 9, 0.0, sorted(words_of(text)), ()) for number, (kind, text) in LINES.items()
]
RARITY = rarities((one.words for one in ENTRIES), lambda word: word in {"the", "only", "free"})


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("The undo buffer is empty: does the oldest layer drop?", [1]),
        ("Show adults and kids in the calendar from the invoice.", [2]),
        ("Please look at the calendar of adults.", []),
        ("Move src/paint/masks.py to src/draw/masks.py.", []),
        ("Why does FolderSync take so long?", [4]),
        ("x " * SAID + "The undo buffer is empty: does the oldest layer drop?", []),
        ("continue", []),
    ],
)
def test_a_prompt_names_what_it_is_about(prompt: str, found: list[int]) -> None:
    assert [one.id for one in entries_named_by(prompt, ENTRIES, RARITY)] == found
