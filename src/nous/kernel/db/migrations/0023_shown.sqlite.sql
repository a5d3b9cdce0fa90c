-- Receipts of earlier exchanges that were put in front of a session: which, and whether the model cited it.
CREATE TABLE injected_exchanges (
    injection_id INTEGER NOT NULL REFERENCES injections (injection_id) ON DELETE CASCADE,
    uuid TEXT NOT NULL,
    referenced_at TEXT,
    PRIMARY KEY (injection_id, uuid)
) WITHOUT ROWID;
CREATE INDEX idx_injected_exchanges_uuid ON injected_exchanges (uuid);
