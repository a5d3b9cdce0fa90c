-- What readers made of sessions, and the brief that each of them left: read models of SessionRead and BriefWritten.
CREATE TABLE read_sessions (
    learning_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    at TEXT NOT NULL,
    reader TEXT NOT NULL,
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    outcome TEXT NOT NULL,
    open TEXT NOT NULL,
    done TEXT NOT NULL,
    topics TEXT NOT NULL,
    version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_read_sessions_session ON read_sessions (session_id);
CREATE INDEX idx_read_sessions_project ON read_sessions (project_id, at);
CREATE TABLE briefs (
    learning_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    at TEXT NOT NULL,
    reader TEXT NOT NULL,
    lines TEXT NOT NULL,
    version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_briefs_project ON briefs (project_id, at);
