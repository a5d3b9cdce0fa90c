-- name: mention
INSERT INTO mentions (memory_id, entity_id, form, name, kind, project_id, learning_id, said_at, version)
VALUES (:memory_id, :entity_id, :form, :name, :kind, :project_id, :learning_id, :said_at, :version)
ON CONFLICT (memory_id, entity_id) DO NOTHING;

-- name: observe
INSERT INTO observations (
    memory_id, nth, entity_id, subject, predicate, target_id, object, project_id, said_at, version)
VALUES (:memory_id, :nth, :entity_id, :subject, :predicate, :target_id, :object, :project_id, :said_at, :version)
ON CONFLICT (memory_id, nth) DO NOTHING;

-- name: drop_mentions
DELETE FROM mentions WHERE memory_id = :memory_id;

-- name: drop_observations
DELETE FROM observations WHERE memory_id = :memory_id;

-- name: put_name
INSERT INTO entity_names (entity_id, root_id, name, rejected, version)
VALUES (:entity_id, :root_id, :name, :rejected, :version);

-- name: put_move
INSERT INTO entity_moves (learning_id, entity_id, moved_to) VALUES (:learning_id, :entity_id, :moved_to);

-- name: clear_names
DELETE FROM entity_names;

-- name: clear_moves
DELETE FROM entity_moves;

-- name: clear_mentions
DELETE FROM mentions;

-- name: clear_observations
DELETE FROM observations;

-- name: root
SELECT root_id FROM entity_names WHERE entity_id = :entity_id;

-- name: naming
SELECT entity_id, root_id, name, rejected, version FROM entity_names
WHERE entity_id IN (SELECT value FROM json_each(:ids)) ORDER BY entity_id;

-- name: members
SELECT entity_id FROM entity_names WHERE root_id = :root_id AND entity_id != :root_id ORDER BY entity_id;

-- name: any_mention
SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM mentions WHERE entity_id IN (SELECT value FROM json_each(:ids)))
    OR EXISTS (SELECT 1 FROM entity_moves WHERE moved_to IN (SELECT value FROM json_each(:ids)));

-- name: mentions: Where some entities are named, oldest first.
-- Every mention of some entities: by their names, less what was moved away, and what was moved here.
SELECT said.memory_id, said.entity_id, said.form, said.name, said.kind, said.project_id, said.learning_id, said.said_at,
    said.version
FROM mentions AS said
LEFT JOIN entity_moves AS moved ON moved.learning_id = said.learning_id AND moved.entity_id = said.entity_id
WHERE said.entity_id IN (SELECT value FROM json_each(:entity_ids)) AND moved.moved_to IS NULL
UNION ALL
SELECT said.memory_id, moved.moved_to, said.form, said.name, said.kind, said.project_id, said.learning_id, said.said_at,
    said.version
FROM entity_moves AS moved
JOIN mentions AS said ON said.learning_id = moved.learning_id AND said.entity_id = moved.entity_id
WHERE moved.moved_to IN (SELECT value FROM json_each(:entity_ids))
ORDER BY said_at, memory_id;

-- name: observations: What is said of some entities, as subject or as object, oldest first.
SELECT memory_id, entity_id, subject, predicate, target_id, object, project_id, said_at FROM observations
WHERE entity_id IN (SELECT value FROM json_each(:entity_ids)) OR target_id IN (SELECT value FROM json_each(:entity_ids))
ORDER BY said_at, memory_id, nth;

-- name: spellings: Every spelling of every entity of a project, or of all.
-- How often each entity is spelt how, in one project or in all; with moves and merges followed. `own`: by the name of
-- the entity itself, not of one that was merged into it. What became part of another memory is told by that one; what
-- is out of use names nothing.
SELECT COALESCE(named.root_id, moved.moved_to, said.entity_id) AS entity_id, said.project_id, said.name, said.kind,
    COUNT(*) AS mentions, MIN(said.said_at) AS first_seen, MAX(said.said_at) AS last_seen,
    COALESCE(named.root_id, moved.moved_to, said.entity_id) = COALESCE(moved.moved_to, said.entity_id) AS own
