"""What a learning means for what is known: again, instead, too late, or new."""

from __future__ import annotations

from typing import Any

import pytest

from nous.core.extraction import Learning
from nous.core.extractor import extract
from nous.core.memory import Memory
from nous.core.relearn import Verdict, judge
from nous.core.transcript import Turn
from nous.core.types import TYPES

OLD, NEW = "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z"


def said(text: str) -> Learning:
    """What the extractor makes of a prompt that the assistant took note of."""
    turns = [
        Turn(uuid="1", kind="prompt", at=OLD, session_id="s", text="go on"),
        Turn(uuid="2", kind="reply", at=OLD, session_id="s", text="Done."),
        Turn(uuid="3", kind="prompt", at=OLD, session_id="s", text=text),
        Turn(uuid="4", kind="reply", at=OLD, session_id="s", text="Understood."),
    ]
    found = [one for one in extract(turns) if isinstance(one, Learning)]
    assert found, text
    return found[0]


def memory(text: str, place: int = 1, valid_from: str = OLD, **fields: Any) -> Memory:
    learning = said(text)
    return Memory(
        id=place,
        learning_id=f"l{place}",
        project_id="p",
        session_id="s",
        type=learning.type,
        kind=TYPES[learning.type].kind,
        content=learning.content,
        created_at=valid_from,
        valid_from=valid_from,
        version=place,
        slot=learning.slot,
        files=learning.files,
        entities=learning.entities,
        **fields,
    )


def verdict(text: str, *known: Memory, at: str = NEW) -> Verdict:
    return judge(said(text), at, known)


@pytest.mark.parametrize(
    ("known", "again"),
    [
        ("always format with `just fmt` before committing", "always format with `just fmt` before committing."),
        ("in this repo we never commit generated files", "we never commit generated files in this repo"),
        ("quiz ids are ulids, never integers", "quiz ids are always ulids, never integers"),
    ],
)
def test_the_same_in_other_words_is_a_repetition(known: str, again: str) -> None:
    assert verdict(again, memory(known)).repeats == 1


@pytest.mark.parametrize(
    ("known", "other"),
    [
        ("the auth module never talks to the database directly, always through auth_repo",
         "the mail module never talks to the database directly, always through mail_repo"),
        ("for export we decided on a timeout of 65 seconds, because the upstream is slow",
         "for search we decided on a timeout of 48 seconds, because the upstream is slow"),
        ("the owner of sso is team grey, ask them before changing its schema",
         "the owner of quota is team red, ask them before changing its schema"),
        ("remember: tax tests need the fixture set `tax-32`", "remember: mail tests need the fixture set `mail-96`"),
        ("in theme all ids are prefixed with the_", "in mail all ids are prefixed with mai_"),
        ("the api runs on port 9000", "the admin ui runs on port 9001"),
        ("we use redis for sessions", "we drop redis for the job queue and use SQS instead"),
        ("always run the linter before pushing", "never push without a ticket number"),
        ("the staging database is read-only", "the production database is replicated"),
        ("I prefer short answers", "I prefer small commits"),
    ],
)  # fmt: skip
def test_facts_about_different_things_stand_side_by_side(known: str, other: str) -> None:
    found = verdict(other, memory(known))
    assert found.repeats is None
    assert found.supersedes == ()
    assert found.superseded_by is None


@pytest.mark.parametrize(
    ("known", "now"),
    [
        ("dev server is on port 4100", "the dev server now runs on 4600"),
        ("the default branch is master here", "that's outdated, we renamed it: the default branch is trunk now"),
        ("log level in production is INFO", "production log level must be WARNING from now on"),
        ("the owner of search is team blue", "search is now owned by team red"),
        ("for the job queue we go with RabbitMQ", "we drop RabbitMQ and use Postgres SKIP LOCKED for the jobs instead"),
        ("for the cache we use memcached", "we use redis for the cache now, not memcached"),
        ("the build box is an x86 server", "the build box is an arm64 Jetson now"),
        ("tests run with `make test`", "from now on run the tests with `just test`"),
    ],
)
def test_a_new_value_supersedes_the_old_one(known: str, now: str) -> None:
    found = verdict(now, memory(known))
    assert found.supersedes == (1,)
    assert found.repeats is None


def test_history_that_arrives_late_is_superseded_by_what_is_known() -> None:
    known = memory("the dev server now runs on 4600", valid_from=NEW)
    found = verdict("dev server is on port 4100", known, at=OLD)
    assert found.superseded_by == 1
    assert found.supersedes == ()


def test_a_change_leaves_newer_memories_alone() -> None:
    known = memory("for the job queue we go with RabbitMQ", valid_from=NEW)
    assert verdict("we drop RabbitMQ and use SQS for the jobs instead", known, at=OLD).supersedes == ()


def test_a_memory_that_already_refuses_the_old_value_stays() -> None:
    known = memory("we use pnpm here, not npm")
    assert verdict("we use pnpm, npm breaks the workspace links", known).supersedes == ()


def test_a_pinned_memory_is_not_superseded_by_wording() -> None:
    known = memory("for the job queue we go with RabbitMQ", pinned=True)
    assert verdict("we drop RabbitMQ and use SQS for the jobs instead", known).supersedes == ()


def test_superseded_memories_are_not_asked_again() -> None:
    known = memory("dev server is on port 4100", status="superseded")
    assert verdict("the dev server runs on 4600", known) == Verdict()


def test_a_near_miss_is_reported() -> None:
    known = memory("always run the full linter, the type checker and the tests before pushing to main")
    found = verdict("always run the linter, the type checker and the tests before merging to main", known)
    assert found.repeats == 1 or found.near


def test_work_on_another_branch_is_not_the_same_work() -> None:
    learning = Learning(
        content="Last work: insert works.", type="work_state", evidence=("1",), branch="a", slot="work_state|a"
    )
    known = Memory(
        id=1, learning_id="l", project_id="p", session_id="s", type="work_state", kind="episodic",
        content="Last work: insert works.", created_at=OLD, version=1, branch="b", slot="work_state|b",
    )  # fmt: skip
    assert judge(learning, NEW, [known]).repeats is None


def test_the_same_command_is_one_memory_whatever_was_said_about_it() -> None:
    def procedure(content: str) -> Learning:
        return Learning(content=content, type="procedure", evidence=("1",))

    known = Memory(
        id=1, learning_id="l", project_id="p", session_id="s", type="procedure", kind="procedural",
        content="Run the tests with `make check` (plain `pytest` fails: no module).", created_at=OLD, version=1,
    )  # fmt: skip
    assert judge(procedure("Run the tests with `make check`."), NEW, [known]).repeats == 1
    assert judge(procedure("Run the tests with `make test`."), NEW, [known]).repeats is None
