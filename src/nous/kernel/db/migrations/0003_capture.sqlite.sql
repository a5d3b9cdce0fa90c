-- What every transcript file looked like when it was read: an unchanged file costs one stat and nothing else.
-- The head and the anchor (the end of the last line that was read) tell a grown file from a rewritten one.
CREATE TABLE transcript_files (
    transcript_path TEXT PRIMARY KEY,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    read_offset INTEGER NOT NULL,
    head_length INTEGER NOT NULL,
    head_hash TEXT NOT NULL,
    anchor_length INTEGER NOT NULL,
    anchor_hash TEXT NOT NULL,
    is_own INTEGER NOT NULL,
    gone_at TEXT
) WITHOUT ROWID;
CREATE INDEX idx_transcript_files_inode ON transcript_files (inode, device);

-- Sessions, and what was said in them: redacted, compressed, one or few chunks per file.
CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    transcript_path TEXT NOT NULL,
    client TEXT NOT NULL,
    client_version TEXT NOT NULL,
    cwd TEXT NOT NULL,
    branch TEXT NOT NULL,
    first_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    prompts INTEGER NOT NULL,
    turns INTEGER NOT NULL
);
CREATE INDEX idx_sessions_last ON sessions (last_at);

CREATE TABLE transcript_chunks (
    chunk_id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    transcript_path TEXT NOT NULL,
    file_inode TEXT NOT NULL,
    start_offset INTEGER NOT NULL,
    end_offset INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    raw_bytes INTEGER NOT NULL,
    first_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX idx_transcript_chunks_session ON transcript_chunks (session_id, chunk_id);
CREATE INDEX idx_transcript_chunks_file ON transcript_chunks (transcript_path, chunk_id);

-- Other names of a project: a repository that was renamed, a remote that came later, what the user said.
CREATE TABLE project_aliases (
    alias TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('mark', 'remote', 'user', 'merged')),
    created_at TEXT NOT NULL
) WITHOUT ROWID;

-- The queue is asked "what is next" all the time; these hold only what is unfinished.
CREATE INDEX idx_ingest_events_due ON ingest_events (ingest_id) WHERE status IN ('pending', 'failed');
CREATE INDEX idx_ingest_events_open ON ingest_events (transcript_path, ingest_id)
    WHERE status IN ('pending', 'processing', 'failed');
