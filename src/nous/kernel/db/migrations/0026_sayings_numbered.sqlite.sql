-- Numbers of sentences never come back, so whoever holds their vectors in memory reads only what is new.
CREATE TABLE sayings_numbered (
    saying_id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    record TEXT NOT NULL,
    nth INTEGER NOT NULL,
    at TEXT NOT NULL,
    key TEXT NOT NULL,
    text TEXT NOT NULL,
    chance REAL NOT NULL,
    model TEXT NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (record, nth)
);
INSERT INTO sayings_numbered SELECT * FROM sayings ORDER BY saying_id;
DROP TABLE sayings;
ALTER TABLE sayings_numbered RENAME TO sayings;
CREATE INDEX sayings_by_project ON sayings (project_id, key);
CREATE INDEX sayings_by_session ON sayings (session_id);
CREATE INDEX IF NOT EXISTS sayings_in_order ON sayings (project_id, saying_id);

-- The sessions of a module, without reading every file of the project.
CREATE INDEX IF NOT EXISTS observed_files_by_module ON observed_files (project_id, module, path, session_id);
