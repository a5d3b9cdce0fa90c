"""What a model is given of the hits, and what of its answer is believed: sentences that cite a hit they were given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from nous.errors import BadOutput
from nous.features.ask.notes import CitedSentence, FoundNote
from nous.providers.asking import ask
from nous.providers.budget import Policy
from nous.providers.ledger import Ledger
from nous.providers.llm import Llm
from nous.providers.prompts import load
from nous.redact import redact_text

MOST_SENTENCES = 6
ANSWER_TOKENS = 400
LONGEST_QUESTION = 2_000
LONGEST_NOTE = 1_200
ANSWER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "notes": {"type": "array", "items": {"type": "integer"}}},
                "required": ["text", "notes"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sentences"],
    "additionalProperties": False,
}


class _Answered(msgspec.Struct, forbid_unknown_fields=True):
    sentences: tuple[CitedSentence, ...]


def answer(
    ledger: Ledger, llm: Llm, policy: Policy, clock: Callable[[], str], question: str, notes: Sequence[FoundNote]
) -> tuple[CitedSentence, ...] | None:
    """The answer, empty when the notes do not say; None when the model may not be asked, or cannot be understood."""
    prompt = load("ask")
    text = prompt.body.replace("{question}", redact_text(question)[0][:LONGEST_QUESTION])
    text = text.replace("{notes}", note_lines(notes))  # the notes last: what they say is never taken for a blank
    understand = lambda given: parse_answer(given, len(notes))  # noqa: E731  it needs how many were shown
    return ask(ledger, llm, policy, clock, prompt, text, ANSWER_SCHEMA, ANSWER_TOKENS, understand)


def note_lines(notes: Sequence[FoundNote]) -> str:
    """The hits as numbered notes, without secrets."""
    told = ((at, note, " ".join(note.text.split())[:LONGEST_NOTE]) for at, note in enumerate(notes, 1))
    return "\n".join(f"[{at}] {note.day} {note.record}: {redact_text(words)[0]}" for at, note, words in told)


def parse_answer(given: Any, shown: int) -> tuple[CitedSentence, ...]:
    """The sentences that rest on a note that was shown; the others are left out."""
    try:
        read = msgspec.json.decode(given, type=_Answered) if isinstance(given, str) else None
        said = read or msgspec.convert(given, _Answered)
    except (msgspec.ValidationError, msgspec.DecodeError) as wrong:
        raise BadOutput(f"the answer is not what was asked for: {wrong}") from None
    cited = (_with_known_notes(one, shown) for one in said.sentences)
    return tuple(one for one in cited if one.notes and one.text)[:MOST_SENTENCES]


def _with_known_notes(sentence: CitedSentence, shown: int) -> CitedSentence:
    notes = tuple(dict.fromkeys(number for number in sentence.notes if 1 <= number <= shown))
    return CitedSentence(" ".join(sentence.text.split()), notes)
