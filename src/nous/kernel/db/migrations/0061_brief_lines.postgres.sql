-- What people decided about lines of briefs: a read model of the BriefLine events. It has none before this version.
CREATE TABLE brief_lines (
    learning_id text COLLATE "C" NOT NULL,
    project_id text COLLATE "C" NOT NULL,
    text text COLLATE "C" NOT NULL,
    sources text COLLATE "C" NOT NULL,
    beside text COLLATE "C" NOT NULL,
    words text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    place bigint NOT NULL,
    at text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, learning_id)
);
CREATE INDEX idx_brief_lines_project ON brief_lines (tenant_id, project_id);
