-- name: begin
INSERT INTO llm_calls (purpose, version, provider, model, status, input_tokens, output_tokens, usd, started_at, budget)
VALUES (:purpose, :version, :provider, :model, 'sent', :input_tokens, :output_tokens, :usd, :now, :budget)
RETURNING call_id;

-- name: add_read
INSERT INTO llm_reads (session_id, call_id, until_uuid, until_at) VALUES (:session_id, :call_id, :until_uuid, :until_at);

-- name: finish
UPDATE llm_calls SET
    status = :status, model = :model, input_tokens = :input_tokens, output_tokens = :output_tokens, usd = :usd,
    learned = :learned, rejected = :rejected, finished_at = :now, error = :error
WHERE call_id = :call_id;

-- name: spent
SELECT COUNT(*) AS calls, COALESCE(SUM(input_tokens), 0) AS input_tokens,
    COALESCE(SUM(output_tokens), 0) AS output_tokens, COALESCE(SUM(usd), 0.0) AS usd
FROM llm_calls WHERE started_at >= :since AND status != 'skipped' AND (:budget = '' OR budget = :budget);

-- name: typical_answer
-- How long the latest answers were.
SELECT COUNT(*) AS calls, COALESCE(AVG(output_tokens), 0) AS output_tokens FROM (
    SELECT output_tokens FROM llm_calls WHERE purpose = :purpose AND status = 'answered' ORDER BY call_id DESC LIMIT 50
) AS latest;

-- name: read_sessions: The sessions that a model has read, wholly or in part.
SELECT DISTINCT done.session_id FROM llm_reads AS done JOIN llm_calls AS made USING (call_id)
WHERE made.purpose = :purpose AND made.status IN ('answered', 'partial');

-- name: by_project: The sessions of each project, and how many of them a model has read.
-- Sessions of each project, and how many of them a model has read.
SELECT project_id, COUNT(*) AS sessions, SUM(CASE WHEN EXISTS (
    SELECT 1 FROM llm_reads AS done JOIN llm_calls AS made USING (call_id)
    WHERE done.session_id = seen.session_id AND made.purpose = :purpose AND made.status IN ('answered', 'partial')
) THEN 1 ELSE 0 END) AS read
FROM sessions AS seen GROUP BY project_id ORDER BY project_id;

-- name: by_model: Calls, tokens, money and yield by provider, model and prompt version.
SELECT provider, model, version, COUNT(*) AS calls, SUM(input_tokens) AS input_tokens, SUM(output_tokens) AS output_tokens,
    SUM(usd) AS usd, SUM(learned) AS learned, SUM(rejected) AS rejected,
    SUM(CASE WHEN status IN ('answered', 'partial') THEN 0 ELSE 1 END) AS failed
FROM llm_calls WHERE started_at >= :since AND status != 'skipped'
GROUP BY provider, model, version ORDER BY usd DESC, calls DESC, provider, model, version;

-- name: by_day: Calls, tokens and money by day, the latest first.
SELECT SUBSTR(started_at, 1, 10) AS day, COUNT(*) AS calls, SUM(input_tokens) AS input_tokens,
    SUM(output_tokens) AS output_tokens, SUM(usd) AS usd
FROM llm_calls WHERE started_at >= :since AND status != 'skipped' GROUP BY day ORDER BY day DESC;

-- name: recent: The latest calls, newest first.
SELECT call_id, purpose, version, provider, model, status, input_tokens, output_tokens, usd, learned, rejected,
    started_at, finished_at, error
FROM llm_calls WHERE status != 'skipped' ORDER BY call_id DESC LIMIT :limit;

-- name: waiting: Sessions that say more than any model has read, the oldest first, and how often they failed since.
-- Sessions in which more was said than any model has read, whatever the prompt's version: an upgrade sends nothing again.
SELECT seen.session_id, seen.project_id, seen.last_at, done.until_uuid, done.until_at,
    (SELECT COUNT(*) FROM llm_reads AS tried JOIN llm_calls AS made USING (call_id)
        WHERE tried.session_id = seen.session_id AND made.purpose = :purpose
            AND made.call_id > COALESCE(done.call_id, 0) AND made.status IN ('sent', 'malformed', 'failed')) AS failures
FROM sessions AS seen
LEFT JOIN llm_reads AS done ON done.session_id = seen.session_id AND done.call_id = (
    SELECT MAX(good.call_id) FROM llm_reads AS good JOIN llm_calls AS made USING (call_id)
    WHERE good.session_id = seen.session_id AND made.purpose = :purpose
        AND made.status IN ('answered', 'partial', 'refused', 'skipped'))
WHERE seen.last_at >= :since AND (done.until_at IS NULL OR done.until_at < seen.last_at)
    AND NOT EXISTS (
        SELECT 1 FROM llm_reads AS busy JOIN llm_calls AS made USING (call_id)
        WHERE busy.session_id = seen.session_id AND made.status = 'sent' AND made.started_at >= :busy_since)
ORDER BY seen.last_at, seen.session_id;

-- name: payloads: What a session said that is still in the queue, oldest first.
-- What a session said that is still in the queue, when transcripts are not kept.
SELECT payload_json FROM ingest_events
WHERE session_id = :session_id AND status = 'completed' AND payload_json LIKE '[{%' ORDER BY ingest_id;

-- name: state: A remembered word: since when models are switched off, until when to wait, or what of the history is read.
SELECT value, updated_at FROM llm_state WHERE name = :name;

-- name: set_state
INSERT INTO llm_state (name, value, updated_at) VALUES (:name, :value, :now)
ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at;

-- name: drop_state
DELETE FROM llm_state WHERE name = :name;
