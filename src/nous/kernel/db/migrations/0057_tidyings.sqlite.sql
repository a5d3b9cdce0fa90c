-- What the last tidying of each project left: groups of memories and the project's page. A read model of ProjectTidied.
CREATE TABLE tidyings (
    learning_id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    at TEXT NOT NULL,
    reader TEXT NOT NULL,
    groups TEXT NOT NULL,
    page TEXT NOT NULL,
    memories INTEGER NOT NULL,
    version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_tidyings_project ON tidyings (project_id);
