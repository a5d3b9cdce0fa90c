"""What a model is asked and what is made of its answer. Pure: no model is called here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, cast, get_args

import msgspec

from nous.core import moments
from nous.core.compare.change import chance
from nous.core.compare.relate import TOLD
from nous.core.events import learning_index
from nous.core.extraction import (
    FAULTS,
    MAX_EDGES,
    MAX_NAME,
    MAX_RELATIONS,
    MIN_CONCEPTS,
    PROVEN,
    SIBLING,
    EdgeProposal,
    Learning,
    Objection,
    Rejection,
    TemporalConfidence,
    Triple,
    check,
    edge_problem,
    normal_concepts,
    relation_called,
    relation_problem,
)
from nous.core.extractor import names
from nous.core.extractor.triples import triples
from nous.core.language.sentences import sentences
from nous.core.likeness import STOP_WORDS, stem, tokens
from nous.core.memory import Memory
from nous.core.rendering import said_in
from nous.core.session import Story, asked_in, believed
from nous.core.transcript import USER_KINDS, Turn
from nous.core.types import SCOPES, TYPES, Kind, Scope
from nous.errors import BadOutput, NousError

_BLANK = re.compile(r"\{\{(\w+)\}\}")


def fill(template: str, **blanks: str) -> str:
    """The template with every blank filled; what is filled in is not looked at again."""
    wanted = set(_BLANK.findall(template))
    if wanted != set(blanks):
        odd = ", ".join(sorted(wanted ^ set(blanks)))
        raise NousError(f"the blanks of the prompt and what is given for them differ: {odd}")
    return _BLANK.sub(lambda found: blanks[found[1]], template)


# -- the form of the answer -----------------------------------------------------------------------------------------

_TEXTS = {"type": "array", "items": {"type": "string"}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "learnings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "content": {"type": "string"},
                    "type": {"type": "string"},
                    "kind": {"type": "string"},
                    "evidence": _TEXTS,
                    "concepts": _TEXTS,
                    "entities": _TEXTS,
                    "files": _TEXTS,
                    "symbols": _TEXTS,
                    "confidence": {"type": "number"},
                    "scope": {"type": "string"},
                    "scope_confidence": {"type": "number"},
                    "slot": {"type": "string"},
                    "replaces": {"type": "string"},
                    "rewords": _TEXTS,
                    "valid_from": {"type": "string"},
                    "valid_until": {"type": "string"},
                    "temporal_confidence": {"type": "string"},
                    "suggested_target": {"type": "string"},
                    "edges": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"target": {"type": "string"}, "relation": {"type": "string"}},
                            "required": ["target", "relation"],
                        },
                    },
                    "relations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "subject": {"type": "string"},
                                "predicate": {"type": "string"},
                                "object": {"type": "string"},
                            },
                            "required": ["subject", "predicate", "object"],
                        },
                    },
                },
                "required": ["content", "type", "evidence"],
            },
        },
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "memory": {"type": "string"},
                    "verdict": {"type": "string"},
                    "evidence": _TEXTS,
                    "of": {"type": "string"},
                },
                "required": ["memory", "verdict"],
            },
        },
        "kept": _TEXTS,
    },
    "required": ["learnings"],
}
MOST = 15  # learnings of one answer


class Parsed(NamedTuple):
    """What an answer says; `partial` when it broke off and only its beginning could be read.

    `parts` are edges, relations and verdicts that were refused while the rest of the answer stands. `named` are the
    memories that it keeps, rewords or judges; None when it does not answer for what it was shown.
    """

    found: list[Learning | Rejection]
    partial: bool
    parts: Sequence[Rejection] = ()
    objections: Sequence[Objection] = ()
    named: frozenset[str] | None = None


def parse_answer(answer: object, labels: Mapping[str, str], known: Mapping[str, str]) -> Parsed:
    """The learnings of an answer, each checked against the contract.

    `answer` is JSON already read, or text that holds it somehow. `labels` are the turns that were shown, `known` the
    memories (label -> learning id). What is not JSON at all is `BadOutput`.
    """
    items, verdicts, partial, kept = _read(answer)
    shown, known = known, dict(known)
    found: list[Learning | Rejection] = []
    parts: list[Rejection] = []
    for nth, item in enumerate(items):
        one = _learning(item, labels) if nth < MOST else Rejection(f"more than {MOST} learnings", str(item)[:80])
        if isinstance(one, Learning):
            one, refused = _with_ties(one, item, known)
            parts += refused
            known[f"L{nth + 1}"] = f"{SIBLING}{answer_index(one, nth)}"
        found.append(one)
    said = [one for verdict in verdicts for one in _objections(verdict, labels, known)]
    parts += [one for one in said if isinstance(one, Rejection)]
    objections = [one for one in said if isinstance(one, Objection)]
    named = None if partial or kept is None else _named(kept, items, verdicts, shown)
    return Parsed(found, partial, parts, objections, named)


def _named(
    kept: Sequence[Any], items: Iterable[Any], verdicts: Iterable[Any], shown: Mapping[str, str]
) -> frozenset[str] | None:
    """The memories that an answer keeps, rewords or judges, rightly or not; None when it does not answer for them.

    An answer that keeps something nobody showed, or names none at all, was not given with care: nothing is lost by it.
    """
    stay = [_memories_in(f"M{entry}" if str(entry).isdigit() else entry) for entry in kept]
    if not all(stay) or any(label not in shown for labels in stay for label in labels):
        return None
    told = (item.get("rewords") for item in items if isinstance(item, dict))
    judged = (verdict.get("memory") for verdict in verdicts if isinstance(verdict, dict))
    named = (label for labels in (*stay, *map(_memories_in, (*told, *judged))) for label in labels)
    return frozenset(shown[label] for label in named if label in shown) or None


def _memories_in(given: object) -> list[str]:
    """The labels of memories in whatever a model wrote there."""
    return [label.upper() for label in _MEMORY.findall(str(given))]


def answer_index(learning: Learning, nth: int) -> int:
    """The index of a learning that a model gave as the nth of its answer."""
    return learning_index(f"model:{learning.evidence[-1]}:{learning.content}", nth)


class _Read(NamedTuple):
    items: list[Any]
    verdicts: list[Any]
    partial: bool = False
    kept: list[Any] | None = None


def _read(answer: object) -> _Read:
    if isinstance(answer, str):
        return _from_text(answer)
    if isinstance(answer, dict) and "content" in answer and "learnings" not in answer:
        return _Read([answer], [])
    if isinstance(answer, dict) and _is_answer(answer):
        kept = answer.get("kept")
        learnings, verdicts = _list(answer.get("learnings")), _list(answer.get("verdicts"))
        return _Read(learnings, verdicts, kept=kept if isinstance(kept, list) else None)
    if isinstance(answer, list):
        return _Read(answer, [])
    raise BadOutput("the answer holds no list of learnings")


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


_reader = json.JSONDecoder()


def _from_text(text: str) -> _Read:
    """Learnings from a text: plain JSON, JSON between other words, one object per line, or JSON that breaks off."""
    text = text.strip().removeprefix("\ufeff")
    for start in (at for at, char in enumerate(text[:4000]) if char in "{["):
        try:
            value, end = _reader.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and "content" in value and "learnings" not in value:
            others, broken = _objects(text, end)
            return _Read([value, *others], [], broken)
        if _is_answer(value):
            return _read(value)
    salvaged, broken = _objects(text, max(0, text.find("[")))
    if salvaged or broken:
        return _Read(salvaged, [], True)
    raise BadOutput("the answer is not JSON")


def _is_answer(value: object) -> bool:
    if isinstance(value, dict):
        return isinstance(value.get("learnings", value.get("verdicts")), list)
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _objects(text: str, at: int) -> tuple[list[Any], bool]:
    """The whole objects in a text from some place on, and whether another one begins and never ends."""
    found: list[Any] = []
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = _reader.raw_decode(text, at)
        except (ValueError, RecursionError):
            return found, bool(found) or '"content"' in text[at:]
        if isinstance(value, dict) and "content" in value:
            found.append(value)
    return found, False


# -- one learning of an answer --------------------------------------------------------------------------------------

MOST_SURE = 0.85  # a model's word never counts as much as the user's own


def _learning(item: object, labels: Mapping[str, str]) -> Learning | Rejection:
    if not isinstance(item, dict) or not isinstance(item.get("content"), str):
        return Rejection("an item without content", str(item)[:80])
    content = " ".join(item["content"].split())
    evidence = tuple(dict.fromkeys(labels[label] for label in _labels(item.get("evidence")) if label in labels))
    if not evidence:
        return Rejection("no evidence among the turns that were shown", content[:80])
    scope_confidence = _share(item.get("scope_confidence"), 0.5)
    begins, ends = _moment(item.get("valid_from")), _moment(item.get("valid_until"))
    learning = Learning(
        content=content,
        type=_word(item.get("type")),
        evidence=evidence,
        kind=cast("Kind | None", _word(item.get("kind")) or None),
        concepts=_concepts(item.get("concepts"), content),
        entities=_texts(item.get("entities"))[:10],
        files=_texts(item.get("files"))[:10],
        symbols=_texts(item.get("symbols"))[:10],
        confidence=min(MOST_SURE, _share(item.get("confidence"), 0.6)),
        scope=_scope(item.get("scope"), scope_confidence),
        scope_confidence=scope_confidence,
        slot=_slot(item.get("slot"), _text(item.get("content")) or ""),
        replaces=_text(item.get("replaces")),
        suggested_target=_text(item.get("suggested_target")),
        valid_from=begins,
        valid_until=ends,
        temporal_confidence=_sureness(item.get("temporal_confidence")),
    )
    return check(learning)


def _labels(given: object) -> list[str]:
    """Turn labels however they are spelt: "T7", "t7", "[T7]", 7, or several in one string."""
    items = given if isinstance(given, list) else [given]
    numbers = [number for item in items for number in re.findall(r"(?i)\bt?(\d{1,6})\b", str(item))]
    return [f"T{int(number)}" for number in numbers]


def _text(value: object) -> str | None:
    return (" ".join(value.split())[:400] or None) if isinstance(value, str) else None


def _texts(given: object) -> tuple[str, ...]:
    items = given if isinstance(given, list) else []
    texts = (" ".join(item.split())[:MAX_NAME] for item in items if isinstance(item, str))
    return tuple(dict.fromkeys(text for text in texts if text))


def _share(value: object, default: float) -> float:
    """A number between 0 and 1; "80" and "80%" are 0.8."""
    if isinstance(value, str):
        try:
            value = float(value.strip().removesuffix("%"))
        except ValueError:
            return default
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return default
    return min(1.0, max(0.0, value / 100 if 1 < value <= 100 else value))


def _snake(text: str) -> str:
    return re.sub(r"[\s-]+", "_", text.strip().lower())


def _word(value: object) -> str:
    """A type or kind as the table spells it; an unknown one stays as it is and is rejected by the contract."""
    word = _snake(value) if isinstance(value, str) else ""
    return word if word in TYPES else word.removesuffix("s")


def _scope(value: object, confidence: float) -> Scope:
    named = next((scope for scope in SCOPES if scope == value), None)
    return "project" if named is None or (named == "global" and confidence <= 0.8) else named


def _sureness(value: object) -> TemporalConfidence:
    levels: tuple[TemporalConfidence, ...] = get_args(TemporalConfidence)
    return next((level for level in levels if level == value), "medium")


def _slot(value: object, content: str) -> str | None:
    """A slot in its one spelling, which the rules share: as they read it off the sentence, else stems in order."""
    parts = [" ".join(part.lower().split()) for part in value.split("|")] if isinstance(value, str) else []
    if len(parts) != 2 or not all(parts) or len("|".join(parts)) > 80:
        return None
    subject, attribute = parts
    words = sorted({stem(word) for word in re.findall(r"[\w-]+", subject) if word not in STOP_WORDS})
    return names.slot(content) or f"{' '.join(words) or 'project'}|{attribute}"


def _moment(value: object) -> str | None:
    if not isinstance(value, str) or not re.match(r"\d{4}-\d\d", value):
        return None
    try:
        return moments.parse(value, "")
    except NousError:
        return None


def _concepts(given: object, content: str) -> tuple[str, ...]:
    """The concepts of an item, filled up from its words when there are too few."""
    named = normal_concepts(_texts(given))
    return named if len(named) >= MIN_CONCEPTS else normal_concepts((*named, *names.concepts(content)))


Refusals = list[Rejection]
Part = TypeVar("Part", EdgeProposal, Triple)


def _with_ties(learning: Learning, item: dict[str, Any], known: Mapping[str, str]) -> tuple[Learning, Refusals]:
    """The learning with those of its edges and relations that keep the contract, and why others do not."""
    edges, no_edges = _sorted(_edges(item.get("edges"), known), MAX_EDGES, "edges")
    said, no_relations = _sorted(_triples(item.get("relations"), learning.content), MAX_RELATIONS, "relations")
    stated = tuple(said) or triples(learning.content)
    drafts = tuple(dict.fromkeys(known[label] for label in map(_label, _list(item.get("rewords"))) if label in known))
    tied = msgspec.structs.replace(learning, edges=tuple(edges), relations=stated, rewords=drafts)
    return tied, [Rejection(reason, learning.content[:80]) for reason in (*no_edges, *no_relations)]


def _label(given: object) -> str:
    """A label of a memory or of a learning in its one spelling: "[m12]" is M12."""
    return str(given).strip().strip("[]#").upper()


def _objections(item: object, labels: Mapping[str, str], known: Mapping[str, str]) -> Iterator[Objection | Rejection]:
    """A verdict on one or several memories that were shown, or why it is none."""
    if not isinstance(item, dict):
        yield Rejection("a verdict that is no object", str(item)[:80])
        return
    word = _snake(str(item.get("verdict", "")))
    fault = next((fault for fault in FAULTS if fault == word), None)
    evidence = tuple(dict.fromkeys(labels[one] for one in _labels(item.get("evidence")) if one in labels))
    other = known.get(_label(item.get("of", "")))
    named = _memories_in(item.get("memory", "")) or [str(item.get("memory", ""))]
    for label in dict.fromkeys(map(_label, named)):
        if label not in known or known[label].startswith(SIBLING):
            yield Rejection(f"a verdict on {label[:40]!r}, which was not shown", word[:80])
        elif fault is None:
            yield Rejection(f"an unknown verdict {word[:40]!r}", label)
        elif fault == "duplicate" and other in (None, known[label]):
            yield Rejection("a duplicate of nothing that was shown", label)
        else:
            yield Objection(known[label], fault, evidence, None if other == known[label] else other)


_MEMORY = re.compile(r"\bM\d+\b", re.I)


def _sorted(parts: Iterable[Part | str], most: int, what: str) -> tuple[list[Part], list[str]]:
    """Parts that were taken, each once, and the reasons why others were not."""
    taken: dict[Part, None] = {}
    reasons: dict[str, None] = {}
    for part in parts:
        if isinstance(part, str):
            reasons[part] = None
        elif len(taken) < most:
            taken[part] = None
        else:
            reasons[f"more than {most} {what}"] = None
    return list(taken), list(reasons)


def _edges(given: object, known: Mapping[str, str]) -> Iterator[EdgeProposal | str]:
    """Edges to memories that were shown and to earlier learnings of the answer, or why one is none.

    Spelling variants are normalised. A model is never so sure that nobody need look.
    """
    for item in given if isinstance(given, list) else []:
        if not isinstance(item, dict):
            yield "an edge that is no object"
            continue
        label = _label(item.get("target", ""))
        called = str(item.get("relation", ""))
        relation = relation_called(called)
        if label not in known:
            yield f"an edge to {label[:40]!r}, which was not shown"
        elif relation is None:
            yield f"an edge of the unknown type {called[:40]!r}"
        else:
            sure = min(PROVEN - 0.05, _share(item.get("confidence"), 0.5))
            said = {"target": known[label], "relation": relation, "weight": _share(item.get("weight"), 1.0)}
            edge = msgspec.convert(said | {"confidence": sure}, EdgeProposal)
            yield edge_problem(edge) or edge


def _triples(given: object, content: str) -> Iterator[Triple | str]:
    """What an item says of two named things, or why that is not taken: both must stand in its sentence."""
    text = content.casefold()
    for item in given if isinstance(given, list) else []:
        ends = [_text(item.get(name)) or "" for name in ("subject", "object")] if isinstance(item, dict) else ["", ""]
        predicate = _snake(str(item.get("predicate", ""))) if any(ends) else ""
        said = Triple(ends[0], predicate, ends[1])
        absent = next((end for end in ends if end.casefold() not in text), None)
        if absent:
            yield f"a relation names {absent[:40]!r}, which its sentence does not"
        else:
            yield relation_problem(said) or said


# -- what of it can be trusted --------------------------------------------------------------------------------------

_RULES = frozenset({"preference", "requirement", "pattern", "procedure", "workflow_recipe", "opinion"})
_TELLING = re.compile(
    r"`([^`\n]+)`|(?<![\w.])(\d[\d.:]{0,40}\d|\d{2,})(?![\w])|(?<![\w.@/-])((?:[\w.@-]{1,100}/){1,20}[\w.@-]{1,100})"
)
OWN_WORDS = 0.4  # share of a learning's words that must be the user's before it counts as the user's
OUTSIDE_FACTOR = 0.7
CONCLUDED = 0.6  # a rule that nobody stated is a conclusion


def vouch(learning: Learning, turns: Sequence[Turn], shown: str) -> Learning | Rejection:
    """The learning with what the session itself says about it, or why it is not believed.

    Commands, numbers and paths it names must have been shown. What does not rest on the user's words is tainted when
    the session holds text from outside, and is then never a rule. Only the user's own words replace anything.
    """
    if invented := _invented(learning.content, shown):
        return Rejection(f"names {invented[:40]!r}, which the session does not", learning.content[:80])
    places = _places(learning, turns)
    if not places:
        return Rejection("the evidence is not in this session", learning.content[:80])
    turn = turns[places[-1]]
    evidence = believed([turns[at] for at in places], asked_in(turns))
    if _CLAIMS.search(learning.content) and not any(map(_bears_out, evidence)):
        return Rejection("a claim of success that no result and no word of the user bears out", learning.content[:80])
    mine = _is_users(learning, evidence)
    # Wherever it stands: text from outside may have talked the model into naming evidence from before it.
    story = Story(turns)
    tainted = not mine and bool(story.outside or story.taint(len(story.turns), learning.content))
    if tainted and learning.type in _RULES:
        return Rejection("a rule that rests on text from outside", learning.content[:80])
    confidence = learning.confidence if mine else min(learning.confidence, CONCLUDED if learning.type in _RULES else 1)
    return msgspec.structs.replace(
        learning,
        confidence=round(confidence * (OUTSIDE_FACTOR if tainted else 1.0), 3),
        tainted=tainted,
        scope=learning.scope if mine or learning.scope != "global" else "project",
        replaces=learning.replaces if mine and _is_said(learning.replaces, turns, places) else None,
        slot=None if tainted else learning.slot,
        branch=turn.branch or None,
        valid_from=learning.valid_from or turn.at or None,
    )


_CLAIMS = re.compile(
    r"\b(?:(?:was|were|is|are|been|got) (?:now )?(?:fixed|solved|resolved)|fixed (?:by|with|the)"
    r"|(?:now|all) pass(?:es)?|tests? pass(?:es|ed)?|succeed(?:s|ed)|(?:now|again) works?"
    r"|works? (?:now|again)|successfully)\b",
    re.I,
)


def _bears_out(turn: Turn) -> bool:
    """Whether a turn can show that something worked: the assistant's own word cannot."""
    return turn.kind in USER_KINDS or (turn.kind == "tool_result" and not turn.failed)


