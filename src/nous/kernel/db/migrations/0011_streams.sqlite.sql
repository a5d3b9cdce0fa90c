-- Every event belongs to a stream and names the device that wrote it, its number there, and the chain of that device. The
-- table is made anew, since the rule that a key is there once can no longer stand in it: two devices may write the same
-- thing down before they hear of each other. Numbers, times and hashes stay what they are. What is here was written by
-- this database alone, so its number was its number on the device; `chain` 1 says that the hash covers that number.
CREATE TABLE devices (
    number INTEGER PRIMARY KEY,
    device TEXT NOT NULL UNIQUE,
    is_own INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    last_hash TEXT NOT NULL,
    last_time TEXT NOT NULL,
    made_at TEXT NOT NULL
);
INSERT INTO devices (number, device, is_own, last_seq, last_hash, last_time, made_at)
SELECT 1, lower(hex(randomblob(16))), 1, COALESCE(MAX(event_id), 0),
    COALESCE((SELECT event_hash FROM learning_events ORDER BY event_id DESC LIMIT 1), printf('%064d', 0)),
    COALESCE(MAX(transaction_time), ''), strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
FROM learning_events;

CREATE TABLE streamed_events (
    event_id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_uuid TEXT NOT NULL UNIQUE,
    stream TEXT NOT NULL,
    stream_id TEXT NOT NULL,
    device INTEGER NOT NULL,
    device_seq INTEGER NOT NULL,
    event_type TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    schema_version INTEGER NOT NULL,
    transaction_time TEXT NOT NULL,
    valid_from TEXT,
    valid_until TEXT,
    vector_clock_json TEXT,
    parent_event_id INTEGER,
    parent_uuid TEXT,
    session_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    source TEXT NOT NULL,
    payload_json TEXT NOT NULL,
    payload_hash TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    event_hash TEXT NOT NULL,
    chain INTEGER NOT NULL,
    arrived_at TEXT NOT NULL,
    absorbed INTEGER NOT NULL
);
INSERT INTO streamed_events
SELECT event_id, event_uuid, 'memory', learning_id, 1, event_id, event_type, idempotency_key, schema_version,
    transaction_time, valid_from, valid_until, vector_clock_json, parent_event_id, NULL, session_id, project_id, source,
    payload_json, payload_hash, prev_hash, event_hash, 1, transaction_time, 0
FROM learning_events ORDER BY event_id;
-- The highest number that was ever given, so that events cut off at the end are still missed.
INSERT INTO sqlite_sequence (name, seq)
SELECT 'streamed_events', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'streamed_events');
UPDATE sqlite_sequence SET seq = COALESCE((SELECT MAX(seq) FROM sqlite_sequence WHERE name = 'learning_events'), 0)
WHERE name = 'streamed_events';
DROP TABLE learning_events;
ALTER TABLE streamed_events RENAME TO learning_events;

CREATE INDEX idx_learning_events_stream ON learning_events (stream_id, event_id);
CREATE INDEX idx_learning_events_key ON learning_events (idempotency_key);
CREATE INDEX idx_learning_events_device ON learning_events (device, device_seq);
CREATE INDEX idx_learning_events_arrived ON learning_events (arrived_at);
CREATE INDEX idx_learning_events_session ON learning_events (session_id, event_id);
CREATE INDEX idx_learning_events_parent ON learning_events (parent_event_id) WHERE parent_event_id IS NOT NULL;
-- Causes that are named but not here yet.
CREATE INDEX idx_learning_events_cause ON learning_events (parent_uuid)
    WHERE parent_uuid IS NOT NULL AND parent_event_id IS NULL;

-- Events of other devices that came before what they follow, and wait for it.
CREATE TABLE waiting_events (
    device TEXT NOT NULL,
    device_seq INTEGER NOT NULL,
    event_json TEXT NOT NULL,
    arrived_at TEXT NOT NULL,
    PRIMARY KEY (device, device_seq)
) WITHOUT ROWID;

-- Decisions about items name memories by their global ids from here on; they are made again from the events.
DELETE FROM reviews;
DELETE FROM projection_checkpoints WHERE projector_name = 'reviews';
