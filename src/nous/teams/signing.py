"""Signed tokens for services: EdDSA, so that whoever has the public key can check one. Needs the extra `team`.

Only one algorithm is ever accepted, and a token must say for whom it is, whose it is and when it ends.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from nous import paths
from nous.errors import ConfigError

FILE = "token.key"
ALGORITHM = "EdDSA"
ISSUER = "nous"
NEEDED = ["exp", "iat", "aud", "iss", "sub", "jti"]


class Signer:
    """The key of one server: it signs tokens and knows its own again."""

    def __init__(self, key: Any):
        from cryptography.hazmat.primitives import hashes, serialization

        self._key = key
        self._public = key.public_key()
        raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
        digest = hashes.Hash(hashes.SHA256())
        digest.update(self._public.public_bytes(*raw))
        self.audience = "nous:" + digest.finalize().hex()[:24]  # a token of another server is for somebody else
        self.public_key: str = self._public.public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        ).decode()

    def sign(self, claims: Mapping[str, Any]) -> str:
        """A token that says this."""
        import jwt

        return jwt.encode({"iss": ISSUER, "aud": self.audience} | dict(claims), self._key, algorithm=ALGORITHM)

    def read(self, token: str) -> dict[str, Any] | None:
        """What a token of this server says; None when it is none, was changed, is for another one or has ended."""
        import jwt

        try:
            found: dict[str, Any] = jwt.decode(
                token,
                self._public,
                algorithms=[ALGORITHM],
                audience=self.audience,
                issuer=ISSUER,
                options={"require": NEEDED},
            )
        except (jwt.PyJWTError, ValueError, TypeError):
            return None
        return found


def open_signer(data_dir: str, *, make: bool = False) -> Signer | None:
    """The signer of a data directory; None when it has no key and none shall be made."""
    path = os.path.join(data_dir, FILE)
    if not make and not os.path.exists(path):
        return None
    try:
        import jwt  # noqa: F401
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError:
        hint = "`pip install '.[team]'` in your clone brings them"
        raise ConfigError("signed tokens need the packages cryptography and pyjwt", hint=hint) from None
    with suppress(FileNotFoundError), open(path, "rb", opener=paths.private) as file:
        try:
            found = serialization.load_pem_private_key(file.read(), None)
        except (ValueError, TypeError):
            raise ConfigError(f"{path} holds no key", hint="move it away; tokens signed with it end") from None
        if not isinstance(found, Ed25519PrivateKey):
            raise ConfigError(f"{path} holds a key of another kind", hint="move it away; a new one is made")
        return Signer(found)
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    partial = f"{path}.{os.getpid()}"
    with open(partial, "wb", opener=paths.private) as file:
        file.write(pem)
    os.replace(partial, path)
    return Signer(key)
