"""What a pronoun stands for: named where the sentence before leaves no choice, left alone where it does."""

from __future__ import annotations

import pytest

from core.test_extractor import Tape
from nous.core.extractor.reference import resolved


@pytest.mark.parametrize(
    ("before", "said", "expected"),
    [
        ("The metrics sidecar is new.", "It listens on port 9100.", "The metrics sidecar listens on port 9100."),
        ("We added a metrics sidecar.", "It listens on port 9100.", "The metrics sidecar listens on port 9100."),
        ("Our till is old.", "It's a 256 MB machine.", "Our till is a 256 MB machine."),
        ("The smoke tests are slow.", "They need a real device.", "The smoke tests need a real device."),
        ("The smoke tests are slow.", "They're run at night.", "The smoke tests are run at night."),
        ("The staging cluster is small.", "Its nodes have 2 GB each.", "The staging cluster's nodes have 2 GB each."),
        ("Valkey is a fork of something older.", "It keeps sessions.", "Valkey keeps sessions."),
        ("`nightly.sh` runs at two.", "It needs a VPN.", "`nightly.sh` needs a VPN."),
    ],
)
def test_the_one_thing_of_the_sentence_before_is_named(before: str, said: str, expected: str) -> None:
    assert resolved(before, said) == expected


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("The api talks to the billing service.", "It listens on port 9100."),
        ("The api runs on eks.", "It needs two nodes."),
        ("The api reads config/app.yml.", "It is generated."),
        ("The smoke tests are slow.", "It needs a device."),
        ("The metrics sidecar is new.", "They need a device."),
        ("The metrics sidecar is new.", "It would be nice to have two."),
        ("The metrics sidecar is new.", "It's fine if you leave it."),
        ("The metrics sidecar is new.", "It looks like a mistake."),
        ("The metrics sidecar is new.", "It is recommended to leave linejunk alone."),
        ("The metrics sidecar is new.", "This is what we need."),
        ("Fix the metrics sidecar.", "It crashes."),
        ("Projects may provide further modules.", "Their location is free."),
        ("The saved file might contain blank lines.", "They appear at the end."),
        ("The smoke tests are run on devices.", "They cost money."),
        ("Exception raised when there is a compile error.", "It can be a parse error."),
        ("That is new.", "It listens on port 9100."),
        ("Thank you, it works.", "It would be nice."),
        ("", "It listens on port 9100."),
    ],
)
def test_nothing_is_guessed(before: str, said: str) -> None:
    assert resolved(before, said) is None


def test_praise_before_a_but_is_left_out() -> None:
    [found] = Tape().user("This is good, but always document how fixtures were made in docs/fixtures.md.").learned()
    assert found.content == "Always document how fixtures were made in docs/fixtures.md."


def test_the_slot_of_a_sentence_is_that_of_the_thing_and_not_of_the_project() -> None:
    found = Tape().user("Remember: the metrics sidecar is always on. It listens on port 9100.").says("Noted.").learned()
    port = next(one for one in found if "9100" in one.content)
    assert port.slot == "metric sidecar|port"
    assert not [one for one in found if one.content.startswith("It ")]
