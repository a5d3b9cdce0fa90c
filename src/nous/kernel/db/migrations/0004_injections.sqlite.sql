-- Receipts: what was put in front of which session, by which hook, and whether the transcript shows it.
CREATE TABLE injections (
    injection_id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    hook TEXT NOT NULL,
    trigger TEXT NOT NULL,
    context_key TEXT NOT NULL,
    characters INTEGER NOT NULL,
    latency_ms REAL NOT NULL,
    created_at TEXT NOT NULL,
    acknowledged_at TEXT
);
CREATE INDEX idx_injections_session ON injections (session_id, injection_id);

CREATE TABLE injected_memories (
    injection_id INTEGER NOT NULL REFERENCES injections (injection_id) ON DELETE CASCADE,
    memory_id INTEGER NOT NULL,
    referenced_at TEXT,
    PRIMARY KEY (injection_id, memory_id)
) WITHOUT ROWID;
CREATE INDEX idx_injected_memories_memory ON injected_memories (memory_id);
