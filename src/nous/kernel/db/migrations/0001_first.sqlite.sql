-- The event log: the one thing that is never rebuilt. Everything else can be made from it again.
CREATE TABLE learning_events (
    event_id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_uuid TEXT NOT NULL UNIQUE,
    learning_id TEXT NOT NULL,
    event_type TEXT NOT NULL CHECK (event_type IN (
        'LearningExtracted', 'LearningValidated', 'LearningReinforced', 'LearningWeakened', 'LearningContradicted',
        'LearningSuperseded', 'LearningArchived', 'LearningRestored', 'LearningPinned', 'LearningUnpinned',
        'LearningConfirmed', 'LearningDisputed', 'LearningErased', 'EdgeProposed', 'EdgeAccepted', 'EdgeRejected')),
    idempotency_key TEXT NOT NULL UNIQUE,
    schema_version INTEGER NOT NULL,
    transaction_time TEXT NOT NULL,
    valid_from TEXT,
    valid_until TEXT,
    vector_clock_json TEXT,
    parent_event_id INTEGER REFERENCES learning_events (event_id),
    session_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('fs_watch', 'fs_reconcile', 'historical_backfill', 'user_review')),
    payload_json TEXT NOT NULL,
    payload_hash TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    event_hash TEXT NOT NULL
);
CREATE INDEX idx_learning_events_learning ON learning_events (learning_id, event_id);
CREATE INDEX idx_learning_events_time ON learning_events (transaction_time);
CREATE INDEX idx_learning_events_session ON learning_events (session_id, event_id);
CREATE INDEX idx_learning_events_parent ON learning_events (parent_event_id) WHERE parent_event_id IS NOT NULL;

-- Erasures whose traces (free pages, write-ahead log, copies) may not be gone yet: a crash in between is made good later.
CREATE TABLE erasures (
    erasure_id INTEGER PRIMARY KEY,
    last_event_id INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT
);

-- Read models. `id` is the number of the event that introduced the memory; `version` the last event that changed it.
CREATE TABLE memories (
    id INTEGER PRIMARY KEY,
    learning_id TEXT NOT NULL UNIQUE,
    project_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    content TEXT NOT NULL,
    strength REAL NOT NULL,
    confidence REAL NOT NULL,
    valid_from TEXT,
    valid_until TEXT,
    created_at TEXT NOT NULL,
    session_id TEXT NOT NULL,
    branch TEXT,
    slot TEXT,
    ref TEXT,
    pinned INTEGER NOT NULL,
    tainted INTEGER NOT NULL,
    version INTEGER NOT NULL,
    rest TEXT NOT NULL
);
CREATE INDEX idx_memories_project ON memories (project_id, status, type);
CREATE INDEX idx_memories_slot ON memories (slot, project_id) WHERE slot IS NOT NULL;
CREATE INDEX idx_memories_scope ON memories (scope, status) WHERE scope = 'global';

-- What a memory was between two events (version <= event < until_version): asking about the past is one look-up.
CREATE TABLE memory_history (
    id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    until_version INTEGER NOT NULL,
    learning_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    content TEXT NOT NULL,
    strength REAL NOT NULL,
    confidence REAL NOT NULL,
    valid_from TEXT,
    valid_until TEXT,
    created_at TEXT NOT NULL,
    session_id TEXT NOT NULL,
    branch TEXT,
    slot TEXT,
    ref TEXT,
    pinned INTEGER NOT NULL,
    tainted INTEGER NOT NULL,
    rest TEXT NOT NULL,
    PRIMARY KEY (id, version)
) WITHOUT ROWID;

CREATE TABLE concepts (
    memory_id INTEGER NOT NULL,
    concept TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (memory_id, concept)
) WITHOUT ROWID;
CREATE INDEX idx_concepts_concept ON concepts (concept, memory_id);

CREATE TABLE edges (
    source_id TEXT NOT NULL,
    target_id TEXT NOT NULL,
    rel_type TEXT NOT NULL,
    weight REAL NOT NULL,
    confidence REAL NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'suggested', 'rejected')),
    valid_from TEXT,
    created_at TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (source_id, target_id, rel_type)
) WITHOUT ROWID;
CREATE INDEX idx_edges_target ON edges (target_id, rel_type);

