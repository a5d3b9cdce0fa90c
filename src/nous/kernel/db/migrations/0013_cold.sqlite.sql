-- The manifest of cold events: files that hold the payloads of old events (see stores/cold.py).
CREATE TABLE archive_segments (
    segment_id INTEGER PRIMARY KEY AUTOINCREMENT,
    archive_path TEXT NOT NULL UNIQUE,
    tier TEXT NOT NULL CHECK (tier IN ('cold')),
    min_event_id INTEGER NOT NULL,
    max_event_id INTEGER NOT NULL,
    event_count INTEGER NOT NULL,
    stream_checksum_sha256 TEXT NOT NULL,
    compressed_bytes INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    restored_at TEXT
);
CREATE INDEX idx_archive_segments_range ON archive_segments (min_event_id, max_event_id);
