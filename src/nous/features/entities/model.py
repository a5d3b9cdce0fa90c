"""Named things: which names are one, what sort of thing a name stands for, and what people decided about names.

A name's normal form is its identity: within a project two spellings with one form are one entity, whatever device read
them, and the id is made of project and form alone. Whatever is less sure than that is asked of a person, whose word is
an event: merged, renamed, split, rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

import msgspec

from nous.kernel.log.events import EntityMerged, EntityRejected, EntityRenamed, EntitySplit, Extracted, Recorded, order
from nous.kernel.log.evolve import standing
from nous.language import lexicon
from nous.language.naming import FRAME, entity_id, is_path, is_product, normal

EntityKind = Literal[
    "service", "library", "command", "host", "file", "variable", "person", "team", "project", "concept"
]
LONGEST = 80  # characters of a name; what is longer is a sentence
BY_RULES = ("rules", "observer")  # how the extractors without a model are called

# -- what a name stands for -----------------------------------------------------------------------------------------

# Words that are also names of tools: a name only where it is written like one.
WORDS = frozenset(
    """
    black bun cargo composer consul elm express expo fish flask fly go helm hugo ingress insomnia jest just lambda
    linear make mix mocha nest next ninja node oracle parquet poetry postman prettier prisma puppeteer rails rake react
    redux remix renovate rollup rust sentry shopify slack solid spark splunk spring stripe swift task temporal tox
    traefik trino unity vault vim windows yarn zig
    """.split()  # noqa: SIM905
)
_SERVICES = frozenset(
    """
    auth0 aws azure circleci cloudflare datadog firebase fly.io gcp github gitlab heroku hetzner jira launchdarkly
    linear netlify okta s3 sentry shopify slack snowflake stripe supabase travis twilio vercel ecs eks lambda fastly
    figma
    """.split()  # noqa: SIM905
)
_COMMANDS = frozenset(
    """
    bash bazel bun bundler cargo clang cmake composer docker fish gcc git gradle helm jq k3s k6 kubectl kustomize make
    maven meson ninja npm npx nuget pdm pip pipenv pipx pnpm podman poetry pre-commit rake rustup ssh terraform tmux tox
    uv vim nvim neovim yarn zsh just task mix sbt
    """.split()  # noqa: SIM905
)
_SERVICE = re.compile(
    r"(?i)(?:\w |\w-|[a-z])(?:service|api|server|worker|gateway|backend|frontend|database|db|queue|bot)$"
)


class Mention(NamedTuple):
    """That a memory names something: the spelling, its normal form, and what sort of thing it seems to be."""

    form: str
    name: str
    kind: EntityKind


class Observation(NamedTuple):
    """What a memory says of a named thing; `target` is the normal form of what is named, empty for a literal."""

    form: str
    subject: str
    predicate: str
    target: str
    object: str


def mentions(said: Extracted) -> tuple[Mention, ...]:
    """What a learning names, each thing once, in the order in which it is named."""
    found: dict[str, Mention] = {}
    is_exact = said.extractor_version.startswith(BY_RULES)
    for name in _names(said):
        form = normal(name)
        if not form or form in found or len(_name_to_show(name)) > LONGEST:
            continue
        if not is_exact or is_certain(name, said.content):
            found[form] = Mention(form, _name_to_show(name), kind_of(name))
    return tuple(found.values())


def is_certain(name: str, content: str) -> bool:
    """Whether a name is that of a program, a product, a host or a file by its spelling; a branch is none, and a word
    that is also a tool has to be written like the tool."""
    plain = _name_to_show(name)
    if plain.casefold() in WORDS:
        return _is_written_as_tool(plain, content)
    if is_product(plain) or plain.casefold() in _COMMANDS or lexicon.pattern("slots.address").fullmatch(plain):
        return True
    return is_path(plain) and "." in plain.rsplit("/", 1)[-1] and not _is_ending(plain.casefold())


def _names(said: Extracted) -> Iterator[str]:
    yield from said.entities
    for triple in said.relations:
        yield triple.subject
        if _is_named(triple.object):
            yield triple.object
    yield from said.files
    yield from programs(said.content)


def programs(content: str) -> Iterator[str]:
    """The programs of commands in back-ticks: `make` in "`make test`"."""
    for ticked in lexicon.pattern("slots.ticked").findall(content):
        words = ticked.split()
        if len(words) > 1 and words[0].casefold() in _COMMANDS:
            yield words[0]


def _name_to_show(name: str) -> str:
    return " ".join(name.strip(FRAME).split())


def _is_ending(text: str) -> bool:
    """Whether a text is how names of files end, as ".ts"; ".env" is a name by itself."""
    return text != ".env" and text[:1] == "." and text[1:] in lexicon.row("slots.ext").split("|")


def _is_written_as_tool(name: str, content: str) -> bool:
    """Whether a word that is also a tool stands as the tool: in code, with a version, with a capital in a sentence."""
    word = re.escape(name)
    if re.search(rf"`[^`]*\b{word}\b[^`]*`|\b{word} v?\d|\b{word}(?:\.js|lang)\b", content, re.I):
        return True
    before = r"\b(?:in|using|with|via|from|install|use|our|the)"
    after = r"(?=[,.;:)]|$| (?:app|project|code|instead|config))"
    if name.casefold() != "go" and re.search(rf"{before} {word}{after}", content, re.I):
        return True
    return bool(name[:1].isupper() and re.search(rf"[a-z,;)] {word}\b(?! ahead)", content))


def _is_named(value: str) -> bool:
    """Whether the object of a relation is a thing with a name and no figure or phrase."""
    form = normal(value)
    if not form or value[:1].isdigit() or len(value.split()) > 3:
        return False
    if is_product(value) or is_path(value) or lexicon.pattern("slots.address").fullmatch(value):
        return True
    return any(char.isupper() or char in "-_" for char in value)


def kind_of(name: str) -> EntityKind:
    """What sort of thing a name stands for by how it is spelt, where no reading says it."""
    plain = _name_to_show(name)
    lower = plain.casefold()
    if is_product(plain):
        return "service" if lower in _SERVICES else "command" if lower in _COMMANDS else "library"
    if lower in _COMMANDS:
        return "command"
    if is_path(plain):
        return "file"
    if lexicon.pattern("slots.address").fullmatch(plain) or lexicon.pattern("slots.place").fullmatch(plain):
        return "host"
    if lexicon.pattern("slots.variable").fullmatch(plain):
        return "variable"
    return "service" if _SERVICE.search(plain) else "concept"


# Financial and contact identifiers are no knowledge: whoever states one gives a secret away.
_PRIVATE = re.compile(
    r"(?:has_|is_)?(?:account|routing|card|iban|bank|tax|passport|social_security|phone|email|mail|handle|compensation"
    r"|salary)(?:_number|_address|_id)?"
)


def observations(said: Extracted) -> tuple[Observation, ...]:
    """What a learning says of named things, as far as it may be kept."""
    found: dict[Observation, None] = {}
    for triple in said.relations:
        form = normal(triple.subject)
        if not form or _PRIVATE.fullmatch(triple.predicate.casefold()):
            continue
        target = normal(triple.object) if _is_named(triple.object) else ""
        found[
            Observation(form, _name_to_show(triple.subject), triple.predicate, target, _name_to_show(triple.object))
        ] = None
    return tuple(found)


# -- what people decided --------------------------------------------------------------------------------------------


class Naming(msgspec.Struct, frozen=True, gc=False):
    """What was decided about one entity: which one it is part of, what it is called, whether it is one at all."""

    entity_id: str
    root_id: str
    name: str | None = None
    rejected: bool = False
    version: int = 0


class Moved(NamedTuple):
    """That a memory's mention of one entity means another one of the same name."""

    learning_id: str
    entity_id: str
    moved_to: str


