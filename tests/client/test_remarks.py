"""What observers saw in one session is told to the next one by the real client, once, and the log has the whole way."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from nous.config import load_settings
from nous.core import moments
from nous.core.events import InterventionNoted
from nous.work import Pipeline

from .runner import World

pytestmark = pytest.mark.client

REMARK = "the user corrected or stopped the agent"
WRONG = ("No, that is wrong. Use the other table.", "Stop, wrong file again.", "No! I said the other table.")


def corrected_session(world: World, folder: str) -> None:
    """The transcript of a session, an hour ago, in which the user had to correct nearly everything."""
    began = datetime.now(UTC) - timedelta(hours=1)
    place = world.root / "claude" / "projects" / "shop"
    place.mkdir(parents=True)
    lines = []
    for number, said in enumerate(("Add a column to the report.", *WRONG)):
        at = moments.text(began + timedelta(minutes=number))
        common = {"sessionId": "corrected", "cwd": folder, "timestamp": at, "version": "2.1.325", "isSidechain": False}
        words = {"role": "user", "content": said}
        lines.append(common | {"type": "user", "uuid": str(uuid.uuid4()), "parentUuid": None, "message": words})
    (place / "corrected.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_remark_goes_from_observation_to_the_model_to_its_outcome(world: World) -> None:
    project = world.project("shop")
    world.nous("plugin", "install")
    corrected_session(world, str(project))
    world.nous("backfill")
    told = world.claude("Hello.", project)
    assert REMARK in told.turns[0].text, world.hook_log
    again = world.claude("Hello.", project)
    assert REMARK not in again.turns[0].text, "it rests for a day"
    world.nous("backfill")
    soon = moments.text(datetime.now(UTC) + timedelta(hours=1))
    work = Pipeline.open(load_settings(world.environ), lambda: soon)
    work.after_learning(0)
    events = [one for batch in work.stores.events.replay() for one in batch]
    noted = [one.payload for one in events if isinstance(one.payload, InterventionNoted)]
    work.close()
    assert [(one.state, one.session) for one in noted] == [
        ("raised", ""),
        ("delivered", told.id),
        ("settled", told.id),
    ]
    said = [row["said"] for row in world.nous("log", "--all-projects", "--limit", "400")["events"]]
    assert any(line.startswith("settled in session") for line in said)
