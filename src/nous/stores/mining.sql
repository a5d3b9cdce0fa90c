-- What process mining asks of the log and the read models; each answer is counted here and explained in `tend/metrics.py`.

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

-- name: used
-- When each memory was last used.
SELECT memory_id, MAX(last_at) AS at FROM accesses GROUP BY memory_id;

-- name: experiment
SELECT started_at, percent, ended_at FROM experiments ORDER BY started_at DESC LIMIT 1;

-- name: start_experiment
INSERT INTO experiments (started_at, percent) VALUES (:now, :percent);

-- name: end_experiment
UPDATE experiments SET ended_at = :now WHERE ended_at IS NULL;

-- name: groups
-- Observed sessions with the group they were in; without an experiment, before and after something was first shown.
SELECT o.session_id, o.started_at, o.prompts, o.calls, o.corrections, o.rereads, o.failures,
    CASE WHEN e.is_held_out = 1 THEN 'without' WHEN e.is_held_out = 0 THEN 'with'
        WHEN EXISTS (SELECT 1 FROM injections AS i WHERE i.session_id = o.session_id) THEN 'told' ELSE 'untold' END AS grp,
    (SELECT COUNT(*) FROM learning_events AS l WHERE l.session_id = o.session_id AND l.event_type = 'LearningReinforced'
        AND l.payload_json LIKE '%"evidence":%' AND l.payload_json NOT LIKE '%"evidence":null%') AS repeats
FROM observed AS o LEFT JOIN experiment_sessions AS e USING (session_id)
WHERE (:project_id IS NULL OR o.project_id = :project_id) AND o.prompts > 0 ORDER BY o.started_at, o.session_id;

-- name: installed
SELECT MIN(created_at) AS at FROM injections;
