"""What a model can open of the memory.

Like the server itself it loads nothing heavy before it is used. What belongs to another project does not exist here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nous.errors import NotFound

if TYPE_CHECKING:
    from nous.app import Nous

_ADDRESS = re.compile(r"nous://(memory|session|entity)/(.+)")


TEMPLATES: tuple[dict[str, str], ...] = (
    {
        "uriTemplate": "nous://memory/{number}",
        "name": "memory",
        "description": "One memory: where it comes from, what happened to it, how often it was shown",
        "mimeType": "text/plain",
    },
    {
        "uriTemplate": "nous://session/{id}",
        "name": "session",
        "description": "What was said in an earlier session of this project",
        "mimeType": "text/plain",
    },
    {
        "uriTemplate": "nous://entity/{name}",
        "name": "entity",
        "description": "What is known of a service, library, command, host, file, person or team",
        "mimeType": "text/plain",
    },
)


def resources(nous: Nous, project: str) -> list[dict[str, str]]:
    """What is worth opening: the rules and decisions of this project, and its latest sessions."""
    from nous.features.memories.operations import Listing
    from nous.features.memories.reads import listing
    from nous.kernel.viewer import OWNER_VIEW
    from nous.shells.mcp_texts import session_line

    here = nous.project(project).id
    asked = Listing(project=here, type="preference,requirement,decision", limit=20)
    found = [
        _resource(f"nous://memory/{item.id}", f"#{item.id} {item.type}", item.content)
        for item in listing(nous, OWNER_VIEW, asked).items
        if not item.tainted and not item.disputed
    ]
    for row in nous.stores.browse.sessions(here, 10, None, None):
        found.append(
            _resource(f"nous://session/{row['session_id']}", f"session {row['last_at'][:10]}", session_line(row))
        )
    return found


def _resource(uri: str, name: str, says: str) -> dict[str, str]:
    from nous.kernel.hooks.packing import neutral

    return {"uri": uri, "name": name, "description": neutral(says)[:300], "mimeType": "text/plain"}


def open_resource(nous: Nous, project: str, uri: str) -> str:
    """What a resource says."""
    from urllib.parse import unquote

    from nous.kernel.log.events import as_number
    from nous.shells.mcp_texts import talk

    found = _ADDRESS.fullmatch(uri)
    if found is None:
        raise NotFound(f"there is no resource {uri[:200]}")
    kind, name = found[1], unquote(found[2])
    if kind == "memory":
        if (number := as_number(name)) is None:
            raise NotFound(f"there is no memory {name[:80]!r}")
        return _tool(nous, project, "explain", id=number)
    return talk(nous, project, name) if kind == "session" else _tool(nous, project, "entity", name=name)


def _tool(nous: Nous, project: str, tool: str, /, **given: object) -> str:
    from nous.shells import mcp

    return mcp.answer_tool(nous, mcp.TOOLS[tool], project, given)
