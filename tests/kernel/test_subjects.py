"""What a first prompt is about: a good part of what it names, and never what it says itself."""

from __future__ import annotations

import pytest

from nous.kernel.hooks.packing import Entry
from nous.kernel.hooks.subjects import LONGEST_PROMPT, entries_about, is_told, rarities, words_of

LINES = {
    1: ("undo buffer", "The undo buffer drops the oldest layer in `next()`, never in `store()`."),
    2: ("bookings, invoice", "A booking's invoice is a header with free rows for adults and kids."),
    3: ("src/paint/masks.py", "Layer masks are copied before blending."),
    4: ("FolderSync", "FolderSync runs at night only."),
    5: ("invoice, export", "Invoices go to the accountant with the payment's number, which the receipt shows."),
    6: ("free", "Free rows of the hall are painted grey before summer by a hired crew."),
}
ENTRIES = [
    Entry(
        number, "gotcha", f"- {text}", 9, 0.0, sorted(words_of(f"{about} {text}")), (), subjects=sorted(words_of(about))
    )
    for number, (about, text) in LINES.items()
]
RARITY = rarities((one.words for one in ENTRIES), lambda word: word in {"the", "only", "free"})


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("The undo buffer is empty after a save, why?", [1]),
        ("Where does the invoice get its header from?", [2]),
        ("Please look at the calendar of adults.", []),
        ("Which rows are free, and which are painted grey?", []),  # its one subject is an everyday word
        ("Where does the invoice get its header from? " + "And so on. " * 40, []),
        ("Why does FolderSync take so long?", [4]),
        ("FolderSync runs only at night", []),
        ("The export shows a wrong invoice number.", [5]),
        ("x " * LONGEST_PROMPT + "The undo buffer is empty after a save, why?", []),
        ("continue", []),
    ],
)
def test_a_prompt_is_about_what_it_covers(prompt: str, found: list[int]) -> None:
    assert [one.id for one in entries_about(prompt, ENTRIES, RARITY)] == found


def test_what_means_something_else_is_left_out() -> None:
    asked = "The undo buffer is empty after a save, why?"
    assert not entries_about(asked, ENTRIES, RARITY, lambda text, others: [0.1] * len(others))
    assert entries_about(asked, ENTRIES, RARITY, lambda text, others: [0.9] * len(others))


def test_a_line_of_several_memories_need_not_tell_what_each_says() -> None:
    joined = Entry(1, "gotcha", "- Undo: keep it fast. [Memory #1, #3: 2026-01]", 9, 0.0, (), (), beside=(3,))
    whole = joined._replace(line="- The undo buffer drops the oldest layer in `next()`. [Memory #1, #3: 2026-01]")
    assert not is_told(ENTRIES[0], [joined])
    assert is_told(ENTRIES[0], [whole])
    assert not is_told(ENTRIES[2], [whole])
