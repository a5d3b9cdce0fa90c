"""Where the work stands at the end of a session: done, open, next."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nous.core.extraction import MAX_CONTENT
from nous.core.extractor import cues
from nous.core.extractor.sentences import Sentence, shorten, spoken, strip_lead_in
from nous.core.extractor.speech import opening
from nous.core.extractor.story import Draft, Story, learn


def from_end(story: Story) -> Iterator[Draft]:
    """The work state a later session should pick up, when this one did any work."""
    if not story.turns or story.turns[0].agent_id:
        return
    parts = [part for part in (_stop(story), _reply(story)) if part]
    todos = _todos(story)
    if (not parts and not todos) or not (story.changes or todos or _stop(story)):
        return
    at = max(index for index, _ in (*parts, *([todos] if todos else [])))
    branch = story.turns[at].branch
    content = _wording(branch, _goal(story), todos[1] if todos else "", [text for _, text in parts])
    evidence = tuple(
        dict.fromkeys(
            story.turns[index].uuid
            for index in sorted({index for index, _ in parts} | ({todos[0]} if todos else set()))
        )
    )
    yield learn(
        story,
        at,
        content,
        "work_state",
        0.7,
        slot=f"work_state|{branch or 'default'}",
        evidence=evidence,
        files=tuple(dict.fromkeys(change.path for change in story.changes[-5:])),
        tainted=False,
    )


def _goal(story: Story) -> str:
    """What the session was about: the last prompt that asked for work, else the first one."""
    asked = [one for at in story.prompts if (one := opening(story.turns[at].text)) and _is_aim(one)]
    ordered = [one for one in asked if cues.TASK.match(one.masked) and not one.asks]
    chosen = ordered[-1:] or [one for one in asked if not one.asks][:1] or asked[:1]
    return shorten(strip_lead_in(chosen[0].text).rstrip(". "), 110) if chosen else ""


def _is_aim(one: Sentence) -> bool:
    idle = cues.STATE.search(one.masked) or cues.AGREE.match(one.masked) or cues.SMALLTALK.match(one.masked)
    return len(one.text) > 12 and not idle and "[secret:" not in one.text and not cues.CORRECTION.search(one.masked)


def _stop(story: Story) -> tuple[int, str] | None:
    """The user's own words about where it stops, from the last prompts."""
    for at in reversed(story.prompts[-3:]):
        said = spoken(story.turns[at].text)
        told = [one.text for one in said if cues.STATE.search(one.masked) or cues.OPEN.search(one.masked)]
        if any(cues.STATE.search(one.masked) for one in said) and told and not all(one.asks for one in said):
            return at, shorten(" ".join(strip_lead_in(text) for text in told), 180)
    return None


def _reply(story: Story) -> tuple[int, str] | None:
    """What the last replies say is done or still open."""
    replies = [at for at in range(max(0, len(story.turns) - 25), len(story.turns)) if story.turns[at].kind == "reply"]
    for at in reversed(replies[-3:]):
        if cues.RECALLED.search(story.turns[at].text):
            continue
        said = [
            one
            for one in spoken(story.turns[at].text)
            if not one.asks and "[secret:" not in one.text and len(one.text) > 12
        ]
        still = [place for place, one in enumerate(said) if cues.OPEN.search(one.masked)]
        if still:
            places = sorted({max(0, still[0] - 1), *still[:2]})
            return at, shorten(" ".join(_plain(said[place].text) for place in places), 220)
    if not replies or not story.changes:
        return None
    for at in reversed(replies):
        said = [one for one in spoken(story.turns[at].text) if not one.asks and len(one.text) > 12]
        if said:
            return at, shorten(_plain(said[0].text), 160)
    return None


def _plain(text: str) -> str:
    """A sentence of a reply without the ticks and bullets it was decorated with."""
    return re.sub(r"^[^\w`\"'(]+", "", text)


def _todos(story: Story) -> tuple[int, str] | None:
    """The last to-do list: what is done, in progress and open."""
    for at in range(len(story.turns) - 1, -1, -1):
        turn = story.turns[at]
        listed = turn.input.get("todos") if turn.kind == "tool_call" and turn.tool == "TodoWrite" else None
        if isinstance(listed, list) and listed:
            return at, _todo_words([one for one in listed if isinstance(one, dict)])
    return None


def _todo_words(listed: list[dict[str, object]]) -> str:
    def of(*statuses: str) -> list[str]:
        return [str(one.get("content", "")) for one in listed if one.get("status") in statuses]

    done, doing, left = of("completed"), of("in_progress"), of("pending")
    parts = [
        f"in progress: {', '.join(doing[:2])}" if doing else "",
        f"open: {', '.join(left[:3])}" if left else "",
        f"done: {', '.join(done[-3:])}" if done else "",
    ]
    return shorten("; ".join(part for part in parts if part), 200)


def _wording(branch: str, goal: str, todos: str, told: list[str]) -> str:
    where = f"Work on {branch}" if branch and branch not in ("main", "master", "HEAD") else "Last work"
    told = [text for text in dict.fromkeys(told) if text]
    body = ". ".join(part.rstrip(". ") for part in (*told, todos) if part)
    head = f"{where} ({goal})" if goal and not _repeats(goal, body) else where
    return shorten(f"{head}: {body}", MAX_CONTENT - 2)


def _repeats(goal: str, body: str) -> bool:
    words = set(re.findall(r"\w{4,}", goal.lower()))
    return bool(words) and len(words & set(re.findall(r"\w{4,}", body.lower()))) / len(words) > 0.7
