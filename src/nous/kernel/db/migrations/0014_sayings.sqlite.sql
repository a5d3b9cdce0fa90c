-- What users said, sentence by sentence, and how far each session was observed: an index over kept transcripts.
CREATE TABLE sayings (
    saying_id INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    record TEXT NOT NULL,
    nth INTEGER NOT NULL,
    at TEXT NOT NULL,
    key TEXT NOT NULL,
    text TEXT NOT NULL,
    chance REAL NOT NULL,
    model TEXT NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (record, nth)
);
CREATE INDEX sayings_by_project ON sayings (project_id, key);
CREATE INDEX sayings_by_session ON sayings (session_id);

CREATE TABLE observed_sessions (
    session_id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    turns INTEGER NOT NULL,
    observed_at TEXT NOT NULL
) WITHOUT ROWID;
