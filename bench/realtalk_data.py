"""The labelled real projects, as the benchmarks read them. Same measures as the shared runner (REALTALK.md)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from nous.core.language.sentences import sentences

SECOND = Path(__file__).parent / "corpus" / "second-reader.json"
LASTING, USEFUL = "A", "B"
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_][\w'’]*(?:[-./:@+#]\w+)*")
_DULL = frozenset(
    """a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it
    its just let like me my no not of on one or our out please she should so some than that the their them then
    there these they this those to too up us was we were what when where which who why will with would you your ok
    okay yes also now der die das und ist nicht ein eine zu den im mit für auf le la les de des et est un une pour
    que en el los las y es por con 的 了 是 在 我 你 不 有 这 那""".split()  # noqa: SIM905
)


def words(text: str) -> frozenset[str]:
    """The words that count when two texts are compared."""
    found = (match.lower().strip("'’") for match in _WORD.findall(text))
    return frozenset(word for word in found if word not in _DULL and (len(word) > 1 or word > "\u3000"))


def share(part: frozenset[str], whole: frozenset[str]) -> float:
    """How much of one set of words stands in another."""
    return len(part & whole) / len(part) if part else 0.0


class Fact(NamedTuple):
    """What an annotator says a colleague would know."""

    id: str
    type: str
    by: str
    importance: int
    uuids: frozenset[str]
    spans: tuple[frozenset[str], ...]
    sentence: frozenset[str]
    ends: tuple[str, ...]


class Message(NamedTuple):
    """A message of the user, what of it is worth keeping, and what stood before it."""

    uuid: str
    session: int
    text: str
    keep: tuple[str, ...]
    earlier: int
    before: str


class Need(NamedTuple):
    """That a fact was needed in a session."""

    session: int
    fact: str


@cache
def second_reader() -> dict[str, dict[str, dict[str, str]]]:
    """What a second reader of the same messages said, who had not seen the first one's labels: by project and record.

    A sentence is LASTING, worth a line when a later session starts, or USEFUL to whoever works on the same thing
    again; most are neither and are missing. The file names sentences by a hash of their text.
    """
    given = json.loads(SECOND.read_text(encoding="utf-8"))
    return {
        project: {uuid: {mark[:-1]: mark[-1] for mark in marks.split()} for uuid, marks in records.items()}
        for project, records in given.items()
    }


def marked(text: str) -> str:
    """A sentence as the second reader's file names it."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


class Labels(NamedTuple):
    """One project, in time order."""

    messages: list[Message]
    facts: list[Fact]
    needs: list[Need]

    def is_worth(self, mine: frozenset[str], uuid: str) -> bool:
        """Whether words that rest on a message say what is worth keeping of it."""
        spans = [words(span) for message in self.messages if message.uuid == uuid for span in message.keep]
        kept = any(share(mine, span) >= 0.5 or (len(span) > 2 and share(span, mine) >= 0.75) for span in spans)
        return kept or any(states(mine, uuid, fact) for fact in self.facts if uuid in fact.uuids)


def states(mine: frozenset[str], uuid: str, fact: Fact) -> bool:
    """Whether words that rest on a record say what a fact says."""
    if uuid in fact.uuids and max((share(span, mine) for span in fact.spans), default=0.0) >= 0.5:
        return True
    return share(fact.sentence, mine) >= 0.75


def projects(data: Path) -> list[Path]:
    """The labelled projects that are here."""
    return sorted(
        path.parent for folder in ("realtalk", "realtalk-train") for path in (data / folder).glob("*/labels.json")
    )


def load(root: Path) -> Labels:
    """One project with its labels."""
    given = json.loads((root / "labels.json").read_text(encoding="utf-8"))
    keep = {message["uuid"]: tuple(message["keep"]) for message in given["messages"]}
    sessions = sorted((_records(path) for path in root.glob("projects/**/*.jsonl")), key=lambda found: found[0])
    numbers = {name: number for number, (_, name, _) in enumerate(sessions)}
    messages = [one for number, (_, _, records) in enumerate(sessions) for one in _messages(number, records, keep)]
    facts = [_fact(fact) for fact in given.get("facts", [])]
    needs = [Need(numbers.get(need["session"], 10**6), need["fact"]) for need in given.get("needs", [])]
    return Labels(messages, facts, needs)


def bookminder(data: Path) -> Labels:
    """The sessions of BookMinder: worth keeping are the sentences that the gold's patterns fit, in their messages."""
    given = json.loads((data.parent / "eval" / "bookminder-gold.json").read_text(encoding="utf-8"))["gold"]
    patterns: dict[str, list[list[str]]] = {}
    for entry in given:
        for uuid in entry["uuids"]:
            patterns.setdefault(uuid, []).extend(entry["match"])
    sessions = sorted((_records(path) for path in data.glob("bookminder/projects/**/*.jsonl")), key=lambda one: one[0])
    every: dict[str, tuple[str, ...]] = {record.get("uuid", ""): () for _, _, records in sessions for record in records}
    found = [one for number, (_, _, records) in enumerate(sessions) for one in _messages(number, records, every)]
    once = {message.text: message for message in reversed(found) if message.text}
    return Labels([one._replace(keep=_fitting(one.text, patterns.get(one.uuid, []))) for one in once.values()], [], [])


def _fitting(text: str, patterns: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """The sentences that all patterns of some row fit."""
    rows = [tuple(re.compile(one, re.I) for one in row) for row in patterns]
    return tuple(one.text for one in sentences(text) if any(all(p.search(one.text) for p in row) for row in rows))


def _fact(given: dict[str, Any]) -> Fact:
    spans = tuple(words(span) for span in given["spans"])
    who = (given["id"], given["type"], given["by"], given["importance"], frozenset(given["uuids"]))
    return Fact(*who, spans, words(given["fact"]), tuple(given.get("ends", ())))


def _records(path: Path) -> tuple[str, str, list[dict[str, Any]]]:
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return next((one["timestamp"] for one in records if one.get("timestamp")), ""), path.stem, records


def _messages(session: int, records: Iterable[dict[str, Any]], keep: dict[str, tuple[str, ...]]) -> list[Message]:
    found: list[Message] = []
    before = ""
    for record in records:
        text = _text((record.get("message") or {}).get("content"))
        if record.get("type") == "assistant" and text:
            before = text
        elif record.get("type") == "user" and record.get("uuid") in keep:
            found.append(Message(record["uuid"], session, text, keep[record["uuid"]], len(found), before))
            before = ""
    return found


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(
        block.get("text") or "" for block in blocks if isinstance(block, dict) and block.get("type") == "text"
    )
