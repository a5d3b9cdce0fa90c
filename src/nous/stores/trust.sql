-- name: put
INSERT INTO trust_levels (project_id, level, since, version) VALUES (:project_id, :level, :since, :version)
ON CONFLICT (project_id) DO UPDATE SET level = excluded.level, since = excluded.since, version = excluded.version;

-- name: drop
DELETE FROM trust_levels WHERE project_id = :project_id;

-- name: clear
DELETE FROM trust_levels;

-- name: chosen
SELECT level, since FROM trust_levels WHERE project_id = :project_id;

-- name: levels
SELECT project_id, level FROM trust_levels ORDER BY project_id;

-- name: judged
-- In an index of its own. What replaces a memory because a person corrected it names the new one as its cause.
SELECT e.stream_id, e.event_type, e.session_id, e.transaction_time AS at, cause.event_type AS cause
FROM learning_events AS e LEFT JOIN learning_events AS cause ON cause.event_id = e.parent_event_id
WHERE e.project_id = :project_id AND e.source = 'user_review'
    AND e.event_type IN ('LearningConfirmed', 'LearningDisputed', 'LearningSuperseded', 'LearningArchived')
ORDER BY e.event_id;

-- name: memories
SELECT COUNT(*) AS n FROM memories WHERE project_id = :project_id AND status != 'erased';