CREATE VIRTUAL TABLE memories_fts USING fts5 (
    content, terms, concepts, context,
    tokenize = "porter unicode61 remove_diacritics 2"
);
-- What is deleted leaves the index at once, not at some later merge: an erasure depends on it.
INSERT INTO memories_fts (memories_fts, rank) VALUES ('secure-delete', 1);

CREATE TABLE event_stats (
    project_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    events INTEGER NOT NULL,
    last_event_id INTEGER NOT NULL,
    last_time TEXT NOT NULL,
    PRIMARY KEY (project_id, event_type)
) WITHOUT ROWID;

CREATE TABLE projection_checkpoints (
    projector_name TEXT PRIMARY KEY,
    last_event_id INTEGER NOT NULL,
    updated_at TEXT NOT NULL
);

-- Packets that wait for the next session.
CREATE TABLE injection_cache (
    context_key TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    branch TEXT NOT NULL,
    packet_json TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX idx_injection_cache_project ON injection_cache (project_id);

-- Capture: a durable queue, a cursor per file, what was read before.
CREATE TABLE ingest_events (
    ingest_id INTEGER PRIMARY KEY,
    source TEXT NOT NULL CHECK (source IN ('fs_watch', 'fs_reconcile', 'historical_backfill')),
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    transcript_path TEXT NOT NULL,
    file_inode TEXT,
    file_offset INTEGER NOT NULL,
    end_offset INTEGER NOT NULL,
    payload_json TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'failed', 'dead_letter')),
    retry_count INTEGER NOT NULL DEFAULT 0,
    claimed_by TEXT,
    claimed_at TEXT,
    lease_expires_at TEXT,
    next_attempt_at TEXT,
    last_error TEXT,
    idempotency_key TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE INDEX idx_ingest_events_status_next ON ingest_events (status, next_attempt_at);
CREATE INDEX idx_ingest_events_lease ON ingest_events (status, lease_expires_at);
CREATE INDEX idx_ingest_events_file ON ingest_events (transcript_path, file_inode, end_offset);

CREATE TABLE ingest_cursors (
    cursor_id INTEGER PRIMARY KEY,
    transcript_path TEXT NOT NULL,
    file_inode TEXT NOT NULL,
    last_offset INTEGER NOT NULL,
    last_mtime TEXT,
    updated_at TEXT NOT NULL,
    UNIQUE (transcript_path, file_inode)
);

CREATE TABLE seen_records (uuid TEXT PRIMARY KEY) WITHOUT ROWID;

CREATE TABLE quarantined_lines (
    transcript_path TEXT NOT NULL,
    file_inode TEXT NOT NULL,
    file_offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    reason TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (transcript_path, file_inode, file_offset)
) WITHOUT ROWID;

CREATE TABLE processed_extractions (
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    learning_index INTEGER NOT NULL,
    latest_event_id INTEGER NOT NULL,
    latest_extractor_version TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (project_id, session_id, learning_index)
) WITHOUT ROWID;

CREATE TABLE projects (
    project_id TEXT PRIMARY KEY,
    root TEXT NOT NULL,
    branch TEXT,
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL
);

-- Interventions: candidates are append-only, active ones are what the policy made of them.
CREATE TABLE intervention_candidates (
    candidate_id TEXT PRIMARY KEY,
    scope TEXT NOT NULL CHECK (scope IN ('session', 'project', 'global')),
    target_session_id TEXT,
    target_project_id TEXT,
    reason_codes_json TEXT NOT NULL,
    confidence REAL NOT NULL,
    priority INTEGER NOT NULL DEFAULT 0,
    ttl_seconds INTEGER NOT NULL,
    cooldown_seconds INTEGER NOT NULL,
    payload_text TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('candidate', 'approved', 'suppressed', 'delivered', 'expired')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE TABLE active_interventions (
    intervention_id TEXT PRIMARY KEY,
    scope TEXT NOT NULL CHECK (scope IN ('session', 'project', 'global')),
    target_session_id TEXT,
    target_project_id TEXT,
    payload_text TEXT NOT NULL,
    priority INTEGER NOT NULL,
    expires_at TEXT NOT NULL,
    cooldown_until TEXT,
    dedupe_key TEXT NOT NULL UNIQUE,
    source_candidate_id TEXT,
    updated_at TEXT NOT NULL
);
CREATE INDEX idx_active_interventions_scope
    ON active_interventions (scope, target_session_id, target_project_id, expires_at);
