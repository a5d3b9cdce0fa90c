"""Questions that ask for a kind of thing, and those that only look like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nous import Nous
from nous.kernel.recall.kinds import KINDS, ThingKind, names_of_kind


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.names.split()[0])
def test_a_row_takes_its_own_question_and_leaves_the_other(kind: ThingKind) -> None:
    names = set(kind.names.split())
    assert names <= set(names_of_kind(kind.fits))
    assert not names & set(names_of_kind(kind.not_fits))


def test_a_decision_is_found_that_shares_no_word_with_the_question(tmp_path: Path) -> None:
    with Nous.open(tmp_path / "memory.db") as nous:
        nous.remember("We moved from Stripe to Mollie because of the fees", type="decision", project="p")
        nous.remember("The login page has a dark mode", project="p")
        assert [hit.content[:8] for hit in nous.recall("payment provider", project="p")] == ["We moved"]
        assert nous.recall("email provider", project="p") == []
