-- Who may ask over the network: of a token only a hash is kept, or nothing but its id where it is signed.
CREATE TABLE access_tokens (
    token_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    token_hash TEXT,
    rights TEXT NOT NULL,
    projects TEXT,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT
) WITHOUT ROWID;

-- Who asked about which project, one row a day; the empty project stands for all of them.
CREATE TABLE audit_log (
    day TEXT NOT NULL,
    token_id TEXT NOT NULL,
    name TEXT NOT NULL,
    project_id TEXT NOT NULL,
    route TEXT NOT NULL,
    times INTEGER NOT NULL,
    first_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    PRIMARY KEY (day, token_id, project_id, route)
) WITHOUT ROWID;
CREATE INDEX idx_audit_log_project ON audit_log (project_id, day);
