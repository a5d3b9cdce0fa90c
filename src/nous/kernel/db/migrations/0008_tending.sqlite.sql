-- The types of events are checked when an event is appended (`nous.core.events`), where payloads are checked too. The list
-- in the table itself would have to be copied with every event whenever a type is added, so it goes. SQLite's own way to
-- drop a check without copying a row: edit the text of the schema, and read the schema again.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql =
    substr(sql, 1, instr(sql, ' CHECK (event_type IN (') - 1)
    || substr(sql, instr(sql, 'EdgeRejected'')') + length('EdgeRejected'')') + 1)
WHERE type = 'table' AND name = 'learning_events' AND instr(sql, ' CHECK (event_type IN (');
PRAGMA writable_schema = RESET;

-- Creating a table also tells other connections to read the schema again.
-- How often a memory was asked for or cited, by day: what is used fades more slowly.
CREATE TABLE accesses (
    memory_id INTEGER NOT NULL,
    day TEXT NOT NULL,
    accesses INTEGER NOT NULL,
    last_at TEXT NOT NULL,
    PRIMARY KEY (memory_id, day)
) WITHOUT ROWID;

-- What a person decided about an item of the review queue; made from events. `until`: it comes back then.
CREATE TABLE reviews (
    item TEXT PRIMARY KEY,
    learning_id TEXT NOT NULL,
    action TEXT NOT NULL,
    until TEXT,
    version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_reviews_learning ON reviews (learning_id);

-- What became of a memory that was put in front of a session: decided once.
CREATE TABLE outcomes (
    session_id TEXT NOT NULL,
    memory_id INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('useful', 'corrected', 'ignored')),
    reason TEXT NOT NULL,
    decided_at TEXT NOT NULL,
    PRIMARY KEY (session_id, memory_id)
) WITHOUT ROWID;
CREATE INDEX idx_outcomes_memory ON outcomes (memory_id);

-- How far each step of maintenance has come, and what it last did.
CREATE TABLE maintenance (
    step TEXT PRIMARY KEY,
    last_event_id INTEGER NOT NULL,
    finished_at TEXT NOT NULL,
    said TEXT NOT NULL
) WITHOUT ROWID;
