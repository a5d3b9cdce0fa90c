"""What somebody may ask in SQL: a few views without internals, of one project or of all, on a connection that cannot
write. `docs/reference/sql.md` says the same, and its questions run as tests.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import apsw

from nous.errors import Misuse, StoreError

MOST_ROWS = 1000
SECONDS = 5.0
STEPS = 20_000  # of the engine between two looks at the clock


class View(NamedTuple):
    """A table that somebody sees: what it holds, and each column with what it is made of and what it means."""

    name: str
    says: str
    source: str
    columns: tuple[tuple[str, str, str], ...]


VIEWS: tuple[View, ...] = (
    View(
        "memories",
        "what is remembered, now",
        "main.memories AS m WHERE m.status != 'erased' AND (m.project_id = {project} OR m.scope = 'global' OR {all}"
        " OR m.project_id IN (SELECT circle FROM main.circles WHERE member IN ({project}, '*')))",
        (
            ("id", "m.id", "the number of the memory"),
            ("content", "m.content", "what it says"),
            ("type", "m.type", "see memory types"),
            ("scope", "m.scope", "session, module, project, team, organisation or global"),
            ("status", "m.status", "active, superseded or archived"),
            ("confidence", "ROUND(m.confidence, 4)", "how sure, 0 to 1"),
            ("strength", "ROUND(m.strength, 4)", "how useful it has proved, 0 to 1"),
            ("project", "m.project_id", "the project it belongs to"),
            ("session", "m.session_id", "the session it was learned in"),
            ("branch", "m.branch", "the branch it concerns, or null"),
            ("valid_from", "m.valid_from", "since when it is true"),
            ("valid_until", "m.valid_until", "until when, or null"),
            ("created_at", "m.created_at", "when it was learned"),
            ("pinned", "m.pinned", "1 when it is always shown"),
            ("confirmed", "COALESCE(json_extract(m.rest, '$.confirmed'), 0)", "1 when a person confirmed it"),
            ("disputed", "COALESCE(json_extract(m.rest, '$.disputed'), 0)", "1 when somebody doubts it"),
            ("tainted", "m.tainted", "1 when it is unreviewed text from outside: data, not an instruction"),
            ("files", "COALESCE(json_extract(m.rest, '$.files'), '[]')", "files it is about, as JSON"),
            ("tags", "COALESCE(json_extract(m.rest, '$.tags'), '[]')", "tags, as JSON"),
            ("entities", "COALESCE(json_extract(m.rest, '$.entities'), '[]')", "names it is about, as JSON"),
            ("global_id", "m.learning_id", "its name on every device"),
        ),
    ),
    View(
        "history",
        "what memories were before they changed",
        "main.memory_history AS h WHERE h.project_id = {project} OR {all}",
        (
            ("id", "h.id", "the number of the memory"),
            ("content", "h.content", "what it said"),
            ("type", "h.type", "its type then"),
            ("status", "h.status", "its status then"),
            ("confidence", "ROUND(h.confidence, 4)", "how sure it was"),
            ("strength", "ROUND(h.strength, 4)", "how useful it was"),
            ("from_event", "h.version", "the event that made it so"),
            ("until_event", "h.until_version", "the event that changed it"),
        ),
    ),
    View(
        "events",
        "what happened, in order",
        "main.learning_events AS e WHERE e.project_id = {project} OR {all}",
        (
            ("event", "e.event_id", "its number"),
            ("type", "e.event_type", "see events"),
            ("at", "e.transaction_time", "when it was recorded"),
            ("stream", "e.stream", "what it happened to: memory, entity, …"),
            ("global_id", "e.stream_id", "which one, by its name on every device"),
            ("project", "e.project_id", "the project"),
            ("session", "e.session_id", "the session that wrote it"),
            ("source", "e.source", "who wrote it: fs_watch, user_review, …"),
            ("caused_by", "e.parent_event_id", "the event that caused it, or null"),
        ),
    ),
    View(
        "relations",
        "how memories hang together",
        "main.edges AS r JOIN main.memories AS a ON a.learning_id = r.source_id"
        " JOIN main.memories AS b ON b.learning_id = r.target_id"
        " WHERE (a.project_id = {project} AND b.project_id = {project}) OR {all}",
        (
            ("source", "a.id", "the memory it begins at"),
            ("relation", "r.rel_type", "supersedes, contradicts, refines, …"),
            ("target", "b.id", "the memory it leads to"),
            ("weight", "r.weight", "how strong, 0 to 1"),
            ("status", "r.status", "accepted, proposed or rejected"),
        ),
    ),
    View(
        "sessions",
        "sessions that were read",
        "main.sessions AS s WHERE s.project_id = {project} OR {all}",
        (
            ("session", "s.session_id", "its id"),
            ("project", "s.project_id", "the project"),
            ("first_at", "s.first_at", "when it began"),
            ("last_at", "s.last_at", "when it last said something"),
            ("prompts", "s.prompts", "how often the user spoke"),
            ("turns", "s.turns", "turns in all"),
            ("branch", "s.branch", "the branch"),
            ("client", "s.client", "the program"),
        ),
    ),
    View(
        "receipts",
        "what was put before the model, one row for each memory",
        "main.injected_memories AS x JOIN main.injections AS i USING (injection_id)"
        " WHERE i.project_id = {project} OR {all}",
        (
            ("memory", "x.memory_id", "the memory that was shown"),
            ("session", "i.session_id", "to which session"),
            ("hook", "i.hook", "by which hook"),
            ("at", "i.created_at", "when"),
            ("seen_at", "i.acknowledged_at", "when the transcript showed it, or null"),
            ("cited_at", "x.referenced_at", "when the model cited it, or null"),
            ("ms", "i.latency_ms", "how long the answer took"),
        ),
    ),
)


def ask(path: str, sql: str, project_id: str | None, limit: int = MOST_ROWS) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and rows of one question; a sentence when it takes too long or wants more than the views."""
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        _prepare(connection, project_id)
        deadline = time.monotonic() + SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
        return _rows(connection, sql, limit)
    except apsw.InterruptError:
        raise Misuse(f"this took longer than {SECONDS:g} seconds", hint="narrow it with WHERE or LIMIT") from None
    except apsw.AuthError:
        views = ", ".join(view.name for view in VIEWS)
        raise Misuse("only reading is possible, and only from the views", hint=f"they are {views}") from None
    except apsw.Error as problem:
        raise Misuse(f"this cannot be asked: {problem}") from None
    finally:
        connection.close()


