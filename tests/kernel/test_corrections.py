"""What a correction is about: found by slot, wording, files, entities and commands, and nothing else is touched."""

from __future__ import annotations

from typing import Any

import pytest

from factories import memory
from nous.kernel.learn.relearn import Standing, judge
from nous.kernel.log.extraction import Learning
from nous.providers.words import word_likeness

OLD, NEW = "2026-01-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"


def corrected(known: str, said: str, replaces: str = "", **fields: Any) -> Standing:
    """How a correction stands to a memory; fields that begin with `known_` are those of the memory."""
    about = {name.removeprefix("known_"): fields.pop(name) for name in list(fields) if name.startswith("known_")}
    held = memory(content=known, valid_from=OLD, **about)
    one = Learning(content=said, type="requirement", evidence=("u",), replaces=replaces, **fields)
    return judge(one, NEW, [held], word_likeness)


@pytest.mark.parametrize(
    ("known", "said", "fields"),
    [
        ("The staging database is on 5433.", "The staging database is on 5544.",
         {"slot": "databas stag|port", "known_slot": "databas stag|port"}),
        ("PaymentService sends its receipts through SendGrid.", "PaymentService uses Postmark, not SendGrid.",
         {"replaces": "SendGrid", "entities": ("PaymentService", "Postmark", "SendGrid")}),
        ("Tests run with `npm test`.", "Don't run npm test, use `pnpm vitest` instead.", {}),
        ("Run `alembic upgrade head` to migrate.", "Never run `alembic upgrade head`, use `make migrate`.", {}),
    ],
    ids=["slot", "entities", "command", "command in ticks"],
)  # fmt: skip
def test_a_correction_supersedes_what_it_corrects(known: str, said: str, fields: dict[str, Any]) -> None:
    assert corrected(known, said, **fields).supersedes == (1,)


@pytest.mark.parametrize(
    ("known", "said", "fields"),
    [
        ("We use redis for sessions.", "Use kafka for events, not redis streams.", {"replaces": "redis streams"}),
        ("Deploy with `make deploy`.", "Don't run pytest directly, use `make check` instead.", {}),
        ("Generated files live in gen/.", "Never edit generated files, change the template instead.", {}),
        ("OrderService writes to Kafka.", "PaymentService uses Postmark, not SendGrid.",
         {"replaces": "SendGrid", "entities": ("PaymentService",)}),
    ],
)  # fmt: skip
def test_other_memories_are_left_alone(known: str, said: str, fields: dict[str, Any]) -> None:
    found = corrected(known, said, **fields)
    assert found.supersedes == ()


def test_what_is_tainted_corrects_nothing() -> None:
    found = corrected("Tests run with `npm test`.", "Don't run npm test, use `pnpm vitest` instead.", tainted=True)
    assert found.supersedes == ()
