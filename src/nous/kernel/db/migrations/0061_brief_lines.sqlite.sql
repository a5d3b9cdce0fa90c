-- What people decided about lines of briefs: a read model of the BriefLine events. It has none before this version.
CREATE TABLE brief_lines (
    learning_id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    text TEXT NOT NULL,
    sources TEXT NOT NULL,
    beside TEXT NOT NULL,
    words TEXT NOT NULL,
    state TEXT NOT NULL,
    place INTEGER NOT NULL,
    at TEXT NOT NULL,
    version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_brief_lines_project ON brief_lines (project_id);
