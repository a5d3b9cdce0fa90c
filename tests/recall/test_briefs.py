"""What each role is told before it begins."""

from __future__ import annotations

from factories import NOW, extracted, seen
from nous.core.briefs import Calibration, FileUse, Role, calibrated, prefetched
from nous.core.events import SeenFile
from nous.core.sighting import Sighting
from nous.identity import Project
from nous.recall.briefs import Brief, calibration, prefetch, role_entries
from nous.remember.projection import catch_up
from nous.stores import Stores

PLACE = Project("p", "", "")


def told(stores: Stores, role: Role, ranked: tuple[int, ...] = (), budget: int = 1500) -> tuple[list[int], bool]:
    entries, is_about = role_entries(stores, role, PLACE, ranked, budget, NOW, ())
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
    assert role_entries(stores, "coder", PLACE, (), 1500, NOW, told=(5,))[0][0].id == 4, (
        "what was shown is not repeated"
    )


def test_files_of_most_sessions_come_first_and_no_more_than_twelve(stores: Stores) -> None:
    for number in range(4):
        files = [SeenFile("api/a.py", 1, 0, 0)] + ([SeenFile("api/b.py", 1, 1, 1)] if number < 3 else [])
        seen(stores, f"s{number}", files=tuple(files))
    assert prefetch(stores, "p") == [FileUse("api/a.py", 1.0), FileUse("api/b.py", 0.75)]
    assert len(prefetched([FileUse(f"{n}.py", 0.9) for n in range(30)])) == 12
    assert prefetch(stores, "nobody") == []


def test_plans_that_ran_over_stretch_a_limit_no_further_than_twice(stores: Stores) -> None:
    assert calibrated([(3, 30), (3, 30)], 5.0) is None, "too few plans"
    found = calibrated([(3, 30), (3, 30), (0, 9), (3, 30)], 5.0)
    assert found == Calibration(2.0, 3.0, 30.0, 3)
    assert Calibration(9.0, 1, 1, 3).steps(10) == 20 and Calibration(0.3, 1, 1, 3).steps(10) == 10
    for number in range(3):
        said = Sighting("step_overrun", "plan", "2 steps planned, 30 calls made", ("u",))
        seen(stores, f"s{number}", sightings=(said,))
    found = calibration(stores, "p")
    assert found and found.factor == 3.0
    assert "Plans here took 3 times the usual work" in Brief((), "planner", calibration=found).text()
