"""What each role is told before it begins."""

from __future__ import annotations

from factories import NOW, extracted
from nous.features.brief.briefs import role_entries
from nous.features.brief.roles import Role
from nous.identity import Project
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores

PLACE = Project("p", "", "")


def told(stores: Stores, role: Role, ranked: tuple[int, ...] = (), budget: int = 1500) -> tuple[list[int], bool]:
    entries, is_about = role_entries(stores.memories, role, PLACE, ranked, budget, NOW, ())
    return [one.id for one in entries], is_about


def test_a_role_is_told_its_types_and_the_subject_decides(stores: Stores) -> None:
    rows = [
        ("l1", "dead_end", "Caching the tokens in Redis does not work."),
        ("l2", "decision", "Invoices are parsed by a grammar."),
        ("l3", "requirement", "Invoices have a number each."),
        ("l4", "gotcha", "The invoice worker needs a lock."),
        ("l5", "procedure", "Rebuild the invoices with make invoices."),
    ]
    stores.events.append([extracted(name, text, type=kind) for name, kind, text in rows], NOW)
    catch_up(stores, NOW)
    assert told(stores, "planner", (5, 2, 4)) == ([2, 4], True)
    assert told(stores, "coder", (5, 2, 4)) == ([5, 4], True)
    assert told(stores, "qa", (2,)) == ([5, 4, 3, 1], False), "nothing of the subject: the latest of the project"
    assert told(stores, "coder", budget=3)[0] == [], "a budget is kept"
    assert role_entries(stores.memories, "coder", PLACE, (), 1500, NOW, told=(5,))[0][0].id == 4, (
        "what was shown is not repeated"
    )
