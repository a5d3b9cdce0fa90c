"""Which names are one: a name without what spelling adds to it, and the id that is made of it."""

from __future__ import annotations

import re
import unicodedata
import uuid
from functools import lru_cache

from nous.language import lexicon

NAMESPACE = uuid.UUID("0f6c3c52-9d0b-5a61-8c55-6e6f75730018")
# Letters of other scripts that are drawn like Latin ones, each before its twin.
_DRAWN_ALIKE = {
    ord(pair[0]): pair[1]
    for pair in """
        аa еe оo рp сc уy хx іi јj ѕs ԁd һh ӏl ԛq ԝw вb кk мm нh тt АA ВB ЕE КK МM НH ОO РP СC ТT ХX ІI ЈJ ЅS ҮY
        αa οo ρp νv ιi κk τt χx υu ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ıi ɡg
    """.split()  # noqa: SIM905
}
# One thing, several established names. Every row is one identity that no project decides otherwise.
SAME: dict[str, str] = {
    other: row[0]
    for row in (
        ("postgres", "postgresql", "pgsql"),
        ("kubernetes", "k8s"),
        ("javascript", "js", "ecmascript"),
        ("typescript", "ts"),
        ("go", "golang"),
        ("nodejs", "node"),
        ("nextjs", "next"),
        ("vue", "vuejs"),
        ("react", "reactjs"),
        ("express", "expressjs"),
        ("nuxt", "nuxtjs"),
        ("python", "python3"),
        ("mongodb", "mongo"),
        ("neovim", "nvim"),
        ("gcp", "googlecloud", "googlecloudplatform"),
        ("aws", "amazonwebservices"),
        ("terraform", "tf"),
        ("tailwind", "tailwindcss"),
        ("vscode", "visualstudiocode"),
        ("production", "prod"),
        ("preproduction", "preprod"),
        ("macos", "osx"),
        ("scikitlearn", "sklearn"),
    )
    for other in row[1:]
}
FRAME = " \t\n`'\"“”‘’«»„()[]{}<>,;:!?*"
_ARTICLE = re.compile(r"(?i)^(?:the|our|my|your|an?) +")
_POSSESSIVE = re.compile(r"['’]s?$")
_VERSION = re.compile(r"(?i)(?<![ -])[ -]{1,4}(?:v|version )?\d{1,9}(?:\.[\dx]{1,9}){0,5}$")
APART = re.compile(r"[\s_\-.]+")
_TICKET = re.compile(r"^(?:\./|@(?=[\w./-]+\.\w+$))")  # "@plan.md" is how an editor names plan.md
_LETTER = re.compile(r"[^\W\d_]")


@lru_cache(maxsize=65536)
def normal(name: str) -> str:
    """A name without what spelling adds to it: case, look-alike letters, articles, separators, a product's version.

    "Next.js", "nextjs" and "Next-JS" are "nextjs"; "Postgres 16" and "PostgreSQL" are "postgres". Paths and addresses
    keep their dots and slashes. Empty when nothing is left that could be a name.
    """
    plain = _fold_name(name)[:200]
    plain = _POSSESSIVE.sub("", _ARTICLE.sub("", plain.strip(FRAME))).removesuffix("()").strip(FRAME)
    if is_path(plain):
        return _TICKET.sub("", plain.casefold()).rstrip("/")
    if lexicon.pattern("slots.address").fullmatch(plain):
        return plain.casefold().removeprefix("https://").removeprefix("http://")
    head = _VERSION.sub("", plain)
    form = APART.sub("", plain.casefold())
    if head != plain and is_product(head):
        form = APART.sub("", head.casefold())
    return SAME.get(form, form) if _LETTER.search(form) else ""


def _fold_name(name: str) -> str:
    """The name in compatible characters, without invisible ones; what is drawn like Latin letters is Latin.

    A word of another script stays what it is unless it mixes scripts or every letter of it has a Latin twin.
    """
    plain = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) not in ("Cf", "Cc"))
    if plain.isascii():
        return plain
    latin = plain.translate(_DRAWN_ALIKE)
    letters = [c for c in latin if c.isalpha()]
    mixed = any(c.isascii() for c in plain if c.isalpha())
    folded = latin if mixed or all(c.isascii() for c in letters) else plain
    return "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))


def is_path(name: str) -> bool:
    """Whether a name is that of a file or a directory."""
    is_written_so = " " not in name and bool(lexicon.pattern("slots.whole_file").fullmatch(name))
    return is_written_so and not is_product(name) and "://" not in name


def is_product(name: str) -> bool:
    """Whether a name is that of a program, library or service that everybody knows."""
    form = name.casefold()
    known = lexicon.words("slots.products")
    return form in known or SAME.get(APART.sub("", form), "") in known


@lru_cache(maxsize=65536)
def entity_id(project_id: str, form: str) -> str:
    """The id of the entity with a normal form in a project, the same on every device."""
    return str(uuid.uuid5(NAMESPACE, f"{project_id}\n{form}"))
