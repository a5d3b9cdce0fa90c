"""What can be asked about memories, and what can be done to them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from nous.kernel.asking import LIMIT, TIME, AsAt, AsOf, Cursor, Look, Present, RecordKind
from nous.kernel.log.events import EventType
from nous.kernel.log.extraction import RelationName
from nous.kernel.operations import Command, Operation, Route, Tool
from nous.kernel.types import Kind, OutcomeSignal, Scope
from nous.kernel.views import Answered, Hits, Memories, MemoryAnswer, MemoryDetails

Sort = Literal["newest", "oldest", "changed", "surest", "weakest"]
Status = Literal["active", "superseded", "archived", "all"]
Bulk = Literal["forget", "restore", "confirm", "pin", "unpin"]
SERVICE = "service"

MEMORY = "the number of a memory, as in [Memory #12: 2026-11-09], or its global id"
Id = Annotated[str | int, Meta(description=MEMORY, extra={"kind": "memory"})]
MemoryTypeName = Annotated[
    str | None, Meta(description="only this type: decision, preference, gotcha …", extra={"kind": "type"})
]
Words = Annotated[str, Meta(min_length=1, max_length=8000, description="one plain sentence that stands on its own")]
Sure = Annotated[float, Meta(ge=0, le=1)]
Reason = Annotated[str, Meta(max_length=500, description="why, in a few words")]
Top = Annotated[int, Meta(ge=1, le=1000, description="how many, best first")]
Query = Annotated[
    str,
    Meta(max_length=10_000, description="what is asked: names, commands, error texts tell most", extra={"also": "q"}),
]


# -- finding --------------------------------------------------------------------------------------------------------


class Question(Look, frozen=True, forbid_unknown_fields=True):
    """What is asked."""

    query: Query = ""


class Recall(Question, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to the memories and exchanges."""

    limit: Top = LIMIT
    type: MemoryTypeName = None
    kind: Annotated[Kind | None, Meta(description="only this kind of knowledge")] = None
    scope: Annotated[Scope | None, Meta(description="only memories of this scope")] = None
    entity: Annotated[str | None, Meta(description="only memories and exchanges about this name")] = None
    tag: Annotated[str | None, Meta(description="only memories with this tag")] = None
    topic: Annotated[str | None, Meta(description="only memories on this topic; the query is then optional")] = None
    file: Annotated[str | None, Meta(description="only memories about this file")] = None
    module: Annotated[str | None, Meta(description="only memories about files in this folder")] = None
    branch: Annotated[str | None, Meta(description="only this branch, and memories that belong to no branch")] = None
    after: Annotated[str | None, Meta(description=f"became true at or after this time: {TIME}")] = None
    before: Annotated[str | None, Meta(description=f"became true before this time: {TIME}")] = None
    min_confidence: Annotated[Sure | None, Meta(description="only memories with at least this confidence")] = None
    records: Annotated[RecordKind, Meta(description="memories, exchanges, or both", extra={"option": "--in"})] = "all"
    explain: Annotated[bool, Meta(description="show what each score is made of")] = False


class Ask(Present, frozen=True, forbid_unknown_fields=True):
    """A question to be answered in a few sentences."""

    question: Annotated[
        str, Meta(min_length=1, max_length=10_000, description="one question, as to a colleague", extra={"also": "q"})
    ]
    limit: Annotated[int, Meta(ge=1, le=100, description="how many hits the model is given")] = LIMIT


