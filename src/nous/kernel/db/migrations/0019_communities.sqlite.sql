-- Which memories hang together, made from the read models and thrown away at will.
CREATE TABLE communities (
    memory_id INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL,
    community INTEGER NOT NULL
);
CREATE INDEX idx_communities_project ON communities (project_id, community);
CREATE TABLE community_labels (
    project_id TEXT NOT NULL,
    community INTEGER NOT NULL,
    label TEXT NOT NULL,
    size INTEGER NOT NULL,
    PRIMARY KEY (project_id, community)
) WITHOUT ROWID;

-- Pages that somebody asked for, as they were last made.
CREATE TABLE dossiers (
    project_id TEXT NOT NULL,
    name TEXT NOT NULL,
    event_id INTEGER NOT NULL,
    made_at TEXT NOT NULL,
    text TEXT NOT NULL,
    memories TEXT NOT NULL,
    PRIMARY KEY (project_id, name)
) WITHOUT ROWID;
