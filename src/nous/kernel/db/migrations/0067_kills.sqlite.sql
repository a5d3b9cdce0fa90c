-- How often a worker died over an item: no fault of the item, and counted apart from its failures.
ALTER TABLE ingest_events ADD COLUMN kills INTEGER NOT NULL DEFAULT 0;
