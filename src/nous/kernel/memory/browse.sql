-- part: lists @sqlite
    AND (:types IS NULL OR type IN (SELECT value FROM json_each(:types)))
    AND (:confirmed IS NULL OR COALESCE(json_extract(rest, '$.confirmed'), 0) = :confirmed)
    AND (:disputed IS NULL OR COALESCE(json_extract(rest, '$.disputed'), 0) = :disputed)
    AND (:tag IS NULL OR EXISTS (SELECT 1 FROM json_each(rest, '$.tags') WHERE value = :tag))
    AND (:entity IS NULL OR EXISTS (
        SELECT 1 FROM json_each(rest, '$.entities') WHERE LOWER(value) = LOWER(:entity)))
    AND (:file IS NULL OR EXISTS (
        SELECT 1 FROM json_each(rest, '$.files') WHERE value = :file OR value LIKE :file_end ESCAPE '\'))
    AND (:module IS NULL OR EXISTS (
        SELECT 1 FROM json_each(rest, '$.files') WHERE value LIKE :module ESCAPE '\'));

-- part: lists @postgres
    AND (:types IS NULL OR type = ANY (:types::text[]))
    AND (:confirmed IS NULL OR COALESCE((rest::json ->> 'confirmed' IN ('true', '1'))::int, 0) = :confirmed)
    AND (:disputed IS NULL OR COALESCE((rest::json ->> 'disputed' IN ('true', '1'))::int, 0) = :disputed)
    AND (:tag IS NULL OR EXISTS (SELECT 1 FROM json_array_elements_text(rest::json -> 'tags') AS value WHERE value = :tag))
    AND (:entity IS NULL OR EXISTS (
        SELECT 1 FROM json_array_elements_text(rest::json -> 'entities') AS value WHERE LOWER(value) = LOWER(:entity)))
    AND (:file IS NULL OR EXISTS (
        SELECT 1 FROM json_array_elements_text(rest::json -> 'files') AS value WHERE value = :file OR value LIKE :file_end ESCAPE '\'))
    AND (:module IS NULL OR EXISTS (
        SELECT 1 FROM json_array_elements_text(rest::json -> 'files') AS value WHERE value LIKE :module ESCAPE '\'));

-- part: passes
-- Whether a memory passes every filter; a part of the statements below.
status != 'erased'
    AND (:project_id IS NULL OR project_id = :project_id OR scope = 'global'
        OR project_id IN (SELECT value FROM json_each(:circles)))
    AND (:places IS NULL OR scope = 'global' OR project_id IN (SELECT value FROM json_each(:places)))
    AND (:status IS NULL OR status = :status OR (:as_at IS NOT NULL AND :status = 'active' AND status = 'superseded'))
    AND (:scope IS NULL OR scope = :scope)
    AND (:branch IS NULL OR branch = :branch)
    AND (:session IS NULL OR session_id = :session)
    AND (:pinned IS NULL OR pinned = :pinned)
    AND (:tainted IS NULL OR tainted = :tainted)
    AND (:after IS NULL OR created_at >= :after)
    AND (:before IS NULL OR created_at < :before)
    AND (:min_confidence IS NULL OR confidence >= :min_confidence)
    AND (:max_confidence IS NULL OR confidence <= :max_confidence)
    AND (:as_at IS NULL
        OR (COALESCE(valid_from, :as_at) <= :as_at AND (valid_until IS NULL OR valid_until > :as_at)))
    AND (:words IS NULL OR content LIKE :words ESCAPE '\')
-- include: lists
;

-- name: newest
-- Numbers of the memories that pass, newest first: the reading stops when the page is full.
SELECT id, -id AS rank FROM memories WHERE (:cursor_id IS NULL OR id < :cursor_id) AND
-- include: passes
ORDER BY id DESC LIMIT :limit;

-- name: sorted
-- The same in another order, from a place in it on.
SELECT id, rank FROM (
    SELECT id, CASE :sort WHEN 'oldest' THEN id WHEN 'changed' THEN -version WHEN 'surest' THEN -confidence
        ELSE confidence END AS rank
    FROM memories WHERE
-- include: passes
) AS chosen
WHERE :cursor_rank IS NULL OR (rank, -id) > (:cursor_rank, -CAST(:cursor_id AS BIGINT))
ORDER BY rank, id DESC LIMIT :limit;

-- name: sorted_as_of
-- The same as it was known after an event.
SELECT id, rank FROM (
    SELECT id, CASE :sort WHEN 'newest' THEN -id WHEN 'oldest' THEN id WHEN 'changed' THEN -version
        WHEN 'surest' THEN -confidence ELSE confidence END AS rank
    FROM (
        SELECT id, version, confidence, project_id, scope, type, status, content, created_at, valid_from, valid_until,
            session_id, branch, pinned, tainted, rest
        FROM memories WHERE version <= :event_id
        UNION ALL
        SELECT id, version, confidence, project_id, scope, type, status, content, created_at, valid_from, valid_until,
            session_id, branch, pinned, tainted, rest
        FROM memory_history WHERE version <= :event_id AND until_version > :event_id) AS then_
    WHERE
-- include: passes
) AS chosen
WHERE :cursor_rank IS NULL OR (rank, -id) > (:cursor_rank, -CAST(:cursor_id AS BIGINT))
ORDER BY rank, id DESC LIMIT :limit;

-- name: count
-- How many pass.
SELECT COUNT(*) AS memories FROM memories WHERE
-- include: passes
;

-- name: count_as_of
-- How many passed after an event.
SELECT COUNT(*) AS memories FROM (
    SELECT id, version, confidence, project_id, scope, type, status, content, created_at, valid_from, valid_until,
        session_id, branch, pinned, tainted, rest
    FROM memories WHERE version <= :event_id
    UNION ALL
    SELECT id, version, confidence, project_id, scope, type, status, content, created_at, valid_from, valid_until,
        session_id, branch, pinned, tainted, rest
    FROM memory_history WHERE version <= :event_id AND until_version > :event_id) AS then_
WHERE
-- include: passes
;

-- name: log
-- Events before a number, newest first.
SELECT event_id FROM learning_events
WHERE event_id < :before AND event_id <= :event_id AND event_id > :after
    AND (:project_id IS NULL OR project_id = :project_id)
    AND (:session_id IS NULL OR session_id = :session_id)
    AND (:event_type IS NULL OR event_type = :event_type)
ORDER BY event_id DESC LIMIT :limit;

-- name: days
-- What happened on each day.
SELECT SUBSTR(transaction_time, 1, 10) AS day, COUNT(*) AS events,
    COUNT(*) FILTER (WHERE event_type = 'LearningExtracted') AS learned,
    COUNT(*) FILTER (WHERE event_type IN ('LearningSuperseded', 'LearningArchived')) AS ended
FROM learning_events WHERE (:project_id IS NULL OR project_id = :project_id) AND event_id <= :event_id
GROUP BY day ORDER BY day;

-- name: days_true
-- How many memories began and ceased to hold on each day, of those learned up to an event.
SELECT day, SUM(began) AS began, SUM(ceased) AS ceased FROM (
    SELECT SUBSTR(COALESCE(valid_from, created_at), 1, 10) AS day, 1 AS began, 0 AS ceased FROM memories
    WHERE status IN ('active', 'superseded') AND (:project_id IS NULL OR project_id = :project_id) AND id <= :event_id
    UNION ALL
    SELECT SUBSTR(valid_until, 1, 10), 0, 1 FROM memories
    WHERE status IN ('active', 'superseded') AND (:project_id IS NULL OR project_id = :project_id) AND id <= :event_id
        AND valid_until IS NOT NULL) AS turns
GROUP BY day ORDER BY day;

-- name: turned
-- The memories that began or ceased to hold between two moments, in that order; 1 where they hold at the later one.
SELECT id, CASE WHEN valid_until > :earlier AND valid_until <= :later THEN 0 ELSE 1 END AS holds FROM memories
WHERE status IN ('active', 'superseded') AND (:project_id IS NULL OR project_id = :project_id)
    AND (COALESCE(valid_from, created_at) > :earlier AND COALESCE(valid_from, created_at) <= :later)
        <> (valid_until IS NOT NULL AND valid_until > :earlier AND valid_until <= :later)
ORDER BY COALESCE(valid_from, created_at), id;

-- name: sessions
-- Sessions, the latest first, from a place on; the counts are of those on the page.
SELECT s.*,
    (SELECT COALESCE(SUM(LENGTH(c.data)), 0) FROM transcript_chunks AS c WHERE c.session_id = s.session_id) AS bytes,
    (SELECT COUNT(DISTINCT c.agent_id) FROM transcript_chunks AS c
        WHERE c.session_id = s.session_id AND c.agent_id <> '') AS agents,
    (SELECT COUNT(DISTINCT e.stream_id) FROM learning_events AS e
        WHERE e.session_id = s.session_id AND e.event_type = 'LearningExtracted') AS learned,
    (SELECT COUNT(DISTINCT m.memory_id) FROM injections AS i JOIN injected_memories AS m USING (injection_id)
        WHERE i.session_id = s.session_id) AS shown
FROM (
    SELECT * FROM sessions
    WHERE (:project_id IS NULL OR project_id = :project_id)
        AND (:until IS NULL OR first_at <= :until)
        AND (:cursor_at IS NULL OR (last_at, session_id) < (:cursor_at, :cursor_id))
    ORDER BY last_at DESC, session_id DESC LIMIT :limit) AS s
ORDER BY s.last_at DESC, s.session_id DESC;

-- name: session_counts: How many sessions each project has.
SELECT project_id, COUNT(*) AS sessions FROM sessions GROUP BY project_id;

-- name: chunks
-- The pieces of a session in order, without what they say.
SELECT chunk_id, agent_id, turns FROM transcript_chunks WHERE session_id = :session_id ORDER BY agent_id, chunk_id;

-- name: said_request @sqlite
INSERT INTO requests (client_id, idempotency_key, session_id, project_id, source, tenant_id, route, body_hash,
    first_event, last_event, answer, at)
VALUES (:client_id, :idempotency_key, :session_id, :project_id, :source, :tenant_id, :route, :body_hash,
    :first_event, :last_event, :answer, :at);

-- name: said_request @postgres
-- Whose it is says the connection.
INSERT INTO requests (client_id, idempotency_key, session_id, project_id, source, route, body_hash, first_event,
    last_event, answer, at)
VALUES (:client_id, :idempotency_key, :session_id, :project_id, :source, :route, :body_hash, :first_event, :last_event,
    :answer, :at);

-- name: request: What a client asked for under a key, or None.
SELECT * FROM requests WHERE client_id = :client_id AND idempotency_key = :key;

-- name: list_answered: How the hooks of each kind were answered: `answers`, `ms`, `memories`, `cited`.
-- How hooks were answered, how long it took, how many memories were shown, and how many of them cited.
SELECT hook, COUNT(*) AS answers, SUM(latency_ms) AS ms,
    SUM((SELECT COUNT(*) FROM injected_memories AS m WHERE m.injection_id = i.injection_id)) AS memories,
    SUM((SELECT COUNT(referenced_at) FROM injected_memories AS m WHERE m.injection_id = i.injection_id)) AS cited
FROM injections AS i GROUP BY hook ORDER BY hook;

-- name: ties: How many relations of each type there are between the memories of a project.
SELECT e.rel_type AS relation, COUNT(*) AS number
FROM edges AS e JOIN memories AS m ON m.learning_id = e.source_id
WHERE m.project_id = :project_id GROUP BY e.rel_type ORDER BY number DESC, relation;

-- name: alone: How many active memories of a project have no relation.
SELECT COUNT(*) AS number FROM memories AS m WHERE m.project_id = :project_id AND m.status = 'active' AND NOT EXISTS (
    SELECT 1 FROM edges AS e WHERE e.source_id = m.learning_id) AND NOT EXISTS (
    SELECT 1 FROM edges AS e WHERE e.target_id = m.learning_id);
