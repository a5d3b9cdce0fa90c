"""From sightings in several sessions to a learning: seldom enough, sure enough, and in words."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from nous.features.signals.promotion import (
    WORDING,
    Recurring,
    failing_commands,
    learning_of,
    promotable,
    word_sighting,
    working_commands,
)
from nous.features.signals.signals import NAMED, PROVED
from nous.kernel.log.extraction import check


def seen(signal: str = "other_command", sessions: int = 2) -> Recurring:
    said = {"other_command": "`rtk bun run test`\n`bun run test`"}.get(signal, "`npm run test`, then `npm run lint`")
    return Recurring(signal, "a.py\nb.py", said, sessions, ("u1", "u2"))


def test_what_was_seen_too_seldom_is_not_promoted() -> None:
    assert learning_of(seen(sessions=1)) is None
    found = learning_of(seen(sessions=2))
    assert found and found.content == "`rtk bun run test` fails in this project; `bun run test` works."
    assert found.confidence < 0.5, "a start does not show it before one more sign"
    surer = learning_of(seen(sessions=3))
    assert surer and surer.confidence > 0.5


def test_what_no_outcome_proves_is_never_promoted() -> None:
    for name in set(NAMED) - PROVED:
        assert promotable(seen(name, sessions=50)) is None, name


def test_a_command_that_a_memory_says_fails_is_told_from_one_that_works() -> None:
    assert failing_commands("`npm test` fails in this project; `bun test` works.") == {"npm test"}
    assert failing_commands("Never run `make deploy` by hand.") == {"make deploy"}
    assert working_commands("`npm test` fails in this project; `bun test` works.") == {"bun test"}


@pytest.mark.parametrize("name", sorted(PROVED))
def test_every_signal_has_words_that_keep_the_contract(name: str) -> None:
    assert name in WORDING
    content = word_sighting(seen(name))
    found = learning_of(seen(sessions=3))
    assert found
    learning = replace(found, content=content[:390], type=NAMED[name].becomes)
    assert check(learning) is learning
    assert content.endswith(".")


def test_a_wrapper_that_fails_is_told_once_with_all_its_commands() -> None:
    one = "`rtk bun run test`\n`bun run test`\nunrecognized subcommand 'bun'\ngit"
    other = "`rtk bun run lint`\n`bun run lint`\nunrecognized subcommand 'bun'\n"
    content = word_sighting(Recurring("other_command", "rtk", one, 2, ("r1",), (one, other)))
    assert content == (
        "The wrapper `rtk` always fails for `bun` (unrecognized subcommand 'bun'): "
        "run plain `bun run lint` and `bun run test` instead. `rtk` works for git."
    )


def test_the_environment_of_a_project_is_told_with_commands_that_hold_on_any_machine() -> None:
    told = ("`.venv/bin/python -m pytest`", "`/home/dev/shop/.venv/bin/python -m app`")
    content = word_sighting(Recurring("interpreter", "venv", told[0], 2, ("r1",), told))
    assert content == f"Python runs from the environment `.venv` in this project: {told[0]}."
