-- Exchanges: every kept prompt with what followed, found again by words, meaning, error, file and time.
-- The words stay in `transcript_chunks`; all of this can be built from there again.

-- Transcripts whose exchanges are kept; those that wait said more since (1), or have to be read from the start (2).
CREATE TABLE exchange_files (
    file_id INTEGER PRIMARY KEY,
    transcript_path TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    is_waiting INTEGER NOT NULL
);
CREATE INDEX idx_exchange_files_waiting ON exchange_files (file_id) WHERE is_waiting > 0;
CREATE INDEX idx_exchange_files_session ON exchange_files (session_id);

CREATE TABLE exchanges (
    exchange_id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL REFERENCES exchange_files (file_id),
    chunk_id INTEGER NOT NULL,
    uuid TEXT NOT NULL,
    at TEXT NOT NULL,
    branch TEXT NOT NULL,
    tainted INTEGER NOT NULL,
    label TEXT NOT NULL,
    files TEXT NOT NULL,
    topics TEXT NOT NULL
);
CREATE INDEX idx_exchanges_file ON exchanges (file_id, exchange_id);
CREATE INDEX idx_exchanges_uuid ON exchanges (uuid);

-- One row per part: 64 times the exchange's number, plus the part's. Only the index is kept, no text; a deleted row's
-- words leave it when it is merged, which an erasure asks for.
CREATE VIRTUAL TABLE exchanges_fts USING fts5 (
    asked, said, deeds, place,
    content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2"
);

-- One vector per exchange, a byte per dimension.
CREATE TABLE exchange_vectors (
    exchange_id INTEGER NOT NULL,
    model_id INTEGER NOT NULL REFERENCES embedding_models (model_id),
    vector BLOB NOT NULL,
    PRIMARY KEY (exchange_id, model_id)
) WITHOUT ROWID;

-- Errors that commands gave, by fingerprint, and what ended them.
CREATE TABLE exchange_errors (
    mark TEXT NOT NULL,
    exchange_id INTEGER NOT NULL,
    ended TEXT NOT NULL,
    PRIMARY KEY (mark, exchange_id)
) WITHOUT ROWID;
CREATE INDEX idx_exchange_errors_exchange ON exchange_errors (exchange_id);

-- What was kept before gets its exchanges the next time something is learned.
INSERT INTO exchange_files (transcript_path, session_id, agent_id, project_id, is_waiting)
SELECT c.transcript_path, MAX(c.session_id), MAX(c.agent_id), MAX(s.project_id), 1
FROM transcript_chunks AS c JOIN sessions AS s ON s.session_id = c.session_id GROUP BY c.transcript_path;
