"""One SQL for two engines: the rules that turn what SQLite reads into what PostgreSQL reads.

Every key begins with the tenant; LIKE does not tell upper from lower case; a list is an array, not JSON. What no rule
covers has a twin marked `@postgres`, in which a cast may say how a value is to travel: `:content::words` is the list of
a text's words, `:words::phrases` that of several texts, `:vector::vector` a vector.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from nous.kernel.db.database import statement
from nous.language.text import plain_words


class Spelled(NamedTuple):
    """A statement as PostgreSQL reads it: its parameters in order, how values are turned, whether it writes."""

    sql: str
    names: tuple[str, ...]
    turns: tuple[tuple[str, str, Callable[[Any], Any]], ...]
    writes: bool
    has_tenant: bool


_LITERAL = re.compile(r"('(?:[^']|'')*')")
_LIST = re.compile(r"(?:(NOT) )?IN \(SELECT value FROM json_each\(:(\w+)\)\)")
_CAST = re.compile(r"(?<![:\w]):(\w+)::(words|phrases|vector|text\[\]|bigint\[\])")
_PLAIN = re.compile(r"(?<![:\w]):([a-z]\w*)")
_GIVEN = re.compile(r"(?<![:\w]):([a-z]\w*) IS (NOT )?NULL")
_ORDERED = re.compile(r"CROSS JOIN (\w+(?: AS \w+)? ON)")
_GREATEST = re.compile(r"\b(MAX|MIN)\(([^(),]+), ([^(),]+)\)")
_EVERY_COLUMN = re.compile(r"(?:SELECT|,|\w\.)\s*\*|RETURNING \*")


@lru_cache(maxsize=2048)
def spell(name: str) -> Spelled:
    """A named statement as PostgreSQL reads it."""
    turns: dict[str, tuple[str, str, Callable[[Any], Any]]] = {}

    def cast(found: re.Match[str]) -> str:
        value, kind = found[1], found[2]
        key = f"{value}__{re.sub(r'[^a-z]', '', kind)}"
        turns[key] = (key, value, _TURNS[kind])
        return f":{key}::{'text[]' if kind in ('words', 'phrases') else kind}"

    def spell_list(found: re.Match[str]) -> str:
        turns[f"{found[2]}__list"] = (f"{found[2]}__list", found[2], _decode)
        return f"{'<> ALL' if found[1] else '= ANY'} (:{found[2]}__list)"

    def spell_given(found: re.Match[str]) -> str:
        turns[f"{found[1]}__none"] = (f"{found[1]}__none", found[1], _is_none)
        return f":{found[1]}__none = {0 if found[2] else 1}"

    names: dict[str, None] = {}

    def spell_named(found: re.Match[str]) -> str:
        names[found[1]] = None
        return f"%({found[1]})s"

    pieces = _LITERAL.split(statement("postgres", name).replace("%", "%%"))
    for at in range(0, len(pieces), 2):
        piece = _CAST.sub(cast, _LIST.sub(spell_list, pieces[at]))
        piece = _GIVEN.sub(spell_given, piece)  # alone, `$1 IS NULL` has no type
        piece = re.sub(r"ON CONFLICT \(", "ON CONFLICT (tenant_id, ", piece)
        piece = re.sub(r"\bLIKE\b", "ILIKE", _ORDERED.sub(r"JOIN \1", piece))  # the order of joins is SQLite's concern
        piece = _GREATEST.sub(
            lambda found: f"{'GREATEST' if found[1] == 'MAX' else 'LEAST'}({found[2]}, {found[3]})", piece
        )
        pieces[at] = _PLAIN.sub(spell_named, piece)
    sql = "".join(pieces)
    first = sql.split(None, 1)[0].upper()
    writes = first in ("INSERT", "UPDATE", "DELETE") or bool(
        re.search(r"\b(INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b", sql)
    )
    return Spelled(sql, tuple(names), tuple(turns.values()), writes, bool(_EVERY_COLUMN.search(sql)))


def _decode(value: Any) -> Any:
    return msgspec.json.decode(value) if isinstance(value, str) else value


def _is_none(value: Any) -> int:
    return int(value is None)


def words(text: str) -> list[str]:
    """The words of a text as both engines index them: lower case, without accents."""
    if not text.isascii():
        text = "".join(sign for sign in unicodedata.normalize("NFD", text) if unicodedata.category(sign) != "Mn")
    return plain_words(text)


def _phrases(value: Any) -> list[str]:
    return [" ".join(words(text)) for text in _decode(value)]


class VectorBytes(bytes):
    """A vector of float32 as SQLite keeps it; it travels as pgvector's own type."""


_TURNS: dict[str, Callable[[Any], Any]] = {
    "words": words,
    "phrases": _phrases,
    "vector": VectorBytes,
    "text[]": _decode,
    "bigint[]": _decode,
}


def arguments(query: Spelled, values: dict[str, Any]) -> dict[str, Any]:
    turned = {key: turn(values[value]) for key, value, turn in query.turns}
    return values | turned if turned else values


@lru_cache(maxsize=512)
def order(name: str) -> tuple[str, ...]:
    """The values of a statement in the order it first names them."""
    pieces = _LITERAL.split(statement("postgres", name))[::2]
    return tuple(dict.fromkeys(found for piece in pieces for found in _PLAIN.findall(piece)))
