-- What was said unasked to whom and what came of it, and which sessions are told nothing to see whether telling helps.
CREATE TABLE delivered_interventions (
    intervention_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    injection_id INTEGER NOT NULL,
    payload_text TEXT NOT NULL,
    delivered_at TEXT NOT NULL,
    outcome TEXT,
    settled_at TEXT,
    PRIMARY KEY (intervention_id, session_id)
) WITHOUT ROWID;

CREATE TABLE experiments (
    started_at TEXT PRIMARY KEY,
    percent INTEGER NOT NULL,
    ended_at TEXT
) WITHOUT ROWID;

CREATE TABLE experiment_sessions (
    session_id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    is_held_out INTEGER NOT NULL,
    created_at TEXT NOT NULL
) WITHOUT ROWID;
