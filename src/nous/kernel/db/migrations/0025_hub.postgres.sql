-- Events that stand in several chains, rounds with a hub, and what a hub keeps sealed.
ALTER TABLE devices ADD COLUMN hub text COLLATE "C";
CREATE TABLE chain_links (
    device bigint NOT NULL,
    device_seq bigint NOT NULL,
    event_uuid text COLLATE "C" NOT NULL,
    prev_hash text COLLATE "C" NOT NULL,
    event_hash text COLLATE "C" NOT NULL,
    chain bigint NOT NULL,
    cause_seq bigint,
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, device, device_seq)
);
CREATE INDEX idx_chain_links_event ON chain_links (tenant_id, event_uuid);
CREATE INDEX idx_chain_links_hash ON chain_links (tenant_id, event_hash);
CREATE TABLE hub_rounds (
    hub text COLLATE "C" NOT NULL,
    last_event bigint NOT NULL,
    choice text COLLATE "C" NOT NULL,
    swept text COLLATE "C" NOT NULL,
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, hub)
);
CREATE TABLE sealed_events (
    owner text COLLATE "C" NOT NULL,
    device text COLLATE "C" NOT NULL,
    device_seq bigint NOT NULL,
    event_uuid text COLLATE "C" NOT NULL,
    transaction_time text COLLATE "C" NOT NULL,
    prev_hash text COLLATE "C" NOT NULL,
    event_hash text COLLATE "C" NOT NULL,
    is_erased bigint NOT NULL,
    sealed text COLLATE "C" NOT NULL,
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, owner, device, device_seq)
);
