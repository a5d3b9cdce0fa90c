"""What was said of one branch is shown on that branch."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from factories import NOW, extracted
from nous.features.brief.packets import warm
from nous.identity import context_key
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.recall.worth import entries, is_injectable
from nous.kernel.stores import Stores
from nous.language.branches import BOUND, is_bound

BOUND_SAYINGS = {
    "en": ["On this branch we skip the e2e tests.", "For this PR, keep the old API.", "Use tabs, in this branch only"],
    "de": ["Auf diesem Branch laufen keine e2e-Tests.", "Für diesen PR bleibt die alte API."],
    "fr": ["Sur cette branche, pas de tests e2e."],
    "es": ["En esta rama no corremos los tests e2e.", "Para este PR usamos la API vieja."],
    "ru": ["В этой ветке тесты не запускаем."],
    "zh": ["在这个分支上不要运行测试。"],
    "ja": ["このブランチではテストを実行しない。"],
}
FREE_SAYINGS = [
    "Every branch needs a ticket number.",
    "Releases are cut from the release branch.",
    "Open a PR for every change.",
    "Delete the branch after the merge request is merged.",
    "Der Branch heißt wie das Ticket.",
]


@pytest.mark.parametrize("said", [said for language in BOUND_SAYINGS.values() for said in language])
def test_what_speaks_of_this_branch_is_bound_to_it(said: str) -> None:
    assert is_bound(said)


def test_every_language_has_an_example() -> None:
    assert set(BOUND_SAYINGS) == set(BOUND)


@pytest.mark.parametrize("said", FREE_SAYINGS)
def test_what_speaks_of_branches_in_general_is_free(said: str) -> None:
    assert not is_bound(said)


def made(stores: Stores) -> Memory:
    said = extracted("a", "On this branch, always skip the e2e tests.", type="requirement", branch="spike")
    stores.events.append([said, extracted("b", "Always run make check.", type="requirement", branch="spike")], NOW)
    catch_up(stores, NOW)
    return stores.memories.by_learning(["a"])["a"]


def test_it_is_shown_on_its_branch_and_on_no_other(stores: Stores) -> None:
    memory = made(stores)
    assert is_injectable(memory, NOW, "spike")
    assert not is_injectable(memory, NOW, "main") and not is_injectable(memory, NOW, "")
    assert is_injectable(replace(memory, branch=None), NOW, "main")  # nobody knows which branch was meant
    assert "(branch spike)" in entries([memory], NOW, "spike")[0].line


def test_packets_hold_it_for_its_branch_only(stores: Stores) -> None:
    made(stores)
    stores.cache.see_project("p", "/nowhere", "main", NOW)
    warm(stores, "p", NOW)
    packets = {branch: stores.cache.get(context_key("p", branch)) or "" for branch in ("spike", "main", "")}
    assert ["e2e" in packets[branch] for branch in packets] == [True, False, False]
    assert all("make check" in packet for packet in packets.values())
