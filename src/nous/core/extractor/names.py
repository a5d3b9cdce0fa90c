# ruff: noqa: E501  a pattern reads best unbroken
"""What a sentence is about: concepts, files, symbols, names, and the slot of a single-valued fact."""

from __future__ import annotations

import re
from functools import lru_cache

from nous.core.extraction import MAX_CONCEPTS
from nous.core.likeness import STOP_WORDS, stem

_EXT = r"py|pyi|ts|tsx|js|jsx|mjs|cjs|go|rs|rb|java|kt|kts|swift|c|h|cc|cpp|hpp|cs|php|ex|exs|erl|hs|ml|scala|clj|lua|r|jl|dart|vue|svelte|sh|bash|zsh|fish|ps1|sql|html?|css|scss|less|md|mdx|rst|txt|json|jsonl|jsonc|ya?ml|toml|ini|cfg|conf|env|xml|plist|proto|graphql|tf|hcl|nix|lock|csv|tsv|ipynb|gradle|sqlite|db|log|epub|pdf|svg|png|wasm|cmake|mk|bazel|bzl|zig|nim|sol|tex|j2|tmpl|service|dockerfile"
_FILE = re.compile(
    rf"(?<![\w@])(?:~|\.{{1,2}})?/?(?:[\w.@+-]+/)*[\w.@+-]*\.(?:{_EXT})\b(?![\w(])|(?<![\w./:])(?:[\w.@+-]+/){{1,8}}[\w.@+*-]*(?=[\s,.;:)`'\"!?]|$)|\b(?:Makefile|Dockerfile|Justfile|justfile|Procfile|Jenkinsfile|Rakefile|Gemfile|Vagrantfile|CODEOWNERS)\b",
)
_SYMBOL = re.compile(
    r"\b[A-Za-z_][\w.]*\(\)|\b[a-z]+[a-z0-9]*(?:_[a-z0-9]+)+\b|\b[a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b"
)
_TICKED = re.compile(r"`([^`\n]{1,80})`")
_PROPER = re.compile(r"(?<=[a-z,;:)] )(?:[A-Z][\w.+-]*(?:\s[A-Z][\w.+-]*){0,2})|\b[A-Z]{2,}[A-Za-z0-9]*\b")
_WORD = re.compile(r"[^\W_][\w.+#/-]*[^\W_]|[^\W_]")


def files(text: str, cwd: str = "") -> tuple[str, ...]:
    """The paths a text names, relative to the working directory where they lie in it."""
    found = (relative(path, cwd) for path in _FILE.findall(text))
    return tuple(dict.fromkeys(path for path in found if path and "://" not in path))[:8]


def relative(path: str, cwd: str) -> str:
    path = path.rstrip(".,;:")
    if cwd and path.startswith(cwd.rstrip("/") + "/"):
        return path[len(cwd.rstrip("/")) + 1 :]
    return path.removeprefix("./")


def symbols(text: str) -> tuple[str, ...]:
    """The identifiers a text names."""
    return tuple(dict.fromkeys(name.removesuffix("()") for name in _SYMBOL.findall(text)))[:8]


def entities(text: str) -> tuple[str, ...]:
    """Names in a text: what stands in back-ticks, acronyms, and capitalised words inside a sentence."""
    names = [name.strip() for name in _TICKED.findall(text)] + [name.strip(".") for name in _PROPER.findall(text)]
    return tuple(dict.fromkeys(name for name in names if len(name) > 1 and name.lower() not in STOP_WORDS))[:8]


def concepts(text: str, extra: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Five to ten lower-case terms under which a text should be found."""
    words = [word.lower().strip(".-/") for word in _WORD.findall(text.replace("`", " "))]
    scored = {word: _weight(word) for word in words if len(word) > 2 and word not in STOP_WORDS and not word.isdigit()}
    for term in extra:
        scored.setdefault(term.lower(), 1.0)
    best = sorted(scored, key=lambda word: (-scored[word], words.index(word) if word in words else 999))
    return tuple(best[:MAX_CONCEPTS])


def _weight(word: str) -> float:
    return 2.0 if re.search(r"[_./\d-]", word) else 1.0 + min(len(word), 12) / 24


# -- slots ----------------------------------------------------------------------------------------------------------

# Attributes of which a thing has one at a time. The key is the word people say, the value its normal form.
ATTRIBUTES: dict[str, str] = {
    word: row[0]
    for row in (
        ("port", "ports", "puerto", "порт", "端口", "ポート"),
        ("version", "versions", "versión", "версия", "版本", "バージョン"),
        ("branch", "zweig", "branche", "rama", "ветка", "分支", "ブランチ"),
        ("owner", "maintainer", "besitzer", "eigentümer", "propriétaire", "dueño", "владелец", "负责人", "オーナー"),
        ("host", "hostname", "server", "machine", "box"),
        ("url", "endpoint", "address", "adresse", "domain", "uri"),
        ("region", "zone"),
        ("level", "stufe", "niveau", "nivel", "уровень", "级别", "レベル"),
        ("timeout", "zeitlimit"),
        ("limit", "cap", "quota", "maximum", "max", "grenze", "límite", "лимит", "上限"),
        ("size", "größe", "taille", "tamaño", "размер", "大小", "サイズ"),
        ("license", "licence", "lizenz"),
        ("path", "directory", "folder", "location", "pfad", "verzeichnis", "chemin", "carpeta", "путь", "目录", "路径"),
        ("database", "db", "datenbank"),
        ("language", "sprache", "langue", "idioma", "язык", "语言", "言語"),
        ("currency", "währung"),
        ("timezone", "zeitzone"),
        ("encoding",),
        ("format",),
        ("prefix",),
        ("suffix",),
        ("name", "username", "user"),
        ("runtime", "interpreter"),
        ("backend", "framework"),
        ("interval", "frequency", "schedule"),
        ("ttl", "retention"),
        ("deadline", "date", "day", "frist"),
        ("width", "length"),
        ("color", "colour", "farbe"),
        ("indentation", "indent"),
        ("threshold", "schwelle"),
        ("default",),
        ("queue",),
        ("registry",),
        ("bucket",),
        ("package manager",),
    )
    for word in row
}
_NAMES_VERB = r"(?:is|are|=|:|was renamed to|is called|equals|must be|should be|has to be|is set to|is fixed at|is capped at|is limited to|is pinned to|ist|lautet|est|es|será|является|это|是|为|は)"
_NOW = r"(?:\s+(?:now|currently|always|still|only|jetzt|nun|maintenant|ahora|теперь))?"
_OF = re.compile(r"\b(?:of|for|in|on|der|des|für|von|du|de|para|для)\b", re.I)
_COPULA = re.compile(
    rf"^(?P<np>[^,.;:!?]{{2,70}}?)\s*(?:\s{_NAMES_VERB}\b|[=:是为は]){_NOW}\s+(?P<value>\S.{{0,80}})$", re.I
)
_PORT = re.compile(
    r"^(?:.{0,60}?[,.:] )?(?P<np>[^,.;:!?]{2,60}?)\s+(?:(?:is|are|runs?|listens?|sits?|lives?|serves?|now|läuft|lauscht|hört|écoute|tourne|escucha|corre|слушает|работает)\s+){1,3}"
    r"(?:now |jetzt |maintenant |ahora |теперь )?(?:on|at|auf|sur|en|на)\s+(?:the )?(?:port |le port |el puerto |порту )?(?P<value>\d{2,5})\b",
    re.I,
)
_OWNED = re.compile(
    r"\b(?P<np>[\w /-]{2,40}?) (?:is|are) (?:now )?(?:owned|maintained|run|managed) by (?P<value>[\w ]{2,40})|(?P<value2>team [\w-]+|[A-Z]\w+) (?:now )?owns (?:the )?(?P<np2>[\w /-]{2,40})",
    re.I,
)
_DECIDED_FOR = re.compile(
    r"^(?:for|in) (?:the |our )?(?P<np>[\w /-]{2,40}?),? (?:we|we've|i) (?:\w+ )?(?:decided on|go with|went with|use|chose|settled on|picked|take|agreed on)\b(?P<value>.*)",
    re.I,
)
_USE_FOR = re.compile(
    r"\b(?:use|using|go with|going with|switch(?:ed|ing)? to|move(?:d)? to|chose|settled on|decided on|stick with|keep|adopt)\s+(?P<value>[\w .+#/-]{2,50}?) (?:for|as) (?:the |our |all )?(?P<np>[\w -]{2,40}?)(?=[,.;:(]| instead| now| because| since| from|$)",
    re.I,
)
_RUN_WITH = re.compile(
    r"\b(?:(?P<what>tests?|specs?|unit tests|integration tests|test suite|linter|lint|formatter|build|builds|deploy(?:ment|s)?|release|migrations?|dev server|docs|app|server|service|type ?check(?:s|er)?|benchmarks?)\b[^.;]{0,25}?\b(?:run|runs|is run|are run|started?|starts|built|deployed|released|executed)(?: \w+)? (?:with|via|through|using|by)|"
    r"(?:run|start|build|deploy|execute|launch) (?:the |all |our )?(?P<what2>tests?|specs?|unit tests|integration tests|test suite|linter|formatter|build|deploy(?:ment)?|migrations?|dev server|docs|app|server|service|type ?check(?:s|er)?|benchmarks?) (?:with|via|through|using|by))\s+(?P<value>`[^`]+`|\S+)",
    re.I,
)
_DETERMINER = re.compile(
    r"^(?:the|our|my|your|a|an|this|that|here|in this repo|also|now|der|die|das|unser\w*|le|la|les|el|los|notre|nuestr\w+)\s+",
    re.I,
)
_LITERAL = re.compile(
    r"^(?:the |a |an |at |to )?(?:[`'\"]|\d|v\d|[A-Z]{2,}|[\w-]+[._/:@]\S|\S+$|team \w+|\S+ \S+$|\S+ (?:now|here|instead|from|since|because|\()|\w+,)",
    re.I,
)


@lru_cache(maxsize=4096)
def slot(text: str) -> str | None:
    """The single-valued fact that a sentence states, as "subject|attribute", or None.

    "log level in production is INFO" and "the production log level must be WARNING" give the same slot,
    "log production|level"; "quiz ids are ulids" gives none, since a thing may be many things at once.
    """
    plain = text.replace("`", "").rstrip(".!")
    return _ports(plain) or _owners(plain) or _runs(text) or _versions(plain) or _choices(plain) or _copulas(plain)


def _ports(text: str) -> str | None:
    found = _PORT.match(text)
    return _slot(found["np"], "port") if found else None


def _owners(text: str) -> str | None:
    found = _OWNED.search(text) if any(word in text for word in (" by ", "owns")) else None
    return _slot(found["np"] or found["np2"], "owner") if found else None


def _runs(text: str) -> str | None:
    found = _RUN_WITH.search(text)
    return _slot(found["what"] or found["what2"], "command") if found else None


_VERSION = re.compile(
    r"^(?:[^,.;:]{0,40}[,:] )?(?P<np>[^,.;:]{0,40}?)\s?(?:\bis|\bare|'re|\bruns?|\buses?|\bneeds?|\brequires?|\btargets?|\bsupports?|\bhas|\bhave)(?: (?:now|still|only|on|at|pinned|locked|stuck|to|with|using))* (?P<what>[A-Za-z][\w+#.-]{1,20}) v?(?P<value>\d+(?:\.\d+)*)\b",
    re.I,
)


def _versions(text: str) -> str | None:
    """The version of a named thing: "we're on Django 5.1", "prod still runs node 18"."""
    found = _VERSION.match(text)
    what = found["what"].lower() if found else ""
    if not found or what in STOP_WORDS or what in ATTRIBUTES or len(what) < 2:
        return None
    return _slot(f"{found['np']} {what}", "version")


def _choices(text: str) -> str | None:
    found = _DECIDED_FOR.match(text)
    if found:
        known = [ATTRIBUTES[word] for word in re.findall(r"\w+", found["value"].lower()) if word in ATTRIBUTES]
        return _slot(found["np"], known[0] if known else "choice")
    found = _USE_FOR.search(text)
    return _slot(found["np"], "choice") if found else None


def _copulas(text: str) -> str | None:
    for clause in re.split(r"[.;:] |, | - ", text):
        found = _COPULA.match(clause.strip())
        if not found or not _LITERAL.match(found["value"]):
            continue
        words = re.findall(r"\w+", found["np"].lower())
        known = [word for word in words if word in ATTRIBUTES]
        if known and len(words) <= 9:
            return _slot(found["np"], ATTRIBUTES[_head(found["np"].lower(), known)])
    return None


def _head(phrase: str, known: list[str]) -> str:
    """The attribute a phrase is about: "branch" in "default branch of the repo", "level" in "production log level"."""
    before = _OF.split(phrase)[0]
    ahead = [word for word in known if re.search(rf"\b{re.escape(word)}\b", before)]
    return (ahead or known)[-1]


def _slot(phrase: str, attribute: str) -> str | None:
    phrase = _DETERMINER.sub("", _DETERMINER.sub("", phrase.strip().lower()))
    words = {stem(word) for word in re.findall(r"[\w-]+", phrase)}
    words -= {stem(word) for word, form in ATTRIBUTES.items() if form == attribute}
    words = {word for word in words if word not in STOP_WORDS and word not in _EMPTY}
    if len(words) > 5:
        return None
    return f"{' '.join(sorted(words)) or 'project'}|{attribute}"


_EMPTY = frozenset(
    ["repo", "repository", "project", "codebase", "here", "module", "new", "current", "now", "careful", "actually"]
)
