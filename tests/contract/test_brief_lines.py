"""What people decided about lines of briefs, on every engine."""

from __future__ import annotations

from factories import NOW, extracted
from nous.features.erasure.purge import Selection, plan
from nous.kernel.log.events import (
    BriefLine,
    BriefLineDropped,
    BriefLineEdited,
    BriefLineKept,
    BriefLinePinned,
    BriefLinePlaced,
    Erased,
    EventType,
    Payload,
    Undone,
    Writer,
    make_event,
)
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import Stores
from nous.moments import later

LINE = BriefLine("Use pnpm.", ("l1",))


def decide(stores: Stores, number: int, kind: EventType, payload: Payload, stream: str = "b1") -> int:
    at = later(NOW, number)
    by = Writer("person", "user_review")
    one = make_event(kind, stream, payload, f"{stream}:{number}", project_id="p", by=by, at=at)
    [written] = stores.events.append([one], at)
    catch_up(stores, at)
    assert written is not None
    return written


def test_decisions_about_a_line_add_up_and_are_taken_back_one_by_one(stores: Stores) -> None:
    decide(stores, 1, "BriefLinePinned", BriefLinePinned(line=LINE, beside=("Use node 22.",)))
    edited = decide(stores, 2, "BriefLineEdited", BriefLineEdited(line=LINE, text="pnpm, never npm."))
    decide(stores, 3, "BriefLinePlaced", BriefLinePlaced(line=LINE, place=4))
    [found] = stores.brief_lines.of_project("p")
    assert (found.text, found.shown, found.state, found.place) == ("Use pnpm.", "pnpm, never npm.", "pinned", 4)
    assert (found.sources, found.beside, found.at) == (("l1",), ("Use node 22.",), later(NOW, 2))
    decide(stores, 4, "EventsUndone", Undone(undone_events=(edited,)))
    [found] = stores.brief_lines.of_project("p")
    assert (found.shown, found.state, found.place) == ("Use pnpm.", "pinned", 4)
    decide(stores, 5, "BriefLineKept", BriefLineKept(line=LINE))
    assert stores.brief_lines.of_project("p")[0].state == "kept"
    dropped = decide(stores, 6, "BriefLineDropped", BriefLineDropped(line=LINE))
    assert stores.brief_lines.of_project("p")[0].state == "dropped"
    assert stores.brief_lines.of_project("q") == []
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []
    decide(stores, 7, "EventsUndone", Undone(undone_events=(dropped,)))
    assert stores.brief_lines.of_project("p")[0].state == "kept"


def test_an_erasure_takes_the_words_of_a_line(stores: Stores) -> None:
    stores.events.append([extracted("l1", "Use pnpm.")], NOW)
    catch_up(stores, NOW)
    number = decide(stores, 1, "BriefLineEdited", BriefLineEdited(line=LINE, text="pnpm, never npm."))
    for selection in (Selection(ids=(1,)), Selection(match="never npm"), Selection(project="p")):
        chosen = plan(stores, selection)
        assert number in chosen.events and "pnpm, never npm." in chosen.words
    stores.events.erase([number])
    decide(stores, 2, "LearningErased", Erased(reason="asked", erased_events=(number,)))
    assert stores.brief_lines.of_project("p") == []
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []
