"""What keeps coming back may stand in the files of its project: a rule in its instructions, steps as a skill."""

from __future__ import annotations

import hashlib
import json
import re

HEADING = "## Said in earlier sessions"
PLACED = "placed"  # the tag of a memory that stands in an instruction file: sessions read it there
PROPOSED = "proposed"  # the tag of one that only waits to be accepted: no session is told
FILE = "CLAUDE.md"
SKILLS = ".claude/skills"
LONGEST_NAME = 48
_STEPS = re.compile(r"`[^`\n]{2,120}`(?:, then `[^`\n]{2,120}`){1,5}")


def steps_of(content: str) -> list[str]:
    """The commands that a memory names one after the other; none when it tells no order."""
    found = _STEPS.search(content)
    return found[0].strip("`").split("`, then `") if found else []


def file_for(content: str) -> str:
    """The file of a project in which a memory may stand, from its root on."""
    steps = steps_of(content)
    if len(steps) < 2:
        return FILE
    name = "-then-".join("-".join(re.findall(r"[a-z0-9]+", step.lower())) for step in steps)
    return f"{SKILLS}/{name[:LONGEST_NAME].strip('-')}/SKILL.md"


def skill_of(content: str) -> bytes:
    """A skill that has an agent run the commands of a memory in their order."""
    steps = [f"{number}. `{step}`" for number, step in enumerate(steps_of(content), 1)]
    name = file_for(content).split("/")[-2]
    head = ["---", f"name: {name}", f"description: {json.dumps(content, ensure_ascii=False)}", "---", ""]
    return "\n".join([*head, "Steps that sessions of this project took in this order:", "", *steps, ""]).encode()


def addition_to(before: bytes, line: str) -> bytes:
    """What is put at the end of a file so that it says a line, under a heading that is written once."""
    gap = b"" if not before or before.endswith(b"\n\n") else b"\n" if before.endswith(b"\n") else b"\n\n"
    has_heading = HEADING.encode() in before
    if has_heading and gap == b"\n":
        gap = b""  # one more item of the list that stands there
    heading = b"" if has_heading else f"{HEADING}\n\n".encode()
    return gap + heading + f"- {line}\n".encode()


def without(now: bytes, addition: bytes) -> bytes | None:
    """A file without what was added to it, wherever it stands now; None when it is not there as it was written."""
    at = now.rfind(addition)
    return now[:at] + now[at + len(addition) :] if at >= 0 else None


def diff_of(before: bytes, addition: bytes, name: str) -> str:
    """What would change, as a diff."""
    import difflib  # only who shows one pays for it

    old, new = (text.decode("utf-8", "replace").splitlines() for text in (before, before + addition))
    return "\n".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="", n=2))


def digest(data: bytes) -> str:
    """What tells one state of a file from another."""
    return hashlib.sha256(data).hexdigest()
