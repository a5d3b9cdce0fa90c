"""Questions that lead on: "when" to what came before and after, "who" to other names."""

from __future__ import annotations

from pathlib import Path

import pytest

from nous import Nous
from nous.features.memories.finding import Recalled
from sessions import World, shop


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def best(nous: Nous, world: World, query: str) -> Recalled:
    return nous.recall(query, project=str(world.work_dir), records="exchanges")[0]


def test_when_leads_to_what_came_before_and_after(world: World) -> None:
    with shop(world) as nous:
        hit = best(nous, world, "when did the importer fail to connect to the database?")
        assert [(step.how, step.text) for step in hit.trail] == [
            ("before it", "Make the invoice totals round half up, the accountant wants it that way"),
            ("after it", "tidy the changelog"),
        ]
        first = best(nous, world, "when were the invoice totals rounded for the accountant?")
        assert [step.how for step in first.trail] == ["after it"]


def test_who_and_what_find_a_thing_under_its_other_name(world: World) -> None:
    with Nous.open(settings=world.settings) as nous:
        here = str(world.work_dir)
        number = nous.remember("Zephyrine answers the pager at night", project=here, entities=["Zephyrine"])
        nous.remember("The pager rings in the kitchen", project=here)
        nous.remember("Ops duty is written on the wall", project=here, entities=["Ops Duty"])
        assert number not in [hit.id for hit in nous.recall("who is ops duty?", project=here)]
        nous.merge_entities("Zephyrine", "Ops Duty", project=here)
        hits = {hit.id: hit for hit in nous.recall("who is ops duty?", project=here)}
        assert "names" in hits[number].found_by
        assert number not in [hit.id for hit in nous.recall("paint the kitchen wall", project=here)]
