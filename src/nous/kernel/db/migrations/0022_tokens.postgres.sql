-- Who may ask over the network, and who asked about which project.
CREATE TABLE access_tokens (
    token_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    token_hash text COLLATE "C",
    rights text COLLATE "C" NOT NULL,
    projects text COLLATE "C",
    created_at text COLLATE "C" NOT NULL,
    expires_at text COLLATE "C" NOT NULL,
    revoked_at text COLLATE "C",
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, token_id)
);
CREATE TABLE audit_log (
    day text COLLATE "C" NOT NULL,
    token_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    project_id text COLLATE "C" NOT NULL,
    route text COLLATE "C" NOT NULL,
    times bigint NOT NULL,
    first_at text COLLATE "C" NOT NULL,
    last_at text COLLATE "C" NOT NULL,
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, day, token_id, project_id, route)
);
CREATE INDEX idx_audit_log_project ON audit_log (tenant_id, project_id, day);