class Decided(NamedTuple):
    """Everything that people decided about names: by entity, and by memory for names that mean two things."""

    namings: dict[str, Naming]
    moves: dict[tuple[str, str], Moved]


def fold_decisions(events: Iterable[Recorded]) -> Decided:
    """What the events of all entities come to, in whatever order they came here.

    A merge that would lead back to where it began is passed over, so that devices that merged two names in opposite
    directions agree on the first.
    """
    streams: dict[str, list[Recorded]] = {}
    for event in events:
        streams.setdefault(event.stream_id, []).append(event)
    counting = sorted((event for stream in streams.values() for event in standing(stream)), key=order)
    into: dict[str, str] = {}
    names: dict[str, str] = {}
    rejected: set[str] = set()
    moves: dict[tuple[str, str], Moved] = {}
    versions: dict[str, int] = {}
    for event in counting:
        mine = event.stream_id
        match event.payload:
            case EntityMerged(into=target) if root_of(into, target) != mine:
                into[mine] = target
            case EntityRenamed(to=name):
                names[mine] = name
                alias = entity_id(event.project_id, normal(name))
                if root_of(into, mine) != alias != mine:
                    into.setdefault(alias, mine)  # whoever uses the new name means this one
            case EntitySplit(learnings=learnings, apart=apart):
                for learning in learnings:
                    moves[learning, mine] = Moved(learning, mine, apart)
                if not learnings:
                    into.pop(apart, None)
            case EntityRejected():
                rejected.add(mine)
            case _:
                continue
        versions[mine] = max(versions.get(mine, 0), event.event_id)
    known = {*into, *names, *rejected}
    namings = {
        name: Naming(name, root_of(into, name), names.get(name), name in rejected, versions.get(name, 0))
        for name in sorted(known)
    }
    return Decided(namings, moves)


def root_of(into: Mapping[str, str], entity: str) -> str:
    """The entity that one is part of after all merges."""
    seen = {entity}
    while entity in into and into[entity] not in seen:
        entity = into[entity]
        seen.add(entity)
    return entity
