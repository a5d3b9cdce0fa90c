-- What readers made of sessions, and the brief that each of them left: read models of SessionRead and BriefWritten.
CREATE TABLE read_sessions (
    learning_id text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    project_id text COLLATE "C" NOT NULL,
    at text COLLATE "C" NOT NULL,
    reader text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    summary text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    open text COLLATE "C" NOT NULL,
    done text COLLATE "C" NOT NULL,
    topics text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, learning_id)
);
CREATE INDEX idx_read_sessions_session ON read_sessions (tenant_id, session_id);
CREATE INDEX idx_read_sessions_project ON read_sessions (tenant_id, project_id, at);
CREATE TABLE briefs (
    learning_id text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    project_id text COLLATE "C" NOT NULL,
    at text COLLATE "C" NOT NULL,
    reader text COLLATE "C" NOT NULL,
    lines text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, learning_id)
);
CREATE INDEX idx_briefs_project ON briefs (tenant_id, project_id, at);