def _invented(content: str, shown: str) -> str | None:
    """The first command, number or path of a sentence that was nowhere shown."""
    seen = " ".join(shown.split()).lower()
    for found in _TELLING.finditer(content):
        name = " ".join((found[1] or found[2] or found[3]).split()).lower().strip(".:")
        if name and name not in seen and not all(part in seen for part in name.split()):
            return name
    return None


def _places(learning: Learning, turns: Sequence[Turn]) -> list[int]:
    wanted = set(learning.evidence)
    found = {turn.uuid: at for at, turn in enumerate(turns) if turn.uuid in wanted}
    return [found[uuid] for uuid in learning.evidence if uuid in found]


def _is_users(learning: Learning, evidence: Iterable[Turn]) -> bool:
    """Whether a learning says what the user said: a model may be talked into claiming so."""
    said = {word for turn in evidence if turn.kind in USER_KINDS for word in tokens(said_in(turn, 16_000))}
    words = set(tokens(learning.content))
    return bool(words) and len(words & said) / len(words) >= OWN_WORDS


def _is_said(words: str | None, turns: Sequence[Turn], places: Sequence[int]) -> bool:
    said = {word for at in places if turns[at].kind in USER_KINDS for word in tokens(turns[at].text)}
    return bool(words) and set(tokens(words or "")) <= said


