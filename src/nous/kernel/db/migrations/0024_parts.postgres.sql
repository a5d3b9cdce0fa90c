-- The parts of exchanges are numbered one after another, and an exchange by its first part. All of it is built again
-- from the kept transcripts. For a moment the owner sees the rows of every tenant: this is done for all of them.
TRUNCATE exchange_vectors, exchange_errors, exchanges_fts, exchange_words, exchanges;
ALTER TABLE exchanges ADD COLUMN parts bigint NOT NULL DEFAULT 1;
ALTER TABLE exchange_files NO FORCE ROW LEVEL SECURITY;
UPDATE exchange_files SET is_waiting = 1;
ALTER TABLE exchange_files FORCE ROW LEVEL SECURITY;
