-- Episodes in a model's words: the summary, a label for each exchange, and a mark of what it was made of.
CREATE TABLE IF NOT EXISTS told_episodes (
    uuid text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    summary text COLLATE "C" NOT NULL,
    labels text COLLATE "C" NOT NULL,
    written_by text COLLATE "C" NOT NULL,
    written_at text COLLATE "C" NOT NULL,
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, uuid)
);
CREATE INDEX IF NOT EXISTS idx_told_episodes_session ON told_episodes (tenant_id, session_id);
