"""What a session of a project begins with, line by line and why, and what a planner, a coder or a tester needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import msgspec

from nous.features.brief.entry import StartLine
from nous.features.brief.hand import line_id
from nous.features.brief.lines import start_lines
from nous.features.brief.packets import CodeState
from nous.features.brief.roles import NAMES, NEED, Role, of_role, within
from nous.features.brief.store import LineState
from nous.identity import Project, work_tree
from nous.kernel.hooks import anchors
from nous.kernel.hooks.packing import Entry, clean, is_work, pack
from nous.kernel.log.events import BriefLine
from nous.kernel.memory.memories import Memories
from nous.kernel.memory.memory import Memory
from nous.kernel.recall.worth import entry, is_certain, is_injectable, why_shown
from nous.kernel.stores import Stores


class ShownLine(msgspec.Struct, frozen=True):
    """A line that a session begins with: its number, what it is called, what it says, what it rests on, and why.

    `state` is what a person decided: nothing, kept or pinned. `line` is the line that a decision about it names.
    """

    number: int
    key: str
    text: str
    ids: tuple[int, ...]
    why: str
    state: LineState
    is_edited: bool
    is_work: bool
    line: BriefLine
    beside: tuple[str, ...] = ()


class Brief(msgspec.Struct, frozen=True):
    """What a session begins with, and for a role what it needs of a subject.

    `is_about`: the entries are about the subject; otherwise they are the latest of the project.
    """

    lines: tuple[ShownLine, ...]
    role: Role | None = None
    subject: str = ""
    entries: tuple[Entry, ...] = ()
    is_about: bool = False

    def text(self) -> str:
        """The brief as an agent reads it; empty when nothing is known."""
        return "\n".join([*(f"- {one.text}{_cited_number(one)}" for one in self.lines), *self._role_text()])

    def _role_text(self) -> list[str]:
        if not self.role or not self.entries:
            return []
        about = f" about {self.subject!r}" if self.is_about else ", the latest of the project"
        return [f"For a {NAMES[self.role]}: {NEED[self.role]}{about}:", *(one.line for one in self.entries)]


def _cited_number(line: ShownLine) -> str:
    return f" [Memory {', '.join(f'#{one}' for one in line.ids)}]" if line.ids else ""


# -- the lines ------------------------------------------------------------------------------------------------------


def shown_lines(stores: Stores, place: Project, budget: int, now: str) -> tuple[ShownLine, ...]:
    """The lines that a session which begins in a project is shown, in their order."""
    memories = stores.memories.visible(place.id)
    code = CodeState(place.id, stores.cache.root(place.id) or place.root, memories)
    lines = start_lines(stores, code.standing(memories, place.branch), place.id, now, place.branch)
    pool = code.anchored(one.entry._replace(worth=float(-at)) for at, one in enumerate(lines))
    packet = pack(pool, budget, check=anchors.check_in(work_tree(place.root)))
    chosen = _chosen_lines(lines, packet.text)
    known = {one.id: one for one in stores.memories.by_id([one.entry.id for one in chosen])}
    return tuple(_show_line(nth, line, chosen, known, place.id) for nth, line in enumerate(chosen, 1))


def _chosen_lines(lines: Sequence[StartLine], text: str) -> list[StartLine]:
    """The lines that a packet took: what it says of each begins as the line does, whatever it marks."""
    waiting = sorted(lines, key=lambda one: is_work(one.entry))
    found: list[StartLine] = []
    for said in text.splitlines():
        line = next((one for one in waiting if said.startswith(_line_text(one.entry))), None)
        if line is not None:
            found.append(line)
            waiting.remove(line)
    return found


def _line_text(one: Entry) -> str:
    return clean(one.line).rpartition(" [Memory #")[0]


def _show_line(
    number: int, line: StartLine, lines: Sequence[StartLine], known: dict[int, Memory], project_id: str
) -> ShownLine:
    named = BriefLine(line.text, line.sources)
    beside = tuple(one.text for one in lines if one is not line and one.sources == line.sources)
    decided = line.decided
    return ShownLine(
        number=number,
        key=decided.learning_id if decided else line_id(project_id, named),
        text=_line_text(line.entry).removeprefix("- "),
        ids=(line.entry.id, *line.entry.beside),
        why=_why(line, known[line.entry.id]),
        state=decided.state if decided else "",
        is_edited=bool(decided and decided.words),
        is_work=is_work(line.entry),
        line=BriefLine(decided.text, decided.sources) if decided else named,
        beside=beside,
    )


def _why(line: StartLine, memory: Memory) -> str:
    if not (line.decided and line.is_held):
        return why_shown(memory)
    day = line.decided.at[:10]
    if line.decided.words:
        return f"in your words of {day}" + (", pinned" if line.is_pinned else "")
    return f"you pinned it here on {day}" if line.is_pinned else f"you kept it on {day}"


# -- roles ----------------------------------------------------------------------------------------------------------


def role_entries(
    memories: Memories, role: Role, place: Project, ranked: Iterable[int], budget: int, now: str, told: Collection[int]
) -> tuple[list[Entry], bool]:
    """What a role needs within a budget of tokens, and whether it is about the subject.

    `ranked` are the memories that a search for the subject found, best first; where none of them is of the role's
    types, the latest of the project are told. `told` are memories that the brief shows already.
    """
    visible = {one.id: one for one in memories.visible(place.id) if one.id not in told}
    fit = {number: one for number, one in visible.items() if _is_fit(one, now, place.branch)}
    about = of_role(role, (fit[number] for number in ranked if number in fit))
    latest = sorted(fit.values(), key=lambda one: (one.last_said_at or one.valid_from or one.created_at, one.id))
    chosen = about or of_role(role, reversed(latest))
    return within([entry(one, now) for one in chosen], budget), bool(about)


def _is_fit(memory: Memory, now: str, branch: str) -> bool:
    return is_injectable(memory, now, branch) and is_certain(memory)
