-- What hangs together by meaning, made from the vectors as these are made from the text: each memory and the nearest of
-- those learned before it. It can be thrown away and made again; what a person decides about a pair is an event and stands
-- in `edges`, over what is found here.
CREATE TABLE likenesses (
    source_id TEXT NOT NULL,
    target_id TEXT NOT NULL,
    nearness REAL NOT NULL,
    tier TEXT NOT NULL CHECK (tier IN ('related', 'suggested', 'duplicate')),
    PRIMARY KEY (source_id, target_id)
) WITHOUT ROWID;
CREATE INDEX idx_likenesses_target ON likenesses (target_id);
CREATE INDEX idx_likenesses_tier ON likenesses (tier) WHERE tier != 'related';

-- How far the vectors of a model have been compared.
CREATE TABLE linked_vectors (
    model_id INTEGER PRIMARY KEY REFERENCES embedding_models (model_id),
    seq INTEGER NOT NULL
);

CREATE VIEW relations AS
SELECT source_id, target_id, rel_type, weight, confidence, status, valid_from, created_at, version FROM edges
UNION ALL
SELECT source_id, target_id, 'relates_to', nearness, nearness, 'active', NULL, '', 0 FROM likenesses AS near
WHERE NOT EXISTS (
    SELECT 1 FROM edges WHERE edges.source_id = near.source_id AND edges.target_id = near.target_id
        AND rel_type = 'relates_to')
UNION ALL
SELECT source_id, target_id, 'refines', nearness, nearness, 'suggested', NULL, '', 0 FROM likenesses AS near
WHERE tier = 'suggested' AND NOT EXISTS (
    SELECT 1 FROM edges WHERE edges.source_id = near.source_id AND edges.target_id = near.target_id
        AND rel_type = 'refines');
