-- What was said in two projects is one more thing that the near-miss log decides.
CREATE TABLE near_misses_kept (
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
    decision TEXT NOT NULL CHECK (decision IN ('apart', 'merge', 'boost', 'flag', 'reword', 'everywhere')),
    created_at TEXT NOT NULL,
    UNIQUE (memory_id, said)
);
INSERT INTO near_misses_kept SELECT * FROM near_misses;
DROP TABLE near_misses;
ALTER TABLE near_misses_kept RENAME TO near_misses;
