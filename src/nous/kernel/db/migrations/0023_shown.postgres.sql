-- Receipts of earlier exchanges that were put in front of a session.
CREATE TABLE injected_exchanges (
    injection_id bigint NOT NULL,
    uuid text COLLATE "C" NOT NULL,
    referenced_at text COLLATE "C",
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, injection_id, uuid),
    FOREIGN KEY (tenant_id, injection_id) REFERENCES injections (tenant_id, injection_id) ON DELETE CASCADE
);
CREATE INDEX idx_injected_exchanges_uuid ON injected_exchanges (tenant_id, uuid);