class Filter(Look, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which memories. A field that is left out lets every memory pass."""

    type: Annotated[str | None, Meta(description="only this type; several with commas", extra={"kind": "type"})] = None
    kind: Annotated[Kind | None, Meta(description="a kind of knowledge")] = None
    scope: Annotated[Scope | None, Meta(description="where it holds")] = None
    status: Annotated[Status, Meta(description="only memories with this status")] = "active"
    entity: Annotated[str | None, Meta(description="a name it is about")] = None
    tag: Annotated[str | None, Meta(description="a tag it has")] = None
    file: Annotated[str | None, Meta(description="a file it is about, by its path or the end of it")] = None
    module: Annotated[str | None, Meta(description="a folder with a file it is about")] = None
    branch: Annotated[str | None, Meta(description="the branch it concerns")] = None
    session: Annotated[str | None, Meta(description="the session it was learned in")] = None
    words: Annotated[str | None, Meta(description="words that its text contains, as they stand")] = None
    pinned: Annotated[bool | None, Meta(description="whether it is pinned")] = None
    confirmed: Annotated[bool | None, Meta(description="whether a person confirmed it")] = None
    disputed: Annotated[bool | None, Meta(description="whether somebody doubts it")] = None
    tainted: Annotated[bool | None, Meta(description="whether it is unreviewed text from outside")] = None
    after: Annotated[str | None, Meta(description=f"learned at or after this time: {TIME}")] = None
    before: Annotated[str | None, Meta(description=f"learned before this time: {TIME}")] = None
    min_confidence: Annotated[Sure | None, Meta(description="at least this sure")] = None
    max_confidence: Annotated[Sure | None, Meta(description="at most this sure")] = None


class Listing(Filter, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page of memories."""

    sort: Annotated[Sort, Meta(description="the order")] = "newest"
    limit: Annotated[int, Meta(ge=1, le=100_000, description="how many on a page")] = 50
    cursor: Cursor | None = None


# -- one memory -----------------------------------------------------------------------------------------------------


class OneNow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One memory, as it is."""

    id: Id


class One(OneNow, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One memory, as it is or was."""

    as_of: AsOf = None
    as_at: AsAt = None


class Whole(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hits of a search, to be read in full."""

    ids: Annotated[
        tuple[str, ...],
        Meta(min_length=1, max_length=20, description="ids as a search gives them: 12, #12, or an exchange's record"),
    ]
    project: Annotated[str | None, Meta(description="a project's id, or a path in it")] = None


class Related(OneNow, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The memories that one leads to."""

    depth: Annotated[int, Meta(ge=1, le=5, description="how many relations away")] = 2
    relations: Annotated[
        tuple[RelationName, ...], Meta(description="only this relation", extra={"option": "--type"})
    ] = ()
    direction: Annotated[Literal["out", "in", "both"], Meta(description="which way relations point")] = "both"
    min_strength: Annotated[Sure, Meta(description="leave out weaker relations")] = 0.0
    suggested: Annotated[bool, Meta(description="include relations that nobody has accepted yet")] = False


class Missed(OneNow, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question that did not bring a memory up."""

    query: Query
    project: Annotated[str | None, Meta(description="asked in this project; in all when left out")] = None
    all_projects: Annotated[bool, Meta(description="of every project, whatever `project` says")] = False
    limit: Annotated[int, Meta(ge=1, le=1000, description="how many were returned")] = LIMIT


# -- writing --------------------------------------------------------------------------------------------------------


class Telling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something to remember."""

    text: Words
    type: Annotated[
        str,
        Meta(description="preference, decision, requirement, gotcha, procedure or fact", extra={"kind": "type"}),
    ] = "fact"
    project: Annotated[str | None, Meta(description="a project's id, or a path in it")] = None
    scope: Annotated[Scope, Meta(description="where it holds: global is every project")] = "project"
    files: Annotated[tuple[str, ...], Meta(description="a file it is about", extra={"option": "--file"})] = ()
    tags: Annotated[tuple[str, ...], Meta(description="a tag to find it by", extra={"option": "--tag"})] = ()
    pin: Annotated[bool, Meta(description="always show it and never let it fade")] = False


class Marking(OneNow, frozen=True, forbid_unknown_fields=True):
    """A decision about one memory."""


class Reasoned(Marking, frozen=True, forbid_unknown_fields=True):
    """A decision about one memory, and why."""

    reason: Reason = ""


class Rewording(Marking, frozen=True, forbid_unknown_fields=True):
    """What is true in the place of a memory."""

    text: Annotated[str, Meta(min_length=1, max_length=8000, description="what is true instead, as one plain sentence")]


class Judging(Marking, frozen=True, forbid_unknown_fields=True):
    """What came of a memory."""

    signal: Annotated[
        OutcomeSignal, Meta(description="useful, corrected (it was wrong) or ignored (it did not matter)")
    ]
    session: Annotated[str | None, Meta(description="the session it is about; counts once per session")] = None


class Reporting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What came of a memory in a session."""

    memory_id: Annotated[str | int, Meta(description="the number of a memory, or its global id")]
    signal: Annotated[OutcomeSignal, Meta(description="useful, corrected (it was wrong) or ignored")]
    session: Annotated[str | None, Meta(description="the session in which it did")] = None
    session_outcome: Annotated[Literal["success", "failure", "unknown"], Meta(description="how the session ended")] = (
        "unknown"
    )


class Many(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision about many memories: those named, or those that a filter lets pass."""

    action: Annotated[Bulk, Meta(description="what to do with each")]
    ids: Annotated[tuple[int, ...], Meta(max_length=10_000, description="numbers of memories")] = ()
    filter: Annotated[Filter | None, Meta(description="the filters of `GET /v1/memories`")] = None
    reason: Reason = ""
    dry_run: Annotated[bool, Meta(description="only count")] = False
    expected: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="refuse when it would be another number")
    ] = None


class Appending(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One event of the log."""

    event_type: Annotated[EventType, Meta(description="a type of event")]
    learning_id: Annotated[str, Meta(min_length=1, description="the learning it happens to (a memory's global id)")]
    idempotency_key: Annotated[str, Meta(min_length=1, max_length=500, description="known once, known for good")]
    payload: Annotated[dict[str, Any], Meta(description="what events of this type say")] = {}
    project: Annotated[str | None, Meta(description="a project's id; that of the learning when left out")] = None
    session: Annotated[str, Meta(description="the session it comes from")] = ""
    source: Annotated[
        str, Meta(min_length=1, max_length=50, description="who wrote it; a token is always a service")
    ] = SERVICE
    valid_from: Annotated[str | None, Meta(description="when it became true")] = None
    parent_event_id: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="the event that caused it")] = None


READS, WRITES = "nous.features.memories.reads:", "nous.features.memories.writes:"
LINES, TEXTS = "nous.shells.cli.lines:", "nous.shells.mcp_texts:"
MARKS = "/v1/memories/{id}/"

# fmt: off
_FINDING = (
    Operation(
        "memories.search", Recall, READS + "search", "Find memories and exchanges that answer a question.", Hits,
        "search", about="project",
        doors=(
            Command("recall", ("query",), lines=LINES + "hits", under="hits"),
            Route("GET", "/v1/search", {"explain": True}),
            Tool(
                "search_memory", ("query", "limit", "type", "file", "topic", "as_of", "as_at", "records"),
                "Search what earlier sessions of this project taught and said: rules the user gave, decisions and "
                "their reasons, corrections, errors and their fixes, commands that work here. One line per hit with "
                "its id and date; get_memory gives the rest. Use it when the user refers to something earlier (“as "
                "we decided”, “like last time”), before you choose a library, a design or a name the project may "
                "have settled, and before you debug an error that may have come up before. Do not use it for what "
                "the conversation, the files or git already answer, and do not repeat it with the same words.",
                TEXTS + "hits",
            ),
        ),
        example={"query": "which package manager", "limit": 5},
    ),
    Operation(
        "memories.ask", Ask, READS + "ask",
        "Answer a question from memory, with citations.\n\nThe model you chose writes a few sentences from the best "
        "hits only, each with the memories it is based on, and says so if they hold no answer. Without a model you "
        "get the list that `nous recall` prints.",
        Answered, "search", about="project",
        doors=(
            Command("ask", ("question",), lines=LINES + "answer"), Route("GET", "/v1/ask"),
            Tool(
                "ask", ("question",),
                "Have one question answered from memory in a few sentences with citations, or be told that memory "
                "does not know. Use it for questions whose answer is spread over several sessions (“why did we leave "
                "Stripe?”). Do not use it where search_memory finds the one line you need: it may cost a model call.",
                TEXTS + "answer",
            ),
        ),
        example={"question": "which package manager do we use?"},
    ),
    Operation(
        "memories.why_not", Missed, READS + "why_not", "Show why a query does not find a memory.", access="search",
        about="memory",
        doors=(Command("why-not", ("query", "id"), lines=LINES + "why_not"),),
        example={"query": "which package manager"},
    ),
)
_READING = (
    Operation(
        "memories.list", Listing, READS + "listing",
        "List memories, newest first. Outside a known project, those of all projects.", Memories, about="project",
        doors=(
            Command(
                "list", options=("type", "status", "limit", "after", "before", "as_of", "as_at"),
                lines=LINES + "memories", under="memories", defaults={"limit": 1000}, is_wide=True,
            ),
            Route("GET", "/v1/memories"),
        ),
        example={"type": "decision,preference", "sort": "newest", "limit": 20},
    ),
    Operation(
        "memories.get", One, READS + "get", "Show one memory in full, with the words it was learned from.",
        about="memory", access="search", doors=(Command("get", ("id",), lines=LINES + "details", data=LINES + "flat"),),
    ),
    Operation(
        "memories.whole", Whole, READS + "whole", "Hits of a search in full.", access="search", about="project",
        doors=(
            Tool(
                "get_memory", ("ids",),
                "Read hits of search_memory in full, by their ids: what a memory says with the words it was learned "
                "from, or a whole earlier exchange. Use it for the one to three hits that look like the answer, "
                "before you rely on them. Do not use it to search, nor for every hit of a list.",
                TEXTS + "whole",
            ),
        ),
    ),
    Operation(
        "memories.explain", One, READS + "details",
        "Show where a memory comes from, how it changed, and what it is related to.", MemoryDetails, about="memory",
        doors=(
            Command("explain", ("id",), (), LINES + "render_explanation", data=LINES + "explanation"),
            Route("GET", "/v1/memories/{id}"),
            Tool(
                "explain", ("id", "as_of", "as_at"),
                "Show where one memory comes from: session, evidence, validity, every change with its reason, and "
                "how often it was shown. Use it when the user asks why something is believed, or doubts a memory. "
                "Not for searching.",
                TEXTS + "render_explanation",
            ),
        ),
    ),
    Operation(
        "memories.history", One, READS + "story", "What happened to a memory, and why", about="memory",
        doors=(Route("GET", MARKS + "history"),),
    ),
    Operation(
        "memories.receipts", OneNow, READS + "receipts", "When a memory was shown", about="memory",
        doors=(Route("GET", MARKS + "receipts"),),
    ),
    Operation(
        "memories.related", Related, "nous.features.memories.related:related", "Show the memories related to one.",
        about="memory", doors=(Command("traverse", ("id",), lines=LINES + "related", under="reached"),),
    ),
    Operation(
        "memories.types", Present, READS + "types", "The types of memories", about="nothing",
        doors=(Route("GET", "/v1/types"),),
    ),
    Operation(
        "memories.thread", OneNow, READS + "thread", "What a team said about a memory that it discusses.",
        about="memory",
    ),
)
# fmt: on


def _mark(
    name: str, takes: type[Marking], help: str, command: Command | None = None, tool: Tool | None = None, **more: Any
) -> Operation:
    """A decision about one memory."""
    doors: tuple[Command | Route | Tool | None, ...] = (Route("POST", MARKS + name), command, tool)
    given: dict[str, Any] = {"access": "write", "about": "memory", "action": name, "gives": MemoryAnswer}
    return Operation(f"memories.{name}", takes, WRITES + name, help, doors=tuple(filter(None, doors)), **given | more)


# fmt: off
_WRITING = (
    Operation(
        "memories.remember", Telling, WRITES + "remember",
        "Add a memory yourself.\n\nIf Nous knows it already, that memory gets stronger instead. Inside an agent's "
        "session it counts as the agent's word, for this project only, unless you said it there yourself.",
        MemoryAnswer, "write", "remember", about="project",
        doors=(
            Command("remember", ("text",), ("type", "pin", "files", "tags"), LINES + "render_kept"),
            Route("POST", "/v1/memories"),
            Tool(
                "remember", ("text", "type", "scope", "files"),
                "Keep one fact, rule, preference or decision for later sessions. Use it when the user asks to "
                "remember something, in their own words. Use it too when you found something out at a cost that the "
                "next session would pay again (the cause of an error after a long search, a command that works where "
                "the obvious one fails, a limit of an API): say what holds and how it showed; it is kept as your "
                "word, for this project, with this session as evidence. Do not use it for progress, plans, summaries "
                "of what you did, guesses, or what the files, the documentation or git say. Never store passwords, "
                "keys or tokens.",
                TEXTS + "render_kept",
            ),
        ),
        example={"text": "The staging database is reset every Monday.", "type": "fact", "project": "shop"},
    ),
    Operation(
        "memories.bulk", Many, WRITES + "bulk", "Change many memories at once", MemoryAnswer, "write", "forget",
        about="many", doors=(Route("POST", "/v1/memories/bulk"),),
        example={"action": "forget", "filter": {"type": "progress", "before": "90d"}, "dry_run": True},
    ),
    _mark(
        "correct", Rewording, "Change what a memory says. The old text stays in its history.",
        Command("correct", ("id", "text"), lines=LINES + "render_corrected"),
        Tool(
            "correct", ("id", "text"),
            "Replace a memory that the user says is wrong or outdated by what is true; the old one keeps its "
            "history. Use it when the user corrects a memory that was shown or found. Do not use it for a new fact "
            "(remember), nor because code and memory merely differ: say so and ask. It takes the user's own words of "
            "this session.",
            TEXTS + "render_corrected",
        ),
        example={"text": "The staging database is reset every Friday."},
    ),
    _mark(
        "confirm", Marking, "Confirm a memory: it no longer fades.",
        Command("confirm", ("id",), lines=LINES + "render_confirmed"),
        Tool(
            "confirm", ("id",),
            "Note that the user said a memory is true; it no longer fades. Use it when the user repeats or affirms "
            "what a memory says. Do not use it because the code agrees, and not on your own judgement.",
            TEXTS + "render_confirmed", action="repeat",
        ),
    ),
    _mark(
        "pin", Marking, "Show a memory in every session, and never let it fade.",
        Command("pin", ("id",), lines=LINES + "render_pinned"),
    ),
    _mark("unpin", Marking, "Unpin a memory", action="pin"),
    _mark("restore", Marking, "Restore a forgotten memory"),
    _mark(
        "forget", Reasoned, "Stop using a memory. Its history stays; `nous admin purge` erases.",
        tool=Tool(
            "forget", ("id", "reason"),
            "Take one memory out of use. Use it only when the user asks to forget it, and name it to them first. Do "
            "not use it for something that changed (correct), and not on your own judgement. It is refused unless "
            "the user, in this session, asked to forget it and said what it is about.",
            TEXTS + "forgotten",
        ),
    ),
    _mark(
        "dispute", Reasoned,
        "Mark a memory as possibly wrong, and say why. It is not shown until somebody decides.\n\nWith `disputes = "
        "\"discuss\"` it is still shown, marked as disputed, and further remarks join the discussion, which "
        "`nous debug log --memory ID` shows.",
        Command("dispute", ("id", "reason"), (), LINES + "render_disputed"),
    ),
    _mark(
        "feedback", Judging, "Say whether a memory was useful.",
        Command("feedback", ("id", "signal"), lines=LINES + "render_outcome"),
        Tool(
            "feedback", ("id", "signal"),
            "Say what came of one memory you were shown: useful, corrected when the user or the code showed it "
            "wrong, or ignored. Use it once per memory when that became clear. Do not use it to change what it says "
            "(correct).",
            TEXTS + "render_outcome",
        ),
        example={"signal": "useful"},
    ),
    Operation(
        "memories.append", Appending, "nous.features.memories.appending:append",
        "AppendEvent: append one event to the log", MemoryAnswer, "write", "remember",
        doors=(Route("POST", "/v1/events"),),
        example={
            "event_type": "LearningConfirmed", "learning_id": "0192f0c4-7e1a-7c3e-9f00-000000000001", "payload": {},
            "idempotency_key": "ci-17:confirm",
        },
    ),
    Operation(
        "memories.report", Reporting, "nous.features.memories.appending:feedback",
        "Feedback: say what came of a memory in a session", MemoryAnswer, "write", "feedback", about="memory",
        doors=(Route("POST", "/v1/feedback"),), example={"memory_id": "12", "signal": "useful", "session": "ci-17"},
    ),
)
# fmt: on
OPERATIONS = (*_FINDING, *_READING, *_WRITING)
