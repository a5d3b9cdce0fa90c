-- Events of other devices that have their place in a chain and do not count: kept for later, or refused without their words.
CREATE TABLE held_events (
    device bigint NOT NULL,
    device_seq bigint NOT NULL,
    event_hash text COLLATE "C" NOT NULL,
    stream_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('later', 'refused')),
    reason text COLLATE "C" NOT NULL,
    event_json text COLLATE "C" NOT NULL,
    stamp text COLLATE "C" NOT NULL,
    arrived_at text COLLATE "C" NOT NULL,
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, device, device_seq)
);
CREATE INDEX idx_held_events_hash ON held_events (tenant_id, event_hash);
