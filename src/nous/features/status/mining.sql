-- What process mining asks of the log and the read models; each answer is counted here and explained in `features/status/metrics.py`.

-- name: relearned
-- In how many sessions each learning was learned again.
SELECT m.id, COUNT(DISTINCT e.session_id) AS sessions FROM learning_events AS e
JOIN memories AS m ON m.learning_id = e.stream_id
WHERE e.event_type = 'LearningReinforced' AND e.payload_json LIKE '%"evidence":%' AND e.payload_json NOT LIKE '%"evidence":null%'
    AND e.source <> 'consolidation'
    AND (:project_id IS NULL OR e.project_id = :project_id) AND m.status = 'active'
GROUP BY m.id ORDER BY sessions DESC, m.id;

-- name: sessions
SELECT COUNT(*) AS n FROM sessions WHERE :project_id IS NULL OR project_id = :project_id;

-- name: born
-- New learnings by day; those that only one device or hand wrote count alike.
SELECT substr(COALESCE(valid_from, transaction_time), 1, 10) AS day, COUNT(*) AS n FROM learning_events
WHERE event_type = 'LearningExtracted' AND source <> 'consolidation' AND (:project_id IS NULL OR project_id = :project_id)
GROUP BY day ORDER BY day;

-- name: session_days
SELECT substr(first_at, 1, 10) AS day, COUNT(*) AS n FROM sessions
WHERE (:project_id IS NULL OR project_id = :project_id) AND first_at <> '' GROUP BY day ORDER BY day;

-- name: corrected
-- What was joined into another memory was not corrected.
SELECT event_type, COUNT(*) AS n FROM learning_events
WHERE event_type IN ('LearningContradicted', 'LearningSuperseded') AND (:project_id IS NULL OR project_id = :project_id)
    AND payload_json NOT LIKE '%"consolidated into #%'
GROUP BY event_type;

-- name: corrected_memories
SELECT m.id, COUNT(*) AS times FROM learning_events AS e
JOIN memories AS m ON m.learning_id = e.stream_id
WHERE e.event_type IN ('LearningContradicted', 'LearningSuperseded', 'LearningWeakened')
    AND (:project_id IS NULL OR e.project_id = :project_id) AND e.payload_json NOT LIKE '%"consolidated into #%'
GROUP BY m.id;

-- name: active
SELECT COUNT(*) AS n FROM memories WHERE status = 'active' AND (:project_id IS NULL OR project_id = :project_id);

-- name: shown
-- Every memory shown to a session that was observed, and whether its user had to correct that session.
SELECT COUNT(*) AS shown, COUNT(*) FILTER (WHERE o.corrections = 0) AS well FROM (
    SELECT DISTINCT i.session_id, im.memory_id FROM injections AS i JOIN injected_memories AS im USING (injection_id)
    WHERE :project_id IS NULL OR i.project_id = :project_id) AS given
JOIN observed AS o ON o.session_id = given.session_id;

-- name: list_used: When each memory was last used.
-- When each memory was last used.
SELECT memory_id, MAX(last_at) AS at FROM accesses GROUP BY memory_id;
