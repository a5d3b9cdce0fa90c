-- Episodes in a model's words: the summary, a label for each exchange, and a mark of what it was made of.
CREATE TABLE IF NOT EXISTS told_episodes (
    uuid TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    source TEXT NOT NULL,
    summary TEXT NOT NULL,
    labels TEXT NOT NULL,
    written_by TEXT NOT NULL,
    written_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idx_told_episodes_session ON told_episodes (session_id);
