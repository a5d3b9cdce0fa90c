"""How values travel to PostgreSQL and back, so that both engines give and take the same ones."""

from __future__ import annotations

import sys
from array import array
from typing import Any

from psycopg import Connection
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo
from psycopg.types.numeric import Int8Dumper, NumericBinaryLoader
from psycopg.types.string import StrDumperUnknown

from nous.errors import StoreError
from nous.teams.postgres.dialect import VectorBytes


class TruthDumper(Int8Dumper):
    """Yes and no are 1 and 0, as in the columns."""

    def dump(self, obj: Any) -> Any:
        return b"1" if obj else b"0"


class TextDumper(StrDumperUnknown):
    """PostgreSQL has no text with NUL in it."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", "\ufffd") if "\0" in obj else obj)


class SumLoader(NumericBinaryLoader):
    """Sums of whole numbers come as `numeric`; here they are numbers again."""

    def load(self, data: Any) -> Any:
        found = super().load(data)
        return int(found) if found == found.to_integral_value() and found.as_tuple().exponent == 0 else float(found)


class VectorLoader(Loader):
    """pgvector's own format: two bytes of dimensions, two unused, then big-endian float32."""

    format = Format.BINARY

    def load(self, data: Any) -> bytes:
        return _swap_bytes(bytes(data)[4:])


class VectorDumper(Dumper):
    """The same the other way."""

    format = Format.BINARY

    def dump(self, obj: Any) -> bytes:
        return (len(obj) // 4).to_bytes(2, "big") + b"\0\0" + _swap_bytes(bytes(obj))


def _swap_bytes(raw: bytes) -> bytes:
    """float32 in the other order of bytes."""
    found = array("f", raw)
    if sys.byteorder == "little":
        found.byteswap()
    return found.tobytes()


def register(connection: Connection[Any]) -> None:
    """Teach a connection all of this."""
    known = connection.adapters
    known.register_dumper(int, Int8Dumper)
    known.register_dumper(bool, TruthDumper)
    known.register_dumper(str, TextDumper)
    known.register_loader("numeric", SumLoader)
    vector = TypeInfo.fetch(connection, "vector")
    if vector is None:
        raise StoreError("the database has no pgvector", hint="CREATE EXTENSION vector")
    vector.register(connection)
    known.register_loader(vector.oid, VectorLoader)
    known.register_dumper(VectorBytes, type("OwnVectorDumper", (VectorDumper,), {"oid": vector.oid}))
