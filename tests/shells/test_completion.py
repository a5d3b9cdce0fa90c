"""The tabulator key: commands, subcommands and choices complete in the shells that the reference names."""

from __future__ import annotations

import pytest

from factories import Home


def completed(home: Home, words: str, place: int) -> list[str]:
    asked = {"_NOUS_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(place)}
    return [line.partition(",")[2] for line in home.nous(cwd=home.home, **asked).stdout.splitlines()]


def test_commands_and_choices_complete(home: Home) -> None:
    assert {"config", "confirm"} <= set(completed(home, "nous con", 1))
    assert set(completed(home, "nous config ", 2)) == {"list", "get", "set", "unset"}
    assert completed(home, "nous admin ver", 2) == ["verify"]
    assert completed(home, "nous admin export x --format mark", 5) == ["markdown"]
    assert "verify" not in completed(home, "nous verif", 1)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_of_the_reference_is_known(home: Home, shell: str) -> None:
    done = home.nous(cwd=home.home, _NOUS_COMPLETE=f"{shell}_source")
    assert "_NOUS_COMPLETE" in done.stdout
