"""What the user meant, read from what the assistant did next: another command, the very command, another value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nous.core.extractor import cues, names
from nous.core.extractor.replaced import new_words, refused_command, replaced_words
from nous.core.extractor.sentences import Sentence, spoken, strip_lead_in, strip_tail
from nous.core.extractor.shapes import answers, facts
from nous.core.extractor.story import Draft, learn
from nous.core.likeness import STOP_WORDS
from nous.core.session import Story


def switched(story: Story, at: int, said: Sequence[Sentence]) -> Iterator[Draft]:
    """A refusal of a few words, when the next command uses the program they name instead of the refused one."""
    refused = refused_command(story, at)
    run = story.next_run(at)
    if not refused or run is None or len(story.turns[at].text) > 200:
        return
    named = new_words(refused, run.command)
    for one in said:
        word = next((word for word in re.findall(r"[\w.+-]{2,}", one.text) if word.lower().strip(".") in named), "")
        if not word or one.asks or cues.ONE_OFF.search(one.masked):
            continue
        content = f"{strip_lead_in(one.text).rstrip('. ')} (not `{refused}`)"
        evidence = (story.turns[at].uuid, story.turns[run.at].uuid)
        yield learn(story, run.at, content, "preference", 0.7, evidence=evidence, replaces=refused.split()[0])
        return


def dictated(story: Story, at: int, said: Sequence[Sentence]) -> Iterator[Draft]:
    """A statement that names the very command which is run next: "it is ./gradlew check since march"."""
    run = story.next_run(at)
    command = " ".join(run.command.split()) if run else ""
    if run is None or run.failed or len(command) < 6 or not re.search(r"[ /]", command):
        return
    for one in said:
        plain = strip_lead_in(one.text)
        if command not in plain.replace("`", "") or one.asks or cues.TASK.match(plain) or cues.ONE_OFF.search(plain):
            continue
        if len(plain) > len(command) + 8:
            evidence = (story.turns[at].uuid, story.turns[run.done].uuid)
            replaced = replaced_words(one.text, said, 0)
            yield learn(story, run.done, plain, "procedure", 0.75, evidence=evidence, replaces=replaced)
            return


def new_value(story: Story, at: int, said: Sequence[Sentence]) -> Iterator[Draft]:
    """Another value of the same shape than the assistant had just named, when it gave in: "no, we're on 2024-10"."""
    before = story.last_reply(at)
    for one in said if before else ():
        idle = cues.HYPOTHETICAL.search(one.masked) or cues.ONE_OFF.search(one.masked)
        if one.asks or idle or cues.TASK.match(strip_lead_in(one.masked)):
            continue
        for new in facts.VALUE.findall(one.text):
            old = next((value for value in facts.VALUE.findall(before) if _shape(value) == _shape(new)), new)
            taken = _takes_up(story, at, new, old) if old != new and old not in one.text else -1
            subject = _before_value(before, old) if taken >= 0 else ""
            if subject and not facts.NO_SUBJECT.search(subject):
                content = f"{subject}: {strip_tail(strip_lead_in(one.text)).rstrip('. ')} (no longer {old})"
                evidence = tuple(dict.fromkeys((story.turns[at].uuid, story.turns[taken].uuid)))
                slot = names.slot(f"{subject} is {new}")
                yield learn(story, taken, content, "fact", 0.75, evidence=evidence, slot=slot, replaces=old)
                return


def _takes_up(story: Story, at: int, new: str, old: str) -> int:
    """Where the assistant, before the user speaks again, repeats the new value and not the old one; -1 if nowhere."""
    for place in range(at + 1, min(at + 12, len(story.turns))):
        turn = story.turns[place]
        if turn.kind in ("prompt", "compaction"):
            return -1
        if turn.kind == "reply" and new in turn.text:
            return place if old not in turn.text or cues.CONCEDES.match(turn.text) else -1
    return -1


def _shape(value: str) -> str:
    return re.sub(r"\d", "9", value)


def _before_value(text: str, value: str) -> str:
    """The words that name what a value is of: "Admin API version" in "you use Admin API version 2023-04"."""
    words = re.findall(r"[A-Za-z][\w./-]+", re.split(r"[.,:;!?]\s", text[: text.find(value)])[-1])[-4:]
    while words and (
        words[0].lower() in STOP_WORDS or words[0].lower() in ("set", "run", "pinned", "latest", "currently")
    ):
        words = words[1:]
    words = words[1:] if words and words[0].lower().endswith("ed") else words
    while words and words[-1].lower() in STOP_WORDS:
        words = words[:-1]
    return " ".join(words)


def confirmed(story: Story, at: int, said: Sequence[Sentence]) -> Iterator[Draft]:
    """What the user had named before and now says has helped: "yep, demo:lots did it"."""
    found = answers.HELPED.match(said[0].text) if said else None
    if not found or not re.search(r"[\d:._/`-]", found["what"]):
        return
    for place in range(at - 1, max(-1, at - 30), -1):
        turn = story.turns[place]
        if turn.kind != "prompt" or found["what"].lower() not in turn.text.lower():
            continue
        told = next((one.text for one in spoken(turn.text) if found["what"].lower() in one.text.lower()), "")
        if 12 < len(told) < 220 and "[secret:" not in told:
            content = f"{strip_lead_in(told).rstrip('. ')} ({said[0].text.rstrip('.! ')})"
            evidence = (turn.uuid, story.turns[at].uuid)
            yield learn(story, at, content, "procedure", 0.7, evidence=evidence)
        return
