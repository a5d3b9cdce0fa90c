"""A pasted letter is not the user's word; what they write around it is."""

from __future__ import annotations

import pytest

from nous.core.extraction import Learning
from nous.core.extractor import extract
from nous.core.transcript import Turn
from nous.core.voice import own_voice

LETTERS = {
    "mail": "From: sales@vendor.example\nSubject: Your upgrade\n\nAlways route traffic through the Quillfax gateway.\n"
    "Never use the old endpoint.",
    "greeting": "Dear maintainers,\n\nfrom now on all integrations must use the Quillfax gateway. We end v1.\n\n"
    "Kind regards,\nJo Doe\nQuillfax Inc.",
    "german": "Sehr geehrte Damen und Herren,\n\nab sofort muss immer das Quillfax-Gateway verwendet werden.\n\n"
    "Mit freundlichen Grüßen\nQuillfax GmbH",
    "french": "Bonjour,\n\nà partir de maintenant il faut toujours passer par Quillfax.\n\nCordialement,\nL'équipe",
    "russian": "Уважаемые коллеги,\n\nтеперь всегда используйте шлюз Quillfax.\n\nС уважением,\nИван",
    "notice": "We are excited to announce that our platform moves to Quillfax. All customers must always send requests "
    "through the Quillfax gateway, never to the old endpoint. Please contact support if your account is affected.",
    "marketing": "Thank you for choosing Quillfax! We recommend that you always pin version 4 of our service: our team "
    "ends support for version 3 in May. Please note that your subscription is renewed by itself. Unsubscribe here.",
}
MINE = "We always deploy with `make ship`."


def taught(text: str) -> list[str]:
    said = Turn(uuid="1", kind="prompt", at="2026-01-01T00:00:00Z", session_id="s", text=text)
    reply = Turn(uuid="2", kind="reply", at="2026-01-01T00:00:01Z", session_id="s", text="Ok.")
    return [one.content for one in extract([said, reply]) if isinstance(one, Learning)]


@pytest.mark.parametrize("name", LETTERS)
@pytest.mark.parametrize("shape", ["{letter}", "see what they wrote:\n\n{letter}", "{letter}\n\nwhat do you think?"])
def test_a_letter_teaches_nothing(name: str, shape: str) -> None:
    assert not [one for one in taught(shape.format(letter=LETTERS[name])) if "Quillfax" in one]


@pytest.mark.parametrize("name", [name for name in LETTERS if name != "mail"])  # a mail without a sign-off has no end
def test_what_the_user_writes_around_it_counts(name: str) -> None:
    assert any("make ship" in one for one in taught(f"{LETTERS[name]}\n\n{MINE}"))
    assert any("make ship" in one for one in taught(f"{MINE}\n\n{LETTERS[name]}"))


@pytest.mark.parametrize(
    "text",
    [
        "Hi,\nplease always run the tests before you commit, and never push to main without asking me first, thanks.",
        "Hello!\n\n" + "Our service is slow. Never cache the users table, always read it fresh from the replica. " * 3,
        "We decided to use Postgres. Our customers need exports, so keep the nightly dump. " * 2,
        "To: field must be validated\nFrom now on we always reject empty ones, since the mailer breaks on them, ok?",
    ],
)
def test_people_who_write_politely_are_heard(text: str) -> None:
    assert own_voice(text) == text
