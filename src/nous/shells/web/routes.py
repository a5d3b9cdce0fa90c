"""Everything that can be asked under `/v1`, as one table: a row is a path, what it takes, what it does and an example.

The same rows make the server, the OpenAPI description and its tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from nous.api import briefs, decide, health, hub, memories, modules, named, past, programs, reviews, sessions
from nous.api.asking import Look, Paged, Present
from nous.app import Nous
from nous.core.access import Right
from nous.kernel.gate import RULES
from nous.kernel.viewer import Viewer
from nous.shells.web import context
from nous.shells.web.rights import About

Way = Literal["read", "search", "write", "work"]


class Route(msgspec.Struct, frozen=True):
    """One thing that can be asked.

    `read` cannot write; `search` uses the one memory that searches; `write` is one decision, done once under its key;
    `work` writes in its own way. `about` says which project a request concerns, so that a token for single projects can
    be held to them; `action` is what the gate calls it, and `right` what a token needs where that does not say it.
    With `by_viewer` the answer depends on who looks, the third argument.
    """

    method: Literal["GET", "POST"]
    path: str
    takes: type[msgspec.Struct]
    do: Callable[..., Any]
    says: str
    way: Way = "read"
    example: dict[str, Any] = {}
    about: About = "everything"
    action: str = "read"
    right: Right | None = None
    by_viewer: bool = False

    @property
    def needs(self) -> Right:
        """The right that whoever asks must have."""
        return self.right or RULES[self.action].right

    def run(self, nous: Nous, asked: Any, viewer: Viewer) -> Any:
        """What a request gets, as far as whoever looks may see."""
        return self.do(nous, asked, viewer) if self.by_viewer else self.do(nous, asked)


ROUTES: tuple[Route, ...] = (
    Route("GET", "/v1/status", Look, health.deep, "What is remembered, what waits, and a score", "read"),
    Route("GET", "/v1/projects", Present, sessions.projects, "Projects, the latest first"),
    Route("GET", "/v1/types", Present, memories.types, "The types of memories", about="nothing"),
    Route(
        "GET",
        "/v1/memories",
        memories.Listing,
        memories.listing,
        "A page of memories",
        example={"type": "decision,preference", "sort": "newest", "limit": 20},
        about="project",
        by_viewer=True,
    ),
    Route(
        "GET",
        "/v1/search",
        memories.Searching,
        memories.search,
        "The memories and exchanges that answer a question best",
        "search",
        {"q": "which package manager", "limit": 5},
        about="project",
        by_viewer=True,
    ),
    Route(
        "GET",
        "/v1/ask",
        memories.Asking,
        memories.ask,
        "A question answered in a few sentences, with citations",
        "search",
        {"q": "which package manager do we use?"},
        about="project",
    ),
    Route(
        "GET",
        "/v1/memories/{id}",
        memories.One,
        memories.one,
        "One memory, and everything known about it",
        about="memory",
    ),
    Route(
        "GET",
        "/v1/memories/{id}/history",
        memories.One,
        memories.story,
        "What happened to a memory, and why",
        about="memory",
    ),
    Route(
        "GET",
        "/v1/memories/{id}/versions",
        memories.OneNow,
        memories.versions,
        "What a memory was, and when",
        about="memory",
    ),
    Route(
        "GET",
        "/v1/memories/{id}/receipts",
        memories.OneNow,
        memories.receipts,
        "When a memory was shown",
        about="memory",
    ),
    Route(
        "GET",
        "/v1/memories/{id}/neighbours",
        memories.Around,
        memories.neighbours,
        "The graph around a memory",
        about="memory",
    ),
    Route(
        "GET",
        "/v1/memories/{id}/why-not",
        memories.Missed,
        memories.why_not,
        "Why a question does not bring a memory up",
        "search",
        {"q": "which package manager"},
        about="memory",
        by_viewer=True,
    ),
    Route(
        "GET",
        "/v1/impact",
        modules.Touched,
        modules.impact,
        "What hangs on a piece of code",
        example={"target": "src/shop/pay.py", "project": "shop"},
        about="project",
    ),
    Route(
        "GET",
        "/v1/log",
        past.Log,
        past.log,
        "Events, newest first",
        example={"limit": 20},
        about="project",
        by_viewer=True,
    ),
    Route(
        "GET",
        "/v1/diff",
        past.Between,
        past.diff,
        "What changed between two moments",
        example={"from": "7d"},
        about="project",
    ),
    Route("GET", "/v1/timeline", Look, past.timeline, "What happened on each day", about="project"),
    Route("GET", "/v1/sessions", Paged, sessions.sessions, "Sessions, the latest first", about="project"),
    Route(
        "GET",
        "/v1/sessions/{id}",
        sessions.OneSession,
        sessions.session,
        "One session and what came of it",
        about="session",
    ),
    Route(
        "GET",
        "/v1/sessions/{id}/transcript",
        sessions.Transcript,
        sessions.transcript,
        "What was said in a session, with the lines that taught something",
        about="session",
    ),
    Route(
        "GET",
        "/v1/brief",
        briefs.OfProject,
        briefs.lines,
        "What a session of a project begins with, and what is open",
        example={"project": "shop"},
        about="packet",
    ),
    Route(
        "GET",
        "/v1/preview",
        context.Previewing,
        context.preview_session,
        "What a session would be shown at its start and at a first prompt",
        "search",
        {"project": "shop", "prompt": "Why does the staging database lose its rows?"},
        about="packet",
    ),
    Route("GET", "/v1/entities", named.Names, named.names, "Named things, the most named first", about="project"),
    Route("GET", "/v1/relations", named.Relations, named.relations, "What is said of named things", about="project"),
    Route("GET", "/v1/entities/{name}", named.OneName, named.one, "What is known of a named thing"),
    Route("GET", "/v1/entities/{name}/neighbours", named.OneName, named.neighbours, "The graph around a named thing"),
    Route("GET", "/v1/review", reviews.Questions, reviews.queue, "What only a person can decide", about="project"),
    Route("GET", "/v1/metrics", Present, health.figures, "How knowledge comes, comes back and fades", about="project"),
    Route(
        "GET", "/v1/settings", Present, health.settings, "Every setting and where its value comes from", right="admin"
    ),
    Route(
        "POST",
        "/v1/memories",
        decide.Telling,
        decide.remember,
        "Remember something",
        "write",
        {"text": "The staging database is reset every Monday.", "type": "fact", "project": "shop"},
        about="project",
        action="remember",
    ),
    Route(
        "POST",
        "/v1/memories/bulk",
        decide.Many,
        decide.bulk,
        "Decide about many memories at once",
        "write",
        {"action": "forget", "filter": {"type": "progress", "before": "90d"}, "dry_run": True},
        about="many",
        action="forget",
        by_viewer=True,
    ),
    Route(
        "POST",
        "/v1/memories/{id}/correct",
        decide.Rewording,
        decide.correct,
        "Put better words in the place of a memory",
        "write",
        {"text": "The staging database is reset every Friday."},
        about="memory",
        action="correct",
    ),
    Route(
        "POST",
        "/v1/memories/{id}/confirm",
        decide.Marking,
        decide.confirm,
        "Say that a memory is true",
        "write",
        about="memory",
        action="confirm",
    ),
    Route(
        "POST",
        "/v1/memories/{id}/pin",
        decide.Marking,
        decide.pin,
        "Always show a memory",
        "write",
        about="memory",
        action="pin",
    ),
    Route(
        "POST",
        "/v1/memories/{id}/unpin",
        decide.Marking,
        decide.unpin,
        "No longer always show it",
        "write",
        about="memory",
        action="pin",
    ),
    Route(
        "POST",
        "/v1/memories/{id}/restore",
        decide.Marking,
        decide.restore,
        "Bring a memory back",
        "write",
        about="memory",
        action="restore",
    ),
    Route(
        "POST",
        "/v1/memories/{id}/forget",
        decide.Reasoned,
        decide.forget,
        "Take a memory out of use",
        "write",
        about="memory",
        action="forget",
    ),
    Route(
        "POST",
        "/v1/memories/{id}/dispute",
        decide.Reasoned,
        decide.dispute,
        "Doubt a memory",
        "write",
        about="memory",
        action="dispute",
    ),
    Route(
        "POST",
        "/v1/memories/{id}/feedback",
        decide.Judging,
        decide.feedback,
        "Say what came of a memory",
        "write",
        {"signal": "useful"},
        about="memory",
        action="feedback",
    ),
    Route(
        "POST",
        "/v1/review/{item}",
        decide.Deciding,
        decide.decide,
        "Answer a question of the review",
        "write",
        {"action": "keep"},
        about="question",
        action="review",
    ),
    Route(
        "POST",
        "/v1/brief",
        briefs.DecideLine,
        briefs.decide_line,
        "Keep, edit, drop or pin a line of the brief",
        "write",
        {"project": "shop", "line": "1", "action": "keep"},
        about="packet",
        action="brief",
    ),
    Route(
        "POST",
        "/v1/brief/order",
        briefs.OrderLines,
        briefs.order_lines,
        "Put lines of the brief in an order",
        "write",
        {"project": "shop", "lines": ["1"]},
        about="packet",
        action="brief",
    ),
    Route(
        "POST",
        "/v1/undo",
        decide.Undo,
        decide.undo,
        "Take back what was decided",
        "write",
        {"last": 1},
        about="decisions",
        action="undo",
    ),
    Route(
        "POST",
        "/v1/import",
        programs.Importing,
        programs.take_over,
        "Take over what another tool's file says, or look what it would bring",
        "work",
        {"name": "CLAUDE.md", "text": "# Rules\n- Use pnpm, not npm.\n", "project": "shop", "dry_run": True},
        about="project",
        action="import",
    ),
    Route(
        "POST",
        "/v1/context",
        context.Resolving,
        context.resolve,
        "ResolveContext: what a session should be told",
        "search",
        {"project": "shop", "session": "ci-17", "prompt": "Why does the staging database lose its rows?"},
        about="packet",
    ),
    Route(
        "POST",
        "/v1/artifacts",
        programs.Ingesting,
        programs.ingest,
        "IngestArtifact: learn from a text or a work summary",
        "work",
        {"text": "We decided to keep invoices in cents.", "project": "shop", "session": "ci-17"},
        about="project",
        action="ingest",
    ),
    Route(
        "POST",
        "/v1/events",
        programs.Appending,
        programs.append,
        "AppendEvent: write one event of the log",
        "write",
        {
            "event_type": "LearningConfirmed",
            "learning_id": "0192f0c4-7e1a-7c3e-9f00-000000000001",
            "payload": {},
            "idempotency_key": "ci-17:confirm",
        },
        action="remember",
    ),
    Route(
        "POST",
        "/v1/feedback",
        programs.Reporting,
        programs.feedback,
        "Feedback: say what came of a memory in a session",
        "write",
        {"memory_id": "12", "signal": "useful", "session": "ci-17"},
        about="memory",
        action="feedback",
    ),
    Route(
        "POST",
        "/v1/backfill",
        programs.Backfilling,
        programs.backfill,
        "Backfill: read transcripts that are on disk",
        "work",
        {"since": "30d", "limit": 10, "dry_run": True},
        action="learn",
    ),
    Route(
        "POST",
        "/v1/replay",
        programs.Replaying,
        programs.replay,
        "Replay: compare the read models with the log, or build them again",
        "work",
        {"verify": True},
        action="tend",
    ),
    Route(
        "POST",
        "/v1/archive",
        programs.Cooling,
        programs.archive,
        "Archive: move old events into compressed files",
        "work",
        {"before": "90d", "dry_run": True},
        action="archive",
    ),
    Route(
        "POST",
        "/v1/sync/heads",
        hub.Reaching,
        hub.heads,
        "How far a hub knows each device",
        "work",
        {"sealed": False},
        about="devices",
        action="sync",
    ),
    Route(
        "POST",
        "/v1/sync/pull",
        hub.Pulling,
        hub.pull,
        "Events that a device does not know yet",
        "read",
        {"known": {}, "limit": 100},
        about="devices",
        action="sync",
    ),
    Route(
        "POST",
        "/v1/sync/push",
        hub.Pushing,
        hub.push,
        "Give a hub what a device wrote",
        "work",
        {"events": []},
        about="devices",
        action="sync",
    ),
    Route(
        "POST",
        "/v1/sync/sweep",
        hub.Sweeping,
        hub.sweep,
        "Take the words of erased events out of what is sealed",
        "work",
        {"sealed": []},
        about="devices",
        action="sync",
    ),
)
