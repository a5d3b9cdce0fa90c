-- What nobody reads of an observed session since its figures went (docs/decisions/0220).
ALTER TABLE observed DROP COLUMN kind;
ALTER TABLE observed DROP COLUMN ended_at;
ALTER TABLE observed DROP COLUMN prompts;
ALTER TABLE observed DROP COLUMN calls;
ALTER TABLE observed DROP COLUMN corrections;
ALTER TABLE observed DROP COLUMN failures;
ALTER TABLE observed DROP COLUMN rereads;
ALTER TABLE observed DROP COLUMN tokens;
ALTER TABLE observed DROP COLUMN agents;
ALTER TABLE observed DROP COLUMN phases;
