-- Every call of a model, written before it is made, so that a crash cannot hide what was spent.
CREATE TABLE llm_calls (
    call_id INTEGER PRIMARY KEY,
    purpose TEXT NOT NULL,
    version TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN (
        'sent', 'answered', 'partial', 'malformed', 'refused', 'limited', 'unreachable', 'failed', 'skipped')),
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    usd REAL NOT NULL,
    learned INTEGER NOT NULL DEFAULT 0,
    rejected INTEGER NOT NULL DEFAULT 0,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    error TEXT
);
CREATE INDEX idx_llm_calls_started ON llm_calls (started_at);

-- Which session a call was about, and how far it read: what was answered once is not sent again.
CREATE TABLE llm_reads (
    session_id TEXT NOT NULL,
    call_id INTEGER NOT NULL REFERENCES llm_calls (call_id),
    until_uuid TEXT NOT NULL,
    until_at TEXT NOT NULL,
    PRIMARY KEY (session_id, call_id)
) WITHOUT ROWID;

-- The kill switch and the moment until which nobody is asked, by name.
CREATE TABLE llm_state (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
