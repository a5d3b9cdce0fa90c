"""Where the work stands at the end of a session, as far as it is certain: files changed, the to-do list, and words that
say what is open. What it was about is left to whoever understands it (decision 34)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from nous.kernel.capture.session import Story
from nous.kernel.capture.transcript import Turn
from nous.kernel.learn.compose import as_many, finish, shorten, strip_lead_in
from nous.kernel.learn.story import PlacedLearning, learn
from nous.kernel.log.extraction import MAX_CONTENT, RULE
from nous.language import cues
from nous.language.lexicon import pattern
from nous.language.provenance import is_plain_name
from nous.language.sentences import Sentence, sentences


def from_end(story: Story) -> Iterator[PlacedLearning]:
    """The work state a later session should pick up, for each branch that this one worked on."""
    if not story.turns or story.turns[0].agent_id:
        return
    for start, part in _by_branch(story):
        if draft := _state(part, partial(_is_doubtful, story, start)):
            yield PlacedLearning(start + draft.at, draft.learning)


def _by_branch(story: Story) -> Iterator[tuple[int, Story]]:
    """The stretches of a session that were spent on one branch, each with the place where it begins."""
    starts = [0]
    for at in range(1, len(story.turns)):
        if story.turns[at].branch != story.turns[starts[-1]].branch and story.turns[at].branch:
            starts.append(at)
    if len(starts) == 1:
        yield 0, story
        return
    for start, end in zip(starts, [*starts[1:], len(story.turns)], strict=True):
        yield start, Story(story.turns[start:end])


def _is_doubtful(story: Story, start: int, at: int, text: str) -> bool:
    return bool(story.taint(start + at, text))


Doubt = Callable[[int, str], bool]
"""Whether words of the assistant at a turn may be somebody else's."""


def _state(story: Story, is_doubtful: Doubt) -> PlacedLearning | None:
    """Where the work of one stretch stands at its end, when any was done.

    What the assistant says after it read text of others is left out; when nothing else is told, a person has to look.
    """
    stop, todos = _stop(story), _todos(story)
    told = [part for part in (stop, _broken_off(story), todos) if part]
    files = _changed_files(story)[-3:]
    if not (told or files):
        return None
    sure = [part for part in told if part == stop or not is_doubtful(*part)]
    tainted = not sure and not files
    if files:
        sure.append((story.changes[-1].at, f"Changed {', '.join(files)}"))
    return _as_draft(story, told if tainted else sure, tainted=tainted)


def _as_draft(story: Story, parts: list[tuple[int, str]], *, tainted: bool) -> PlacedLearning:
    places = sorted({at for at, _ in parts})
    branch = story.turns[places[-1]].branch
    return learn(
        story, places[-1], _wording(branch, [text for _, text in parts]), "work_state", 0.7,
        slot=f"work_state|{branch or 'default'}",
        evidence=tuple(dict.fromkeys(story.turns[place].uuid for place in places)),
        files=tuple(_changed_files(story)[-5:]), reasons=(f"{RULE}where the session ended",), tainted=tainted,
    )  # fmt: skip


def _changed_files(story: Story) -> list[str]:
    """The project's files that were changed, each once; a name that reads like a sentence is none to repeat."""
    paths = dict.fromkeys(change.path for change in story.changes)
    return [path for path in paths if is_plain_name(path) and not path.startswith(("/", "~"))]


def _broken_off(story: Story) -> tuple[int, str] | None:
    """The command during which the user stopped the assistant, when nothing followed."""
    last = len(story.turns) - 1
    if story.turns[last].kind != "interrupt":
        return None
    for turn in reversed(story.turns[max(0, last - 3) : last]):
        command = turn.input.get("command") if turn.kind == "tool_call" else None
        if isinstance(command, str) and command.strip():
            return last, f"interrupted, not finished: `{shorten(command.splitlines()[0], 80)}`"
    return None


def _goal(story: Story) -> str:
    """What the session was about: the last prompt that asked for work, else the first one."""
    asked = [one for at in story.prompts if (one := _aim(story.turns[at].text))]
    ordered = [one for one in asked if cues.TASK.match(one.text) and not one.asks]
    open_ended = [one for one in asked if not one.asks and not pattern("turns.is").match(strip_lead_in(one.text))]
    chosen = ordered[-1:] or open_ended[:1] or [one for one in asked if one.asks][:1]
    return shorten(strip_lead_in(chosen[0].text).rstrip(". "), 110) if chosen else ""


def _aim(text: str) -> Sentence | None:
    """The first sentence of a prompt that says what is wanted."""
    return next((one for one in sentences(text)[:2] if _is_aim(one)), None)


def _is_aim(one: Sentence) -> bool:
    text = strip_lead_in(one.text)
    agreed = cues.AGREE.match(one.text) and not cues.TASK.match(one.text)
    idle = cues.STATE.search(text) or agreed or cues.SMALLTALK.match(one.text)
    if idle or len(text) <= 12 or "[secret:" in one.text:
        return False
    return not (cues.CORRECTION.search(one.text) or cues.ASKS_MEMORY.search(text) or cues.REMEMBER.search(one.text))


