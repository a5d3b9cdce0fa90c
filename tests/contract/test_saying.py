"""Which exchanges of a project say a word: the same on every engine, without other projects and subagents."""

from __future__ import annotations

from nous.features.exchanges.store import ExchangeEntry
from nous.kernel.stores import Stores


def _entry(name: str, asked: str, said: str = "") -> ExchangeEntry:
    return ExchangeEntry(0, name, "2026-10-01T10:00:00.000Z", "", False, name, (), (), [(asked, said, "")], [])


def test_the_exchanges_that_say_a_word_are_told_by_word_and_transcript(stores: Stores) -> None:
    for path, agent, project in (("/a", "", "p1"), ("/b", "", "p1"), ("/c", "sub", "p1"), ("/d", "", "p2")):
        stores.exchanges.see(path, path[1:], agent, project)
    files = {file.path: file for file in stores.exchanges.next_waiting(9)}
    numbers = {
        path: [stores.exchanges.add(files[path], _entry(f"{path}-{at}", words)) for at, words in enumerate(said)]
        for path, said in {
            "/a": ["seats of the theatre", "the aisle"],
            "/b": ["theatres"],
            "/c": ["theatre"],
            "/d": ["theatre"],
        }.items()
    }
    found = stores.exchanges.saying(["theatre", "aisle", "moon"], "p1")
    a, b = files["/a"].file_id, files["/b"].file_id
    assert sorted(found) == sorted([(0, numbers["/a"][0], a), (0, numbers["/b"][0], b), (1, numbers["/a"][1], a)])
    assert stores.exchanges.sessions_of_project("p1") == 2
    assert stores.exchanges.of_file(a) == numbers["/a"]
