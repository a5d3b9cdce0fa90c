"""Reads code with tree-sitter: the only file that imports it. One query per language finds all that is wanted, so that
Python touches only what was found and not the whole tree."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from nous.errors import ProviderError
from nous.features.code.model import (
    ALL,
    UNKNOWN,
    WHOLE,
    Binding,
    CodeRelation,
    Definition,
    Outline,
    Reference,
    SymbolKind,
)

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Query

# Module, function that gives the language, query files in this order.
GRAMMARS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "python": ("tree_sitter_python", "language", ("python",)),
    "javascript": ("tree_sitter_javascript", "language", ("javascript", "javascript-only", "jsx")),
    "typescript": ("tree_sitter_typescript", "language_typescript", ("javascript", "typescript")),
    "tsx": ("tree_sitter_typescript", "language_tsx", ("javascript", "typescript", "jsx")),
    "go": ("tree_sitter_go", "language", ("go",)),
    "rust": ("tree_sitter_rust", "language", ("rust",)),
}
PACKAGES = ("tree-sitter", *(f"tree-sitter-{name}" for name in ("go", "javascript", "python", "rust", "typescript")))
_PLAIN = re.compile(r"[\w$]+(?:\.[\w$]+)*")
_LAST = re.compile(r"[\w$]+$")
_SUPER = re.compile(r"super(?:\(\)|\([\w., ]*\))?\.([\w$]+)")


class Grammar(NamedTuple):
    """What reads one language. The grammar is kept because a parser does not keep it and crashes without it."""

    parser: Parser
    query: Query
    grammar: Language


@cache
def tool(language: str) -> Grammar:
    """The parser and the query of a language; says what to install where they are missing."""
    module, function, names = GRAMMARS[language]
    try:
        from tree_sitter import Language, Parser, Query

        grammar = Language(getattr(import_module(module), function)())
    except ImportError as missing:
        raise ProviderError(f"code cannot be read: {missing.name} is not installed", hint=how_to_install()) from None
    folder = files("nous.features.code") / "queries"
    text = "\n".join((folder / f"{name}.scm").read_text("utf-8") for name in names)
    return Grammar(Parser(grammar), Query(grammar, text), grammar)


def how_to_install(prefix: str = sys.prefix) -> str:
    """The command that installs what reads code where this Nous is installed."""
    wanted = " ".join(PACKAGES)
    if f"{os.sep}pipx{os.sep}" in prefix:
        return f"`pipx inject nous-recall {wanted}` installs it (8 MB)"
    if f"{os.sep}uv{os.sep}tools{os.sep}" in prefix:
        return f"`uv pip install --python {prefix} {wanted}` installs it (8 MB)"
    return f"`{os.path.join(prefix, 'bin', 'python')} -m pip install {wanted}` installs it (8 MB)"


def is_installed() -> bool:
    """Whether code can be read here."""
    try:
        tool("python")
    except ProviderError:
        return False
    return True


def read_code(language: str, source: bytes) -> Outline:
    """What a file defines, names and imports; says what to install where nothing reads its language."""
    tool(language)
    from tree_sitter import QueryCursor

    parser, query, _ = tool(language)
    tree = parser.parse(source)
    root = tree.root_node
    found = QueryCursor(query).captures(root)
    spans = sorted(_spans(language, source, found), key=lambda span: (span.start, -span.end))
    number_lines(source, spans)
    nest(spans)
    rows = [span for span in spans if not span.is_hidden]
    number = {id(span): at for at, span in enumerate(rows)}
    bindings = list(_bindings(language, source, [*found.get("import", []), *found.get("export", [])]))
    references = list(_references(ParsedCode(language, source, spans, bindings, found), found, number))
    definitions = [Definition(span.name, span.path, span.kind, span.line, span.last) for span in rows]
    return Outline(language, definitions, references, bindings, root.has_error)


class OpenDefinition:
    """A definition while a file is read: where it lies, and what it lies in. A hidden one only gives its name to
    others (Rust's `impl`)."""

    __slots__ = ("above", "end", "is_hidden", "kind", "last", "line", "name", "path", "start", "told", "within")

    def __init__(
        self, node: Node, name: str, kind: SymbolKind, *, within: str = "", told: str = "", is_hidden: bool = False
    ):
        self.start, self.end = node.start_byte, node.end_byte
        self.line = self.last = 0
        self.name, self.kind, self.within, self.told, self.is_hidden = name, kind, within, told, is_hidden
        self.path = f"{within}.{name}" if within else name
        self.above: OpenDefinition | None = None


def number_lines(source: bytes, spans: list[OpenDefinition]) -> None:
    """Give definitions, in the order of the file, their lines. A node's `start_point` crashes in tree-sitter 0.26.0."""
    line, at = 1, 0
    for span in spans:
        line += source.count(b"\n", at, span.start)
        at = span.start
        span.line, span.last = line, line + source.count(b"\n", span.start, span.end)


def _is_inner(span: OpenDefinition) -> bool:
    """Whether something assigned to a member of something belongs to the function it stands in."""
    return span.kind == "method" and span.told == _ASSIGNED


def nest(spans: list[OpenDefinition]) -> None:
    """Tell each definition what it lies in, and its path from there; a function in a class is a method."""
    stack: list[OpenDefinition] = []
    for span in spans:
        while stack and stack[-1].end <= span.start:
            stack.pop()
        if stack:
            span.above = above = stack[-1]
            if not span.within or _is_inner(span):
                span.path = f"{above.path}.{span.name}"
            if span.kind == "function" and above.kind in ("class", "interface"):
                span.kind = "method"
        elif span.kind == "function" and span.within:
            span.kind = "method"
        stack.append(span)


def _text(source: bytes, node: Node) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


# -- definitions ----------------------------------------------------------------------------------------------------

_KINDS: tuple[tuple[str, SymbolKind], ...] = (
    ("function", "function"),
    ("class", "class"),
    ("interface", "interface"),
    ("variable", "variable"),
)


def _spans(language: str, source: bytes, found: dict[str, list[Node]]) -> Iterator[OpenDefinition]:
    make = SPANS.get(language, _named_node)
    seen: set[tuple[int, int]] = set()
    for capture, kind in _KINDS:
        for node in found.get(capture, ()):
            where = node.start_byte, node.end_byte
            if where not in seen and (span := make(node, source, kind)):
                seen.add(where)
                yield span
    for node in found.get("impl", ()):
        kept = node.child_by_field_name("type")
        if kept:
            trait = node.child_by_field_name("trait")
            told = _bare(_text(source, trait)) if trait else ""
            yield OpenDefinition(node, _bare(_text(source, kept)), "class", told=told, is_hidden=True)


def _named_node(node: Node, source: bytes, kind: SymbolKind) -> OpenDefinition | None:
    """A definition that has a name, or is one."""
    name = node if kind == "variable" and not node.child_count else node.child_by_field_name("name")
    return OpenDefinition(node, _text(source, name), kind) if name else None


def _script(node: Node, source: bytes, kind: SymbolKind) -> OpenDefinition | None:
    """JavaScript also names functions by what they are assigned to."""
    if node.type == "export_statement":
        return OpenDefinition(node, "default", kind)
    field = {"assignment_expression": "left", "pair": "key", "field_definition": "property"}.get(node.type, "name")
    name = node.child_by_field_name(field)
    if name is None:
        return None
    text = _text(source, name).strip("\"'`#")
    if field == "key":  # no name by which the code around it could call it
        return OpenDefinition(node, text, "method")
    if field != "left":
        return OpenDefinition(node, text, kind)
    if text == "module.exports":
        return OpenDefinition(node, "default", kind)
    *before, last = text.replace("prototype.", "").split(".")
    owner = before[-1] if before and before[-1] not in ("exports", "this", "module") else ""
    told = "" if ".prototype." in text else _ASSIGNED
    return (
        OpenDefinition(node, last, "method", within=owner, told=told)
        if last.isidentifier() and last != "exports"
        else None
    )


_ASSIGNED = "assigned"


_RECEIVER = re.compile(r"\(\s*(?:(\w+)\s+)?\*?\s*(\w+)")


def _go(node: Node, source: bytes, kind: SymbolKind) -> OpenDefinition | None:
    """A method of Go names its type and itself before its name."""
    span = _named_node(node, source, kind)
    receiver = node.child_by_field_name("receiver")
    if span and receiver and (said := _RECEIVER.match(_text(source, receiver))):
        return OpenDefinition(node, span.name, "method", within=said[2], told=said[1] or "")
    return span


SPANS: dict[str, Callable[[Node, bytes, SymbolKind], OpenDefinition | None]] = {
    "javascript": _script,
    "typescript": _script,
    "tsx": _script,
    "go": _go,
}

# -- references -----------------------------------------------------------------------------------------------------


class ParsedCode:
    """A file while its references are read: what its names may mean."""

    def __init__(
        self,
        language: str,
        source: bytes,
        spans: list[OpenDefinition],
        bindings: list[Binding],
        found: dict[str, list[Node]],
    ):
        self.language, self.source, self.spans = language, source, spans
        self.defined = {span.name for span in spans}
        self.paths = {span.path for span in spans}
        self.bound = {binding.name.partition(".")[0] for binding in bindings}
        self.is_closed = language in CLOSED and ALL not in self.bound
        self.own = self._own_names(found)

    def _own_names(self, found: dict[str, list[Node]]) -> dict[int, dict[str, str]]:
        """The names that each function has for itself, with their types; empty where nobody can tell."""
        own: dict[int, dict[str, str]] = {}
        source, typed = self.source, TYPED[self.language]
        for start, end, at in _place_nodes(found.get("typed", []), self.spans):
            function = _function(at)
            said = typed.match(source[start:end]) if function else None
            if function and said:
                kind = _bare_type(next(filter(None, said.groups()[1:]), b"").decode("utf-8", "replace"))
                own.setdefault(id(function), {})[said[1].decode("utf-8", "replace")] = kind
        times: set[tuple[int, str]] = set()
        for start, end, at in _place_nodes(found.get("bind", []), self.spans):
            function = _function(at)
            if function is None:
                continue
            names, name = own.setdefault(id(function), {}), source[start:end].decode("utf-8", "replace")
            if name not in names or (id(function), name) in times:  # bound twice, it may be anything
                names[name] = ""
            times.add((id(function), name))
        return own

    def meaning_of(self, path: str, at: OpenDefinition | None) -> str:
        """A path as it is to be resolved; empty when it can mean nothing of this tree."""
        first, dot, rest = path.partition(".")
        if first in LIKE_SELF or first == UNKNOWN:
            return "" if path == "super" else path
        span = at
        while span is not None:
            if dot and span.told == first and self.language == "go":
                return f"self.{rest}"
            names = self.own.get(id(span))
            if names and first in names and f"{span.path}.{first}" not in self.paths:
                kind = names[first]
                return (f"{kind}.{rest}" if kind else _open(path)) if dot else ""
            span = span.above
        if first in self.defined or first in self.bound or not self.is_closed:
            return "" if path in GIVEN else path
        return _open(path) if dot else ""


def _function(span: OpenDefinition | None) -> OpenDefinition | None:
    """The function that something stands in."""
    while span is not None and span.kind not in ("function", "method"):
        span = span.above
    return span


def _open(path: str) -> str:
    return f"{UNKNOWN}.{path.rpartition('.')[2]}"


_NAME_OF_TYPE = re.compile(r"[&*\s\"']*(?:'\w+\s+)?(?:mut\s+|dyn\s+)?([\w.:$]+)")


def _bare_type(text: str) -> str:
    """The name of a type, spelled as all names are; empty for one that says little."""
    said = _NAME_OF_TYPE.match(text)
    name = said[1].replace("::", ".").strip(".") if said else ""
    return "" if name.lower() in DULL else name


DULL = frozenset(
    ["any", "object", "str", "int", "bool", "float", "list", "dict", "string", "number", "boolean", "optional"]
)
# A name with its type, as each language writes it: the name, then the type in one of the further groups.
_SCRIPT = re.compile(
    rb"\A(?:(?:public|private|protected|readonly)\s++)*+([\w$]++)\??\s*+(?::\s*+([\w.$]++)|=\s*+new\s++([\w.$]++))"
)
TYPED: dict[str, re.Pattern[bytes]] = {
    "python": re.compile(
        rb"\A(\w++)\s*+(?::\s*+[\"']?([\w.]++)[\"']?\s*+(?:\|\s*+None\s*+)?(?:=|$)|[^=]*+=\s*+([\w.]++)\()"
    ),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "go": re.compile(rb"\A(\w++)\s*(?::=\s*+&?([\w.]++)\{|\s\*?([\w.]++)\s*+(?:=|$))"),
    "rust": re.compile(
        rb"\A(?:let\s++)?(?:mut\s++)?(\w++)\s*+"
        rb"(?::\s*+([&\w:' ]++)|=\s*+([\w:]+)::(?:new|default|from|with_\w+)\s*\(|=\s*([\w:]+)\s*\{)"
    ),
}
# Languages in which a name that a file neither defines nor imports is built in, or global.
CLOSED = frozenset({"python", "javascript", "typescript", "tsx"})
GIVEN = frozenset(
    (
        *("append", "cap", "clear", "close", "copy", "delete", "len", "make", "max", "min", "new", "panic", "print"),
        *("recover", "string", "byte", "rune", "int", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"),
        *(
            "float32",
            "float64",
            "bool",
            "error",
            "Some",
            "Ok",
            "Err",
            "println",
            "format",
            "vec",
            "assert",
            "assert_eq",
        ),
        *("matches", "write", "writeln", "eprintln", "unreachable", "todo", "debug_assert", "String.from", "Vec.new"),
    )
)
LIKE_SELF = frozenset({"self", "cls", "this", "super", "Self", "crate"})


def _references(reading: ParsedCode, found: dict[str, list[Node]], number: dict[int, int]) -> Iterator[Reference]:
    """What is called and built upon, each once for the definition it stands in."""
    source, spans = reading.source, reading.spans
    yield from _implementations(spans, number)
    relations: tuple[tuple[str, CodeRelation], ...] = (("call", "calls"), ("macro", "calls"), ("base", "inherits"))
    for capture, relation in relations:
        seen: set[tuple[int, str]] = set()
        for start, end, at in _place_nodes(found.get(capture, []), spans):
            path = dotted_name(source[start:end].decode("utf-8", "replace"))
            key = (id(at), path)
            if key in seen:
                continue
            seen.add(key)
            path = reading.meaning_of(path, at.above if at and relation == "inherits" else at)
            while at is not None and at.is_hidden:
                at = at.above
            if path:
                yield Reference(number[id(at)] if at else -1, path, relation)


def _implementations(spans: list[OpenDefinition], number: dict[int, int]) -> Iterator[Reference]:
    """`impl Trait for Type` says that a type builds upon a trait, wherever it stands."""
    types = {span.path: number[id(span)] for span in spans if span.kind == "class" and not span.is_hidden}
    for span in spans:
        if span.is_hidden and span.told and span.path in types:
            yield Reference(types[span.path], span.told, "inherits")


def _place_nodes(nodes: list[Node], spans: list[OpenDefinition]) -> Iterator[tuple[int, int, OpenDefinition | None]]:
    """Where each of some nodes lies, with the innermost definition around it."""
    places = sorted((node.start_byte, node.end_byte) for node in nodes)
    stack: list[OpenDefinition] = []
    at, many = 0, len(spans)
    for start, end in places:
        while at < many and spans[at].start <= start:
            while stack and stack[-1].end <= spans[at].start:
                stack.pop()
            stack.append(spans[at])
            at += 1
        while stack and stack[-1].end <= start:
            stack.pop()
        yield start, end, stack[-1] if stack else None


def dotted_name(text: str) -> str:
    """A called name in the one spelling of all languages: parts with dots between them, `?` for an unknown receiver."""
    if text.isidentifier():
        return text
    if "::" in text:
        text = text.replace("::", ".")
    if "?." in text:
        text = text.replace("?.", ".")
    if _PLAIN.fullmatch(text):
        return text
    if said := _SUPER.fullmatch(text):
        return f"super.{said[1]}"
    last = _LAST.search(text)
    return f"{UNKNOWN}.{last[0]}" if last else ""


def _bare(text: str) -> str:
    """A type without its parameters and references: `Vec` of `&'a mut Vec<T>`; the last part of a path."""
    text = re.sub(r"^[&*\s]*(?:'\w+\s+)?(?:mut\s+|dyn\s+)?", "", text.split("<")[0])
    return text.strip().rpartition("::")[2]


# -- imports --------------------------------------------------------------------------------------------------------


def _bindings(language: str, source: bytes, nodes: list[Node]) -> Iterator[Binding]:
    read_one = IMPORTS[language]
    line, at = 1, 0
    for node in sorted(nodes, key=lambda node: node.start_byte):
        line += source.count(b"\n", at, node.start_byte)
        at = node.start_byte
        yield from read_one(node, source, line)


def _python_imports(node: Node, source: bytes, line: int) -> Iterator[Binding]:
    module = node.child_by_field_name("module_name")
    where = _text(source, module).replace(" ", "") if module else ""
    for name in node.children_by_field_name("name"):
        item, alias = _renamed_import(name, source)
        if module:
            yield Binding(alias or item, where, item, line)
        elif alias:
            yield Binding(alias, item, WHOLE, line)
        else:  # `import a.b` brings `a`
            yield Binding(item.partition(".")[0], item.partition(".")[0], WHOLE, line)
            if "." in item:
                yield Binding(item, item, WHOLE, line)
    if any(child.type == "wildcard_import" for child in node.children):
        yield Binding(ALL, where, ALL, line)


def _renamed_import(node: Node, source: bytes) -> tuple[str, str]:
    """An imported name, and the name it gets."""
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if name is None:
        return _text(source, node), ""
    return _text(source, name), _text(source, alias) if alias else ""


def _script_imports(node: Node, source: bytes, line: int) -> Iterator[Binding]:
    match node.type:
        case "import_statement" | "export_statement":
            yield from _module_imports(node, source, line)
        case "assignment_expression":
            yield from _default(node.child_by_field_name("right"), source, line)
        case "variable_declarator":
            yield from _required_modules(node, source, line)
        case _:
            if where := _unquote_node(node, source):
                yield Binding("", where, WHOLE, line)


def _module_imports(node: Node, source: bytes, line: int) -> Iterator[Binding]:
    given = node.child_by_field_name("source")
    if given is None:
        yield from _exports(node, source, line)
        return
    where = _text(source, given).strip("\"'`")
    exported = node.type == "export_statement"
    clauses = [child for child in node.children if child.type in ("import_clause", "export_clause", "namespace_export")]
    if not clauses:
        yield Binding(ALL if exported else "", where, ALL if exported else WHOLE, line)
    for clause in clauses:
        parts = [clause] if exported else clause.children
        for part in parts:
            yield from _imported_names(part, source, where, line)


def _exports(node: Node, source: bytes, line: int) -> Iterator[Binding]:
    """Names that a module gives to things of its own: its default, and those it renames."""
    if any(child.type == "default" for child in node.children):
        yield from _default(node.child_by_field_name("declaration") or node.child_by_field_name("value"), source, line)
    for clause in (child for child in node.children if child.type == "export_clause"):
        for one in clause.named_children:
            item, alias = _renamed_import(one, source)
            if alias:
                yield Binding(alias, "", item, line)


def _default(node: Node | None, source: bytes, line: int) -> Iterator[Binding]:
    """What a module gives when it is asked for no name."""
    if node is None:
        return
    name = node if node.type == "identifier" else node.child_by_field_name("name")
    if name:
        yield Binding("default", "", _text(source, name), line)


def _imported_names(part: Node, source: bytes, where: str, line: int) -> Iterator[Binding]:
    if part.type == "identifier":
        yield Binding(_text(source, part), where, "default", line)
    elif part.type in ("namespace_import", "namespace_export"):
        name = next((child for child in part.children if child.type == "identifier"), None)
        if name:
            yield Binding(_text(source, name), where, WHOLE, line)
    elif part.type in ("named_imports", "export_clause"):
        for one in part.named_children:
            if one.type in ("import_specifier", "export_specifier"):
                item, alias = _renamed_import(one, source)
                yield Binding(alias or item, where, item, line)


def _required_modules(node: Node, source: bytes, line: int) -> Iterator[Binding]:
    name, where = node.child_by_field_name("name"), _unquote_node(node, source)
    if name is None or not where:
        return
    if name.type == "identifier":
        yield Binding(_text(source, name), where, WHOLE, line)
    for part in name.named_children:
        if part.type == "shorthand_property_identifier_pattern":
            yield Binding(_text(source, part), where, _text(source, part), line)
        elif part.type == "pair_pattern":
            key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
            if key and value:
                yield Binding(_text(source, value), where, _text(source, key), line)


_QUOTED = re.compile(r"""\(\s*(["'`])([^"'`\n]+)\1""")


def _unquote_node(node: Node, source: bytes) -> str:
    said = _QUOTED.search(_text(source, node)[:500])
    return said[2] if said else ""


def _go_imports(node: Node, source: bytes, line: int) -> Iterator[Binding]:
    path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
    if path is None:
        return
    where = _text(source, path).strip('"`')
    given = _text(source, name) if name else ""
    if given == ".":
        yield Binding(ALL, where, ALL, line)
    else:
        yield Binding(given or _package(where), where, WHOLE, line)


def _package(path: str) -> str:
    """The name of a Go package by its path: the last part, without a version."""
    parts = [part for part in path.split("/") if not re.fullmatch(r"v\d+", part)] or [path]
    return re.sub(r"\.v\d+$", "", parts[-1]).removeprefix("go-")


def _rust_imports(node: Node, source: bytes, line: int) -> Iterator[Binding]:
    if node.type == "mod_item":
        name = node.child_by_field_name("name")
        if name:
            yield Binding(_text(source, name), f"self.{_text(source, name)}", WHOLE, line)
        return
    argument = node.child_by_field_name("argument")
    if argument:
        for path, alias in _used_paths(_text(source, argument)):
            module, _, item = path.rpartition(".")
            if item == "self":
                module, _, item = module.rpartition(".")
            if item == ALL:
                yield Binding(ALL, module, ALL, line)
            elif module:
                yield Binding(alias or item, module, item, line)
            else:
                yield Binding(alias or item, item, WHOLE, line)


def _used_paths(text: str, before: str = "") -> Iterator[tuple[str, str]]:
    """The paths of a `use`, its braces spelled out, each with the name that it gets."""
    text = re.sub(r"//[^\n]*", "", text).strip()
    if "{" not in text:
        path, _, alias = text.partition(" as ")
        parts = [part.strip() for part in path.split("::") if part.strip()]
        if parts:
            yield before + ".".join(parts), alias.strip()
        return
    head, _, rest = text.partition("{")
    inside = rest[: rest.rindex("}")] if "}" in rest else rest
    prefix = before + ".".join(part.strip() for part in head.split("::") if part.strip())
    for piece in _pieces(inside):
        yield from _used_paths(piece, f"{prefix}." if prefix else "")


def _pieces(text: str) -> Iterator[str]:
    """What stands between the outer commas."""
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and not depth:
            yield text[start:at]
            start = at + 1
    if text[start:].strip():
        yield text[start:]


IMPORTS: dict[str, Callable[[Node, bytes, int], Iterator[Binding]]] = {
    "python": _python_imports,
    "javascript": _script_imports,
    "typescript": _script_imports,
    "tsx": _script_imports,
    "go": _go_imports,
    "rust": _rust_imports,
}
