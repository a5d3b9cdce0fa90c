"""Phrases by which an agent takes something back: each row's own examples, and what is read of them."""

from __future__ import annotations

import pytest

from nous.core.signals.phrases import DEAD_ENDS, SELF_CORRECTIONS, Phrase
from nous.core.signals.words import has_hint, said_by

ROWS = (*SELF_CORRECTIONS, *DEAD_ENDS)


@pytest.mark.parametrize("phrase", ROWS, ids=lambda row: row.name)
def test_a_phrase_fits_its_example_and_not_the_other(phrase: Phrase) -> None:
    assert phrase.pattern.search(phrase.fits) and has_hint(phrase.fits)
    assert not any(row.pattern.search(phrase.other) for row in ROWS)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (
            "I was wrong about the cache. The cache is actually shared between all workers of a host.",
            "The cache is actually shared between all workers of a host.",
        ),
        (
            "Let me reconsider. The migration has to run before the workers are started.",
            "The migration has to run before the workers are started.",
        ),
        (
            "Actually, the scheduler is not what drains the queue, the worker is.",
            "Actually, the scheduler is not what drains the queue, the worker is.",
        ),
        (
            "I initially thought the lock was global, but it is held per connection.",
            "I initially thought the lock was global, but it is held per connection.",
        ),
        (
            "Correction: the limit is 100 requests per minute and key.",
            "Correction: the limit is 100 requests per minute and key.",
        ),
        (
            "Wait, the config comes from the environment, not from the file.",
            "Wait, the config comes from the environment, not from the file.",
        ),
        (
            "This approach will not work since the driver has no async API.",
            "This approach will not work since the driver has no async API.",
        ),
        (
            "The proxy closes every idle socket after ten seconds. I need to abandon this.",
            "The proxy closes every idle socket after ten seconds.",
        ),
        (
            "The parser cannot see macros before expansion. Let me try a different approach.",
            "The parser cannot see macros before expansion.",
        ),
        (
            "The metadata service is unavailable in CI, so a token is passed in.",
            "The metadata service is unavailable in CI, so a token is passed in.",
        ),
        (
            "Docker is not available in this environment, only podman is installed.",
            "Docker is not available in this environment, only podman is installed.",
        ),
    ],
)
def test_what_is_so_is_read_with_the_phrase_or_beside_it(reply: str, told: str) -> None:
    assert list(dict.fromkeys(said_by(reply, ROWS))) == [told]


@pytest.mark.parametrize(
    "reply",
    [
        "Let me try a different approach. Let me look at the tests first and then decide.",
        "Let me reconsider. Should the migration run before the workers are started?",
        "I was wrong about that.",
        "All tests pass, and the change is ready to be reviewed by somebody.",
    ],
)
def test_a_phrase_without_anything_that_is_so_says_nothing(reply: str) -> None:
    assert list(said_by(reply, ROWS)) == []