FROM mentions AS said
CROSS JOIN memories AS mine ON mine.id = said.memory_id AND mine.status <> 'archived' AND (mine.status = 'active' OR NOT EXISTS (
    SELECT 1 FROM edges JOIN memories AS whole ON whole.learning_id = edges.source_id AND whole.status = 'active'
    WHERE edges.target_id = mine.learning_id AND edges.rel_type = 'derived_from' AND edges.status = 'active'))
LEFT JOIN entity_moves AS moved ON moved.learning_id = said.learning_id AND moved.entity_id = said.entity_id
LEFT JOIN entity_names AS named ON named.entity_id = COALESCE(moved.moved_to, said.entity_id)
WHERE (:project_id IS NULL OR said.project_id = :project_id) AND COALESCE(named.rejected, 0) = 0
GROUP BY 1, 2, 3, 4, 8 ORDER BY 1, 2, 3, 4, 8;

-- name: spelt: The entities of any project with a normal form, each with its project.
-- Entities of any project by the normal form of a name.
SELECT DISTINCT entity_id, project_id FROM mentions WHERE form = :form ORDER BY project_id;

-- name: beside: What else some memories name: entity, a spelling, in how many of them.
-- What else is named by the memories that name some entities, most often first.
SELECT COALESCE(named.root_id, other.entity_id) AS entity_id, MIN(other.name) AS name, COUNT(DISTINCT other.memory_id) AS times
FROM mentions AS other
JOIN memories ON memories.id = other.memory_id AND memories.status = 'active'
LEFT JOIN entity_names AS named ON named.entity_id = other.entity_id
WHERE other.memory_id IN (SELECT value FROM json_each(:memory_ids))
    AND COALESCE(named.root_id, other.entity_id) NOT IN (SELECT value FROM json_each(:entity_ids))
    AND COALESCE(named.rejected, 0) = 0
GROUP BY 1 ORDER BY times DESC, name LIMIT :limit;

-- name: of_memories
-- The entities that some memories name.
SELECT said.memory_id, COALESCE(named.root_id, moved.moved_to, said.entity_id) AS entity_id, said.name
FROM mentions AS said
LEFT JOIN entity_moves AS moved ON moved.learning_id = said.learning_id AND moved.entity_id = said.entity_id
LEFT JOIN entity_names AS named ON named.entity_id = COALESCE(moved.moved_to, said.entity_id)
WHERE said.memory_id IN (SELECT value FROM json_each(:ids)) AND COALESCE(named.rejected, 0) = 0
ORDER BY said.memory_id, said.entity_id;

-- name: only_in: Entities that no other memories name than these.
-- Entities that no other memories name than these.
SELECT entity_id FROM mentions WHERE memory_id IN (SELECT value FROM json_each(:memory_ids))
GROUP BY entity_id HAVING COUNT(*) = (SELECT COUNT(*) FROM mentions AS every WHERE every.entity_id = mentions.entity_id);

-- name: relations: What is said of named things by memories in use, the latest first.
-- What readings and people say of named things, the latest first: rejected names and ended memories left out.
SELECT said.subject, said.predicate, said.object, said.memory_id, said.project_id, said.said_at
FROM observations AS said
JOIN memories ON memories.id = said.memory_id AND memories.status = 'active' AND memories.tainted = 0
LEFT JOIN entity_names AS mine ON mine.entity_id = said.entity_id
LEFT JOIN entity_names AS theirs ON theirs.entity_id = said.target_id
WHERE (:project_id IS NULL OR said.project_id = :project_id)
    AND COALESCE(mine.rejected, 0) = 0 AND COALESCE(theirs.rejected, 0) = 0
ORDER BY said.said_at DESC, said.memory_id DESC, said.nth LIMIT :limit;
