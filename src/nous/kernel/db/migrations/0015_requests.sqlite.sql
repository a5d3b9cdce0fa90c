-- What programs asked to be written: by whom, under which key, and which events came of it. No text is kept here.
CREATE TABLE requests (
    client_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    session_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    source TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    route TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    first_event INTEGER NOT NULL,
    last_event INTEGER NOT NULL,
    answer TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (client_id, idempotency_key)
) WITHOUT ROWID;
CREATE INDEX idx_requests_events ON requests (first_event, last_event);
