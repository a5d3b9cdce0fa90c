-- A relation has an end of its time and the records it rests on.
ALTER TABLE edges ADD COLUMN valid_until TEXT;
ALTER TABLE edges ADD COLUMN evidence TEXT NOT NULL DEFAULT '[]';

DROP VIEW relations;
CREATE VIEW relations AS
SELECT source_id, target_id, rel_type, weight, confidence, status, valid_from, valid_until, evidence, created_at, version
FROM edges
UNION ALL
SELECT source_id, target_id, 'relates_to', nearness, nearness, 'active', NULL, NULL, '[]', '', 0
FROM likenesses AS near
WHERE NOT EXISTS (
    SELECT 1 FROM edges WHERE edges.source_id = near.source_id AND edges.target_id = near.target_id
        AND rel_type = 'relates_to')
UNION ALL
SELECT source_id, target_id, 'refines', nearness, nearness, 'suggested', NULL, NULL, '[]', '', 0
FROM likenesses AS near
WHERE tier = 'suggested' AND NOT EXISTS (
    SELECT 1 FROM edges WHERE edges.source_id = near.source_id AND edges.target_id = near.target_id
        AND rel_type = 'refines');

-- Events are gone through once more, which fills both in; until then the edges are there as they were.
DELETE FROM projection_checkpoints WHERE projector_name = 'edges';
