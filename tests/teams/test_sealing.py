"""What is sealed is read by those who know the passphrase, and a changed byte is found out."""

from __future__ import annotations

from pathlib import Path

import pytest

from nous.errors import ConfigError, NousError
from nous.teams.sealing import MARK, is_sealed, read_passphrase, seal, unseal

PASSPHRASE = "correct horse battery"


def test_what_is_sealed_can_be_read_again() -> None:
    sealed = seal(b"the words" * 100, PASSPHRASE)
    assert is_sealed(sealed) and b"the words" not in sealed
    assert unseal(sealed, PASSPHRASE) == b"the words" * 100


def test_two_seals_of_the_same_differ() -> None:
    salt = bytes(16)
    assert seal(b"x", PASSPHRASE, salt) != seal(b"x", PASSPHRASE, salt)


@pytest.mark.parametrize("at", [0, len(MARK) + 3, len(MARK) + 20, -1])
def test_a_changed_byte_is_found_out(at: int) -> None:
    sealed = bytearray(seal(b"the words", PASSPHRASE))
    sealed[at] ^= 1
    with pytest.raises(NousError):
        unseal(bytes(sealed), PASSPHRASE)


def test_another_passphrase_opens_nothing() -> None:
    with pytest.raises(NousError, match="another passphrase"):
        unseal(seal(b"the words", PASSPHRASE), "correct horse batterie")
    with pytest.raises(NousError, match="another passphrase"):
        unseal(seal(b"the words", PASSPHRASE)[:40], PASSPHRASE)


def test_a_passphrase_is_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "passphrase"
    file.write_text(PASSPHRASE + "\n")
    file.chmod(0o644)
    with pytest.raises(ConfigError, match="others can read"):
        read_passphrase(str(file))
    file.chmod(0o600)
    assert read_passphrase(str(file)) == PASSPHRASE
    file.write_text("short")
    with pytest.raises(ConfigError, match="too short"):
        read_passphrase(str(file))
    with pytest.raises(ConfigError, match="cannot be read"):
        read_passphrase(str(tmp_path / "nowhere"))
