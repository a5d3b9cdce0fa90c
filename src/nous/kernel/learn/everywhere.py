"""What a person says in two projects may hold in all of them: only a rule that names nothing of either."""

from __future__ import annotations

import re

from nous.kernel.log.sighting import names_in
from nous.kernel.memory.memory import Memory
from nous.kernel.types import HEADINGS, TYPES
from nous.language.branches import is_bound

RULES = HEADINGS[0]
SHORTEST = 3  # words of a rule that stands alone
# What points at something that only one project has.
_HERE = re.compile(
    r"\b(?:here|this|that|these|those|it|its|our|we|the (?:app|site|page|project|repo|branch|code ?base|database"
    r"|schema|server|client|user|button|screen|table|api))\b",
    re.I,
)


def may_hold_everywhere(memory: Memory) -> bool:
    """Whether a memory is a rule without anything that belongs to its project: no name, file, number, no "here"."""
    is_rule = memory.status == "active" and memory.scope == "project" and TYPES[memory.type].heading == RULES
    if not is_rule or memory.tainted or memory.disputed or memory.contradicted_with or is_bound(memory.content):
        return False
    named = memory.files or memory.symbols or memory.entities or names_in(memory.content)
    return not named and not _HERE.search(memory.content) and len(memory.content.split()) >= SHORTEST
