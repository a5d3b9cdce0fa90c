"""What reaches the model at each moment of a session, in the real client: once, in time, and of this project only."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from .runner import Session, World, wait_until
from .stub import Reply, Request

pytestmark = pytest.mark.client

RULE = "Always run the migrations with `make migrate-safe` in this repo, never with alembic directly."
MARK = "make migrate-safe"
# Two models, since the client hands injected text over in two ways: as a system message, or inside the user's.
MODELS = ["claude-opus-5-5", "claude-haiku-4-5"]


def times(text: str, request: Request) -> int:
    """How often a request holds a memory with these words."""
    return sum(text in line for line in request.text.splitlines() if "[Memory #" in line)


def forms(text: str, request: Request) -> set[str]:
    """The roles of the messages in which the words arrived."""
    messages = request.body["messages"]
    return {each["role"] for each in messages if text in msgspec.json.encode(each["content"]).decode()}


# -- the start of a session, without a daemon -----------------------------------------------------------------------


class Begun(msgspec.Struct, frozen=True):
    """A world with a rule, and a first session that was told it."""

    world: World
    project: Path
    first: Session


@pytest.fixture(scope="module")
def begun(new_world: Callable[[], World]) -> Begun:
    world = new_world()
    project = world.project("shop")
    world.nous("plugin", "install")
    with world.memory() as nous:
        nous.remember(RULE, type="requirement", project=str(project))
    return Begun(world, project, world.claude("Hello.", project))


def triggers(world: World, session: str) -> list[tuple[str, str]]:
    """Hook and trigger of each injection of a session, in order."""
    with world.memory() as nous:
        found = nous.stores.injections.recent(session)
    return [(row["hook"], row["trigger"]) for row in reversed(found)]


def test_a_session_that_starts_is_told_once(begun: Begun) -> None:
    assert times(MARK, begun.first.turns[0]) == 1, begun.world.hook_log
    assert triggers(begun.world, begun.first.id) == [("SessionStart", "startup")]


@pytest.mark.parametrize(("model", "form"), [(MODELS[0], "system"), (MODELS[1], "user")])
def test_both_forms_of_injected_text_are_seen(begun: Begun, model: str, form: str) -> None:
    session = begun.world.claude("Hello.", begun.project, "--model", model)
    assert forms(MARK, session.turns[0]) == {form}


def test_a_resumed_session_is_not_told_again(begun: Begun) -> None:
    session = begun.world.claude("And now?", begun.project, "--resume", begun.first.id)
    assert session.id == begun.first.id
    assert times(MARK, session.turns[0]) == 1  # from its own history
    assert triggers(begun.world, begun.first.id) == [("SessionStart", "startup")]


def test_a_fork_is_not_told_what_it_copied(begun: Begun) -> None:
    session = begun.world.claude("And now?", begun.project, "--resume", begun.first.id, "--fork-session")
    assert session.id != begun.first.id
    assert times(MARK, session.turns[0]) == 1
    assert triggers(begun.world, session.id) == []


def test_a_cleared_session_is_a_new_one_and_is_told(begun: Begun) -> None:
    session = begun.world.talk(["Hello.", "/clear", "Hello again."], begun.project)
    last = session.turns[-1]
    assert last.session != session.id and "Hello again." in last.text
    assert times(MARK, last) == 1
    assert triggers(begun.world, last.session) == [("SessionStart", "clear")]


def test_a_compacted_session_gets_back_what_was_lost(begun: Begun) -> None:
    session = begun.world.talk(["Hello.", "/compact", "Hello again."], begun.project)
    last = session.turns[-1]
    assert last.session == session.id and "Hello again." in last.text
    assert times(MARK, last) == 1
    assert triggers(begun.world, session.id) == [("SessionStart", "startup"), ("SessionStart", "compact")]


# -- later moments, with a daemon -----------------------------------------------------------------------------------

GOTCHA = "clock.now() returns naive UTC on purpose, so compare it with naive values only."
FIX = "ImportError libpq.so.5 means that the client library is missing: run scripts/install-libpq.sh first."
DEPLOY = "Deploys of the shop go out on Tuesdays from the release branch, after the smoke tests."
POEM = "Deploys of the blog are a push to the pages branch and nothing more."
BROKEN = """python3 -c 'raise ImportError("libpq.so.5: cannot open shared object file")'"""


class Served(msgspec.Struct, frozen=True):
    """A world with a daemon, two projects and one memory for each moment. Session starts are silent in it."""

    world: World
    shop: Path
    blog: Path
    known: list[Any]


@pytest.fixture(scope="module")
def served(new_world: Callable[[], World]) -> Served:
    world = new_world()
    # With no room at the start, whatever is told later has not been told before.
    world.environ |= {"NOUS_ENABLE_USERPROMPTSUBMIT": "1", "NOUS_SESSION_START_TOKENS": "1"}
    shop, blog = world.project("shop"), world.project("blog")
    (shop / "app").mkdir()
    (shop / "app" / "clock.py").write_text("def now(): ...\n")
    world.nous("plugin", "install")
    with world.memory() as nous:
        nous.remember(GOTCHA, type="gotcha", files=["app/clock.py"], project=str(shop))
        nous.remember(FIX, type="error_pattern", project=str(shop))
        nous.remember(DEPLOY, type="procedure", project=str(shop))
        nous.remember(POEM, type="procedure", project=str(blog))
    world.nous("up")
    return Served(world, shop, blog, memories(world))


def memories(world: World) -> list[Any]:
    """What Nous holds, of every project: number, words and evidence."""
    with world.memory() as nous:
        return sorted((each.id, each.content, each.evidence) for each in nous.list(all_projects=True))


def read(path: Path) -> Reply:
    return Reply(tool="Read", arguments={"file_path": str(path)})


FREE = "--dangerously-skip-permissions"


@pytest.mark.parametrize("model", MODELS)
def test_the_first_prompt_is_answered_and_the_second_is_not(served: Served, model: str) -> None:
    prompts = ["When do deploys of the shop go out?", "Which branch do deploys go out from?"]
    session = served.world.talk(prompts, served.shop, "--model", model)
    assert times(DEPLOY, session.turns[0]) == 1, served.world.hook_log
    assert times(DEPLOY, session.turns[-1]) == 1
    assert triggers(served.world, session.id) == [("UserPromptSubmit", "prompt")]


@pytest.mark.parametrize("prompt", ["Write a limerick on parrots.", "/nous:status"])
def test_a_prompt_that_calls_for_nothing_gets_nothing(served: Served, prompt: str) -> None:
    session = served.world.claude(prompt, served.shop)
    assert session.turns and "[Memory #" not in session.heard


@pytest.mark.parametrize("model", MODELS)
def test_a_file_brings_its_warning_once(served: Served, model: str) -> None:
    other, clock = read(served.shop / "README.md"), read(served.shop / "app" / "clock.py")
    script = [other, clock, clock]
    session = served.world.claude("Hi.", served.shop, FREE, "--model", model, script=script)
    assert [times(GOTCHA, request) for request in session.turns] == [0, 0, 1, 1], served.world.hook_log
    assert triggers(served.world, session.id) == [("PostToolUse", "Read")]


def test_a_search_is_told_where_the_thing_is_once(served: Served) -> None:
    (served.shop / "app" / "retries.py").write_text("def retry_policy():\n    return 3\n")
    (served.shop / "app" / "client.py").write_text("from app.retries import retry_policy\n\nretry_policy()\n")
    served.world.nous("index", str(served.shop))
    listing = Reply(tool="Bash", arguments={"command": "ls", "description": "Look"})
    search = Reply(tool="Bash", arguments={"command": "grep -rl retry_policy .", "description": "Search"})
    said = "`retry_policy` is defined in app/retries.py:1."
    session = served.world.claude("Hi.", served.shop, FREE, script=[listing, search, search])
    assert [request.text.count(said) for request in session.turns] == [0, 0, 1, 1], served.world.hook_log
    assert triggers(served.world, session.id) == [("PostToolUse", "Bash")]


@pytest.mark.parametrize("model", MODELS)
def test_a_failed_command_brings_its_fix(served: Served, model: str) -> None:
    fail = Reply(tool="Bash", arguments={"command": BROKEN, "description": "Try"})
    session = served.world.claude("Hi.", served.shop, FREE, "--model", model, script=[fail, fail])
    assert [times(FIX, request) for request in session.turns] == [0, 1, 1], served.world.hook_log
    assert triggers(served.world, session.id) == [("PostToolUseFailure", "Bash")]


def test_a_subagent_gets_the_warning_where_it_reads_the_file(served: Served) -> None:
    order = {"description": "Look", "prompt": "Look at the clock.", "subagent_type": "general-purpose"}
    agent = Reply(tool="Agent", arguments={**order, "run_in_background": False})
    script = [agent, read(served.shop / "app" / "clock.py"), Reply("Seen."), Reply("Done.")]
    session = served.world.claude("Hi.", served.shop, FREE, script=script)
    [inside] = [request for request in session.turns if times(GOTCHA, request)]
    assert "Look at the clock." in inside.text and session.said == "Done."


def test_two_sessions_at_once_in_two_projects_do_not_mix(served: Served) -> None:
    question = "From which branch do we do deploys?"
    with ThreadPoolExecutor() as pool:
        shop, blog = pool.map(lambda where: served.world.claude(question, where), (served.shop, served.blog))
    assert (times(DEPLOY, shop.turns[0]), times(POEM, shop.turns[0])) == (1, 0)
    assert (times(DEPLOY, blog.turns[0]), times(POEM, blog.turns[0])) == (0, 1)


def test_nothing_that_was_injected_is_learned_and_every_receipt_is_seen(served: Served) -> None:
    """The last test of this world: its sessions are all the material there is, and one of its own."""
    served.world.claude("When do deploys go out, and from which branch?", served.shop)

    def all_seen() -> bool:
        with served.world.memory() as nous:
            found = nous.stores.injections.recent(limit=100)
        return bool(found) and all(row["acknowledged_at"] for row in found)

    assert wait_until(all_seen, seconds=20)
    served.world.nous("backfill")
    assert memories(served.world) == served.known


def test_a_compacted_session_is_told_where_it_stood(world: World) -> None:
    """The daemon keeps goal, files, what is open and what failed just before the context is cut."""
    project = world.project("mailer")
    world.nous("plugin", "install")
    world.nous("up")
    script = [
        Reply(tool="Write", arguments={"file_path": str(project / "retry.py"), "content": "TRIES = 3\n"}),
        Reply(tool="Bash", arguments={"command": BROKEN, "description": "Try"}),
        Reply("The retry is written. The timeout is still untested."),
    ]
    prompts = ["Add a retry with three tries to the mailer.", "/compact", "Go on."]
    session = world.talk(prompts, project, FREE, script=script)
    last = session.turns[-1]
    assert "Go on." in last.text and last.session == session.id
    told = [
        line for line in last.text.splitlines() if line.startswith(("- Goal: ", "- Files ", "- Said ", "- Failed "))
    ]
    assert told == [
        "- Goal: Add a retry with three tries to the mailer",
        "- Files changed: retry.py",
        "- Said last: The retry is written. The timeout is still untested.",
        f"- Failed last: `{BROKEN}` (ImportError: libpq.so.5: cannot open shared object file)",
    ], (last.text[-3000:], world.hook_log)


def test_what_stands_on_the_surface_is_loaded_by_the_client_and_not_said_twice(world: World) -> None:
    project = world.project("shop")
    world.nous("plugin", "install")
    with world.memory() as nous:
        nous.remember(RULE, type="requirement", project=str(project))
    world.nous("surface", "on", cwd=project)
    with world.memory() as nous:
        nous.remember("The staging host is called heron.", project=str(project))
    session = world.claude("Hello.", project)
    assert (times(MARK, session.turns[0]), times("heron", session.turns[0])) == (1, 1), world.hook_log
    before = memories(world)
    world.nous("backfill")
    assert memories(world) == before
