-- name: clear
DELETE FROM communities WHERE project_id = :project_id;

-- name: clear_labels
DELETE FROM community_labels WHERE project_id = :project_id;

-- name: put
INSERT INTO communities (memory_id, project_id, community) VALUES (:memory_id, :project_id, :community)
ON CONFLICT (memory_id) DO UPDATE SET project_id = excluded.project_id, community = excluded.community;

-- name: label
INSERT INTO community_labels (project_id, community, label, size) VALUES (:project_id, :community, :label, :size)
ON CONFLICT (project_id, community) DO UPDATE SET label = excluded.label, size = excluded.size;

-- name: grow
INSERT INTO community_labels (project_id, community, label, size) VALUES (:project_id, :community, '', 1)
ON CONFLICT (project_id, community) DO UPDATE SET size = community_labels.size + 1;

-- name: forget
DELETE FROM communities WHERE memory_id = :memory_id;

-- name: forget_labels
-- A label may hold words that only an erased memory had.
DELETE FROM community_labels WHERE project_id IN (SELECT project_id FROM communities WHERE memory_id = :memory_id);

-- name: forget_ended
DELETE FROM communities WHERE memory_id IN (
    SELECT id FROM memories WHERE project_id = :project_id AND status IN ('superseded', 'archived', 'erased'));

-- name: known
SELECT COUNT(*) AS known FROM communities WHERE project_id = :project_id;

-- name: unplaced
SELECT id FROM memories WHERE project_id = :project_id AND status = 'active'
    AND id > COALESCE((SELECT MAX(memory_id) FROM communities WHERE project_id = :project_id), 0) ORDER BY id;

-- name: numbers
SELECT id FROM memories WHERE project_id = :project_id AND status = 'active' ORDER BY id;

-- name: edges
-- The order of the joins is given: from the relations to their two ends, each by its key.
SELECT one.id, other.id, edges.weight FROM edges
CROSS JOIN memories AS one ON one.learning_id = edges.source_id
CROSS JOIN memories AS other ON other.learning_id = edges.target_id
WHERE one.status = 'active' AND one.project_id = :project_id AND other.status = 'active' AND other.project_id = :project_id
    AND edges.status = 'active' AND rel_type NOT IN ('supersedes', 'contradicts') AND one.id != other.id;

-- name: likenesses
SELECT one.id, other.id, near.nearness FROM likenesses AS near
CROSS JOIN memories AS one ON one.learning_id = near.source_id
CROSS JOIN memories AS other ON other.learning_id = near.target_id
WHERE one.status = 'active' AND one.project_id = :project_id AND other.status = 'active' AND other.project_id = :project_id;

-- name: shared
-- Names that few memories have, with the memories that have them.
SELECT entity_id, memory_id FROM mentions
CROSS JOIN memories ON memories.id = mentions.memory_id AND memories.status = 'active'
WHERE mentions.project_id = :project_id ORDER BY entity_id, memory_id;

-- name: towards
-- The communities of what one memory is tied to, with the weights.
SELECT near.community, edges.weight FROM memories AS me
JOIN edges ON edges.source_id = me.learning_id AND edges.status = 'active' AND rel_type NOT IN ('supersedes', 'contradicts')
JOIN memories AS other ON other.learning_id = edges.target_id
JOIN communities AS near ON near.memory_id = other.id AND near.project_id = :project_id
WHERE me.id = :memory_id
UNION ALL
SELECT near.community, likenesses.nearness FROM memories AS me
JOIN likenesses ON likenesses.source_id = me.learning_id
JOIN memories AS other ON other.learning_id = likenesses.target_id
JOIN communities AS near ON near.memory_id = other.id AND near.project_id = :project_id
WHERE me.id = :memory_id
UNION ALL
SELECT near.community, 0.25 FROM mentions AS mine
JOIN mentions AS theirs ON theirs.entity_id = mine.entity_id AND theirs.memory_id != mine.memory_id
JOIN communities AS near ON near.memory_id = theirs.memory_id AND near.project_id = :project_id
WHERE mine.memory_id = :memory_id
    AND (SELECT COUNT(*) FROM mentions AS every WHERE every.entity_id = mine.entity_id) <= :most;

-- name: next_number
SELECT COALESCE(MAX(community), -1) + 1 AS number FROM communities WHERE project_id = :project_id;

-- name: members
SELECT community, memory_id FROM communities CROSS JOIN memories ON memories.id = memory_id AND memories.status = 'active'
WHERE communities.project_id = :project_id ORDER BY community, memory_id;

-- name: of
SELECT memory_id, community FROM communities WHERE memory_id IN (SELECT value FROM json_each(:ids)) ORDER BY memory_id;

-- name: terms
SELECT concepts.memory_id, concepts.concept FROM communities
CROSS JOIN concepts ON concepts.memory_id = communities.memory_id WHERE communities.project_id = :project_id
ORDER BY concepts.memory_id, concepts.concept;

-- name: listing
SELECT project_id, community, label, size FROM community_labels
WHERE (:project_id IS NULL OR project_id = :project_id) ORDER BY size DESC, project_id, community;
