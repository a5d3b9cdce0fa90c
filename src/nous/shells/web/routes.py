"""Everything that can be asked under `/v1`: the operations that have a route.

The same rows make the server, the OpenAPI description and its tests.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from nous.features import operations
from nous.kernel.operations import Operation


class Route(NamedTuple):
    """An operation as it is asked over HTTP."""

    operation: Operation
    method: str
    path: str
    defaults: dict[str, Any]


ROUTES = tuple(Route(one, door.method, door.path, door.defaults) for one in operations() if (door := one.route))
