-- Events of other devices that have their place in a chain and do not count: of a later Nous or of a project that is not
-- shared here, kept for later; or refused, without their words.
CREATE TABLE held_events (
    device INTEGER NOT NULL,
    device_seq INTEGER NOT NULL,
    event_hash TEXT NOT NULL,
    stream_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('later', 'refused')),
    reason TEXT NOT NULL,
    event_json TEXT NOT NULL,
    stamp TEXT NOT NULL,
    arrived_at TEXT NOT NULL,
    PRIMARY KEY (device, device_seq)
) WITHOUT ROWID;
CREATE INDEX idx_held_events_hash ON held_events (event_hash);
