"""What a session would be shown now, line by line, and why: the same answers that the hooks give, without a receipt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from nous.app import Nous
from nous.app.showing import likeness
from nous.features.brief import surface
from nous.identity import Project
from nous.kernel.hooks.hookstore import HookStore
from nous.kernel.hooks.packing import Earlier
from nous.kernel.hooks.responses import Budgets, Delivery, HookContext, at_prompt, at_start
from nous.kernel.memory.memory import Memory
from nous.kernel.recall.worth import why_shown

PREVIEW = "preview"  # the session that asks: it was never shown anything
_CITED = re.compile(r"\[Memory ([^\[\]]{1,200})\]")
_NUMBER = re.compile(r"#(\d{1,18})")
_OF_EXCHANGE = "an earlier session is plainly about what the prompt says"
_OF_PROMPT = "it matches the prompt; "


class PreviewLine(msgspec.Struct, frozen=True):
    """A line of a packet: its text, the memories that it cites, and why it is there."""

    text: str
    ids: tuple[int, ...]
    why: str


class Preview(msgspec.Struct, frozen=True):
    """What a session is shown at its start, and at its first prompt where one is given."""

    start: tuple[PreviewLine, ...]
    prompt: tuple[PreviewLine, ...] = ()


def preview(nous: Nous, place: Project, prompt: str = "") -> Preview:
    """What a session that begins in a project would be shown."""
    hook = _hook(nous)
    payload = {"session_id": PREVIEW, "cwd": place.root, "prompt": prompt, "source": "startup"}
    start = at_start(payload, place, hook)
    hook = hook._replace(seen=start.packet.memory_ids)
    at_first = _lines(nous, at_prompt(payload, place, hook), _OF_PROMPT) if prompt else ()
    return Preview((*_surface(nous, place), *_lines(nous, start)), at_first)


def _surface(nous: Nous, place: Project) -> Iterator[PreviewLine]:
    """What a session sees by the rules file of its project, so that its start does not repeat it."""
    if not (lines := surface.read_lines(place)):
        return
    known = {one.id: one for one in nous.stores.memories.by_id(surface.status(place).memories)}
    for line in lines:
        found = _line(line.removeprefix("- "), known, "")
        yield msgspec.structs.replace(found, why=f"{found.why}; loaded from {surface.FILE}")


def _hook(nous: Nous) -> HookContext:
    given, work = nous.settings, nous.work
    budgets = Budgets(given.session_start_tokens, given.prompt_tokens, given.tool_tokens)

    def passages(text: str, project_id: str, told: object, is_error: bool) -> list[Earlier]:
        return work.passages(text, project_id, (), is_error=is_error)

    return HookContext(HookStore(work.connection), nous.clock(), budgets, True, passages, likeness=likeness)


def _lines(nous: Nous, said: Delivery, because: str = "") -> tuple[PreviewLine, ...]:
    known = {memory.id: memory for memory in nous.stores.memories.by_id(list(said.packet.memory_ids))}
    lines = [line.removeprefix("- ") for line in said.packet.text.splitlines() if line.startswith("- ")]
    return tuple(_line(line, known, because) for line in lines)


def _line(line: str, known: Mapping[int, Memory], because: str) -> PreviewLine:
    cited = (int(number) for part in _CITED.findall(line) for number in _NUMBER.findall(part))
    ids = tuple(number for number in cited if number in known)
    why = f"{because}{why_shown(known[ids[0]])}" if ids else _OF_EXCHANGE
    return PreviewLine(line, ids, why)
