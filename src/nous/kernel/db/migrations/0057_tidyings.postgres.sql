-- What the last tidying of each project left: groups of memories and the project's page. A read model of ProjectTidied.
CREATE TABLE tidyings (
    learning_id text COLLATE "C" NOT NULL,
    project_id text COLLATE "C" NOT NULL,
    at text COLLATE "C" NOT NULL,
    reader text COLLATE "C" NOT NULL,
    groups text COLLATE "C" NOT NULL,
    page text COLLATE "C" NOT NULL,
    memories bigint NOT NULL,
    version bigint NOT NULL,
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, learning_id)
);
CREATE INDEX idx_tidyings_project ON tidyings (tenant_id, project_id);
