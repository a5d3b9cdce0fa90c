"""Sealing with a passphrase: ChaCha20-Poly1305 under a key made by scrypt. Needs the extra `team`.

A sealed text is MARK, the salt, the nonce, and what was sealed with its tag. Who changes a byte of it is found out.
"""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from typing import Any

from nous.errors import ConfigError, NousError

MARK = b"nous-sealed-1\n"
SALT, NONCE = 16, 12
COST = {"n": 2**15, "r": 8, "p": 1, "maxmem": 64 * 1024 * 1024}  # some 0.1 s; made once for each salt
LEAST = 8  # characters of a passphrase


def seal(data: bytes, passphrase: str, salt: bytes | None = None) -> bytes:
    """Data that only those read who know the passphrase. The same salt saves making the key anew; a nonce is fresh."""
    salt = salt or os.urandom(SALT)
    nonce = os.urandom(NONCE)
    closed: bytes = _cipher(passphrase, salt).encrypt(nonce, data, MARK)
    return MARK + salt + nonce + closed


def unseal(sealed: bytes, passphrase: str) -> bytes:
    """What was sealed; a sentence when the passphrase is another one or a byte was changed."""
    from cryptography.exceptions import InvalidTag

    if not is_sealed(sealed):
        raise NousError("this was not sealed by Nous")
    salt, rest = sealed[len(MARK) : len(MARK) + SALT], sealed[len(MARK) + SALT :]
    try:
        found: bytes = _cipher(passphrase, salt).decrypt(rest[:NONCE], rest[NONCE:], MARK)
    except (InvalidTag, ValueError):
        raise NousError("it cannot be opened: another passphrase, or it was changed") from None
    return found


def is_sealed(data: bytes) -> bool:
    """Whether data was sealed here."""
    return data.startswith(MARK)


def read_passphrase(path: str) -> str:
    """The passphrase in a file, which only its owner may read."""
    said = read_secret(path, "passphrase")
    if len(said) < LEAST:
        raise ConfigError(f"the passphrase in {path} is too short", hint=f"{LEAST} characters are the least")
    return said


def read_secret(path: str, what: str) -> str:
    """What a file holds that only its owner may read."""
    try:
        if os.stat(path).st_mode & 0o077:
            raise ConfigError(f"others can read {path}", hint=f"`chmod 600 {path}` keeps it yours")
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError as problem:
        raise ConfigError(f"the {what} cannot be read from {path}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} holds no text") from None


@lru_cache(maxsize=64)
def _cipher(passphrase: str, salt: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    except ImportError:
        raise ConfigError(
            "sealing needs the package cryptography", hint="`pip install cryptography` brings it"
        ) from None
    return ChaCha20Poly1305(hashlib.scrypt(passphrase.encode(), salt=salt, dklen=32, **COST))