# -- what it holds against what is known ------------------------------------------------------------------------------

ObjectionForce = Literal["acts", "asks"]


def weigh(objection: Objection, memory: Memory, turns: Sequence[Turn]) -> ObjectionForce | Rejection:
    """Whether an objection ends a memory, or is put before a person; or why it is not heard.

    It ends one only where the user's own words end it. A tool's result makes it a question. What the assistant said
    shows nothing, nor does a result in a session that holds text from outside.
    """
    wanted = set(objection.evidence)
    evidence = believed([turn for turn in turns if turn.uuid in wanted], asked_in(turns))
    said = [turn for turn in evidence if turn.kind in USER_KINDS]
    if any(_ends(turn, memory) for turn in said) and not (memory.pinned or memory.confirmed):
        return "acts"
    if memory.pinned:
        return Rejection("a verdict on what a person pinned", memory.content[:80])
    if Story(turns).outside:
        return Rejection("a verdict in a session that read text from outside", memory.content[:80])
    shown = said or (not memory.confirmed and any(turn.kind == "tool_result" for turn in evidence))
    if objection.fault == "duplicate" or shown:
        return "asks"
    return Rejection("a verdict that no word of the user and no result bears out", memory.content[:80])


def _ends(turn: Turn, memory: Memory) -> bool:
    told = sentences(turn.text if turn.kind == "prompt" else said_in(turn, 16_000))
    return any(chance(one.text, memory.content).ends >= TOLD for one in told if not (one.asks or one.is_odd))
