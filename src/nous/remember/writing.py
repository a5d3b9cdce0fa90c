"""A page in a model's words: asked for by a person, within the budget, and every sentence cites."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nous.core.memory import Memory
from nous.core.redact import redact_text
from nous.core.writing import SCHEMA, parse_sentences
from nous.prompts import load
from nous.providers.llm import Llm
from nous.remember.asking import ask
from nous.remember.budget import Policy
from nous.stores import Stores

MAX_TOKENS = 1500
Sentences = tuple[tuple[str, tuple[int, ...]], ...]


def page(
    stores: Stores, llm: Llm, policy: Policy, clock: Callable[[], str], title: str, memories: Sequence[Memory]
) -> Sentences | None:
    """The sentences of a page about something; None when the model may not be asked, or says nothing that cites."""
    prompt = load("dossier")
    notes = "\n".join(_note(memory) for memory in memories)
    text = prompt.body.replace("{title}", redact_text(title)[0]).replace("{notes}", notes)
    known = {memory.id for memory in memories}
    understand = lambda answer: parse_sentences(answer, known)  # noqa: E731  it needs the notes
    return ask(stores, llm, policy, clock, prompt, text, SCHEMA, MAX_TOKENS, understand)


def _note(memory: Memory) -> str:
    """One note as the model reads it: its number, since when, whether it still holds, its words."""
    since = (memory.valid_from or memory.created_at)[:10]
    state = "" if memory.status == "active" else f", before {(memory.valid_until or '')[:10]}"
    return f"[{memory.id}] {since}{state}: {redact_text(memory.content)[0]}"
