"""Words to look for, as the engine reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import NOW, extracted
from nous.kernel.db.fulltext import expression, place
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores, open_stores
from nous.language.text import Wanted


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Wanted(("pnpm", "install")), '"pnpm" OR "install"'),
        (Wanted(("pnpm", "install"), together=True), '"pnpm" AND "install"'),
        (Wanted(("pnpm",), own=True), '{content terms concepts} : ("pnpm")'),
        (Wanted(('say "hi"', "NOT"), "p"), f'place : ({place("p")} OR peverywhere) AND ("say ""hi""" OR "NOT")'),
    ],
)
def test_words_are_spelled_for_the_engine(wanted: Wanted, said: str) -> None:
    assert expression(wanted) == said


def test_a_project_is_one_word_in_the_index() -> None:
    assert place("github.com/a/b").isalnum()
    assert place("a") != place("b")
    assert place("a", "global") == place("b", "global")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1), min_size=1))
def test_no_word_is_an_operator(words: list[str]) -> None:
    stores = open_stores(":memory:")
    for wanted in (Wanted(tuple(words), "p"), Wanted(tuple(words), together=True, own=True)):
        assert stores.memories.search_text(wanted, 5) == []
    stores.close()


def test_all_together_or_any_and_only_where_one_may_look(stores: Stores) -> None:
    stores.events.append([extracted("l1", "Use pnpm here."), extracted("l2", "Use npm there.", project_id="q")], NOW)
    catch_up(stores, NOW)

    def found(*words: str, **how: bool | str) -> list[int]:
        return [number for number, _ in stores.memories.search_text(Wanted(words, **how), 9)]  # type: ignore[arg-type]

    assert sorted(found("use", "pnpm")) == [1, 2]
    assert found("use", "pnpm", together=True) == [1]
    assert found("use", project_id="q") == [2]
    assert found("use", project_id="r") == []
    assert stores.memories.frequencies(["use", "pnpm", "never"], 10) == [2, 1, 0]
    assert stores.memories.matches(1, "pnpm") and not stores.memories.matches(2, "pnpm")


def test_many_alike_are_not_all_weighed(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    told = [extracted(f"l{n}", f"The retry queue of worker{n} waits.") for n in range(1, 13)]
    elsewhere = extracted("other", "The retry queue of worker99 waits.", project_id="q")
    stores.events.append([*told, elsewhere], NOW)
    catch_up(stores, NOW)

    def found(text: str, limit: int = 3) -> list[int]:
        return stores.memories.find_worded(text, limit, "p")

    usual = found("The retry queue of worker7 waits.", 20)
    assert usual[0] == 7 and len(usual) == 12
    monkeypatch.setattr("nous.kernel.memory.memories.FEW", 5)
    monkeypatch.setattr("nous.kernel.memory.memories.COMMON", 4)
    assert found("The retry queue of worker7 waits.", 20)[0] == 7, "a rare word finds whatever is old"
    assert found("The retry queue of worker7 waits.") == [7, 12, 11], "then the newest that have the common ones"
    assert found("The retry queue waits.") == [12, 11, 10], "the newest, where every word is common"
    assert found("A retry queue of worker99 never known.") == [12, 11, 10]
    assert found("Nothing alike.") == [] and found("") == []
    stores.events.append([extracted("kept", "Deploys wait for the tests.", project_id="r")], NOW)
    catch_up(stores, NOW)
    heard = stores.memories.find_worded("The retry queue waits.", 3, "r")
    assert heard == [14], "a word that is common elsewhere may be the only one here"
    weighed: list[set[str]] = []

    def weigh(wanted: Wanted, _: int) -> list[tuple[int, float]]:
        weighed.append({*wanted.words})
        return []

    monkeypatch.setattr(stores.memories, "search_text", weigh)
    found("The retry queue of worker7 waits.")
    assert weighed == [{"worker7", "7"}], "no common word is weighed"
