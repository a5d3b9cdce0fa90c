"""What can be asked of Nous, each declared once: the command, the route, the tool and the Python call are made of it.

A declaration is light: what runs is named by an import string and loaded when somebody asks. `asking` has the fields
that requests share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import inspect

from nous.kernel.access import Right
from nous.kernel.feature import resolve as resolve
from nous.kernel.gate import RULES
from nous.kernel.viewer import OWNER_VIEW, Viewer

if TYPE_CHECKING:
    from nous.app import Nous

# `read` cannot write; `search` uses the one memory that searches; `write` is one decision and answers with what it did;
# `work` writes in its own way.
Access = Literal["read", "search", "write", "work"]
# What a request is about, so that a token for single projects can be held to them.
About = Literal[
    "everything", "nothing", "project", "packet", "memory", "many", "session", "question", "decisions", "devices"
]


class Command(msgspec.Struct, frozen=True):
    """A command: the fields that are words, in order, and those that are options; None is all the others.

    `lines` renders the answer for a person. Without it, `row` is the template of one item (`"{id}  {reason}"`), and
    `empty` says that there are none. Its JSON has a list `under` a name, or is what `data` makes of the answer.
    `defaults` differ here; one that `is_wide` asks of all projects where the directory is none that is known.
    """

    name: str
    words: tuple[str, ...] = ()
    options: tuple[str, ...] | None = None
    lines: str = ""
    row: str = ""
    empty: str = ""
    under: str = ""
    data: str = ""
    defaults: dict[str, Any] = {}
    is_wide: bool = False


class Route(msgspec.Struct, frozen=True):
    """A route; `defaults` differ here."""

    method: Literal["GET", "POST"]
    path: str
    defaults: dict[str, Any] = {}


class Tool(msgspec.Struct, frozen=True):
    """A tool for a model: the fields it takes, when to use it and when not, and what renders the answer."""

    name: str
    takes: tuple[str, ...]
    says: str
    text: str
    action: str = ""  # the gate's row, where an agent may less or more by this tool than by the operation


class Operation(msgspec.Struct, frozen=True):
    """One thing that can be asked: `run(nous, viewer, asked)` gives the answer.

    `action` is its row in the gate's table; `right` is what a token needs where that row does not say it.
    """

    name: str
    takes: type[msgspec.Struct]
    run: str
    help: str
    gives: Any = dict[str, Any]
    access: Access = "read"
    action: str = "read"
    right: Right | None = None
    about: About = "everything"
    doors: tuple[Command | Route | Tool, ...] = ()
    example: dict[str, Any] = {}

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return self.help.partition("\n")[0]

    @property
    def command(self) -> Command | None:
        """How it is called in a terminal, if it is."""
        return next((door for door in self.doors if isinstance(door, Command)), None)

    @property
    def route(self) -> Route | None:
        """How it is called over HTTP, if it is."""
        return next((door for door in self.doors if isinstance(door, Route)), None)

    @property
    def tool(self) -> Tool | None:
        """How a model calls it, if it does."""
        return next((door for door in self.doors if isinstance(door, Tool)), None)

    @property
    def needs(self) -> Right:
        """The right that whoever asks with a token must have."""
        return self.right or RULES[self.action].right

    def call(self, nous: Nous, asked: Any, viewer: Viewer = OWNER_VIEW) -> Any:
        """The answer, as far as whoever looks may see."""
        return resolve(self.run)(nous, viewer, asked)


def field_types(takes: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    """The fields of a request, each with its type and what is said of it."""
    found = inspect.type_info(takes)
    assert isinstance(found, inspect.StructType)
    return found.fields


def in_full(takes: type[msgspec.Struct], given: dict[str, Any]) -> dict[str, Any]:
    """What is asked with each field under its own name: `q` is `query`."""
    if "q" not in given:
        return given
    named = {(getattr(one.type, "extra", None) or {}).get("also"): one.name for one in field_types(takes)}
    return {named.get(name, name): value for name, value in given.items()}