def _stop(story: Story) -> tuple[int, str] | None:
    """The user's own words about where it stops, from the last prompts."""
    for at in reversed(story.prompts[-3:]):
        said = sentences(story.turns[at].text)
        told = [one.text for one in said if cues.STATE.search(one.text) or cues.OPEN.search(one.text)]
        if any(cues.STATE.search(one.text) for one in said) and told and not all(one.asks for one in said):
            return at, shorten(" ".join(strip_lead_in(text) for text in told), 180)
    return None


def _reply(story: Story) -> tuple[int, str] | None:
    """What the last replies say is still open, else what the reply to the last change says."""
    first = max(0, len(story.turns) - 25)
    said_at = (at for at in range(first, len(story.turns)) if story.turns[at].kind == "reply")
    replies = [at for at in said_at if not _recites(story, at)]
    for at in reversed(replies[-3:]):
        said = _statements(story.turns[at].text)
        still = [place for place, one in enumerate(said) if cues.OPEN.search(one.text)]
        if still:
            places = sorted({max(0, still[0] - 1), *still[:2]})
            return at, shorten(" ".join(finish(_plain(said[place].text)) for place in places), 220)
    if not story.changes:
        return None
    changed = story.changes[-1].at
    end = story.next_prompt(changed)
    done = [at for at in replies if at > changed and (end == changed or at < end)]
    for at in reversed(done or replies):  # a reply to something else says nothing about the last change
        if said := _statements(story.turns[at].text):
            return at, shorten(finish(_plain(said[0].text)).rstrip("."), 160)
    return None


def _statements(reply: str) -> list[Sentence]:
    """What a reply states, without questions, praise and announcements of the next step."""
    told = (one for one in sentences(reply) if not (one.asks or "[secret:" in one.text or len(one.text) < 9))
    return [one for one in told if not pattern("turns.next_move").match(_plain(one.text))]


def _recites(story: Story, at: int) -> bool:
    """Whether a reply only tells what was known before: it says so, or the user had asked for it."""
    return bool(cues.RECALLED.search(story.turns[at].text) or cues.ASKS_MEMORY.search(story.last_prompt(at)))


def _plain(text: str) -> str:
    """A sentence of a reply without the ticks and bullets it was decorated with."""
    return re.sub(r"^[^\w`\"'(]+", "", text)


def _todos(story: Story) -> tuple[int, str] | None:
    """The last to-do list: what is done, in progress and open."""
    for at in range(len(story.turns) - 1, -1, -1):
        turn = story.turns[at]
        listed = turn.input.get("todos") if turn.kind == "tool_call" and turn.tool == "TodoWrite" else None
        if isinstance(listed, list) and listed:
            items = [one for one in listed if isinstance(one, dict)]
            is_ticked = any(one.get("status") == "completed" for one in items)
            if not is_ticked and any(change.at > at for change in story.changes):
                return None  # work went on, and nobody ticked it off
            return at, _todo_words(items)
    return None


def _todo_words(listed: list[dict[str, object]]) -> str:
    def of(*statuses: str) -> list[str]:
        return [str(one.get("content", "")) for one in listed if one.get("status") in statuses]

    done, doing, left = of("completed"), of("in_progress"), of("pending")
    parts = [
        f"in progress: {as_many(doing[:2], ', ', 120)}" if doing else "",
        f"open: {as_many(left[:3], ', ', 160)}" if left else "",
        f"done: {as_many(done[-3:], ', ', 120)}" if done else "",
    ]
    return as_many((part for part in parts if part), "; ", 300)


def _wording(branch: str, told: list[str]) -> str:
    is_named = branch not in ("", "main", "master", "HEAD") and is_plain_name(branch)
    where = f"Work on {branch}" if is_named else "Last work"
    body = ". ".join(part.rstrip(". ") for part in dict.fromkeys(told) if part)
    return shorten(f"{where}: {body}", MAX_CONTENT - 2)


def standing(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Where a session stands in its midst, line by line: its goal, files it changed, what is open, what failed last."""
    story = Story(turns)
    files = _changed_files(story)[-8:]
    todos, told = _todos(story), _stop(story) or _reply(story)
    todos = None if todos and story.taint(*todos) else todos
    told = None if told and told != _stop(story) and story.taint(*told) else told
    found = {
        "Goal": _goal(story),
        "Files changed": ", ".join(files),
        "To do": todos[1] if todos else "",
        "Said last": told[1] if told else "",
        "Failed last": "; ".join(_failures(story)),
    }
    return tuple(f"{name}: {text}" for name, text in found.items() if text)


def _failures(story: Story) -> list[str]:
    """The last commands that failed and did not succeed later, with the last line they printed."""
    last = {run.command: run for run in story.runs}
    failed = [run for run in last.values() if run.failed and not story.is_tainted(run.at)][-2:]
    return [f"`{shorten(run.command.splitlines()[0], 80)}` ({shorten(_last_line(run.output), 100)})" for run in failed]


def _last_line(output: str) -> str:
    return next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "no output")
