"""What is said later ends what was known, through capture and learning; a hint that ends nothing leaves no trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.changes import Pair, play

from factories import NOW
from nous.remember.capture import take_in
from nous.remember.learn import learn_all
from nous.stores import Stores
from remember.test_capture import lines, record


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("never push to main", "you can push to main directly now"),
        ("remember: scheduling is plain cron on the vm", "cron is out, i set up airflow last weekend"),
        ("always ask Petra before you touch the billing module", "no need to ask Petra about billing anymore"),
    ],
)
def test_the_old_ends_and_the_new_is_known(old: str, new: str) -> None:
    found = play(Pair("p", old, new, True, (old[-14:],), (new[:14],)))
    assert found.outcome == "right", found


def test_a_hint_that_ends_nothing_is_not_kept(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "s1.jsonl"
    file.write_bytes(lines(record("you can push to main again")))
    take_in(stores, str(file), "historical_backfill", lambda: NOW)
    assert learn_all(stores, "w", lambda: NOW).learned == 0
    assert stores.memories.listing(None) == []
