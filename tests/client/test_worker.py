"""The real client as a model: it answers, fires no hook, leaves no transcript, and Nous never reads itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nous.errors import BadOutput, ProviderError
from nous.features.model_reader.request import SCHEMA
from nous.providers.llm import Choice, Llm, open_llm

from .runner import World
from .stub import Reply, Stub

pytestmark = pytest.mark.client

FINDING: dict[str, Any] = {
    "text": "The billing worker keeps the old schema until somebody restarts it.",
    "type": "gotcha",
    "by": "user",
    "evidence": ["T1"],
}
READING: dict[str, Any] = {
    "title": "Odd invoices",
    "summary": "A worker kept its old schema.",
    "outcome": "done",
    "memories": [FINDING],
    "brief": [],
}
STORY = (
    "The invoices looked odd on Monday; the billing worker had kept its old schema until Ana came and did a restart."
)


def model(world: World, url: str) -> Llm:
    choice = Choice("claude", "haiku", "", str(world.executable), 60.0, world.environ["NOUS_DATA_DIR"])
    found = open_llm(choice, world.environ | {"ANTHROPIC_BASE_URL": url})
    assert found is not None
    return found


def transcripts(world: World) -> list[Path]:
    return sorted((world.root / "claude").rglob("*.jsonl"))


def trap_hooks(world: World) -> Path:
    """Settings of the user in which every session leaves a mark."""
    mark = world.root / "hook-fired"
    entry = [{"hooks": [{"type": "command", "command": f"touch '{mark}'"}]}]
    names = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
    world.settings.write_text(json.dumps({"hooks": dict.fromkeys(names, entry)}))
    return mark


def test_the_client_gives_what_the_schema_asks_for(world: World) -> None:
    answer = Reply(tool="StructuredOutput", arguments=READING)
    with Stub([answer]) as stub:
        said = model(world, stub.url).complete("THE PROMPT", "THE TASK", SCHEMA, 1000)
    assert said.structured == READING
    assert (said.input_tokens, said.output_tokens) == (10, 10)
    assert said.usd is not None and "haiku" in said.model
    [request] = stub.requests
    assert "THE PROMPT" in request.text and "THE TASK" in request.text
    assert request.body["max_tokens"] == 1000


def test_words_instead_of_the_form_are_handed_on_as_words(world: World) -> None:
    with Stub([Reply("Nothing here."), Reply("Really nothing.")]) as stub:
        said = model(world, stub.url).complete("p", "s", SCHEMA, 1000)
    assert said.structured is None and "othing" in said.text
    assert len(stub.requests) == 2, "the client asks once more by itself"


def test_a_form_that_never_fits_is_bad_output(world: World) -> None:
    wrong = [Reply(tool="StructuredOutput", arguments={"memories": "none"})] * 8
    with Stub(wrong) as stub, pytest.raises(BadOutput):
        model(world, stub.url).complete("p", "s", SCHEMA, 1000)


def test_an_api_that_is_not_there_is_one_sentence(world: World) -> None:
    with pytest.raises(ProviderError):
        model(world, "http://127.0.0.1:9").complete("p", "s", SCHEMA, 1000)


def test_no_hook_fires_and_no_transcript_is_left(world: World) -> None:
    world.nous("plugin", "install")
    mark = trap_hooks(world)
    project = world.project("shop")
    world.claude("Hello.", project)
    assert mark.exists(), "the trap works in a session of the user"
    mark.unlink()
    before = transcripts(world)
    with Stub([Reply(tool="StructuredOutput", arguments={"memories": []})]) as stub:
        model(world, stub.url).complete("Remember: always use tabs.", "s", SCHEMA, 1000)
    assert not mark.exists()
    assert transcripts(world) == before
    assert list((world.root / "data" / "worker").iterdir()) == []


def test_nous_learns_through_the_client_and_never_from_itself(world: World) -> None:
    project = world.project("shop")
    world.claude(STORY, project, script=[Reply("I see.")])
    world.nous("backfill")
    answer = Reply(tool="StructuredOutput", arguments=READING)
    world.environ |= {"NOUS_LLM_PROVIDER": "claude", "NOUS_LLM_COMMAND": str(world.executable)}
    with Stub([answer]) as stub:
        world.environ["ANTHROPIC_BASE_URL"] = stub.url
        done = world.nous("read", "--all-projects", "--now", cwd=project)
    assert (done["calls"], done["learned"]) == (1, 2), "the finding, and where the work stands"
    assert STORY in stub.requests[0].text
    before = world.nous("list", "--all-projects")["memories"]
    read = world.nous("backfill")
    assert (read["units"], read["learned"]) == (0, 0), "what the worker said is in no transcript"
    assert world.nous("list", "--all-projects")["memories"] == before
    [found] = [each for each in before if each["content"] == FINDING["text"]]
    assert found["extractor"].startswith("read@") and found["extractor"].endswith("/claude:haiku")
    assert world.nous("cost")["today"]["calls"] == 1
