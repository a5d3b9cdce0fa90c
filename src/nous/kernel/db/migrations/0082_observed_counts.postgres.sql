-- What nobody reads of an observed session since its figures went (docs/decisions/0220).
ALTER TABLE observed
    DROP COLUMN kind,
    DROP COLUMN ended_at,
    DROP COLUMN prompts,
    DROP COLUMN calls,
    DROP COLUMN corrections,
    DROP COLUMN failures,
    DROP COLUMN rereads,
    DROP COLUMN tokens,
    DROP COLUMN agents,
    DROP COLUMN phases;
