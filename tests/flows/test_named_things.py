"""Named things from end to end: profiles, decisions and their undoing, projects that do not see each other, erasure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factories import Home
from nous.app import Nous
from nous.config import load_settings
from nous.errors import NotFound, NousError
from nous.features.erasure.purge import Selection
from nous.kernel.log.events import EntityMerged
from nous.kernel.log.integrity import verify
from nous.kernel.memory.projection import compare_with_replay


@pytest.fixture
def nous(tmp_path: Path) -> Nous:
    (tmp_path / "data").mkdir()
    environ = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path), "NOUS_DATA_DIR": str(tmp_path / "data")}
    settings = load_settings(environ)
    return Nous.open(settings.db_path, settings=settings)


def replayed(nous: Nous) -> bool:
    return not compare_with_replay(nous.stores.events, nous.stores.memories, nous.clock()).differences


def test_what_is_taught_has_names_and_a_profile(nous: Nous) -> None:
    nous.remember("The api runs on ECS", project="p", valid_from="2026-01-05")
    nous.remember("Deploys of the api go through `terraform apply`, never by hand", project="p")
    old = nous.list(project="p")[-1].id
    nous.correct(old, "The api runs on EKS")
    assert [memory.content for memory in nous.entity("EKS", project="p").memories] == ["The api runs on EKS"]
    assert {one.name for one in nous.entities(project="p")} >= {"EKS", "ECS", "terraform"}
    assert replayed(nous)


def test_what_is_taught_with_a_key_of_its_own_has_names_too(nous: Nous) -> None:
    nous.remember("The worker reads from Kafka", project="p", ref="k1")
    assert nous.entity("kafka", project="p").memories[0].ref == "k1"


def test_homographs_of_two_projects_are_two(nous: Nous) -> None:
    nous.remember("Atlas is the map renderer in atlas.internal.example.com", project="p", entities=["Atlas"])
    nous.remember("Atlas is the cat of the office", project="q", entities=["Atlas"])
    assert [memory.project_id for memory in nous.entity("Atlas", project="p").memories] == ["p"]
    assert nous.entity("Atlas", project="p").elsewhere == ("q",)
    assert len([one for one in nous.entities(all_projects=True) if one.name == "Atlas"]) == 2
    nous.merge_entities("Atlas", "Atlas", project="q", into_project="p")
    assert len(nous.entity("Atlas", project="p").memories) == 2  # a person said so


def test_what_holds_everywhere_is_part_of_every_projects_profile(nous: Nous) -> None:
    nous.remember("Postgres dumps go to the backup host", project="q", entities=["Postgres"], scope="global")
    nous.remember("PostgreSQL is the main store", project="p", entities=["PostgreSQL"])
    assert len(nous.entity("postgres", project="p").memories) == 2
    assert len(nous.entity("postgres", project="q").memories) == 1


def test_merge_rename_split_reject_and_each_undone(nous: Nous) -> None:
    for text, name in (("Chopski asks first", "Chopski"), ("Chopsky is a custom GPT", "Chopsky")):
        nous.remember(text, project="p", entities=[name])
    merged = nous.merge_entities("Chopski", "Chopsky", project="p")
    nous.remember("Chopski is asked about the household", project="p", entities=["Chopski"])
    assert nous.entity("chopski", project="p").entity.name == "Chopsky"  # as it was said, whatever is more frequent
    assert [one.name for one in nous.entities(project="p")] == ["Chopsky"]
    with pytest.raises(NousError, match="are one already"):
        nous.merge_entities("Chopsky", "Chopski", project="p")  # no circle can be made
    nous.rename_entity("Chopsky", "Chef", project="p")
    assert nous.entity("chef", project="p").entity.name == "Chef"
    nous.undo([merged], project="p")  # a merge that is undone after later events
    assert nous.entity("Chopski", project="p").entity.mentions == 2
    assert nous.entity("Chopsky", project="p").entity.name == "Chef"
    again = nous.merge_entities("Chopski", "Chef", project="p")
    nous.split_entity("Chef", "Chopski", project="p")
    assert nous.entity("Chopski", project="p").entity.name == "Chopski"
    nous.reject_entity("Chopski", project="p")
    with pytest.raises(NotFound, match="no entity"):
        nous.entity("Chopski", project="p")
    nous.undo(project="p")
    assert nous.entity("Chopski", project="p").entity.mentions == 2
    assert again and replayed(nous) and verify(nous.stores).ok


def test_a_name_that_means_two_things_is_split_by_memory(nous: Nous) -> None:
    first = nous.remember("Mercury is the job runner", project="p", entities=["Mercury"])
    second = nous.remember("Mercury in the lab is toxic, wear gloves", project="p", entities=["Mercury"])
    nous.split_entity("Mercury", "mercury (metal)", memories=[second], project="p")
    assert [memory.id for memory in nous.entity("Mercury", project="p").memories] == [first]
    assert [memory.id for memory in nous.entity("mercury (metal)", project="p").memories] == [second]
    with pytest.raises(NousError, match="does not name"):
        nous.split_entity("Mercury", "other", memories=[second], project="p")
    assert replayed(nous)


@pytest.mark.parametrize("name", ["nobody", "", "   ", "\u202e", "🙂", "x" * 5000, "'; DROP TABLE mentions; --"])
def test_what_nobody_named_is_one_sentence(nous: Nous, name: str) -> None:
    nous.remember("The worker reads from Kafka", project="p")
    with pytest.raises(NotFound, match="nothing here is called"):
        nous.entity(name, project="p")


def test_a_new_name_has_letters_and_is_free(nous: Nous) -> None:
    nous.remember("The worker reads from Kafka and writes to Redis", project="p")
    for name, problem in (("123", "cannot be a name"), ("x" * 500, "cannot be a name"), ("redis", "another entity")):
        with pytest.raises(NousError, match=problem):
            nous.rename_entity("Kafka", name, project="p")


def test_erasing_drops_names_that_only_the_erased_held(nous: Nous, tmp_path: Path) -> None:
    gone = nous.remember("Zebulon keeps the deploy codes", project="p", entities=["Zebulon"])
    nous.remember("Kafka feeds the worker", project="p", entities=["Kafka"])
    kept = nous.remember("Kafka is on port 9092", project="p", entities=["Kafka"])
    nous.rename_entity("Zebulon", "Zebulon Quartz", project="p")
    nous.merge_entities("Zebulon", "Kafka", project="p")
    nous.work.purge(Selection(ids=(gone,)), str(tmp_path / "data" / "copies"), "asked for")
    told = [event.payload for event in nous.stores.events.of_entities(10**9)]
    assert not any(isinstance(payload, EntityMerged) for payload in told)
    assert [memory.id for memory in nous.entity("Kafka", project="p").memories][-1:] and kept
    with pytest.raises(NotFound):
        nous.entity("Zebulon", project="p")
    assert verify(nous.stores).ok and replayed(nous)
    nous.close()
    assert b"zebulon" not in (tmp_path / "data" / "cortex.db").read_bytes().lower()


def test_many_aliases_are_one_page(nous: Nous) -> None:
    rows = [
        {"text": f"alias{number} is one of many names", "ref": f"r{number}", "entities": [f"alias{number}x"]}
        for number in range(60)
    ]
    nous.remember_many(rows, project="p")
    for number in range(1, 60):
        nous.merge_entities(f"alias{number}x", "alias0x", project="p")
    assert nous.entity("alias59x", project="p").entity.mentions == 60


def test_the_command_shows_decides_and_refuses_in_one_sentence(tmp_path: Path) -> None:
    home = Home(tmp_path)
    project = home.project()
    home.nous("remember", "The worker reads from Kafka and from Redis", cwd=project)
    shown = home.nous("entity", "kafka", cwd=project)
    assert shown.returncode == 0 and shown.stdout.startswith("Kafka")
    assert "Redis" in home.nous("entity", "list", cwd=project).stdout
    merged = home.nous("entity", "merge", "Kafka", "Redis", "--json", cwd=project)
    assert json.loads(merged.stdout)["said"] == "Kafka is Redis from now on"
    assert "EntityMerged" in home.nous("log", cwd=project).stdout
    assert "undid event" in home.nous("undo", cwd=project).stdout
    for words, status in ((("merge", "Kafka"), 2), (("merge", "Kafka", "nobody"), 1), (("reject", "x", "y"), 2)):
        refused = home.nous("entity", *words, cwd=project)
        assert refused.returncode == status and "Traceback" not in refused.stderr and refused.stderr.strip(), words


def test_who_recalls_by_entity_need_not_know_the_spelling(nous: Nous) -> None:
    nous.remember("PostgreSQL dumps are made at night", project="p", entities=["PostgreSQL"])
    nous.remember("Redis dumps are never made", project="p", entities=["Redis"])
    [hit] = nous.recall("dumps", entity="postgres", project="p")
    assert "PostgreSQL" in hit.content
