-- One event can stand in several chains: in that of the device that wrote it, and in one made of what is shared with a
-- team. Here are the places that an event has in chains other than its own. `hub` names the chains that this device
-- makes, and for which hub.
ALTER TABLE devices ADD COLUMN hub TEXT;

CREATE TABLE chain_links (
    device INTEGER NOT NULL,
    device_seq INTEGER NOT NULL,
    event_uuid TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    event_hash TEXT NOT NULL,
    chain INTEGER NOT NULL,
    cause_seq INTEGER,
    PRIMARY KEY (device, device_seq)
) WITHOUT ROWID;
CREATE INDEX idx_chain_links_event ON chain_links (event_uuid);
CREATE INDEX idx_chain_links_hash ON chain_links (event_hash);

-- Up to which event a hub was offered everything, under which choice, and which erasures it was told of.
CREATE TABLE hub_rounds (
    hub TEXT PRIMARY KEY,
    last_event INTEGER NOT NULL,
    choice TEXT NOT NULL,
    swept TEXT NOT NULL
) WITHOUT ROWID;

-- What a hub keeps for somebody's own devices and cannot read: names, numbers, times and hashes, and a sealed text.
CREATE TABLE sealed_events (
    owner TEXT NOT NULL,
    device TEXT NOT NULL,
    device_seq INTEGER NOT NULL,
    event_uuid TEXT NOT NULL,
    transaction_time TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    event_hash TEXT NOT NULL,
    is_erased INTEGER NOT NULL,
    sealed TEXT NOT NULL,
    PRIMARY KEY (owner, device, device_seq)
) WITHOUT ROWID;
