-- What an extractor found and the contract refused, and why; of one session each refusal once.
CREATE TABLE rejections (
    rejection_id INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    extractor TEXT NOT NULL,
    reason TEXT NOT NULL,
    excerpt TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (session_id, extractor, reason, excerpt)
);
