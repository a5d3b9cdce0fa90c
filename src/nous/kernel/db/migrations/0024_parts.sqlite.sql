-- The parts of exchanges are numbered one after another, and an exchange by its first part: small steps between numbers
-- make the text index smaller. All of it is built again from the kept transcripts.
DELETE FROM exchange_vectors;
DELETE FROM exchange_errors;
DELETE FROM exchanges;
DROP TABLE exchanges_fts;
ALTER TABLE exchanges ADD COLUMN parts INTEGER NOT NULL DEFAULT 1;

CREATE VIRTUAL TABLE exchanges_fts USING fts5 (
    asked, said, deeds, place,
    content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2"
);

UPDATE exchange_files SET is_waiting = 1;