def _rows(connection: apsw.Connection, sql: str, limit: int) -> tuple[list[str], list[tuple[Any, ...]]]:
    cursor = connection.cursor()
    names: list[str] = []
    rows: list[tuple[Any, ...]] = []
    statements = 0

    def begins(_: apsw.Cursor, statement: str, bindings: object) -> bool:
        nonlocal statements
        statements += 1
        if statements > 1:
            raise StoreError("one question at a time")
        return True

    cursor.exec_trace = begins
    try:
        for row in cursor.execute(sql):
            names = names or [column[0] for column in cursor.get_description()]
            rows.append(row)
            if len(rows) >= limit:
                break
    except StoreError as problem:
        raise Misuse(str(problem)) from None
    return names, rows


def _prepare(connection: apsw.Connection, project_id: str | None) -> None:
    """Make the views, and let nothing else be touched."""
    connection.execute("PRAGMA temp_store = MEMORY").fetchall()
    connection.execute("PRAGMA trusted_schema = OFF").fetchall()
    project = "NULL" if project_id is None else apsw.format_sql_value(project_id)
    for view in VIEWS:
        columns = ", ".join(f"{made} AS {name}" for name, made, _ in view.columns)
        source = view.source.format(project=project, all=int(project_id is None))
        connection.execute(f"CREATE TEMP VIEW {view.name} AS SELECT {columns} FROM {source}").fetchall()
    connection.authorizer = _allows


ALLOWED = frozenset({apsw.SQLITE_SELECT, apsw.SQLITE_FUNCTION, apsw.SQLITE_RECURSIVE})
NAMES = frozenset(view.name for view in VIEWS)


def _allows(operation: int, first: str | None, second: str | None, base: str | None, through: str | None) -> int:
    """Reading is allowed from the views, and from the tables only through them."""
    if operation == apsw.SQLITE_FUNCTION:
        return apsw.SQLITE_DENY if second in ("load_extension", "writefile", "readfile") else apsw.SQLITE_OK
    if operation in ALLOWED:
        return apsw.SQLITE_OK
    if operation == apsw.SQLITE_READ:
        is_own = base == "main" and through in NAMES
        return apsw.SQLITE_OK if is_own or base != "main" or first == "json_each" else apsw.SQLITE_DENY
    return apsw.SQLITE_DENY
