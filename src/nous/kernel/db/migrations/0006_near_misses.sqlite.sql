-- What came close to being the same as something known, or was said again although it was known, and what was decided.
CREATE TABLE near_misses (
    near_miss_id INTEGER PRIMARY KEY,
    memory_id INTEGER NOT NULL,
    other_id INTEGER,
    said TEXT NOT NULL,
    session_id TEXT NOT NULL,
    jaccard REAL NOT NULL,
    cosine REAL,
    label TEXT,
    confidence REAL,
    tier INTEGER NOT NULL CHECK (tier BETWEEN 1 AND 3),
    decision TEXT NOT NULL CHECK (decision IN ('apart', 'merge', 'boost', 'flag', 'reword')),
    created_at TEXT NOT NULL,
    UNIQUE (memory_id, said)
);
