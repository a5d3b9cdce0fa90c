"""What a person or an agent decides about a memory by hand: each is one event in the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nous.errors import Forbidden, NotFound, NousError
from nous.kernel.learn.discretion import BY_HAND, BY_PERSON, WORDS, redact_payload, redact_session_id
from nous.kernel.learn.outcome import Outcome, OutcomeSignal
from nous.kernel.learn.reinforce import SAID, record
from nous.kernel.log.events import Archived, Contested, EventType, Payload, Writer, make_event
from nous.kernel.log.evolve import standing
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.speaker import SESSION, client_environment

if TYPE_CHECKING:
    from nous.app import Nous
    from nous.kernel.learn.witness import UserQuote


def forget(nous: Nous, memory_id: int, reason: str = "forgotten by the user") -> bool:
    """Take a memory out of use; whether a person had not done so before. Its history stays; `purge` destroys."""
    if nous.speaker.kind == "agent" and not _asked_to_forget(nous, nous.peek(memory_id)).sentence:
        hint = f'they say "forget #{memory_id}" and nothing else, or run it in a terminal outside the session'
        raise Forbidden("the user gave no such order in this session", hint=f"{hint}: nous forget {memory_id}")
    memory = nous.peek(memory_id)
    if memory.status == "archived":
        told = standing(nous.stores.events.of_learning(memory.learning_id))
        if [one.source for one in told if isinstance(one.payload, Archived)][-1:] == [BY_PERSON]:
            return False
    nous.mark([nous.peek(memory_id)], "LearningArchived", Archived(reason=reason))
    return True


def _asked_to_forget(nous: Nous, memory: Memory) -> UserQuote:
    _own(nous, memory)
    from nous.kernel.learn.witness import find_wish_to_forget  # only who speaks as an agent needs it

    return find_wish_to_forget(client_environment(), nous.speaker.place, memory.id, memory.content)


def require_quote(nous: Nous, quote: Callable[[], UserQuote], command: str) -> None:
    """Refuse an agent what the user did not ask for in its session."""
    if nous.speaker.kind == "agent" and not quote().sentence:
        hint = f"they can, in a terminal outside the session: {command}"
        raise Forbidden("the user did not say this in this session", hint=hint)


def find_said(nous: Nous, text: str, memory: Memory) -> UserQuote:
    """The sentence of the user in the session that says this."""
    _own(nous, memory)
    from nous.kernel.learn.witness import find_in_session

    return find_in_session(client_environment(), nous.speaker.place, text)


def find_change(nous: Nous, text: str, memory: Memory) -> UserQuote:
    """The sentence of the user in the session that changes this memory to a text; without one it is refused."""
    _own(nous, memory)
    from nous.kernel.learn.witness import find_correction

    quote = find_correction(client_environment(), nous.speaker.place, text, memory.id, memory.content)
    require_quote(nous, lambda: quote, f"nous correct {memory.id} TEXT")
    return quote


def _own(nous: Nous, memory: Memory) -> None:
    """Hide from an agent what belongs to another project than the one it works in."""
    here = nous.project(nous.speaker.place).id
    if memory.project_id not in (here, *nous.stores.circles.of_project(here)) and memory.scope != "global":
        raise NotFound(f"there is no memory #{memory.id}")


def pin(nous: Nous, memory_id: int) -> None:
    """Always show a memory, and never let it fade."""
    memory = nous.peek(memory_id)
    seen, heir = {memory.learning_id}, memory
    while heir.superseded_by and heir.superseded_by not in seen:  # to the last of those that took its place
        seen.add(heir.superseded_by)
        heir = nous.stores.memories.by_learning([heir.superseded_by]).get(heir.superseded_by, heir)
    if memory.status == "superseded":
        raise NousError(f"memory #{memory_id} was replaced by #{heir.id}", hint=f"`nous pin {heir.id}`")
    if memory.status == "archived":
        raise NousError(f"memory #{memory_id} is out of use", hint="`nous remember` its words again, or `nous undo`")
    nous.mark([nous.peek(memory_id)], "LearningPinned", Payload())


def unpin(nous: Nous, memory_id: int) -> None:
    """Show a memory only when it is called for, and let it fade like any other."""
    nous.mark([nous.peek(memory_id)], "LearningUnpinned", Payload())


def restore(nous: Nous, memory_id: int, reason: str = "restored by the user") -> None:
    """Bring back a memory that was forgotten or has faded."""
    memory = nous.peek(memory_id)
    if memory.status == "superseded":
        raise NousError(f"memory #{memory_id} was replaced", hint="undo what replaced it, or correct its successor")
    if memory.status == "archived":
        nous.mark([nous.peek(memory_id)], "LearningRestored", Payload(reason=reason))


def confirm(nous: Nous, memory_id: int) -> None:
    """Say that a memory is true; it is protected from fading."""
    memory = nous.peek(memory_id)
    require_quote(nous, lambda: find_said(nous, memory.content, memory), f"nous confirm {memory_id}")
    nous.mark([nous.peek(memory_id)], "LearningConfirmed", Payload())


def dispute(nous: Nous, memory_id: int, reason: str = "disputed by the user") -> None:
    """Say that a memory may be wrong; it is no longer shown unasked until somebody decides.

    Where a team discusses (`disputes`), it is shown meanwhile, less sure and with a badge, and this is one more
    remark about it.
    """
    if nous.settings.serve_hub or nous.settings.disputes == "discuss":
        nous.mark([nous.peek(memory_id)], "LearningContested", Contested(reason=reason, author=nous.author))
    else:
        nous.mark([nous.peek(memory_id)], "LearningDisputed", Payload(reason=reason))


def mark(
    nous: Nous,
    memories: Sequence[Memory],
    event_type: EventType,
    payload: Payload,
    cause: int | None = None,
    source: str = BY_PERSON,
) -> Sequence[int | None]:
    """Append one event by hand to each of some memories, as one decision; the events' numbers."""
    payload = redact_payload(payload, WORDS)
    with nous.decision() as now:
        events = [
            make_event(
                event_type,
                memory.learning_id,
                payload,
                f"{BY_HAND}:{event_type}:{memory.learning_id}:{memory.version}",
                project_id=memory.project_id,
                by=Writer(nous.session_id, source),
                at=now,
                cause=cause,
            )
            for memory in memories
        ]
        numbers = nous.stores.events.append(events, now)
        catch_up(nous.stores, now)
    nous.changed.update(memory.project_id for memory in memories)
    return numbers


def feedback(nous: Nous, memory_id: int, signal: OutcomeSignal, *, session: str | None = None) -> bool:
    """Say what came of a memory; False when the session had said so before."""
    memory = nous.peek(memory_id)
    outcome = Outcome(signal, SAID[signal])
    with nous.decision() as now:
        counted = record(
            nous.stores.events,
            nous.stores.outcomes,
            memory,
            outcome,
            redact_session_id(_counted_session(nous, session)),
            now,
        )
        catch_up(nous.stores, now)
    nous.changed.add(memory.project_id)
    return counted


def _counted_session(nous: Nous, session: str | None) -> str:
    """The session that an outcome counts once in: an agent's own, if there is such a session, else its project's."""
    if nous.speaker.kind == "agent":
        own = client_environment().get(SESSION, "")
        return own if nous.stores.transcripts.session(own) else f"agent-{nous.project(nous.speaker.place).id}"
    return session or nous.session_id
