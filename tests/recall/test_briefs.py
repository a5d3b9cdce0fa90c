"""What each role is told before it begins."""

from __future__ import annotations

import json
from pathlib import Path

from factories import NOW, Home, extracted, seen
from nous.core.briefs import Calibration, FileUse, calibrated, prefetched
from nous.core.events import SeenFile
from nous.core.sighting import Sighting
from nous.recall.briefs import brief, prefetch
from nous.remember.projection import catch_up
from nous.stores import Stores


def test_a_role_is_told_its_types_and_the_task_decides_the_order(stores: Stores) -> None:
    told = [
        ("l1", "dead_end", "Caching the tokens in Redis does not work."),
        ("l2", "dead_end", "Parsing invoices with a pattern does not work."),
        ("l3", "requirement", "Invoices have a number each."),
        ("l4", "gotcha", "The invoice worker needs a lock."),
    ]
    stores.events.append([extracted(name, text, type=kind) for name, kind, text in told], NOW)
    catch_up(stores, NOW)
    planner = brief(stores, "planner", "p", "parse the invoices", 1500, NOW)
    assert [one.id for one in planner.entries] == [2, 1]
    assert [one.id for one in brief(stores, "qa", "p", "", 1500, NOW).entries] == [3]
    assert brief(stores, "coder", "p", "", 1500, NOW).entries[0].id == 4
    assert brief(stores, "coder", "p", "", 3, NOW).entries == [], "a budget is kept"
    assert brief(stores, "qa", "nowhere", "", 1500, NOW).text() == ""


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
    told = brief(stores, "planner", "p", "", 1500, NOW)
    assert told.calibration and told.calibration.factor == 3.0
    assert "Plans here took 3 times the usual work" in told.text()


def test_the_command(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.nous("remember", "The export worker needs a lock.", "--type", "gotcha")
    found = json.loads(home.nous("brief", "coder", "export", "--json").stdout)
    assert [one["type"] for one in found["memories"]] == ["gotcha"] and "needs a lock" in found["text"]
    assert home.nous("brief", "qa").stdout.strip() == "nothing to tell yet"
